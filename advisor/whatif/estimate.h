// What the model expects of a variant before anything is tried: whether cuDNN takes it, whether it
// fits, and how its lower bounds compare. Estimates, for the order in which things are tried.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/cudnn/experiment_data.h"
#include "core/device/device_spec.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::advisor {

// Nothing, or why trying the calls is of no use on this device: a stage that cuDNN refuses, an
// algorithm that it replaces silently, memory that is not there, gradients known to be wrong.
std::optional<std::string> why_not_tried(const ExperimentVariant& variant,
                                         const DeviceSpec& device);

// Nothing, or why the calls are known to be slow: PERSIST_STATIC without Tensor Cores (H200, see
// the card persistence/tensor-core-math). On float data it is fast for small batches; where times
// are predicted (`predicted`) they decide, and only half data is known to be slow.
std::optional<std::string> known_slow(const ExperimentVariant& variant, bool predicted);

// Sum of the lower bounds of the calls, over the phases of their mode, ms; 0 where the device has
// no ceilings. With a CUDA graph the launches are not counted.
double bound_ms(const ExperimentVariant& variant, const DeviceSpec& device);

// bound of the original / bound of the variant; 0 when one is not known.
double modelled_speedup(const RnnConfig& before, const ExperimentVariant& variant,
                        const DeviceSpec& device);

// The same of predicted times, without the launches that a CUDA graph saves.
struct PredictedSpeedup {
  double median = 0;
  double most = 0;  // the upper end of the original's interval over the lower of the variant's;
                    // infinite where a prediction is extrapolated
};
PredictedSpeedup predicted_speedup(const model::TimePrediction& before,
                                   const model::TimePrediction& after);

// The calls one after the other, each of the phases of its mode; nothing where one of them is not
// predicted.
std::optional<model::TimePrediction> predicted_time(std::span<const RnnConfig> calls,
                                                    const model::PredictTime& predict);

// Weights, workspace and reserve space of the calls as the model computes them. Several calls live
// at once: their weights are theirs, the workspace is used by one after the other, and in training
// every reserve space is kept for the backward pass. Calls over rows or steps share their weights.
std::int64_t modelled_bytes(const ExperimentVariant& variant);

}  // namespace rnnadvisor::advisor
