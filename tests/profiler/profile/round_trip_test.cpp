#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "profiler/profile/builder.h"
#include "profiler/profile/check.h"
#include "profiler/profile/file.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor {
namespace {

using testing::expect_equal;
using testing::rich_profile;
using testing::TemporaryDirectory;

template <class T>
std::string message(const Result<T>& result) {
  return result ? std::string("no error") : to_text(result.error());
}

TEST(RoundTrip, EveryColumnComesBack) {
  const TemporaryDirectory directory;
  const Profile profile = rich_profile();
  ASSERT_TRUE(check_profile(profile, ErrorCode::internal))
      << message(check_profile(profile, ErrorCode::internal));
  const auto written = write_profile(profile, directory.file("a.rnnprof"));
  ASSERT_TRUE(written) << message(written);
  const auto read = read_profile(directory.file("a.rnnprof"));
  ASSERT_TRUE(read) << message(read);
  expect_equal(profile, *read);
}

// Whatever a shipped device knows is known to those who judge the file.
TEST(RoundTrip, EveryShippedDeviceComesBack) {
  const TemporaryDirectory directory;
  ProfileBuilder builder;
  for (const auto& device : shipped_devices()) builder.add_device(device);
  const Profile profile = builder.finish();
  ASSERT_EQ(profile.devices.size(), shipped_devices().size());
  ASSERT_TRUE(write_profile(profile, directory.file("a.rnnprof")));
  const auto read = read_profile(directory.file("a.rnnprof"));
  ASSERT_TRUE(read) << message(read);
  for (std::size_t i = 0; i < profile.devices.size(); ++i)
    EXPECT_EQ(read->devices[i], profile.devices[i]) << profile.devices[i].id;
}

TEST(RoundTrip, RichProfileLeavesNoTableEmpty) {
  const Profile p = rich_profile();
  for (const std::size_t size : {p.devices.size(),
                                 p.configurations.size(),
                                 p.processes.size(),
                                 p.processes[0].variables.size(),
                                 p.calls.size(),
                                 p.call_arguments.size(),
                                 p.call_arguments[0].seq_lengths.size(),
                                 p.call_sites.size(),
                                 p.setup_calls.size(),
                                 p.kernels.size(),
                                 p.transfers.size(),
                                 p.api.size(),
                                 p.allocations.size(),
                                 p.nvtx.size(),
                                 p.overhead.size(),
                                 p.counters.size(),
                                 p.thread_names.size(),
                                 p.resource_names.size(),
                                 p.notes.size(),
                                 p.figures.size(),
                                 p.experiments.size(),
                                 p.environment.clocks.size(),
                                 p.devices[0].hidden_limits.size(),
                                 p.devices[0].crossovers.size(),
                                 p.configurations[0].stages.size(),
                                 p.configurations[0].timings.size(),
                                 p.configurations[0].counters.size(),
                                 p.configurations[0].correctness.size(),
                                 p.figures[1].configuration_ids.size()}) {
    EXPECT_GT(size, 0U);
  }
}

TEST(RoundTrip, BytesInMemoryReadLikeTheFile) {
  const TemporaryDirectory directory;
  const Profile profile = rich_profile();
  ASSERT_TRUE(write_profile(profile, directory.file("a.rnnprof")));
  const std::string bytes = testing::read_bytes(directory.file("a.rnnprof"));
  const auto read = read_profile_bytes(bytes, "embedded");
  ASSERT_TRUE(read) << message(read);
  expect_equal(profile, *read);
}

TEST(RoundTrip, EmptyProfileComesBackEmpty) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_profile(Profile(), directory.file("a.rnnprof")));
  const auto read = read_profile(directory.file("a.rnnprof"));
  ASSERT_TRUE(read) << message(read);
  expect_equal(Profile(), *read);
}

TEST(RoundTrip, EqualProfilesGiveEqualBytes) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_profile(rich_profile(), directory.file("a.rnnprof")));
  ASSERT_TRUE(write_profile(rich_profile(), directory.file("b.rnnprof")));
  EXPECT_EQ(testing::read_bytes(directory.file("a.rnnprof")),
            testing::read_bytes(directory.file("b.rnnprof")));
}

TEST(RoundTrip, PathsWithUriCharacters) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("100% #1? a&b=c \u00fc.rnnprof");
  ASSERT_TRUE(write_profile(rich_profile(), path));
  EXPECT_TRUE(read_profile(path)) << message(read_profile(path));
}

TEST(RoundTrip, ReadOnlyDirectoriesAreNoObstacleToReading) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_profile(rich_profile(), directory.file("a.rnnprof")));
  std::filesystem::permissions(
      directory.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const auto read = read_profile(directory.file("a.rnnprof"));
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
  EXPECT_TRUE(read) << message(read);
}

