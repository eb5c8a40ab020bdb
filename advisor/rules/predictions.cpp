#include "advisor/rules/predictions.h"

#include <algorithm>

#include "advisor/whatif/candidate.h"
#include "advisor/whatif/predicted_change.h"

namespace rnnadvisor::advisor {
namespace {

// Predictions miss by a fifth in the median (docs/models.md): what is nearer says nothing.
constexpr double clearly = 1.25;

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

std::optional<double> Predictions::speedup(int configuration, std::span<const Transform> changes) {
  const auto* spec = device(configuration);
  if (spec == nullptr) return std::nullopt;
  return predict_speedup(profile_, configuration, *spec, predict(*spec), changes);
}

std::vector<LeftOut> compare_predicted(std::vector<Finding>& findings, const ProfileIndex& index,
                                       Predictions& predictions) {
  const auto found = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.rule_id == predicted_rule && !finding.suggestions.empty() &&
           finding.suggestions.front().transform && finding.gain;
  });
  if (found == findings.end()) return {};
  std::vector<LeftOut> left;
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
    // What the card proposes first stays first, unless it is predicted to gain clearly less.
    const auto& first = other.suggestions.front();
    if (first.transform) {
      const auto its = predictions.speedup(other.configuration, changes_of(first));
      if (its && *its * clearly < found->gain->speedup)
        std::rotate(other.suggestions.begin(), same, same + 1);
    }
    if (!other.gain || other.gain->basis != GainBasis::measured_here) other.gain = found->gain;
    left.push_back({found->rule_id, found->configuration, other.rule_id});
    findings.erase(found);
    break;
  }
  for (auto& finding : findings) {
    for (const auto& suggestion : finding.suggestions) {
      if (!suggestion.transform) continue;
      finding.predicted_speedup =
          predictions.speedup(finding.configuration, changes_of(suggestion));
      break;
    }
  }
  return left;
}

}  // namespace rnnadvisor::advisor
