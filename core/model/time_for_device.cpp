#include "core/model/time_for_device.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/model/time_model.h"

namespace rnnadvisor::model {
namespace {

// A model is fitted on first use and then kept: a window asks again with every change.
std::shared_ptr<const TimeModel> shipped_model(const DeviceSpec& device) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, int>, std::shared_ptr<const TimeModel>> models;
  const std::lock_guard lock(mutex);
  const auto [at, missing] = models.try_emplace({device.id, device.sm_count});
  if (missing) {
    auto model = find_time_model(device.id, device);
    if (model) at->second = std::move(*model);
  }
  return at->second;
}

}  // namespace

PredictTime predict_time_for(const DeviceSpec& device) {
  if (auto model = shipped_model(device)) return predictor(std::move(model));
  return [](const RnnConfig&, Phase) -> std::optional<TimePrediction> { return std::nullopt; };
}

}  // namespace rnnadvisor::model
