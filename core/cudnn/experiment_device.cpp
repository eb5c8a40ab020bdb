#include "core/cudnn/experiment_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/wide.h"
#include "core/cudnn/cuda_error.h"
#include "core/cudnn/experiment_attempt.h"
#include "core/cudnn/experiment_mapping.h"
#include "core/cudnn/weight_space.h"
#include "core/model/memory.h"

namespace rnnadvisor::experiment {
namespace {

// What cudaMalloc gives is aligned to 256 bytes at least; all parts of it are to be no worse.
constexpr std::int64_t alignment = 512;

}  // namespace

DeviceProgram::DeviceProgram(const CudnnApi& api, cudnnHandle_t handle, cudaStream_t stream,
                             Program program, const RnnConfig& dropout)
    : api_(api),
      handle_(handle),
      stream_(stream),
      program_(std::move(program)),
      dropout_(dropout),
      type_(program_.calls.front().part.config.data_type),
      element_(element_size(type_)),
      weight_bytes_(static_cast<std::size_t>(program_.weight_spaces), 0) {}

DeviceProgram::~DeviceProgram() {
  for (const auto& [scope, graph] : graphs_) cudaGraphExecDestroy(graph);
  for (const auto& [elements, descriptor] : flats_) api_.cudnnDestroyTensorDescriptor(descriptor);
  if (dropout_descriptor_ != nullptr) api_.cudnnDestroyDropoutDescriptor(dropout_descriptor_);
}

Attempt<void> DeviceProgram::measure() {
  for (const PlannedCall& call : program_.calls) RNNADVISOR_ATTEMPT(measure_call(call));
  RNNADVISOR_ATTEMPT(measure_between());
  lay_out();
  return {};
}

Attempt<void> DeviceProgram::measure_call(const PlannedCall& call) {
  const RnnConfig& config = call.part.config;
  problems_.push_back(std::make_unique<RnnProblem>(api_, handle_, config));
  RnnProblem& problem = *problems_.back();
  const auto which = [&](std::string_view what) {
    if (program_.calls.size() == 1) return std::string(what);
    return fmt::format("{} of call {} of {}", what, problems_.size(), program_.calls.size());
  };
  const auto set = problem.set_descriptors();
  if (!set) return tl::unexpected(failure_of(set.error()));
  if (set->status != 0) {
    Failure failure = failure_of(*set, which(model::to_string(set->stage)));
    failure.outcome = Outcome::refused;
    return tl::unexpected(std::move(failure));
  }
  RunReport report;
  const StageResult sizes = problem.query_sizes(report);
  if (sizes.status != 0) {
    Failure failure = failure_of(sizes, which(model::to_string(sizes.stage)));
    failure.outcome = Outcome::refused;
    return tl::unexpected(std::move(failure));
  }
  if (model::weight_query_wraps(config)) {
    return failed(Outcome::failed,
                  "cuDNN counts the weights in 32 bits and answers with wrapped sizes from 2^31 "
                  "weight elements on: it was not run");
  }
  workspace_ = std::max(workspace_, static_cast<std::int64_t>(problem.workspace_bytes[0]));
  if (program_.training) {
    workspace_ = std::max(workspace_, static_cast<std::int64_t>(problem.workspace_bytes[1]));
    reserve_ += static_cast<std::int64_t>(problem.reserve_bytes);
  }
  auto& bytes = weight_bytes_[static_cast<std::size_t>(call.weights)];
  const auto wanted = static_cast<std::int64_t>(problem.weight_bytes);
  if (bytes != 0 && bytes != wanted) {
    return failed(Outcome::failed, "calls that share their weights have weight spaces that differ");
  }
  bytes = wanted;
  return {};
}

Attempt<cudnnTensorDescriptor_t> DeviceProgram::flat(std::int64_t elements) {
  auto& descriptor = flats_[elements];
  if (descriptor != nullptr) return descriptor;
  if (elements > std::numeric_limits<int>::max()) {
    return failed(Outcome::refused,
                  fmt::format("a tensor of {} elements between two calls does not fit the 32-bit "
                              "sizes of a cuDNN tensor descriptor",
                              elements));
  }
  const int count = static_cast<int>(elements);
  const std::array<int, 4> dims = {1, 1, 1, count};
  const std::array<int, 4> strides = {count, count, count, 1};
  api_.cudnnCreateTensorDescriptor(&descriptor);
  const auto status = api_.cudnnSetTensorNdDescriptor(descriptor, problems_.front()->cudnn_type(),
                                                      4, dims.data(), strides.data());
  if (status != CUDNN_STATUS_SUCCESS) {
    return failed(Outcome::refused, fmt::format("cudnnSetTensorNdDescriptor returned {}: {}",
                                                status_name(api_, status), api_.take_reason()));
  }
  return descriptor;
}

// Dropout and sums between calls need entry points and descriptors of their own.
Attempt<void> DeviceProgram::measure_between() {
  const auto missing = [&](const char* name) {
    return failed(Outcome::refused, fmt::format("cuDNN at {} has no {}", api_.path, name));
  };
  for (const auto* list : {&program_.forward, &program_.backward_data}) {
    for (const Operation& operation : *list) {
      if (operation.kind != Operation::Kind::add) continue;
      if (api_.cudnnAddTensor == nullptr) return missing("cudnnAddTensor");
      RNNADVISOR_ATTEMPT(flat(operation.copy.width));
    }
  }
  if (program_.dropouts == 0) return {};
  if (api_.cudnnDropoutForward == nullptr || api_.cudnnDropoutBackward == nullptr ||
      api_.cudnnDropoutGetReserveSpaceSize == nullptr)
    return missing("cudnnDropoutForward");
  std::size_t state_bytes = 0;
  RNNADVISOR_ATTEMPT(
      checked(api_.cudnnDropoutGetStatesSize(handle_, &state_bytes), "cudnnDropoutGetStatesSize"));
  auto states = DeviceBuffer::allocate(static_cast<std::int64_t>(state_bytes));
  if (!states) return tl::unexpected(failure_of(states.error()));
  dropout_states_ = std::move(*states);
  RNNADVISOR_ATTEMPT(checked(api_.cudnnCreateDropoutDescriptor(&dropout_descriptor_),
                             "cudnnCreateDropoutDescriptor"));
  RNNADVISOR_ATTEMPT(checked(api_.cudnnSetDropoutDescriptor(
                                 dropout_descriptor_, handle_, static_cast<float>(dropout_.dropout),
                                 dropout_states_.data(), state_bytes, dropout_.dropout_seed),
                             "cudnnSetDropoutDescriptor"));
  masks_.resize(static_cast<std::size_t>(program_.dropouts));
  for (const Operation& operation : program_.forward) {
    if (operation.kind != Operation::Kind::dropout) continue;
    const auto shape = flat(operation.copy.width);
    if (!shape) return tl::unexpected(shape.error());
    Mask& mask = masks_[static_cast<std::size_t>(operation.index)];
    mask.shape = *shape;
    std::size_t bytes = 0;
    RNNADVISOR_ATTEMPT(checked(api_.cudnnDropoutGetReserveSpaceSize(mask.shape, &bytes),
                               "cudnnDropoutGetReserveSpaceSize"));
    mask.bytes = static_cast<std::int64_t>(bytes);
    reserve_ += mask.bytes;
  }
  return {};
}

void DeviceProgram::lay_out() {
  const auto take = [this](std::int64_t bytes) {
    const std::int64_t at = own_;
    own_ = saturate(Wide{own_} + (Wide{bytes} + alignment - 1) / alignment * alignment);
    return at;
  };
  for (const std::int64_t elements : program_.slots) slot_at_.push_back(take(elements * element_));
  for (const std::int64_t bytes : weight_bytes_) {
    weights_at_.push_back(take(bytes));
    gradients_at_.push_back(program_.training ? take(bytes) : 0);
  }
  for (const auto& problem : problems_) {
    reserve_at_.push_back(
        program_.training ? take(static_cast<std::int64_t>(problem->reserve_bytes)) : 0);
  }
  for (Mask& mask : masks_) mask.at = take(mask.bytes);
}

MemoryShare DeviceProgram::need() const { return {own_, workspace_}; }

std::int64_t DeviceProgram::memory_bytes() const {
  std::int64_t sum = workspace_ + reserve_;
  for (const std::int64_t bytes : weight_bytes_) sum += bytes;
  return sum;
}

DeviceBuffer DeviceProgram::slot(std::size_t slot) const {
  return DeviceBuffer::view(static_cast<char*>(memory_.data()) + slot_at_[slot],
                            program_.slots[slot] * element_);
}
DeviceBuffer DeviceProgram::weights(std::size_t space) const {
  return DeviceBuffer::view(static_cast<char*>(memory_.data()) + weights_at_[space],
                            weight_bytes_[space]);
}
DeviceBuffer DeviceProgram::gradients(std::size_t space) const {
  return DeviceBuffer::view(static_cast<char*>(memory_.data()) + gradients_at_[space],
                            program_.training ? weight_bytes_[space] : 0);
}
void* DeviceProgram::address(Place place) const {
  if (place.slot < 0) return nullptr;
  return static_cast<char*>(memory_.data()) + slot_at_[static_cast<std::size_t>(place.slot)] +
         place.offset * element_;
}
std::size_t DeviceProgram::owner(std::size_t space) const {
  const auto found = std::find_if(
      program_.calls.begin(), program_.calls.end(),
      [&](const auto& call) { return static_cast<std::size_t>(call.weights) == space; });
  return static_cast<std::size_t>(found - program_.calls.begin());
}

void DeviceProgram::bind(std::size_t index, void* workspace) {
  const PlannedCall& call = program_.calls[index];
  RnnProblem& problem = *problems_[index];
  const auto tensor = [&](DeviceBuffer& buffer, Tensor which) {
    const Place place = call.at(which);
    if (place.slot < 0) return;
    const std::int64_t elements =
        program_.slots[static_cast<std::size_t>(place.slot)] - place.offset;
    buffer = DeviceBuffer::view(address(place), elements * element_);
  };
  tensor(problem.x, Tensor::x);
  tensor(problem.y, Tensor::y);
  tensor(problem.hx, Tensor::hx);
  tensor(problem.cx, Tensor::cx);
  tensor(problem.hy, Tensor::hy);
  tensor(problem.cy, Tensor::cy);
  tensor(problem.dx, Tensor::dx);
  tensor(problem.dy, Tensor::dy);
  tensor(problem.dhx, Tensor::dhx);
  tensor(problem.dcx, Tensor::dcx);
  tensor(problem.dhy, Tensor::dhy);
  tensor(problem.dcy, Tensor::dcy);
  problem.weights = weights(static_cast<std::size_t>(call.weights));
  problem.weight_gradients = gradients(static_cast<std::size_t>(call.weights));
  problem.workspace = DeviceBuffer::view(workspace, workspace_);
  if (program_.training) {
    problem.reserve = DeviceBuffer::view(static_cast<char*>(memory_.data()) + reserve_at_[index],
                                         static_cast<std::int64_t>(problem.reserve_bytes));
  }
}

Attempt<void> DeviceProgram::allocate(void* workspace) {
  auto memory = DeviceBuffer::allocate(own_);
  if (!memory) return tl::unexpected(failure_of(memory.error()));
  memory_ = std::move(*memory);
  RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaMemset(memory_.data(), 0, memory_.bytes())));
  for (std::size_t call = 0; call < problems_.size(); ++call) {
    bind(call, workspace);
    RNNADVISOR_ATTEMPT(problems_[call]->set_up_execution());
    const StageResult built = problems_[call]->build_dynamic();
    if (built.status != 0) {
      Failure failure = failure_of(built, "cudnnBuildRNNDynamic");
      failure.outcome = Outcome::refused;
      return tl::unexpected(std::move(failure));
    }
  }
  return {};
}

