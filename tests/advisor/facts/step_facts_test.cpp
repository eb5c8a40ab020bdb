// What is known of the whole step of a recorded program.
#include <gtest/gtest.h>

#include "advisor/rules/evaluate.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/file.h"
#include "profiler/profile/recorder.h"

namespace rnnadvisor::advisor {
namespace {

// A program of layers that are called in turn, each call with some kernels.
class Recording {
 public:
  Recording() {
    builder_.add_device(*find_device("h200"));
    builder_.profile().environment.tracing = true;
  }
  int layer(int seq_length = 16, Origin origin = Origin::captured, int batch_size = 2) {
    Configuration made;
    made.origin = origin;
    made.outcome = Outcome::completed;
    made.program.name = Framework::pytorch;
    made.config.seq_length = seq_length;
    made.config.batch_size = batch_size;
    return builder_.add_configuration(made);
  }
  int packed_layer() {
    Configuration made;
    made.origin = Origin::captured;
    made.config.seq_length = 16;
    made.config.batch_size = 2;
    made.config.layout = Layout::seq_major_packed;
    made.config.seq_lengths = {16, 9};
    return builder_.add_configuration(made);
  }
  int process(int world_size) {
    Process made;
    made.pid = 100 + processes_++;
    made.host = "here";
    made.start_ns = 0;
    made.world_size = world_size;
    return builder_.add_process(made);
  }
  // Of every 10 µs the GPU works `busy` of them.
  void call(int configuration, int kernels, int busy, GraphState graph = GraphState::none,
            int process = -1) {
    CallRecord call;
    call.call.configuration = configuration;
    call.call.graph = graph;
    call.call.process = process;
    call.call.host_start_ns = now_;
    call.call.host_end_ns = now_ + 10'000 * kernels;
    const int index = builder_.add_call(call);
    for (int i = 0; i < kernels; ++i, now_ += 10'000) {
      KernelRecord kernel;
      kernel.name = "kernel";
      kernel.call = index;
      kernel.process = process;
      kernel.start_ns = now_;
      kernel.end_ns = now_ + 1000 * busy;
      builder_.add_kernel(kernel);
    }
  }
  Profile finish() { return builder_.finish(); }

