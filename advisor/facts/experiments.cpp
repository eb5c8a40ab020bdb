#include "advisor/facts/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "advisor/change/in_words.h"
#include "core/base/text.h"
#include "core/cudnn/tolerance.h"

namespace rnnadvisor::advisor {
namespace {

bool usable(double value) { return std::isfinite(value) && value > 0; }

}  // namespace

ExperimentVerdict verdict_of(const ExperimentTiming& t) {
  if (!usable(t.speedup) || !usable(t.speedup_low) || !usable(t.speedup_high) ||
      !usable(t.control_low) || !usable(t.control_high) || t.speedup_low > t.speedup_high ||
      t.control_low > t.control_high)
    return ExperimentVerdict::inconclusive;
  if (t.speedup_low > std::max(1.0, t.control_high)) return ExperimentVerdict::confirmed;
  if (t.speedup_high < std::min(1.0, t.control_low)) return ExperimentVerdict::refuted;
  return ExperimentVerdict::inconclusive;
}

const ExperimentTiming* deciding_timing(const std::vector<ExperimentTiming>& timings, Mode mode) {
  const auto of = [&](ExperimentScope scope) -> const ExperimentTiming* {
    const auto found = std::find_if(timings.begin(), timings.end(),
                                    [&](const auto& t) { return t.scope == scope; });
    return found == timings.end() ? nullptr : &*found;
  };
  const auto wanted =
      mode == Mode::training ? ExperimentScope::training_step : ExperimentScope::inference;
  for (const auto scope : {wanted, ExperimentScope::forward_training, ExperimentScope::inference,
                           ExperimentScope::training_step}) {
    if (const auto* timing = of(scope)) return timing;
  }
  return nullptr;
}

double shift_tolerance(Meaning meaning, const RnnConfig& before, const RnnConfig& after,
                       std::string_view tensor) {
  const double own = correctness_tolerance(before, tensor);
  switch (meaning) {
    case Meaning::exact:
    case Meaning::padded:
      return 2 * own;
    case Meaning::numerics:
      return own + correctness_tolerance(after, tensor);
    case Meaning::model:
      return std::numeric_limits<double>::infinity();
  }
  return 2 * own;
}

std::optional<std::string> moved_too_far(const std::vector<TensorShift>& shifts, Meaning meaning,
                                         const RnnConfig& before, const RnnConfig& after) {
  for (const auto& shift : shifts) {
    if (shift.from_before < 0) continue;
    const double most = shift_tolerance(meaning, before, after, shift.tensor);
    if (shift.from_before <= most || std::isinf(most)) continue;
    const bool right = shift.before_error >= 0 && shift.after_error >= 0 &&
                       shift.after_error <= correctness_tolerance(after, shift.tensor);
    if (right) continue;
    return fmt::format("{} moved by {:.2g}, and a change that is called {} may move it by {:.2g}",
                       shift.tensor, shift.from_before, to_string(meaning), most);
  }
  return std::nullopt;
}

std::optional<std::string> moved_too_far(const Profile& profile, const Experiment& experiment) {
  const auto meaning = parse_meaning(experiment.meaning);
  const auto at = static_cast<std::size_t>(experiment.configuration);
  if (!meaning || experiment.configuration < 0 || at >= profile.configurations.size())
    return std::nullopt;
  const RnnConfig& before = profile.configurations[at].config;
  const RnnConfig* after = &before;
  if (!experiment.changed.empty() && experiment.changed.front() >= 0) {
    const auto first = static_cast<std::size_t>(experiment.changed.front());
    if (first < profile.configurations.size()) after = &profile.configurations[first].config;
  }
  return moved_too_far(experiment.shifts, *meaning, before, *after);
}

std::string change_words(std::string_view transforms) {
  const auto list = nlohmann::ordered_json::parse(transforms, nullptr, false);
  if (!list.is_array() || list.empty()) return to_valid_utf8(transforms);
  std::string text;
  for (const auto& item : list) {
    if (!item.is_object() || !item.contains("kind") || !item.at("kind").is_string())
      return to_valid_utf8(transforms);
    const auto kind = item.at("kind").get<std::string>();
    if (kind.empty()) return to_valid_utf8(transforms);
    std::string parameters, only;
    if (const auto given = item.find("parameters"); given != item.end() && given->is_object()) {
      for (const auto& [name, value] : given->items()) {
        // "algo standard" says as much as "algo (value standard)".
        if (name == "value" && given->size() == 1) {
          only = " " + (value.is_string() ? value.get<std::string>() : value.dump());
          break;
        }
        parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", name,
                                  value.is_string() ? value.get<std::string>() : value.dump());
      }
    }
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", then ", kind, only,
                        parameters.empty() ? "" : fmt::format(" ({})", parameters));
  }
  return text;
}

