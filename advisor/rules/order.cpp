#include "advisor/rules/order.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

namespace rnnadvisor::advisor {
namespace {

// The program's framework cannot express any of the changes that the finding proposes.
bool nobody_can(const Finding& finding) {
  return !finding.suggestions.empty() &&
         std::all_of(finding.suggestions.begin(), finding.suggestions.end(),
                     [](const Suggestion& s) { return s.transform && !s.cannot.empty(); });
}

// What a named cause counts whose gain nobody measured: it comes before gains smaller than this.
constexpr double unknown_gain = 1.2;
constexpr double nothing_claimed = -std::numeric_limits<double>::infinity();

// share_of_step(), which goes through all calls, once for each configuration and scope.
class Shares {
 public:
  explicit Shares(const ProfileIndex& index) : index_(&index) {}
  const ProfileIndex& index() const { return *index_; }
  std::optional<double> of(int configuration, const std::string& scope) {
    const auto [found, fresh] = known_.try_emplace({configuration, scope});
    if (fresh) found->second = share_of_step(*index_, configuration, scope);
    return found->second;
  }

 private:
  const ProfileIndex* index_;
  std::map<std::pair<int, std::string>, std::optional<double>> known_;
};

// The share of a recorded program's step that following the finding is expected to save; below 0
// what would cost time. A gain of a call counts as if the step were that call where the recording
// does not tell what share of it the call has.
double expected_saving(const Finding& finding, bool explains, Shares& shares) {
  double speedup = unknown_gain;
  std::string scope;
  if (finding.gain && finding.gain->saved_bytes == 0 && !finding.gain->another_model &&
      !nobody_can(finding)) {
    speedup = finding.gain->speedup;
    if (finding.gain->basis == GainBasis::modelled) speedup *= of_an_estimate;
    scope = finding.gain->scope;
  } else if (!explains) {
    return nothing_claimed;
  }
  if (!(speedup > 0)) return nothing_claimed;
  return shares.of(finding.configuration, scope).value_or(1) * (1 - 1 / speedup);
}

// Larger comes first: broken, something to do, not refuted; of a program the share saved,
// confirmed, a cause; the class of the gain, milliseconds saved, speedup, confirmed, bytes,
// severity, a cause of what runs.
using Weight = std::tuple<bool, bool, bool, double, bool, bool, int, double, double, bool,
                          std::int64_t, int, bool>;

Weight weight_of(const Finding& finding, Shares& shares, const RuleSet& rules) {
  const ProfileIndex& index = shares.index();
  const Profile& profile = index.profile();
  const auto at = static_cast<std::size_t>(finding.configuration);
  const bool known = finding.configuration >= 0 && at < profile.configurations.size();
  int class_of_gain = 0;  // none
  double saved_ms = 0, speedup = 0;
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
      if (ms) saved_ms = *ms * (1 - 1 / speedup);
    }
  }
  const Rule* rule = rules.find(finding.rule_id);
  const bool of_program = known && profile.configurations[at].from_program();
  const bool path = rule != nullptr && rule->consequence == "path";
  const bool explains = of_program && path;
  const double expected = of_program ? expected_saving(finding, explains, shares) : 0;
  return {finding.severity == Severity::error,
          !is_remark(finding),
          !refuted(finding),
          expected,
          of_program && confirmed,
          explains,
          class_of_gain,
          saved_ms,
          speedup,
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

}  // namespace

void order_findings(std::vector<Finding>& findings, const ProfileIndex& index,
                    const RuleSet& rules) {
  std::vector<Weight> weights;
  weights.reserve(findings.size());
  Shares shares(index);
  for (const auto& finding : findings) weights.push_back(weight_of(finding, shares, rules));
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
  order_confirmed(findings);
}

}  // namespace rnnadvisor::advisor
