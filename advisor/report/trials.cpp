#include "advisor/report/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advisor/change/in_words.h"
#include "advisor/facts/experiments.h"
#include "advisor/report/trial_samples.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::string_view in_your_program = "in your program, while it ran";

const ExperimentTiming* of_scope(const Experiment& experiment, ExperimentScope scope) {
  const auto found = std::find_if(experiment.timings.begin(), experiment.timings.end(),
                                  [&](const auto& t) { return t.scope == scope; });
  return found == experiment.timings.end() ? nullptr : &*found;
}

std::string where_of(const Profile& profile, const Experiment& experiment) {
  std::string text;
  if (experiment.where == "pytorch") {
    text = "in PyTorch";
  } else if (experiment.where == "program") {
    text = in_your_program;
  } else if (!experiment.where.empty() && experiment.where != "cudnn") {
    text = "in " + words::clean(experiment.where);
  }
  const auto own = static_cast<std::size_t>(experiment.configuration);
  const auto at = static_cast<std::size_t>(experiment.device);
  if (experiment.device >= 0 && at < profile.devices.size()) {
    const auto& configuration = profile.configurations[own];
    const auto its = static_cast<std::size_t>(configuration.device);
    const bool other = configuration.device < 0 || its >= profile.devices.size() ||
                       profile.devices[its].name != profile.devices[at].name;
    if (other) text += (text.empty() ? "on " : " on ") + words::clean(profile.devices[at].name);
  }
  return text;
}

// The same change was measured closer to the program too: that counts.
bool superseded(const ConfigurationReport& report, const TrialRow& row) {
  return std::any_of(report.trials.begin(), report.trials.end(), [&](const TrialRow& other) {
    return in_framework_instead(*other.experiment, *row.experiment);
  });
}

}  // namespace

std::vector<TrialRow> trial_rows(const Profile& profile, std::span<const int> experiments) {
  std::vector<TrialRow> rows;
  for (const int index : experiments) {
    TrialRow row;
    row.index = index;
    row.experiment = &profile.experiments[static_cast<std::size_t>(index)];
    row.verdict = row.experiment->verdict;
    row.change = words::clean(change_in_words(row.experiment->transforms));
    row.step = deciding_timing(profile, *row.experiment);
    row.inference = of_scope(*row.experiment, ExperimentScope::inference);
    row.forward = of_scope(*row.experiment, ExperimentScope::forward_training);
    row.training = of_scope(*row.experiment, ExperimentScope::training_step);
    row.program = whole_step_timing(*row.experiment);
    row.shift = largest_shift(row.experiment->shifts);
    row.wrong = moved_too_far(profile, *row.experiment).value_or("");
    row.where = where_of(profile, *row.experiment);
    rows.push_back(std::move(row));
  }
  const auto speedup = [](const TrialRow& row) {
    return row.step != nullptr ? row.step->speedup : 0;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const TrialRow& a, const TrialRow& b) {
    const int ra = rank(a.experiment->verdict), rb = rank(b.experiment->verdict);
    if (ra != rb) return ra < rb;
    const bool pa = a.experiment->where == "program", pb = b.experiment->where == "program";
    return pa != pb ? pa : speedup(a) > speedup(b);
  });
  return rows;
}

const TrialRow* ConfigurationReport::best_trial(Meaning meaning) const {
  const TrialRow *runs = nullptr, *best = nullptr;
  for (const auto& row : trials) {
    if (row.experiment->verdict != ExperimentVerdict::confirmed || superseded(*this, row) ||
        row.experiment->meaning != to_string(meaning))
      continue;
    if (row.step == nullptr || !(row.step->speedup > 0)) {
      if (runs == nullptr) runs = &row;
    } else if (best == nullptr || row.step->speedup > best->step->speedup) {
      best = &row;
    }
  }
  // Without a time: the original did not run, and this does.
  return best != nullptr ? best : runs;
}

