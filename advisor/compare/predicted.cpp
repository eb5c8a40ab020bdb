#include "advisor/compare/predicted.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/facts/profile_index.h"
#include "advisor/report/verdict.h"
#include "advisor/report/words.h"

namespace rnnadvisor::compare {
namespace predicted {
namespace {

namespace words = advisor::words;
using Changes = std::vector<advisor::Transform>;
using Parameters = std::map<std::string, std::string>;

constexpr std::string_view per_sequence = ", per sequence";

Parameters parameters_of(const RnnConfig& config) {
  const auto all = words::all_parameters(config);
  Parameters found(all.begin(), all.end());
  for (const char* own : {"id", "dropout_seed"}) found.erase(own);
  return found;
}

bool in_graph(const Profile& profile, const CallSet& set) {
  return std::any_of(profile.calls.begin(), profile.calls.end(), [&](const RnnCall& call) {
    return (call.graph == GraphState::captured || call.graph == GraphState::replayed) &&
           std::any_of(set.begin(), set.end(),
                       [&](const auto& each) { return each.first == call.configuration; });
  });
}

// The calls after are what `changes` make of the one before: as many, and each has every value that
// the changes give.
bool was_made(const Changes& changes, const ConfigurationPair& sets, const Profile& before,
              const Profile& after) {
  if (changes.empty() || sets.before.size() != 1 || sets.after.empty()) return false;
  const auto of = [](const Profile& profile, int configuration) -> const RnnConfig& {
    return profile.configurations[static_cast<std::size_t>(configuration)].config;
  };
  const RnnConfig& old = of(before, sets.before.front().first);
  const auto variant = advisor::compose(advisor::in_order(changes), old);
  if (!variant || variant->calls.empty()) return false;
  if (variant->cuda_graph && (in_graph(before, sets.before) || !in_graph(after, sets.after)))
    return false;
  if (static_cast<int>(variant->calls.size()) != ConfigurationPair::calls(sets.after)) return false;
  const Parameters was = parameters_of(old);
  bool any = variant->cuda_graph;
  for (const auto& call : variant->calls) {
    Parameters given = parameters_of(call);
    std::erase_if(given, [&](const auto& each) {
      const auto found = was.find(each.first);
      return found != was.end() && found->second == each.second;
    });
    any = any || !given.empty();
    const bool there = std::any_of(sets.after.begin(), sets.after.end(), [&](const auto& each) {
      const Parameters now = parameters_of(of(after, each.first));
      return std::all_of(given.begin(), given.end(), [&](const auto& value) {
        const auto found = now.find(value.first);
        return found != now.end() && found->second == value.second;
      });
    });
    if (!there) return false;
  }
  return any;
}

// Times of several phases together. Bounds are added: as wide as what is measured allows.
Speedup measured_of(const MedianInterval& before, const MedianInterval& after, double batches) {
  Speedup speedup;
  if (after.median <= 0 || before.median <= 0) return speedup;
  speedup.value = before.median / after.median * batches;
  if (after.low <= 0 || before.low <= 0 || after.confidence <= 0 || before.confidence <= 0)
    return speedup;
  speedup.low = before.low / after.high * batches;
  speedup.high = before.high / after.low * batches;
  return speedup;
}

void add(MedianInterval& sum, const MedianInterval& one) {
  const bool first = sum.count == 0;
  sum.confidence = first ? one.confidence : std::min(sum.confidence, one.confidence);
  sum.count = first ? one.count : std::min(sum.count, one.count);
  sum.median += one.median;
  sum.low += one.low;
  sum.high += one.high;
}

Speedup predicted_of(const advisor::Gain& gain) {
  const bool interval = gain.high > gain.low && gain.low > 0;
  return {gain.speedup, interval ? gain.low : 0, interval ? gain.high : 0};
}

class Made {
 public:
  Made(const Comparison& comparison, const advisor::Report& before, const advisor::Report& after)
      : comparison_(comparison), before_(before), after_(after) {}

  std::vector<Prediction> list() {
    for (const auto& finding : before_.judgement->findings) look_at(finding);
    add_step();
    return std::move(result_);
  }

