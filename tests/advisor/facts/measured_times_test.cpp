// The times that a profile holds of a kind of GPU.
#include "advisor/facts/measured_times.h"

#include <gtest/gtest.h>

#include "core/device/device_spec.h"

namespace rnnadvisor::advisor {
namespace {

Configuration timed(int hidden, int device, Origin origin, double ms) {
  Configuration made;
  made.config.hidden_size = made.config.input_size = made.config.proj_size = hidden;
  made.device = device;
  made.origin = origin;
  made.timings.push_back(
      {Phase::forward_training, {ms, 0.9 * ms, 1.1 * ms, 0.95, 20}, {}, 3, true});
  return made;
}

// A T4 with nothing, two H200 with times, an A100 with others.
Profile profile() {
  Profile made;
  made.devices = {*find_device("nvidia-t4"), *find_device("h200"), *find_device("h200"),
                  *find_device("a100")};
  made.devices[2].uuid = "another one";
  made.environment.cudnn_version = "9.19.0";
  made.environment.driver_version = "580";
  made.environment.cpu = "a cpu";
  made.environment.created = "2026-01-31T12:00:00Z";
  made.environment.command_line = "rnnadvisor sweep";
  made.configurations = {timed(8, 0, Origin::run, 0),         timed(16, 1, Origin::run, 2),
                         timed(32, 2, Origin::run, 4),        timed(64, 3, Origin::run, 8),
                         timed(128, 1, Origin::captured, 16), timed(256, -1, Origin::run, 32),
                         timed(512, 99, Origin::run, 64)};
  made.configurations[0].timings.push_back({Phase::backward_data, {}, {}, 0, false});
  // Forward has no interval, backward data no time.
  made.configurations[2].timings[0].ms.low = made.configurations[2].timings[0].ms.high = 0;
  made.configurations[2].timings.push_back({Phase::backward_data, {}, {}, 0, false});
  return made;
}

TEST(MeasuredTimesOfAProfile, AreThoseOfItsKindOfGpu) {
  const auto rows = measured_times(profile(), *find_device("h200"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].config.hidden_size, 16);
  EXPECT_EQ(rows[0].phase, Phase::forward_training);
  EXPECT_DOUBLE_EQ(rows[0].seconds, 2e-3);
  EXPECT_DOUBLE_EQ(rows[0].low_seconds, 1.8e-3);
  EXPECT_DOUBLE_EQ(rows[0].high_seconds, 2.2e-3);
  EXPECT_EQ(rows[1].config.hidden_size, 32);
  EXPECT_DOUBLE_EQ(rows[1].low_seconds, 4e-3) << "the median stands for an interval";
  EXPECT_DOUBLE_EQ(rows[1].high_seconds, 4e-3);
  EXPECT_EQ(rows[2].config.hidden_size, 128) << "of a program, too";
  EXPECT_TRUE(measured_times(profile(), *find_device("nvidia-t4")).empty());
  EXPECT_EQ(measured_times(profile(), *find_device("a100")).size(), 1U);
}

TEST(MeasuredTimesOfAProfile, AsAFileAreThoseOfRunsOnTheFirstThatHasSome) {
  const auto times = measured_times_of_runs(profile());
  EXPECT_EQ(times.device, find_device("h200")->name);
  EXPECT_EQ(times.cudnn_version, "9.19.0");
  EXPECT_EQ(times.driver_version, "580");
  EXPECT_EQ(times.cpu, "a cpu");
  EXPECT_EQ(times.date, "2026-01-31T12:00:00Z");
  EXPECT_EQ(times.command, "rnnadvisor sweep");
  ASSERT_EQ(times.rows.size(), 2U) << "of both equal GPUs, and of no program";
  EXPECT_EQ(times.rows[0].config.hidden_size, 16);
  EXPECT_DOUBLE_EQ(times.rows[0].at(Phase::forward_training), 2e-3);
  EXPECT_EQ(times.rows[1].config.hidden_size, 32);
  EXPECT_DOUBLE_EQ(times.rows[1].at(Phase::forward_training), 4e-3);
  EXPECT_DOUBLE_EQ(times.rows[1].at(Phase::backward_data), 0);
  // What one reader finds of runs, the other finds.
  for (const auto& row : times.rows) {
    const auto all = measured_times(profile(), *find_device("h200"));
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const auto& other) {
      return other.config == row.config && other.seconds == row.at(other.phase);
    }));
  }
  EXPECT_TRUE(measured_times_of_runs(Profile{}).rows.empty());
  EXPECT_TRUE(measured_times_of_runs(Profile{}).device.empty());
}

}  // namespace
}  // namespace rnnadvisor::advisor
