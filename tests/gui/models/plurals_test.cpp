// The application of the tests has them installed, as the window's has.
#include "gui/plurals.h"

#include <gtest/gtest.h>

#include <limits>

#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

TEST(Plurals, FollowTheCount) {
  const auto calls = [](int n) { return Texts::tr("%n more call(s), %1", nullptr, n); };
  EXPECT_EQ(calls(1), QStringLiteral("1 more call, %1"));
  EXPECT_EQ(calls(3), QStringLiteral("3 more calls, %1"));
  EXPECT_EQ(calls(0), QStringLiteral("0 more calls, %1"));
  EXPECT_EQ(Texts::tr("process(es) (%n time(s))", nullptr, 1), QStringLiteral("process (1 time)"));
  EXPECT_EQ(Texts::tr("process(es) (%n time(s))", nullptr, 2),
            QStringLiteral("processes (2 times)"));
}

TEST(Plurals, OneOfTwoWords) {
  const auto kernels = [](int n) {
    return Texts::tr("The last (one has|%n have) none: (it was|they were) late.", nullptr, n);
  };
  EXPECT_EQ(kernels(1), QStringLiteral("The last one has none: it was late."));
  EXPECT_EQ(kernels(12), QStringLiteral("The last 12 have none: they were late."));
}

TEST(Plurals, WithoutANumberNothingIsChanged) {
  EXPECT_EQ(Texts::tr("time(s) (a|b)"), QStringLiteral("time(s) (a|b)"));
  EXPECT_EQ(many(std::int64_t{1} << 40), std::numeric_limits<int>::max());
}

}  // namespace
}  // namespace rnnadvisor::gui