int rank(ExperimentVerdict verdict) {
  switch (verdict) {
    case ExperimentVerdict::confirmed:
      return 0;
    case ExperimentVerdict::inconclusive:
      return 1;
    case ExperimentVerdict::refuted:
      return 2;
    case ExperimentVerdict::not_run:
      break;
  }
  return 3;
}

std::string_view scope_words(ExperimentScope scope) {
  switch (scope) {
    case ExperimentScope::inference:
      return "forward inference";
    case ExperimentScope::forward_training:
      return "forward training";
    case ExperimentScope::training_step:
      return "training step";
    case ExperimentScope::program_step:
      return "program step";
  }
  return "?";
}

const ExperimentTiming* whole_step_timing(const Experiment& experiment) {
  const auto found = std::ranges::find(experiment.timings, ExperimentScope::program_step,
                                       &ExperimentTiming::scope);
  return found == experiment.timings.end() ? nullptr : &*found;
}

const ExperimentTiming* deciding_timing(const Profile& profile, const Experiment& experiment) {
  const auto at = static_cast<std::size_t>(experiment.configuration);
  if (experiment.configuration < 0 || at >= profile.configurations.size()) return nullptr;
  if (const auto* step = whole_step_timing(experiment)) return step;
  return deciding_timing(experiment.timings, profile.configurations[at].config.mode);
}

std::string throttle_change(const Experiment& experiment) {
  const auto &before = experiment.clocks_before, &after = experiment.clocks_after;
  if (before.event_reasons < 0 || after.event_reasons < 0) return {};
  const auto first = throttle_words(before.event_reasons);
  const auto last = throttle_words(after.event_reasons);
  if (first == last) return {};
  if (first.empty()) return "the GPU began to throttle while this was measured: " + last;
  if (last.empty())
    return fmt::format("the GPU throttled when this was begun ({}) and not at its end", first);
  return fmt::format("the GPU throttled when this was begun ({}), and otherwise at its end ({})",
                     first, last);
}

const TensorShift* largest_shift(const std::vector<TensorShift>& shifts) {
  const TensorShift* largest = nullptr;
  for (const auto& shift : shifts) {
    if (std::isnan(shift.from_before)) return &shift;
    if (shift.from_before < 0) continue;
    if (largest == nullptr || shift.from_before > largest->from_before) largest = &shift;
  }
  return largest;
}

int closeness(const Experiment& experiment) {
  if (experiment.where == "program") return 2;
  return experiment.where == "cudnn" ? 0 : 1;
}

bool in_framework_instead(const Experiment& other, const Experiment& bare) {
  return closeness(bare) < closeness(other) && other.configuration == bare.configuration &&
         other.device == bare.device && other.transforms == bare.transforms &&
         other.verdict != ExperimentVerdict::not_run;
}

bool tried_in_framework(const Profile& profile, const Experiment& experiment) {
  return std::any_of(
      profile.experiments.begin(), profile.experiments.end(),
      [&](const Experiment& other) { return in_framework_instead(other, experiment); });
}

std::vector<bool> devices_at_once(const Profile& profile) {
  std::vector<bool> called(profile.devices.size(), false);
  for (const auto& call : profile.calls)
    if (const auto at = static_cast<std::size_t>(call.device);
        call.device >= 0 && at < called.size())
      called[at] = true;
  std::vector<bool> counts(profile.devices.size(), true);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::size_t k = 0; k < counts.size() && !called[i]; ++k)
      if (k != i && (called[k] || k < i) && counts[k] &&
          profile.devices[k].same_kind(profile.devices[i]))
        counts[i] = false;
  }
  return counts;
}

std::vector<bool> tried_configurations(const Profile& profile) {
  std::vector<bool> tried(profile.configurations.size(), false);
  std::vector<bool> own(profile.configurations.size(), false);
  const auto at = [&](int index) { return static_cast<std::size_t>(index); };
  const auto valid = [&](int index) { return index >= 0 && at(index) < tried.size(); };
  for (const auto& experiment : profile.experiments) {
    if (valid(experiment.configuration)) own[at(experiment.configuration)] = true;
    for (const int index : experiment.changed)
      if (valid(index)) tried[at(index)] = true;
  }
  for (std::size_t i = 0; i < tried.size(); ++i) tried[i] = tried[i] && !own[i];
  return tried;
}

}  // namespace rnnadvisor::advisor
