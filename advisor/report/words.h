// How the writers say things: one wording for all formats. Everything here returns plain text; each
// writer escapes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/report/report.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::words {

// Text of others made safe to show on one line: valid UTF-8, control characters (also those that
// drive a terminal) and bidirectional overrides replaced by U+FFFD, line breaks and tabs by a
// blank.
std::string clean(std::string_view text);
// The same for text of several lines: line breaks stay, tabs become two blanks.
std::string clean_lines(std::string_view text);
// Clean text for XML and HTML, between tags and in attribute values: < > & " ' are written as
// character references.
std::string escape_markup(std::string_view text);
// Cut in the middle to at most `columns` characters: "void elemWise…mode_t)2>". `mark` replaces
// what was cut.
std::string shorten(std::string_view text, std::size_t columns, std::string_view mark = "…");
// "network.toml:12:3"; line and column only where they are known.
std::string position(const SourcePosition& position);
// Columns a terminal uses for valid UTF-8 text; wide (East Asian, emoji) characters count two,
// combining marks none.
std::size_t display_width(std::string_view text);

std::string_view phase(Phase value);                           // "forward training"
std::string_view implementation(model::Implementation value);  // "persistent"
std::string_view outcome(Outcome value);                       // "out of memory (predicted)"
std::string_view standing(Standing value);                     // "fine", "not judged"
std::string_view verdict(VerdictKind value);  // "passed", "covered by another finding"
std::string_view severity_plural(Severity value,
                                 int count);  // "1 error", "2 errors" without the number
std::string_view meaning(
    Meaning value);  // what following a suggestion does to the function computed

// "33 is not a multiple of 8": the observation in words.
std::string comparison(const Comparison& comparison);
// Whether that reads without knowing the facts: a number or a word of what the user gave or what
// was recorded, no truth value and no answer of a model.
bool readable(const Comparison& comparison);
// What the words in brackets behind suggestions mean, "exact: the same function …": those that
// occur in what the report says to do; empty where none does.
std::string meanings(const Report& report);
// "1.44×": a factor, in every format; terminals without UTF-8 show an x
// (advisor/report/terminal.h).
std::string times(double value);
// Of texts that have "1.44x" in ASCII, as cards and the records of `rules validate` do.
std::string with_times_sign(const std::string& text);
// "1.44×", or for memory "saves 1.20 GiB"; "1.44× with another model" where no change that leaves
// the model as it is reaches it; empty when there is none. For columns of numbers: elsewhere
// gain_of_change().
std::string gain(const std::optional<Gain>& gain);
// With the change that gains it: "1.44× with the persist_static algorithm", "1.60× with another
// model (batch size 128)".
std::string gain_of_change(const std::optional<Gain>& gain);
// What a table of configurations shows: best_gain(), where there is none model_gain(), named so;
// empty where there is neither.
std::string gain(const ConfigurationReport& configuration);
// Of a finding that measuring refuted (advisor::refuted()): where and by how many pairs; else
// empty.
std::string refuted(const Finding& finding);
// Of it " (1.40 to 1.48)" and " with the persist_static algorithm"; empty where it has none.
std::string gain_interval(const Gain& gain);
std::string gain_change(const Gain& gain);
// Of what a gain or a trial is, "training step of the layer": a program has steps of its own.
std::string scope(std::string_view scope);
// "1.44× (1.40 to 1.48) with the persist_static algorithm, training step of the layer".
std::string gain_in_full(const Gain& gain);
// Above a list of findings, "What to do first"; and before it what orders them, and what their
// gains rest on.
std::string_view what_to_do(const Report& report);
std::string_view findings_lead();
// The order in a line.
std::string_view findings_order(const Report& report);
// Before the list of remarks.
std::string_view remarks_lead();
// "5 fired", "37 passed", …: the verdicts of all rules.
std::vector<std::string> rule_counts(const ConfigurationReport& report);

