// What writing and reading of .rnnprof files share. Private to this directory.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "profiler/profile/profile.h"
#include "profiler/profile/sqlite.h"

namespace rnnadvisor {

// The schema as SQL.
std::string_view profile_schema_sql();

// Makes a temporary file beside `path`, lets `fill` write it, flushes it to the disk and renames it
// to `path`. On failure, and when `fill` fails, the temporary file is removed and `path` is as it
// was.
Result<void> replace_file(const std::string& path, bool replace,
                          const std::function<Result<void>(const std::string& temporary)>& fill);

// Opens a file as a profile database: looks at its first bytes and its length, application id,
// version and integrity. Errors begin with the file's name.
Result<sqlite::Database> open_profile(const std::string& path);
// The same of bytes that outlive it; errors do not name them.
Result<sqlite::Database> open_profile_bytes(std::string_view bytes);

// Processes, calls and all tables of records. The writer leaves what went wrong in `database`;
// `version` is that of the schema of the file, `origin` its time_origin_ns.
bool write_records(const Profile& profile, sqlite3* database, std::int64_t origin);
Result<void> read_records(Profile& profile, sqlite3* database, int version, std::int64_t origin);

// How a payload is spelled that is not a number: SQLite would store it as NULL.
inline constexpr std::string_view payload_nan = "nan";

// Calls `row(Rows&)` for every row of `SELECT columns FROM table ORDER BY id`.
template <class Row>
Result<void> read_table(sqlite3* database, const char* table, std::string_view columns, Row row) {
  sqlite::Rows rows(database, table, fmt::format("SELECT {} FROM {} ORDER BY id", columns, table));
  while (rows.next()) {
    row(rows);
    if (!rows.ok()) break;
  }
  if (!rows.ok()) return fail(rows.error());
  return {};
}

// The same error with the file's name in front.
Error about_file(Error error, std::string_view name);

}  // namespace rnnadvisor
