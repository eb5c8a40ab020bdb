// What `rnnadvisor fit` prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/fit/fit.h"
#include "advisor/fit/trial.h"

namespace rnnadvisor::cli {

// A question with its answer; `trial` where it was tried.
struct AnsweredFit {
  advisor::FitQuestion question;
  advisor::FitAnswer fit;
  std::optional<advisor::FitTrial> trial;
};

std::string fit_text(const AnsweredFit& answered, int width);
// docs/schema/fit.schema.json
std::string fit_json(const std::vector<AnsweredFit>& answers);

}  // namespace rnnadvisor::cli
