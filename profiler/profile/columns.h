// The words in which tables.h describes the tables of a profile: a column has a name in the file, a
// member that holds it, and a kind. All that is done with columns (appending, sorting, checking,
// reading, writing, comparing, printing) goes by its kind.
//
// A member is a function from whatever has a member of that name: a row, a record of the builder,
// or a table that keeps its columns as vectors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "profiler/profile/profile.h"

namespace rnnadvisor::columns {

// What an id refers to.
enum class Target {
  strings,
  devices,
  configurations,
  processes,
  calls,
  call_arguments,
  call_sites
};
inline constexpr std::array<std::string_view, 7> target_names = {
    "strings", "devices", "configurations", "processes", "calls", "call_arguments", "call_sites"};

template <Target target, class AnyProfile>
auto& rows_of(AnyProfile& profile) {
  constexpr std::tuple members(&Profile::strings, &Profile::devices, &Profile::configurations,
                               &Profile::processes, &Profile::calls, &Profile::call_arguments,
                               &Profile::call_sites);
  return profile.*std::get<static_cast<std::size_t>(target)>(members);
}

// Kinds -------------------------------------------------------------------------------------------

enum class None { allowed, empty_text, refused };  // refused: the id always names a row
// -1 is none. A builder's record has the text in place of an id of `strings`; an empty text is a
// text as others are, or with `empty_text` none.
template <Target target, None none = None::allowed>
struct Id {
  static constexpr Target to = target;
};
template <Target target>
using Existing = Id<target, None::refused>;
using Text = Id<Target::strings>;
using OptionalText = Id<Target::strings, None::empty_text>;
struct Earlier {};  // the id of an earlier row of the same table, or -1
struct Level {};    // how deep it is nested: no deeper than there are rows before it

template <std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max()>
struct Range {};
struct Any {};   // an integer
struct Size {};  // in bytes; those of a table can be added up
struct Flag {};
struct OptionalFlag {};  // NULL: not known
struct String {};
struct Real {};          // finite
struct RealOrNan {};     // NULL: not a number
struct OptionalReal {};  // NULL: none
template <auto last>
struct Word {};  // an enumerator up to `last`, as its word

enum class Sorted { no, yes };
// A time, stored from the earliest of the profile on; no start is later than 2^62.
template <Sorted sorted = Sorted::no>
struct Start {};
// The end of an interval, stored as its duration. Those of a table can be added up.
template <class Begin>
struct Duration {
  Begin begin;
};
struct OptionalTime {};  // NULL: not known, -1. May be earlier than the first record.
// A number whose values below `known_from` are stored as NULL, which is read as `unknown`.
template <std::int64_t known_from, std::int64_t unknown,
          std::int64_t most = std::numeric_limits<std::int64_t>::max()>
struct Known {};

struct Lengths {};             // integers from 0, as JSON
struct Samples {};             // numbers, as JSON
struct Payload {};             // see NvtxPayload
struct MeasuredWithSource {};  // two columns; NULL: not measured
struct SizeWithExactness {};   // two columns
struct Dimensions {};          // three columns
struct ConfigurationJson {};   // of a whole row: configuration and program
struct WrittenJson {};         // of a whole row: the keys that the user gave
enum class Sql { text, integer, real };
template <Sql type>
struct Copy {};  // repeats for people what another column has; never read

template <class Kind>
constexpr bool is_start = false;
template <Sorted sorted>
constexpr bool is_start<Start<sorted>> = true;
template <class Kind>
constexpr bool is_duration = false;
template <class Begin>
constexpr bool is_duration<Duration<Begin>> = true;

template <class Kind>
constexpr bool is_copy = false;
template <Sql type>
constexpr bool is_copy<Copy<type>> = true;
template <class Kind>
constexpr bool is_id = requires { Kind::to; };
template <class Kind>
constexpr bool is_text_id = false;
template <None none>
constexpr bool is_text_id<Id<Target::strings, none>> = true;

// Columns -----------------------------------------------------------------------------------------

template <class Of, class Kind, bool is_shared = false>
struct Column {
  const char* name;
  Of of;
  Kind kind;
  int since = 1;             // version of the schema
  const char* earlier = "";  // SQL that stands for it in files of earlier versions

