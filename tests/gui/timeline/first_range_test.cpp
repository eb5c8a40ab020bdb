#include "gui/timeline/first_range.h"

#include <gtest/gtest.h>

#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

constexpr std::int64_t ms = 1'000'000;

TEST(FirstRange, IsWhereTheCallsAre) {
  SmallProfile p;
  p.nvtx(0, 1000 * ms, "program");
  p.call(900 * ms, 910 * ms);
  p.call(920 * ms, 930 * ms);
  const auto range = first_range(*build_timeline(p.finish()));
  EXPECT_GE(range.begin_ns, 890 * ms);
  EXPECT_LE(range.begin_ns, 900 * ms);
  EXPECT_GE(range.end_ns, 930 * ms);
  EXPECT_LE(range.end_ns, 940 * ms);
}

TEST(FirstRange, IsWhereTheKernelsAreWithoutCalls) {
  SmallProfile p;
  p.nvtx(0, 1000 * ms, "program");
  p.kernel(10 * ms, 10 * ms + 50'000, "initialise");  // long before the work, and less of it
  for (int i = 0; i < 50; ++i) p.kernel((900 + i) * ms, (900 + i) * ms + 10'000, "work");
  const auto range = first_range(*build_timeline(p.finish()));
  EXPECT_GE(range.begin_ns, 890 * ms);
  EXPECT_LE(range.begin_ns, 900 * ms);
  EXPECT_GE(range.end_ns, 949 * ms);
}

TEST(FirstRange, OfTwoEndsItIsTheOneWithMoreWork) {
  SmallProfile p;
  p.call(0, 2 * ms);
  p.call(3 * ms, 5 * ms);
  p.call(990 * ms, 1000 * ms);
  const auto range = first_range(*build_timeline(p.finish()));
  EXPECT_GE(range.begin_ns, 980 * ms);
  EXPECT_EQ(range.end_ns, 1000 * ms);
}

TEST(FirstRange, IsEverythingWhereThereIsNoMore) {
  SmallProfile p;
  p.call(0, 400 * ms);
  p.call(500 * ms, 1000 * ms);
  const auto even = build_timeline(p.finish());
  EXPECT_EQ(first_range(*even), even->range);
  SmallProfile other;
  other.nvtx(0, 10 * ms, "program");
  const auto none = build_timeline(other.finish());
  EXPECT_EQ(first_range(*none), none->range);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