namespace words {
namespace {
// Whole steps are timed with the changes of all layers at once.
constexpr std::string_view whole_step = "whole step of the program, with all changed layers";
}  // namespace

std::string_view verdict(ExperimentVerdict value) {
  return value == ExperimentVerdict::not_run ? "not run" : to_string(value);
}

std::string speedup(const ExperimentTiming* timing) {
  if (timing == nullptr || !(timing->speedup > 0)) return {};
  return fmt::format("{} ({} to {})", times(timing->speedup), number(timing->speedup_low),
                     number(timing->speedup_high));
}

std::string memory_change(const Experiment& experiment) {
  if (experiment.memory_before < 0 || experiment.memory_after < 0) return {};
  if (experiment.memory_after == experiment.memory_before) return "the same";
  const double change =
      static_cast<double>(experiment.memory_before) - static_cast<double>(experiment.memory_after);
  return change > 0 ? "saves " + format_bytes(change)
                    : fmt::format("takes {} more", format_bytes(-change));
}

namespace {

// "1980", "1965 to 1980".
std::string range(double least, double most) {
  return least == most ? fmt::format("{:.0f}", least)
                       : fmt::format("{:.0f} to {:.0f}", least, most);
}

struct Range {
  double least = 0, most = 0;
  void add(double value) {
    if (value <= 0) return;
    least = most > 0 ? std::min(least, value) : value;
    most = std::max(most, value);
  }
  std::string words() const { return range(least, most); }
};

struct ClockRanges {
  Range before, after, celsius, watts;
  std::vector<std::string> reasons;  // that throttled
  bool reasons_known = false;

  void add(const GpuClocks& clocks, Range& sm) {
    sm.add(clocks.sm_mhz);
    celsius.add(clocks.temperature_c);
    watts.add(std::round(clocks.power_mw / 1e3));
    if (clocks.event_reasons < 0) return;
    reasons_known = true;
    const auto reason = throttle_words(clocks.event_reasons);
    if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  }
  void add(const Experiment& experiment) {
    add(experiment.clocks_before, before);
    add(experiment.clocks_after, after);
  }
  std::string words() const {
    std::string text;
    const auto put = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
    if (before.most > 0) put(fmt::format("SM clock {} MHz before", before.words()));
    if (after.most > 0)
      put(fmt::format("{}{} MHz after", before.most > 0 ? "" : "SM clock ", after.words()));
    if (celsius.most > 0) put(celsius.words() + " °C");
    if (watts.most > 0) put(watts.words() + " W");
    if (text.empty() && !reasons_known) return text;
    if (!reasons_known) {
      put("throttling not known");
    } else if (reasons.empty()) {
      put("no throttling");
    } else {
      std::string list;
      for (const auto& reason : reasons) list += (list.empty() ? "" : " / ") + reason;
      put("throttled: " + list);
    }
    return text;
  }
};

}  // namespace

std::string clocks(const Experiment& experiment) {
  ClockRanges ranges;
  ranges.add(experiment);
  return ranges.words();
}

std::string clocks(const ConfigurationReport& report) {
  ClockRanges ranges;
  for (const auto& row : report.trials) ranges.add(*row.experiment);
  return ranges.words();
}

std::string moved(const TrialRow& row) {
  if (row.shift == nullptr) return {};
  return fmt::format("{} {:.1e}", clean(row.shift->tensor), row.shift->from_before);
}

std::string moved_in_full(const TrialRow& row) {
  std::string text = moved(row);
  if (text.empty()) return text;
  const TensorShift* of = row.shift;
  const auto compared = [](const TensorShift& s) {
    return s.before_error >= 0 && s.after_error >= 0;
  };
  if (!compared(*of)) {
    of = nullptr;
    for (const auto& shift : row.experiment->shifts)
      if (compared(shift) && (of == nullptr || shift.after_error > of->after_error)) of = &shift;
  }
  if (of == nullptr) return text;
  return text + fmt::format(" (float64: {}before {:.1e}, after {:.1e})",
                            of == row.shift ? "" : clean(of->tensor) + " ", of->before_error,
                            of->after_error);
}

std::string trial(const TrialOutcome& outcome) {
  const std::string details = trial_details(outcome);
  return std::string(verdict(outcome.verdict)) + (details.empty() ? "" : ", ") + details;
}

std::string trial_details(const TrialOutcome& outcome) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (outcome.of_results)
    text += outcome.verdict == ExperimentVerdict::confirmed
                ? "it runs and its results are right; "
                : "it runs; its results were not compared; ";
  if (outcome.speedup > 0) {
    const bool step = outcome.scope == scope_words(ExperimentScope::program_step);
    text += fmt::format(
        fmt::runtime(outcome.of_results ? "{} as fast ({} to {}), {}" : "{} ({} to {}), {}"),
        times(outcome.speedup), number(outcome.low), number(outcome.high),
        step ? std::string(whole_step) : scope(outcome.scope));
    if (outcome.control_high > 0)
      text += fmt::format("; the original against itself {} to {}", number(outcome.control_low),
                          number(outcome.control_high));
  }
  if (outcome.in_program) add(std::string(in_your_program));
  if (!outcome.device.empty()) add("on " + clean(outcome.device));
  if (!outcome.message.empty()) add(clean(outcome.message));
  return text;
}

