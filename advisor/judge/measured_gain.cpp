#include "advisor/judge/measured_gain.h"

#include <array>
#include <string>
#include <vector>

#include "advisor/change/accelerating.h"
#include "advisor/change/compose.h"
#include "advisor/rules/evaluate.h"
#include "advisor/whatif/candidates.h"
#include "advisor/whatif/framework_fit.h"
#include "core/config/rnn_config.h"

namespace rnnadvisor::advisor {
namespace {

std::span<const std::string_view> measured_scopes(Mode mode) {
  static constexpr std::array<std::string_view, 2> training = {"training step", "forward training"};
  static constexpr std::array<std::string_view, 2> inference = {"forward inference",
                                                                "forward training"};
  return mode == Mode::training ? training : inference;
}

// The calls that the changes make, in the framework around the configuration.
std::vector<RnnConfig> measured_calls(const ProfileIndex& index, int configuration,
                                      std::span<const Transform> changes) {
  const Profile& profile = index.profile();
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  Candidate candidate;
  candidate.transforms = in_order(changes);
  auto variant = compose(candidate.transforms, own.config);
  if (!variant || variant->cuda_graph) return {};
  candidate.variant = std::move(*variant);
  const auto framework = framework_around(profile, configuration);
  const auto* device = index.device(configuration);
  // `accelerate` makes the very calls, whatever the framework asks for.
  const bool below = accelerate_does(candidate.transforms, framework, own.config, own.program);
  if (framework && device != nullptr && !below &&
      fit_to_framework(candidate, *framework, own.program, *device,
                       judged_cudnn_version(profile, own)))
    return {};
  return std::move(candidate.variant.calls);
}

}  // namespace

std::optional<Gain> measured_gain(const ProfileIndex& index, int configuration,
                                  std::span<const Transform> changes) {
  const auto& all = index.profile().configurations;
  const auto& own = all[static_cast<std::size_t>(configuration)];
  if (changes.empty() || !index.has_siblings(configuration)) return std::nullopt;
  const auto calls = measured_calls(index, configuration, changes);
  if (calls.empty()) return std::nullopt;
  std::vector<const Configuration*> others;
  for (const auto& call : calls) {
    const int found = index.measured_like(configuration, call);
    if (found < 0 || found == configuration) return std::nullopt;
    others.push_back(&all[static_cast<std::size_t>(found)]);
    if (!results_trusted(*others.back())) return std::nullopt;
  }
  for (const auto scope : measured_scopes(own.config.mode)) {
    const auto before = scope_ms(own, scope);
    double after = 0;
    for (const auto* other : others) {
      const auto its = scope_ms(*other, scope);
      after = its && *its > 0 && after >= 0 ? after + *its : -1;
    }
    if (!before || *before <= 0 || after <= 0) continue;
    Gain gain;
    gain.speedup = *before / after;
    gain.basis = GainBasis::measured_here;
    gain.scope = scope;
    gain.changes.assign(changes.begin(), changes.end());
    if (compared_per_sequence(changes)) {
      gain.speedup *= static_cast<double>(others.front()->config.batch_size) /
                      static_cast<double>(own.config.batch_size);
      gain.scope += ", per sequence";
    }
    const auto& id = others.front()->config.id;
    gain.source =
        "measured in this profile: " + (id.empty() ? summary(others.front()->config) : id);
    return gain;
  }
  return std::nullopt;
}

}  // namespace rnnadvisor::advisor
