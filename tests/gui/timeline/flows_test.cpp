#include "gui/timeline/flows.h"

#include <gtest/gtest.h>

#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

TEST(Flows, LeadFromTheCallToItsKernelsAndBack) {
  SmallProfile p;
  const int call = p.call(0, 90);
  p.api(10, 20, "cudaLaunchKernel", 1);
  p.api(20, 30, "cudaLaunchKernel", 2);
  p.kernel(100, 200, "a", 3, call, 1);
  p.kernel(150, 160, "foreign", 4);
  p.kernel(200, 210, "b", 3, call, 2);
  const auto t = build_timeline(p.finish());
  const Item of_call{ItemKind::call, call};
  EXPECT_EQ(kernels_of(*t, call), (std::vector<int>{0, 2}));
  const auto flows = flows_of(*t, of_call);
  ASSERT_EQ(flows.size(), 2U);
  EXPECT_EQ(flows[1].to, (Item{ItemKind::kernel, 2}));
  const auto back = flows_of(*t, {ItemKind::kernel, 2});
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].from, (Item{ItemKind::api, 1}));
  EXPECT_EQ(back[1].from, of_call);
  EXPECT_EQ(along_flow(*t, {ItemKind::api, 0}, 1), (Item{ItemKind::kernel, 0}));
  EXPECT_TRUE(along_flow(*t, {ItemKind::kernel, 1}, -1).empty());
}

TEST(Flows, OfManyKernelsSomeAreShownTheFirstAndTheLastAmongThem) {
  SmallProfile p;
  const int call = p.call(0, 5);
  for (int i = 0; i < 1000; ++i) p.kernel(10 + i * 10, 15 + i * 10, "k", 3, call, 1);
  const auto t = build_timeline(p.finish());
  const auto flows = flows_of(*t, {ItemKind::call, call}, 10);
  ASSERT_EQ(flows.size(), 10U);
  EXPECT_EQ(flows.front().to.index, 0);
  EXPECT_EQ(flows.back().to.index, 999);
  EXPECT_EQ(flow_count(*t, {ItemKind::call, call}), 1000);
  EXPECT_EQ(flow_count(*t, {ItemKind::kernel, 5}), 1);
}

TEST(Flows, StepThroughTheKernelsOfOneCall) {
  SmallProfile p;
  const int one = p.call(0, 5), other = p.call(6, 9);
  for (int i = 0; i < 9; ++i)
    p.kernel(10 + i * 10, 15 + i * 10, "k", 3, i % 3 == 0 ? one : i % 3 == 1 ? other : -1, 1);
  const auto t = build_timeline(p.finish());
  const auto kernel = [](int i) { return Item{ItemKind::kernel, i}; };
  EXPECT_EQ(kernel_of_same_call(*t, {ItemKind::call, one}, 1), kernel(0));
  EXPECT_EQ(kernel_of_same_call(*t, {ItemKind::call, other}, -1), kernel(7));
  EXPECT_EQ(kernel_of_same_call(*t, kernel(0), 1), kernel(3));
  EXPECT_EQ(kernel_of_same_call(*t, kernel(3), 1), kernel(6));
  EXPECT_TRUE(kernel_of_same_call(*t, kernel(6), 1).empty());
  EXPECT_EQ(kernel_of_same_call(*t, kernel(6), -1), kernel(3));
  EXPECT_TRUE(kernel_of_same_call(*t, kernel(2), 1).empty());  // of no call
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