std::vector<std::string> best_trials(const ConfigurationReport& report) {
  std::vector<std::string> lines;
  const auto add = [&](Meaning meaning, std::string_view what) {
    const TrialRow* row = report.best_trial(meaning);
    if (row == nullptr) return;
    std::string line =
        fmt::format("{}: {}{}", what, row->change, row->where.empty() ? "" : " " + row->where);
    const auto put = [&](std::string_view name, const ExperimentTiming* timing) {
      if (const auto gain = speedup(timing); !gain.empty())
        line += fmt::format(", {} {}", name, gain);
    };
    put("forward", row->forward);
    put("training step", row->training);
    put("inference", row->inference);
    put(whole_step, row->program);
    if (speedup(row->step).empty()) line += ", which runs where the original does not";
    if (const auto memory = memory_change(*row->experiment); !memory.empty())
      line += memory == "the same" ? ", as much memory" : ", " + memory;
    if (const auto far = moved_in_full(*row); !far.empty()) line += ", moved " + far;
    lines.push_back(std::move(line));
  };
  add(Meaning::exact, "Best that keeps every result");
  add(Meaning::padded, "Best with padding");
  add(Meaning::numerics, "Best in another precision");
  add(Meaning::model, "Best with another model");
  return lines;
}

std::string trials_note(const ConfigurationReport& report, const VerdictSigns& signs) {
  std::string text =
      fmt::format("{} tried: ", plural(static_cast<long long>(report.trials.size()), "change"));
  const auto put = [&](ExperimentVerdict verdict, std::string_view name, std::string_view sign) {
    const auto count = std::count_if(report.trials.begin(), report.trials.end(),
                                     [&](const TrialRow& row) { return row.verdict == verdict; });
    if (count == 0 && verdict != ExperimentVerdict::confirmed) return;
    text += fmt::format("{}{} {}", text.ends_with(": ") ? "" : ", ", count, name);
    if (count > 0 && !sign.empty()) text += fmt::format(" ({})", sign);
  };
  put(ExperimentVerdict::confirmed, "confirmed", signs.confirmed);
  put(ExperimentVerdict::inconclusive, "inconclusive", signs.inconclusive);
  put(ExperimentVerdict::refuted, "refuted", signs.refuted);
  put(ExperimentVerdict::not_run, "could not be run", signs.not_run);
  const auto any = [&](auto has) {
    return std::any_of(report.trials.begin(), report.trials.end(), has);
  };
  const bool program = any([](const TrialRow& row) { return row.experiment->where == "program"; });
  const bool control = !program || any([](const TrialRow& row) {
    return row.step != nullptr && row.step->control_high > 0;
  });
  text += ". Speedup: median of before / after with its 95 % interval";
  text += control ? "; control: the original against itself." : ".";
  if (program) {
    text += fmt::format(" In your program calls with both algorithms alternated while it ran{}.",
                        control ? "; these have no control" : "");
  }
  if (const auto far = outliers(report); !far.empty())
    text += fmt::format(" Every sample counts; {}.", far);
  const auto seen = clocks(report);
  return text +
         (seen.empty() ? " Clocks of the GPU were not recorded." : fmt::format(" {}.", seen));
}

}  // namespace words
}  // namespace rnnadvisor::advisor
