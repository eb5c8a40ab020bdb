// What judging a profile yields. Every rule gives a verdict for every configuration: "nothing
// found" is never confused with "not looked".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/change/change.h"
#include "advisor/facts/fact.h"
#include "core/config/validate.h"
#include "profiler/classify/step_account.h"
#include "profiler/profile/experiment.h"

namespace rnnadvisor::advisor {

enum class Severity { info, opportunity, warning, error };  // ascending
enum class Confidence { heuristic, documented, measured };  // ascending
// told_by_another: it fired, and is no finding because another finding of the configuration
// proposes all that it would (LeftOut).
enum class VerdictKind { fired, passed, told_by_another, not_applicable, unknown, error };
std::string_view to_string(Severity value);
std::string_view to_string(Confidence value);
std::string_view to_string(VerdictKind value);
std::optional<Severity> parse_severity(std::string_view text);

// One comparison that was made: the answer to "why did this fire?".
struct Comparison {
  std::string fact;       // "call.batch_size"
  std::string op;         // "not_multiple_of"
  std::string threshold;  // "8", as people read it
  std::string observed;   // "33"
  std::string unit;
  Provenance provenance = Provenance::configured;
  bool holds = false;
  std::vector<std::string> keys = {};  // of the configuration, behind the value: keys_behind()
};

// What came of trying a suggestion: the newest experiment of the profile that is about it.
struct TrialOutcome {
  int experiment = -1;  // index into Profile::experiments
  ExperimentVerdict verdict = ExperimentVerdict::not_run;
  Meaning meaning = Meaning::exact;  // of the change that was tried
  // "training step"; "program step" where whole steps were timed; empty: no time was taken
  std::string scope;
  double speedup = 0, low = 0, high = 0;     // of that scope; 0: no time was taken
  double control_low = 0, control_high = 0;  // the same of the original against itself
  std::string message;                       // what must be known of it; may be empty
  std::string device;                        // where, if another kind of GPU; else empty
  // The finding is of results or of what does not run, so that `verdict` is of these and not of the
  // time: confirmed where it ran and its results are right, however slow.
  bool of_results = false;
  bool in_program = false;  // in the program itself, while it ran
};

struct Suggestion {
  std::string text;  // placeholders filled in
  std::optional<Transform> transform;
  // What goes with it and would not help alone, such as the padding that a kernel needs; none
  // without a transform, and none that changes nothing here.
  std::vector<Transform> with = {};
  std::string code;         // what to write, from the card or the kind of change; may be empty
  std::string framework;    // for whom; empty: for all
  std::string cannot = {};  // why the program's framework cannot express the change; may be empty
  std::optional<TrialOutcome> trial = {};
  // The calls that it would make were timed in this profile, all else equal, and are no faster.
  bool no_faster_here = false;
  // Why it is not offered, as a sentence: it gained nothing in whole steps of the program, or what
  // takes no more to apply gained more there. Empty: it is offered.
  std::string not_offered = {};
  Effort effort = Effort::line;
};

// Tried on the GPU that the finding is about, with a time: no estimate says more.
bool timed_here(const Suggestion& suggestion);

// All that a suggestion changes, in the order in which it is applied; empty: nothing that a machine
// can.
std::vector<Transform> changes_of(const Suggestion& suggestion);

// What following the finding would gain. Numbers are measured or computed, and say which.
enum class GainBasis {
  measured_here,       // by an experiment or a sibling configuration in this profile
  measured_elsewhere,  // a measurement of a near configuration, cited in the card: an estimate
  modelled,  // computed from predicted times, the recording or the cost model: an estimate
};
struct Gain {
  double speedup = 1;            // time now / time after, of `scope`
  double low = 0, high = 0;      // interval; 0 when there is none
  std::int64_t saved_bytes = 0;  // for memory rules
  GainBasis basis = GainBasis::modelled;
  std::string scope;   // "training step", "forward inference"
  std::string source;  // the sibling's id, or file and row
  // Only another model reaches it: every writer says so, and it counts nowhere as what there is to
  // gain by a change that can be taken as it is.
  bool another_model = false;
  // Of which change: all that one suggestion of the finding changes. Empty where the finding
  // proposes nothing that a machine can do.
  std::vector<Transform> changes = {};
  // The same in words, "the persist_static algorithm"; of what no machine can do the card's words.
  // Never empty in a judgement: no report shows a gain without its change.
  std::string change = {};
  // Of Finding::possible: what the program has to be changed to first (GainSource::once).
  std::string once = {};
};
// What following a finding is expected to save of a whole step of the recorded program: shares of
// the step, 0 … 1, below 0 what it would cost. The interval is that of the gain; equal to `share`
// where there is none.
struct StepSaving {
  double share = 0, low = 0, high = 0;
  double step_ms = -1;            // of a step without tracing; -1: none was timed
  Outside outside = Outside::no;  // otherwise shares of the recorded time instead of a step
};
std::string_view to_string(GainBasis value);
// For people. What was measured of another layer is an estimate of this one.
std::string_view in_words(GainBasis value);

// Where the rule has been confirmed or refuted by measurement.
struct ValidityRecord {
  std::string device, cudnn, date, effect, evidence;
  int agree = 0, refute = 0;
};

// Predicted times do not tell less (docs/models.md): a change of which they expect less
// has no gain.
constexpr double least_told_gain = 1.05;

struct Finding {
  std::string rule_id;
  std::string criterion;  // row of the criteria table, "ALIGN-STD-8"; may be empty
  std::string title;
  // The card's, or less: info for what measuring refuted, for what saves less than 1 % of a
  // recorded program's step or is another model than the recorded one, and where the card's is
  // error and cuDNN refused what was to be tried in a comparison of algorithms
  // (refused_as_alternative()).
  Severity severity = Severity::warning;
  Confidence confidence = Confidence::documented;
  std::string message;     // placeholders filled in
  int configuration = -1;  // index into Profile::configurations
  // About a step of the whole program, not about this configuration, whose calls take most of it.
  bool of_program = false;
  bool in_baseline = false;             // accepted by the project: it fails no run
  std::vector<int> calls;               // evidence: indices into Profile::calls, at most 1000
  std::vector<int> kernels;             // evidence: indices into Profile::kernels, the 100 longest
  std::int64_t all_calls = 0;           // of the configuration, of which `calls` are the first
  std::int64_t all_kernels = 0;         // of those calls, of which `kernels` are the longest
  std::vector<Comparison> comparisons;  // those of `when`
  std::vector<Comparison> context;      // those of `applies_when`
  std::vector<Suggestion> suggestions;
  std::vector<Citation> citations;
  std::vector<ValidityRecord> validity;
  std::optional<Gain> gain;
  // Of a recorded program, where the gain is of speed.
  std::optional<StepSaving> saving;
  // The same of following the rule for every configuration of the step in which it fired: the
  // lengths of one layer, say, are configurations of their own. At least `saving`.
  std::optional<StepSaving> rule_saving;
  // Set where measurements of this kind of GPU refute the rule: the finding is then a remark, no
  // more than info, and its suggestions are withdrawn().
  std::optional<ValidityRecord> refuted_by;
  // The best of what came of its suggestions. Where a gain of speed was confirmed here it is
  // `gain`; where it was refuted or not seen there is no `gain`, and a refuted warning or
  // opportunity is no more than info.
  std::optional<TrialOutcome> trial;
  // It claims speed, and `trial` or times in this profile refuted that on this kind of GPU.
  bool refuted_here = false;
  // What predicted times expect of the first of its changes, for order and severity; nothing where
  // it proposes none or they cannot tell.
  std::optional<double> predicted_speedup;
  // Where the finding claims no gain: what the program's step would gain once the program is
  // changed in ways that the card names (Gain::once). It counts for the order.
  std::optional<Gain> possible;
};

// All that the finding proposes is another model: no layer computes the same afterwards, so
// that its gain is no match for one that leaves the function as it is. No, where it proposes
// nothing or something that no machine can do.
bool another_model_only(const Finding& finding);

// What the finding says was measured on this kind of GPU and is not so: the best of its suggestions
// was tried and refuted, or the rule was refuted there and no trial confirms it after all. An error
// is never refuted.
bool refuted(const Finding& finding);

// A suggestion that is shown as what was refuted, and not offered as something to do: no code, no
// action. Of a rule that was refuted here every one, but for one that was confirmed here; else what
// was itself tried and refuted, or gained nothing or less in the program.
bool withdrawn(const Finding& finding, const Suggestion& suggestion);

// A finding that asks for nothing: of severity info, or refuted by measurement. Every report shows
// these in a section of their own, behind "What to do first", and they count in no headline.
bool is_remark(const Finding& finding);

struct Verdict {
  std::string rule_id;
  int configuration = -1;
  VerdictKind kind = VerdictKind::unknown;
  std::vector<std::string> missing;  // facts that were needed and not known
  std::string message;               // for error; of told_by_another: which rule tells it
};

// A finding that was taken out because others of its configuration propose the same.
struct LeftOut {
  std::string rule;
  int configuration = -1;
  std::string told_by;  // the rule whose finding tells it; of several that of the first suggestion

  bool operator==(const LeftOut&) const = default;
};

// What predicted times expect most of, of all changes that keep the data type.
struct BestPrediction {
  int configuration = -1;
  double speedup = 1;
  std::string change;  // in words; empty: nothing is faster
};

// A judged profile: findings in the order of advisor/judge/order.h; verdicts of all rules.
struct Judgement {
  std::vector<Finding> findings;
  std::vector<Verdict> verdicts;
  std::vector<std::string> ignored;  // rule ids left out on request
  // Where the time of a step of the recorded program goes, on each of its devices.
  std::vector<StepAccount> steps;
  // Of a recorded program, by configuration: whether any rule tells it or not.
  std::vector<BestPrediction> best_predictions;
};

}  // namespace rnnadvisor::advisor
