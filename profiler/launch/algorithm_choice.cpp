#include "profiler/launch/algorithm_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/memory.h"

namespace rnnadvisor::launch {
namespace {

using spool::VariantState;

constexpr std::string_view in_program = "program";

bool timed(const MedianInterval& ms) { return ms.count > 0 && ms.median > 0; }

MedianInterval sum(std::span<const MedianInterval> parts) {
  MedianInterval total = parts.front();
  for (const auto& part : parts.subspan(1)) {
    total.median += part.median;
    total.low += part.low;
    total.high += part.high;
    total.count = std::min(total.count, part.count);
  }
  return total;
}

bool all_timed(std::span<const MedianInterval> parts) {
  return std::all_of(parts.begin(), parts.end(), timed);
}

ExperimentTiming compare(ExperimentScope scope, std::span<const MedianInterval> before,
                         std::span<const MedianInterval> after) {
  ExperimentTiming timing;
  timing.scope = scope;
  timing.before_ms = sum(before);
  timing.after_ms = sum(after);
  timing.speedup = timing.before_ms.median / timing.after_ms.median;
  if (timing.after_ms.high > 0 && timing.after_ms.low > 0) {
    timing.speedup_low = timing.before_ms.low / timing.after_ms.high;
    timing.speedup_high = timing.before_ms.high / timing.after_ms.low;
  }
  return timing;
}

// Without a comparison of the original with itself: the calls alternated in the program, and the
// plugin chose when the intervals had parted.
ExperimentVerdict verdict_of(const ExperimentTiming& timing) {
  if (timing.speedup_low > 1) return ExperimentVerdict::confirmed;
  if (timing.speedup_high > 0 && timing.speedup_high < 1) return ExperimentVerdict::refuted;
  return ExperimentVerdict::inconclusive;
}

std::string why_not_tried(const ChoiceVariant& variant) {
  switch (variant.state) {
    case VariantState::refused:
      return fmt::format("cuDNN refuses it for these calls ({})", variant.status);
    case VariantState::layout:
      return "it needs another layout of the weights or another size of reserve space";
    case VariantState::memory:
      return "there was no memory for its workspace or for the comparison of results";
    case VariantState::costly:
      return "comparing its results was predicted to take more than what was left of the budget";
    default:
      return "no call could be compared";
  }
}

std::string transforms_of(const ChoiceVariant& original, const ChoiceVariant& variant) {
  const auto change = [](std::string_view kind, std::string_view value) {
    return fmt::format(R"({{"kind":"{}","parameters":{{"value":"{}"}}}})", kind, value);
  };
  std::string list;
  if (variant.converts) list = change("math_type", to_string(MathType::tensor_op_allow_conversion));
  if (variant.algo != original.algo)
    list += (list.empty() ? "" : ",") + change("algo", to_string(variant.algo));
  return "[" + list + "]";
}

Experiment make_experiment(const Profile& profile, const AlgorithmChoice& choice,
                           const ChoiceVariant& variant) {
  const auto& original = profile.configurations[static_cast<std::size_t>(choice.configuration)];
  Experiment made;
  made.configuration = choice.configuration;
  made.where = in_program;
  made.transforms = transforms_of(choice.original(), variant);
  made.meaning = variant.converts ? "numerics" : "exact";
  made.device = choice.device;
  made.seconds = choice.tuning_ms / 1e3;
  const std::string tensor = variant.tensor.empty() ? "a result" : variant.tensor;
  if (variant.error >= 0) made.shifts.push_back({tensor, variant.error, -1, -1});
  if (variant.state == VariantState::different || variant.state == VariantState::drifted) {
    made.verdict = ExperimentVerdict::refuted;
    made.message = variant.state == VariantState::different
                       ? "not the same results"
                       : "not the same results any more on a later call";
    if (variant.error >= 0) {
      made.message += fmt::format(": {} differs by {:.2g}, and {:.2g} is allowed", tensor,
                                  variant.error, variant.limit);
    }
    return made;
  }
  made.timings = choice_timings(choice.original(), variant, original.config.mode);
  if (made.timings.empty()) {
    made.message = variant.state == VariantState::measured || variant.state == VariantState::slower
                       ? "its results are right, but too few calls could be timed"
                       : why_not_tried(variant);
    return made;
  }
  made.verdict = verdict_of(made.timings.back());
  const auto& memory = model::space_sizes(original.config);
  if (choice.original().workspace_bytes > 0 && variant.workspace_bytes > 0) {
    const std::int64_t shared =
        memory.weights.value +
        (original.config.mode == Mode::training ? memory.reserve_training.value : std::int64_t{0});
    made.memory_before = shared + choice.original().workspace_bytes;
    made.memory_after = shared + variant.workspace_bytes;
  }
  return made;
}

Configuration changed_configuration(const Configuration& original, const AlgorithmChoice& choice,
                                    const ChoiceVariant& variant) {
  Configuration made;
  made.config = original.config;
  made.config.set_algo(variant.algo);
  if (variant.converts) made.config.math_type = MathType::tensor_op_allow_conversion;
  made.program = original.program;
  made.origin = Origin::run;
  made.outcome = Outcome::completed;
  made.device = choice.device;
  made.sizes = model::space_sizes(made.config);
  const bool trains = original.config.mode == Mode::training;
  constexpr Phase phases[] = {Phase::forward_training, Phase::backward_data,
                              Phase::backward_weights};
  for (std::size_t i = 0; i < (trains ? spool::choice_phases : 1); ++i) {
    if (!timed(variant.ms[i])) continue;
    PhaseTiming timing;
    timing.phase = trains ? phases[i] : Phase::forward_inference;
    timing.ms = variant.ms[i];
    made.timings.push_back(std::move(timing));
  }
  return made;
}

// Also what was chosen, and given up because whole steps were slower.
bool was_chosen(const AlgorithmChoice& choice, std::size_t variant, const Experiment& made,
                const WholeStep& step) {
  if (made.timings.empty()) return false;
  return choice.accelerated() ? variant == choice.chosen
                              : step.withdrawn && made.verdict == ExperimentVerdict::confirmed &&
                                    choice.variants[variant].state == VariantState::slower;
}

}  // namespace

void add_whole_step(Experiment& experiment, const WholeStep& step) {
  ExperimentTiming timing;
  timing.scope = ExperimentScope::program_step;
  timing.before_ms = step.own_ms;
  timing.after_ms = step.changed_ms;
  timing.speedup = step.speedup.median;
  timing.speedup_low = step.speedup.low;
  timing.speedup_high = step.speedup.high;
  timing.control_low = step.control.low;
  timing.control_high = step.control.high;
  experiment.timings.push_back(std::move(timing));
}

void judge_by_whole_step(Experiment& experiment, const WholeStep& step) {
  if (experiment.verdict != ExperimentVerdict::confirmed) return;
  const std::string calls = experiment.timings.front().scope == ExperimentScope::program_step
                                ? ""
                                : "its calls are faster, but ";
  if (step.withdrawn || step.is_slower()) {
    experiment.verdict = ExperimentVerdict::refuted;
    experiment.message = calls + "whole steps of the program take longer with it";
  } else if (!step.is_faster()) {
    experiment.verdict = ExperimentVerdict::inconclusive;
    experiment.message =
        calls + "whole steps of the program take as long as before, within the noise";
  }
}

std::string name_of(const ChoiceVariant& variant) {
  return std::string(to_string(variant.algo)) +
         (variant.converts ? " with conversion to half" : "");
}

std::vector<ExperimentTiming> choice_timings(const ChoiceVariant& before,
                                             const ChoiceVariant& after, Mode mode) {
  std::vector<ExperimentTiming> timings;
  const auto add = [&](ExperimentScope scope, std::size_t phases) {
    const std::span a(before.ms, phases), b(after.ms, phases);
    if (all_timed(a) && all_timed(b)) timings.push_back(compare(scope, a, b));
  };
  if (mode == Mode::inference) {
    add(ExperimentScope::inference, 1);
  } else {
    add(ExperimentScope::forward_training, 1);
    add(ExperimentScope::training_step, spool::choice_phases);
  }
  return timings;
}

void add_choice_experiments(Profile& profile, std::span<const AlgorithmChoice> choices,
                            std::span<const WholeStep> steps) {
  const auto known = [&](const Experiment& made) {
    return std::any_of(
        profile.experiments.begin(), profile.experiments.end(), [&](const Experiment& other) {
          return other.configuration == made.configuration && other.where == made.where &&
                 other.device == made.device && other.transforms == made.transforms;
        });
  };
  for (const auto& choice : choices) {
    // What cuDNN does for a layer that `try` changed is no experiment with the program's own.
    if (choice.configuration < 0 || choice.with_change) continue;
    for (std::size_t i = 1; i < choice.variants.size(); ++i) {
      const auto& variant = choice.variants[i];
      auto made = make_experiment(profile, choice, variant);
      if (known(made)) continue;
      const auto step = std::ranges::find_if(steps, [&](const WholeStep& one) {
        return one.process == choice.process && one.arm == spool::StepArm::algorithms;
      });
      if (step != steps.end()) {
        const bool chosen = was_chosen(choice, i, made, *step);
        if (chosen) add_whole_step(made, *step);
        // What is slower than the chosen one gains no more in whole steps.
        if (chosen || choice.accelerated()) judge_by_whole_step(made, *step);
      }
      if (!made.timings.empty()) {
        made.changed = {static_cast<int>(profile.configurations.size())};
        profile.configurations.push_back(changed_configuration(
            profile.configurations[static_cast<std::size_t>(choice.configuration)], choice,
            variant));
      }
      profile.experiments.push_back(std::move(made));
    }
  }
}

}  // namespace rnnadvisor::launch
