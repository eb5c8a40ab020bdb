// The columns of tables.h to and from SQLite, by their kinds. Private to this directory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "profiler/profile/check.h"
#include "profiler/profile/columns.h"
#include "profiler/profile/sqlite.h"

namespace rnnadvisor::columns {

// Texts -------------------------------------------------------------------------------------------

std::string numbers_json(const std::vector<int>& numbers);  // "[8,5,2]"
std::string numbers_json(const std::vector<double>& numbers);
// Nothing when it is not such a list; integers are refused below 0.
template <class Number>
std::optional<std::vector<Number>> parse_numbers(std::string_view text);

void store_payload(sqlite::Inserter& insert, const NvtxPayload& payload);
NvtxPayload read_payload(sqlite::Rows& rows, int at);

std::string configuration_json(const Configuration& configuration);
void store_written(sqlite::Inserter& insert, const Configuration& configuration);
void read_configuration(sqlite::Rows& rows, int at, Configuration& into);
void read_written(sqlite::Rows& rows, int at, Configuration& into);

// A name as SQL spells it.
std::string sql_name(std::string_view name);

// What SELECT asks of a file of this version.
template <class... Columns>
std::string selected(const std::tuple<Columns...>& columns, int version) {
  std::string list;
  for_each(columns, [&](const auto& column) {
    if (is_copy<std::decay_t<decltype(column.kind)>>) return;
    if (column.since > version) {
      list += (list.empty() ? "" : ", ") + std::string(column.earlier);
      return;
    }
    for (const auto& part : stored(column.kind))
      list += (list.empty() ? "" : ", ") + sql_name(std::string(column.name) + part.suffix);
  });
  return list;
}

// Writing -----------------------------------------------------------------------------------------

template <class Kind, class Value>
void store(sqlite::Inserter& insert, const Kind& /*kind*/, const Value& value,
           std::int64_t /*origin*/) {
  insert.add(value);
}
template <auto last, class Value>
void store(sqlite::Inserter& insert, Word<last> /*kind*/, Value value, std::int64_t /*origin*/) {
  insert.add(to_string(value));
}
inline void store(sqlite::Inserter& insert, OptionalTime /*kind*/, std::int64_t value,
                  std::int64_t origin) {
  insert.add(value < 0 ? std::nullopt : std::optional(value - origin));
}
template <std::int64_t from, std::int64_t unknown, std::int64_t most, class Value>
void store(sqlite::Inserter& insert, Known<from, unknown, most> /*kind*/, Value value,
           std::int64_t /*origin*/) {
  insert.add(value < from ? std::nullopt : std::optional<std::int64_t>(value));
}
inline void store(sqlite::Inserter& insert, Lengths /*kind*/, const std::vector<int>& value,
                  std::int64_t /*origin*/) {
  insert.add_copy(numbers_json(value));
}
inline void store(sqlite::Inserter& insert, Samples /*kind*/, const std::vector<double>& value,
                  std::int64_t /*origin*/) {
  insert.add_copy(numbers_json(value));
}
inline void store(sqlite::Inserter& insert, Payload /*kind*/, const NvtxPayload& value,
                  std::int64_t /*origin*/) {
  store_payload(insert, value);
}
inline void store(sqlite::Inserter& insert, MeasuredWithSource /*kind*/,
                  const std::optional<MeasuredValue>& value, std::int64_t /*origin*/) {
  insert.add(value ? std::optional(value->value) : std::nullopt);
  insert.add(value ? std::optional(std::string_view(value->source)) : std::nullopt);
}
inline void store(sqlite::Inserter& insert, SizeWithExactness /*kind*/, const model::Bytes& value,
                  std::int64_t /*origin*/) {
  insert.add(value.value);
  insert.add(to_string(value.exactness));
}
inline void store(sqlite::Inserter& insert, Dimensions /*kind*/, const std::array<int, 3>& value,
                  std::int64_t /*origin*/) {
  for (const int each : value) insert.add(each);
}
inline void store(sqlite::Inserter& insert, ConfigurationJson /*kind*/, const Configuration& value,
                  std::int64_t /*origin*/) {
  insert.add_copy(configuration_json(value));
}
inline void store(sqlite::Inserter& insert, WrittenJson /*kind*/, const Configuration& value,
                  std::int64_t /*origin*/) {
  store_written(insert, value);
}

template <class Column, class Rows>
void store_cell(sqlite::Inserter& insert, const Column& column, const Rows& rows, std::size_t row,
                std::int64_t origin) {
  using Kind = std::decay_t<decltype(column.kind)>;
  if constexpr (is_start<Kind>) {
    insert.add(cell(column.of, rows, row) - origin);
  } else if constexpr (is_duration<Kind>) {
    insert.add(cell(column.of, rows, row) - cell(column.kind.begin, rows, row));
  } else {
    store(insert, column.kind, cell(column.of, rows, row), origin);
  }
}

// One row: `first` values, then its columns.
template <class... Columns, class Rows, class... First>
void insert_row(sqlite::Inserter& insert, const std::tuple<Columns...>& columns, const Rows& rows,
                std::size_t row, std::int64_t origin, const First&... first) {
  (insert.add(first), ...);
  for_each(columns, [&](const auto& column) { store_cell(insert, column, rows, row, origin); });
  insert.end_row();
}

// Reading -----------------------------------------------------------------------------------------

struct Reading {
  Profile& profile;
  int version = 0;
  std::int64_t origin = 0;
  std::map<int, int> numbered = {};  // of version 1: number of a process -> its index