Attempt<void> DeviceProgram::upload(const RnnConfig& before, const Data& data) {
  int done = -1;
  std::vector<double> values;
  for (const Transfer& transfer : program_.inputs) {  // sorted by slot
    if (transfer.place.slot == done) continue;
    done = transfer.place.slot;
    const auto index = static_cast<std::size_t>(done);
    values.assign(static_cast<std::size_t>(program_.slots[index]), 0.0);
    fill_slot(program_.inputs, done, data.inputs, values);
    DeviceBuffer target = slot(index);
    RNNADVISOR_ATTEMPT(write_from_double(target, type_, values));
  }
  for (std::size_t space = 0; space < weight_bytes_.size(); ++space) {
    const std::size_t call = owner(space);
    DeviceBuffer target = weights(space);
    RNNADVISOR_ATTEMPT(write_weight_space(
        *problems_[call], target, map_weights(before, data.weights, program_.calls[call].part)));
  }
  RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaDeviceSynchronize()));
  return {};
}

Attempt<void> DeviceProgram::fill(std::uint64_t seed) {
  for (const PlannedCall& call : program_.calls) {
    for (const auto& [tensor, amplitude] : {std::pair{Tensor::x, 1.0},
                                            {Tensor::hx, 0.5},
                                            {Tensor::cx, 0.5},
                                            {Tensor::dy, 1.0},
                                            {Tensor::dhy, 1.0},
                                            {Tensor::dcy, 1.0}}) {
      if (call.at(tensor).slot < 0) continue;
      DeviceBuffer target = slot(static_cast<std::size_t>(call.at(tensor).slot));
      RNNADVISOR_ATTEMPT(fill_random(target, type_, amplitude, seed++));
    }
  }
  for (std::size_t space = 0; space < weight_bytes_.size(); ++space) {
    DeviceBuffer target = weights(space);
    const int hidden = program_.calls[owner(space)].part.config.hidden_size;
    RNNADVISOR_ATTEMPT(
        fill_random(target, type_, 1 / std::sqrt(static_cast<double>(hidden)), seed++));
  }
  RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaDeviceSynchronize()));
  return {};
}

