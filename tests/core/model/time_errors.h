// The table of docs/models.md: how far predicted times are from those of configurations that were
// held back.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/model/time_errors.h"

namespace rnnadvisor::test {

inline std::string percent(double share) {
  const double value = 100 * share;
  return value >= 10 || value == 0 ? fmt::format("{:.0f} %", value)
                                   : fmt::format("{:.2g} %", value);
}

inline std::string time_error_table(const model::TimeJudgement& judged) {
  std::string out =
      "| kernels | phase | times | median error | 95th percentile | in the interval |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  model::TimeErrors all;
  const auto row = [&](const std::string& name, std::string_view phase,
                       const model::TimeErrors& errors) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", name, phase, errors.count(),
                       percent(model::quantile(errors.relative, 0.5)),
                       percent(model::quantile(errors.relative, 0.95)),
                       percent(static_cast<double>(errors.covered) / errors.count()));
  };
  for (const auto& [group, phases] : judged.errors) {
    for (const auto& [phase, errors] : phases) {
      row(group, to_string(phase), errors);
      all.relative.insert(all.relative.end(), errors.relative.begin(), errors.relative.end());
      all.covered += errors.covered;
    }
  }
  row("**all**", "", all);
  return out;
}

inline std::string choice_table(const model::TimeJudgement& judged) {
  std::string out =
      "| choice by | configurations | best algorithm named | time lost: median | 95th percentile | "
      "most |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [name, errors] :
       {std::pair{"inference: forward", &judged.inference},
        {"training: forward, backward data, backward weights", &judged.training}}) {
    out += fmt::format("| {} | {} | {} ({}) | {} | {} | {} |\n", name, errors->configurations,
                       errors->right,
                       percent(static_cast<double>(errors->right) / errors->configurations),
                       percent(model::quantile(errors->regret, 0.5)),
                       percent(model::quantile(errors->regret, 0.95)),
                       percent(model::quantile(errors->regret, 1)));
  }
  return out;
}

}  // namespace rnnadvisor::test
