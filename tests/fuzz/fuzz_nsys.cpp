// Any bytes as a database of Nsight Systems: an error, or a profile that holds its invariants.
// Bytes that are no database are SQL, run on an empty one: rows of any type reach the importer,
// which damage to the pages of a file seldom gives.
#include <sqlite3.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "profiler/import/nsys.h"
#include "profiler/profile/check.h"

namespace {

std::string database_of(const std::string& sql) {
  sqlite3* database = nullptr;
  std::string bytes;
  if (sqlite3_open(":memory:", &database) == SQLITE_OK) {
    // Statements that run for ever or make much are no input of interest.
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 16);
    int left = 50;
    sqlite3_progress_handler(
        database, 1000, [](void* count) { return --*static_cast<int*>(count) < 0 ? 1 : 0; }, &left);
    sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_progress_handler(database, 0, nullptr, nullptr);
    sqlite3_int64 size = 0;
    if (auto* image = sqlite3_serialize(database, "main", &size, 0); image != nullptr) {
      bytes.assign(reinterpret_cast<const char*>(image), static_cast<std::size_t>(size));
      sqlite3_free(image);
    }
  }
  sqlite3_close(database);
  return bytes;
}

// An input must not write files.
bool harmless(std::string_view sql) {
  for (std::size_t i = 0; i + 6 <= sql.size(); ++i) {
    if (sqlite3_strnicmp(sql.data() + i, "attach", 6) == 0 ||
        sqlite3_strnicmp(sql.data() + i, "vacuum", 6) == 0)
      return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with("SQLite format 3")) {
    if (!harmless(bytes)) return 0;
    bytes = database_of(bytes);
  }
  const auto profile = import_trace::import_nsys_bytes(bytes, {});
  if (!profile) {
    if (profile.error().message.empty()) std::abort();
    return 0;
  }
  if (const auto checked = check_profile(*profile, ErrorCode::internal); !checked) {
    std::fprintf(stderr, "%s\n", checked.error().message.c_str());
    std::abort();
  }
  return 0;
}
