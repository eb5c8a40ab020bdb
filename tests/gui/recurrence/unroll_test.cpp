#include "gui/recurrence/unroll.h"

#include <gtest/gtest.h>

namespace rnnadvisor::gui::recurrence {
namespace {

// A call of which kernels are added by hand, at times in the order in which they are added.
struct Call {
  Call(int layers, Direction direction, int steps, Phase phase) {
    profile.devices.emplace_back();
    profile.processes.emplace_back();
    Configuration configuration;
    configuration.origin = Origin::captured;
    configuration.config.num_layers = layers;
    configuration.config.direction = direction;
    configuration.config.seq_length = steps;
    profile.configurations.push_back(configuration);
    RnnCall call;
    call.configuration = 0;
    call.process = 0;
    call.phase = phase;
    profile.calls.push_back(call);
    profile.strings = {"k"};
  }
  void kernel(KernelRole role, int stream, std::int64_t start, std::int64_t length) {
    auto& k = profile.kernels;
    k.start_ns.push_back(start);
    k.end_ns.push_back(start + length);
    k.name.push_back(0);
    k.call.push_back(0);
    k.device.push_back(0);
    k.stream.push_back(stream);
    k.process.push_back(0);
    k.correlation.push_back(0);
    k.grid.push_back({});
    k.block.push_back({});
    k.registers.push_back(0);
    k.shared_static.push_back(0);
    k.shared_dynamic.push_back(0);
    k.family.push_back(model::Implementation::standard);
    k.role.push_back(role);
  }
  Unrolled unrolled() { return unroll(profile, 0); }
  Profile profile;
};

TEST(Unroll, LayersOnStreamsAreRowsInTheOrderInWhichTheyDependOnEachOther) {
  Call call(2, Direction::unidirectional, 4, Phase::forward_training);
  call.kernel(KernelRole::layer_gemm, 1, 0, 50);
  for (std::int64_t t = 0; t < 5; ++t) {
    const std::int64_t at = 100 + t * 100;
    if (t < 4) call.kernel(KernelRole::recurrent_gemm, 9, at, 30);
    if (t < 4) call.kernel(KernelRole::pointwise, 9, at + 40, 10);
    if (t > 0) call.kernel(KernelRole::recurrent_gemm, 4, at + 50, 30);
    if (t > 0) call.kernel(KernelRole::pointwise, 4, at + 85, 10);
  }
  const auto u = call.unrolled();
  EXPECT_EQ(u.told, Told::steps);
  ASSERT_EQ(u.rows.size(), 2U);
  EXPECT_EQ(u.rows[0].stream, 9);
  EXPECT_EQ(u.rows[0].layer, 0);
  EXPECT_EQ(u.rows[1].layer, 1);
  ASSERT_EQ(u.rows[0].steps.size(), 4U);
  EXPECT_EQ(u.rows[0].steps[2].begin_ns, 300);
  EXPECT_EQ(u.rows[0].steps[2].gemm_ns, 30);
  EXPECT_EQ(u.rows[0].steps[2].pointwise_ns, 10);
  EXPECT_EQ(u.rows[0].steps[2].inner_gap_ns(), 10);
  ASSERT_EQ(u.others.size(), 1U);
  EXPECT_EQ(u.others[0].role, KernelRole::layer_gemm);
  const auto times = step_times(u.rows[0]);
  EXPECT_EQ(times.median_ns, 100);
  EXPECT_NEAR(times.gemm_share, 120.0 / 350, 1e-9);
  EXPECT_NEAR(times.gemm_share + times.pointwise_share + times.gap_share, 1, 1e-9);
  EXPECT_EQ(side_by_side(u), 0);  // each waits for the other
}

TEST(Unroll, AWavefrontRunsSideBySide) {
  Call call(2, Direction::unidirectional, 3, Phase::forward_training);
  for (std::int64_t t = 0; t < 4; ++t) {
    if (t < 3) call.kernel(KernelRole::pointwise, 1, t * 100, 100);
    if (t > 0) call.kernel(KernelRole::pointwise, 2, t * 100 + 1, 99);
  }
  EXPECT_NEAR(side_by_side(call.unrolled()), 198.0 / 399, 1e-9);
}

TEST(Unroll, AFirstStepMayHaveNoProduct) {
  Call call(1, Direction::unidirectional, 3, Phase::forward_inference);
  call.kernel(KernelRole::pointwise, 1, 0, 5);
  for (std::int64_t t = 1; t < 3; ++t) {
    call.kernel(KernelRole::recurrent_gemm, 1, t * 10, 4);
    call.kernel(KernelRole::pointwise, 1, t * 10 + 5, 5);
  }
  const auto u = call.unrolled();
  EXPECT_EQ(u.told, Told::steps);
  EXPECT_EQ(u.rows[0].steps[0].gemm_ns, 0);
  EXPECT_EQ(u.rows[0].steps[1].gemm_ns, 4);
}

TEST(Unroll, GoingBackTheLastLayerComesFirst) {
  Call call(2, Direction::unidirectional, 2, Phase::backward_data);
  for (std::int64_t t = 0; t < 2; ++t) {
    call.kernel(KernelRole::pointwise, 5, t * 100, 10);
    call.kernel(KernelRole::recurrent_gemm, 5, t * 100 + 20, 10);
    call.kernel(KernelRole::reduction, 5, t * 100 + 30, 5);
    call.kernel(KernelRole::pointwise, 6, t * 100 + 50, 10);
    call.kernel(KernelRole::recurrent_gemm, 6, t * 100 + 70, 10);
  }
  const auto u = call.unrolled();
  EXPECT_EQ(u.told, Told::steps);
  EXPECT_EQ(u.rows[0].layer, 0);
  EXPECT_EQ(u.rows[0].stream, 6);
  EXPECT_EQ(u.rows[1].steps[0].kernels, 3);
  EXPECT_EQ(u.rows[1].steps[0].pointwise_ns, 15);
}

TEST(Unroll, DirectionsAreRowsOfUnknownDirection) {
  Call call(1, Direction::bidirectional, 2, Phase::forward_training);
  for (std::int64_t t = 0; t < 2; ++t) {
    for (const int stream : {1, 2}) {
      call.kernel(KernelRole::recurrent_gemm, stream, t * 10, 3);
      call.kernel(KernelRole::pointwise, stream, t * 10 + 5, 3);
    }
  }
  const auto u = call.unrolled();
  EXPECT_EQ(u.told, Told::steps);
  EXPECT_EQ(u.rows[1].layer, 0);
  EXPECT_EQ(u.rows[1].direction, 1);
  EXPECT_FALSE(u.directions_told());
}

TEST(Unroll, TwoPointwiseKernelsForEachStepAreOneStep) {
  Call call(1, Direction::unidirectional, 3, Phase::forward_training);
  for (std::int64_t t = 0; t < 3; ++t) {
    call.kernel(KernelRole::recurrent_gemm, 1, t * 100, 10);
    call.kernel(KernelRole::pointwise, 1, t * 100 + 20, 10);
    call.kernel(KernelRole::recurrent_gemm, 1, t * 100 + 40, 10);
    call.kernel(KernelRole::pointwise, 1, t * 100 + 60, 10);
  }
  const auto u = call.unrolled();
  EXPECT_EQ(u.told, Told::steps);
  ASSERT_EQ(u.rows[0].steps.size(), 3U);
  EXPECT_EQ(u.rows[0].steps[1].gemm_ns, 20);
  EXPECT_EQ(u.rows[0].steps[1].end_ns, 170);
}

TEST(Unroll, LayersThatShareAStreamAreNotToldApart) {
  Call call(2, Direction::unidirectional, 2, Phase::forward_training);
  for (std::int64_t i = 0; i < 4; ++i) {
    call.kernel(KernelRole::recurrent_gemm, 1, i * 10, 3);
    call.kernel(KernelRole::pointwise, 1, i * 10 + 5, 3);
  }
  const auto u = call.unrolled();
  EXPECT_EQ(u.told, Told::order_only);
  EXPECT_EQ(u.why, Why::shared_streams);
  EXPECT_EQ(u.rows[0].layer, -1);
  EXPECT_EQ(u.rows[0].steps.size(), 4U);
}

TEST(Unroll, CountsThatDoNotComeOutEvenAreReported) {
  Call call(1, Direction::unidirectional, 4, Phase::forward_training);
  for (std::int64_t i = 0; i < 3; ++i) call.kernel(KernelRole::pointwise, 1, i * 10, 3);
  const auto u = call.unrolled();
  EXPECT_EQ(u.told, Told::order_only);
  EXPECT_EQ(u.why, Why::counts_differ);
}

TEST(Unroll, APersistentKernelDoesAllStepsOfARow) {
  Call call(2, Direction::unidirectional, 16, Phase::forward_training);
  call.kernel(KernelRole::layer_gemm, 1, 0, 10);
  call.kernel(KernelRole::persistent, 1, 20, 160);
  call.kernel(KernelRole::persistent, 1, 200, 160);
  const auto u = call.unrolled();
  EXPECT_EQ(u.told, Told::one_kernel);
  ASSERT_EQ(u.rows.size(), 2U);
  EXPECT_EQ(u.rows[1].layer, 1);
  EXPECT_EQ(u.rows[1].steps.size(), 1U);
}

TEST(Unroll, WhatCannotBeUnrolledSaysWhy) {
  Call weights(1, Direction::unidirectional, 4, Phase::backward_weights);
  weights.kernel(KernelRole::weight_gemm, 1, 0, 10);
  EXPECT_EQ(weights.unrolled().why, Why::weights);
  Call none(1, Direction::unidirectional, 4, Phase::forward_training);
  EXPECT_EQ(none.unrolled().why, Why::no_kernels);
  Call other(1, Direction::unidirectional, 4, Phase::forward_training);
  other.kernel(KernelRole::copy, 1, 0, 10);
  EXPECT_EQ(other.unrolled().why, Why::no_steps);
  Call unknown(1, Direction::unidirectional, 4, Phase::forward_training);
  unknown.profile.configurations[0].origin = Origin::kernels;
  unknown.kernel(KernelRole::pointwise, 1, 0, 10);
  EXPECT_EQ(unknown.unrolled().why, Why::no_description);
}

}  // namespace
}  // namespace rnnadvisor::gui::recurrence
