#include "advisor/judge/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/judge/predictions.h"

namespace rnnadvisor::advisor {
namespace {

struct Proposed {
  std::vector<Transform> changes;
  std::optional<ExperimentVariant> calls;  // none where the changes are not of configurations
  std::string rule;
  Severity severity = Severity::info;  // of its finding
};

std::optional<ExperimentVariant> calls_of(const std::vector<Transform>& changes,
                                          const RnnConfig& config) {
  auto composed = compose(changes, config);
  if (!composed) return std::nullopt;
  // A change of no cuDNN call, such as a switch of the framework, is identified by its kind alone.
  if (!composed->cuda_graph && composed->calls.size() == 1 && composed->calls.front() == config)
    return std::nullopt;
  return std::move(*composed);
}

bool same(const Proposed& one, const Proposed& other) {
  if (one.changes == other.changes) return true;
  return one.calls && one.calls == other.calls;
}

// What a configuration is padded to, by the first finding that pads it, and by which rule.
struct Decided {
  model::PaddedSizes sizes;
  std::string hidden_by, input_by, batch_by;

  // The rule that pads to another size; null where none does.
  const std::string* against(const model::PaddedSizes& other) const {
    const auto differs = [](const std::optional<int>& a, const std::optional<int>& b) {
      return a && b && *a != *b;
    };
    if (differs(sizes.hidden, other.hidden)) return &hidden_by;
    if (differs(sizes.input, other.input)) return &input_by;
    if (differs(sizes.batch, other.batch)) return &batch_by;
    return nullptr;
  }
  // The rule that pads what `other` pads; null where none does.
  const std::string* alike(const model::PaddedSizes& other) const {
    if (sizes.hidden && other.hidden) return &hidden_by;
    if (sizes.input && other.input) return &input_by;
    if (sizes.batch && other.batch) return &batch_by;
    return nullptr;
  }
  void take(const model::PaddedSizes& other, const std::string& rule) {
    const auto set = [&](std::optional<int>& size, std::string& by, const std::optional<int>& to) {
      if (size || !to) return;
      size = to;
      by = rule;
    };
    set(sizes.hidden, hidden_by, other.hidden);
    set(sizes.input, input_by, other.input);
    set(sizes.batch, batch_by, other.batch);
  }
};

// A remark that padding gained nothing, by itself, reads as advice against it beside a finding that
// pads the same size for another reason. Returns the rule of that finding.
std::optional<std::string> padded_by_another(const Finding& finding, const RnnConfig& config,
                                             const Decided& decided) {
  if (!finding.refuted_by) return std::nullopt;
  for (const auto& suggestion : finding.suggestions) {
    if (!suggestion.transform) continue;
    if (const auto* rule = decided.alike(padding_of(suggestion, config))) return *rule;
  }
  return std::nullopt;
}

// One configuration is padded one way: a suggestion that pads to other sizes than an earlier one is
// taken out. Returns the rule that decided where nothing is left to propose and the finding is an
// opportunity at most.
std::optional<std::string> pad_alike(Finding& finding, const RnnConfig& config, Decided& decided) {
  if (refuted(finding)) return padded_by_another(finding, config, decided);
  std::string by;
  std::vector<Suggestion> kept;
  for (auto& suggestion : finding.suggestions) {
    if (suggestion.transform && !suggestion.trial) {
      const model::PaddedSizes sizes = padding_of(suggestion, config);
      if (const auto* rule = decided.against(sizes)) {
        if (by.empty()) by = *rule;
        continue;
      }
      decided.take(sizes, finding.rule_id);
    }
    kept.push_back(std::move(suggestion));
  }
  finding.suggestions = std::move(kept);
  if (by.empty() || !finding.suggestions.empty()) return std::nullopt;
  if (finding.severity <= Severity::opportunity && by != finding.rule_id) return by;
  if (finding.gain && finding.gain->basis != GainBasis::measured_here) finding.gain.reset();
  finding.suggestions.push_back(
      {fmt::format("`{}` proposes the size to pad to.", by), std::nullopt, {}, {}, {}});
  return std::nullopt;
}

}  // namespace

model::PaddedSizes padding_of(const Suggestion& suggestion, const RnnConfig& config) {
  model::PaddedSizes padding;
  const auto calls = compose(changes_of(suggestion), config);
  if (!calls || calls->calls.empty()) return padding;
  const RnnConfig& after = calls->calls.front();
  for (const auto& change : changes_of(suggestion)) {
    if (change.kind == "pad_hidden") padding.hidden = after.hidden_size;
    if (change.kind == "pad_input") padding.input = after.input_size;
    if (change.kind == "pad_batch") padding.batch = after.batch_size;
  }
  return padding;
}

std::vector<LeftOut> merge_suggestions(std::vector<Finding>& findings, const ProfileIndex& index) {
  const auto& configurations = index.profile().configurations;
  std::map<int, std::vector<Proposed>> proposed;        // by configuration
  std::map<int, std::map<std::string, Proposed>> said;  // advice in words alone
  std::map<int, Decided> decided;
  std::vector<LeftOut> left;
  std::erase_if(findings, [&](Finding& finding) {
    const auto at = static_cast<std::size_t>(finding.configuration);
    if (finding.configuration < 0 || at >= configurations.size()) return false;
    if (const auto by =
            pad_alike(finding, configurations[at].config, decided[finding.configuration])) {
      left.push_back({finding.rule_id, finding.configuration, *by});
      return true;
    }
    auto& known = proposed[finding.configuration];
    auto& words = said[finding.configuration];
    std::vector<Proposed> own;
    std::size_t repeated = 0, words_repeated = 0;
    const Proposed* in_words = nullptr;
    Severity told = Severity::error;  // the least of those that propose the same
    std::vector<const Proposed*> first(finding.suggestions.size(), nullptr);
    for (std::size_t i = 0; i < finding.suggestions.size(); ++i) {
      auto changes = changes_of(finding.suggestions[i]);
      if (changes.empty()) {
        if (const auto found = words.find(finding.suggestions[i].text); found != words.end()) {
          ++words_repeated;
          in_words = &found->second;
        }
        continue;
      }
      auto calls = calls_of(changes, configurations[at].config);
      Proposed one{std::move(changes), std::move(calls), finding.rule_id, finding.severity};
      const auto found = std::find_if(known.begin(), known.end(),
                                      [&](const Proposed& other) { return same(one, other); });
      if (found == known.end()) {
        own.push_back(std::move(one));
      } else {
        first[i] = &*found;
        told = std::min(told, found->severity);
        ++repeated;
      }
    }
    // One change is one action. A warning that another finding reports as less than one stays, and
    // so does an error.
    if (repeated > 0 && repeated + words_repeated == finding.suggestions.size() &&
        finding.severity < Severity::error &&
        (finding.severity <= std::max(told, Severity::opportunity) ||
         finding.rule_id == not_asked_for_rule)) {
      const auto by = std::find_if(first.begin(), first.end(), [](const auto* f) { return f; });
      left.push_back({finding.rule_id, finding.configuration, (*by)->rule});
      return true;
    }
    // So is one advice in words, but where it has a gain of its own.
    if (!finding.gain && !finding.possible && in_words != nullptr &&
        words_repeated == finding.suggestions.size() && finding.severity < Severity::error &&
        finding.severity <= in_words->severity) {
      left.push_back({finding.rule_id, finding.configuration, in_words->rule});
      return true;
    }
    for (const auto& suggestion : finding.suggestions)
      if (!suggestion.transform)
        words.try_emplace(suggestion.text,
                          Proposed{{}, std::nullopt, finding.rule_id, finding.severity});
    for (std::size_t i = 0; i < finding.suggestions.size(); ++i) {
      if (first[i] == nullptr) continue;
      auto& suggestion = finding.suggestions[i];
      suggestion = {fmt::format("The same change as `{}` proposes: {}.", first[i]->rule,
                                in_plain_words(changes_of(suggestion), configurations[at].config)),
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
