// Deciding whether a file is a profile, before anything in it is believed.
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/base/text.h"
#include "profiler/profile/checksum.h"
#include "profiler/profile/file.h"
#include "profiler/profile/file_parts.h"

namespace rnnadvisor {
namespace {

constexpr std::string_view sqlite_magic("SQLite format 3\0", 16);
constexpr std::size_t header_bytes = 100;

std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// What the first bytes say to a person.
std::string_view looks_like(std::string_view head) {
  struct Kind {
    std::string_view magic, name;
  };
  static constexpr std::array<Kind, 9> kinds = {
      {{"\x1f\x8b", "a gzip archive"},
       {"PK\x03\x04", "a ZIP archive"},
       {"\x28\xb5\x2f\xfd", "a Zstandard archive"},
       {"\x7f"
        "ELF",
        "a program or library"},
       {"%PDF", "a PDF document"},
       {"version https://git-lfs", "a Git LFS pointer, not the file itself"},
       {"<", "HTML or XML text"},
       {"{", "JSON text"},
       {"[", "JSON or TOML text"}}};
  for (const auto& kind : kinds) {
    if (head.starts_with(kind.magic)) return kind.name;
  }
  for (const char c : head) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t')
      return "binary data";
  }
  return "text";
}

constexpr std::string_view remedy_other =
    "give a .rnnprof file, as `rnnadvisor profile` and `run` write it, a trace of torch.profiler, "
    "a log of cuDNN or an SQLite export of Nsight Systems";

// `head` is at least the first 100 bytes, or all of a shorter file.
Result<void> check_header(std::string_view head, std::uint64_t size) {
  if (size == 0) return fail(ErrorCode::damaged, "it is empty", std::string(remedy_other));
  if (!head.starts_with(sqlite_magic.substr(0, std::min(head.size(), sqlite_magic.size())))) {
    return fail(ErrorCode::damaged,
                fmt::format("it is not a profile: it looks like {}", looks_like(head)),
                std::string(remedy_other));
  }
  if (head.size() < header_bytes) {
    return fail(ErrorCode::damaged,
                fmt::format("it is cut off: {} bytes are less than a header", size));
  }
  const auto stored_page_size = big_endian(head, 16, 2);
  const std::uint64_t page_size = stored_page_size == 1 ? 65536 : stored_page_size;
  const std::uint64_t expected = page_size * big_endian(head, 28, 4);
  if (size != expected) {
    return fail(ErrorCode::damaged,
                fmt::format("it is {}: {} bytes, but its header says {}",
                            size < expected ? "cut off" : "longer than it should be",
                            format_count(static_cast<long long>(size)),
                            format_count(static_cast<long long>(expected))),
                "copy or record it again");
  }
  return {};
}

Result<std::int64_t> pragma(sqlite3* database, const char* name) {
  sqlite::Rows rows(database, name, fmt::format("PRAGMA {}", name));
  const bool there = rows.next();
  const std::int64_t value = there ? rows.int64(0) : 0;
  if (!rows.ok()) return fail(rows.error());
  return value;
}

bool has_table(sqlite3* database, const char* name) {
  sqlite::Rows rows(
      database, "sqlite_schema",
      fmt::format("SELECT 1 FROM sqlite_schema WHERE type='table' AND name='{}'", name));
  return rows.next();
}

// Tables must be tables: a view or a computed column of the same name could do anything, and a
// default of a megabyte makes gigabytes of rows that have none of their own.
Result<void> check_schema(sqlite3* database) {
  sqlite::Rows rows(database, "sqlite_schema",
                    "SELECT name, type, sql, (SELECT count(*) FROM pragma_table_xinfo(s.name) "
                    "WHERE hidden <> 0 OR dflt_value IS NOT NULL) "
                    "FROM sqlite_schema s WHERE type IN ('table', 'trigger')");
  while (rows.next()) {
    const std::string name = rows.text(0), type = rows.text(1), sql = rows.text(2);
    const auto computed = rows.int64(3);
    if (!rows.ok()) break;
    if (type != "table" || !sql.starts_with("CREATE TABLE") || computed != 0) {
      return fail(ErrorCode::damaged, fmt::format("'{}' is not a plain table", name.substr(0, 60)));
    }
  }
  if (!rows.ok()) return fail(rows.error());
  return {};
}

Result<void> check_database(sqlite3* database) {
  const auto id = pragma(database, "application_id");
  if (!id) return fail(id.error());
  if (*id != rnnprof_application_id) {
    const bool nsys = has_table(database, "CUPTI_ACTIVITY_KIND_KERNEL");
    return fail(ErrorCode::damaged,
                fmt::format("it is not a profile: it is an SQLite database of {}",
                            nsys ? "Nsight Systems" : "another program"),
                std::string(remedy_other));
  }
  const auto version = pragma(database, "user_version");
  if (!version) return fail(version.error());
  if (*version > rnnprof_schema_version) {
    return fail(ErrorCode::newer_version,
                fmt::format("it has schema version {}, and this rnnadvisor reads up to {}",
                            *version, rnnprof_schema_version),
                "use the rnnadvisor that wrote it, or a later one");
  }
  if (*version < 1)
    return fail(ErrorCode::damaged, fmt::format("its schema version is {}", *version));
  // A damaged version would otherwise switch the checksum off.
  if (*version < 6 && has_table(database, "checksum")) {
    return fail(ErrorCode::damaged,
                fmt::format("its header says schema version {}, and its tables are of a later one",
                            *version),
                "copy or record it again");
  }
  return check_schema(database);
}

Result<void> damaged_pages(sqlite3* database) {
  sqlite::Rows check(database, "quick_check", "PRAGMA quick_check(1)");
  const bool answered = check.next();
  const std::string answer = answered ? check.text(0) : std::string();
  if (!check.ok()) return fail(check.error());
  if (answer != "ok") {
    return fail(
        ErrorCode::damaged,
        fmt::format("its pages do not fit together: {}", to_valid_utf8(answer.substr(0, 200))),
        "copy or record it again");
  }
  return {};
}

// Once SQLite has read the header and not the rest, "database" errors mean a damaged file.
Result<void> as_damage(Result<void> good) {
  if (!good && good.error().code == ErrorCode::database) good.error().code = ErrorCode::damaged;
  return good;
}

Result<sqlite::Database> checked(Result<sqlite::Database> database, bool whole = true) {
  if (!database) return database;
  auto good = as_damage(check_database(database->get()));
  if (good && whole) good = check_pages(database->get());
  if (!good) return fail(std::move(good.error()));
  return database;
}

}  // namespace

