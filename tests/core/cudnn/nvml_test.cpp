// Clocks from a stand-in for NVML, which is loaded under its name before anybody asks for it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "core/cudnn/driver.h"

namespace rnnadvisor {
namespace {

void* const library = dlopen(RNNADVISOR_STANDIN_NVML, RTLD_NOW | RTLD_LOCAL);

TEST(Nvml, ClocksAndWhatKeepsThemDown) {
  ASSERT_NE(library, nullptr) << dlerror();
  auto* reasons = static_cast<unsigned long long*>(dlsym(library, "standin_reasons"));
  auto* fails = static_cast<int*>(dlsym(library, "standin_fails"));
  ASSERT_NE(reasons, nullptr);
  ASSERT_NE(fails, nullptr);
  EXPECT_EQ(read_clocks("GPU-known"), (GpuClocks{1980, 3201, 41, 118'000, 0}));
  *reasons = 0x24;
  EXPECT_EQ(read_clocks("GPU-known").event_reasons, 0x24);
  // A GPU that answers some of it, and one that NVML does not know.
  *fails = 1;
  EXPECT_EQ(read_clocks("GPU-known"), (GpuClocks{1980, 3201, 0, 0, -1}));
  EXPECT_EQ(read_clocks("GPU-another"), GpuClocks());
}

// The bits are those of nvml.h.
TEST(ThrottleWords, NamesWhatSlowsDownAndNothingElse) {
  EXPECT_EQ(throttle_words(0x4), "power cap");
  EXPECT_EQ(throttle_words(0x8), "hardware slowdown");
  EXPECT_EQ(throttle_words(0x20), "thermal slowdown");
  EXPECT_EQ(throttle_words(0x40), "hardware thermal slowdown");
  EXPECT_EQ(throttle_words(0x80), "power brake");
  EXPECT_EQ(throttle_words(0x1 | 0x4 | 0x20), "power cap, thermal slowdown");
  // Idle, clocks that were set, what is not known, and bits of later drivers.
  for (const std::int64_t none : {-1, 0, 0x1, 0x2, 0x10, 0x100, 0x400})
    EXPECT_EQ(throttle_words(none), "") << none;
}

}  // namespace
}  // namespace rnnadvisor
