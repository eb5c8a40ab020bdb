// Report: a judged profile, arranged for readers. One Report, one writer per format; writers only
// arrange and escape.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/errors/known_errors.h"
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"
#include "core/base/result.h"
#include "core/model/cost.h"
#include "profiler/classify/memory_use.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

struct PredictedTimes;  // advisor/report/predicted_times.h

// A kernel's share of one phase of one configuration. Counts and times are of one call: the mean
// over the traced calls of PhaseKernels.
struct KernelRow {
  std::string name;  // full, demangled
  std::string short_name;
  Phase phase = Phase::forward_training;
  model::Implementation family = model::Implementation::none;
  KernelRole role = KernelRole::unknown;
  std::int64_t count = 0;
  double total_us = 0;
  double share = 0;  // of the phase's kernel time
};

// Recorded calls of one place in the program. The GPU's time is that of their kernels, else of
// their events.
struct PlaceRow {
  std::string name;  // "train.py:31 in forward"; "step/encoder": NVTX ranges, the outermost first
  std::string file, function;  // of a line of the program; as recorded, may be empty
  int line = 0;                // 0: not known, or a range
  int site = -1;               // of Profile::call_sites; -1: a range
  std::int64_t calls = 0;
  double gpu_ms = -1;  // -1: not recorded
};

struct PhaseRow {
  Phase phase = Phase::forward_training;
  const PhaseTiming* timing = nullptr;  // null: not timed
  double kernel_ms = -1;  // sum of kernel durations of one traced call; -1: not traced
  double busy = -1;       // share of the median in which a kernel ran (busy_share()); -1: not known
  bool busy_of_traced_call = false;  // the phase was not timed: of the traced call instead
  std::optional<model::Implementation> implementation;  // what ran
  model::PhaseCost cost;
  model::Bound bound;
  double tflops = -1;  // achieved
  std::string
      tensor_cores;  // "yes (counters)", "yes (inferred from kernel names)", "no …", "unknown";
                     // "in products only (…)": not in the kernels of the recurrence
  // Calls that kernel_ms, busy and the rows of kernels are not of: each process's first, in which
  // kernels were loaded; 0 where there were too few others (PhaseKernels).
  int first_calls_left_out = 0;
};

// One change that was tried for a configuration.
struct TrialRow {
  int index = -1;  // into Profile::experiments
  const Experiment* experiment = nullptr;
  // The experiment's, or of a rule about results what became of these (TrialOutcome::of_results).
  ExperimentVerdict verdict = ExperimentVerdict::not_run;
  std::string change;                      // "pad_batch (multiple 8), then split_layers"
  const ExperimentTiming* step = nullptr;  // what the verdict rests on; null: no time
  const ExperimentTiming* inference = nullptr;
  const ExperimentTiming* forward = nullptr;   // forward training
  const ExperimentTiming* training = nullptr;  // the whole step of the layer
  const ExperimentTiming* program = nullptr;   // of the program
  const TensorShift* shift = nullptr;          // the result that moved most; null: not compared
  std::string wrong;                           // a result that moved too far; empty: none did
  // "in your program, while it ran", "in PyTorch", "on NVIDIA A100": where not the bare calls on
  // its own GPU.
  std::string where;
};

// How a configuration stands: the worst of what became of it and what fired.
enum class Standing {
  unjudged,     // no rule could say anything, or it is not known whether cuDNN is called
  refused,      // by cuDNN, and the same with another algorithm ran: no defect of the whole
  fine,         // judged, nothing to do
  opportunity,  // it could be better
  warning,      // it should be better
  error,        // it does not run, or a rule of severity error fired
};
std::string_view to_string(Standing value);

