// ProfileIndex: what fact providers ask of a profile again and again, computed once per profile:
// calls by configuration, kernels by call and by phase, configurations that differ in one field
// only, and the cost model's answers for the configuration at hand. Built by judge(); a profile
// without calls costs next to nothing. Not thread-safe (the model answers are kept for one
// configuration at a time); use one per thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "advisor/facts/framework_call.h"
#include "advisor/facts/predicted_change.h"
#include "core/model/cost.h"
#include "core/model/eligibility.h"
#include "core/model/memory.h"
#include "profiler/classify/call_signs.h"
#include "profiler/classify/capture_obstacles.h"
#include "profiler/classify/memory_use.h"
#include "profiler/classify/native_cells.h"
#include "profiler/classify/program_steps.h"
#include "profiler/classify/repeated_kernels.h"
#include "profiler/classify/step_account.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// Calls that must be left beside the first ones of each process for these to be left out of
// PhaseKernels; our choice.
constexpr std::size_t enough_calls = 3;

// The traced kernels of one phase of one configuration, over its calls that have kernels. The first
// such call of each process is left out where at least enough_calls others are there: kernels are
// loaded, algorithms chosen and programs compiled in it, so that it tells nothing of the others.
struct PhaseKernels {
  int calls = 0;               // calls with at least one kernel, those left out not among them
  std::vector<int> left_out;   // indices into Profile::calls, ascending
  std::int64_t count = 0;      // kernels
  std::int64_t kernel_ns = 0;  // sum of kernel durations
  std::int64_t busy_ns = 0;    // time in which at least one kernel ran
  std::int64_t span_ns = 0;    // from the first start to the last end, per call, summed
  std::int64_t host_ns = 0;    // host time inside those calls
  std::map<KernelRole, std::int64_t> role_ns;               // kernel_ns by role
  std::map<model::Implementation, std::int64_t> family_ns;  // kernel_ns by family
  std::optional<model::Implementation> implementation;      // what ran, when the kernels tell
  double kernels_per_call() const { return calls > 0 ? static_cast<double>(count) / calls : 0; }
};

// Another configuration of the same profile, on the same device and with the same program around
// it, that was run too, by no experiment, and is equal but for `field`: a key of
// core/config/fields.h ("algo", "batch_size", …), or "width" for input_size, hidden_size and
// proj_size changed together.
struct Sibling {
  int configuration = -1;
  std::string_view field;
};

// What a recorded program does on one device, whatever the configuration.
struct ProgramStep {
  std::optional<GpuBusy> busy;        // nothing where it is not known
  std::optional<ProgramSteps> steps;  // the same
  std::int64_t kernel_ns = 0;         // of all kernels of the process that `busy` looks at
  // Inference is called apart from training steps, as for evaluation, and is no part of them.
  bool inference_apart = false;
  // Begins of the first and the last recurrent call of training; of the process of inference_apart.
  std::int64_t first_training_ns = 0, last_training_ns = 0;
  // Of the work, 0 … 1: stacks and bidirectional layers that ran under the standard algorithm, of
  // graph_estimate().
  double concurrent = 0;
  // Of forward passes in training, 0 … 1: those with a batch of one. Nothing where there are none.
  std::optional<double> one_sequence_share;
  // Of the configurations recorded on the device the one with the most time in kernels, where
  // inference is apart of those that train: findings about the whole program name it. -1: none was
  // recorded there.
  int main_configuration = -1;
  CaptureObstacles obstacles;
  RepeatedKernels repeated;
  int world_size = -1;  // processes of the distributed job that it is part of; -1: not known
  // Time in kernels of NCCL over busy->span_ns, 0 … 1; nothing where `busy` is not known.
  std::optional<double> collectives;
};

// The cost model's answers for one configuration, each computed when first asked for.
class ModelAnswers {
 public:
  ModelAnswers(const RnnConfig& config, const DeviceSpec* device)
      : config_(&config), device_(device) {}

  // Null where the profile names no device.
  const model::Eligibility* eligibility() const;
  const model::WhyNot* why_not(Algo algo) const;
  const model::Bound* bound(Phase phase) const;
  const model::SpaceSizes& sizes() const;
  const model::MemoryNeed& memory(Mode mode) const;
  const model::PhaseCost& cost(Phase phase) const;

 private:
  const RnnConfig* config_;
  const DeviceSpec* device_;
  mutable std::optional<model::Eligibility> eligibility_;
  mutable std::array<std::optional<model::WhyNot>, 4> why_not_;
  mutable std::array<std::optional<model::Bound>, 4> bound_;
  mutable std::optional<model::SpaceSizes> sizes_;
  mutable std::array<std::optional<model::MemoryNeed>, 2> memory_;
  mutable std::array<std::optional<model::PhaseCost>, 4> cost_;
};

class ProfileIndex {
 public:
  // The profile must outlive the index and not change.
  explicit ProfileIndex(const Profile& profile);

  const Profile& profile() const { return *profile_; }
  // The device of a configuration; null where its index names none.
  const DeviceSpec* device(int configuration) const;

  // Indices into Profile::calls, in the order of the profile; empty for a configuration that was
  // not called.
  std::span<const int> calls(int configuration) const;
  // Indices into Profile::kernels, by start.
  std::span<const int> kernels(int call) const;
  // The kernels of a phase; null when none were traced.
  const PhaseKernels* phase_kernels(int configuration, Phase phase) const;
  // It is in no PhaseKernels, for it is one of the first.
  bool left_out(int call) const;
  // Any phase has traced kernels.
  bool traced(int configuration) const;

