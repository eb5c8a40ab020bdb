#include "advisor/whatif/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "advisor/facts/experiments.h"
#include "advisor/facts/profile_index.h"
#include "advisor/facts/shown_program.h"
#include "advisor/whatif/candidates.h"
#include "advisor/whatif/trial.h"

namespace rnnadvisor::advisor {
namespace {

// Seven rounds are the fewest from which a median has an interval of 95 % (core/base/statistics.h
// needs six); the second round takes as many as the guide's own comparisons, and more while there
// is time.
constexpr int short_rounds = 7, short_most = 11, short_warmup = 2;
constexpr int full_rounds = 21, full_most = 200, full_warmup = 3;
// Of a configuration's time the first round may take this much.
constexpr double short_share = 0.4;
// What goes on to the second round, of each meaning: a third, at least two.
std::size_t going_on(std::size_t candidates) { return std::max<std::size_t>(2, candidates / 3); }
// Winners that are put together.
constexpr std::size_t most_combinations = 4;

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double speedup_of(const Trial& trial, Mode mode) {
  const auto* timing = deciding_timing(trial.timings, mode);
  return timing != nullptr && std::isfinite(timing->speedup) ? timing->speedup : 0;
}

// Ran, and its results are what its meaning promises.
bool good(const Trial& trial) {
  return trial.outcome == Outcome::completed && !trial.moved &&
         trial.verdict != ExperimentVerdict::not_run;
}

class Search {
 public:
  Search(const Profile& profile, const DeviceSpec& device, const Experimenter& experimenter,
         const SearchOptions& options)
      : profile_(profile),
        device_(device),
        experimenter_(experimenter),
        options_(options),
        clock_(options.clock ? options.clock : monotonic_seconds),
        begin_(clock_()) {}

  SearchResult run(std::vector<Proposal> proposals) {
    result_.proposals = std::move(proposals);
    std::vector<const Proposal*> open;
    for (const auto& proposal : result_.proposals)
      if (!proposal.candidates.empty()) open.push_back(&proposal);
    progress_.total = static_cast<int>(open.size());
    for (std::size_t i = 0; i < open.size(); ++i) {
      const double left = options_.budget_seconds - elapsed();
      if (stopped() || result_.error || (left < least_seconds && i > 0)) {
        result_.left_out.push_back(open[i]->configuration);
        continue;
      }
      progress_.finished = static_cast<int>(i);
      // As many as the budget has time for; the others are reported as left out.
      const double share =
          std::max(left / static_cast<double>(open.size() - i), std::min(left, 2 * least_seconds));
      configuration(*open[i], share);
    }
    result_.interrupted = stopped();
    result_.seconds = elapsed();
    return std::move(result_);
  }

 private:
  double elapsed() const { return clock_() - begin_; }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  void configuration(const Proposal& proposal, double budget) {
    const double start = elapsed();
    const auto at = static_cast<std::size_t>(proposal.configuration);
    const RnnConfig& before = profile_.configurations[at].config;
    progress_.configuration = proposal.configuration;
    scopes_ = scopes_of(profile_, proposal.configuration);
    std::vector<Trial> trials;
    for (const auto& candidate : proposal.candidates) trials.push_back(begin(proposal, candidate));

    std::vector<Trial*> all;
    for (auto& trial : trials) all.push_back(&trial);
    measure(before, all, budget * short_share, false);

    if (!stopped() && !result_.error) {
      auto chosen = winners(trials, before.mode);
      auto added = combinations(proposal, chosen);
      std::vector<Trial*> second;
      for (const auto index : chosen) second.push_back(&trials[index]);
      for (auto& trial : added) second.push_back(&trial);
      if (!second.empty())
        measure(before, second, std::max(0.0, budget - (elapsed() - start)), true);
      for (auto& trial : added) trials.push_back(std::move(trial));
    }
    keep(std::move(trials), before.mode);
  }

  static Trial begin(const Proposal& proposal, const Candidate& candidate) {
    Trial trial;
    trial.configuration = proposal.configuration;
    trial.candidate = candidate;
    return trial;
  }