 private:
  const RnnConfig& config_of(const advisor::Finding& finding) const {
    return before_.profile->configurations[static_cast<std::size_t>(finding.configuration)].config;
  }
  const ConfigurationPair* pair_of(int configuration) const {
    for (const auto& match : comparison_.matches)
      for (const auto& [each, calls] : match.sets.before)
        if (each == configuration) return &match.sets;
    return nullptr;
  }

  void look_at(const advisor::Finding& finding) {
    if (!advisor::promises_speed(finding)) return;
    const advisor::Gain& gain = *finding.gain;
    const ConfigurationPair* sets = pair_of(finding.configuration);
    Changes changes;
    if (sets != nullptr) {
      const auto made = [&](const Changes& of) {
        return was_made(of, *sets, *before_.profile, *after_.profile);
      };
      if (made(gain.changes)) changes = gain.changes;
      for (const auto& suggestion : finding.suggestions) {
        if (!changes.empty()) break;
        if (Changes of = advisor::changes_of(suggestion); made(of)) changes = std::move(of);
      }
    }
    if (changes.empty()) {
      left_.insert(finding.rule_id);
      return;
    }
    Prediction prediction;
    prediction.rule = finding.rule_id;
    prediction.title = finding.title;
    prediction.configuration = finding.configuration;
    prediction.predicted_of = gain.change;
    if (changes != gain.changes)
      prediction.made = advisor::in_plain_words(changes, config_of(finding));
    prediction.predicted = predicted_of(gain);
    followed_.push_back(&finding);
    words_.push_back(prediction);
    if (gain.scope == "program step") return;  // add_step()
    std::string_view scope = gain.scope;
    double batches = 1;
    if (scope.ends_with(per_sequence)) {
      scope.remove_suffix(per_sequence.size());
      batches = comparison_.batches;
    }
    prediction.scope = gain.scope;
    MedianInterval old_ms, new_ms;
    const auto phases = advisor::phases_of_scope(scope);
    for (const Phase phase : phases) {
      const int found = match_of(finding.configuration, phase);
      if (found < 0) return;
      const auto& match = comparison_.matches[static_cast<std::size_t>(found)];
      add(old_ms, match.before_ms);
      add(new_ms, match.after_ms);
      prediction.matches.push_back(found);
    }
    prediction.measured = measured_of(old_ms, new_ms, batches);
    if (prediction.measured.value > 0) result_.push_back(std::move(prediction));
  }

  // With times in both; -1: there is none.
  int match_of(int configuration, Phase phase) const {
    for (std::size_t i = 0; i < comparison_.matches.size(); ++i) {
      const auto& match = comparison_.matches[i];
      if (match.before == configuration && match.phase == phase && match.ratio() > 0)
        return static_cast<int>(i);
    }
    return -1;
  }

  // A step has what all changes gain: told where all of them follow one rule, and all that fired of
  // it was followed, as its prediction is of that.
  void add_step() {
    const auto& step = comparison_.step;
    if (!step || followed_.empty()) return;
    const auto& first = *followed_.front();
    const bool one_rule = std::all_of(followed_.begin(), followed_.end(), [&](const auto* each) {
      return each->rule_id == first.rule_id;
    });
    if (!one_rule || left_.contains(first.rule_id)) return;
    const bool of_steps = first.gain->scope == "program step";
    if (!of_steps && first.rule_saving && first.rule_saving->outside != Outside::no) return;
    const auto gain = of_steps ? first.gain : advisor::step_gain(first);
    if (!gain) return;
    Prediction prediction = words_.front();
    prediction.configuration = -1;
    prediction.matches.clear();
    prediction.scope = "program step";
    prediction.predicted = predicted_of(*gain);
    prediction.measured = measured_of(step->before_ms, step->after_ms, 1);
    if (prediction.measured.value > 0) result_.push_back(std::move(prediction));
  }

  const Comparison& comparison_;
  const advisor::Report& before_;
  const advisor::Report& after_;
  std::vector<Prediction> result_, words_;  // words_: by followed_
  std::vector<const advisor::Finding*> followed_;
  std::set<std::string> left_;  // rules of which something was not followed
};

}  // namespace
}  // namespace predicted

std::vector<Prediction> predictions_of(const Comparison& comparison, const advisor::Report& before,
                                       const advisor::Report& after) {
  return predicted::Made(comparison, before, after).list();
}

}  // namespace rnnadvisor::compare
