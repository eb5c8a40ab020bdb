#include "profiler/merge/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/base/statistics.h"
#include "profiler/profile/check.h"
#include "tests/profiler/merge/fake_result.h"

namespace rnnadvisor {
namespace {

using ::testing::ElementsAre;

TEST(SelectConfigurations, RenumbersEverything) {
  const Profile whole = fake_profile(
      {{"a", Outcome::completed}, {"b", Outcome::completed}, {"c", Outcome::completed}});
  expect_consistent(whole);
  const std::vector<int> order = {2, 0};
  const Profile part = select_configurations(whole, order);
  EXPECT_THAT(ids_of(part), ElementsAre("c", "a"));
  EXPECT_EQ(part.calls.size(), 2u);
  EXPECT_EQ(part.kernels.size(), 2u);
  expect_consistent(part);
}

TEST(SelectConfigurations, KeepsWhatBelongsToItsCalls) {
  ProfileBuilder builder;
  const int gone = builder.add_configuration({}), kept = builder.add_configuration({});
  for (const int configuration : {gone, kept}) {
    RnnCall forward;
    forward.configuration = configuration;
    RnnCall backward = forward;
    backward.phase = Phase::backward_data;
    backward.forward = builder.add_call(forward);
    const int call = builder.add_call(backward);
    SetupRecord setup;
    setup.call.configuration = configuration;
    setup.function = configuration == kept ? "cudnnBuildRNNDynamic" : "of the one left out";
    builder.add_setup(setup);
    builder.add_allocation({call + 1, 64, 0x1000 + call, false, -1, -1, 0, call});
  }
  const std::vector<int> order = {kept};
  const Profile part = select_configurations(builder.finish(), order);
  const auto whole = check_profile(part, ErrorCode::internal);
  ASSERT_TRUE(whole) << to_text(whole.error());
  ASSERT_EQ(part.calls.size(), 2U);
  EXPECT_EQ(part.calls[0].forward, -1);
  EXPECT_EQ(part.calls[1].forward, 0);
  ASSERT_EQ(part.setup_calls.size(), 1U);
  EXPECT_EQ(part.setup_calls[0].configuration, 0);
  EXPECT_EQ(part.text(part.setup_calls[0].function), "cudnnBuildRNNDynamic");
  EXPECT_EQ(part.allocations.call, (std::vector<int>{-1, 1})) << "memory outlives its call";
}

TEST(Merge, KeepsOneResultOfEachConfiguration) {
  std::vector<Profile> parts;
  parts.push_back(fake_profile({{"a", Outcome::crashed}, {"b", Outcome::completed}}));
  parts.push_back(fake_profile({{"a", Outcome::completed}, {"b", Outcome::completed}}));
  parts[0].figures.push_back({"f", "", "batch_size", "", "training_ms", "", "", {}});
  parts[1].figures.push_back({"f", "", "batch_size", "", "training_ms", "", "", {}});
  const auto merged = merge_profiles(parts);
  EXPECT_THAT(ids_of(merged.profile), ElementsAre("a", "b"));
  EXPECT_EQ(merged.profile.configurations[0].outcome, Outcome::completed);
  EXPECT_EQ(merged.left_out, 2);
  EXPECT_EQ(merged.profile.figures.size(), 1u);
  expect_consistent(merged.profile);
}

// Times on which the files disagree are listed, also of configurations with other names.
TEST(Merge, TellsWhichTimesAreApart) {
  const auto recorded = [](const char* name, double forward, double backward) {
    Profile profile = fake_profile({{name, Outcome::completed}});
    profile.configurations[0].timings.clear();
    for (const auto& [phase, ms] :
         {std::pair{Phase::forward_training, forward}, std::pair{Phase::backward_data, backward}}) {
      PhaseTiming timing;
      timing.phase = phase;
      timing.ms = {ms, 0.97 * ms, 1.03 * ms, 0.96, 7};
      profile.configurations[0].timings.push_back(timing);
    }
    return profile;
  };
  std::vector<Profile> parts = {recorded("a", 7.3, 5.0), recorded("b", 10.6, 5.1)};
  const auto merged = merge_profiles(parts);
  ASSERT_TRUE(merged.apart);
  EXPECT_EQ(merged.apart->least_ms, 7.3);
  EXPECT_EQ(merged.apart->most_ms, 10.6);
  EXPECT_EQ(merged.apart->least_in, 0u);
  EXPECT_EQ(merged.apart->most_in, 1u);
  EXPECT_EQ(merged.apart->calls, 1);
  parts[1] = recorded("a", 7.4, 4.9);
  EXPECT_FALSE(merge_profiles(parts).apart);
}

// One profile for each rank of a program: all run the same, and nothing of any is left out.
TEST(Merge, PutsTheRanksOfAProgramTogether) {
  std::vector<Profile> parts;
  for (int rank = 0; rank < 3; ++rank) {
    ProfileBuilder builder;
    builder.add_device(*find_device("h200"));
    Process process;
    process.pid = 100 + rank;
    process.host = "node";
    process.start_ns = 1000 + rank;
    process.rank = rank;
    builder.add_process(process);
    Configuration configuration;
    configuration.config.id = "same";
    configuration.origin = Origin::captured;
    configuration.outcome = rank == 0 ? Outcome::refused : Outcome::completed;
    PhaseTiming timing;
    timing.phase = Phase::forward_training;
    timing.samples_ms = {1.0 + rank, 2.0 + rank};
    timing.ms = median_interval(timing.samples_ms);
    configuration.timings.push_back(timing);
    builder.add_configuration(configuration);
    for (int i = 0; i < 2; ++i) {
      RnnCall call;
      call.configuration = 0;
      call.process = 0;
      call.phase = Phase::forward_training;
      call.source = CallSource::hook;
      call.host_start_ns = 2000 + i;
      call.host_end_ns = 2001 + i;
      builder.add_call(call);
    }
    parts.push_back(builder.finish());
  }
  const auto merged = merge_profiles(parts);
  EXPECT_EQ(merged.left_out, 0);
  const Profile& p = merged.profile;
  ASSERT_EQ(p.configurations.size(), 1u);
  EXPECT_EQ(p.configurations[0].outcome, Outcome::completed);
  ASSERT_EQ(p.configurations[0].timings.size(), 1u);
  EXPECT_THAT(p.configurations[0].timings[0].samples_ms,
              ::testing::UnorderedElementsAre(1, 2, 2, 3, 3, 4));
  EXPECT_EQ(p.configurations[0].timings[0].ms.median, 2.5);
  ASSERT_EQ(p.processes.size(), 3u);
  ASSERT_EQ(p.calls.size(), 6u);
  std::map<int, int> calls;
  for (const auto& call : p.calls) {
    EXPECT_EQ(call.configuration, 0);
    ++calls[call.process];
  }
  EXPECT_THAT(calls,
              ElementsAre(::testing::Pair(0, 2), ::testing::Pair(1, 2), ::testing::Pair(2, 2)));
  expect_consistent(p);
}

}  // namespace
}  // namespace rnnadvisor
