#include <gtest/gtest.h>

#include <cmath>
#include <concepts>

#include "profiler/profile/tables.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor::testing {
namespace {

template <class Value>
bool same(const Value& a, const Value& b) {
  return a == b;
}
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool same(const NvtxPayload& a, const NvtxPayload& b) {
  const auto *x = std::get_if<double>(&a), *y = std::get_if<double>(&b);
  return x != nullptr && y != nullptr ? same(*x, *y) : a == b;
}
bool same(const Configuration& a, const Configuration& b) {  // its columns `json` and `written`
  return a.config == b.config && a.program == b.program && a.written == b.written &&
         a.given == b.given;
}

// Rows that can be compared as a whole are: no member can be forgotten.
template <class Columns, class Rows>
void expect_equal_rows(const char* table, const Columns& columns, const Rows& a, const Rows& b) {
  ASSERT_EQ(a.size(), b.size()) << table;
  for_each(columns, [&](const auto& column) {
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_TRUE(same(cell(column.of, a, i), cell(column.of, b, i)))
          << table << " row " << i << ": " << column.name;
  });
  if constexpr (columns::is_vector<Rows>) {
    if constexpr (std::equality_comparable<typename Rows::value_type>) {
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], b[i]) << table << " row " << i;
    }
  }
}

}  // namespace

void expect_equal(const Profile& a, const Profile& b) {
  for (const auto& [key, text] : columns::environment_texts)
    EXPECT_EQ(a.environment.*text, b.environment.*text) << key;
  for (const auto& [key, flag] : columns::environment_flags)
    EXPECT_EQ(a.environment.*flag, b.environment.*flag) << key;
  columns::for_each_table([&](const auto& table) {
    if constexpr (columns::is_parts<decltype(table)>) {
      const auto &x = table.owners(a), &y = table.owners(b);
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto &of_x = table.of(x[i]), &of_y = table.of(y[i]);
        expect_equal_rows(table.name, table.columns, of_x, of_y);
      }
    } else {
      expect_equal_rows(table.name, table.columns, table.of(a), table.of(b));
    }
  });
}

}  // namespace rnnadvisor::testing
