#include "profiler/classify/capture_obstacles.h"

#include <gtest/gtest.h>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

constexpr const char* update_kernel = "void at::native::multi_tensor_apply_kernel<PlusFunctor>()";
constexpr int to_device = 1, to_host = 2;

// Training steps of one layer, written down piece by piece; each takes 10 µs.
class LaunchedProgram {
 public:
  LaunchedProgram() {
    builder_.add_device(*find_device("h200"));
    builder_.profile().environment.tracing = true;
    Process process;
    process.pid = 1;
    process.host = "here";
    process.start_ns = 0;
    builder_.add_process(process);
  }
  int layer(int seq_length = 16, int batch_size = 2) {
    Configuration made;
    made.origin = Origin::captured;
    made.config.seq_length = seq_length;
    made.config.batch_size = batch_size;
    return builder_.add_configuration(made);
  }
  void forward(int configuration) { call(configuration, Phase::forward_training); }
  void backward(int configuration) { call(configuration, Phase::backward_data); }
  void kernel(const char* name, int call = -1) {
    KernelRecord record;
    record.name = name;
    record.call = call;
    record.process = 0;
    record.start_ns = now_;
    record.end_ns = now_ + 5000;
    builder_.add_kernel(record);
    now_ += 10'000;
  }
  void update() { kernel(update_kernel); }
  void copy(int kind, std::int64_t bytes = 4) {
    TransferRecord record;
    record.operation = MemoryOperation::copy;
    record.kind = kind;
    record.bytes = bytes;
    record.process = 0;
    record.start_ns = now_;
    record.end_ns = now_ + 1000;
    builder_.add_transfer(record);
    now_ += 2000;
  }
  void api(const char* name, std::int64_t thread = 7) {
    ApiRecord record;
    record.name = name;
    record.process = 0;
    record.thread = thread;
    record.start_ns = now_;
    record.end_ns = now_ + 1000;
    builder_.add_api(record);
    now_ += 100'000;
  }
  // Cells of a framework, one direction of one layer.
  void recurrence() {
    if (recurrences_.empty()) {
      recurrences_.emplace_back();
      recurrences_.back().process = 0;
    }
    const auto from = now_;
    for (int step = 0; step < 8; ++step) kernel("lstm_cell");
    recurrences_.back().runs.emplace_back(from, now_ - 1);
  }
  CaptureObstacles obstacles() { return capture_obstacles(builder_.finish(), 0, recurrences_); }

 private:
  void call(int configuration, Phase phase) {
    CallRecord record;
    record.call.configuration = configuration;
    record.call.phase = phase;
    record.call.process = 0;
    record.call.thread = 7;
    record.call.host_start_ns = record.call.host_end_ns = now_;
    kernel("rnn", builder_.add_call(record));
  }
  ProfileBuilder builder_;
  std::vector<NativeRecurrence> recurrences_;
  std::int64_t now_ = 0;
};

// Six steps; what `middle`, `before_update` and `end` do is in each.
template <typename Middle, typename BeforeUpdate, typename End>
CaptureObstacles trained(Middle middle, BeforeUpdate before_update, End end) {
  LaunchedProgram program;
  const int layer = program.layer();
  for (int step = 0; step < 6; ++step) {
    program.copy(to_device, 1000);
    program.kernel("embedding");
    program.forward(layer);
    middle(program);
    program.backward(layer);
    before_update(program);
    program.update();
    end(program);
  }
  return program.obstacles();
}
void nothing(LaunchedProgram&) {}
void read(LaunchedProgram& program) { program.copy(to_host); }
void read_and_wait(LaunchedProgram& program) {
  program.copy(to_host);
  program.api("cudaStreamSynchronize_v3020");
}

TEST(CaptureObstacles, AStepThatOnlyLaunchesHasNone) {
  const auto found = trained(nothing, nothing, nothing);
  EXPECT_GE(found.steps, 3);
  EXPECT_FALSE(found.forbidden());
  EXPECT_TRUE(found.replayable());
  EXPECT_EQ(found.shapes, 1);
}

TEST(CaptureObstacles, WhatIsReadBackInAStepForbidsIt) {
  const auto loss = trained(read, nothing, nothing);
  EXPECT_EQ(loss.reads, 1);
  EXPECT_EQ(loss.read_bytes, 4);
  EXPECT_FALSE(loss.reads_only_before_update);
  EXPECT_FALSE(loss.replayable());
  const auto overflow = trained(nothing, read, nothing);
  EXPECT_EQ(overflow.reads, 1);
  EXPECT_TRUE(overflow.reads_only_before_update);
  EXPECT_FALSE(overflow.gradient_scaler);
  const auto scaled = trained(nothing, read, [](LaunchedProgram& program) {
    program.kernel("at::native::amp_update_scale_cuda_kernel(float*)");
  });
  EXPECT_TRUE(scaled.gradient_scaler);
  EXPECT_TRUE(scaled.forbidden());
}

