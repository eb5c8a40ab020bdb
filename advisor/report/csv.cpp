// One line per configuration and phase, for spreadsheets and data frames: RFC 4180 quoting, lines
// end with LF. Empty: not known.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/report/csv_field.h"
#include "advisor/report/predicted_times.h"
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

constexpr std::size_t phase_columns = 15;  // from "phase" to "tensor_cores"
constexpr std::string_view trial_columns =
    "tried,confirmed,refuted,inconclusive,not_run,"
    "best_exact,best_exact_low,best_exact_high,best_exact_forward,best_exact_memory_bytes,"
    "best_exact_moved,best_exact_error_before,best_exact_error_after,"
    "best_padded,best_padded_low,best_padded_high,best_padded_forward,best_padded_memory_bytes,"
    "best_padded_moved,best_padded_error_before,best_padded_error_after,"
    "best_numerics,best_numerics_low,best_numerics_high,best_numerics_forward,"
    "best_numerics_memory_bytes,best_numerics_moved,best_numerics_error_before,"
    "best_numerics_error_after,trials_sm_mhz_least,trials_sm_mhz_most,trials_throttled";

// The fastest confirmed change of a meaning: speedup and interval of what decides, speedup of the
// forward pass, bytes more than before, and how far its results moved and are off float64.
std::string best(const TrialRow* row) {
  if (row == nullptr) return ",,,,,,,";
  const auto& e = *row->experiment;
  const auto* t = row->step;
  const auto* forward = row->forward != nullptr ? row->forward : row->inference;
  const bool memory = e.memory_before >= 0 && e.memory_after >= 0;
  const auto error = [&](double TensorShift::* which) {
    double most = -1;
    for (const auto& shift : e.shifts) most = std::max(most, shift.*which);
    return known(most);
  };
  return fmt::format("{},{},{},{},{},{},{},{}", t != nullptr ? positive(t->speedup) : "",
                     t != nullptr ? positive(t->speedup_low) : "",
                     t != nullptr ? positive(t->speedup_high) : "",
                     forward != nullptr ? positive(forward->speedup) : "",
                     memory ? fmt::format("{}", e.memory_after - e.memory_before) : "",
                     row->shift != nullptr ? known(row->shift->from_before) : "",
                     error(&TensorShift::before_error), error(&TensorShift::after_error));
}

// What trial_columns names.
std::string trials(const ConfigurationReport& each) {
  if (each.trials.empty())
    return std::string(
        static_cast<std::size_t>(std::count(trial_columns.begin(), trial_columns.end(), ',')), ',');
  const auto count = [&](ExperimentVerdict verdict) {
    return std::count_if(each.trials.begin(), each.trials.end(),
                         [&](const TrialRow& row) { return row.experiment->verdict == verdict; });
  };
  std::string out =
      fmt::format("{},{},{},{},{}", each.trials.size(), count(ExperimentVerdict::confirmed),
                  count(ExperimentVerdict::refuted), count(ExperimentVerdict::inconclusive),
                  count(ExperimentVerdict::not_run));
  for (const auto meaning : {Meaning::exact, Meaning::padded, Meaning::numerics})
    out += "," + best(each.best_trial(meaning));
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
  return out + fmt::format(",{},{},{}", positive(least), positive(most),
                           !throttled   ? ""
                           : *throttled ? "true"
                                        : "false");
}

// "train.py:31 in forward; eval.py:7": where recorded calls come from, the most time first.
std::string places(const std::vector<PlaceRow>& rows) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : "; ") + row.name;
  return csv_field(text);
}

// Of the phase with the algorithm that the configuration asks for: an estimate.
std::string prediction(const std::optional<model::TimePrediction>& time) {
  if (!time) return ",,,";
  return fmt::format("{:.4g},{:.4g},{:.4g},{}", time->seconds * 1e3, time->low_seconds * 1e3,
                     time->high_seconds * 1e3, time->extrapolated);
}

}  // namespace

std::string write_csv(const Report& report) {
  std::string out = "configuration,id,standing,verdict,outcome,device";
  for (const auto& [key, value] : words::all_parameters(RnnConfig{})) out += "," + key;
  out +=
      ",phase,median_ms,low_ms,high_ms,confidence,samples,kernel_ms,gpu_busy,tflops,flops,minimum_"
      "bytes,bound_ms,bound_is_estimate,"
      "implementation,tensor_cores,memory_computed_bytes,memory_measured_bytes,errors,warnings,"
      "opportunities,refuted_findings,best_gain,top_rule,";
  out += trial_columns;
  out +=
      ",best_gain_another_model,predicted_ms,predicted_low_ms,predicted_high_ms,predicted_"
      "extrapolated,called_from,nvtx_ranges\n";
  for (const auto& each : report.configurations) {
    if (each.tried) continue;
    const Configuration& configuration = *each.configuration;
    int errors = 0;
    int warnings = 0;
    int opportunities = 0;
    int refuted_findings = 0;
    for (const Finding* f : each.findings) {
      errors += f->severity == Severity::error ? 1 : 0;
      warnings += f->severity == Severity::warning ? 1 : 0;
      opportunities += f->severity == Severity::opportunity ? 1 : 0;
      refuted_findings += refuted(*f) || f->refuted_here ? 1 : 0;
    }
    std::string head = fmt::format("{},{},{},{},{},{}", each.index,
                                   csv_field(configuration.config.id), to_string(each.standing),
                                   csv_field(each.verdict), to_string(configuration.outcome),
                                   each.has_device ? csv_field(each.device->name) : "");
    for (const auto& [key, value] : words::all_parameters(configuration.config)) {
      head += ',';
      head += csv_field(value);
    }
    const std::string tail = fmt::format(
        "{},{},{},{},{},{},{},{},{},{}", bytes(each.memory.total),
        bytes(configuration.memory_peak_used), errors, warnings, opportunities, refuted_findings,
        each.best_gain() > 1 ? fmt::format("{:.4g}", each.best_gain()) : "",
        each.findings.empty() ? "" : csv_field(each.findings.front()->rule_id), trials(each),
        each.model_gain() > 1 ? fmt::format("{:.4g}", each.model_gain()) : "");
    const std::string from =
        fmt::format("{},{}", places(each.call_sites), places(each.nvtx_ranges));
    const auto* predicted =
        report.predicted != nullptr ? report.predicted->of(each.index) : nullptr;
    const auto* asked = predicted != nullptr ? predicted->asked_for() : nullptr;
    // A recurrence that is known by its kernels alone has no phases, and a row all the same.
    if (each.phases.empty()) {
      out += fmt::format("{}{},{},{},{}\n", head, std::string(phase_columns, ','), tail,
                         prediction(std::nullopt), from);
    }
    for (const auto& p : each.phases) {
      const MedianInterval ms = p.timing != nullptr ? p.timing->ms : MedianInterval{};
      out += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", head, to_string(p.phase),
          positive(ms.median), positive(ms.low), positive(ms.high), positive(ms.confidence),
          ms.count > 0 ? fmt::format("{}", ms.count) : "", known(p.kernel_ms), known(p.busy),
          positive(p.tflops), p.cost.flops, p.cost.minimum_bytes, positive(p.bound.bound_ms),
          p.bound.bound_ms > 0 ? (p.bound.estimate ? "true" : "false") : "",
          p.implementation ? model::to_string(*p.implementation) : "", csv_field(p.tensor_cores),
          tail,
          prediction(asked != nullptr ? asked->phases[static_cast<std::size_t>(p.phase)]
                                      : std::nullopt),
          from);
    }
  }
  return out;
}

}  // namespace rnnadvisor::advisor
