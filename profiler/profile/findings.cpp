// Findings in a .rnnprof file: rows that a judgement left there for people who ask with sqlite3.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "core/base/out_of_memory.h"
#include "profiler/profile/file.h"
#include "profiler/profile/file_columns.h"
#include "profiler/profile/file_parts.h"
#include "profiler/profile/tables.h"

namespace rnnadvisor {
namespace {

Result<void> store(sqlite3* database, std::span<const FindingRow> findings) {
  if (auto done = sqlite::execute(database, "BEGIN; DELETE FROM finding_records"); !done)
    return done;
  sqlite::Inserter insert(database, "finding_records", 1 + width(columns::findings));
  for (std::size_t id = 0; id < findings.size(); ++id)
    insert_row(insert, columns::findings, findings, id, 0, id);
  if (!insert.ok()) return fail(sqlite::error_of(database, "cannot be written"));
  return sqlite::execute(database, "COMMIT");
}

Result<void> write(const std::string& path, std::span<const FindingRow> findings) {
  if (auto database = open_profile(path); !database) return fail(std::move(database.error()));
  return replace_profile(path, true, [&](const std::string& temporary) -> Result<void> {
    std::error_code failed;
    std::filesystem::copy_file(path, temporary, std::filesystem::copy_options::overwrite_existing,
                               failed);
    if (failed) return fail(ErrorCode::io, fmt::format("cannot be copied: {}", failed.message()));
    auto database = sqlite::open_for_writing(temporary);
    if (!database) return fail(std::move(database.error()));
    return store(database->get(), findings);
  });
}

Result<std::vector<FindingRow>> read(const std::string& path) {
  auto database = open_profile(path);
  if (!database) return fail(std::move(database.error()));
  Profile none;
  columns::Reading reading{.profile = none, .version = rnnprof_schema_version};
  std::vector<FindingRow> findings;
  const auto done =
      read_table(database->get(), "finding_records",
                 selected(columns::findings, rnnprof_schema_version), [&](sqlite::Rows& rows) {
                   findings.emplace_back();
                   read_cells(rows, 0, columns::findings, findings, findings.size() - 1, reading);
                 });
  if (!done) return fail(about_file(done.error(), path));
  return findings;
}

}  // namespace

Result<void> write_findings(const std::string& path, std::span<const FindingRow> findings) {
  return or_out_of_memory(path, [&] { return write(path, findings); });
}

Result<std::vector<FindingRow>> read_findings(const std::string& path) {
  return or_out_of_memory(path, [&] { return read(path); });
}

}  // namespace rnnadvisor
