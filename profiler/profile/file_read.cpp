// read_profile(): the tables of tables.h back into a profile. Types are checked value by value
// here, what values mean to each other in check.cpp.
#include <sys/stat.h>

#include <future>
#include <optional>

#include "core/base/out_of_memory.h"
#include "profiler/profile/check.h"
#include "profiler/profile/checksum.h"
#include "profiler/profile/file.h"
#include "profiler/profile/file_parts.h"
#include "profiler/profile/file_read_tables.h"
#include "profiler/profile/tables.h"

namespace rnnadvisor {

namespace {

using sqlite::Rows;

class Reader {
 public:
  explicit Reader(RecordsInput input) : input_(std::move(input)), database_(input_.database) {}

  Result<Profile> read() {
    auto done = meta();
    if (done) done = environment();
    for_each(columns::row_tables, [&](const auto& table) {
      if (done && in_.version >= table.since) done = read_rows(table, database_, in_);
    });
    if (done) done = outline();
    for_each(columns::record_tables, [&](const auto& table) {
      if (done && in_.version >= table.since)
        done = columns::RecordsReader(table, input_, in_).read();
    });
    if (done) done = check_profile(p_, ErrorCode::damaged);
    if (!done) return fail(std::move(done.error()));
    return std::move(p_);
  }

 private:
  Result<void> meta() {
    Rows rows(database_, "meta", "SELECT value FROM meta WHERE key='time_origin_ns'");
    if (rows.next()) in_.origin = rows.int64(0, 0, latest_time_ns);
    if (!rows.ok()) return fail(rows.error());
    Rows version(database_, "user_version", "PRAGMA user_version");
    if (version.next()) in_.version = version.int32(0);
    if (!version.ok()) return fail(version.error());
    return {};
  }

  // Other keys are of a person, or of a later version with this schema.
  Result<void> environment() {
    Rows rows(database_, "environment", "SELECT key, value FROM environment");
    while (rows.next()) {
      const std::string key = rows.text(0);
      for (const auto& [name, text] : columns::environment_texts)
        if (key == name) p_.environment.*text = rows.text(1);
      for (const auto& [name, flag] : columns::environment_flags)
        if (key == name) p_.environment.*flag = rows.boolean(1);
    }
    if (!rows.ok()) return fail(rows.error());
    return {};
  }

  // What is known before the records: enough to show the calls.
  Result<void> outline() {
    if (!input_.options.outline) return {};
    if (auto good = check_profile(p_, ErrorCode::damaged); !good) return good;
    input_.options.outline(p_);
    return {};
  }

  RecordsInput input_;
  sqlite3* database_;
  Profile p_;
  columns::Reading in_{.profile = p_};
};

constexpr std::int64_t large_file_bytes = 16 << 20;

// What tells a file from one that took its place.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  std::int64_t bytes;
  bool operator==(const FileIdentity&) const = default;
};

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino, status.st_size};
}

Result<Profile> read(const std::string& path, const ProfileReadOptions& options) {
  const auto before = identity_of(path);
  // Checking the pages of a large file takes as long as reading them: both go on at once, and
  // nothing is returned unless both are well.
  const bool large = before && before->bytes > large_file_bytes;
  auto database = open_profile(path, !large);
  if (!database) return fail(std::move(database.error()));
  std::future<Result<void>> pages;
  RecordsInput input;
  input.database = database->get();
  input.options = options;
  if (large) {
    input.file_bytes = before->bytes;
    // A file that was replaced in between is another one; then one connection has to do.
    const auto another = [path, before]() -> Result<sqlite::Database> {
      auto second = open_profile(path, false);
      if (second && identity_of(path) != before)
        return fail(ErrorCode::io, "it was replaced while it was read");
      return second;
    };
    input.another = another;
    pages = std::async(std::launch::async, [another, path]() -> Result<void> {
      if (auto sealed = check_seal(path); !sealed) return sealed;
      const auto own = another();
      if (!own) return fail(own.error());
      return check_pages(own->get());
    });
  }
  auto profile = Reader(std::move(input)).read();
  if (large) {
    if (auto good = pages.get(); !good) return fail(about_file(std::move(good.error()), path));
  }
  if (!profile) return fail(about_file(std::move(profile.error()), path));
  return profile;
}

Result<Profile> read_bytes(std::string_view bytes, std::string_view name) {
  auto database = open_profile_bytes(bytes);
  if (!database) return fail(about_file(std::move(database.error()), name));
  RecordsInput input;
  input.database = database->get();
  auto profile = Reader(std::move(input)).read();
  if (!profile) return fail(about_file(std::move(profile.error()), name));
  return profile;
}

}  // namespace

Result<Profile> read_profile(const std::string& path, const ProfileReadOptions& options) {
  return or_out_of_memory(path, [&] { return read(path, options); });
}

Result<Profile> read_profile_bytes(std::string_view bytes, std::string_view name) {
  return or_out_of_memory(name, [&] { return read_bytes(bytes, name); });
}

}  // namespace rnnadvisor
