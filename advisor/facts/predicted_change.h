// What predicted times say of a configuration: the change of which they expect the most. Facts
// (predicted.*) and rules see the answer; who finds it is advisor/whatif.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advisor/change/change.h"
#include "core/device/device_spec.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::advisor {

// The predictor of a device's times; model::predict_time_for in programs.
using PredictFor = std::function<model::PredictTime(const DeviceSpec&)>;

// Times are of the calls of one training step or of inference, on the GPU, in seconds. All of it is
// estimated from times that were measured on this kind of GPU.
struct PredictedChange {
  std::vector<Transform> changes;  // in the order in which they are applied; empty: none is faster
  std::string words;               // the same for people
  Meaning meaning = Meaning::exact;
  model::TimePrediction before, after;
  double speedup = 1;  // before / after
  // The ratio's interval: that both are off by their own intervals, independently of each other, on
  // a logarithmic scale.
  double low = 1, high = 1;
  // Where the framework chooses the algorithm: the one that cuDNN has beside its choice and that is
  // predicted to take the least time, with the same ratios; before one that only another program
  // can ask for, one that takes hardly longer and that `accelerate` swaps below the framework.
  struct Other {
    Algo algo = Algo::standard;
    double seconds = 0;
    double speedup = 1, low = 1, high = 1;
    bool swapped = false;  // `accelerate` asks for it in place of the framework
  };
  std::optional<Other> other;
  // What `accelerate --allow numerics` swaps below PyTorch for a float32 layer.
  std::optional<Other> converting;
  // Of a layer in float or bfloat16: half data together with what goes along with it, such as
  // padding and one call per layer. Casts around the layer are not in it.
  struct InHalf {
    std::vector<Transform> changes;  // in the order in which they are applied
    std::string words;
    // In PyTorch with the casts that torch.autocast makes around the calls.
    model::TimePrediction after;
    double casts_seconds = 0;  // of that
    double speedup = 1, low = 1, high = 1;
  };
  std::optional<InHalf> in_half;
};

// Asked for a configuration of a profile; nothing where times cannot be predicted.
using PredictChange = std::function<std::optional<PredictedChange>(int configuration)>;

}  // namespace rnnadvisor::advisor
