#include "gui/models/exploration.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>

#include "advisor/facts/framework_call.h"
#include "advisor/judge/asked_configuration.h"
#include "advisor/report/phase_times.h"
#include "advisor/rules/evaluate.h"
#include "core/model/memory.h"

namespace rnnadvisor::gui {

namespace {

std::optional<model::MapTime> sum_of(const std::vector<ExploredPhase>& phases) {
  model::MapTime sum;
  for (const auto& phase : phases) {
    if (!phase.predicted) return std::nullopt;
    sum.seconds += phase.predicted->seconds;
    sum.low_seconds += phase.predicted->low_seconds;
    sum.high_seconds += phase.predicted->high_seconds;
    sum.extrapolated = sum.extrapolated || phase.predicted->extrapolated;
  }
  return phases.empty() ? std::nullopt : std::optional(sum);
}

// `times` calls of `other` more.
void add_memory(model::MemoryNeed& sum, const model::MemoryNeed& other, int times) {
  for (const auto part :
       {&model::MemoryNeed::weights, &model::MemoryNeed::weight_gradients, &model::MemoryNeed::x,
        &model::MemoryNeed::y, &model::MemoryNeed::dx, &model::MemoryNeed::dy,
        &model::MemoryNeed::states, &model::MemoryNeed::workspace, &model::MemoryNeed::reserve,
        &model::MemoryNeed::dropout_states, &model::MemoryNeed::total})
    sum.*part += other.*part * times;
  sum.exactness = std::max(sum.exactness, other.exactness);
}

void add_prediction(std::optional<model::TimePrediction>& sum,
                    const std::optional<model::TimePrediction>& other, int times) {
  if (!sum || !other) {
    sum.reset();
    return;
  }
  sum->seconds += other->seconds * times;
  sum->low_seconds += other->low_seconds * times;
  sum->high_seconds += other->high_seconds * times;
  sum->extrapolated = sum->extrapolated || other->extrapolated;
}

void add_bound(model::Bound& sum, const model::Bound& other, int times) {
  for (const auto part :
       {&model::Bound::compute_ms, &model::Bound::memory_ms, &model::Bound::roofline_ms,
        &model::Bound::sequential_ms, &model::Bound::bound_ms})
    sum.*part += other.*part * times;
  sum.estimate = sum.estimate || other.estimate;
}

void add_cost(model::PhaseCost& sum, const model::PhaseCost& other, int times) {
  for (const auto part : {&model::PhaseCost::gemm_flops, &model::PhaseCost::pointwise_flops,
                          &model::PhaseCost::flops, &model::PhaseCost::minimum_bytes})
    sum.*part += other.*part * times;
  sum.intensity = sum.minimum_bytes > 0
                      ? static_cast<double>(sum.flops) / static_cast<double>(sum.minimum_bytes)
                      : 0;
}

ExploredPhase phase_of(const RnnConfig& config, Phase phase, const DeviceSpec& device,
                       const model::PredictTime& predict) {
  ExploredPhase result;
  result.phase = phase;
  result.cost = model::phase_cost(config, phase);
  result.bound = model::lower_bound(config, phase, device);
  if (predict) result.predicted = predict(config, phase);
  return result;
}

// Judging asks for the time of the same call once for each rule that weighs it, and each answer is
// a sum over all that was measured.
model::PredictTime asked_once(const model::PredictTime& predict) {
  if (!predict) return {};
  struct Known {
    std::mutex mutex;
    std::vector<std::tuple<RnnConfig, Phase, std::optional<model::TimePrediction>>> times;
  };
  return [predict, known = std::make_shared<Known>()](const RnnConfig& config, Phase phase) {
    const std::lock_guard lock(known->mutex);
    for (const auto& [asked, of, time] : known->times)
      if (of == phase && asked == config) return time;
    auto time = predict(config, phase);
    known->times.emplace_back(config, phase, time);
    return time;
  };
}

}  // namespace

Exploration explore(const ConfigInput& input, const DeviceSpec& device,
                    std::shared_ptr<const advisor::RuleSet> rules,
                    const model::PredictTime& uncached, const std::vector<RnnConfig>& more) {
  const auto predict = asked_once(uncached);
  Exploration result;
  const auto asked_for = advisor::framework_call(input.config, input.program, &device);
  result.framework_chooses = asked_for.picks_algo && asked_for.algo_known;
  // Of the call as its framework makes it: users of PyTorch cannot choose the algorithm.
  Profile profile = advisor::static_profile({&input, 1}, device);
  const RnnConfig config = profile.configurations.front().config;
  // Calls of a change are mostly alike: what is equal is asked for once.
  std::vector<std::pair<RnnConfig, int>> others;
  for (const auto& call : more) {
    const RnnConfig asked = advisor::framework_call(call, input.program, &device).config;
    const auto same = std::find_if(others.begin(), others.end(),
                                   [&](const auto& each) { return each.first == asked; });
    if (same != others.end()) {
      ++same->second;
    } else {
      others.emplace_back(asked, 1);
    }
  }
  result.calls += static_cast<int>(more.size());
  result.memory = model::memory_need(config, config.mode);
  for (const auto& [other, times] : others)
    add_memory(result.memory, model::memory_need(other, other.mode), times);
  result.document = std::make_shared<const Document>(
      std::move(profile), std::move(rules), QString(), false, std::function<bool(double)>(),
      [predict](const DeviceSpec&) { return model::PredictTime(predict); });
  result.violations = validate(config);
  for (const Phase phase : all_phases) {
    if ((phase == Phase::forward_inference) != (config.mode == Mode::inference)) continue;
    auto& each = result.phases.emplace_back(phase_of(config, phase, device, predict));
    each.gemms = model::gemms(config, phase);
    for (const auto& [other, times] : others) {
      const auto further = phase_of(other, phase, device, predict);
      add_cost(each.cost, further.cost, times);
      add_bound(each.bound, further.bound, times);
      add_prediction(each.predicted, further.predicted, times);
    }
    result.bound_ms += each.bound.bound_ms;
  }
  // As in reports: the arithmetic has its bound on any path, a call that is not made no time
  // and no memory.
  if (result.report().no_call) {
    result.memory = {};
    for (auto& phase : result.phases) phase.predicted.reset();
  }
  result.predicted = sum_of(result.phases);
  return result;
}

std::optional<Measured> measured_in(const Document& profile, const Exploration& exploration) {
  if (exploration.calls > 1) return std::nullopt;
  RnnConfig wanted = exploration.config();
  wanted.id.clear();
  for (const auto& report : profile.report().configurations) {
    if (report.device == nullptr || report.device->id != exploration.device().id) continue;
    RnnConfig own = report.configuration->config;
    own.id.clear();
    if (own != wanted || !report.configuration->described()) continue;
    Measured measured{report.verdict, profile.name(), {}, 0, false};
    const auto times = advisor::phase_times(report);
    for (const auto& phase : exploration.phases) {
      const auto of = std::find_if(times.begin(), times.end(),
                                   [&](const auto& time) { return time.phase == phase.phase; });
      if (of == times.end()) break;
      const double ms = of->timed_ms > 0 ? of->timed_ms : of->kernel_ms + of->idle_ms;
      measured.traced = measured.traced || of->timed_ms <= 0;
      measured.ms.emplace_back(phase.phase, ms);
      measured.sum_ms += ms;
    }
    if (!measured.ms.empty() && measured.ms.size() == exploration.phases.size()) return measured;
  }
  return std::nullopt;
}

}  // namespace rnnadvisor::gui
