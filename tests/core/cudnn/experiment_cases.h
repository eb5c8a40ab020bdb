// Small configurations and what is expected of every variant of them.
#pragma once

#include <gtest/gtest.h>

#include "tests/core/cudnn/host_program.h"

namespace rnnadvisor::experiment {

inline constexpr auto all_cells = {Cell::rnn_relu, Cell::rnn_tanh, Cell::lstm, Cell::gru};

inline RnnConfig small_config(Cell cell, int steps, int batch, int input, int hidden) {
  RnnConfig config;
  config.cell = cell;
  config.seq_length = steps;
  config.batch_size = batch;
  config.input_size = input;
  config.hidden_size = config.proj_size = hidden;
  config.data_type = config.math_precision = DataType::float64;
  return config;
}

inline Data data_of(const RnnConfig& config, std::uint64_t seed = 1) {
  return random_data(config, seed, [](std::vector<double>&) {});
}

// The variant, executed, gives what the float64 reference gives for the original. What differs is
// the order of sums, by a few roundings of float64.
inline void expect_same(const RnnConfig& before, const ExperimentVariant& variant) {
  const auto program = make_program(before, variant);
  ASSERT_TRUE(program) << to_text(program.error());
  const Data data = data_of(before);
  const bool backward = program->training;
  const Outputs expected = reference_outputs(before, data, backward);
  const Outputs outputs = HostProgram(before, *program, data).run();
  EXPECT_EQ(first_not_finite(outputs), "");
  const auto shifts = compare_outputs(expected, outputs, nullptr);
  const std::size_t tensors = before.cell == Cell::lstm ? 3 : 2;
  ASSERT_EQ(shifts.size(), backward ? 2 * tensors + 1 : tensors);
  for (const auto& shift : shifts) EXPECT_LT(shift.from_before, 1e-13) << shift.tensor;
}

inline ExperimentVariant single(const RnnConfig& call) {
  ExperimentVariant variant;
  variant.calls = {call};
  return variant;
}

inline ExperimentVariant several(Composition composition, std::vector<RnnConfig> calls) {
  ExperimentVariant variant;
  variant.composition = composition;
  variant.calls = std::move(calls);
  return variant;
}

inline std::string refusal(const RnnConfig& before, const ExperimentVariant& variant) {
  const auto program = make_program(before, variant);
  return program ? "" : program.error().message;
}

}  // namespace rnnadvisor::experiment
