#include "advisor/whatif/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "advisor/change/accelerating.h"
#include "advisor/change/in_words.h"
#include "advisor/facts/experiments.h"
#include "advisor/facts/shown_program.h"
#include "advisor/rules/evaluate.h"
#include "advisor/whatif/estimate.h"
#include "advisor/whatif/framework_fit.h"
#include "advisor/whatif/size_choice.h"

namespace rnnadvisor::advisor {
namespace {

tl::unexpected<Error> dropped(std::string reason) {
  return fail(ErrorCode::unsupported, std::move(reason));
}

bool allowed(Meaning meaning, const ProposeOptions& options) {
  switch (meaning) {
    case Meaning::exact:
      return true;
    case Meaning::padded:
      return options.padded;
    case Meaning::numerics:
      return options.numerics;
    case Meaning::model:
      return options.model;
  }
  return false;
}

bool infers(std::span<const Transform> transforms) {
  return std::any_of(transforms.begin(), transforms.end(),
                     [](const Transform& t) { return t.kind == "inference_mode"; });
}

bool same_calls(const ExperimentVariant& a, const ExperimentVariant& b) {
  return a.composition == b.composition && a.calls == b.calls && a.rows == b.rows &&
         a.cuda_graph == b.cuda_graph;
}

class Collector {
 public:
  Collector(const Profile& profile, int configuration, const DeviceSpec& device,
            const ProposeOptions& options)
      : profile_(profile), device_(device), options_(options) {
    proposal_.configuration = configuration;
  }

  void add(std::span<const Transform> transforms, const std::string& rule, double claimed,
           const std::string& claimed_by) {
    const auto ordered = in_order(transforms);
    if (!seen_.insert(to_json(ordered)).second) return;
    auto candidate =
        make_candidate(ordered, rule, profile_, proposal_.configuration, device_, options_);
    if (!candidate) {
      proposal_.dropped.push_back({ordered, rule, candidate.error().message});
      return;
    }
    const auto twin =
        std::find_if(proposal_.candidates.begin(), proposal_.candidates.end(),
                     [&](const Candidate& c) { return same_calls(c.variant, candidate->variant); });
    if (twin != proposal_.candidates.end()) {
      proposal_.dropped.push_back({ordered, rule,
                                   fmt::format("makes the same calls as another change: {}",
                                               change_in_words(to_json(twin->transforms)))});
      return;
    }
    if (claimed > 1) {
      candidate->expected = claimed;
      candidate->expected_by = claimed_by;
    }
    proposal_.candidates.push_back(std::move(*candidate));
  }

  Proposal take() {
    auto& all = proposal_.candidates;
    const auto hope = [](const Candidate& c) { return c.expected > 0 ? c.expected : 1.0; };
    std::stable_sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
      if (a.rule.empty() != b.rule.empty()) return b.rule.empty();
      return hope(a) > hope(b);
    });
    while (all.size() > options_.most) {
      proposal_.dropped.push_back({std::move(all.back().transforms), std::move(all.back().rule),
                                   "the budget is for more promising ones"});
      all.pop_back();
    }
    return std::move(proposal_);
  }

 private:
  const Profile& profile_;
  const DeviceSpec& device_;
  const ProposeOptions& options_;
  Proposal proposal_;
  std::set<std::string> seen_;
};

}  // namespace

std::optional<std::string> needs_training(std::span<const Transform> transforms,
                                          const Profile& profile, int configuration) {
  if (!infers(transforms)) return std::nullopt;
  const auto backward = backward_follows(profile, configuration);
  if (!backward)
    return "whether a backward pass follows is not known: needs_backward of the program says so";
  if (*backward) return "a backward pass follows, which reads what training keeps";
  return std::nullopt;
}

Result<Candidate> make_candidate(std::span<const Transform> transforms, const std::string& rule,
                                 const Profile& profile, int configuration,
                                 const DeviceSpec& device, const ProposeOptions& options) {
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  Candidate candidate;
  candidate.rule = rule;
  candidate.transforms = in_order(transforms);
  candidate.meaning = meaning_of(candidate.transforms, own.config);
  if (auto problem = needs_training(candidate.transforms, profile, configuration))
    return dropped(*problem);
  if (!allowed(candidate.meaning, options)) {
    return dropped(
        candidate.meaning == Meaning::model
            ? "another model, which needs your consent (--allow model)"
            : fmt::format("changes of meaning '{}' are not allowed", to_string(candidate.meaning)));
  }
  auto variant = compose(candidate.transforms, own.config);
  if (!variant) return dropped(variant.error().message);
  if (variant->calls.size() > most_calls_of_one)
    return dropped(fmt::format("too many calls: it would make {} of one", variant->calls.size()));
  candidate.variant = std::move(*variant);

  if (const auto framework = framework_around(profile, configuration)) {
    const auto problem = fit_to_framework(candidate, *framework, own.program, device,
                                          judged_cudnn_version(profile, own));
    if (problem) return dropped(*problem);
  }
  const bool same = !candidate.variant.cuda_graph &&
                    candidate.variant.composition == Composition::single &&
                    candidate.variant.calls.front() == own.config;
  if (same) return dropped("it changes nothing of the call");
  if (auto problem = why_not_tried(candidate.variant, device)) return dropped(*problem);
  // What launches cost is a guess with a graph, and a ratio without them none at all.
  std::optional<PredictedSpeedup> predicted;
  if (!candidate.variant.cuda_graph) {
    candidate.time = predicted_time(candidate.variant.calls, options.predict);
    const auto now = options.now || !candidate.time
                         ? options.now
                         : predicted_time(std::span(&own.config, 1), options.predict);
    if (now && candidate.time) predicted = predicted_speedup(*now, *candidate.time);
    candidate.expected =
        predicted ? predicted->median : modelled_speedup(own.config, candidate.variant, device);
  }
  const bool per_sequence = compared_per_sequence(candidate.transforms);
  if (per_sequence)
    candidate.expected *= static_cast<double>(batch_of(candidate.variant)) / own.config.batch_size;
  // The bounds of a training step hold backward passes, which do not run here.
  if (infers(candidate.transforms)) candidate.expected = 0;
  if (candidate.expected > 0)
    candidate.expected_by =
        predicted ? "estimate: ratio of predicted times" : "estimate: ratio of the lower bounds";
  if (rule.empty() && options.only.empty()) {
    if (auto problem = known_slow(candidate.variant, predicted.has_value()))
      return dropped(*problem);
    if (predicted && !per_sequence && candidate.expected > 0 && predicted->most < 1) {
      return dropped(
          fmt::format("expected to be slower: predicted times allow {:.2f}x at most (estimate)",
                      predicted->most));
    }
    if (!predicted && candidate.expected > 0 && candidate.expected < least_worth_trying)
      return dropped(fmt::format("expected to be slower: {:.2f}x by the model (estimate)",
                                 candidate.expected));
  }
  return candidate;
}