// What stands above the conditions of an algorithm: "Why not persist_static? 11 of 13 conditions
// hold". Empty where there is nothing to ask: it runs at full speed, or has no conditions.
std::string why_not_title(const ConfigurationReport& report, const model::WhyNot& table);
// Of a condition: "yes", and "required" or "for speed".
std::string_view holds(model::Holds value);
std::string_view kind(const model::Clause& condition);
// What stands below: the nearest configuration that satisfies all of them; may be empty.
std::string why_not_nearest(const model::WhyNot& table);
// "NVIDIA, Optimizing Recurrent Layers User's Guide, Quick Start Checklist (2023)".
std::string citation(const Citation& citation);
// http(s), and nothing in it that would end a link in Markdown or HTML.
bool is_web_address(std::string_view url);
// How a statement is known: "stated by a document", …
std::string_view citation_tag(char tag);
// "confirmed 12, refuted 1 on nvidia-h200, cuDNN 9.19.0, 2025-01-01: 1.4×".
std::string validity(const ValidityRecord& record);
// "3 kernels in 2 RNN calls", "the 100 longest of 10800 kernels in 30 RNN calls"; empty when there
// is no such evidence.
std::string evidence(const Finding& finding);

// Of a step the parts that take any of it, then the waits: "RNN forward", "waits elsewhere".
struct PartOfStep {
  std::string_view name;
  std::optional<StepPart> part;  // nothing: the GPU is idle
  double share = 0;
};
inline constexpr std::string_view idle_in_rnn = "GPU idle within recurrent layers";
inline constexpr std::string_view idle_for_host =
    "GPU idle in long waits (next batch, other work of the host)";
inline constexpr std::string_view idle_elsewhere = "GPU idle elsewhere";
std::vector<PartOfStep> parts_of(const StepAccount& step);
// "A step of the program takes 5.00 ms (4.90 to 5.10), and the GPU is idle 73 % of it";
// without times "In the recorded steps the GPU is idle 73 % of the time".
std::string step_in_short(const StepAccount& step);
// What its numbers rest on.
std::string step_source(const StepAccount& step);
// "3.65 ms of a step of 5.00 ms (73 %; 64 to 75 %)"; without times "73 % of a step (64 to 75 %)".
std::string saving_of(const StepSaving& saving);
std::string_view where(Outside outside);
std::string part_saved(const StepSaving& saving);  // "7 % of a step"
// Of the table of a program's layers.
inline constexpr std::string_view columns_of_layers =
    "Of step: of all its calls, as the step above counts them. Time: of one call and its backward "
    "pass, the mean over its shapes.";
// Why there is nothing to do for a layer.
std::string why_nothing(const BestPrediction& best);
// "1.90× (1.12 to 2.95) once the step can be captured": Finding::possible.
std::string possible_gain(const Gain& g);
// What it takes to follow a suggestion: "a command, no code".
std::string_view effort(Effort value);
std::string percent(double share);  // "61 %"; a share above 0 is never "0 %"
std::string number(double value);   // three significant digits, "36.9"
using rnnadvisor::plural;           // "3 warnings"
// "3.70 to 3.75 ms"; what the interval covers is added where it is not 95 %; empty when there is
// none.
std::string interval(const MedianInterval& interval);
// PhaseRow::tensor_cores for narrow columns: "yes (inferred)".
std::string_view tensor_cores(std::string_view full);

// What the shares PhaseRow::busy of a configuration are of; empty when there are none.
std::string busy_note(const ConfigurationReport& report);

// The device of the report in one line, "NVIDIA H200 (Hopper, compute capability 9.0, 141
// GiB)".
std::string device(const DeviceSpec& device);
// The devices of a profile, those of one kind once with their number: "2 x NVIDIA H200"; `details`
// as in device(), else the name alone. One GPU that several runs met is one
// (devices_at_once()).
std::vector<std::string> devices(const Profile& profile, bool details);
// Software versions that are known, as (label, value) pairs: cuDNN, CUDA, driver, …
inline constexpr std::string_view label_created = "Created", label_command = "Command";
std::vector<std::pair<std::string, std::string>> environment(const Environment& environment);

// Key and value of every field of a configuration that differs from the defaults or is one of
// the sizes.
std::vector<std::pair<std::string, std::string>> parameters(const RnnConfig& config);
// Every field as (key, value).
std::vector<std::pair<std::string, std::string>> all_parameters(const RnnConfig& config);
// The fields of the program context that are known.
std::vector<std::pair<std::string, std::string>> program(const ProgramContext& context);

// "the program held 1.0 GiB at its peak, 40.0 MiB of reserve space at once", or empty.
std::string program_memory(const MemoryUse& use);

}  // namespace rnnadvisor::advisor::words
