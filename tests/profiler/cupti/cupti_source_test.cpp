// The life of the CUPTI source as far as it goes without a GPU: its thread starts and ends, and
// there is one at a time. What it records is tested in tests/gpu.
#include "profiler/cupti/cupti_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "profiler/cupti/cupti_api.h"

namespace rnnadvisor {
namespace {

// As this process found it, before CUPTI was loaded.
const std::string named_before =
    std::getenv("NVTX_INJECTION64_PATH") != nullptr ? std::getenv("NVTX_INJECTION64_PATH") : "";

class CuptiSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto api = CuptiApi::load(); !api)
      GTEST_SKIP() << "NOT TESTED: " << to_text(api.error());
  }
};

TEST_F(CuptiSourceTest, OneAtATime) {
  auto first = make_cupti_source();
  ASSERT_TRUE(first) << to_text(first.error());
  const auto second = make_cupti_source();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::cupti);
  EXPECT_THAT(second.error().message, testing::HasSubstr("alive already"));
  first->reset();
  const auto third = make_cupti_source();
  EXPECT_TRUE(third) << to_text(third.error());
}

// Many threads ask at once: exactly one gets it.
TEST_F(CuptiSourceTest, OneAtATimeAlsoForManyThreads) {
  for (int round = 0; round < 50; ++round) {
    std::vector<Result<std::unique_ptr<ActivitySource>>> made;
    for (int i = 0; i < 4; ++i) made.emplace_back(fail(ErrorCode::internal, "not asked"));
    std::vector<std::thread> threads;
    for (auto& source : made) threads.emplace_back([&source] { source = make_cupti_source(); });
    for (auto& thread : threads) thread.join();
    int alive = 0;
    for (const auto& source : made) {
      if (source) {
        ++alive;
      } else {
        EXPECT_EQ(source.error().code, ErrorCode::cupti);
      }
    }
    EXPECT_EQ(alive, 1);
  }
}

TEST_F(CuptiSourceTest, ComesAndGoesOftenWithoutWork) {
  for (int i = 0; i < 100; ++i) {
    const auto source = make_cupti_source();
    ASSERT_TRUE(source) << i << ": " << to_text(source.error());
  }
}

// NVTX hands its ranges to the library named here, unless the user named another tool.
TEST_F(CuptiSourceTest, CuptiIsNamedToNvtx) {
  const char* named = std::getenv("NVTX_INJECTION64_PATH");
  ASSERT_NE(named, nullptr);
  EXPECT_EQ(named, named_before.empty() ? (*CuptiApi::load())->path : named_before);
}

TEST_F(CuptiSourceTest, AnErrorNamesStatusAndFunction) {
  const CuptiApi& api = **CuptiApi::load();
  const Error error = cupti_error(api, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "cuptiSomething");
  EXPECT_EQ(error.code, ErrorCode::cupti);
  EXPECT_EQ(error.message, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES from cuptiSomething");
  EXPECT_THAT(error.remedy, testing::HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
}

}  // namespace
}  // namespace rnnadvisor
