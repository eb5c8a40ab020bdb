#include "gui/timeline/statistics.h"

#include <gtest/gtest.h>

#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

TEST(Statistics, CountWhatLiesInTheRangeAndCutWhatReachesOut) {
  SmallProfile p;
  p.call(0, 50);
  p.kernel(100, 200, "a");
  p.kernel(250, 300, "b");
  p.kernel(260, 290, "b", 4);
  p.kernel(400, 500, "a");
  p.copy(150, 160, 1, 4096);
  p.api(120, 140, "cudaLaunchKernel");
  p.allocate(10, 700);
  const auto t = build_timeline(p.finish());
  const auto s = full_statistics(*t, {150, 450});
  EXPECT_EQ(s.kernels, 4);
  EXPECT_EQ(s.kernel_ns, 50 + 50 + 30 + 50);
  ASSERT_EQ(s.devices.size(), 1U);
  EXPECT_EQ(s.devices[0].busy_ns, 50 + 50 + 50);
  EXPECT_EQ(s.devices[0].longest_gap_ns, 100);
  EXPECT_EQ(s.transfers, 1);
  EXPECT_EQ(s.transfer_bytes, 4096);
  EXPECT_EQ(s.api_calls, 0);
  EXPECT_EQ(s.most_memory, 700);
  ASSERT_EQ(s.names.size(), 2U);
  EXPECT_EQ(s.names[0].total_ns, 100);
  EXPECT_EQ(s.names[0].count, 2);
  EXPECT_EQ(s.names[1].longest_ns, 50);
  EXPECT_EQ(s.median_kernel_ns, 50);

  const auto quick = quick_statistics(*t, {150, 450});
  EXPECT_EQ(quick.kernels, s.kernels);
  EXPECT_EQ(quick.kernel_ns, s.kernel_ns);
}

TEST(Statistics, OfAnEmptyRangeAreZero) {
  SmallProfile p;
  p.kernel(100, 200, "a");
  const auto t = build_timeline(p.finish());
  const auto s = full_statistics(*t, {300, 400});
  EXPECT_EQ(s.kernels, 0);
  EXPECT_EQ(s.devices[0].longest_gap_ns, 100);
  EXPECT_EQ(s.median_kernel_ns, -1);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
