// One line per configuration and phase, for spreadsheets and data frames: RFC 4180 quoting, lines
// end with LF. Empty: not known.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/report/csv_field.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/program_end.h"
#include "advisor/report/report.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor {
namespace {

std::string positive(double value) {
  return value > 0 ? fmt::format("{:.6g}", value) : std::string();
}
std::string known(double value) {
  return value >= 0 ? fmt::format("{:.6g}", value) : std::string();
}
std::string bytes(std::int64_t value) {
  return value >= 0 ? fmt::format("{}", value) : std::string();
}

// A line, or with `names` the first line.
struct Line {
  bool names = false;
  std::string text = {};

  void add(std::string_view name, std::string_view value) {
    if (!text.empty()) text += ',';
    text += names ? name : value;
  }
  void add(std::string_view name, std::int64_t value) { add(name, fmt::format("{}", value)); }
};

// The fastest confirmed change of a meaning: speedup and interval of what decides, speedup of the
// forward pass, bytes more than before, and how far its results moved and are off float64.
void add_best(Line& line, Meaning meaning, const TrialRow* row) {
  const auto add = [&](std::string_view column, const std::string& value) {
    line.add(fmt::format("best_{}{}", to_string(meaning), column), value);
  };
  const auto of = [](const ExperimentTiming* timing, double ExperimentTiming::* value) {
    return timing != nullptr ? positive(timing->*value) : std::string();
  };
  const auto* step = row != nullptr ? row->step : nullptr;
  add("", of(step, &ExperimentTiming::speedup));
  add("_low", of(step, &ExperimentTiming::speedup_low));
  add("_high", of(step, &ExperimentTiming::speedup_high));
  const auto* forward = row == nullptr            ? nullptr
                        : row->forward != nullptr ? row->forward
                                                  : row->inference;
  add("_forward", of(forward, &ExperimentTiming::speedup));
  const Experiment none;
  const auto& e = row != nullptr ? *row->experiment : none;
  const bool memory = e.memory_before >= 0 && e.memory_after >= 0;
  add("_memory_bytes",
      memory ? fmt::format("{}", e.memory_after - e.memory_before) : std::string());
  add("_moved",
      row != nullptr && row->shift != nullptr ? known(row->shift->from_before) : std::string());
  const auto error = [&](double TensorShift::* which) {
    double most = -1;
    for (const auto& shift : e.shifts) most = std::max(most, shift.*which);
    return known(most);
  };
  add("_error_before", error(&TensorShift::before_error));
  add("_error_after", error(&TensorShift::after_error));
}

void add_trials(Line& line, const ConfigurationReport& each) {
  const bool any = !each.trials.empty();
  line.add("tried", any ? fmt::format("{}", each.trials.size()) : std::string());
  for (const auto verdict : {ExperimentVerdict::confirmed, ExperimentVerdict::refuted,
                             ExperimentVerdict::inconclusive, ExperimentVerdict::not_run}) {
    const auto count = std::count_if(each.trials.begin(), each.trials.end(),
                                     [&](const TrialRow& row) { return row.verdict == verdict; });
    line.add(to_string(verdict), any ? fmt::format("{}", count) : std::string());
  }
  for (const auto meaning : {Meaning::exact, Meaning::padded, Meaning::numerics})
    add_best(line, meaning, each.best_trial(meaning));
  int least = 0, most = 0;
  std::optional<bool> throttled;
  for (const auto& row : each.trials) {
    for (const auto& clocks : {row.experiment->clocks_before, row.experiment->clocks_after}) {
      if (clocks.sm_mhz > 0) least = least > 0 ? std::min(least, clocks.sm_mhz) : clocks.sm_mhz;
      most = std::max(most, clocks.sm_mhz);
      if (clocks.event_reasons >= 0)
        throttled = throttled.value_or(false) || !throttle_words(clocks.event_reasons).empty();
    }
  }
  line.add("trials_sm_mhz_least", positive(least));
  line.add("trials_sm_mhz_most", positive(most));
  line.add("trials_throttled", !throttled ? "" : *throttled ? "true" : "false");
}

// Of the phase with the algorithm that the configuration asks for: an estimate.
void add_prediction(Line& line, const Report& report, int configuration, const PhaseRow* phase) {
  const auto* times = report.predicted != nullptr ? report.predicted->of(configuration) : nullptr;
  const auto* asked = times != nullptr ? times->asked_for() : nullptr;
  std::optional<model::TimePrediction> time;
  if (asked != nullptr && phase != nullptr)
    time = asked->phases[static_cast<std::size_t>(phase->phase)];
  const auto ms = [&](double model::TimePrediction::* seconds) {
    return time ? fmt::format("{:.4g}", (*time).*seconds * 1e3) : std::string();
  };
  line.add("predicted_ms", ms(&model::TimePrediction::seconds));
  line.add("predicted_low_ms", ms(&model::TimePrediction::low_seconds));
  line.add("predicted_high_ms", ms(&model::TimePrediction::high_seconds));
  line.add("predicted_extrapolated", time ? fmt::format("{}", time->extrapolated) : std::string());
}

// "train.py:31 in forward; eval.py:7": where recorded calls come from, the most time first.
std::string places(const std::vector<PlaceRow>& rows) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : "; ") + row.name;
  return csv_field(text);
}