struct ConfigurationReport {
  int index = -1;  // into Profile::configurations
  const Configuration* configuration = nullptr;
  const DeviceSpec* device = nullptr;
  std::string verdict;  // one sentence
  // Of the algorithm that the framework picks, where it does (follow_framework()).
  model::Eligibility predicted;
  // Of what did not run: no cuDNN call is made for it (FrameworkCall), its framework stops with an
  // error, cuDNN is expected to refuse it and why. Then nothing is predicted for such a call.
  bool no_call = false, stops = false;
  std::optional<bool> calls_cudnn;  // what ran did; nothing: what decides it is not known
  std::optional<model::Refusal> refusal;
  std::string decides;      // where calls_cudnn is nothing: "the cuDNN version"
  std::string decides_key;  // the key of [framework] that says it, "cudnn_version"; may be empty
  std::string framework;    // "PyTorch": that is around it; empty: none, or cuDNN's own API
  std::optional<model::Implementation> expected;  // what the program is expected to run, if known
  std::string framework_choice;  // "PyTorch takes standard (several layers)"; empty: none picks
  // "PyTorch would ask for persist_static_small_h": it was run as its named framework would not
  // have called it; else empty.
  std::string other_call;
  std::optional<model::Implementation> ran;  // from kernels
  std::vector<PhaseRow> phases;
  std::vector<KernelRow> kernels;  // by phase, then by time
  // Where its recorded calls come from, the most time first: lines of the program and NVTX ranges.
  std::vector<PlaceRow> call_sites, nvtx_ranges;
  std::int64_t recorded_calls = 0;
  model::MemoryNeed memory;
  MemoryUse program_memory;  // what the recorded program held; both -1 when it was not recorded
  std::vector<model::WhyNot> why_not;
  std::vector<TrialRow> trials;  // confirmed first, then by speedup
  bool tried = false;            // added by an experiment: no configuration of the user's
  // Of a recorded layer that ran with several batch sizes or sequence lengths (join_shapes()): the
  // index of the configuration in whose row and section this one is shown, -1 its own; and all of
  // them, by size, where this one stands for them. `name` and `summary` then name all sizes.
  int shown_in = -1;
  std::vector<int> shapes;
  // What its calls take of a step of the program, 0 … 1, of all `shapes`; 0: not known, or none,
  // as of an evaluation apart from training steps.
  double share_of_step = 0;
  const BestPrediction* best_prediction = nullptr;  // null: none was made
  // Over these shapes, weighted by calls: ms and TFLOP/s of a step.
  std::optional<std::pair<double, double>> mean_step;
  bool listed() const { return !tried && shown_in < 0; }  // has a row and a section of its own
  // About it, in the order of advisor/judge/order.h; not those of the whole program.
  std::vector<const Finding*> findings;
  std::vector<const Verdict*> verdicts;  // of every rule, in the order of the judgement
  int fired = 0, passed = 0, told_by_another = 0, not_applicable = 0, unknown = 0,
      broken = 0;  // broken: rules with the verdict `error`

  // The user's id, or the summary, and where several have the same what sets them apart: "B64,
  // persist_static". One line, valid UTF-8, no control characters.
  std::string name;
  std::string summary;  // "LSTM 1x1024 half B64 T256, standard"
  Standing standing = Standing::unjudged;
  bool has_device = false;  // false: predicted, bounds and why_not say nothing
  // The device's ceilings for this configuration's arithmetic; 0 when there is no device.
  std::string pipe;                // "fp16_tensor"
  double peak_flops = 0;           // FLOP per second
  double peak_bandwidth = 0;       // bytes per second
  bool ceilings_measured = false;  // both; otherwise at least one is a datasheet value
  // Where the configuration stands in the user's own file. Not part of a profile: who read the file
  // may fill it in.
  std::optional<SourcePosition> position;

  const PhaseRow* phase(Phase wanted) const;
  bool summary_in_name() const;  // it would say nothing new beside the name
  // Sum of the medians of a training step (forward training, backward data, backward weights) or,
  // for an inference configuration, the median of forward inference. -1: not all of them were
  // timed.
  double step_ms() const;
  double step_tflops() const;  // over the same phases; -1: not timed
  // The largest speedup that a finding promises of a change after which the model is what it was
  // (promises_speed()), and the largest that only another model reaches; 1 where there is none.
  double best_gain() const;
  double model_gain() const;
  // The fastest confirmed change of exactly this meaning; null when there is none.
  const TrialRow* best_trial(Meaning meaning) const;
};

// The findings of one rule, in their order: one advice for several configurations. Either all of
// them ask for something, or all are remarks (is_remark()).
struct FindingGroup {
  std::vector<const Finding*> findings;  // never empty
  const Finding& first() const { return *findings.front(); }
  Severity severity() const;  // the worst of them
};

// A figure of the profile with its values looked up.
struct FigurePoint {
  double x = 0, y = 0;
  double low = 0, high = 0;  // interval of y; equal to y when there is none
  int configuration = -1;    // index into Report::configurations
};
struct FigureSeries {
  std::string name;
  std::vector<FigurePoint> points;  // by x
  std::vector<std::string>
      missing;  // "batch_size 2048: refused": what belongs here but has no value
};
struct FigureReport {
  const Figure* figure = nullptr;
  std::string x_label, y_label;
  std::vector<FigureSeries> series;
};

