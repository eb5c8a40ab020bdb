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

// How many changes were tried and confirmed, and the best speedup of each meaning.
std::string trials(const ConfigurationReport& each) {
  if (each.trials.empty()) return ",,,,";
  const auto confirmed = std::count_if(
      each.trials.begin(), each.trials.end(),
      [](const TrialRow& row) { return row.experiment->verdict == ExperimentVerdict::confirmed; });
  std::string out = fmt::format("{},{}", each.trials.size(), confirmed);
  for (const auto meaning : {Meaning::exact, Meaning::padded, Meaning::numerics}) {
    const auto* best = each.best_trial(meaning);
    out += "," + (best != nullptr && best->step != nullptr ? positive(best->step->speedup)
                                                           : std::string());
  }
  return out;
}

// Of the phase with the algorithm that the configuration asks for: an estimate.
std::string prediction(const std::optional<model::TimePrediction>& time) {
  if (!time) return ",,,";
  return fmt::format("{:.4g},{:.4g},{:.4g},{}", time->seconds * 1e3, time->low_seconds * 1e3,
                     time->high_seconds * 1e3, time->extrapolated);
}

}  // namespace

std::string write_csv(const Report& report) {
  std::string out = "configuration,id,standing,outcome,device";
  for (const auto& [key, value] : words::all_parameters(RnnConfig{})) out += "," + key;
  out +=
      ",phase,median_ms,low_ms,high_ms,confidence,samples,kernel_ms,gpu_busy,tflops,flops,minimum_"
      "bytes,bound_ms,bound_is_estimate,"
      "implementation,tensor_cores,memory_computed_bytes,memory_measured_bytes,errors,warnings,"
      "opportunities,best_gain,top_rule,tried,confirmed,best_exact,best_padded,best_numerics,"
      "best_gain_another_model,predicted_ms,predicted_low_ms,predicted_high_ms,predicted_"
      "extrapolated\n";
  for (const auto& each : report.configurations) {
    if (each.tried) continue;
    const Configuration& configuration = *each.configuration;
    int errors = 0;
    int warnings = 0;
    int opportunities = 0;
    for (const Finding* f : each.findings) {
      errors += f->severity == Severity::error ? 1 : 0;
      warnings += f->severity == Severity::warning ? 1 : 0;
      opportunities += f->severity == Severity::opportunity ? 1 : 0;
    }
    std::string head = fmt::format("{},{},{},{},{}", each.index, csv_field(configuration.config.id),
                                   to_string(each.standing), to_string(configuration.outcome),
                                   each.has_device ? csv_field(each.device->name) : "");
    for (const auto& [key, value] : words::all_parameters(configuration.config)) {
      head += ',';
      head += csv_field(value);
    }
    const std::string tail = fmt::format(
        "{},{},{},{},{},{},{},{},{}", bytes(each.memory.total),
        bytes(configuration.memory_peak_used), errors, warnings, opportunities,
        each.best_gain() > 1 ? fmt::format("{:.4g}", each.best_gain()) : "",
        each.findings.empty() ? "" : csv_field(each.findings.front()->rule_id), trials(each),
        each.model_gain() > 1 ? fmt::format("{:.4g}", each.model_gain()) : "");
    const auto* predicted =
        report.predicted != nullptr ? report.predicted->of(each.index) : nullptr;
    const auto* asked = predicted != nullptr ? predicted->asked_for() : nullptr;
    for (const auto& p : each.phases) {
      const MedianInterval ms = p.timing != nullptr ? p.timing->ms : MedianInterval{};
      out += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", head, to_string(p.phase),
          positive(ms.median), positive(ms.low), positive(ms.high), positive(ms.confidence),
          ms.count > 0 ? fmt::format("{}", ms.count) : "", known(p.kernel_ms), known(p.busy),
          positive(p.tflops), p.cost.flops, p.cost.minimum_bytes, positive(p.bound.bound_ms),
          p.bound.bound_ms > 0 ? (p.bound.estimate ? "true" : "false") : "",
          p.implementation ? model::to_string(*p.implementation) : "", csv_field(p.tensor_cores),
          tail,
          prediction(asked != nullptr ? asked->phases[static_cast<std::size_t>(p.phase)]
                                      : std::nullopt));
    }
  }
  return out;
}

}  // namespace rnnadvisor::advisor
