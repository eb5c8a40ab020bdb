// The change of a configuration of which predicted times expect the most, found by searching what
// the model proposes and what goes together. Nothing is run.
#pragma once

#include <optional>
#include <span>

#include "advisor/facts/fact.h"
#include "advisor/facts/predicted_change.h"
#include "core/device/device_spec.h"
#include "core/model/time_prediction.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// Whether a prediction rests on times of the same major and minor version of cuDNN. A version that
// is not known, on either side, does not stand in the way.
bool measured_with(const model::TimePrediction& time, const std::optional<Version>& cudnn);

// `predict` without its answers that were measured with another cuDNN. An empty one stays empty.
model::PredictTime predict_with(model::PredictTime predict, const std::optional<Version>& cudnn);

// Of all changes that keep the results (exact and padded), or that compute in another math type
// with the same data (numerics), the one with the shortest predicted time. CUDA graphs are left
// out: what launches cost is in every measured time. Of nearly equal ones the one that keeps more,
// then that with the fewest parts. A framework's own choice of algorithm is followed. Nothing where
// the times of the configuration itself are not predicted, or were measured with another cuDNN than
// it is judged for; without changes where none is predicted to be faster. Deterministic.
std::optional<PredictedChange> predict_change(const Profile& profile, int configuration,
                                              const DeviceSpec& device,
                                              const model::PredictTime& predict);

// What predicted times expect of given changes: time now over time with them, and the interval that
// PredictedChange has. Another data type in PyTorch comes with the casts of torch.autocast.
struct ExpectedSpeedup {
  double speedup = 1, low = 1, high = 1;
};
// Whether a ratio of predicted times says nothing of these changes. Times with and without Tensor
// Cores come from different measurements: for another math type alone, the same time or a loss
// below what predictions miss by is no answer. For other arithmetic with more changes the very same
// time is none.
bool says_nothing_of(std::span<const Transform> changes, double speedup);

// Nothing where either time is not predicted, the changes do not fit or make another model, or
// says_nothing_of() them.
std::optional<ExpectedSpeedup> predict_speedup(const Profile& profile, int configuration,
                                               const DeviceSpec& device,
                                               const model::PredictTime& predict,
                                               std::span<const Transform> changes);

// The predicted seconds with the changes, also where the configuration itself does not run.
std::optional<double> predict_seconds(const Profile& profile, int configuration,
                                      const DeviceSpec& device, const model::PredictTime& predict,
                                      std::span<const Transform> changes);

}  // namespace rnnadvisor::advisor
