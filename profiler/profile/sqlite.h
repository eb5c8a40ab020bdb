// SQLite behind RAII and Result: only what the .rnnprof file needs. Private to this directory.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/result.h"

namespace rnnadvisor::sqlite {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

// Connections are for one thread each.
// Opens a file for reading, without locks and without looking for a journal: a .rnnprof is only
// ever replaced as a whole.
Result<Database> open_read_only(const std::string& path);
// Opens a copy-free view of bytes, which must outlive it.
Result<Database> open_bytes(std::string_view bytes);
// Opens an existing empty file for one writer that needs no journal, because the file is renamed
// when it is whole.
Result<Database> open_for_writing(const std::string& path);

Result<void> execute(sqlite3* database, const char* sql);

// An Error from the database's last failure: the code that SQLite's status calls for, and its
// words.
Error error_of(sqlite3* database, std::string_view doing);

// Bytes that are stored as such.
struct Blob {
  std::string_view bytes;
};

// INSERT statements with one parameter per column. The first failure stays; later rows are passed
// over.
class Inserter {
 public:
  Inserter(sqlite3* database, const char* table, int columns);

  template <class... Values>
  void row(const Values&... values) {
    if (!ok_) return;
    int index = 0;
    (bind(++index, values), ...);
    step();
  }
  bool ok() const { return ok_; }

 private:
  void bind(int index, std::string_view text);
  void bind(int index, const std::string& text) { bind(index, std::string_view(text)); }
  void bind(int index, const char* text) { bind(index, std::string_view(text)); }
  void bind(int index, Blob blob) {
    check(sqlite3_bind_blob64(statement_.get(), index, blob.bytes.data(), blob.bytes.size(),
                              SQLITE_STATIC));
  }
  void bind(int index, double value) { check(sqlite3_bind_double(statement_.get(), index, value)); }
  void bind(int index, std::int64_t value) {
    check(sqlite3_bind_int64(statement_.get(), index, value));
  }
  void bind(int index, std::size_t value) { bind(index, static_cast<std::int64_t>(value)); }
  void bind(int index, int value) { check(sqlite3_bind_int(statement_.get(), index, value)); }
  void bind(int index, bool value) { bind(index, value ? 1 : 0); }
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    if (value) {
      bind(index, *value);
    } else {
      check(sqlite3_bind_null(statement_.get(), index));
    }
  }
  template <class... Ts>
  void bind(int index, const std::variant<Ts...>& value) {
    std::visit([&](const auto& held) { bind(index, held); }, value);
  }
  void bind(int index, std::monostate) { check(sqlite3_bind_null(statement_.get(), index)); }
  void check(int status) { ok_ = ok_ && status == SQLITE_OK; }
  void step();

  Statement statement_;
  bool ok_ = false;
};

// Rows of a SELECT, every value checked for type and range. The first failure stays; values are
// then zero or empty.
class Rows {
 public:
  // `table` stands in error messages.
  Rows(sqlite3* database, std::string_view table, const std::string& sql);

  bool next();
  bool ok() const { return error_.message.empty(); }
  const Error& error() const { return error_; }

  std::int64_t int64(int column, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                     std::int64_t most = std::numeric_limits<std::int64_t>::max());
  int int32(int column, int least = std::numeric_limits<int>::min(),
            int most = std::numeric_limits<int>::max());
  bool boolean(int column) { return int32(column, 0, 1) != 0; }
  // An index into `count` entries; -1 only with may_be_none.
  int index(int column, std::size_t count, bool may_be_none = true);
  std::string text(int column);
  double real(int column);         // finite
  double real_or_nan(int column);  // NULL is NaN, infinities are allowed
  int type(int column) const { return sqlite3_column_type(statement_.get(), column); }
  bool is_null(int column) const { return type(column) == SQLITE_NULL; }
  // The enumerator spelled so by to_string(), of those up to `last`.
  template <class Enum>
  Enum word(int column, Enum last) {
    const std::string spelled = text(column);
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      if (to_string(static_cast<Enum>(i)) == spelled) return static_cast<Enum>(i);
    }
    wrong(column, "is the unknown word '" + spelled.substr(0, 40) + "'");
    return last;
  }
  void wrong(int column, const std::string& what);

 private:
  bool expect(int column, int type, std::string_view name);

  sqlite3* database_;
  Statement statement_;
  std::string table_;
  std::int64_t row_ = -1;
  std::int64_t text_left_ = 0;  // bytes
  Error error_;
};

}  // namespace rnnadvisor::sqlite