std::string gain(double speedup) {
  return speedup > 1 ? fmt::format("{:.4g}", speedup) : std::string();
}

// A recurrence that is known by its kernels alone has no phases, and a line all the same.
std::string line_of(const Report& report, const ConfigurationReport& each, const PhaseRow* phase,
                    bool names = false) {
  const Configuration& configuration = *each.configuration;
  Line line{names};
  line.add("configuration", std::int64_t{each.index});
  line.add("id", csv_field(configuration.config.id));
  line.add("standing", to_string(each.standing));
  line.add("verdict", csv_field(each.verdict));
  line.add("outcome", to_string(configuration.outcome));
  line.add("device", each.has_device ? csv_field(each.device->name) : std::string());
  for (const auto& [key, value] : words::all_parameters(configuration.config))
    line.add(key, csv_field(value));

  const PhaseRow none;
  const PhaseRow& p = phase != nullptr ? *phase : none;
  const auto of_phase = [&](std::string_view name, std::string_view value) {
    line.add(name, phase != nullptr ? value : std::string_view());
  };
  const MedianInterval ms = p.timing != nullptr ? p.timing->ms : MedianInterval{};
  of_phase("phase", to_string(p.phase));
  of_phase("median_ms", positive(ms.median));
  of_phase("low_ms", positive(ms.low));
  of_phase("high_ms", positive(ms.high));
  of_phase("confidence", positive(ms.confidence));
  of_phase("samples", ms.count > 0 ? fmt::format("{}", ms.count) : std::string());
  of_phase("kernel_ms", known(p.kernel_ms));
  of_phase("gpu_busy", known(p.busy));
  of_phase("tflops", positive(p.tflops));
  of_phase("flops", fmt::format("{}", p.cost.flops));
  of_phase("minimum_bytes", fmt::format("{}", p.cost.minimum_bytes));
  of_phase("bound_ms", positive(p.bound.bound_ms));
  of_phase("bound_is_estimate",
           p.bound.bound_ms > 0 ? fmt::format("{}", p.bound.estimate) : std::string());
  of_phase("implementation",
           p.implementation ? model::to_string(*p.implementation) : std::string_view());
  of_phase("tensor_cores", csv_field(p.tensor_cores));

  line.add("memory_computed_bytes", bytes(each.memory.total));
  line.add("memory_measured_bytes", bytes(configuration.memory_peak_used));
  const auto count = [&](auto counted) {
    return static_cast<std::int64_t>(
        std::count_if(each.findings.begin(), each.findings.end(), counted));
  };
  line.add("errors", count([](const Finding* f) { return f->severity == Severity::error; }));
  line.add("warnings", count([](const Finding* f) { return f->severity == Severity::warning; }));
  line.add("opportunities",
           count([](const Finding* f) { return f->severity == Severity::opportunity; }));
  line.add("refuted_findings",
           count([](const Finding* f) { return refuted(*f) || f->refuted_here; }));
  line.add("best_gain", gain(each.best_gain()));
  line.add("top_rule", each.findings.empty() ? "" : csv_field(each.findings.front()->rule_id));
  add_trials(line, each);
  line.add("best_gain_another_model", gain(each.model_gain()));
  add_prediction(line, report, each.index, phase);
  line.add("called_from", places(each.call_sites));
  line.add("nvtx_ranges", places(each.nvtx_ranges));
  line.add("program_end", report.end ? csv_field(in_short(*report.end)) : std::string());
  return line.text + "\n";
}

}  // namespace

std::string write_csv(const Report& report) {
  const Configuration nothing;
  ConfigurationReport first;
  first.configuration = &nothing;
  std::string out = line_of(report, first, nullptr, true);
  for (const auto& each : report.configurations) {
    if (each.tried) continue;
    if (each.phases.empty()) out += line_of(report, each, nullptr);
    for (const auto& phase : each.phases) out += line_of(report, each, &phase);
  }
  return out;
}

}  // namespace rnnadvisor::advisor
