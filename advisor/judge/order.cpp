#include "advisor/judge/order.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "advisor/rules/validation_records.h"

namespace rnnadvisor::advisor {
namespace {

// What a named cause counts whose gain was not measured: it comes before gains smaller than this.
constexpr double unknown_gain = 1.2;
constexpr double nothing_claimed = -std::numeric_limits<double>::infinity();

// The share of a recorded program's step that following the finding is expected to save; below 0
// what would cost time. A gain of a call counts as if the step were that call where the recording
// does not tell what share of it the call has.
double expected_saving(const Finding& finding, bool explains, StepSavings& savings) {
  if (finding.rule_saving) return finding.rule_saving->share;
  if (saves_time(finding)) {
    const double speedup = finding.gain->speedup;
    return speedup > 0 ? 1 - 1 / speedup : nothing_claimed;
  }
  if (finding.possible) return 1 - 1 / finding.possible->speedup;
  if (!explains) return nothing_claimed;
  const auto share = savings.share(finding.configuration, {});
  return (share ? share->share : 1) * (1 - 1 / unknown_gain);
}

// Larger comes first: broken, something to do, not refuted, measured in whole steps of the program,
// within its steps; of a program the share that its rule saves, confirmed, a cause; the class of
// the gain, what it saves itself (of a program's step its share, else milliseconds), speedup, not
// refuted on another GPU, confirmed, bytes, severity, a cause of what runs.
using Weight = std::tuple<bool, bool, bool, bool, bool, double, bool, bool, int, double, double,
                          bool, bool, std::int64_t, int, bool>;

// On the GPUs where it was measured the rule does not hold; of this one only its document speaks.
bool refuted_elsewhere(const Finding& finding) {
  if (finding.validity.empty() || finding.gain) return false;
  return refuted(finding.validity.back());
}

Weight weight_of(const Finding& finding, StepSavings& savings, const RuleSet& rules) {
  const ProfileIndex& index = savings.index();
  const Profile& profile = index.profile();
  const auto at = static_cast<std::size_t>(finding.configuration);
  const bool known = finding.configuration >= 0 && at < profile.configurations.size();
  int class_of_gain = 0;  // none
  double saved = 0, speedup = 0;
  std::int64_t bytes = 0;
  bool confirmed = false;
  if (finding.gain && !finding.gain->another_model) {
    // Predicted times have an interval and are of this configuration.
    const bool interval = finding.gain->low > 0 && finding.gain->high > 0;
    class_of_gain = finding.gain->basis == GainBasis::modelled && !interval ? 1 : 2;
    confirmed = finding.gain->basis == GainBasis::measured_here;
    bytes = finding.gain->saved_bytes;
    speedup = finding.gain->speedup > 0 ? finding.gain->speedup : 0;  // a file may hold anything
    if (finding.predicted_speedup && !confirmed) speedup = *finding.predicted_speedup;
    if (known && speedup > 0) {
      const auto ms = scope_ms(profile.configurations[at], finding.gain->scope);
      if (ms) saved = *ms * (1 - 1 / speedup);
    }
  }
  if (finding.saving) saved = finding.saving->share;
  const Rule* rule = rules.find(finding.rule_id);
  const bool of_program = known && profile.configurations[at].from_program();
  const bool path = rule != nullptr && rule->consequence == "path";
  const bool explains = of_program && path;
  const double expected = of_program ? expected_saving(finding, explains, savings) : 0;
  return {finding.severity == Severity::error,
          !is_remark(finding),
          !refuted(finding),
          measured_in_whole_steps(finding),
          !of_program || !savings.outside(finding),
          expected,
          of_program && confirmed,
          explains,
          class_of_gain,
          saved,
          speedup,
          !refuted_elsewhere(finding),
          confirmed,
          bytes,
          static_cast<int>(finding.severity),
          path};
}

// What was confirmed for one configuration is comparable as measured: in the places that these
// findings have, the larger gain first, and where that is not beyond the noise what alters less.
void order_confirmed(std::vector<Finding>& findings) {
  std::map<int, std::vector<std::size_t>> places;  // by configuration, ascending
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto& finding = findings[i];
    const auto& trial = finding.trial;
    if (finding.severity != Severity::error && finding.gain &&
        finding.gain->basis == GainBasis::measured_here && !finding.gain->another_model && trial &&
        trial->verdict == ExperimentVerdict::confirmed && trial->device.empty() &&
        trial->speedup > 0 && finding.gain->speedup == trial->speedup)
      places[finding.configuration].push_back(i);
  }
  for (const auto& [configuration, own] : places) {
    std::vector<Finding> sorted;
    for (const auto place : own) sorted.push_back(std::move(findings[place]));
    std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
      return a.trial->speedup > b.trial->speedup;
    });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      for (std::size_t k = i; k > 0; --k) {
        const auto& before = *sorted[k - 1].trial;
        const auto& after = *sorted[k].trial;
        if (before.meaning <= after.meaning || before.low > after.high) break;
        std::swap(sorted[k - 1], sorted[k]);
      }
    }
    for (std::size_t i = 0; i < own.size(); ++i) findings[own[i]] = std::move(sorted[i]);
  }
}

// How far what was measured of graphs lies from their estimates (GraphEstimate).
constexpr double within_an_estimate = 2;

