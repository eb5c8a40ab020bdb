// measured.*: what was timed and what became of the run.
#include <array>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;

std::optional<double> bound_ms(const Subject& s, const Index& i, Phase phase) {
  const auto* bound = i.model(s.configuration).bound(phase);
  return bound == nullptr || bound->roofline_ms <= 0 ? std::nullopt
                                                     : std::optional(bound->roofline_ms);
}

constexpr std::array training_phases = {Phase::forward_training, Phase::backward_data,
                                        Phase::backward_weights};

bool ran(const Subject& s) { return s.get().outcome != Outcome::not_run; }

const StageResult* refused(const Subject& s) {
  for (const auto& stage : s.get().stages) {
    if (stage.attempted && stage.status != 0) return &stage;
  }
  return nullptr;
}

void add_phase(Catalogue& catalogue, Phase phase) {
  const std::string name(to_string(phase));
  define(catalogue, "measured." + name + "_ms", "ms", Provenance::measured,
         "median time of " + name + ", untraced",
         [phase](const Subject& s) { return phase_ms(s.get(), phase); });
  define(catalogue, "measured." + name + "_flops", "FLOP/s", Provenance::measured,
         "arithmetic rate of " + name,
         [phase](const Subject& s, const Index& i) -> std::optional<double> {
           const auto ms = phase_ms(s.get(), phase);
           if (!ms || *ms <= 0) return std::nullopt;
           return static_cast<double>(i.model(s.configuration).cost(phase).flops) / (*ms * 1e-3);
         });
  define(catalogue, "measured." + name + "_of_roofline", "%", Provenance::measured,
         "roofline time of " + name + " as a share of its measured time",
         [phase](const Subject& s, const Index& i) -> std::optional<double> {
           const auto ms = phase_ms(s.get(), phase);
           const auto bound = bound_ms(s, i, phase);
           if (!ms || !bound || *ms <= 0) return std::nullopt;
           return 100 * *bound / *ms;
         });
}

void add_outcome(Catalogue& catalogue) {
  std::vector<std::string> outcomes;
  for (int value = 0; value <= static_cast<int>(Outcome::interrupted); ++value) {
    outcomes.emplace_back(to_string(static_cast<Outcome>(value)));
  }
  define(
      catalogue, "measured.outcome", "", Provenance::measured,
      "what became of the run; unknown when it was not run",
      [](const Subject& s) -> std::optional<std::string> {
        if (!ran(s)) return std::nullopt;
        return std::string(to_string(s.get().outcome));
      },
      outcomes);
  define(catalogue, "measured.refused_stage", "", Provenance::measured,
         "stage at which cuDNN refused; none: it accepted",
         [](const Subject& s) -> std::optional<std::string> {
           if (!ran(s) || s.get().stages.empty()) return std::nullopt;
           const auto* stage = refused(s);
           return stage == nullptr ? "none" : std::string(to_string(stage->stage));
         });
  define(catalogue, "measured.refused_status", "", Provenance::measured,
         "cuDNN's status where it refused", [](const Subject& s) -> std::optional<std::string> {
           const auto* stage = refused(s);
           return stage == nullptr ? std::nullopt : std::optional(stage->status_name);
         });
  define(catalogue, "measured.refused_reason", "", Provenance::measured,
         "cuDNN's own reason where it refused", [](const Subject& s) -> std::optional<std::string> {
           const auto* stage = refused(s);
           return stage == nullptr || stage->reason.empty() ? std::nullopt
                                                            : std::optional(stage->reason);
         });
  define(catalogue, "measured.message", "", Provenance::measured, "why the run did not complete",
         [](const Subject& s) -> std::optional<std::string> {
           return ran(s) && !s.get().message.empty() ? std::optional(s.get().message)
                                                     : std::nullopt;
         });
  define(catalogue, "measured.outputs_finite", "", Provenance::measured,
         "every output was written and finite", [](const Subject& s) -> std::optional<bool> {
           if (s.get().outcome != Outcome::completed) return std::nullopt;
           return s.get().outputs_finite;
         });
  define(catalogue, "measured.correct", "", Provenance::measured,
         "outputs agreed with the float64 reference within their tolerances",
         [](const Subject& s) -> std::optional<bool> {
           if (s.get().correctness.empty()) return std::nullopt;
           for (const auto& result : s.get().correctness) {
             if (!result.passed) return false;
           }
           return true;
         });
}

}  // namespace

void add_measured_facts(Catalogue& catalogue) {
  for (const Phase phase : all_phases) add_phase(catalogue, phase);
  define(catalogue, "measured.training_step_ms", "ms", Provenance::measured,
         "forward training, backward data and backward weights together",
         [](const Subject& s) { return training_step_ms(s.get()); });
  define(catalogue, "measured.step_ms", "ms", Provenance::measured,
         "the time that matters for the mode: the training step, or forward inference",
         [](const Subject& s) { return step_ms(s.get()); });
  define(catalogue, "measured.training_step_flops", "FLOP/s", Provenance::measured,
         "arithmetic rate of a training step",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto ms = training_step_ms(s.get());
           if (!ms || *ms <= 0) return std::nullopt;
           double flops = 0;
           for (const Phase phase : training_phases) {
             flops += static_cast<double>(i.model(s.configuration).cost(phase).flops);
           }
           return flops / (*ms * 1e-3);
         });
  define(catalogue, "measured.training_step_of_roofline", "%", Provenance::measured,
         "roofline time of a training step as a share of its measured time",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto ms = training_step_ms(s.get());
           if (!ms || *ms <= 0) return std::nullopt;
           double sum = 0;
           for (const Phase phase : training_phases) {
             const auto bound = bound_ms(s, i, phase);
             if (!bound) return std::nullopt;
             sum += *bound;
           }
           return 100 * sum / *ms;
         });
  add_outcome(catalogue);
}

}  // namespace rnnadvisor::advisor
