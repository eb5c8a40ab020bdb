#include "profiler/classify/call_signs.h"

#include <gtest/gtest.h>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

constexpr const char* strided =
    "void at::native::elementwise_kernel<128, 4, "
    "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&"
    ")::{lambda()#3}>";
constexpr const char* optimizer = "void multi_tensor_apply_kernel<TensorListMetadata<2>>";

// Training steps of a program one after another: what is launched before each forward call is up to
// the test.
class Program {
 public:
  explicit Program(int steps = 16) {
    builder_.add_device(*find_device("h200"));
    Configuration configuration;
    configuration.origin = Origin::captured;
    configuration.program.name = Framework::pytorch;
    auto& config = configuration.config;
    config.data_type = DataType::half;
    config.input_size = 64;
    config.hidden_size = config.proj_size = 32;
    config.seq_length = steps;
    config.batch_size = 8;
    call_.call.configuration = builder_.add_configuration(configuration);
  }

  void kernel(const std::string& name, int blocks = 1, int call = -1) {
    KernelRecord kernel;
    kernel.name = name;
    kernel.grid = {blocks, 1, 1};
    kernel.block = {128, 1, 1};
    kernel.call = call;
    kernel.start_ns = tick();
    kernel.end_ns = tick();
    builder_.add_kernel(kernel);
  }
  void copy(std::int64_t bytes) {
    TransferRecord transfer;
    transfer.operation = MemoryOperation::copy;
    transfer.kind = 8;
    transfer.bytes = bytes;
    transfer.start_ns = tick();
    transfer.end_ns = tick();
    builder_.add_transfer(transfer);
  }
  void copy_weights() {
    copy(4 * 32 * 64 * 2);
    copy(4 * 32 * 32 * 2);
  }
  void call(Phase phase) {
    call_.call.phase = phase;
    call_.call.host_start_ns = tick();
    call_.call.host_end_ns = tick();
    kernel("cudnn", 1, builder_.add_call(call_));
  }
  CallSigns signs() { return call_signs(builder_.finish()).at(0); }
  void note(const char* code) { builder_.add_note({NoteSeverity::info, code, "", 1}); }

 private:
  std::int64_t tick() { return now_ += 10; }
  ProfileBuilder builder_;
  CallRecord call_;
  std::int64_t now_ = 1000;
};

TEST(CallSigns, WeightsAreCopiedBeforeEachForwardCall) {
  Program program;
  for (int step = 0; step < 5; ++step) {
    program.kernel("dropout");
    program.copy_weights();
    program.call(Phase::forward_training);
    program.call(Phase::backward_data);
  }
  const auto signs = program.signs();
  EXPECT_EQ(signs.weights_copied, true);
  EXPECT_FALSE(signs.input_reordered.has_value());
  EXPECT_EQ(signs.backward_follows, true);
}

TEST(CallSigns, GradientsCopiedForAReductionAreNoWeights) {
  Program program;
  for (int step = 0; step < 5; ++step) {
    program.copy_weights();  // as large as the weights
    program.kernel("ncclDevKernel_AllReduce_Sum_f16_RING_LL");
    program.kernel(optimizer);
    program.call(Phase::forward_training);
  }
  EXPECT_FALSE(program.signs().weights_copied.has_value());
}

TEST(CallSigns, OneMatrixOfTwoSaysNothing) {
  Program program;
  for (int step = 0; step < 5; ++step) {
    program.copy(4 * 32 * 64 * 2);
    program.call(Phase::forward_training);
  }
  EXPECT_FALSE(program.signs().weights_copied.has_value());
}

TEST(CallSigns, AStridedCopyOfTheInputsSizeReordersIt) {
  for (const int blocks : {15, 16, 17}) {  // 16 * 8 * 64 elements are 16 blocks of 512
    Program program;
    for (int step = 0; step < 5; ++step) {
      program.kernel(strided, blocks);
      program.kernel("void at::native::FillFunctor");
      program.call(Phase::forward_training);
      program.kernel(optimizer);
    }
    EXPECT_EQ(program.signs().input_reordered.has_value(), blocks == 16) << blocks;
  }
}

TEST(CallSigns, ACopyForSomethingElseDoesNotCount) {
  Program program;
  for (int step = 0; step < 5; ++step) {
    program.kernel(strided, 16);
    for (int i = 0; i < 4; ++i) program.kernel("embedding");
    program.call(Phase::forward_training);
  }
  EXPECT_FALSE(program.signs().input_reordered.has_value());
}

TEST(CallSigns, TrainingForwardsWithoutABackwardPass) {
  for (const int forwards : {2, 3}) {
    Program program;
    for (int i = 0; i < forwards; ++i) program.call(Phase::forward_training);
    EXPECT_EQ(program.signs().backward_follows.has_value(), forwards == 3);
  }
  Program cut;
  for (int i = 0; i < 5; ++i) cut.call(Phase::forward_training);
  cut.note("calls-outside");
  EXPECT_FALSE(cut.signs().backward_follows.has_value());
}

TEST(CallSigns, OneCallForEachTimeStep) {
  for (const int calls : {7, 8}) {
    Program decoder(1);
    for (int i = 0; i < calls; ++i) decoder.call(Phase::forward_inference);
    EXPECT_EQ(decoder.signs().per_step_calls.has_value(), calls == 8) << calls;
  }
  Program loop(1);
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < 9; ++i) loop.call(Phase::forward_training);
    for (int i = 0; i < 9; ++i) loop.call(Phase::backward_data);
  }
  EXPECT_EQ(loop.signs().per_step_calls, true);
}

TEST(CallSigns, AStepOfTrainingIsNoTimeStep) {
  Program single(1);
  for (int step = 0; step < 20; ++step) {
    single.call(Phase::forward_training);
    single.call(Phase::backward_data);
  }
  EXPECT_FALSE(single.signs().per_step_calls.has_value());
  Program whole(2);
  for (int step = 0; step < 20; ++step) whole.call(Phase::forward_inference);
  EXPECT_EQ(whole.signs().per_step_calls, false);
}

}  // namespace
}  // namespace rnnadvisor
