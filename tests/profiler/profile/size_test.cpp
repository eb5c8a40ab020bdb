// A million kernels: time and size, so that a quadratic step or a fat row is noticed.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "profiler/profile/file.h"
#include "tests/effort.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor {
namespace {

TEST(Size, AMillionKernelsAreBuiltWrittenAndReadInSeconds) {
  // Instrumented code is an order of magnitude slower.
  const std::size_t kernels = test::sanitized() ? 100'000 : 1'000'000;
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  const auto start = std::chrono::steady_clock::now();
  const Profile profile = testing::many_kernels(kernels);
  ASSERT_EQ(profile.kernels.size(), kernels);
  const auto written = write_profile(profile, path);
  ASSERT_TRUE(written) << to_text(written.error());
  const auto read = read_profile(path);
  ASSERT_TRUE(read) << to_text(read.error());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(elapsed.count()));
  EXPECT_EQ(read->kernels.start_ns, profile.kernels.start_ns);
  EXPECT_EQ(read->kernels.role, profile.kernels.role);
  EXPECT_EQ(read->kernels.role[1000], KernelRole::recurrent_gemm);
  EXPECT_LT(elapsed.count(), 20.0) << "about 3 s are normal; a busy machine is allowed for";
  // Tables and indices of an empty file are no matter of kernels.
  const std::string empty = directory.file("empty.rnnprof");
  ASSERT_TRUE(write_profile(testing::many_kernels(1), empty));
  const auto bytes = std::filesystem::file_size(path) - std::filesystem::file_size(empty);
  EXPECT_LT(static_cast<double>(bytes) / static_cast<double>(kernels), 26.0) << "bytes per kernel";
}

TEST(Size, SmallProfilesAreSmallFiles) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  ASSERT_TRUE(write_profile(testing::many_kernels(70), path));
  EXPECT_LT(std::filesystem::file_size(path), 70'000U);
}

}  // namespace
}  // namespace rnnadvisor
