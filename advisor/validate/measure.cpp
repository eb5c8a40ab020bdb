#include "advisor/validate/measure.h"

#include <algorithm>
#include <chrono>

#include "advisor/whatif/record.h"
#include "advisor/whatif/search.h"
#include "advisor/whatif/trial.h"
#include "core/model/memory.h"

namespace rnnadvisor::advisor {
namespace {

// Eleven rounds give the median an interval of 95 % that leaves out the two extremes
// (core/base/statistics.h).
constexpr int rounds = 11, most_rounds = 41, warmup = 2;
// One pair takes so long at most, unless eleven rounds take longer.
constexpr double pair_seconds = 0.5;
constexpr double wide_enough = 0.05;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ExperimentRequest request_for(const RuleSample& sample, const RulePair& pair,
                              unsigned long long seed) {
  ExperimentRequest request;
  request.before = pair.before.config;
  request.variants = {pair.candidate.variant};
  request.budget_seconds = pair_seconds;
  request.warmup = warmup;
  request.min_rounds = rounds;
  request.max_rounds = most_rounds;
  request.target_interval = wide_enough;
  request.seed = seed;
  // The reference is computed on the CPU: only for what claims to be about results.
  request.reference = sample.compare_results;
  return request;
}

}  // namespace

MeasureResult measure_pairs(std::span<const RuleSample> samples, const DeviceSpec& device,
                            const Environment& environment, const Experimenter& experimenter,
                            const MeasureOptions& options) {
  MeasureResult result;
  result.profile.environment = environment;
  result.profile.devices = {device};
  std::vector<std::pair<const RuleSample*, const RulePair*>> order;
  std::size_t longest = 0;
  for (const auto& sample : samples) longest = std::max(longest, sample.pairs.size());
  for (std::size_t i = 0; i < longest; ++i)
    for (const auto& sample : samples)
      if (i < sample.pairs.size()) order.emplace_back(&sample, &sample.pairs[i]);

  const auto clock = options.clock ? options.clock : seconds_now;
  const double begin = clock();
  std::vector<Trial> trials;
  MeasureProgress progress;
  double saved = 0;
  progress.total = order.size();
  for (const auto& [sample, pair] : order) {
    result.seconds = clock() - begin;
    if (options.stop != nullptr && options.stop->load()) result.interrupted = true;
    if (result.interrupted || result.seconds > options.budget_seconds) {
      result.left_out = order.size() - progress.finished;
      break;
    }
    progress.rule = sample->rule;
    progress.seconds = result.seconds;
    if (options.on_progress) options.on_progress(progress);
    const auto request = request_for(*sample, *pair, options.seed + progress.finished);
    const auto measured = experimenter(request);
    if (!measured) {
      result.error = measured.error();
      result.left_out = order.size() - progress.finished;
      break;
    }
    ++progress.finished;
    Configuration before = pair->before;
    before.origin = Origin::run;
    before.device = 0;
    before.outcome = measured->outcome;
    before.message = measured->message;
    before.sizes = model::space_sizes(before.config);
    Trial trial;
    trial.configuration = static_cast<int>(result.profile.configurations.size());
    trial.candidate = pair->candidate;
    trial.seconds = measured->seconds;
    take_result(trial, before.config, *measured, 0);
    result.profile.configurations.push_back(std::move(before));
    trials.push_back(std::move(trial));
    if (options.on_partial && clock() - begin - saved >= options.partial_seconds) {
      options.on_partial(with_trials(result.profile, trials, device));
      saved = clock() - begin;
    }
  }
  result.profile = with_trials(std::move(result.profile), trials, device);
  result.seconds = clock() - begin;
  return result;
}

}  // namespace rnnadvisor::advisor
