// Findings in a .rnnprof file: rows that a judgement left there for people who ask with sqlite3.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "core/base/out_of_memory.h"
#include "profiler/profile/file.h"
#include "profiler/profile/file_parts.h"

namespace rnnadvisor {
namespace {

Result<void> store(sqlite3* database, std::span<const FindingRow> findings) {
  if (auto done = sqlite::execute(database, "BEGIN; DELETE FROM finding_records"); !done)
    return done;
  sqlite::Inserter insert(database, "finding_records", 10);
  std::size_t id = 0;
  for (const auto& f : findings) {
    insert.row(id++, f.configuration, f.rule, f.severity, f.confidence, f.title, f.message,
               f.suggestion, f.speedup, f.speedup_basis);
  }
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
  std::vector<FindingRow> findings;
  sqlite::Rows rows(database->get(), "finding_records",
                    "SELECT configuration, rule, severity, confidence, title, message, suggestion, "
                    "speedup, speedup_basis "
                    "FROM finding_records ORDER BY id");
  while (rows.next()) {
    FindingRow row;
    row.configuration = rows.int32(0, -1);
    row.rule = rows.text(1);
    row.severity = rows.text(2);
    row.confidence = rows.text(3);
    row.title = rows.text(4);
    row.message = rows.text(5);
    row.suggestion = rows.text(6);
    if (!rows.is_null(7)) row.speedup = rows.real(7);
    row.speedup_basis = rows.text(8);
    findings.push_back(std::move(row));
  }
  if (!rows.ok()) return fail(about_file(rows.error(), path));
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