  constexpr Column from(int version, const char* before) const {
    return {name, of, kind, version, before};
  }
  static constexpr bool shared = is_shared;
};

template <class Of, class Kind>
constexpr Column<Of, Kind> column(const char* name, Of of, Kind kind) {
  return {name, of, kind};
}

// Of a table whose rows repeat each other: stored once for all rows that agree in all such columns.
template <class Of, class Kind>
constexpr Column<Of, Kind, true> shared(Column<Of, Kind> column) {
  return {column.name, column.of, column.kind, column.since, column.earlier};
}

template <class Function, class... Columns>
constexpr void for_each(const std::tuple<Columns...>& all, Function&& function) {
  [&]<std::size_t... at>(std::index_sequence<at...>) {
    (function(std::get<at>(all)), ...);
  }(std::index_sequence_for<Columns...>());
}

// The columns of a tuple that are stored once for many rows, or those that are not.
template <bool is_shared, class... Columns>
constexpr auto only(const std::tuple<Columns...>& columns) {
  constexpr auto where = [] {
    std::array<std::size_t, (0 + ... + std::size_t{Columns::shared == is_shared})> indices{};
    std::size_t column = 0, found = 0;
    ((Columns::shared == is_shared ? void(indices[found++] = column++) : void(++column)), ...);
    return indices;
  }();
  return [&]<std::size_t... at>(std::index_sequence<at...>) {
    return std::tuple(std::get<where[at]>(columns)...);
  }(std::make_index_sequence<where.size()>());
}

// What a kind takes in the file: for each of its columns what follows the name, and the type in
// SQL.
struct Stored {
  const char* suffix;
  const char* type;
};
constexpr std::array<Stored, 1> one(const char* type) { return {{{"", type}}}; }

template <class Kind>
constexpr auto stored(const Kind& /*kind*/) {
  constexpr bool text = std::is_same_v<Kind, String> || std::is_same_v<Kind, Lengths> ||
                        std::is_same_v<Kind, Samples> || std::is_same_v<Kind, ConfigurationJson>;
  return one(text ? "TEXT NOT NULL" : "INTEGER NOT NULL");
}
template <auto last>
constexpr auto stored(Word<last> /*kind*/) {
  return one("TEXT NOT NULL");
}
constexpr auto stored(OptionalFlag /*kind*/) { return one("INTEGER"); }
constexpr auto stored(OptionalTime /*kind*/) { return one("INTEGER"); }
template <std::int64_t from, std::int64_t unknown, std::int64_t most>
constexpr auto stored(Known<from, unknown, most> /*kind*/) {
  return one("INTEGER");
}
constexpr auto stored(Real /*kind*/) { return one("REAL NOT NULL"); }
constexpr auto stored(RealOrNan /*kind*/) { return one("REAL"); }
constexpr auto stored(OptionalReal /*kind*/) { return one("REAL"); }
constexpr auto stored(WrittenJson /*kind*/) { return one("TEXT"); }
constexpr auto stored(Payload /*kind*/) { return one(""); }
template <Sql type>
constexpr auto stored(Copy<type> /*kind*/) {
  return one(type == Sql::text ? "TEXT" : type == Sql::real ? "REAL" : "INTEGER");
}
constexpr auto stored(MeasuredWithSource /*kind*/) {
  return std::array<Stored, 2>{{{"", "REAL"}, {"_source", "TEXT"}}};
}
constexpr auto stored(SizeWithExactness /*kind*/) {
  return std::array<Stored, 2>{{{"_bytes", "INTEGER NOT NULL"}, {"_exactness", "TEXT NOT NULL"}}};
}
constexpr auto stored(Dimensions /*kind*/) {
  return std::array<Stored, 3>{
      {{"_x", "INTEGER NOT NULL"}, {"_y", "INTEGER NOT NULL"}, {"_z", "INTEGER NOT NULL"}}};
}

template <class... Columns>
constexpr int width(const std::tuple<Columns...>& columns) {
  int columns_of_all = 0;
  for_each(columns, [&](const auto& column) {
    columns_of_all += static_cast<int>(stored(column.kind).size());
  });
  return columns_of_all;
}

// Tables ------------------------------------------------------------------------------------------

// Rows as a vector, or columns as a structure of vectors.
template <class Of, class Columns>
struct Table {
  const char* name;
  Of of;  // of a profile
  Columns columns;
  int since = 1;
  const char* kinds = nullptr;  // the table of what rows share
};

// Parts of the rows of another table, which its first column, `owner`, names. `take` puts one that
// was read into its owner.
template <class Owners, class Of, class Take, class Columns>
struct Parts {
  const char* name;
  const char* owner;
  Owners owners;  // of a profile
  Of of;          // of an owner
  Take take;
  Columns columns;
  int since = 1;
};

template <class T>
constexpr bool is_parts = false;
template <class Owners, class Of, class Take, class Columns>
constexpr bool is_parts<Parts<Owners, Of, Take, Columns>> = true;
template <class T>
constexpr bool is_parts<const T&> = is_parts<T>;

template <class Rows>
constexpr bool is_vector = false;
template <class Row>
constexpr bool is_vector<std::vector<Row>> = true;
template <class Row>
constexpr bool is_vector<std::span<Row>> = true;

// The value of a column in a row of either kind of table.
template <class Of, class Rows>
decltype(auto) cell(const Of& of, Rows& rows, std::size_t row) {
  if constexpr (is_vector<std::remove_const_t<Rows>>) {
    return of(rows[row]);
  } else {
    return of(rows)[row];
  }
}

template <class Columns, class Rows>
void resize(const Columns& columns, Rows& rows, std::size_t count) {
  for_each(columns, [&](const auto& column) { column.of(rows).resize(count); });
}

// Calls `change(target, id)` for every id in the rows from `first` on.
template <class Columns, class Rows, class Change>
void for_each_id(const Columns& columns, Rows& rows, std::size_t first, const Change& change) {
  for_each(columns, [&](const auto& column) {
    using Kind = std::decay_t<decltype(column.kind)>;
    if constexpr (is_id<Kind>) {
      for (std::size_t i = first; i < rows.size(); ++i) change(Kind::to, cell(column.of, rows, i));
    }
  });
}

}  // namespace rnnadvisor::columns
