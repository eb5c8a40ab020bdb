// What writing and reading of .rnnprof files share. Private to this directory.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "profiler/profile/file.h"
#include "profiler/profile/profile.h"
#include "profiler/profile/sqlite.h"

namespace rnnadvisor {

// The schema as SQL.
std::string_view profile_schema_sql();

// Lets `fill` write a temporary file, seals it and puts it in the place of `path`. When anything
// fails `path` is as it was. `fill` closes the file.
Result<void> replace_profile(const std::string& path, bool replace,
                             const std::function<Result<void>(const std::string& temporary)>& fill);

// Opens a file as a profile database: looks at its first bytes and its length, application id,
// version, checksum and the structure of its pages. Errors begin with the file's name. Without
// `whole` whoever opens it has to call check_seal() and check_pages() before anything that was read
// is believed.
Result<sqlite::Database> open_profile(const std::string& path, bool whole = true);
Result<void> check_pages(sqlite3* database);
// The same of bytes that outlive it; errors do not name them.
Result<sqlite::Database> open_profile_bytes(std::string_view bytes);

// Processes, calls and all tables of records. The writer leaves what went wrong in `database`;
// `version` is that of the schema of the file, `origin` its time_origin_ns.
bool write_records(const Profile& profile, sqlite3* database, std::int64_t origin);
struct RecordsInput {
  sqlite3* database = nullptr;
  int version = 0;
  std::int64_t origin = 0;
  // Another connection to the same file for a second thread; may be empty, and may fail.
  std::function<Result<sqlite::Database>()> another;
  std::int64_t file_bytes = 0;  // 0: not known. Bounds what is reserved for rows.
  ProfileReadOptions options;
};
Result<void> read_records(Profile& profile, const RecordsInput& input);

// Experiments, from version 3 of the schema on.
bool write_experiments(const Profile& profile, sqlite3* database);
Result<void> read_experiments(Profile& profile, sqlite3* database, int version);

// "[1,2.5]", and back; nothing when it is not such a list.
std::string samples_json(const std::vector<double>& samples);
std::optional<std::vector<double>> parse_samples(std::string_view text);

// The kernels, by two threads where that is worth it.
Result<void> read_kernels(Profile& profile, const RecordsInput& input,
                          const std::function<int(sqlite::Rows&, int)>& process);

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
