// Device memory of a configuration. The formulas are exact on every row measured on an H200 with
// cuDNN 9.19 (tests/data/h200, docs/models.md); a number beyond what was measured says so.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::model {

// PyTorch's source calls the size of cuDNN's dropout states "slightly over 2MB";
// cudnnDropoutGetStatesSize needs a GPU.
inline constexpr std::int64_t dropout_states_estimate = std::int64_t{2} << 20;

// How far a number can be trusted.
enum class Exactness {
  exact,     // a formula that held on every measured row of its kind
  fitted,    // a formula that held on most rows; the rest was near
  estimate,  // a bound or an analogy
  unknown,   // no statement; the number is 0
};
std::string_view to_string(Exactness value);

struct Bytes {
  std::int64_t value = 0;
  Exactness exactness = Exactness::unknown;

  bool operator==(const Bytes&) const = default;
};

// What cudnnGetRNNWeightSpaceSize and cudnnGetRNNTempSpaceSizes would answer.
struct SpaceSizes {
  Bytes weights;
  Bytes workspace_inference;
  Bytes workspace_training;
  Bytes reserve_training;
};
SpaceSizes space_sizes(const RnnConfig& config);

// Bias vectors of each gate.
int bias_vectors(BiasMode mode);

// True from 2^31 weight elements on: cuDNN 9.19 then counts in 32 bits and answers, with
// CUDNN_STATUS_SUCCESS, a wrapped or zero weight and workspace size. space_sizes() gives what would
// really be needed.
bool weight_query_wraps(const RnnConfig& config);

// Everything one call needs on the device.
struct MemoryNeed {
  std::int64_t weights = 0;
  std::int64_t weight_gradients = 0;  // training
  std::int64_t x = 0, y = 0, dx = 0, dy = 0;
  std::int64_t states = 0;  // hx, cx, hy, cy and, in training, their gradients
  std::int64_t workspace = 0;
  std::int64_t reserve = 0;
  std::int64_t dropout_states = 0;  // "slightly over 2MB" (PyTorch's source) when dropout > 0
  std::int64_t total = 0;
  Exactness exactness = Exactness::estimate;  // the worst of its parts
};
MemoryNeed memory_need(const RnnConfig& config, Mode mode);

// The largest value of one parameter with which memory_need() stays within `bytes`, all else equal
// and all sequences of full length; 0 when not even 1 fits. At most the 65535 steps that cuDNN
// takes.
int largest_batch(const RnnConfig& config, Mode mode, std::int64_t bytes);
int largest_seq_length(const RnnConfig& config, Mode mode, std::int64_t bytes);

}  // namespace rnnadvisor::model