TEST(CaptureObstacles, WhatIsReadBetweenTwoStepsDoesNot) {
  const auto found = trained(nothing, nothing, read);
  EXPECT_EQ(found.reads, 0);
  EXPECT_EQ(found.reads_between_steps, 1);
  EXPECT_TRUE(found.replayable());
  // Gradients are set to zero by kernels of the same template as the optimizer's.
  const auto zeroed = trained(nothing, nothing, [](LaunchedProgram& program) {
    program.copy(to_host);
    program.kernel("void at::native::multi_tensor_apply_kernel<ZeroFunctor<float>>()");
  });
  EXPECT_TRUE(zeroed.replayable());
}

TEST(CaptureObstacles, OnlyCopiesThatAreWaitedForCountWhereWaitsAreKnown) {
  EXPECT_EQ(trained(read_and_wait, nothing, nothing).reads, 1);
  EXPECT_EQ(trained(read_and_wait, nothing, nothing).waits, 0) << "it is the copy's";
  const auto pinned = trained(read, nothing, read_and_wait);
  EXPECT_EQ(pinned.reads, 0);
  EXPECT_EQ(pinned.reads_between_steps, 1);
  const auto list = trained(
      [](LaunchedProgram& program) {
        program.copy(to_device);
        program.api("cudaStreamSynchronize_v3020");
      },
      nothing, nothing);
  EXPECT_EQ(list.sends, 1);
  EXPECT_FALSE(list.replayable());
}

TEST(CaptureObstacles, OtherWaitsForbidItInTheMiddleOfAStep) {
  const auto wait = [](LaunchedProgram& program) { program.api("cudaDeviceSynchronize_v3020"); };
  EXPECT_EQ(trained(wait, nothing, nothing).waits, 1);
  EXPECT_FALSE(trained(wait, nothing, nothing).replayable());
  EXPECT_TRUE(trained(nothing, nothing, wait).replayable());
  const auto elsewhere = [](LaunchedProgram& program) {
    program.api("cudaEventSynchronize_v3020", 99);
  };
  EXPECT_TRUE(trained(elsewhere, nothing, nothing).replayable())
      << "a thread that launches nothing";
}

TEST(CaptureObstacles, StepsWithoutCuDnnAreFoundByTheirCells) {
  const auto cells = [](auto middle, auto before_update, auto end) {
    LaunchedProgram program;
    for (int step = 0; step < 6; ++step) {
      program.recurrence();
      middle(program);
      program.recurrence();
      before_update(program);
      program.update();
      end(program);
    }
    return program.obstacles();
  };
  EXPECT_GE(cells(nothing, nothing, nothing).steps, 3);
  EXPECT_TRUE(cells(nothing, nothing, nothing).replayable());
  EXPECT_EQ(cells(read, nothing, nothing).reads, 1);
  EXPECT_FALSE(cells(read, nothing, nothing).reads_only_before_update);
  EXPECT_TRUE(cells(nothing, read, nothing).reads_only_before_update);
  EXPECT_TRUE(cells(nothing, nothing, read).replayable());
}

TEST(CaptureObstacles, TwoShapesAreWorthAGraphEachAndOddOnesAreLeftOut) {
  const auto varied = [](const std::vector<int>& lengths) {
    LaunchedProgram program;
    std::vector<int> layers;
    for (const int length : {16, 17, 18, 19}) layers.push_back(program.layer(length));
    for (const int length : lengths) {
      program.forward(layers[static_cast<std::size_t>(length)]);
      program.backward(layers[static_cast<std::size_t>(length)]);
      program.update();
    }
    return program.obstacles();
  };
  EXPECT_TRUE(varied({0, 1, 0, 1, 0, 1, 0}).replayable());
  EXPECT_EQ(varied({0, 1, 0, 1, 0, 1, 0}).shapes, 2);
  EXPECT_FALSE(varied({0, 1, 2, 0, 1, 2, 0}).replayable());
  std::vector<int> rarely(40, 0);
  rarely[10] = 1;
  rarely[20] = 2;
  rarely[30] = 3;
  EXPECT_TRUE(varied(rarely).replayable());
}

}  // namespace
}  // namespace rnnadvisor
