// Tables of tables.h out of a file of any version. Private to this directory.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "profiler/profile/file_columns.h"
#include "profiler/profile/file_parts.h"
#include "profiler/profile/tables.h"

namespace rnnadvisor::columns {

template <class Of, class Columns>
Result<void> read_rows(const Table<Of, Columns>& table, sqlite3* database, Reading& reading) {
  auto& rows = table.of(reading.profile);
  return read_table(database, table.name, selected(table.columns, reading.version),
                    [&](sqlite::Rows& r) {
                      rows.emplace_back();
                      read_cells(r, 0, table.columns, rows, rows.size() - 1, reading);
                    });
}

template <class Owners, class Of, class Take, class Columns>
Result<void> read_rows(const Parts<Owners, Of, Take, Columns>& table, sqlite3* database,
                       Reading& reading) {
  auto& owners = table.owners(reading.profile);
  using Part = typename std::decay_t<decltype(table.of(owners[0]))>::value_type;
  return read_table(database, table.name,
                    fmt::format("{}, {}", table.owner, selected(table.columns, reading.version)),
                    [&](sqlite::Rows& r) {
                      const auto owner = static_cast<std::size_t>(r.index(0, owners.size(), false));
                      std::vector<Part> part(1);
                      read_cells(r, 1, table.columns, part, 0, reading);
                      if (r.ok()) table.take(owners[owner], std::move(part.front()));
                    });
}

// A table of columns: of all records the many. Large ones are read by two threads, each the rows of
// one half, into columns that have their length already.
template <class Table>
class RecordsReader {
 public:
  RecordsReader(const Table& table, const RecordsInput& input, Reading& reading)
      : table_(table), input_(input), in_(reading), rows_(table.of(reading.profile)) {}

  Result<void> read() {
    if (auto done = read_kinds(); !done) return done;
    const std::int64_t last = last_id();
    // Files number their rows from 0. Where one does not, or says what cannot be, its rows are
    // taken as they come.
    const std::int64_t most = input_.file_bytes / least_row_bytes;
    if (last < 0 || last >= most) return grow();
    const auto rows = static_cast<std::size_t>(last) + 1;
    resize(table_.columns, rows_, rows);
    // Version 1 numbers processes as it meets them.
    const bool alone = rows < worth_a_thread || !input_.another || in_.version < 2;
    auto done = alone ? fill(input_.database, 0, rows, true) : halves(rows);
    if (gaps_ && done) {
      rows_ = {};
      return grow();
    }
    return done;
  }

 private:
  static constexpr std::size_t worth_a_thread = 500'000;
  static constexpr std::size_t rows_between_questions = 1 << 15;
  // An id, five values and their header take at least that much in a file.
  static constexpr std::int64_t least_row_bytes = 8;
  using AllRows =
      std::remove_reference_t<decltype(std::declval<const Table&>().of(std::declval<Profile&>()))>;

  Result<void> read_kinds() {
    if (table_.kinds == nullptr) return {};
    return read_table(input_.database, table_.kinds, selected(shared_, in_.version),
                      [&](sqlite::Rows& r) {
                        resize(shared_, kinds_, kind_count_ + 1);
                        read_cells(r, 0, shared_, kinds_, kind_count_++, in_);
                      });
  }

  std::string asked() const {
    return (table_.kinds != nullptr ? "kind, " : "") + selected(own_, in_.version);
  }

  std::int64_t last_id() const {
    // Each alone is a look at one end of the tree; together they would be a walk through it.
    std::int64_t ends[2] = {-1, -1};
    for (const int which : {0, 1}) {
      sqlite::Rows rows(
          input_.database, table_.name,
          fmt::format("SELECT {}(id) FROM {}", which == 0 ? "min" : "max", table_.name));
      if (!rows.next() || rows.is_null(0)) return -1;
      ends[which] = rows.int64(0);
      if (!rows.ok()) return -1;
    }
    return ends[0] == 0 ? ends[1] : -1;
  }

  // The row at hand into place `at`.
  void take(sqlite::Rows& r, std::size_t at) {
    int first = 0;
    if (table_.kinds != nullptr) {
      const auto kind = static_cast<std::size_t>(r.index(first++, kind_count_, false));
      if (!r.ok()) return;
      for_each(shared_, [&](const auto& column) {
        cell(column.of, rows_, at) = cell(column.of, std::as_const(kinds_), kind);
      });
    }
    read_cells(r, first, own_, rows_, at, in_);
  }

  // Whether to go on. Only the calling thread asks its caller.
  bool going(std::size_t rows, bool may_ask) {
    done_ += rows;
    if (may_ask && input_.options.keep_going) {
      // Kernels come first and are the most: what follows them is asked about as all but done.
      const bool is_first = static_cast<const void*>(&rows_) == &in_.profile.kernels;
      const double share = static_cast<double>(done_.load()) / static_cast<double>(rows_.size());
      if (!input_.options.keep_going(is_first ? std::min(share, 1.0) : 1.0)) stop_ = true;
    }
    return !stop_;
  }

  // Rows with ids from `from` to before `to` into their places.
  Result<void> fill(sqlite3* database, std::size_t from, std::size_t to, bool may_ask) {
    sqlite::Rows rows(database, table_.name,
                      fmt::format("SELECT {} FROM {} WHERE id >= {} AND id < {} ORDER BY id",
                                  asked(), table_.name, from, to));
    std::size_t at = from;
    for (; rows.next(); ++at) {
      take(rows, at);
      if (!rows.ok()) break;
      if ((at - from + 1) % rows_between_questions == 0 && !going(rows_between_questions, may_ask))
        return fail(ErrorCode::interrupted, "reading was cancelled");
    }
    if (!rows.ok()) {
      stop_ = true;
      return fail(rows.error());
    }
    if (at != to) gaps_ = true;
    return {};
  }

  Result<void> halves(std::size_t rows) {
    // Columns of bits are written by words of 64.
    const std::size_t middle = rows / 2 / 64 * 64;
    auto second = std::async(std::launch::async, [&]() -> Result<void> {
      const auto database = input_.another();
      if (!database) return fail(database.error());
      return fill(database->get(), middle, rows, false);
    });
    auto first = fill(input_.database, 0, middle, true);
    auto other = second.get();
    if (!first) return first;
    return other;
  }

  Result<void> grow() {
    std::size_t at = 0;
    auto done = read_table(input_.database, table_.name, asked(), [&](sqlite::Rows& r) {
      if (at == rows_.size()) resize(table_.columns, rows_, at * 2 + 64);
      take(r, at);
      ++at;
    });
    resize(table_.columns, rows_, at);
    for_each(table_.columns, [&](const auto& column) { column.of(rows_).shrink_to_fit(); });
    return done;
  }

  const Table& table_;
  const RecordsInput& input_;
  Reading& in_;
  AllRows& rows_;
  const decltype(only<true>(std::declval<const Table&>().columns)) shared_ =
      only<true>(table_.columns);
  const decltype(only<false>(std::declval<const Table&>().columns)) own_ =
      only<false>(table_.columns);
  AllRows kinds_;
  std::size_t kind_count_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> stop_ = false, gaps_ = false;
};

}  // namespace rnnadvisor::columns
