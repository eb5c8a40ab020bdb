#include "advisor/rules/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "advisor/whatif/candidate.h"

namespace rnnadvisor::advisor {
namespace {

struct Proposed {
  std::vector<Transform> changes;
  std::optional<ExperimentVariant> calls;  // none where the changes are not of configurations
  std::string rule;
};

std::optional<ExperimentVariant> calls_of(const std::vector<Transform>& changes,
                                          const RnnConfig& config) {
  auto composed = compose(changes, config);
  if (!composed) return std::nullopt;
  // What changes no call of cuDNN, such as a switch of the framework, is told by its kind alone.
  if (!composed->cuda_graph && composed->calls.size() == 1 && composed->calls.front() == config)
    return std::nullopt;
  return std::move(*composed);
}

bool same(const Proposed& one, const Proposed& other) {
  if (one.changes == other.changes) return true;
  return one.calls && one.calls == other.calls;
}

}  // namespace

std::vector<LeftOut> merge_suggestions(std::vector<Finding>& findings, const ProfileIndex& index) {
  const auto& configurations = index.profile().configurations;
  std::map<int, std::vector<Proposed>> proposed;  // by configuration
  std::vector<LeftOut> left;
  std::erase_if(findings, [&](Finding& finding) {
    const auto at = static_cast<std::size_t>(finding.configuration);
    if (finding.configuration < 0 || at >= configurations.size()) return false;
    auto& known = proposed[finding.configuration];
    std::vector<Proposed> own;
    std::size_t repeated = 0;
    std::vector<const Proposed*> first(finding.suggestions.size(), nullptr);
    for (std::size_t i = 0; i < finding.suggestions.size(); ++i) {
      auto changes = changes_of(finding.suggestions[i]);
      if (changes.empty()) continue;
      auto calls = calls_of(changes, configurations[at].config);
      Proposed one{std::move(changes), std::move(calls), finding.rule_id};
      const auto found = std::find_if(known.begin(), known.end(),
                                      [&](const Proposed& other) { return same(one, other); });
      if (found == known.end()) {
        own.push_back(std::move(one));
      } else {
        first[i] = &*found;
        ++repeated;
      }
    }
    if (repeated > 0 && repeated == finding.suggestions.size() &&
        finding.severity <= Severity::opportunity) {
      left.push_back({finding.rule_id, finding.configuration, first.front()->rule});
      return true;
    }
    for (std::size_t i = 0; i < finding.suggestions.size(); ++i) {
      if (first[i] == nullptr) continue;
      auto& suggestion = finding.suggestions[i];
      suggestion = {fmt::format("The same change as `{}` proposes.", first[i]->rule),
                    std::nullopt,
                    {},
                    {},
                    suggestion.framework};
    }
    // Two of its changes may be those of one other rule, which is then named once.
    auto& all = finding.suggestions;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all.erase(std::remove_if(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(),
                               [&](const Suggestion& later) {
                                 return !later.transform && later.text == all[i].text &&
                                        later.framework == all[i].framework;
                               }),
                all.end());
    }
    std::move(own.begin(), own.end(), std::back_inserter(known));
    return false;
  });
  return left;
}

}  // namespace rnnadvisor::advisor
