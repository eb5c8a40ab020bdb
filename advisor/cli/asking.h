// What `fit` and `map` ask about configurations, which `serve` asks, too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/cli/configurations.h"
#include "advisor/fit/fit.h"
#include "core/model/map.h"
#include "core/model/time_model.h"
#include "profiler/classify/memory_use.h"

namespace rnnadvisor::cli {

inline constexpr std::string_view default_largest = "batch", default_optimizer = "adam",
                                  default_axes = "hidden-batch", every_map = "all";

struct FitTerms {
  advisor::Largest largest = advisor::Largest::batch;
  std::optional<std::int64_t> memory;  // bytes; nothing: those of the device
  model::Optimizer optimizer = model::Optimizer::adam;
};
// By the words of the options. `memory` may be empty.
Result<FitTerms> read_fit_terms(std::string_view largest, const std::string& memory,
                                std::string_view optimizer);

// `use`: of the recorded program; `chosen`: another device than the recorded one, or that of a
// configuration.
Result<advisor::FitQuestion> fit_question(const FitTerms& terms,
                                          advisor::AskedConfiguration subject, const MemoryUse& use,
                                          const std::optional<DeviceSpec>& chosen);

// "hidden-batch", or every_map.
Result<std::vector<model::MapAxes>> read_map_axes(std::string_view word);

// What predicts the times of maps where a description has its own beside it; else empty.
Result<model::PredictTime> times_beside(const std::string& device_name, const DeviceSpec& device);
// The same from the times that were read with the device; null: there are none.
model::PredictTime times_beside(const std::string& device_name,
                                std::shared_ptr<const model::TimeModel> times);

// Of each configuration a map for each of `axes`, in order, on `chosen` or on its own device.
std::vector<model::ConfigurationMap> make_maps(const AskedConfigurations& centres,
                                               const std::vector<model::MapAxes>& axes,
                                               const std::optional<DeviceSpec>& chosen,
                                               const model::PredictTime& beside,
                                               const Services& services);

}  // namespace rnnadvisor::cli
