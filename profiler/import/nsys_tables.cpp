#include "profiler/import/nsys_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "core/base/text.h"

namespace rnnadvisor::import_trace {
namespace {

// Names of columns of a table proper. Those that are computed are none of them.
std::set<std::string> columns_of(sqlite3* database, std::string_view table, std::string& problem) {
  std::set<std::string> found;
  sqlite::Rows rows(
      database, table,
      fmt::format("SELECT c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE "
                  "t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' AND t.name = '{}'",
                  table));
  while (rows.next()) found.insert(rows.text(0));
  if (!rows.ok()) problem = rows.error().message;
  return found;
}

std::string selection(const std::set<std::string>& there, std::string_view table,
                      std::initializer_list<std::string_view> columns) {
  std::string sql = "SELECT ";
  for (const auto column : columns) {
    if (sql.size() > 7) sql += ',';
    sql += there.contains(std::string(column)) ? fmt::format("\"{}\"", column) : "NULL";
  }
  return there.empty() ? sql + " LIMIT 0" : sql + fmt::format(" FROM \"{}\"", table);
}

}  // namespace

NsysTable::NsysTable(sqlite3* database, std::string_view table,
                     std::initializer_list<std::string_view> columns)
    : rows_(database, table, [&] {
        const auto there = columns_of(database, table, problem_);
        exists_ = !there.empty();
        return selection(there, table, columns);
      }()) {}

bool NsysTable::next() {
  if (rows_.next()) return true;
  if (!rows_.ok()) problem_ = rows_.error().message;
  return false;
}

bool NsysTable::is_null(int column) { return rows_.is_null(column); }

std::int64_t NsysTable::integer(int column, std::int64_t otherwise, std::int64_t least,
                                std::int64_t most) {
  if (rows_.type(column) != SQLITE_INTEGER) return otherwise;
  const std::int64_t value = rows_.int64(column);
  return value >= least && value <= most ? value : otherwise;
}

double NsysTable::real(int column) {
  const int type = rows_.type(column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return 0;
  const double value = rows_.real_or_nan(column);
  return std::isfinite(value) ? value : 0;
}

std::string NsysTable::text(int column, std::size_t most) {
  if (rows_.type(column) != SQLITE_TEXT) return {};
  const std::string whole = rows_.text(column);
  return to_valid_utf8(std::string_view(whole).substr(0, most));
}

}  // namespace rnnadvisor::import_trace