Attempt<void> DeviceProgram::read_values(ExperimentScope scope, const RnnConfig& before,
                                         Outputs& outputs) {
  int done = -1;
  for (const Transfer& transfer : program_.outputs) {
    if (transfer.place.slot == done) continue;
    done = transfer.place.slot;
    const auto index = static_cast<std::size_t>(done);
    const auto values = read_as_double(slot(index), type_, program_.slots[index]);
    if (!values) return tl::unexpected(failure_of(values.error()));
    read_slot(program_.outputs, done, *values, outputs.tensors);
  }
  if (scope != ExperimentScope::training_step) return {};
  for (std::size_t space = 0; space < weight_bytes_.size(); ++space) {
    const std::size_t call = owner(space);
    const auto values = read_weight_space(*problems_[call], gradients(space));
    if (!values) return tl::unexpected(failure_of(values.error()));
    unmap_gradients(before, program_.calls[call].part, *values, outputs.gradients);
  }
  return {};
}

// Without data of the original there is nothing to compare, and padding need not be written: but
// what went in was finite, so must be what comes out.
Attempt<void> DeviceProgram::all_finite_without_data(ExperimentScope scope) {
  for (const PlannedCall& call : program_.calls) {
    for (const Tensor tensor : {Tensor::y, Tensor::dx}) {
      if (call.at(tensor).slot < 0) continue;
      if (tensor == Tensor::dx && scope != ExperimentScope::training_step) continue;
      const auto index = static_cast<std::size_t>(call.at(tensor).slot);
      const auto finite = all_finite(slot(index), type_, program_.slots[index]);
      if (!finite) return tl::unexpected(failure_of(finite.error()));
      if (!*finite)
        return failed(Outcome::failed,
                      fmt::format("{} has elements that are not finite", to_string(tensor)));
    }
  }
  return {};
}

