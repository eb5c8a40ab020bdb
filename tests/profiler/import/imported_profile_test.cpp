#include "profiler/import/imported_profile.h"

#include <gmock/gmock.h>

#include "profiler/profile/check.h"

namespace rnnadvisor::import_trace {
namespace {

DeviceSpec h200() {
  DeviceSpec spec;
  spec.name = "NVIDIA H200";
  return spec;
}

struct Trace {
  explicit Trace(Recorder recorder = Recorder::cudnn_log) : profile(recorder) {
    device = profile.add_device("host/0", h200());
    process = profile.add_process({});
  }
  int call(const RnnConfig& config, Phase phase, std::int64_t start, int forward = -1) {
    ImportedProfile::Call call;
    call.record.call.process = process;
    call.record.call.device = device;
    call.record.call.phase = phase;
    call.record.call.host_start_ns = start;
    call.record.call.host_end_ns = start + 10;
    call.record.call.forward = forward;
    call.config = &config;
    return profile.add_call(std::move(call));
  }
  ImportedProfile profile;
  int device = 0, process = 0;
};

TEST(ImportedProfile, HoldsEachConfigurationOnce) {
  Trace trace;
  RnnConfig config, other;
  other.hidden_size = 64;
  for (int i = 0; i < 50; ++i) {
    trace.call(config, Phase::forward_training, 100 + 20 * i);
    trace.call(other, Phase::forward_inference, 110 + 20 * i);
  }
  const auto profile = trace.profile.finish("");
  EXPECT_TRUE(check_profile(profile, ErrorCode::internal));
  EXPECT_EQ(profile.configurations.size(), 2U);
  EXPECT_EQ(profile.calls.size(), 100U);
  for (const auto& each : profile.configurations) {
    EXPECT_EQ(each.origin, Origin::imported);
    EXPECT_GT(each.sizes.weights.value, 0);
  }
}

TEST(ImportedProfile, ForwardAndBackwardAreOneConfiguration) {
  Trace trace;
  RnnConfig forward, backward;
  forward.algo = Algo::persist_static;
  const int first = trace.call(forward, Phase::forward_training, 100);
  trace.call(backward, Phase::backward_data, 200, first);
  const auto profile = trace.profile.finish("");
  ASSERT_EQ(profile.configurations.size(), 1U);
  EXPECT_EQ(profile.configurations[0].config.algo, Algo::persist_static);
  EXPECT_EQ(profile.configurations[0].config.backward_algo, Algo::standard);
  EXPECT_EQ(profile.configurations[0].program.mixed_algos, true);
}

TEST(ImportedProfile, LengthsOfABatchAreOfItsCall) {
  Trace trace;
  RnnConfig config;
  config.batch_size = 3;
  config.seq_length = 9;
  config.seq_lengths = {9, 5, 2};
  trace.call(config, Phase::forward_training, 100);
  config.seq_lengths = {9, 9, 1};
  trace.call(config, Phase::forward_training, 200);
  const auto profile = trace.profile.finish("");
  ASSERT_EQ(profile.configurations.size(), 1U);
  ASSERT_GE(profile.calls[1].arguments, 0);
  EXPECT_EQ(
      profile.call_arguments[static_cast<std::size_t>(profile.calls[1].arguments)].seq_lengths,
      config.seq_lengths);
}

TEST(ImportedProfile, GpusOfOneKindAreTwo) {
  Trace trace;
  EXPECT_EQ(trace.profile.add_device("host/0", h200()), trace.device);
  const int other = trace.profile.add_device("host/1", h200());
  EXPECT_NE(other, trace.device);
  // What is true of one is true of the other: a configuration is held for the first.
  RnnConfig config;
  trace.call(config, Phase::forward_training, 100);
  trace.device = other;
  trace.call(config, Phase::forward_training, 200);
  const auto profile = trace.profile.finish("");
  EXPECT_EQ(profile.devices.size(), 2U);
  EXPECT_EQ(profile.configurations.size(), 1U);
  EXPECT_EQ(profile.calls[1].device, other);
}

// What a profile cannot hold is left out and counted.
TEST(ImportedProfile, RecordsThatCannotBeAreLeftOut) {
  Trace trace;
  RnnConfig config;
  EXPECT_EQ(trace.call(config, Phase::forward_training, -5), -1);
  KernelRecord kernel;
  kernel.start_ns = latest_time_ns + 1;
  kernel.end_ns = kernel.start_ns + 1;
  trace.profile.add(kernel);
  config.hidden_size = -3;
  const int odd = trace.call(config, Phase::forward_training, 100);
  const auto profile = trace.profile.finish("");
  EXPECT_TRUE(check_profile(profile, ErrorCode::internal));
  EXPECT_EQ(profile.kernels.size(), 0U);
  ASSERT_EQ(odd, 0);
  EXPECT_EQ(profile.calls[0].configuration, -1);
  std::int64_t left_out = 0;
  for (const auto& note : profile.notes)
    if (note.code == "records-implausible") left_out += note.count;
  EXPECT_EQ(left_out, 2);
}

TEST(Recorder, IsReadOffTheProcesses) {
  for (const Recorder recorder : all_recorders) {
    if (recorder == Recorder::rnnadvisor) continue;
    Trace trace(recorder);
    trace.call({}, Phase::forward_training, 100);
    auto profile = trace.profile.finish("");
    EXPECT_EQ(recorder_of(profile), recorder);
    profile.processes.push_back({});  // rnnadvisor's, without calls
    EXPECT_EQ(recorder_of(profile), recorder);
    profile.calls.push_back(profile.calls.front());
    profile.calls.back().process = 1;
    EXPECT_EQ(recorder_of(profile), std::nullopt);
  }
  Process run;
  run.mode = "run";
  EXPECT_EQ(recorder_of(run), Recorder::rnnadvisor);
  EXPECT_EQ(recorder_of(Profile()), std::nullopt);
}

}  // namespace
}  // namespace rnnadvisor::import_trace
