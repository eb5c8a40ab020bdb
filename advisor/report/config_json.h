// A configuration as the JSON of reports and maps has it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/config/rnn_config.h"

namespace rnnadvisor::advisor {

// Every field by its key, in the order of core/config/fields.h; an algorithm that is not set is
// left out.
nlohmann::ordered_json config_json(const RnnConfig& config);

}  // namespace rnnadvisor::advisor