Attempt<Outputs> DeviceProgram::check(ExperimentScope scope, const RnnConfig& before, bool read) {
  int done = -1;
  for (const Transfer& transfer : program_.outputs) {
    if (transfer.place.slot == done) continue;
    done = transfer.place.slot;
    const DeviceBuffer target = slot(static_cast<std::size_t>(done));
    RNNADVISOR_ATTEMPT(
        RNNADVISOR_CUDA(cudaMemsetAsync(target.data(), 0xFF, target.bytes(), stream_)));
  }
  RNNADVISOR_ATTEMPT(prepare(scope));
  RNNADVISOR_ATTEMPT(launch(scope));
  RNNADVISOR_ATTEMPT(finish());
  if (!read) return Outputs{};
  if (program_.outputs.empty()) {
    RNNADVISOR_ATTEMPT(all_finite_without_data(scope));
    return Outputs{};
  }
  const bool backward = scope == ExperimentScope::training_step;
  Outputs outputs = no_outputs(before, program_.training);
  RNNADVISOR_ATTEMPT(read_values(scope, before, outputs));
  if (!backward) {
    for (const Tensor tensor : {Tensor::dx, Tensor::dhx, Tensor::dcx})
      of(outputs.tensors, tensor).clear();
    outputs.gradients.clear();
  }
  const std::string bad = first_not_finite(outputs);
  if (!bad.empty()) {
    return failed(Outcome::failed,
                  fmt::format("{} of {} has elements that were not written or are not finite", bad,
                              to_string(scope)));
  }
  return outputs;
}

}  // namespace rnnadvisor::experiment
