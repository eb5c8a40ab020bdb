// What cuDNN launched on an H200: the numbers of time steps are found again in every recorded
// program, or the result says that they are not.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "gui/recurrence/unroll.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::gui::recurrence {
namespace {

const std::filesystem::path recorded = RNNADVISOR_SOURCE_DIR "/samples/recorded";

TEST(Recorded, TheTwoLayerProgramRunsAsAWavefrontOfTwoTimes128Steps) {
  const auto p = read_profile((recorded / "programs/pytorch-two-layers.rnnprof").string());
  ASSERT_TRUE(p);
  int forward = 0, backward = 0;
  for (int i = 0; i < static_cast<int>(p->calls.size()); ++i) {
    const auto u = unroll(*p, i);
    if (u.phase == Phase::backward_weights) {
      EXPECT_EQ(u.why, Why::weights);
      continue;
    }
    ++(u.phase == Phase::backward_data ? backward : forward);
    ASSERT_EQ(u.told, Told::steps) << i;
    ASSERT_EQ(u.rows.size(), 2U);
    for (const auto& row : u.rows) {
      ASSERT_EQ(row.steps.size(), 128U);
      for (const auto& step : row.steps) {
        EXPECT_GT(step.gemm_ns, 0);
        EXPECT_GT(step.pointwise_ns, 0);
        EXPECT_EQ(step.kernels, 2);
      }
    }
  }
  EXPECT_EQ(forward, 10);
  EXPECT_EQ(backward, 10);
}

TEST(Recorded, EveryCallIsUnrolledOrSaysWhyNot) {
  std::set<Told> seen;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(recorded)) {
    if (entry.path().extension() != ".rnnprof") continue;
    const auto p = read_profile(entry.path().string());
    ASSERT_TRUE(p) << entry.path();
    std::vector<std::vector<int>> kernels(p->calls.size());
    for (std::size_t i = 0; i < p->kernels.size(); ++i) {
      if (p->kernels.call[i] >= 0)
        kernels[static_cast<std::size_t>(p->kernels.call[i])].push_back(static_cast<int>(i));
    }
    for (std::size_t c = 0; c < p->calls.size(); ++c) {
      const auto u = unroll(*p, static_cast<int>(c), kernels[c]);
      seen.insert(u.told);
      EXPECT_EQ(u.why == Why::told, u.told == Told::steps || u.told == Told::one_kernel);
      // Nothing is lost and nothing counted twice.
      std::size_t counted = u.others.size();
      for (const auto& row : u.rows) {
        for (const auto& step : row.steps) counted += static_cast<std::size_t>(step.kernels);
        if (u.told == Told::steps) {
          EXPECT_EQ(static_cast<int>(row.steps.size()), u.time_steps) << entry.path() << c;
        }
      }
      EXPECT_EQ(counted, kernels[c].size()) << entry.path() << " call " << c;
    }
  }
  EXPECT_TRUE(seen.contains(Told::steps));
  EXPECT_TRUE(seen.contains(Told::one_kernel));
}

}  // namespace
}  // namespace rnnadvisor::gui::recurrence
