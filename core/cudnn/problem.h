// One configuration as cuDNN objects: descriptors, sizes, device tensors. Private to core/cudnn.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/cudnn/cudnn_api.h"
#include "core/cudnn/device_tensors.h"
#include "core/cudnn/io_layout.h"
#include "core/cudnn/run_result.h"

namespace rnnadvisor {

class RnnProblem {
 public:
  // cuDNN and the CUDA modules it loads lazily take memory of their own: left free by forecasts.
  static constexpr std::int64_t memory_margin = std::int64_t{512} << 20U;
  // The host side of one descriptor holds one int per sequence; beyond this it would take gigabytes
  // itself.
  static constexpr int largest_batch = 1 << 28;

  RnnProblem(const CudnnApi& api, cudnnHandle_t handle, const RnnConfig& config);
  ~RnnProblem();
  RnnProblem(const RnnProblem&) = delete;
  RnnProblem& operator=(const RnnProblem&) = delete;

  // Sets all descriptors. The stage result tells what cuDNN refused; an Error is a CUDA failure
  // (dropout states).
  Result<StageResult> set_descriptors();
  // Asks for weight, workspace and reserve sizes.
  StageResult query_sizes(RunReport& report);
  // Bytes that allocate() takes.
  std::int64_t bytes_needed() const;
  Result<void> allocate(std::uint64_t seed);
  // What launch() needs beside the tensors; part of allocate(). For who binds tensors of their own
  // to the members below.
  Result<void> set_up_execution();
  // cudnnBuildRNNDynamic, for PERSIST_DYNAMIC; success for the others.
  StageResult build_dynamic();
  // Enqueues one API call on the handle's stream.
  StageResult launch(Phase phase);
  // Before backward weights: it adds.
  Result<void> clear_weight_gradients(cudaStream_t stream);
  // Poisons what `phase` writes.
  Result<void> poison_outputs(Phase phase);
  // Whether everything that `phase` writes was written and is finite; the message names the first
  // tensor that is not.
  Result<std::string> check_outputs(Phase phase) const;

  // Row of (t, b) in x and y. After set_up_execution().
  std::int64_t row(int t, int b) const { return io_->row(t, b); }
  const std::vector<int>& lengths() const { return lengths_; }
  const RnnConfig& config() const { return config_; }
  const CudnnApi& api() const { return api_; }
  cudnnDataType_t cudnn_type() const;  // of its data
  cudnnRNNDescriptor_t descriptor() const { return rnn_; }
  cudnnHandle_t handle() const { return handle_; }

  DeviceBuffer weights, weight_gradients, x, y, dx, dy, hx, cx, hy, cy, dhx, dcx, dhy, dcy,
      workspace, reserve, dropout_states, device_lengths;
  std::size_t weight_bytes = 0, workspace_bytes[2] = {0, 0},
              reserve_bytes = 0;  // workspace by cudnnForwardMode_t

 private:
  Result<void> set_state_descriptors();
  cudnnStatus_t set_rnn_descriptor(cudnnRNNDescriptor_t descriptor, Algo algo);
  StageResult stage_result(model::Stage stage, cudnnStatus_t status) const;
  std::int64_t io_rows() const;
  std::int64_t state_elements(int width) const;
  std::vector<std::int64_t> used_rows() const;
  Result<bool> io_finite(const DeviceBuffer& buffer, int width) const;

  const CudnnApi& api_;
  cudnnHandle_t handle_;
  RnnConfig config_;
  std::vector<int> lengths_;
  std::optional<IoLayout> io_;  // only where something runs: it takes memory
  cudnnRNNDescriptor_t rnn_ = nullptr;
  cudnnRNNDescriptor_t backward_rnn_ = nullptr;  // rnn_, or one of its own for backward_algo
  cudnnRNNDataDescriptor_t x_desc_ = nullptr, y_desc_ = nullptr;
  cudnnTensorDescriptor_t h_desc_ = nullptr, c_desc_ = nullptr;
  cudnnDropoutDescriptor_t dropout_desc_ = nullptr;
};

}  // namespace rnnadvisor
