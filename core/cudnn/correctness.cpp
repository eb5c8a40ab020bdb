#include "core/cudnn/correctness.h"

#include <fmt/format.h>

#include "core/base/wide.h"
#include "core/cudnn/cuda_error.h"
#include "core/cudnn/reference.h"
#include "core/cudnn/rnn_runner.h"
#include "core/cudnn/tolerance.h"
#include "core/cudnn/weight_space.h"

namespace rnnadvisor {
namespace {

std::int64_t elements(const DeviceBuffer& buffer, DataType type) {
  return static_cast<std::int64_t>(buffer.bytes()) / element_size(type);
}

// x- and y-like tensors as [T][B][width], zero in the padding.
std::vector<double> to_dense(const RnnProblem& problem, const std::vector<double>& rows,
                             int width) {
  const RnnConfig& config = problem.config();
  std::vector<double> dense(static_cast<std::size_t>(config.seq_length) *
                                static_cast<std::size_t>(config.batch_size) *
                                static_cast<std::size_t>(width),
                            0.0);
  for (int b = 0; b < config.batch_size; ++b) {
    for (int t = 0; t < problem.lengths()[static_cast<std::size_t>(b)]; ++t) {
      const auto from = rows.begin() + static_cast<std::ptrdiff_t>(problem.row(t, b) * width);
      const auto to = (static_cast<std::int64_t>(t) * config.batch_size + b) * width;
      std::copy(from, from + width, dense.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
  return dense;
}

}  // namespace

bool comparable_with_reference(const RnnConfig& config, std::string& why_not) {
  const Wide work = Wide{config.used_steps()} * config.pseudo_layers() * config.gates() *
                    config.hidden_size * (Wide{config.input_size} + config.hidden_size);
  if (config.dropout > 0 && config.num_layers > 1 && config.mode == Mode::training) {
    why_not = "not compared with the reference: the dropout mask is cuDNN's own";
    return false;
  }
  if (work > Wide{2'000'000'000}) {
    why_not = "not compared with the reference: too large for a float64 CPU run; use smaller sizes";
    return false;
  }
  return true;
}

Result<std::vector<CorrectnessResult>> compare_problem(RnnProblem& problem) {
  const RnnConfig& config = problem.config();
  // What cuDNN's backward pass does at the bounds of the clip is not established, so only outputs
  // are compared then.
  const bool clipped = config.clip_mode == ClipMode::minmax;
  const bool training = config.mode == Mode::training && !clipped;
  const bool lstm = config.cell == Cell::lstm;
  const int y_width = config.proj_size * config.directions();
  const auto read = [&](const DeviceBuffer& buffer) {
    return read_as_double(buffer, config.data_type, elements(buffer, config.data_type));
  };

  RNNADVISOR_TRY(problem.clear_weight_gradients(nullptr));
  RNNADVISOR_TRY(RNNADVISOR_CUDA(cudaDeviceSynchronize()));
  std::vector<Phase> phases = {config.mode == Mode::training ? Phase::forward_training
                                                             : Phase::forward_inference};
  if (training) phases = {Phase::forward_training, Phase::backward_data, Phase::backward_weights};
  for (const Phase phase : phases) {
    if (const auto stage = problem.launch(phase); stage.status != 0) {
      return fail(ErrorCode::cudnn, fmt::format("{} returned {}: {}", to_string(phase),
                                                stage.status_name, stage.reason));
    }
  }
  RNNADVISOR_TRY(RNNADVISOR_CUDA(cudaDeviceSynchronize()));

  reference::Inputs inputs;
  inputs.config = config;
  inputs.lengths = problem.lengths();
  auto layers = read_weight_space(problem, problem.weights);
  if (!layers) return fail(layers.error());
  inputs.weights = std::move(*layers);
  struct Source {
    const DeviceBuffer* buffer;
    int io_width;
    std::vector<double>* target;
  };
  std::vector<Source> sources = {{&problem.x, config.input_size, &inputs.x},
                                 {&problem.hx, 0, &inputs.hx}};
  if (lstm) sources.push_back({&problem.cx, 0, &inputs.cx});
  if (training) {
    sources.push_back({&problem.dy, y_width, &inputs.dy});
    sources.push_back({&problem.dhy, 0, &inputs.dhy});
    if (lstm) sources.push_back({&problem.dcy, 0, &inputs.dcy});
  }
  for (const auto& source : sources) {
    auto values = read(*source.buffer);
    if (!values) return fail(values.error());
    *source.target =
        source.io_width > 0 ? to_dense(problem, *values, source.io_width) : std::move(*values);
  }
  const reference::Outputs expected = reference::compute(inputs);

  struct Compared {
    const char* name;
    const DeviceBuffer* buffer;
    int io_width;
    const std::vector<double>* expected;
  };
  std::vector<Compared> compared = {{"y", &problem.y, y_width, &expected.y},
                                    {"hy", &problem.hy, 0, &expected.hy}};
  if (lstm) compared.push_back({"cy", &problem.cy, 0, &expected.cy});
  if (training) {
    compared.push_back({"dx", &problem.dx, config.input_size, &expected.dx});
    compared.push_back({"dhx", &problem.dhx, 0, &expected.dhx});
    if (lstm) compared.push_back({"dcx", &problem.dcx, 0, &expected.dcx});
  }
  std::vector<CorrectnessResult> results;
  const auto add = [&](const char* name, double error) {
    CorrectnessResult result;
    result.tensor = name;
    result.relative_error = error;
    result.tolerance = correctness_tolerance(config, name);
    result.passed = error <= result.tolerance;  // false for NaN
    results.push_back(result);
  };
  for (const auto& tensor : compared) {
    auto values = read(*tensor.buffer);
    if (!values) return fail(values.error());
    const auto out =
        tensor.io_width > 0 ? to_dense(problem, *values, tensor.io_width) : std::move(*values);
    add(tensor.name, reference::relative_difference(out, *tensor.expected));
  }
  if (training) {
    auto gradients = read_weight_space(problem, problem.weight_gradients);
    if (!gradients) return fail(gradients.error());
    add("dw", reference::relative_difference(reference::flatten(*gradients),
                                             reference::flatten(expected.dweights)));
  }
  return results;
}

}  // namespace rnnadvisor
