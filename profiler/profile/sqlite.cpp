#include "profiler/profile/sqlite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rnnadvisor::sqlite {
namespace {

// Settings against files made to do harm: no functions in schemas, no writable schema, no huge
// values.
void harden(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_exec(database, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", nullptr, nullptr,
               nullptr);
}

Result<Database> open(const std::string& name, int flags, const char* file_system = nullptr) {
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(name.c_str(), &handle, flags, file_system);
  Database database(handle);
  if (status != SQLITE_OK || !database) {
    return fail(ErrorCode::database,
                fmt::format("SQLite cannot open it: {}",
                            handle != nullptr ? sqlite3_errmsg(handle) : "out of memory"));
  }
  sqlite3_extended_result_codes(handle, 1);
  return database;
}

// A path as a file: URI, in which '?', '#' and '%' have meanings.
std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

std::int64_t file_bytes(sqlite3* database) {
  sqlite3_file* file = nullptr;
  sqlite3_int64 size = 0;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER,
                           static_cast<void*>(&file)) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr ||
      file->pMethods->xFileSize(file, &size) != SQLITE_OK)
    return 0;
  return size;
}

}  // namespace

Result<Database> open_read_only(const std::string& path) {
  // No mutex: a connection belongs to one thread, and locking for every value of every row is a
  // quarter of the time that reading takes.
  auto database = open(uri_of(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX);
  if (database) harden(database->get());
  return database;
}

Result<Database> open_bytes(std::string_view bytes) {
  auto database = open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
  if (!database) return database;
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  // SQLite takes a pointer to non-const but does not write with SQLITE_DESERIALIZE_READONLY.
  auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  if (sqlite3_deserialize(database->get(), "main", data, size, size, SQLITE_DESERIALIZE_READONLY) !=
      SQLITE_OK) {
    return fail(error_of(database->get(), "cannot open it"));
  }
  harden(database->get());
  return database;
}

Result<Database> open_for_writing(const std::string& path) {
  // Without locks: the file is ours alone, and on some network file systems SQLite's would meet the
  // one that says that it is being written.
  auto database = open(path, SQLITE_OPEN_READWRITE, "unix-none");
  if (!database) return database;
  if (auto set =
          execute(database->get(),
                  "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE");
      !set) {
    return fail(std::move(set.error()));
  }
  return database;
}

Result<void> execute(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return fail(error_of(database, "cannot be written"));
}

Error error_of(sqlite3* database, std::string_view doing) {
  Error error{ErrorCode::database,
              fmt::format("{}: {}", doing, sqlite3_errmsg(database)),
              {},
              std::nullopt,
              {}};
  switch (sqlite3_errcode(database) & 0xff) {
    case SQLITE_FULL:
      error.code = ErrorCode::io;
      error.remedy = "free some space on the disk, or write elsewhere";
      break;
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      error.code = ErrorCode::io;
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      error.code = ErrorCode::damaged;
      break;
    case SQLITE_NOMEM:
      error.code = ErrorCode::out_of_memory;
      break;
    default:
      break;
  }
  return error;
}

Inserter::Inserter(sqlite3* database, const char* table, int columns) {
  std::string sql = fmt::format("INSERT INTO {} VALUES(?", table);
  for (int i = 1; i < columns; ++i) sql += ",?";
  sql += ')';
  sqlite3_stmt* statement = nullptr;
  ok_ = sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK;
  statement_.reset(statement);
}

void Inserter::bind_text(std::string_view text, sqlite3_destructor_type lives) {
  // An empty view may have no address, which SQLite would take for NULL.
  const char* data = text.empty() ? "" : text.data();
  check(sqlite3_bind_text64(statement_.get(), ++bound_, data, text.size(), lives, SQLITE_UTF8));
}

void Inserter::end_row() {
  bound_ = 0;
  if (!ok_) return;
  ok_ = sqlite3_step(statement_.get()) == SQLITE_DONE;
  sqlite3_reset(statement_.get());
}

Rows::Rows(sqlite3* database, std::string_view table, const std::string& sql)
    : database_(database), table_(table) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    // The statements are fixed, so it is the file's schema that does not fit.
    error_ = error_of(database, fmt::format("table {} cannot be read", table));
    if (error_.code == ErrorCode::database) error_.code = ErrorCode::damaged;
  }
  statement_.reset(statement);
  // No table holds more text than its file, unless rows share it or columns have it as a default.
  constexpr std::int64_t small = 1 << 20;
  const auto size = file_bytes(database);
  text_left_ = size > 0 ? 2 * size + small : std::numeric_limits<std::int64_t>::max();
}

bool Rows::next() {
  if (!ok()) return false;
  const int status = sqlite3_step(statement_.get());
  ++row_;
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) {
    error_ =
        error_of(database_, fmt::format("table {} cannot be read after {} rows", table_, row_));
    if (error_.code == ErrorCode::database) error_.code = ErrorCode::damaged;
  }
  return false;
}

void Rows::wrong(int column, const std::string& what) {
  if (!ok()) return;
  error_.code = ErrorCode::damaged;
  error_.message = fmt::format("table {} row {}: {} {}", table_, row_,
                               sqlite3_column_name(statement_.get(), column), what);
}

bool Rows::expect(int column, int type, std::string_view name) {
  if (!ok()) return false;
  if (sqlite3_column_type(statement_.get(), column) == type) return true;
  wrong(column, fmt::format("is not {}", name));
  return false;
}

std::int64_t Rows::int64(int column, std::int64_t least, std::int64_t most) {
  if (!expect(column, SQLITE_INTEGER, "an integer")) return 0;
  const std::int64_t value = sqlite3_column_int64(statement_.get(), column);
  if (value >= least && value <= most) return value;
  wrong(column, fmt::format("is {}, expected {} to {}", value, least, most));
  return 0;
}

int Rows::int32(int column, int least, int most) {
  return static_cast<int>(int64(column, least, most));
}

int Rows::index(int column, std::size_t count, bool may_be_none) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  return int32(column, may_be_none ? -1 : 0, static_cast<int>(std::min(count, most)) - 1);
}

std::string Rows::text(int column) {
  if (!expect(column, SQLITE_TEXT, "text")) return {};
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  text_left_ -= static_cast<std::int64_t>(size);
  if (text_left_ < 0) {
    wrong(column, "and the rows before it have more text than the file holds");
    return {};
  }
  return data == nullptr ? std::string() : std::string(data, size);
}

double Rows::real(int column) {
  const double value = real_or_nan(column);
  if (!std::isfinite(value)) {
    wrong(column, "is not a finite number");
    return 0;
  }
  return value;
}

double Rows::real_or_nan(int column) {
  if (!ok()) return 0;
  const int type = sqlite3_column_type(statement_.get(), column);
  if (type == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) {
    wrong(column, "is not a number");
    return 0;
  }
  return sqlite3_column_double(statement_.get(), column);
}

}  // namespace rnnadvisor::sqlite
