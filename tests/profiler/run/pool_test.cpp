// Which passes are made. The worker is the stub program.
#include <gtest/gtest.h>

#include "profiler/run/run_configurations.h"

namespace rnnadvisor {
namespace {

// How many passes could not read the counters that were asked for, of three configurations.
std::int64_t refusals(Counters counters) {
  RunRequest request;
  request.configurations.resize(3);
  for (auto& input : request.configurations) input.config.id = "no counters";
  request.options.trace = false;
  request.options.counters = counters;
  const auto profile = run_in_workers(request, RNNADVISOR_STUB_PROGRAM, {GpuState{}});
  if (!profile) {
    ADD_FAILURE() << to_text(profile.error());
    return -1;
  }
  EXPECT_EQ(profile->configurations.size(), 3U);
  std::int64_t sum = 0;
  for (const auto& note : profile->notes) sum += note.code == "no-counters" ? note.count : 0;
  return sum;
}

// A pass for the counters alone costs as much as the one for the times.
TEST(Pool, CountersHaveAPassOfTheirOwnOnlyWhenTheyAreRequired) {
  EXPECT_EQ(refusals(Counters::automatic), 0);
  EXPECT_EQ(refusals(Counters::required), 3);
  EXPECT_EQ(refusals(Counters::off), 0);
}

}  // namespace
}  // namespace rnnadvisor
