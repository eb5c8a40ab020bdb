#include "profiler/classify/sampled_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SampledProgram {
 public:
  SampledProgram() {
    for (int i = 0; i < 2; ++i) {
      DeviceSpec device = *find_device("h200");
      device.uuid = "GPU-" + std::to_string(i);
      builder_.add_device(device);
      Configuration configuration;
      configuration.origin = Origin::captured;
      builder_.add_configuration(configuration);
    }
  }
  // With one kernel over all of it.
  void call(int configuration, Phase phase, std::int64_t start, std::int64_t end, int device = 0) {
    CallRecord record;
    record.call.configuration = configuration;
    record.call.phase = phase;
    record.call.host_start_ns = start;
    record.call.host_end_ns = start + 1;
    kernel(start, end, builder_.add_call(record), device);
  }
  void kernel(std::int64_t start, std::int64_t end, int call = -1, int device = 0) {
    KernelRecord record;
    record.start_ns = start;
    record.end_ns = end;
    record.name = "k";
    record.call = call;
    record.device = device;
    builder_.add_kernel(record);
  }
  void sample(std::int64_t start, std::int64_t end, double value, int device = 0) {
    builder_.add_counter({start, end, device, -1, "tensor", value});
    builder_.add_counter({start, end, device, -1, "dram", value * 10});
  }
  Profile finish() {
    Profile profile = builder_.finish();
    add_sampled_counters(profile);
    return profile;
  }

 private:
  ProfileBuilder builder_;
};

auto counter(Phase phase, const char* metric, double value) {
  return ::testing::AllOf(::testing::Field(&PhaseCounters::phase, phase),
                          ::testing::Field(&PhaseCounters::metric, metric),
                          ::testing::Field(&PhaseCounters::value, ::testing::DoubleEq(value)));
}

TEST(SampledCounters, AreTheMeanOfWhatLiesWithinCalls) {
  SampledProgram program;
  program.call(0, Phase::forward_training, 1000, 2000);
  program.call(0, Phase::forward_training, 3000, 4000);
  program.call(1, Phase::forward_training, 5000, 6000);
  program.sample(900, 1100, 99);   // begins before the call
  program.sample(1100, 1300, 10);  // weight 200
  program.sample(1900, 2100, 99);  // ends behind it
  program.sample(3100, 3200, 40);  // weight 100
  program.sample(5100, 5200, 7);
  const Profile p = program.finish();
  EXPECT_THAT(p.configurations[0].counters,
              ElementsAre(counter(Phase::forward_training, "tensor", 20),
                          counter(Phase::forward_training, "dram", 200)));
  EXPECT_THAT(p.configurations[1].counters,
              ElementsAre(counter(Phase::forward_training, "tensor", 7),
                          counter(Phase::forward_training, "dram", 70)));
}

TEST(SampledCounters, WhatElseRanAtTheTimeSpoilsThem) {
  SampledProgram program;
  program.call(0, Phase::forward_inference, 1000, 2000);
  program.kernel(100, 1500);  // began long before
  program.call(1, Phase::forward_inference, 3000, 4000);
  program.call(0, Phase::forward_inference, 3500, 4500);  // another call at once
  program.sample(1100, 1200, 1);
  program.sample(3600, 3700, 1);
  program.sample(1600, 1700, 5);
  const Profile p = program.finish();
  EXPECT_THAT(p.configurations[0].counters,
              ElementsAre(counter(Phase::forward_inference, "tensor", 5),
                          counter(Phase::forward_inference, "dram", 50)));
  EXPECT_THAT(p.configurations[1].counters, IsEmpty());
}

TEST(SampledCounters, DevicesAreKeptApart) {
  SampledProgram program;
  program.call(0, Phase::backward_data, 1000, 2000, 1);
  program.kernel(1000, 2000, -1, 0);
  program.sample(1100, 1200, 3, 0);
  program.sample(1100, 1200, 4, 1);
  const Profile p = program.finish();
  EXPECT_THAT(p.configurations[0].counters, ElementsAre(counter(Phase::backward_data, "tensor", 4),
                                                        counter(Phase::backward_data, "dram", 40)));
}

TEST(SampledCounters, NothingIsReportedWithoutSamples) {
  SampledProgram program;
  program.call(0, Phase::forward_training, 1000, 2000);
  EXPECT_THAT(program.finish().configurations[0].counters, IsEmpty());
}

}  // namespace
}  // namespace rnnadvisor