  // Configurations that differ in one field only; both must have been run. In profile order.
  std::span<const Sibling> siblings(int configuration) const;
  // Whether any configuration was measured beside this one: on its kind of GPU, with the same
  // program around it.
  bool has_siblings(int configuration) const;
  // Among those the one that equals `config` but for its name, -1 for none; the first that has
  // times.
  int measured_like(int configuration, const RnnConfig& config) const;
  // Experiments that started from this configuration: indices into Profile::experiments.
  std::span<const int> experiments(int configuration) const;

  // Whether the configuration is one that an experiment added rather than one of the user's.
  bool tried(int configuration) const;

  // Recurrent networks that ran without cuDNN, the most expensive first; searched for when first
  // asked for.
  const std::vector<NativeRecurrence>& native_recurrences() const;

  // What the program did around the calls of a configuration; looked for when first asked.
  const CallSigns& signs(int configuration) const;
  const MemoryUse& memory_use(int configuration) const;

  // The recorded program on the device of a configuration; looked at when first asked.
  const ProgramStep& program_step(int configuration) const;

  // What reaches cuDNN of a configuration. The reference is good until that of another is asked
  // for.
  const FrameworkCall& framework_call(int configuration) const;

  // Answers of the cost model. The reference is good until the answers of another configuration are
  // asked for.
  const ModelAnswers& model(int configuration) const;

  // Who finds predicted_change(); without it there is none.
  void set_predict_change(PredictChange predict);
  // The change of which predicted times expect the most; looked for when first asked, which takes
  // some milliseconds. Null where times are not predicted. Good until that of another configuration
  // is asked for.
  const PredictedChange* predicted_change(int configuration) const;

 private:
  const Profile* profile_;
  // Grouped indices: the members of group g are items[begin[g] … begin[g + 1]).
  struct Groups {
    std::vector<int> begin, items;
    std::span<const int> of(int group) const;
  };
  static Groups group(std::span<const int> keys, std::size_t count);
  void leave_out_first_calls();
  void index_kernels();
  void index_siblings();

  Groups calls_, kernels_, experiments_;
  std::map<std::pair<int, Phase>, PhaseKernels> phases_;
  std::vector<bool> tried_;
  std::vector<std::vector<Sibling>> siblings_;  // by configuration; empty when nothing was run
  std::unordered_map<std::uint64_t, std::vector<int>> measured_;  // by a hash of their fields
  mutable std::optional<std::vector<NativeRecurrence>> native_;
  mutable std::optional<std::vector<CallSigns>> signs_;
  mutable std::optional<std::vector<MemoryUse>> memory_use_;
  mutable std::map<int, ProgramStep> steps_;  // by device
  PredictChange predict_change_;
  mutable int predicted_of_ = -1;
  mutable std::optional<PredictedChange> predicted_;
  mutable int called_of_ = -1;
  mutable std::optional<FrameworkCall> called_;
  mutable int model_of_ = -1;
  mutable std::optional<ModelAnswers> model_;
};

// Share of a phase's time in which a kernel ran, 0 … 1. The kernels come from traced calls, and
// tracing slows calls of many small kernels, so that the median without tracing is what they are
// divided by. Only where the phase was not timed it is the traced call, from its first kernel to
// the end of its last.
struct BusyShare {
  double share = 0;
  bool of_traced_call = false;
};
// Nothing where no kernel was traced.
std::optional<BusyShare> busy_share(const ProfileIndex& index, int configuration, Phase phase);

// The profile shows that the configuration runs: its forward pass, or with `backward` its backward
// pass. False where any part of it failed or was refused, too.
bool ran(const ProfileIndex& index, int configuration, bool backward);

// cuDNN refused the configuration, and the same with another algorithm ran to its end in this
// profile: what was to be tried in a comparison of algorithms, rather than what a program relies
// on.
bool refused_as_alternative(const ProfileIndex& index, int configuration);

// The phases that a gain's scope names: "forward inference", "forward training", "backward data",
// "backward weights", and "training step" for the last three together. Empty for any other word.
std::span<const Phase> phases_of_scope(std::string_view scope);

// Which part of the recorded step of its program the calls of a configuration take, those of
// phases_of_scope() (all of them where it names none), 0 … 1. As in StepAccount their kernels have
// their share of the step's work, and the waits between them one of the waits within recurrent
// layers. Where no step was timed without tracing: of the time that GpuBusy looks at, waits
// included. Where none of the calls lie in that time, of the kernels of all that was recorded, or
// of the steps without tracing. 1 for the scope "program step". Nothing where the program or the
// calls have no traced kernels.
struct StepShare {
  double share = 0;
  Outside outside = Outside::no;  // otherwise the share is of the recorded time
};
std::optional<StepShare> share_of_step(const ProfileIndex& index, int configuration,
                                       std::string_view scope);

// False for a configuration whose outputs were not finite or that failed the comparison with the
// reference, and for the known defects of persist_static_small_h (small_h_wrong_results()):
// what computes wrong results is no better for being faster.
bool results_trusted(const Configuration& configuration);

// Median of a timed phase, ms.
std::optional<double> phase_ms(const Configuration& configuration, Phase phase);
// Sum of the medians of phases_of_scope(), ms; nothing where it names none or one was not timed.
std::optional<double> scope_ms(const Configuration& configuration, std::string_view scope);
// That of the training step.
std::optional<double> training_step_ms(const Configuration& configuration);
// The time that matters for the configuration's mode: the training step, or forward inference.
std::optional<double> step_ms(const Configuration& configuration);

}  // namespace rnnadvisor::advisor
