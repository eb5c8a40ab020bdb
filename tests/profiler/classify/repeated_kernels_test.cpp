#include "profiler/classify/repeated_kernels.h"

#include <gtest/gtest.h>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

struct Kind {
  const char* name;
  int in_a_step;
  std::int64_t wait_ns = 0;  // of the device, before each
};

Profile recorded(int steps, const std::vector<Kind>& kinds) {
  ProfileBuilder builder;
  builder.add_device(*find_device("h200"));
  builder.profile().environment.tracing = true;
  Process process;
  process.pid = 1;
  builder.add_process(process);
  const int configuration = builder.add_configuration({});
  std::int64_t now = 0;
  const auto kernel = [&](int call, const char* name, std::int64_t wait_ns = 0) {
    now += wait_ns;
    KernelRecord record;
    record.name = name;
    record.process = 0;
    record.call = call;
    record.start_ns = now;
    record.end_ns = now += 1000;
    builder.add_kernel(record);
  };
  for (int step = 0; step < steps; ++step) {
    CallRecord record;
    record.call.configuration = configuration;
    record.call.process = 0;
    record.call.phase = Phase::forward_training;
    record.call.begins_step = true;
    record.call.host_start_ns = record.call.host_end_ns = now;
    const int call = builder.add_call(record);
    for (int i = 0; i < 2000; ++i) kernel(call, "recurrent");
    for (const auto& kind : kinds)
      for (int i = 0; i < kind.in_a_step; ++i) kernel(-1, kind.name, kind.wait_ns);
  }
  return builder.finish();
}

TEST(RepeatedKernels, OutsideOfRecurrentLayersAThousandTimesAStep) {
  const auto found = repeated_kernels(
      recorded(3, {{"often", 1500}, {"as often", 1000}, {"seldom", 999}, {"once", 1}}), 0, 0);
  EXPECT_EQ(found.most, "often");
  EXPECT_EQ(found.most_launches, 1500);
  EXPECT_NEAR(found.share, 2500.0 / 5500, 1e-9);
}

TEST(RepeatedKernels, TheirPartOfTheWaitsForLaunches) {
  const auto found = repeated_kernels(
      recorded(3, {{"often", 1500, 20'000}, {"seldom", 100, 50'000}, {"late", 2, 3'000'000}}), 0,
      0);
  // A wait of 3 ms is none for a launch.
  EXPECT_NEAR(found.share_of_waits, 1500 * 20. / (1500 * 20. + 100 * 50.), 1e-9);
  EXPECT_EQ(repeated_kernels(recorded(3, {{"often", 1500}}), 0, 0).share_of_waits, 0);
}

TEST(RepeatedKernels, NothingWithoutStepsOrRepeats) {
  EXPECT_TRUE(repeated_kernels(recorded(1, {{"often", 1500}}), 0, 0).most.empty());
  const auto none = repeated_kernels(recorded(3, {{"seldom", 500}}), 0, 0);
  EXPECT_TRUE(none.most.empty());
  EXPECT_EQ(none.share, 0);
  EXPECT_EQ(repeated_kernels(recorded(3, {{"often", 1500}}), 7, 0).share, 0) << "another process";
}

}  // namespace
}  // namespace rnnadvisor