  // Version 1 had no processes, only numbers that told them apart.
  int numbered_process(int number) {
    const auto [at, is_new] =
        numbered.try_emplace(number, static_cast<int>(profile.processes.size()));
    if (is_new) profile.processes.emplace_back();
    return at->second;
  }
};

template <class Value>
auto read_integer(sqlite::Rows& r, int at, std::int64_t least, std::int64_t most) {
  if constexpr (std::is_same_v<std::remove_cvref_t<Value>, int>) {
    using Limits = std::numeric_limits<int>;
    return r.int32(at, static_cast<int>(std::max<std::int64_t>(least, Limits::min())),
                   static_cast<int>(std::min<std::int64_t>(most, Limits::max())));
  } else {
    return r.int64(at, least, most);
  }
}

template <class Rows>
class CellReader {
 public:
  CellReader(sqlite::Rows& r, Reading& reading, Rows& rows, std::size_t row)
      : r_(r), in_(reading), rows_(rows), row_(row) {}

  template <class Column>
  void operator()(int at, const Column& column) {
    read(at, column.kind, cell(column.of, rows_, row_));
  }

 private:
  using Limits = std::numeric_limits<std::int64_t>;

  template <std::int64_t least, std::int64_t most, class Value>
  void read(int at, Range<least, most> /*kind*/, Value& value) {
    value = read_integer<Value>(r_, at, least, most);
  }
  template <class Value>
  void read(int at, Any /*kind*/, Value& value) {
    value = read_integer<Value>(r_, at, Limits::min(), Limits::max());
  }
  void read(int at, Size /*kind*/, std::int64_t& value) { value = r_.int64(at, 0); }
  void read(int at, Earlier /*kind*/, int& value) { value = r_.int32(at, -1); }  // see check.h
  void read(int at, Level /*kind*/, int& value) { value = r_.int32(at, 0); }
  template <Target target, None none>
  void read(int at, Id<target, none> /*kind*/, int& value) {
    auto& named = rows_of<target>(in_.profile);
    if constexpr (target == Target::processes) {
      if (in_.version < 2) {
        value = in_.numbered_process(r_.int32(at));
        return;
      }
    }
    if constexpr (std::is_same_v<Rows, std::remove_cvref_t<decltype(named)>>) {
      value = r_.int32(at, -1);  // perhaps a later row of this table: check_profile() looks
    } else {
      value = r_.index(at, named.size(), none != None::refused);
    }
  }
  template <class Value>  // of a vector of bool, too
  void read(int at, Flag /*kind*/, Value&& value) {
    value = r_.boolean(at);
  }
  void read(int at, OptionalFlag /*kind*/, std::optional<bool>& value) {
    if (!r_.is_null(at)) value = r_.boolean(at);
  }
  void read(int at, String /*kind*/, std::string& value) { value = r_.text(at); }
  void read(int at, Real /*kind*/, double& value) { value = r_.real(at); }
  void read(int at, RealOrNan /*kind*/, double& value) { value = r_.real_or_nan(at); }
  void read(int at, OptionalReal /*kind*/, std::optional<double>& value) {
    if (!r_.is_null(at)) value = r_.real(at);
  }
  template <auto last, class Value>
  void read(int at, Word<last> /*kind*/, Value& value) {
    value = r_.word(at, last);
  }
  template <Sorted sorted>
  void read(int at, Start<sorted> /*kind*/, std::int64_t& value) {
    value = in_.origin + r_.int64(at, 0, latest_time_ns - in_.origin);
  }
  // The start is at most latest_time_ns, so nothing overflows.
  template <class Begin>
  void read(int at, const Duration<Begin>& kind, std::int64_t& value) {
    const std::int64_t start = cell(kind.begin, rows_, row_);
    value = start + r_.int64(at, 0, latest_time_ns - start);
  }
  void read(int at, OptionalTime /*kind*/, std::int64_t& value) {
    value =
        r_.is_null(at) ? -1 : in_.origin + r_.int64(at, -in_.origin, latest_time_ns - in_.origin);
  }
  template <std::int64_t from, std::int64_t unknown, std::int64_t most, class Value>
  void read(int at, Known<from, unknown, most> /*kind*/, Value& value) {
    value = r_.is_null(at) ? static_cast<Value>(unknown) : read_integer<Value>(r_, at, 0, most);
  }
  void read(int at, Lengths /*kind*/, std::vector<int>& value) {
    read_numbers(at, value, "is not a list of lengths");
  }
  void read(int at, Samples /*kind*/, std::vector<double>& value) {
    read_numbers(at, value, "is not a list of numbers");
  }
  template <class Number>
  void read_numbers(int at, std::vector<Number>& value, const char* wrong) {
    auto numbers = parse_numbers<Number>(r_.text(at));
    if (!numbers) return r_.wrong(at, wrong);
    value = std::move(*numbers);
  }
  void read(int at, Payload /*kind*/, NvtxPayload& value) { value = read_payload(r_, at); }
  void read(int at, MeasuredWithSource /*kind*/, std::optional<MeasuredValue>& value) {
    if (!r_.is_null(at)) value = MeasuredValue{r_.real(at), r_.text(at + 1)};
  }
  void read(int at, SizeWithExactness /*kind*/, model::Bytes& value) {
    value = {r_.int64(at, 0), r_.word(at + 1, model::Exactness::unknown)};
  }
  void read(int at, Dimensions /*kind*/, std::array<int, 3>& value) {
    value = {r_.int32(at, 0), r_.int32(at + 1, 0), r_.int32(at + 2, 0)};
  }
  void read(int at, ConfigurationJson /*kind*/, Configuration& row) {
    read_configuration(r_, at, row);
  }
  void read(int at, WrittenJson /*kind*/, Configuration& row) { read_written(r_, at, row); }

  sqlite::Rows& r_;
  Reading& in_;
  Rows& rows_;
  std::size_t row_;
};

// The columns from `at` on into row `row`.
template <class... Columns, class Rows>
void read_cells(sqlite::Rows& r, int at, const std::tuple<Columns...>& columns, Rows& rows,
                std::size_t row, Reading& reading) {
  CellReader<Rows> read(r, reading, rows, row);
  for_each(columns, [&](const auto& column) {
    if constexpr (!is_copy<std::decay_t<decltype(column.kind)>>) {
      read(at, column);
      at += static_cast<int>(stored(column.kind).size());
    }
  });
}

}  // namespace rnnadvisor::columns
