// experiment.*: what was tried and measured for a configuration. A change that a rule suggested is
// in that rule's finding; these are about what a search found beyond it.
#include <algorithm>

#include "advisor/change/in_words.h"
#include "advisor/facts/experiments.h"
#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;

const Experiment& experiment_at(const Index& index, int experiment) {
  return index.profile().experiments[static_cast<std::size_t>(experiment)];
}

struct Best {
  const Experiment* experiment = nullptr;
  const ExperimentTiming* timing = nullptr;
};

// The fastest confirmed change of this meaning, when a search found it: nothing where a rule's own
// suggestion is as fast.
std::optional<Best> found(const Subject& s, const Index& index, std::string_view meaning) {
  const auto at = found_by_search(index, s.configuration, meaning);
  if (!at) return std::nullopt;
  const auto& experiment = experiment_at(index, *at);
  return Best{&experiment, deciding_timing(*s.profile, experiment)};
}

void add_found(Catalogue& catalogue, const std::string& meaning, const std::string& words) {
  const auto number = [&](const std::string& suffix, const std::string& description,
                          double ExperimentTiming::* member) {
    define_gain(catalogue, "found_" + meaning, "experiment.found_" + meaning + suffix, "1",
                Provenance::measured, description,
                [meaning, member](const Subject& s, const Index& i) {
                  const auto best = found(s, i, meaning);
                  return best ? std::optional(best->timing->*member) : std::nullopt;
                });
  };
  number("_speedup",
         "time now over time with the fastest " + words +
             " that a search confirmed here; unknown where a rule's suggestion, or one that alters "
             "less, is as fast",
         &ExperimentTiming::speedup);
  number("_low", "lower end of its 95 % interval", &ExperimentTiming::speedup_low);
  number("_high", "upper end of its 95 % interval", &ExperimentTiming::speedup_high);
  define(catalogue, "experiment.found_" + meaning + "_change", "", Provenance::measured,
         "what that change is",
         [meaning](const Subject& s, const Index& i) -> std::optional<std::string> {
           const auto best = found(s, i, meaning);
           if (!best) return std::nullopt;
           return change_in_words(best->experiment->transforms);
         });
}

std::optional<std::pair<const Experiment*, std::string>> wrong(const Subject& s, const Index& i) {
  for (const int index : i.experiments(s.configuration)) {
    const auto& experiment = experiment_at(i, index);
    if (auto what = moved_too_far(*s.profile, experiment)) return std::pair(&experiment, *what);
  }
  return std::nullopt;
}

bool of_this_device(const Index& index, const Experiment& experiment) {
  const auto* own = index.device(experiment.configuration);
  const auto& devices = index.profile().devices;
  const auto at = static_cast<std::size_t>(experiment.device);
  if (own == nullptr || experiment.device < 0 || at >= devices.size()) return true;
  return devices[at].name == own->name;
}

}  // namespace

std::optional<int> found_by_search(const ProfileIndex& index, int configuration,
                                   std::string_view meaning) {
  struct Fastest {
    int experiment = -1;
    double speedup = 0;
  } best, others;
  const auto wanted = parse_meaning(meaning);
  const auto all = index.experiments(configuration);
  // Speedups of calls are not comparable with those of whole steps, which say more.
  const bool whole_steps = std::any_of(all.begin(), all.end(), [&](int i) {
    return whole_step_timing(experiment_at(index, i)) != nullptr;
  });
  for (const int i : all) {
    const auto& experiment = experiment_at(index, i);
    if (whole_steps && whole_step_timing(experiment) == nullptr) continue;
    const auto its = parse_meaning(experiment.meaning);
    if (experiment.verdict != ExperimentVerdict::confirmed || !its || !wanted || *its > *wanted ||
        !of_this_device(index, experiment) || tried_in_framework(index.profile(), experiment))
      continue;
    const auto* timing = deciding_timing(index.profile(), experiment);
    if (timing == nullptr) continue;
    // A finding of a rule, or of a smaller change that is as fast, reports it already.
    Fastest& place = experiment.rule.empty() && *its == *wanted ? best : others;
    if (place.experiment < 0 || timing->speedup > place.speedup) place = {i, timing->speedup};
  }
  if (best.experiment < 0) return std::nullopt;
  if (others.experiment >= 0 && others.speedup >= best.speedup) return std::nullopt;
  return best.experiment;
}

void add_experiment_facts(Catalogue& catalogue) {
  define(catalogue, "experiment.count", "", Provenance::measured,
         "changes that were tried and measured for this configuration",
         [](const Subject& s, const Index& i) -> std::optional<int> {
           const auto all = i.experiments(s.configuration);
           return static_cast<int>(std::count_if(all.begin(), all.end(), [&](int index) {
             return experiment_at(i, index).verdict != ExperimentVerdict::not_run;
           }));
         });
  add_found(catalogue, "exact", "change that keeps every result");
  add_found(catalogue, "padded", "change by padding");
  add_found(catalogue, "numerics", "change of precision");
  define(catalogue, "experiment.wrong_results", "", Provenance::measured,
         "results of a tried change moved further than its meaning allows",
         [](const Subject& s, const Index& i) -> std::optional<bool> {
           if (i.experiments(s.configuration).empty()) return std::nullopt;
           return wrong(s, i).has_value();
         });
  define(catalogue, "experiment.wrong_change", "", Provenance::measured,
         "the change with those results",
         [](const Subject& s, const Index& i) -> std::optional<std::string> {
           const auto found_wrong = wrong(s, i);
           if (!found_wrong) return std::nullopt;
           return change_in_words(found_wrong->first->transforms);
         });
  define(catalogue, "experiment.wrong_how", "", Provenance::measured,
         "which result moved, and how far",
         [](const Subject& s, const Index& i) -> std::optional<std::string> {
           const auto found_wrong = wrong(s, i);
           return found_wrong ? std::optional(found_wrong->second) : std::nullopt;
         });
}

}  // namespace rnnadvisor::advisor