std::optional<ExperimentVariant> calls_after(std::span<const Transform> changes,
                                             const Profile& profile, int configuration,
                                             const DeviceSpec& device) {
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  Candidate candidate;
  candidate.transforms = in_order(changes);
  candidate.meaning = meaning_of(candidate.transforms, own.config);
  auto variant = compose(candidate.transforms, own.config);
  if (!variant || variant->cuda_graph || variant->calls.size() > most_calls_of_one)
    return std::nullopt;
  candidate.variant = std::move(*variant);
  const auto framework = framework_around(profile, configuration);
  if (framework && !accelerate_does(candidate.transforms, framework, own.config, own.program) &&
      fit_to_framework(candidate, *framework, own.program, device,
                       judged_cudnn_version(profile, own)))
    return std::nullopt;
  if (candidate.variant.calls.size() == 1 && candidate.variant.calls.front() == own.config)
    return std::nullopt;
  return std::move(candidate.variant);
}

std::vector<Suggested> suggested_changes(std::span<const Finding> findings, int configuration,
                                         const ProposeOptions& options) {
  std::vector<Suggested> all;
  const auto only = in_order(options.only);
  bool fired = false;  // the rule that is asked for
  for (const auto& finding : findings) {
    if (finding.configuration != configuration) continue;
    if (!options.rule.empty() && finding.rule_id != options.rule) continue;
    fired = true;
    for (const auto& suggestion : finding.suggestions) {
      if (!suggestion.transform) continue;
      auto changes = changes_of(suggestion);
      if (!only.empty() && in_order(changes) != only) continue;
      // What another change gains says nothing of this one.
      const bool own = finding.gain && finding.gain->changes == changes;
      all.push_back(
          {std::move(changes), finding.rule_id, own ? finding.gain->speedup : 0,
           own ? fmt::format("{}: {}", finding.rule_id, in_words(finding.gain->basis)) : ""});
    }
  }
  // Also where another finding proposes it; it is then no suggestion of this rule.
  if (!only.empty() && (options.rule.empty() || fired)) all.push_back({only, "", 0, ""});
  return all;
}

Proposal propose(const Profile& profile, int configuration, std::span<const Finding> findings,
                 const DeviceSpec& device, const ProposeOptions& options) {
  Collector collector(profile, configuration, device, options);
  for (const auto& [changes, rule, expected, by] :
       suggested_changes(findings, configuration, options))
    collector.add(changes, rule, expected, by);
  if (!options.only.empty() || !options.rule.empty()) return collector.take();
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  for (const auto& transforms :
       model_proposals(own.config, own.program, device, framework_around(profile, configuration)))
    collector.add(transforms, "", 0, "");
  for (const auto& transforms : chosen_sizes(profile, configuration, device, options))
    collector.add(transforms, "", 0, "");
  if (own.config.mode == Mode::training && backward_follows(profile, configuration) == false) {
    if (auto inference = parse_transform("inference_mode", "{}"))
      collector.add(std::span(&*inference, 1), "", 0, "");
  }
  return collector.take();
}

std::vector<Transform> combination(std::span<const Transform> a, std::span<const Transform> b) {
  std::vector<Transform> both(a.begin(), a.end());
  for (const auto& transform : b) {
    const bool twice = std::any_of(
        a.begin(), a.end(), [&](const Transform& other) { return other.kind == transform.kind; });
    if (twice) return {};
    both.push_back(transform);
  }
  return in_order(both);
}

std::vector<Transform> all_together(std::span<const std::vector<Transform>> changes,
                                    const RnnConfig& config) {
  std::vector<Transform> all;
  int parts = 0;
  // What is no change of calls, such as a framework's switch, is no obstacle.
  const auto composes = [&](std::vector<Transform> list) {
    std::erase_if(list, [](const Transform& transform) {
      const auto* kind = find_transform_kind(transform.kind);
      return kind == nullptr || !kind->configurations;
    });
    return list.empty() || compose(list, config).has_value();
  };
  for (const auto& each : changes) {
    auto both = combination(all, each);
    if (both.empty() || !composes(both)) continue;
    all = std::move(both);
    ++parts;
  }
  return parts > 2 ? all : std::vector<Transform>{};
}

}  // namespace rnnadvisor::advisor