// A call of a process that failed: one of those that it made last.
struct LastCall {
  std::string function;             // "forward training", or "cudnnBuildRNNDynamic" and its like
  int configuration = -1;           // into Report::configurations; -1: not known
  int status = 0;                   // cudnnStatus_t
  std::string status_name, reason;  // "CUDNN_STATUS_BAD_PARAM"; cuDNN's own words, may be empty
  std::string place;                // "train.py:31 in forward"; empty: not recorded
  std::int64_t workspace_bytes = -1, reserve_bytes = -1;  // -1: not known
  // Free memory of the GPU after it: as the failed call was followed by a look, else from what was
  // free at the end and what the program allocated since; -1: not known.
  std::int64_t memory_free_bytes = -1;
};

// How a Python program ended that an exception ended.
struct ProgramEnd {
  struct Exception {
    std::string text;  // as Python prints it, several lines, without secrets
    std::vector<ExplainedError> explained;
  };
  std::vector<Exception> exceptions;    // one for each process that had another
  std::vector<LastCall> calls;          // of the processes that failed, the last one last
  std::int64_t memory_free_bytes = -1;  // of the GPU with least of it, at the end; -1: not known
  // Where little was free, that cuDNN needs for itself: how large the last forward call may be, all
  // else equal, to leave room. 0: not known.
  int fits_batch = 0, fits_seq_length = 0;
  bool short_of_memory() const;
};

// What a person has noted about a finding, in the window: "to do", "tried", "rejected".
struct ChecklistRow {
  const Finding* finding = nullptr;
  std::string state, note;  // either may be empty
};

struct Report {
  const Profile* profile = nullptr;
  const Judgement* judgement = nullptr;
  const RuleSet* rules = nullptr;
  std::string headline;  // the verdict in one sentence
  // What the advice takes for granted: what was not given, and that no framework was named. Empty
  // where nothing is assumed.
  std::string assumption;
  // In profile order, with those that experiments added (`tried`), which writers pass over.
  std::vector<ConfigurationReport> configurations;
  std::vector<const Finding*> findings;  // of all configurations, in the order of the judgement
  // Of the findings; that an exception ended the program counts as one more error.
  int errors = 0, warnings = 0, opportunities = 0, infos = 0;
  // The same findings by rule, in the order of each rule's first: what to do, and what asks for
  // nothing, which stands in a section of its own.
  std::vector<FindingGroup> actions, remarks;
  std::optional<ProgramEnd> end;      // of a program that an exception ended; else nothing
  std::vector<FigureReport> figures;  // those for which the profile has values
  // Of its configurations, for writers to show; null: nothing is predicted. Not part of a profile:
  // who has a model of the device's times may set it, and keeps it as long as the report.
  const PredictedTimes* predicted = nullptr;
  // No part of a profile: who keeps such notes sets it, for writers of reports for people.
  std::vector<ChecklistRow> checklist;

  // Where a finding is shown.
  struct Place {
    bool remark = false;
    std::size_t number = 0;  // of its group in that section, from 1; 0: it is not shown
  };
  Place place_of(const Finding& finding) const;
  // The remarks without those that measuring on this kind of GPU refuted, for short reports: what a
  // refuted criterion asks for may be what advice for another reason does. What was tried in this
  // profile stays.
  std::vector<FindingGroup> remarks_not_refuted() const;

  // The user's own configurations.
  std::size_t own_configurations() const;
  // Those that are listed(): how many, and the one where there is just one, else null.
  std::size_t shown() const;
  const ConfigurationReport* only() const;
  // The configuration in whose row and section this one is shown.
  const ConfigurationReport& row_of(int configuration) const;
  // The standing of listed configurations, counted by Standing.
  int standing_count(Standing standing) const;
  Standing worst() const;  // of them, of the program's findings and of its end
  // That an exception ended the program, or a finding of this severity or a worse one that is not
  // in the project's baseline.
  bool fails(Severity severity) const;
};

// The arguments must outlive the report. Never fails: what a profile does not hold is absent from
// the report.
Report make_report(const Profile& profile, const Judgement& judgement, const RuleSet& rules);

struct TextOptions {
  int width = 100;  // terminal columns
  bool color = false;
  bool ascii = false;          // no box-drawing or bar characters
  int max_configurations = 3;  // in detail; the rest as a table
  bool verbose = false;        // passed and unknown rules, all kernels
};
std::string write_text(const Report& report, const TextOptions& options = {});
std::string write_markdown(const Report& report);
std::string write_html(const Report& report);
std::string write_json(const Report& report);   // docs/schema/report.schema.json
std::string write_sarif(const Report& report);  // SARIF 2.1.0
std::string write_junit(
    const Report& report);  // one test case per configuration and rule that applied
std::string write_csv(const Report& report);  // one line per configuration and phase

}  // namespace rnnadvisor::advisor
