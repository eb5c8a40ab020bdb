#include "core/cudnn/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/wide.h"
#include "core/cudnn/cuda_error.h"

namespace rnnadvisor {
namespace {

cudnnDataType_t to_cudnn(DataType type) {
  switch (type) {
    case DataType::float32:
      return CUDNN_DATA_FLOAT;
    case DataType::float64:
      return CUDNN_DATA_DOUBLE;
    case DataType::half:
      return CUDNN_DATA_HALF;
    case DataType::bfloat16:
      return CUDNN_DATA_BFLOAT16;
  }
  return CUDNN_DATA_FLOAT;
}

cudnnMathType_t to_cudnn(MathType type) {
  switch (type) {
    case MathType::default_math:
      return CUDNN_DEFAULT_MATH;
    case MathType::tensor_op:
      return CUDNN_TENSOR_OP_MATH;
    case MathType::tensor_op_allow_conversion:
      return CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
    case MathType::fma:
      return CUDNN_FMA_MATH;
  }
  return CUDNN_DEFAULT_MATH;
}

// The other enumerations follow cuDNN's numbers.
static_assert(static_cast<int>(Cell::gru) == CUDNN_GRU &&
              static_cast<int>(Cell::rnn_relu) == CUDNN_RNN_RELU);
static_assert(static_cast<int>(Algo::persist_static_small_h) ==
                  CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H &&
              static_cast<int>(Algo::persist_dynamic) == CUDNN_RNN_ALGO_PERSIST_DYNAMIC);
static_assert(static_cast<int>(BiasMode::single_rec_bias) == CUDNN_RNN_SINGLE_REC_BIAS);
static_assert(static_cast<int>(Direction::bidirectional) == CUDNN_BIDIRECTIONAL);
static_assert(static_cast<int>(InputMode::skip_input) == CUDNN_SKIP_INPUT);
static_assert(static_cast<int>(Layout::batch_major_unpacked) ==
                  CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED &&
              static_cast<int>(Layout::seq_major_packed) == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED);

}  // namespace

RnnProblem::RnnProblem(const CudnnApi& api, cudnnHandle_t handle, const RnnConfig& config)
    : api_(api), handle_(handle), config_(config), lengths_(sequence_lengths(config)) {}

cudnnDataType_t RnnProblem::cudnn_type() const { return to_cudnn(config_.data_type); }

RnnProblem::~RnnProblem() {
  if (x_desc_ != nullptr) api_.cudnnDestroyRNNDataDescriptor(x_desc_);
  if (y_desc_ != nullptr) api_.cudnnDestroyRNNDataDescriptor(y_desc_);
  if (h_desc_ != nullptr) api_.cudnnDestroyTensorDescriptor(h_desc_);
  if (c_desc_ != nullptr) api_.cudnnDestroyTensorDescriptor(c_desc_);
  if (backward_rnn_ != rnn_ && backward_rnn_ != nullptr)
    api_.cudnnDestroyRNNDescriptor(backward_rnn_);
  if (rnn_ != nullptr) api_.cudnnDestroyRNNDescriptor(rnn_);
  if (dropout_desc_ != nullptr) api_.cudnnDestroyDropoutDescriptor(dropout_desc_);
}

StageResult RnnProblem::stage_result(model::Stage stage, cudnnStatus_t status) const {
  StageResult result;
  result.stage = stage;
  result.attempted = true;
  result.status = static_cast<int>(status);
  result.status_name = status_name(api_, status);
  const std::string reason = api_.take_reason();
  if (status != CUDNN_STATUS_SUCCESS) result.reason = reason;
  return result;
}

cudnnStatus_t RnnProblem::set_rnn_descriptor(cudnnRNNDescriptor_t descriptor, Algo algo) {
  const auto status = api_.cudnnSetRNNDescriptor_v8(
      descriptor, static_cast<cudnnRNNAlgo_t>(algo), static_cast<cudnnRNNMode_t>(config_.cell),
      static_cast<cudnnRNNBiasMode_t>(config_.bias_mode),
      static_cast<cudnnDirectionMode_t>(config_.direction),
      static_cast<cudnnRNNInputMode_t>(config_.input_mode), to_cudnn(config_.data_type),
      to_cudnn(config_.math_precision), to_cudnn(config_.math_type), config_.input_size,
      config_.hidden_size, config_.proj_size, config_.num_layers, dropout_desc_,
      config_.padded_io ? CUDNN_RNN_PADDED_IO_ENABLED : CUDNN_RNN_PADDED_IO_DISABLED);
  if (status != CUDNN_STATUS_SUCCESS || config_.clip_mode != ClipMode::minmax) return status;
  if (api_.cudnnRNNSetClip_v9 != nullptr)
    return api_.cudnnRNNSetClip_v9(descriptor, CUDNN_RNN_CLIP_MINMAX, config_.clip_left,
                                   config_.clip_right);
  if (api_.clip_v8 != nullptr)
    return api_.clip_v8(descriptor, CUDNN_RNN_CLIP_MINMAX,
                        config_.clip_propagate_nan ? CUDNN_PROPAGATE_NAN : CUDNN_NOT_PROPAGATE_NAN,
                        config_.clip_left, config_.clip_right);
  return status;
}

Result<StageResult> RnnProblem::set_descriptors() {
  const auto done = [&](cudnnStatus_t status) {
    return stage_result(model::Stage::set_descriptor, status);
  };
#define RNNADVISOR_STEP(call) \
  if (const cudnnStatus_t status = (call); status != CUDNN_STATUS_SUCCESS) return done(status)

  RNNADVISOR_STEP(api_.cudnnCreateRNNDescriptor(&rnn_));
  RNNADVISOR_STEP(api_.cudnnCreateRNNDataDescriptor(&x_desc_));
  RNNADVISOR_STEP(api_.cudnnCreateRNNDataDescriptor(&y_desc_));
  RNNADVISOR_STEP(api_.cudnnCreateTensorDescriptor(&h_desc_));
  RNNADVISOR_STEP(api_.cudnnCreateTensorDescriptor(&c_desc_));
  RNNADVISOR_STEP(api_.cudnnCreateDropoutDescriptor(&dropout_desc_));
  std::size_t state_bytes = 0;
  if (config_.dropout > 0) {
    RNNADVISOR_STEP(api_.cudnnDropoutGetStatesSize(handle_, &state_bytes));
    auto states = DeviceBuffer::allocate(static_cast<std::int64_t>(state_bytes));
    if (!states) return fail(states.error());
    dropout_states = std::move(*states);
  }
  RNNADVISOR_STEP(
      api_.cudnnSetDropoutDescriptor(dropout_desc_, handle_, static_cast<float>(config_.dropout),
                                     dropout_states.data(), state_bytes, config_.dropout_seed));
  RNNADVISOR_STEP(set_rnn_descriptor(rnn_, config_.algo));
  if (config_.mixed_algos()) {
    RNNADVISOR_STEP(api_.cudnnCreateRNNDescriptor(&backward_rnn_));
    RNNADVISOR_STEP(set_rnn_descriptor(backward_rnn_, *config_.backward_algo));
  } else {
    backward_rnn_ = rnn_;
  }
  // Zero in any data type is all bits zero, so one value serves as padding for all.
  double padding_fill = 0;
  const int output_width = config_.proj_size * config_.directions();
  RNNADVISOR_STEP(api_.cudnnSetRNNDataDescriptor(
      x_desc_, to_cudnn(config_.data_type), static_cast<cudnnRNNDataLayout_t>(config_.layout),
      config_.seq_length, config_.batch_size, config_.input_size, lengths_.data(), &padding_fill));
  RNNADVISOR_STEP(api_.cudnnSetRNNDataDescriptor(
      y_desc_, to_cudnn(config_.data_type), static_cast<cudnnRNNDataLayout_t>(config_.layout),
      config_.seq_length, config_.batch_size, output_width, lengths_.data(), &padding_fill));
#undef RNNADVISOR_STEP
  return done(CUDNN_STATUS_SUCCESS);
}

// Only what is to be executed needs these: their strides are 32-bit, which the size queries do not
// care for.
Result<void> RnnProblem::set_state_descriptors() {
  for (const auto& [descriptor, width] :
       {std::pair{h_desc_, config_.proj_size}, std::pair{c_desc_, config_.hidden_size}}) {
    const std::int64_t outer = std::int64_t{config_.batch_size} * width;
    if (outer > std::numeric_limits<int>::max()) {
      return fail(ErrorCode::unsupported,
                  fmt::format("batch_size {} x {} units does not fit the 32-bit strides of a cuDNN "
                              "tensor descriptor",
                              config_.batch_size, width),
                  "split the batch");
    }
    const std::array<int, 3> dims = {config_.pseudo_layers(), config_.batch_size, width};
    const std::array<int, 3> strides = {static_cast<int>(outer), width, 1};
    const auto status = api_.cudnnSetTensorNdDescriptor(descriptor, to_cudnn(config_.data_type), 3,
                                                        dims.data(), strides.data());
    if (status != CUDNN_STATUS_SUCCESS) {
      return fail(ErrorCode::cudnn, fmt::format("{} from cudnnSetTensorNdDescriptor: {}",
                                                status_name(api_, status), api_.take_reason()));
    }
  }
  return {};
}

StageResult RnnProblem::query_sizes(RunReport& report) {
  if (const auto status = api_.cudnnGetRNNWeightSpaceSize(handle_, rnn_, &weight_bytes);
      status != CUDNN_STATUS_SUCCESS) {
    return stage_result(model::Stage::temp_space, status);
  }
  report.weights = static_cast<std::int64_t>(weight_bytes);
  for (const auto mode : {CUDNN_FWD_MODE_INFERENCE, CUDNN_FWD_MODE_TRAINING}) {
    std::size_t reserve_size = 0;
    const auto status = api_.cudnnGetRNNTempSpaceSizes(handle_, rnn_, mode, x_desc_,
                                                       &workspace_bytes[mode], &reserve_size);
    if (status != CUDNN_STATUS_SUCCESS) return stage_result(model::Stage::temp_space, status);
    if (mode == CUDNN_FWD_MODE_TRAINING) reserve_bytes = reserve_size;
  }
  if (backward_rnn_ != rnn_) {
    std::size_t workspace_size = 0, reserve_size = 0;
    const auto status = api_.cudnnGetRNNTempSpaceSizes(
        handle_, backward_rnn_, CUDNN_FWD_MODE_TRAINING, x_desc_, &workspace_size, &reserve_size);
    if (status != CUDNN_STATUS_SUCCESS) return stage_result(model::Stage::temp_space, status);
    workspace_bytes[1] = std::max(workspace_bytes[1], workspace_size);
    reserve_bytes = std::max(reserve_bytes, reserve_size);
  }
  report.workspace_inference = static_cast<std::int64_t>(workspace_bytes[0]);
  report.workspace_training = static_cast<std::int64_t>(workspace_bytes[1]);
  report.reserve_training = static_cast<std::int64_t>(reserve_bytes);
  return stage_result(model::Stage::temp_space, CUDNN_STATUS_SUCCESS);
}

std::int64_t RnnProblem::io_rows() const {
  return config_.packed() ? config_.used_steps()
                          : static_cast<std::int64_t>(config_.seq_length) * config_.batch_size;
}

std::int64_t RnnProblem::state_elements(int width) const {
  return static_cast<std::int64_t>(config_.pseudo_layers()) * config_.batch_size * width;
}

std::int64_t RnnProblem::bytes_needed() const {
  const Wide es = element_size(config_.data_type);
  const Wide rows = io_rows();
  const bool training = config_.mode == Mode::training;
  const Wide io = rows * es * (config_.input_size + Wide{config_.proj_size} * config_.directions());
  const bool lstm = config_.cell == Cell::lstm;
  const Wide states = Wide{config_.pseudo_layers()} * config_.batch_size * es *
                      (config_.proj_size + (lstm ? config_.hidden_size : 0)) * 2;
  const Wide workspace_size = Wide{std::max(workspace_bytes[0], training ? workspace_bytes[1] : 0)};
  Wide total = Wide{weight_bytes} + io + states + workspace_size + 4 * Wide{config_.batch_size};
  if (training) total += Wide{weight_bytes} + io + states + Wide{reserve_bytes};
  return saturate(total);
}

Result<void> RnnProblem::set_up_execution() {
  RNNADVISOR_TRY(set_state_descriptors());
  io_.emplace(config_);
  auto lengths = DeviceBuffer::allocate(static_cast<std::int64_t>(lengths_.size() * sizeof(int)));
  if (!lengths) return fail(lengths.error());
  device_lengths = std::move(*lengths);
  return RNNADVISOR_CUDA(cudaMemcpy(device_lengths.data(), lengths_.data(),
                                    lengths_.size() * sizeof(int), cudaMemcpyHostToDevice));
}

Result<void> RnnProblem::allocate(std::uint64_t seed) {
  RNNADVISOR_TRY(set_up_execution());
  const std::int64_t es = element_size(config_.data_type);
  const bool training = config_.mode == Mode::training;
  const bool lstm = config_.cell == Cell::lstm;
  const std::int64_t x_bytes = io_rows() * config_.input_size * es;
  const std::int64_t y_bytes = io_rows() * config_.proj_size * config_.directions() * es;
  const std::int64_t h_bytes = state_elements(config_.proj_size) * es;
  const std::int64_t c_bytes = lstm ? state_elements(config_.hidden_size) * es : 0;
  struct Want {
    DeviceBuffer& buffer;
    std::int64_t bytes;
    double amplitude;  // 0: not filled
  };
  // Weights as frameworks initialise them: U(-1/sqrt(H), 1/sqrt(H)); a recurrence with these
  // neither dies nor explodes.
  const double weight_amplitude = 1.0 / std::sqrt(static_cast<double>(config_.hidden_size));
  const auto t = [training](std::int64_t bytes) { return training ? bytes : 0; };
  const auto workspace_size =
      static_cast<std::int64_t>(std::max(workspace_bytes[0], training ? workspace_bytes[1] : 0));
  const std::array<Want, 16> wants = {
      {{weights, static_cast<std::int64_t>(weight_bytes), weight_amplitude},
       {weight_gradients, t(static_cast<std::int64_t>(weight_bytes)), 0},
       {x, x_bytes, 1},
       {y, y_bytes, 0},
       {hx, h_bytes, 0.5},
       {cx, c_bytes, 0.5},
       {hy, h_bytes, 0},
       {cy, c_bytes, 0},
       {dy, t(y_bytes), 1},
       {dx, t(x_bytes), 0},
       {dhy, t(h_bytes), 1},
       {dcy, t(c_bytes), 1},
       {dhx, t(h_bytes), 0},
       {dcx, t(c_bytes), 0},
       {workspace, workspace_size, 0},
       {reserve, t(static_cast<std::int64_t>(reserve_bytes)), 0}}};
  for (const auto& want : wants) {
    auto buffer = DeviceBuffer::allocate(want.bytes);
    if (!buffer) return fail(buffer.error());
    want.buffer = std::move(*buffer);
    if (want.amplitude > 0)
      RNNADVISOR_TRY(fill_random(want.buffer, config_.data_type, want.amplitude, seed++));
  }
  return {};
}

StageResult RnnProblem::build_dynamic() {
  auto status = CUDNN_STATUS_SUCCESS;
  if (config_.algo == Algo::persist_dynamic)
    status = api_.cudnnBuildRNNDynamic(handle_, rnn_, config_.batch_size);
  if (status == CUDNN_STATUS_SUCCESS && backward_rnn_ != rnn_ &&
      config_.backward_algo == Algo::persist_dynamic)
    status = api_.cudnnBuildRNNDynamic(handle_, backward_rnn_, config_.batch_size);
  return stage_result(model::Stage::forward_inference, status);
}

StageResult RnnProblem::launch(Phase phase) {
  // Not needed from 8.9.1 on, where null asks cuDNN to use the lengths of the descriptor
  // (facts 1.5).
  const auto* lengths =
      api_.version >= 8901 ? nullptr : static_cast<const int32_t*>(device_lengths.data());
  switch (phase) {
    case Phase::forward_inference:
    case Phase::forward_training: {
      const bool training = phase == Phase::forward_training;
      const auto status = api_.cudnnRNNForward(
          handle_, rnn_, training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE, lengths,
          x_desc_, x.data(), y_desc_, y.data(), h_desc_, hx.data(), hy.data(), c_desc_, cx.data(),
          cy.data(), weight_bytes, weights.data(), workspace_bytes[training ? 1 : 0],
          workspace.data(), training ? reserve_bytes : 0, training ? reserve.data() : nullptr);
      return stage_result(
          training ? model::Stage::forward_training : model::Stage::forward_inference, status);
    }
    case Phase::backward_data:
      return stage_result(
          model::Stage::backward_data,
          api_.cudnnRNNBackwardData_v8(handle_, backward_rnn_, lengths, y_desc_, y.data(),
                                       dy.data(), x_desc_, dx.data(), h_desc_, hx.data(),
                                       dhy.data(), dhx.data(), c_desc_, cx.data(), dcy.data(),
                                       dcx.data(), weight_bytes, weights.data(), workspace_bytes[1],
                                       workspace.data(), reserve_bytes, reserve.data()));
    case Phase::backward_weights:
      return stage_result(
          model::Stage::backward_weights,
          api_.cudnnRNNBackwardWeights_v8(handle_, backward_rnn_, CUDNN_WGRAD_MODE_ADD, lengths,
                                          x_desc_, x.data(), h_desc_, hx.data(), y_desc_, y.data(),
                                          weight_bytes, weight_gradients.data(), workspace_bytes[1],
                                          workspace.data(), reserve_bytes, reserve.data()));
  }
  return {};
}

Result<void> RnnProblem::clear_weight_gradients(cudaStream_t stream) {
  if (weight_gradients.bytes() == 0) return {};
  return RNNADVISOR_CUDA(
      cudaMemsetAsync(weight_gradients.data(), 0, weight_gradients.bytes(), stream));
}

Result<void> RnnProblem::poison_outputs(Phase phase) {
  switch (phase) {
    case Phase::forward_inference:
    case Phase::forward_training:
      for (auto* buffer : {&y, &hy, &cy}) RNNADVISOR_TRY(poison(*buffer));
      return {};
    case Phase::backward_data:
      for (auto* buffer : {&dx, &dhx, &dcx}) RNNADVISOR_TRY(poison(*buffer));
      return {};
    case Phase::backward_weights:
      return clear_weight_gradients(nullptr);  // it adds, so it cannot start from NaN
  }
  return {};
}

std::vector<std::int64_t> RnnProblem::used_rows() const {
  std::vector<std::int64_t> rows;
  for (int b = 0; b < config_.batch_size; ++b) {
    for (int t = 0; t < lengths_[static_cast<std::size_t>(b)]; ++t) rows.push_back(row(t, b));
  }
  return rows;
}

Result<bool> RnnProblem::io_finite(const DeviceBuffer& buffer, int width) const {
  // Packed tensors have no padding; in unpacked ones only the used steps must be written.
  if (config_.packed() || !config_.has_varying_lengths())
    return all_finite(buffer, config_.data_type, io_rows() * width);
  return rows_finite(buffer, config_.data_type, used_rows(), width);
}

Result<std::string> RnnProblem::check_outputs(Phase phase) const {
  struct Check {
    const char* name;
    const DeviceBuffer* buffer;
    int io_width;           // > 0: an x- or y-like tensor
    std::int64_t elements;  // else: this many
  };
  const int y_width = config_.proj_size * config_.directions();
  const std::int64_t h = state_elements(config_.proj_size);
  const std::int64_t c = config_.cell == Cell::lstm ? state_elements(config_.hidden_size) : 0;
  std::vector<Check> checks;
  if (phase == Phase::forward_inference || phase == Phase::forward_training) {
    checks = {{"y", &y, y_width, 0}, {"hy", &hy, 0, h}, {"cy", &cy, 0, c}};
  } else if (phase == Phase::backward_data) {
    checks = {{"dx", &dx, config_.input_size, 0}, {"dhx", &dhx, 0, h}, {"dcx", &dcx, 0, c}};
  } else {
    checks = {{"dw", &weight_gradients, 0,
               static_cast<std::int64_t>(weight_bytes) / element_size(config_.data_type)}};
  }
  for (const auto& check : checks) {
    const auto finite = check.io_width > 0
                            ? io_finite(*check.buffer, check.io_width)
                            : all_finite(*check.buffer, config_.data_type, check.elements);
    if (!finite) return fail(finite.error());
    if (!*finite)
      return fmt::format("{} of {} has elements that were not written or are not finite",
                         check.name, to_string(phase));
  }
  return std::string();
}

}  // namespace rnnadvisor
