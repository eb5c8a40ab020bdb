// Configurations, variants and what is expected of every experiment on a GPU.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/cudnn/driver.h"
#include "core/cudnn/experiment_runner.h"

namespace rnnadvisor {

// Of GPU 0. Of the stand-in: another answer whenever it is asked.
inline GpuClocks shared_clocks() {
#ifdef RNNADVISOR_STANDIN
  static int asked = 0;
  ++asked;
  return {1000 + asked, 3201, 41, 118'000, asked};
#else
  static const DriverState driver = inspect_driver();
  return driver.gpus.empty() ? GpuClocks() : read_clocks(driver.gpus.front().uuid);
#endif
}

inline ExperimentRunner* shared_experiments(std::string& why_not) {
  static const auto made = ExperimentRunner::create(0, shared_clocks);
  if (!made) why_not = to_text(made.error());
  return made ? made->get() : nullptr;
}

#define RNNADVISOR_NEED_GPU(runner)            \
  std::string why_not_;                        \
  auto* runner = shared_experiments(why_not_); \
  if (runner == nullptr) GTEST_SKIP() << "NEEDS A GPU, NOT RUN: " << why_not_

// Units of a layer. The stand-in for a GPU computes with plain loops.
#ifdef RNNADVISOR_STANDIN
inline constexpr int units = 8;
#else
inline constexpr int units = 32;
#endif

// In float64, so that a wrong mapping cannot hide behind rounding.
inline RnnConfig small(Cell cell) {
  RnnConfig config;
  config.cell = cell;
  config.data_type = config.math_precision = DataType::float64;
  config.input_size = units - 2;
  config.hidden_size = config.proj_size = units;
  config.num_layers = 2;
  config.seq_length = 12;
  config.batch_size = 8;
  return config;
}

inline ExperimentVariant variant(Composition composition, std::vector<RnnConfig> calls) {
  ExperimentVariant made;
  made.composition = composition;
  made.calls = std::move(calls);
  return made;
}
inline ExperimentVariant single(const RnnConfig& call) {
  return variant(Composition::single, {call});
}

template <class Change>
RnnConfig changed(RnnConfig config, const Change& change) {
  change(config);
  return config;
}

inline std::vector<RnnConfig> split_layers(const RnnConfig& config, int padding = 0) {
  std::vector<RnnConfig> calls;
  for (int layer = 0; layer < config.num_layers; ++layer) {
    RnnConfig call = config;
    call.num_layers = 1;
    call.dropout = 0;
    call.hidden_size += padding;
    if (!config.has_projection()) call.proj_size = call.hidden_size;
    if (layer > 0) call.input_size = calls.back().proj_size * config.directions();
    calls.push_back(call);
  }
  return calls;
}

inline std::vector<RnnConfig> split_directions(const RnnConfig& config) {
  std::vector<RnnConfig> calls;
  for (auto call : split_layers(config)) {
    call.direction = Direction::unidirectional;
    calls.push_back(call);
    calls.push_back(call);
  }
  return calls;
}

inline std::vector<RnnConfig> chunks(const RnnConfig& config, int length) {
  std::vector<RnnConfig> calls;
  for (int at = 0; at < config.seq_length; at += length) {
    RnnConfig call = config;
    call.seq_length = std::min(length, config.seq_length - at);
    for (int& each : call.seq_lengths) each = std::clamp(each - at, 0, call.seq_length);
    if (config.packed() && !call.seq_lengths.empty()) {
      std::erase(call.seq_lengths, 0);
      call.batch_size = static_cast<int>(call.seq_lengths.size());
    }
    calls.push_back(call);
  }
  return calls;
}

inline ExperimentRequest request_of(const RnnConfig& before,
                                    std::vector<ExperimentVariant> variants) {
  ExperimentRequest request;
  request.before = before;
  request.variants = std::move(variants);
  request.budget_seconds = 0.2;  // these are about numbers
  request.warmup = 1;
  request.max_rounds = 10;
  return request;
}

// All completed, timed in every scope, and as far from the original as `tolerance` allows.
inline void expect_same(const ExperimentRequest& request, const ExperimentResult& result,
                        double tolerance) {
  ASSERT_EQ(result.outcome, Outcome::completed) << result.message;
  EXPECT_FALSE(result.context_lost);
  EXPECT_GT(result.memory_bytes, 0);
  ASSERT_THAT(result.variants, testing::SizeIs(request.variants.size()));
  const bool training = request.before.mode == Mode::training;
  const std::size_t tensors = request.before.cell == Cell::lstm ? 3 : 2;
  for (std::size_t i = 0; i < result.variants.size(); ++i) {
    const auto& of = result.variants[i];
    SCOPED_TRACE("variant " + std::to_string(i) + ", " +
                 std::string(to_string(request.variants[i].composition)) +
                 (request.variants[i].cuda_graph ? ", graph" : "") + ": " +
                 summary(request.variants[i].calls.front()));
    ASSERT_EQ(of.outcome, Outcome::completed) << of.message;
    EXPECT_GT(of.memory_bytes, 0);
    EXPECT_THAT(of.shifts, testing::SizeIs(training ? 2 * tensors + 1 : tensors));
    for (const auto& shift : of.shifts) {
      EXPECT_LE(shift.from_before, tolerance) << shift.tensor;
      if (shift.before_error < 0) continue;
      EXPECT_LE(shift.before_error, tolerance) << shift.tensor;
      EXPECT_LE(shift.after_error, tolerance) << shift.tensor;
    }
    EXPECT_THAT(of.timings, testing::SizeIs(training ? 2 : 1));
    for (const auto& timing : of.timings) {
      EXPECT_GT(timing.before_ms.median, 0);
      EXPECT_GT(timing.after_ms.median, 0);
      EXPECT_LE(timing.speedup_low, timing.speedup);
      EXPECT_LE(timing.speedup, timing.speedup_high);
      EXPECT_GE(timing.before_samples_ms.size(), 7U);
      EXPECT_EQ(timing.before_samples_ms.size(), timing.after_samples_ms.size());
      EXPECT_EQ(timing.before_samples_ms.size(), timing.control_samples_ms.size());
    }
  }
}

// In float64: rounding and nothing else.
inline constexpr double exact = 1e-11;

}  // namespace rnnadvisor
