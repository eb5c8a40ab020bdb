// SQLite behind RAII and Result: only what the .rnnprof file needs. Private to this directory.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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
    (add(values), ...);
    end_row();
  }
  // The next value of a row. Texts must live until end_row().
  void add(std::string_view text) { bind_text(text, SQLITE_STATIC); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const char* text) { add(std::string_view(text)); }
  void add(Blob blob) {
    check(sqlite3_bind_blob64(statement_.get(), ++bound_, blob.bytes.data(), blob.bytes.size(),
                              SQLITE_STATIC));
  }
  void add(double value) { check(sqlite3_bind_double(statement_.get(), ++bound_, value)); }
  void add(std::int64_t value) { check(sqlite3_bind_int64(statement_.get(), ++bound_, value)); }
  void add(std::size_t value) { add(static_cast<std::int64_t>(value)); }
  void add(int value) { check(sqlite3_bind_int(statement_.get(), ++bound_, value)); }
  void add(bool value) { add(value ? 1 : 0); }
  void add(std::nullopt_t) { check(sqlite3_bind_null(statement_.get(), ++bound_)); }
  template <class T>
  void add(const std::optional<T>& value) {
    if (value) {
      add(*value);
    } else {
      add(std::nullopt);
    }
  }
  void add_copy(std::string_view text) { bind_text(text, SQLITE_TRANSIENT); }
  void end_row();
  bool ok() const { return ok_; }

 private:
  void bind_text(std::string_view text, sqlite3_destructor_type lives);
  void check(int status) { ok_ = ok_ && status == SQLITE_OK; }

  Statement statement_;
  int bound_ = 0;  // values of this row so far
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
