// Tables of a database that others wrote, read by the names of their columns: which there are
// differs between releases of Nsight Systems. A column that is not there is NULL in every row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "profiler/profile/sqlite.h"

namespace rnnadvisor::import_trace {

class NsysTable {
 public:
  // Columns that follow each other are numbered from 0. A table that is not there has no rows; nor
  // has a view or a virtual table.
  NsysTable(sqlite3* database, std::string_view table,
            std::initializer_list<std::string_view> columns);

  bool exists() const { return exists_; }
  bool next();
  // Empty, or why rows after the last one could not be read.
  const std::string& problem() const { return problem_; }

  // Values of other types, and out of range, count as not there.
  std::int64_t integer(int column, std::int64_t otherwise = 0,
                       std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());
  int small(int column, int otherwise = 0) {
    return static_cast<int>(integer(column, otherwise, 0, std::numeric_limits<int>::max()));
  }
  double real(int column);  // 0: not there, or not finite
  // Valid UTF-8, of `most` bytes of what is stored at most.
  std::string text(int column, std::size_t most = std::string::npos);
  bool is_null(int column);

 private:
  bool exists_ = false;
  std::string problem_;
  sqlite::Rows rows_;
};

}  // namespace rnnadvisor::import_trace