Result<void> check_pages(sqlite3* database) { return as_damage(damaged_pages(database)); }

Error about_file(Error error, std::string_view name) {
  error.message = fmt::format("'{}': {}", name, error.message);
  return error;
}

Result<sqlite::Database> open_profile(const std::string& path, bool whole) {
  const auto fail_here = [&](Error error) { return fail(about_file(std::move(error), path)); };
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    const int number = errno;
    return fail_here({number == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                      std::strerror(number),
                      "check the path",
                      std::nullopt,
                      {}});
  }
  if (!S_ISREG(status.st_mode)) {
    return fail_here({ErrorCode::invalid_argument,
                      S_ISDIR(status.st_mode) ? "it is a folder without traces of torch.profiler "
                                                "(*.json or *.json.gz)"
                                              : "it is not a regular file",
                      std::string(remedy_other),
                      std::nullopt,
                      {}});
  }
  std::string head(header_bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return fail_here(
        {ErrorCode::io, std::strerror(errno), "check its permissions", std::nullopt, {}});
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (auto good = check_header(head, static_cast<std::uint64_t>(status.st_size)); !good) {
    return fail_here(std::move(good.error()));
  }
  if (whole) {
    if (auto good = check_seal(path); !good) return fail_here(std::move(good.error()));
  }
  auto database = checked(sqlite::open_read_only(path), whole);
  if (!database) return fail_here(std::move(database.error()));
  return database;
}

Result<sqlite::Database> open_profile_bytes(std::string_view bytes) {
  if (auto good = check_header(bytes.substr(0, header_bytes), bytes.size()); !good)
    return fail(std::move(good.error()));
  if (auto good = check_seal_bytes(bytes); !good) return fail(std::move(good.error()));
  return checked(sqlite::open_bytes(bytes));
}

}  // namespace rnnadvisor
