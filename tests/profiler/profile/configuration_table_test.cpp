// What the calls of a recording make of its configurations, and how a profile is asked for names.
#include "profiler/profile/configuration_table.h"

#include <gmock/gmock.h>

#include <numeric>

#include "profiler/profile/cudnn_status.h"
#include "profiler/profile/environment.h"

namespace rnnadvisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Table : public ::testing::Test {
 protected:
  int call(Phase phase, int status = 0, std::string_view reason = {}) {
    CallRecord made;
    made.call.configuration = configuration;
    made.call.phase = phase;
    made.call.status = status;
    made.reason = reason;
    return builder.add_call(made);
  }
  const Configuration& finished() {
    table.finish();
    return builder.profile().configurations.front();
  }

  ProfileBuilder builder;
  ConfigurationTable table{builder};
  int configuration = table.find(RnnConfig(), ProgramContext(), 0);
};

TEST_F(Table, AConfigurationOfWhichNothingIsKnownHasNoOutcome) {
  EXPECT_EQ(finished().outcome, Outcome::not_run);
}

TEST_F(Table, EachPhaseThatIsRefusedIsAStageWithItsFirstStatusAndReason) {
  const int no_reason = 2000, other = 3000;
  table.add({.call = call(Phase::backward_data, other, "not supported")});
  table.add({.call = call(Phase::backward_data, no_reason)});
  table.add({.call = call(Phase::backward_weights, no_reason)});
  table.add({.call = call(Phase::forward_inference, no_reason)});
  table.add({.call = call(Phase::forward_training, no_reason)});
  const auto& found = finished();
  ASSERT_THAT(found.stages, SizeIs(4));
  EXPECT_EQ(found.outcome, Outcome::refused);
  EXPECT_EQ(found.message, "CUDNN_STATUS_BAD_PARAM");
  ASSERT_NE(found.stage(model::Stage::backward_data), nullptr);
  EXPECT_EQ(found.stage(model::Stage::backward_data)->status, other);
  EXPECT_EQ(found.stage(model::Stage::backward_data)->reason, "not supported");
  EXPECT_EQ(found.stage(model::Stage::backward_weights)->reason, "");
  EXPECT_EQ(found.stage(model::Stage::temp_space), nullptr);
}

TEST_F(Table, WhatRanOnceIsCompletedAndWhatBrokeHasFailed) {
  table.add({.call = call(Phase::forward_inference), .device_ms = 2});
  table.add({.call = call(Phase::forward_inference, 5000, "launch failed")});
  const auto& found = finished();
  EXPECT_EQ(found.outcome, Outcome::completed);
  EXPECT_THAT(found.stages, SizeIs(1));

  ProfileBuilder other;
  ConfigurationTable failing(other);
  const int index = failing.find(RnnConfig(), ProgramContext(), 0);
  failing.refuse(index, model::Stage::forward_training, 5000, "launch failed");
  failing.refuse(index, model::Stage::backward_data, 2000, "later");
  failing.finish();
  EXPECT_EQ(other.profile().configurations[0].outcome, Outcome::failed);
  EXPECT_THAT(other.profile().configurations[0].message, ::testing::EndsWith(": launch failed"));
}

TEST_F(Table, OfManyTimesAThousandAreKeptSpreadEvenly) {
  const int one = call(Phase::forward_inference);
  for (int i = 0; i < 5'000; ++i) table.add({.call = one, .device_ms = static_cast<double>(i)});
  const auto& found = finished();
  const auto* timing = found.timing(Phase::forward_inference);
  ASSERT_NE(timing, nullptr);
  ASSERT_THAT(timing->samples_ms, SizeIs(1'000));
  for (std::size_t i = 0; i < 1'000; ++i)
    EXPECT_EQ(timing->samples_ms[i], 5.0 * static_cast<double>(i));
  EXPECT_EQ(found.timing(Phase::backward_data), nullptr);
}

TEST(ProfileNames, AreThoseOfTheirProcessGpuAndStream) {
  ProfileBuilder builder;
  builder.add_thread_name(0, 7, "loader");
  builder.add_thread_name(1, 7, "main");
  builder.add_resource_name(1, 0, -1, "the big one");
  builder.add_resource_name(1, 0, 14, "copies");
  builder.add_resource_name(1, 1, 14, "work");
  const auto& profile = builder.profile();
  EXPECT_EQ(profile.thread_name(0, 7), "loader");
  EXPECT_EQ(profile.thread_name(1, 7), "main");
  EXPECT_EQ(profile.thread_name(1, 8), "");
  EXPECT_EQ(profile.stream_name(1, 0, 14), "copies");
  EXPECT_EQ(profile.stream_name(1, 1, 14), "work");
  EXPECT_EQ(profile.stream_name(1, 1, -1), "") << "a GPU's name is no stream's";
  EXPECT_EQ(profile.stream_name(0, 0, 14), "");
  EXPECT_EQ(profile.device_name(1, 0), "the big one");
  EXPECT_EQ(profile.device_name(-1, 0), "the big one") << "of any process";
  EXPECT_EQ(profile.device_name(0, 0), "");
  EXPECT_EQ(profile.device_name(1, 1), "") << "a stream's name is no GPU's";
  EXPECT_EQ(profile.text(static_cast<int>(profile.strings.size())), "");
}

TEST(ProfileNames, OutcomesAreReadAsTheyAreWritten) {
  for (int i = 0; i <= static_cast<int>(Outcome::interrupted); ++i)
    EXPECT_EQ(parse_outcome(to_string(static_cast<Outcome>(i))), static_cast<Outcome>(i));
  EXPECT_EQ(parse_outcome("finished"), std::nullopt);
}

TEST(ProfileNames, AStatusIsFoundByItsNameInItsVersion) {
  for (const int version : {8907, 91900}) {
    EXPECT_EQ(status_number("CUDNN_STATUS_SUCCESS", version), 0);
    EXPECT_EQ(status_number("SUCCESS", version), 0) << "also without the prefix";
    EXPECT_EQ(status_number("CUDNN_STATUS_OF_ANOTHER_LIBRARY", version), -1);
  }
  EXPECT_EQ(status_number("CUDNN_STATUS_NOT_SUPPORTED", 8907), 9);
  EXPECT_EQ(status_number("CUDNN_STATUS_NOT_SUPPORTED", 91900), 3000);
}

TEST(Environments, AMachineIsDescribedWithTheCudnnThatWasFound) {
  MachineReport machine;
  machine.host = "node1";
  machine.driver_version = "580.95";
  LibraryState cupti, absent, cudnn;
  cupti.name = "CUPTI";
  cupti.found = cudnn.found = true;
  cupti.version = "13.0";
  absent.name = cudnn.name = "cuDNN";
  absent.version = "8.9.7";
  cudnn.version = "9.19.0";
  cudnn.path = "/usr/lib/libcudnn.so.9";
  machine.libraries = {cupti, cudnn, absent};
  const Environment made = describe_machine("rnnadvisor run", machine);
  EXPECT_EQ(made.command_line, "rnnadvisor run");
  EXPECT_EQ(made.host, "node1");
  EXPECT_EQ(made.driver_version, "580.95");
  EXPECT_EQ(made.cudnn_version, "9.19.0");
  EXPECT_EQ(made.cudnn_path, "/usr/lib/libcudnn.so.9");
  EXPECT_THAT(made.created, ::testing::MatchesRegex("....-..-..T..:..:..Z"));
  EXPECT_THAT(time_now(true), ::testing::MatchesRegex("........-......"));
}

}  // namespace
}  // namespace rnnadvisor
