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

// Lets `fill` write a temporary file, seals it and puts it in the place of `path`. When anything
// fails `path` is as it was. `fill` closes the file.
Result<void> replace_profile(const std::string& path, bool replace,
                             const std::function<Result<void>(const std::string& temporary)>& fill);

// Opens a file as a profile database: looks at its first bytes and its length, application id,
// version, checksum and the structure of its pages. Errors begin with the file's name. Without
// `whole` the caller has to call check_seal() and check_pages() before it uses anything that was
// read.
Result<sqlite::Database> open_profile(const std::string& path, bool whole = true);
Result<void> check_pages(sqlite3* database);
// The same of bytes that outlive it; errors do not name them.
Result<sqlite::Database> open_profile_bytes(std::string_view bytes);

struct RecordsInput {
  sqlite3* database = nullptr;
  // Another connection to the same file for a second thread; may be empty, and may fail.
  std::function<Result<sqlite::Database>()> another;
  std::int64_t file_bytes = 0;  // 0: not known. Bounds what is reserved for rows.
  ProfileReadOptions options;
};

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
