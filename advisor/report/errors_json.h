// Explained errors as the JSON of reports and of explain-error has them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "advisor/errors/known_errors.h"

namespace rnnadvisor::advisor {

nlohmann::ordered_json errors_json(std::span<const ExplainedError> errors);

// docs/schema/explain-error.schema.json
std::string write_errors_json(std::span<const ExplainedError> errors);

}  // namespace rnnadvisor::advisor