 private:
  ProfileBuilder builder_;
  std::int64_t now_ = 0;
  int processes_ = 0;
};

std::optional<FactValue> value(const Profile& profile, int configuration, std::string_view name) {
  const ProfileIndex index(profile);
  FactMemo facts(index);
  facts.begin(configuration);
  const int at = find_fact(name);
  EXPECT_GE(at, 0) << name;
  const Fact* fact = facts.get(at);
  return fact ? std::optional(fact->value) : std::nullopt;
}

double number(const Profile& profile, std::string_view name) {
  const auto found = value(profile, 0, name);
  return found ? std::get<double>(*found) : -1;
}

TEST(TraceFacts, TheFirstCallOfAProcessIsLeftOutWhereEnoughOthersAre) {
  // The first call waits for kernels to be loaded: 1 of 10 µs, in the others 6.
  for (const int others : {2, 3, 6}) {
    Recording recording;
    const int process = recording.process(1);
    const int layer = recording.layer();
    recording.call(layer, 200, 1, GraphState::none, process);
    for (int i = 0; i < others; ++i) recording.call(layer, 10, 6, GraphState::none, process);
    const auto profile = recording.finish();
    const ProfileIndex index(profile);
    const auto* kernels = index.phase_kernels(layer, Phase::forward_training);
    ASSERT_NE(kernels, nullptr);
    if (others < 3) {
      EXPECT_EQ(kernels->calls, others + 1);
      EXPECT_TRUE(kernels->left_out.empty());
      EXPECT_LT(number(profile, "trace.forward_training_busy"), 20);
      continue;
    }
    EXPECT_EQ(kernels->calls, others);
    EXPECT_EQ(kernels->left_out, std::vector<int>{0});
    EXPECT_DOUBLE_EQ(kernels->kernels_per_call(), 10);
    // From the first start to the last end: 9 waits of 4 µs in 96.
    EXPECT_NEAR(number(profile, "trace.forward_training_busy"), 100 * 60.0 / 96, 1e-9);
    EXPECT_NEAR(number(profile, "trace.forward_busy"), 100 * 60.0 / 96, 1e-9);
  }
  // Each process has a first one.
  Recording recording;
  const int layer = recording.layer();
  const int one = recording.process(2), other = recording.process(2);
  recording.call(layer, 50, 1, GraphState::none, one);
  recording.call(layer, 50, 1, GraphState::none, other);
  for (int i = 0; i < 3; ++i) recording.call(layer, 10, 6, GraphState::none, i % 2 ? one : other);
  const auto profile = recording.finish();
  const ProfileIndex index(profile);
  EXPECT_EQ(index.phase_kernels(layer, Phase::forward_training)->left_out,
            (std::vector<int>{0, 1}));
}

TEST(SiblingFacts, ALargerBatchOfTheSameLayerIsSeenWhateverItsAlgorithm) {
  Recording recording;
  recording.call(recording.layer(16, Origin::captured, 20), 10, 6);
  recording.call(recording.layer(16, Origin::captured, 32), 10, 6);
  auto profile = recording.finish();
  profile.configurations[1].config.algo = Algo::persist_static;
  EXPECT_EQ(value(profile, 0, "sibling.has_larger_batch"), FactValue(true));
  EXPECT_EQ(value(profile, 1, "sibling.has_larger_batch"), FactValue(false));
  profile.configurations[1].config.hidden_size *= 2;  // another layer
  EXPECT_EQ(value(profile, 0, "sibling.has_larger_batch"), FactValue(false));
}

TEST(StepFacts, TellTheShareAndWhatAGraphCouldGain) {
  Recording recording;
  recording.call(recording.layer(), 400, 4);
  const auto profile = recording.finish();
  EXPECT_EQ(value(profile, 0, "program.step_traced"), FactValue(true));
  EXPECT_NEAR(number(profile, "program.gpu_busy"), 40, 0.2);
  // No step was timed without tracing.
  EXPECT_NEAR(number(profile, "program.graph_speedup"), 10 / 1.135 / (4 + 0.42), 0.02);
  EXPECT_FALSE(value(profile, 0, "program.step_ms"));
  EXPECT_EQ(value(profile, 0, "program.step_replayable"), FactValue(true));
  EXPECT_EQ(value(profile, 0, "program.main_configuration"), FactValue(true));
}

// torch.profiler slows a program more, and its waits do not tell launches from other work.
TEST(StepFacts, CountWhatTorchProfilerCosts) {
  Recording recording;
  recording.call(recording.layer(), 400, 4);
  auto profile = recording.finish();
  EXPECT_EQ(value(profile, 0, "trace.recorded_by"), FactValue(std::string("rnnadvisor")));
  EXPECT_TRUE(value(profile, 0, "program.host_wait_share"));
  for (auto& process : profile.processes) process.mode = to_string(Recorder::torch_profiler);
  EXPECT_EQ(value(profile, 0, "trace.recorded_by"), FactValue(std::string("torch.profiler")));
  EXPECT_NEAR(number(profile, "program.graph_speedup"), 10 / 1.61 / (4 + 0.42), 0.02);
  EXPECT_FALSE(value(profile, 0, "program.host_wait_share"));
  for (auto& process : profile.processes) process.mode = to_string(Recorder::xla_profiler);
  EXPECT_FALSE(value(profile, 0, "program.host_wait_share"));
}

// The recording of samples/programs/pytorch/distributed.py: process 0 has 5.06 ms in AllReduce.
TEST(StepFacts, TellWhatCommunicationBetweenGpusTakes) {
  const auto recorded =
      read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-distributed.rnnprof");
  ASSERT_TRUE(recorded) << to_text(recorded.error());
  int told = 0;
  for (std::size_t c = 0; c < recorded->configurations.size(); ++c) {
    const int configuration = static_cast<int>(c);
    const auto share = value(*recorded, configuration, "program.collective_share");
    if (!share) continue;
    ++told;
    EXPECT_GT(std::get<double>(*share), 2);
    EXPECT_LT(std::get<double>(*share), 100);
    EXPECT_EQ(value(*recorded, configuration, "program.world_size"), FactValue(std::int64_t{2}));
  }
  EXPECT_GT(told, 0);
  Recording alone;
  alone.call(alone.layer(), 400, 4);
  const auto profile = alone.finish();
  EXPECT_NEAR(number(profile, "program.collective_share"), 0, 0);
  EXPECT_FALSE(value(profile, 0, "program.world_size"));
}

TEST(StepFacts, AreOfProgramsOnly) {
  Recording own;
  own.call(own.layer(16, Origin::run), 400, 4);
  Recording few;
  few.call(few.layer(), 100, 4);
  for (const auto& profile : {own.finish(), few.finish()}) {
    EXPECT_EQ(value(profile, 0, "program.step_traced"), FactValue(false));
    EXPECT_FALSE(value(profile, 0, "program.gpu_busy"));
    EXPECT_FALSE(value(profile, 0, "program.graph_speedup"));
    EXPECT_FALSE(value(profile, 0, "program.step_replayable"));
  }
}

TEST(StepFacts, OneConfigurationStandsForTheProgram) {
  Recording recording;
  const int small = recording.layer(16), large = recording.layer(32);
  for (int step = 0; step < 4; ++step) {
    recording.call(small, 100, 3);
    recording.call(large, 100, 4);
  }
  const auto profile = recording.finish();
  EXPECT_EQ(value(profile, small, "program.main_configuration"), FactValue(false));
  EXPECT_EQ(value(profile, large, "program.main_configuration"), FactValue(true));
}

TEST(StepFacts, AStepOfChangingShapesCannotBeReplayed) {
  for (const int shapes : {1, 2, 3}) {
    Recording recording;
    for (int i = 0; i < shapes; ++i) recording.call(recording.layer(16 + i), 400, 4);
    const auto profile = recording.finish();
    EXPECT_EQ(value(profile, 0, "program.step_replayable"), FactValue(shapes < 3)) << shapes;
  }
}

TEST(StepFacts, NorOneOfChangingShapesAndBatches) {
  Recording recording;
  for (int i = 0; i < 3; ++i)
    recording.call(recording.layer(16 + i, Origin::captured, 8 + i), 200, 4);
  EXPECT_EQ(value(recording.finish(), 0, "program.step_replayable"), FactValue(false));
}

// GradScaler reads 4 bytes back in each step (samples/programs/pytorch/autocast.py).
TEST(StepFacts, WhatForbidsCaptureIsDescribed) {
  const auto recorded = [](const char* name) {
    auto profile = read_profile(std::string(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/") +
                                name + ".rnnprof");
    EXPECT_TRUE(profile) << name;
    return std::move(*profile);
  };
  const auto scaled = recorded("pytorch-autocast");
  EXPECT_EQ(value(scaled, 0, "program.capture_forbidden"), FactValue(true));
  EXPECT_EQ(value(scaled, 0, "program.step_replayable"), FactValue(false));
  EXPECT_EQ(value(scaled, 0, "program.gradient_scaler"), FactValue(true));
  EXPECT_EQ(value(scaled, 0, "program.capture_reads"), FactValue(1.0));
  EXPECT_EQ(value(scaled, 0, "program.capture_reads_before_update"), FactValue(true));
  EXPECT_EQ(value(scaled, 0, "program.capture_obstacles"),
            FactValue("it reads 4 B back from the GPU once, between the backward pass and the "
                      "optimizer's step"));
  const auto plain = recorded("pytorch-gru");
  EXPECT_EQ(value(plain, 0, "program.capture_forbidden"), FactValue(false));
  EXPECT_EQ(value(plain, 0, "program.step_replayable"), FactValue(true));
  EXPECT_FALSE(value(plain, 0, "program.capture_obstacles"));
}

TEST(StepFacts, NeitherCanVaryingLengthsReplaysOrSeveralProcesses) {
  Recording packed;
  packed.call(packed.packed_layer(), 400, 4);
  EXPECT_EQ(value(packed.finish(), 0, "program.step_replayable"), FactValue(false));
  Recording replayed;
  replayed.call(replayed.layer(), 400, 4, GraphState::captured);
  EXPECT_EQ(value(replayed.finish(), 0, "program.step_replayable"), FactValue(false));
  for (const int ranks : {1, 2}) {
    Recording distributed;
    distributed.call(distributed.layer(), 400, 4, GraphState::none, distributed.process(ranks));
    EXPECT_EQ(value(distributed.finish(), 0, "program.step_replayable"), FactValue(ranks == 1));
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