// What a finding is worth beside another one that comes close to it.
struct Worth {
  bool comparable = false;
  bool by_hand = false;   // no machine can make the change
  bool possible = false;  // only once the program is changed in other ways
  bool outside = false;   // of the steps of the program
  double saving = 0;      // of the step, or of the calls; see expected_saving()
  double speedup = 1;
  Effort effort = Effort::line;
  // 0: measured here. 1: predicted, or measured of a near configuration. 2: an estimate.
  int risk = 2;
  // No number is known, and a command finds it in the program and keeps what it was where nothing
  // is gained.
  bool by_command = false;
};

Worth worth_of(const Finding& finding, StepSavings& savings) {
  Worth worth;
  worth.outside = savings.outside(finding);
  if (finding.severity == Severity::error || is_remark(finding) ||
      (finding.gain && !saves_time(finding)))
    return worth;
  // A graph, once what forbids it is changed, is an estimate as one that can be captured now.
  if (finding.possible && finding.possible->low > 0) {
    worth.comparable = worth.possible = true;
    worth.effort = Effort::module;
    worth.saving = expected_saving(finding, false, savings);
    worth.speedup = finding.possible->speedup;
    return worth;
  }
  if (!finding.gain) {
    worth.by_command = std::any_of(
        finding.suggestions.begin(), finding.suggestions.end(), [](const Suggestion& s) {
          return s.transform && s.cannot.empty() && s.effort == Effort::command;
        });
    return worth;
  }
  const auto of_gain =
      std::find_if(finding.suggestions.begin(), finding.suggestions.end(),
                   [&](const Suggestion& s) { return changes_of(s) == finding.gain->changes; });
  if (of_gain == finding.suggestions.end()) return worth;
  worth.by_hand = !of_gain->transform;
  const Gain& gain = *finding.gain;
  // Whether a whole step can be captured as a graph, no recording tells.
  const bool sure = gain.low > 0 && gain.high > 0 && gain.scope != "program step";
  worth.comparable = gain.speedup > 1;
  worth.effort = of_gain->effort;
  worth.risk = gain.basis == GainBasis::measured_here       ? 0
               : gain.basis == GainBasis::modelled && !sure ? 2
                                                            : 1;
  worth.saving = expected_saving(finding, false, savings);
  // Of the whole step, where the recording tells what share of it the calls have.
  worth.speedup = finding.rule_saving ? 1 / (1 - std::min(worth.saving, 0.99)) : gain.speedup;
  return worth;
}

// Whether `later` is worth about what `before` is, and takes less or is surer.
bool comes_before(const Worth& later, const Worth& before) {
  if (later.outside && !before.outside) return false;
  if (later.by_command && before.comparable)
    return before.risk == 2 && before.effort > Effort::command;
  if (!later.comparable || !before.comparable || before.risk == 0) return false;
  // What is done by hand is less than a graph that can be captured now.
  if (later.by_hand && !before.possible) return false;
  if (std::pair(later.effort, later.risk) >= std::pair(before.effort, before.risk)) return false;
  const bool by_estimate =
      before.risk == 2 && later.risk < 2 && before.saving <= later.saving * within_an_estimate;
  // A command measures in the program, and predictions cannot tell the two apart.
  const double close =
      later.effort == Effort::command && later.risk == 1 ? as_predictions_tell : least_told_gain;
  return by_estimate || before.speedup <= later.speedup * close;
}

// Of findings that come close to each other, those that take less come first, and then those that
// are surer. In a recorded program all gains are shares of one step; of other configurations each
// is compared with its own.
void order_close(std::vector<Finding>& findings, StepSavings& savings) {
  const auto& configurations = savings.index().profile().configurations;
  std::map<int, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto at = static_cast<std::size_t>(findings[i].configuration);
    if (findings[i].configuration < 0 || at >= configurations.size()) continue;
    places[configurations[at].from_program() ? -1 : findings[i].configuration].push_back(i);
  }
  for (const auto& [group, own] : places) {
    std::vector<std::pair<Worth, Finding>> sorted;
    for (const auto place : own) {
      const Worth worth = worth_of(findings[place], savings);
      sorted.emplace_back(worth, std::move(findings[place]));
      for (std::size_t k = sorted.size() - 1;
           k > 0 && comes_before(sorted[k].first, sorted[k - 1].first); --k)
        std::swap(sorted[k], sorted[k - 1]);
    }
    for (std::size_t i = 0; i < own.size(); ++i) findings[own[i]] = std::move(sorted[i].second);
  }
}

}  // namespace

void order_findings(std::vector<Finding>& findings, StepSavings& savings, const RuleSet& rules) {
  std::vector<Weight> weights;
  weights.reserve(findings.size());
  for (const auto& finding : findings) weights.push_back(weight_of(finding, savings, rules));
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (weights[a] != weights[b]) return weights[a] > weights[b];
    if (findings[a].rule_id != findings[b].rule_id)
      return findings[a].rule_id < findings[b].rule_id;
    return findings[a].configuration < findings[b].configuration;
  });
  std::vector<Finding> ordered;
  ordered.reserve(findings.size());
  for (const auto place : order) ordered.push_back(std::move(findings[place]));
  findings = std::move(ordered);
  order_close(findings, savings);
  order_confirmed(findings);
}

}  // namespace rnnadvisor::advisor