  // Of each meaning the fastest; refuted ones do not go on.
  static std::vector<std::size_t> winners(const std::vector<Trial>& trials, Mode mode) {
    std::vector<std::size_t> chosen;
    for (const auto meaning :
         {Meaning::exact, Meaning::padded, Meaning::numerics, Meaning::model}) {
      std::vector<std::size_t> of_meaning;
      for (std::size_t i = 0; i < trials.size(); ++i) {
        const auto& trial = trials[i];
        if (trial.candidate.meaning == meaning && good(trial) && !trial.timings.empty() &&
            trial.verdict != ExperimentVerdict::refuted)
          of_meaning.push_back(i);
      }
      std::stable_sort(of_meaning.begin(), of_meaning.end(), [&](std::size_t a, std::size_t b) {
        return speedup_of(trials[a], mode) > speedup_of(trials[b], mode);
      });
      of_meaning.resize(std::min(of_meaning.size(), going_on(of_meaning.size())));
      chosen.insert(chosen.end(), of_meaning.begin(), of_meaning.end());
    }
    return chosen;
  }

  // What the winners make together, where that is a change that can be tried.
  std::vector<Trial> combinations(const Proposal& proposal,
                                  const std::vector<std::size_t>& chosen) const {
    std::vector<Trial> made;
    const auto known = [&](const Candidate& candidate) {
      const auto same = [&](const Candidate& other) {
        return other.variant.calls == candidate.variant.calls &&
               other.variant.composition == candidate.variant.composition &&
               other.variant.cuda_graph == candidate.variant.cuda_graph;
      };
      return std::any_of(proposal.candidates.begin(), proposal.candidates.end(), same) ||
             std::any_of(made.begin(), made.end(),
                         [&](const Trial& trial) { return same(trial.candidate); });
    };
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      for (std::size_t b = a + 1; b < chosen.size() && made.size() < most_combinations; ++b) {
        const auto both = combination(proposal.candidates[chosen[a]].transforms,
                                      proposal.candidates[chosen[b]].transforms);
        if (both.empty()) continue;
        auto candidate =
            make_candidate(both, "", profile_, proposal.configuration, device_, options_.propose);
        if (candidate && !known(*candidate)) made.push_back(begin(proposal, *candidate));
      }
    }
    // All at once, of each meaning and those before it.
    const auto& own = profile_.configurations[static_cast<std::size_t>(proposal.configuration)];
    std::vector<std::vector<Transform>> changes;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const auto& winner = proposal.candidates[chosen[i]];
      changes.push_back(winner.transforms);
      if (i + 1 < chosen.size() && proposal.candidates[chosen[i + 1]].meaning == winner.meaning)
        continue;
      const auto all = all_together(changes, own.config);
      if (all.empty()) continue;
      auto candidate =
          make_candidate(all, "", profile_, proposal.configuration, device_, options_.propose);
      if (candidate && !known(*candidate)) made.push_back(begin(proposal, *candidate));
    }
    return made;
  }

  // One request, and again for those that a crash of another kept from being run.
  void measure(const RnnConfig& before, std::vector<Trial*> open, double budget, bool full) {
    const double deadline = elapsed() + budget;
    progress_.round = full ? 2 : 1;
    while (!open.empty() && !stopped() && !result_.error) {
      ExperimentRequest request;
      request.before = before;
      for (const Trial* trial : open) request.variants.push_back(trial->candidate.variant);
      request.scopes = scopes_;
      request.budget_seconds = std::max(0.1, deadline - elapsed());
      request.warmup = full ? full_warmup : short_warmup;
      request.min_rounds = full ? full_rounds : short_rounds;
      request.max_rounds = full ? full_most : short_most;
      request.seed = options_.seed + requests_++;
      progress_.variants = open.size();
      progress_.seconds = elapsed();
      if (options_.on_progress) options_.on_progress(progress_);
      const double start = elapsed();
      auto answer = experimenter_(request);
      const double each = (elapsed() - start) / static_cast<double>(open.size());
      if (!answer) {
        if (answer.error().code != ErrorCode::interrupted) result_.error = answer.error();
        return;
      }
      if (answer->variants.size() != open.size()) {
        result_.error = Error{ErrorCode::internal,
                              fmt::format("{} variants were to be measured, {} were answered",
                                          open.size(), answer->variants.size()),
                              "this is a defect of rnnadvisor",
                              std::nullopt,
                              {}};
        return;
      }
      std::vector<Trial*> again;
      for (std::size_t i = 0; i < open.size(); ++i) {
        Trial& trial = *open[i];
        trial.seconds += each;
        const auto outcome = answer->variants[i].outcome;
        // A winner that the second round did not reach keeps what the first one measured.
        const bool worse = full && trial.outcome == Outcome::completed &&
                           (outcome == Outcome::not_run || outcome == Outcome::interrupted);
        if (!worse) {
          take_result(trial, before, *answer, i);
          trial.full = full && outcome == Outcome::completed;
        }
        if (outcome == Outcome::not_run) again.push_back(&trial);
      }
      // Others were left when a process died: they are tried by themselves. Where none got
      // anywhere, nothing will.
      const bool lost = answer->context_lost ||
                        std::any_of(answer->variants.begin(), answer->variants.end(),
                                    [](const auto& v) { return v.outcome == Outcome::crashed; });
      if (again.size() == open.size() || !lost) return;
      open = std::move(again);
    }
  }

