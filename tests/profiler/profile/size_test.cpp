// A million kernels: time and size, so that a quadratic step or a fat row is noticed.
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>

#include "profiler/profile/file.h"
#include "tests/effort.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor {
namespace {

// CPU seconds that so many kernels take to be built, written and read.
double seconds_of(std::size_t kernels, const std::string& path) {
  const std::clock_t start = std::clock();
  const Profile profile = testing::many_kernels(kernels);
  EXPECT_EQ(profile.kernels.size(), kernels);
  const auto written = write_profile(profile, path);
  EXPECT_TRUE(written) << to_text(written.error());
  const auto read = read_profile(path);
  if (!read) {
    ADD_FAILURE() << to_text(read.error());
    return 0;
  }
  EXPECT_EQ(read->kernels.start_ns, profile.kernels.start_ns);
  EXPECT_EQ(read->kernels.role, profile.kernels.role);
  EXPECT_EQ(read->kernels.role[1000], KernelRole::recurrent_gemm);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// A quadratic step would take 64 times as long for eight times as many.
TEST(Size, TimeGrowsAsTheKernelsDo) {
  // Instrumented code is an order of magnitude slower.
  const std::size_t kernels = test::sanitized() ? 100'000 : 400'000;
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof"), fewer = directory.file("fewer.rnnprof");
  const double some = seconds_of(kernels / 8, fewer);
  EXPECT_LT(seconds_of(kernels, path), 24 * some);
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
