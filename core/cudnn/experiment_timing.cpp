#include "core/cudnn/experiment_timing.h"

#include <algorithm>
#include <random>
#include <utility>

#include "core/base/wide.h"

namespace rnnadvisor::experiment {
namespace {

bool has(const std::vector<ExperimentScope>& scopes, ExperimentScope scope) {
  return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
}

constexpr int before_sample = -1, control_sample = -2;

// Fisher and Yates, drawn by hand: std::shuffle gives another order on another platform.
void shuffle(std::vector<int>& order, std::mt19937_64& generator) {
  for (std::size_t i = order.size(); i > 1; --i) {
    const auto j = static_cast<std::size_t>((Wide{generator()} * static_cast<Wide>(i)) >> 64U);
    std::swap(order[i - 1], order[j]);
  }
}

bool tight(const std::vector<double>& before, const std::vector<double>& after, double target) {
  std::vector<double> ratios(before.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = before[i] / after[i];
  // Order statistics here: a bootstrap after every round would cost more than the round.
  const MedianInterval interval = median_interval(ratios);
  return interval.confidence >= 0.95 && interval.median > 0 &&
         (interval.high - interval.low) / interval.median <= target;
}

class RoundLoop {
 public:
  RoundLoop(const std::vector<ExperimentScope>& scopes,
            const std::vector<std::vector<ExperimentScope>>& variants, const Sampler& sample,
            const RoundOptions& options)
      : variants_(variants), sample_(sample), options_(options), generator_(options.seed) {
    result_.failures.resize(variants.size());
    for (const ExperimentScope scope : scopes) {
      result_.scopes.push_back({scope, {}, {}, {}});
      result_.scopes.back().after.resize(variants.size());
    }
  }

  Rounds run() {
    const double begin = options_.clock();
    for (int round = -options_.warmup; round < options_.max_rounds; ++round) {
      if (round == 0 && options_.on_begin) options_.on_begin();
      for (ScopeSamples& scope : result_.scopes) {
        if (!sample_scope(scope, round >= 0)) return drop_failed();
      }
      const double seconds = options_.clock() - begin;
      // What takes seconds a round is not warmed up for all of its time.
      if (round < 0 && seconds > options_.seconds / 4) round = -1;
      if (round >= 0 && options_.on_round) options_.on_round(round + 1);
      if (round + 1 < options_.min_rounds) continue;
      if (seconds > options_.seconds || all_tight()) break;
    }
    return drop_failed();
  }

 private:
  // False: everything ends here.
  bool sample_scope(ScopeSamples& scope, bool counts) {
    std::vector<int> order = {before_sample, control_sample};
    for (std::size_t i = 0; i < variants_.size(); ++i) {
      if (has(variants_[i], scope.scope) && !result_.failures[i])
        order.push_back(static_cast<int>(i));
    }
    shuffle(order, generator_);
    for (const int who : order) {
      const int variant = std::max(who, -1);
      const auto ms = sample_(variant, scope.scope);
      if (!ms) {
        if (variant >= 0) result_.failures[static_cast<std::size_t>(variant)] = ms.error();
        if (variant >= 0 && !ms.error().context_lost) continue;
        result_.stopped = ms.error();
        result_.stopped_by = variant;
        return false;
      }
      if (!counts) continue;
      auto& samples = who == before_sample    ? scope.before
                      : who == control_sample ? scope.control
                                              : scope.after[static_cast<std::size_t>(who)];
      samples.push_back(*ms);
    }
    return true;
  }

  bool all_tight() const {
    for (const auto& scope : result_.scopes) {
      if (!tight(scope.before, scope.control, options_.target_interval)) return false;
      for (std::size_t i = 0; i < variants_.size(); ++i) {
        if (result_.failures[i] || !has(variants_[i], scope.scope)) continue;
        if (!tight(scope.before, scope.after[i], options_.target_interval)) return false;
      }
    }
    return true;
  }

  Rounds drop_failed() {
    for (auto& scope : result_.scopes) {
      for (std::size_t i = 0; i < variants_.size(); ++i) {
        if (result_.failures[i] || result_.stopped) scope.after[i].clear();
      }
    }
    return std::move(result_);
  }

  const std::vector<std::vector<ExperimentScope>>& variants_;
  const Sampler& sample_;
  const RoundOptions& options_;
  std::mt19937_64 generator_;
  Rounds result_;
};

}  // namespace

std::vector<std::vector<int>> group_by_memory(MemoryShare original,
                                              const std::vector<MemoryShare>& variants,
                                              std::int64_t available) {
  struct Group {
    std::vector<int> members;
    Wide own = 0;
    std::int64_t workspace = 0;
  };
  std::vector<Group> groups;
  const auto fits = [&](const Group& group, const MemoryShare& share) {
    return group.own + share.own + std::max(group.workspace, share.workspace) <= Wide{available};
  };
  const Group empty{{}, Wide{original.own}, original.workspace};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!fits(empty, variants[i])) continue;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& each) { return fits(each, variants[i]); });
    if (group == groups.end()) group = groups.insert(groups.end(), empty);
    group->members.push_back(static_cast<int>(i));
    group->own += variants[i].own;
    group->workspace = std::max(group->workspace, variants[i].workspace);
  }
  std::vector<std::vector<int>> members;
  for (auto& group : groups) members.push_back(std::move(group.members));
  return members;
}

Rounds time_rounds(const std::vector<ExperimentScope>& scopes,
                   const std::vector<std::vector<ExperimentScope>>& variants, const Sampler& sample,
                   const RoundOptions& options) {
  return RoundLoop(scopes, variants, sample, options).run();
}

ExperimentTiming make_timing(const ScopeSamples& samples, std::size_t variant, std::uint64_t seed) {
  ExperimentTiming timing;
  timing.scope = samples.scope;
  timing.before_samples_ms = samples.before;
  timing.after_samples_ms = samples.after[variant];
  timing.control_samples_ms = samples.control;
  timing.before_ms = median_interval(samples.before);
  timing.after_ms = median_interval(samples.after[variant]);
  const auto speedup = bootstrap_median_ratio(samples.before, samples.after[variant], seed);
  timing.speedup = speedup.median;
  timing.speedup_low = speedup.low;
  timing.speedup_high = speedup.high;
  const auto control = bootstrap_median_ratio(samples.before, samples.control, seed);
  timing.control_low = control.low;
  timing.control_high = control.high;
  return timing;
}

}  // namespace rnnadvisor::experiment