  void keep(std::vector<Trial> trials, Mode mode) {
    std::erase_if(trials, [](const Trial& trial) {
      return trial.outcome == Outcome::interrupted ||
             (trial.outcome == Outcome::not_run && trial.message.empty());
    });
    for (auto& trial : trials) {
      if (trial.outcome != Outcome::completed || trial.timings.empty()) continue;
      const auto thin = [&](std::string_view why) {
        trial.message += fmt::format("{}{}", trial.message.empty() ? "" : "; ", why);
        if (trial.verdict == ExperimentVerdict::confirmed)
          trial.verdict = ExperimentVerdict::inconclusive;
      };
      if (!trial.full) thin("short round only");
      // The scope that decides is the last one (scopes_of()).
      const bool captured =
          std::any_of(trial.timings.begin(), trial.timings.end(),
                      [&](const auto& timing) { return timing.scope == scopes_.back(); });
      if (!captured)
        thin(fmt::format("what was captured, the {}, was not timed", scope_words(scopes_.back())));
    }
    const auto rank = [](const Trial& trial) {
      return trial.verdict == ExperimentVerdict::confirmed      ? 0
             : trial.verdict == ExperimentVerdict::inconclusive ? 1
             : trial.verdict == ExperimentVerdict::refuted      ? 2
                                                                : 3;
    };
    std::stable_sort(trials.begin(), trials.end(), [&](const Trial& a, const Trial& b) {
      if (rank(a) != rank(b)) return rank(a) < rank(b);
      return speedup_of(a, mode) > speedup_of(b, mode);
    });
    for (auto& trial : trials) result_.trials.push_back(std::move(trial));
  }

  const Profile& profile_;
  const DeviceSpec& device_;
  const Experimenter& experimenter_;
  const SearchOptions& options_;
  std::function<double()> clock_;
  double begin_ = 0;
  SearchResult result_;
  SearchProgress progress_;
  unsigned long long requests_ = 0;
  std::vector<ExperimentScope> scopes_;  // of the configuration at hand
};

}  // namespace

std::vector<ExperimentScope> scopes_of(const Profile& profile, int configuration) {
  const auto at = static_cast<std::size_t>(configuration);
  if (profile.configurations[at].config.mode == Mode::inference)
    return {ExperimentScope::inference};
  // What never runs need not be fast.
  if (backward_follows(profile, configuration) == false) return {ExperimentScope::forward_training};
  return {ExperimentScope::forward_training, ExperimentScope::training_step};
}

SearchResult search(const Profile& profile, std::vector<Proposal> proposals,
                    const DeviceSpec& device, const Experimenter& experimenter,
                    const SearchOptions& options) {
  return Search(profile, device, experimenter, options).run(std::move(proposals));
}

std::vector<int> worth_trying(const Profile& profile, std::span<const Finding> findings) {
  const auto tried = tried_configurations(profile);
  std::vector<double> suggested(profile.configurations.size(), 0);
  for (const auto& finding : findings) {
    const bool transform = std::any_of(finding.suggestions.begin(), finding.suggestions.end(),
                                       [](const auto& s) { return s.transform.has_value(); });
    const auto at = static_cast<std::size_t>(finding.configuration);
    if (transform && finding.configuration >= 0 && at < suggested.size()) suggested[at] = 1;
  }
  std::vector<double> calls(profile.configurations.size(), 0);
  for (const auto& call : profile.calls) {
    const auto at = static_cast<std::size_t>(call.configuration);
    if (call.configuration >= 0 && at < calls.size()) ++calls[at];
  }
  std::vector<int> order;
  for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
    if (!tried[i] && profile.configurations[i].described()) order.push_back(static_cast<int>(i));
  }
  const auto weight = [&](int index) {
    const auto at = static_cast<std::size_t>(index);
    const double ms = step_ms(profile.configurations[at]).value_or(0);
    return std::pair(suggested[at], profile.configurations[at].from_program()
                                        ? std::max(calls[at], 1.0) * std::max(ms, 1e-3)
                                        : ms);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return weight(a) > weight(b); });
  return order;
}

}  // namespace rnnadvisor::advisor
