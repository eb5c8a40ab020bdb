#include "advisor/judge/predictions.h"

#include <algorithm>

#include "advisor/change/compose.h"
#include "advisor/whatif/predicted_change.h"

namespace rnnadvisor::advisor {
namespace {

// Predictions miss by a fifth in the median (docs/models.md): what is nearer says nothing.
constexpr double clearly = 1.25;

// Another data type, or permission to convert to one: it gives up more than another math type.
bool other_data(const std::vector<Transform>& changes) {
  const ParameterValue conversion(std::string(to_string(MathType::tensor_op_allow_conversion)));
  return std::any_of(changes.begin(), changes.end(), [&](const Transform& change) {
    return change.kind == "data_type" ||
           (change.kind == "math_type" && parameter_of(change, "value") == conversion);
  });
}

// A command that measures in the program, and keeps what is faster, comes before code to write.
bool stays_first(const Suggestion& suggestion, double speedup) {
  return suggestion.effort == Effort::command && speedup >= least_told_gain;
}

}  // namespace

Predictions::Predictions(const Profile& profile, const PredictFor& predict_for)
    : profile_(profile), predict_for_(predict_for) {}

const DeviceSpec* Predictions::device(int configuration) const {
  const int index = profile_.configurations[static_cast<std::size_t>(configuration)].device;
  const auto at = static_cast<std::size_t>(index);
  return index >= 0 && at < profile_.devices.size() ? &profile_.devices[at] : nullptr;
}

const model::PredictTime& Predictions::predict(const DeviceSpec& device) {
  const auto [at, fresh] = by_device_.try_emplace(&device);
  if (fresh && predict_for_) at->second = predict_for_(device);
  return at->second;
}

std::optional<PredictedChange> Predictions::change(int configuration) {
  const auto* spec = device(configuration);
  if (spec == nullptr) return std::nullopt;
  return predict_change(profile_, configuration, *spec, predict(*spec));
}

std::optional<ExpectedSpeedup> Predictions::speedup(int configuration,
                                                    std::span<const Transform> changes) {
  const auto* spec = device(configuration);
  if (spec == nullptr) return std::nullopt;
  return predict_speedup(profile_, configuration, *spec, predict(*spec), changes);
}

std::optional<double> Predictions::seconds(int configuration, std::span<const Transform> changes) {
  const auto* spec = device(configuration);
  if (spec == nullptr) return std::nullopt;
  return predict_seconds(profile_, configuration, *spec, predict(*spec), changes);
}

void Predictions::apply(Finding& finding) {
  struct Known {
    std::size_t place;
    ExpectedSpeedup expected;
    Meaning meaning;
    bool other_data;
  };
  std::optional<Known> first, best;
  for (std::size_t i = 0; i < finding.suggestions.size(); ++i) {
    const auto& suggestion = finding.suggestions[i];
    if (!suggestion.transform || !suggestion.cannot.empty() || suggestion.no_faster_here ||
        timed_here(suggestion))
      continue;
    const auto changes = changes_of(suggestion);
    const auto expected = speedup(finding.configuration, changes);
    const Known known{i, expected.value_or(ExpectedSpeedup{}), widest_meaning(changes),
                      other_data(changes)};
    // What is not predicted is no match for anything: the card's order stands.
    if (!first && !expected) return;
    if (!expected) continue;
    if (!first) {
      first = best = known;
    } else if (known.meaning <= std::max(first->meaning, Meaning::padded) &&
               known.other_data <= first->other_data &&
               known.expected.speedup > best->expected.speedup) {
      best = known;
    }
  }
  if (!first) return;
  const std::size_t first_place = first->place;  // of the best one, when they are in order
  if (!stays_first(finding.suggestions[first_place], first->expected.speedup) &&
      best->expected.speedup > first->expected.speedup * clearly) {
    const auto begin = finding.suggestions.begin();
    std::rotate(begin + static_cast<std::ptrdiff_t>(first->place),
                begin + static_cast<std::ptrdiff_t>(best->place),
                begin + static_cast<std::ptrdiff_t>(best->place) + 1);
  } else {
    best = first;
  }
  finding.predicted_speedup = best->expected.speedup;
  if (finding.gain && finding.gain->saved_bytes > 0) return;
  if (best->expected.speedup < least_told_gain) {
    finding.gain.reset();
    return;
  }
  const auto& own = profile_.configurations[static_cast<std::size_t>(finding.configuration)];
  Gain gain;
  gain.speedup = best->expected.speedup;
  gain.low = best->expected.low;
  gain.high = best->expected.high;
  gain.basis = GainBasis::modelled;
  gain.scope = own.config.mode == Mode::training ? "training step" : "forward inference";
  gain.source = "predicted times";
  gain.changes = changes_of(finding.suggestions[first_place]);
  gain.another_model = widest_meaning(gain.changes) == Meaning::model;
  finding.gain = gain;
}

namespace {

// Leaves the change of such a rule to another finding that proposes the same calls.
std::optional<LeftOut> leave_predicted(std::string_view rule, std::vector<Finding>& findings,
                                       const ProfileIndex& index, Predictions& predictions) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.rule_id == rule && !finding.suggestions.empty() &&
           finding.suggestions.front().transform && finding.gain;
  });
  if (found == findings.end()) return std::nullopt;
  const auto& config =
      index.profile().configurations[static_cast<std::size_t>(found->configuration)].config;
  const auto calls = compose(changes_of(found->suggestions.front()), config);
  // A named cause with its document says more than a number.
  for (auto& other : findings) {
    if (&other == &*found || other.severity == Severity::info || refuted(other) || !calls) continue;
    const auto same =
        std::find_if(other.suggestions.begin(), other.suggestions.end(), [&](const Suggestion& s) {
          if (!s.transform || !s.cannot.empty()) return false;
          const auto its = compose(changes_of(s), config);
          return its && *its == *calls;
        });
    if (same == other.suggestions.end()) continue;
    if (same->no_faster_here) continue;
    std::optional<Gain> gain = found->gain;
    gain->changes = changes_of(*same);
    if (timed_here(*same)) gain = other.gain;
    // What the card proposes first stays first, unless it is predicted to gain clearly less.
    const auto& first = other.suggestions.front();
    if (first.transform) {
      const auto its = predictions.speedup(other.configuration, changes_of(first));
      if (its && !stays_first(first, its->speedup) && its->speedup * clearly < found->gain->speedup)
        std::rotate(other.suggestions.begin(), same, same + 1);
    }
    if (!other.gain || other.gain->basis != GainBasis::measured_here) other.gain = std::move(gain);
    LeftOut left{found->rule_id, found->configuration, other.rule_id};
    findings.erase(found);
    return left;
  }
  return std::nullopt;
}

}  // namespace

std::vector<LeftOut> compare_predicted(std::vector<Finding>& findings, const ProfileIndex& index,
                                       Predictions& predictions) {
  std::vector<LeftOut> left;
  for (const auto rule : {predicted_rule, predicted_half_rule})
    if (auto one = leave_predicted(rule, findings, index, predictions))
      left.push_back(std::move(*one));
  return left;
}

}  // namespace rnnadvisor::advisor
