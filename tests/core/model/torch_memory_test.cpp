// PyTorch's allocator and the step of a module, against closed forms by hand.
#include "core/model/torch_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "core/model/caching_allocator.h"
#include "core/model/largest.h"

namespace rnnadvisor::model {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

TEST(CachingAllocator, RoundsTo512BytesAndPacksSmallOnesIn2MiB) {
  CachingAllocator a;
  EXPECT_EQ(a.allocate(0), 0);
  EXPECT_EQ(a.reserved(), 0);
  a.allocate(1);
  EXPECT_EQ(a.allocated(), 512);
  EXPECT_EQ(a.reserved(), 2 * mib);
  a.allocate(513);
  EXPECT_EQ(a.allocated(), 512 + 1024);
  a.allocate(mib);
  EXPECT_EQ(a.reserved(), 2 * mib);
  a.allocate(mib);  // 1.5 KiB too much for the segment
  EXPECT_EQ(a.reserved(), 4 * mib);
}

TEST(CachingAllocator, TakesSegmentsAsItsSourceSays) {
  const auto segment = [](std::int64_t bytes) {
    CachingAllocator a;
    a.allocate(bytes);
    return a.reserved();
  };
  EXPECT_EQ(segment(mib), 2 * mib);
  EXPECT_EQ(segment(mib + 1), 20 * mib);
  EXPECT_EQ(segment(10 * mib - 512), 20 * mib);
  EXPECT_EQ(segment(10 * mib), 10 * mib);
  EXPECT_EQ(segment(10 * mib + 1), 12 * mib);
}

TEST(CachingAllocator, LeavesARestOfAMebibyteInALargeBlock) {
  CachingAllocator a;
  a.allocate(19 * mib);  // a segment of 20 MiB; what is left is too little to be cut off
  EXPECT_EQ(a.allocated(), 20 * mib);
  CachingAllocator b;
  b.allocate(5 * mib);
  EXPECT_EQ(b.allocated(), 5 * mib);
  b.allocate(15 * mib);  // the rest, whole
  EXPECT_EQ(b.reserved(), 20 * mib);
}

TEST(CachingAllocator, JoinsNeighboursButNotSegments) {
  CachingAllocator a;
  const auto first = a.allocate(5 * mib);
  const auto second = a.allocate(5 * mib);
  const auto third = a.allocate(5 * mib);
  a.release(first);
  a.release(third);
  a.release(second);
  a.release(second);  // gone: nothing happens
  EXPECT_EQ(a.allocated(), 0);
  a.allocate(20 * mib);  // all three and the rest
  EXPECT_EQ(a.reserved(), 20 * mib);
  EXPECT_EQ(a.peak_allocated(), 20 * mib);

  CachingAllocator b;
  const auto left = b.allocate(12 * mib);
  const auto right = b.allocate(12 * mib);
  b.release(left);
  b.release(right);
  b.allocate(24 * mib);  // 24 MiB are free, in two pieces
  EXPECT_EQ(b.reserved(), 48 * mib);
}

TEST(CachingAllocator, TakesTheSmallestBlockThatIsLargeEnough) {
  CachingAllocator a;
  const auto large = a.allocate(40 * mib);
  const auto small = a.allocate(30 * mib);
  a.release(large);
  a.release(small);
  a.allocate(29 * mib);
  a.allocate(40 * mib);  // still whole
  EXPECT_EQ(a.reserved(), 70 * mib);
}

TEST(CachingAllocator, GivesFreeSegmentsBackWhenCudaHasNoMore) {
  CachingAllocator a(50 * mib);
  const auto first = a.allocate(30 * mib);
  a.release(first);
  a.allocate(5 * mib);  // cuts the free segment
  EXPECT_EQ(a.reserved(), 30 * mib);
  a.allocate(30 * mib);
  EXPECT_TRUE(a.out_of_memory());  // a cut segment cannot be given back
  EXPECT_EQ(a.reserved(), 30 * mib);

  CachingAllocator b(50 * mib);
  const auto cached = b.allocate(30 * mib);
  b.release(cached);
  b.allocate(40 * mib);
  EXPECT_FALSE(b.out_of_memory());
  EXPECT_EQ(b.reserved(), 40 * mib);
  EXPECT_EQ(b.peak_reserved(), 40 * mib);
}

TEST(CachingAllocator, EmptiesItsCacheAndBeginsItsPeaksAnew) {
  CachingAllocator a;
  const auto large = a.allocate(40 * mib);
  a.allocate(mib);
  a.release(large);
  EXPECT_EQ(a.reserved(), 42 * mib);
  a.release_cached();
  EXPECT_EQ(a.reserved(), 2 * mib);
  EXPECT_EQ(a.peak_reserved(), 42 * mib);
  EXPECT_EQ(a.peak_allocated(), 41 * mib);
  a.reset_peaks();
  EXPECT_EQ(a.peak_reserved(), 2 * mib);
  EXPECT_EQ(a.peak_allocated(), mib);
}

RnnConfig lstm() {
  RnnConfig c;
  c.data_type = DataType::half;
  c.math_type = MathType::tensor_op;
  c.input_size = c.hidden_size = c.proj_size = 1024;
  c.seq_length = 256;
  c.batch_size = 64;
  return c;
}

// One layer, LSTM, half: every tensor of the backward pass by hand.
TEST(TorchStep, PeakIsTheWeightGradientAndAddsUp) {
  const RnnConfig c = lstm();
  TorchStepOptions options;
  options.optimizer = Optimizer::sgd;
  const TorchStepNeed need = torch_step_need(c, Mode::training, options);
  const std::int64_t w = (8LL * 1024 * 1024 + 8 * 1024) * 2;
  const std::int64_t x = 256LL * 64 * 1024 * 2;
  const std::int64_t h = 64LL * 1024 * 2;
  const SpaceSizes sizes = space_sizes(c);
  EXPECT_EQ(need.parameters, w);
  EXPECT_EQ(need.optimizer_state, 0);
  EXPECT_EQ(need.gradients, w);
  EXPECT_EQ(need.activations, 2 * x + 4 * h);  // x, y; h0, c0, hy, cy
  EXPECT_EQ(need.gradient_io, 2 * x + 4 * h);  // dx, dy; dhy, dcy, dhx, dcx
  EXPECT_EQ(need.layout_copies, 0);
  EXPECT_EQ(need.weight_copies, 0);
  EXPECT_EQ(need.reserve, sizes.reserve_training.value);
  EXPECT_EQ(need.workspace, sizes.workspace_training.value);
  EXPECT_EQ(need.tensors,
            2 * w + 4 * x + 8 * h + sizes.reserve_training.value + sizes.workspace_training.value);
  EXPECT_GE(need.allocated, need.tensors);
  EXPECT_GE(need.reserved, need.allocated);
  // Gradients cut the segment that the forward workspace had, so that the backward one needs a
  // segment of its own.
  EXPECT_GT(need.reserved, need.tensors + need.workspace / 2);
  EXPECT_LT(need.reserved, need.tensors + need.workspace + 60 * mib);
  EXPECT_EQ(need.exactness, Exactness::estimate);
}

TEST(TorchStep, OptimizerStateIsOfTheSizeOfTheParameters) {
  const RnnConfig c = lstm();
  TorchStepOptions options;
  options.optimizer = Optimizer::none;
  const auto none = torch_step_need(c, Mode::training, options);
  options.optimizer = Optimizer::sgd_momentum;
  const auto momentum = torch_step_need(c, Mode::training, options);
  options.optimizer = Optimizer::adam;
  const auto adam = torch_step_need(c, Mode::training, options);
  EXPECT_EQ(momentum.optimizer_state, none.parameters);
  EXPECT_EQ(adam.optimizer_state, 2 * none.parameters);
  EXPECT_EQ(momentum.tensors - none.tensors, none.parameters);
  EXPECT_EQ(adam.tensors - none.tensors, 2 * none.parameters);
}

TEST(TorchStep, InferenceKeepsNeitherReserveNorGradients) {
  const RnnConfig c = lstm();
  const auto need = torch_step_need(c, Mode::inference, {});
  EXPECT_EQ(need.reserve, 0);
  EXPECT_EQ(need.gradients, 0);
  EXPECT_EQ(need.optimizer_state, 0);
  EXPECT_EQ(need.gradient_io, 0);
  EXPECT_EQ(need.workspace, space_sizes(c).workspace_inference.value);
}

TEST(TorchStep, BatchFirstCopiesTheInput) {
  const RnnConfig c = lstm();
  TorchStepOptions options;
  options.batch_first = true;
  const auto need = torch_step_need(c, Mode::training, options);
  const std::int64_t x = 256LL * 64 * 1024 * 2;
  EXPECT_EQ(need.layout_copies, x);
  options.batch_first = false;
  EXPECT_EQ(need.tensors - torch_step_need(c, Mode::training, options).tensors, x);
}

TEST(TorchStep, OneSequenceIsContiguousBatchFirstToo) {
  RnnConfig c = lstm();
  TorchStepOptions options;
  options.batch_first = true;
  c.batch_size = 1;
  EXPECT_EQ(torch_step_need(c, Mode::training, options).layout_copies, 0);
  c.batch_size = 2;
  c.seq_length = 1;
  EXPECT_EQ(torch_step_need(c, Mode::training, options).layout_copies, 0);
}

TEST(TorchStep, AutocastKeepsFloatParametersAndCopiesThem) {
  const RnnConfig c = lstm();
  TorchStepOptions options;
  options.autocast = true;
  const auto need = torch_step_need(c, Mode::training, options);
  const std::int64_t w = (8LL * 1024 * 1024 + 8 * 1024) * 2;
  const std::int64_t x = 256LL * 64 * 1024 * 2;
  const std::int64_t h = 64LL * 1024 * 2;
  EXPECT_EQ(need.parameters, 2 * w);
  EXPECT_EQ(need.optimizer_state, 2 * 2 * w);
  EXPECT_EQ(need.weight_copies, w);
  EXPECT_EQ(need.activations, 2 * x + x + x + 4 * h);  // x in float and in half, y
  options.autocast = false;
  options.flat_weights = false;
  EXPECT_EQ(torch_step_need(c, Mode::training, options).weight_copies, w);
}

// cuDNN's buffers have biases all the same; the module's own tensors have not.
TEST(TorchStep, WithoutBiasesTheOptimizerHasNone) {
  RnnConfig c = lstm();
  const std::int64_t matrices = 8LL * 1024 * 1024 * 2;
  const std::int64_t biases = 8LL * 1024 * 2;
  EXPECT_EQ(torch_step_need(c, Mode::training, {}).optimizer_state, 2 * (matrices + biases));
  c.bias_mode = BiasMode::no_bias;
  const auto need = torch_step_need(c, Mode::training, {});
  EXPECT_EQ(need.parameters, matrices + biases);
  EXPECT_EQ(need.optimizer_state, 2 * matrices);
  // Those of the flat buffer, and of the matrices alone while the workspace is still there.
  EXPECT_EQ(need.gradients, matrices + biases + matrices);
  EXPECT_EQ(need.workspace, space_sizes(lstm()).workspace_training.value);
}

// flatten_parameters() passes over bfloat16.
TEST(TorchStep, Bfloat16GathersItsWeightsInEveryCall) {
  RnnConfig c = lstm();
  c.data_type = DataType::bfloat16;
  const std::int64_t w = (8LL * 1024 * 1024 + 8 * 1024) * 2;
  const auto need = torch_step_need(c, Mode::training, {});
  EXPECT_EQ(need.parameters, w);
  EXPECT_EQ(need.weight_copies, w);
  EXPECT_EQ(torch_step_need(lstm(), Mode::training, {}).weight_copies, 0);
}

TEST(TorchStep, DropoutStatesAreOfTheDevice) {
  RnnConfig c = lstm();
  c.num_layers = 2;
  c.dropout = 0.5;
  TorchStepOptions options;
  EXPECT_EQ(torch_step_need(c, Mode::training, options).dropout_states, 2 * mib);
  options.sm_count = 132;
  EXPECT_EQ(torch_step_need(c, Mode::training, options).dropout_states, 6488064);
  EXPECT_EQ(torch_step_need(c, Mode::inference, options).dropout_states, 0);
}

// What the parameters were before they became views lies in the cache: here four segments that x
// does not fit into, and that empty_cache() gives back.
TEST(TorchStep, WhatSetUpLeavesIsHeldUntilTheCacheIsEmptied) {
  RnnConfig c = lstm();
  c.input_size = c.hidden_size = c.proj_size = 4096;
  c.batch_size = 128;
  TorchStepOptions options;
  options.optimizer = Optimizer::sgd;
  options.emptied_cache = true;
  const auto emptied = torch_step_need(c, Mode::inference, options);
  options.emptied_cache = false;
  const auto kept = torch_step_need(c, Mode::inference, options);
  options.flattened = 2;
  const auto twice = torch_step_need(c, Mode::inference, options);
  EXPECT_EQ(kept.allocated, emptied.allocated);
  EXPECT_GT(kept.reserved, emptied.reserved);
  EXPECT_GT(twice.reserved, kept.reserved);
}

TEST(TorchStep, ForwardAndBackwardMayAskForOtherAlgorithms) {
  const RnnConfig c = lstm();
  TorchStepOptions options;
  options.backward_algo = Algo::persist_static;
  RnnConfig persistent = c;
  persistent.algo = Algo::persist_static;
  EXPECT_EQ(torch_step_need(c, Mode::training, options).workspace,
            space_sizes(persistent).workspace_training.value);
  options.forward_algo = Algo::persist_static;
  EXPECT_EQ(torch_step_need(c, Mode::inference, options).workspace,
            space_sizes(persistent).workspace_inference.value);
}

TEST(TorchStep, FitsBetweenWhatIsAllocatedAndWhatIsReserved) {
  RnnConfig c = lstm();
  c.batch_size = 512;
  const auto free = torch_step_need(c, Mode::training, {});
  EXPECT_TRUE(torch_step_need(c, Mode::training, {}, free.reserved).fits);
  EXPECT_FALSE(torch_step_need(c, Mode::training, {}, free.allocated - 1).fits);
  const auto tight = torch_step_need(c, Mode::training, {}, free.reserved - 1);
  EXPECT_LT(tight.reserved, free.reserved);
}

TEST(TorchStep, SaturatesInsteadOfWrapping) {
  RnnConfig c = lstm();
  constexpr int huge = std::numeric_limits<int>::max();
  c.input_size = c.hidden_size = c.proj_size = c.num_layers = c.seq_length = c.batch_size = huge;
  c.direction = Direction::bidirectional;
  c.dropout = 0.5;
  TorchStepOptions options;
  options.autocast = options.batch_first = true;
  const auto need = torch_step_need(c, Mode::training, options);
  EXPECT_EQ(need.reserved, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(need.tensors, std::numeric_limits<std::int64_t>::max());
}

TEST(LargestInPieces, AgreesWithTryingAllOnASaw) {
  const auto need = [](int size) -> std::int64_t {
    return size < 10 ? 10 * size : size < 20 ? 6 * size : 5 * size;
  };
  const std::array<int, 3> starts = {1, 10, 20};
  for (int bytes = 0; bytes < 220; ++bytes) {
    int expected = 0;
    for (int size = 1; size <= 30; ++size) {
      if (need(size) <= bytes) expected = size;
    }
    ASSERT_EQ(largest_in_pieces(need, bytes, starts, 30), expected) << bytes;
  }
  EXPECT_EQ(largest_in_pieces(need, 1000, starts, 15), 15);  // pieces above are passed over
}

}  // namespace
}  // namespace rnnadvisor::model