TEST(RoundTrip, FindingsAreKeptBesideTheProfile) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  const Profile profile = rich_profile();
  ASSERT_TRUE(write_profile(profile, path));
  const std::vector<FindingRow> first = {
      {0, "a/b", "warning", "documented", "t", "m", "s", 1.5, "modelled"},
      {-1, "c/d", "info", "heuristic", "", "", "", std::nullopt, ""}};
  const std::vector<FindingRow> second = {
      {2, "e/f", "error", "measured", "title", "message", "", std::nullopt, ""}};
  for (const auto& findings : {first, second}) {
    const auto written = write_findings(path, findings);
    ASSERT_TRUE(written) << message(written);
    const auto back = read_findings(path);
    ASSERT_TRUE(back) << message(back);
    EXPECT_EQ(*back, findings);
  }
  const auto read = read_profile(path);
  ASSERT_TRUE(read) << message(read);
  expect_equal(profile, *read);
}

TEST(RoundTrip, FindingsOfAFileThatIsNoProfile) {
  const TemporaryDirectory directory;
  testing::write_bytes(directory.file("a.rnnprof"), "cell = 'lstm'\n");
  const auto written = write_findings(directory.file("a.rnnprof"), {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::damaged);
  EXPECT_EQ(testing::read_bytes(directory.file("a.rnnprof")), "cell = 'lstm'\n");
}

// A profile that breaks an invariant is refused before a byte is written.
TEST(RoundTrip, BrokenInvariantsAreRefused) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  const auto refused = [&](auto change, const char* expected) {
    Profile profile = rich_profile();
    change(profile);
    const auto written = write_profile(profile, path);
    ASSERT_FALSE(written) << expected;
    EXPECT_EQ(written.error().code, ErrorCode::internal);
    EXPECT_THAT(written.error().message, ::testing::HasSubstr(expected));
    EXPECT_FALSE(std::filesystem::exists(path));
  };
  refused([](Profile& p) { p.kernels.call[3] = static_cast<int>(p.calls.size()); },
          "kernel_records row 3: call is 12");
  refused([](Profile& p) { p.kernels.name[0] = -1; }, "kernel_records row 0: name is -1");
  refused([](Profile& p) { p.kernels.role.pop_back(); }, "kernel_records: role has 24 rows of 25");
  refused([](Profile& p) { p.kernels.role[2] = static_cast<KernelRole>(99); }, "role is 99");
  refused([](Profile& p) { std::swap(p.kernels.start_ns[0], p.kernels.start_ns[9]); },
          "kernel_records row");
  refused([](Profile& p) { p.kernels.end_ns[1] = 0; }, "kernel_records row 1: end is 0");
  refused([](Profile& p) { p.configurations[1].device = -1; },
          "configurations row 1: device is -1");
  refused([](Profile& p) { p.configurations[1].device = 2; }, "device is 2, expected 0 to 1");
  refused([](Profile& p) { p.configurations[0].timings[0].samples_ms[0] = std::nan(""); },
          "samples_ms is not finite");
  refused([](Profile& p) { p.configurations[0].config.hidden_size = 0; }, "configuration 0");
  refused([](Profile& p) { p.calls[0].configuration = 4; }, "calls row 0: configuration is 4");
  refused([](Profile& p) { p.calls[0].process = 3; }, "calls row 0: process is 3");
  refused([](Profile& p) { p.kernels.process[2] = -1; }, "kernel_records row 2: process is -1");
  refused([](Profile& p) { p.overhead.process.clear(); }, "overhead: process has 0 rows of 1");
  refused([](Profile& p) { p.processes[0].exit_status = -1; }, "exit_status is -1");
  refused(
      [](Profile& p) {
        p.calls[0].device_start_ns = 5;
        p.calls[0].device_duration_ns = -1;
      },
      "device_start_ns without a duration");
  refused([](Profile& p) { p.call_arguments[0].alignment[0] = 3; }, "alignment is 3");
  refused([](Profile& p) { p.nvtx.payload[1] = std::uint64_t{7}; }, "payload 7");
  refused([](Profile& p) { p.transfers.bytes = {INT64_MAX, 1}; }, "sum of bytes overflows");
  refused([](Profile& p) { p.nvtx.depth[0] = 1'000'000; }, "nvtx_ranges row 0: depth");
  refused([](Profile& p) { p.experiments[0].changed[0] = 44; },
          "experiment_changed row 0: configuration is 44");
  refused([](Profile& p) { p.experiments[0].timings[0].speedup = HUGE_VAL; },
          "experiment_timings row 0: speedup is not finite");
  refused([](Profile& p) { p.counters.value.pop_back(); },
          "counter_samples: value has 1 rows of 2");
  refused([](Profile& p) { p.devices[0].fp32_flops = HUGE_VAL; },
          "devices row 0: fp32_flops is not finite");
}

}  // namespace
}  // namespace rnnadvisor
