#include "advisor/cli/verifying_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "advisor/change/compose.h"
#include "advisor/cli/collecting.h"
#include "advisor/cli/recording_options.h"
#include "advisor/cli/running_program.h"
#include "advisor/cli/whole_step_report.h"
#include "advisor/report/words.h"
#include "advisor/whatif/record.h"
#include "core/base/text.h"
#include "core/model/memory.h"

namespace rnnadvisor::cli {
namespace {

namespace words = advisor::words;
using launch::WholeStep;

constexpr const char* note_of_trying = "tried-in-program";

std::string how_it_ended(int exit_status, int signal) {
  return exit_status < 0 ? fmt::format("was ended by signal {}", signal)
                         : fmt::format("ended with exit status {}", exit_status);
}

// Why the program is not started again; empty: it is.
std::string why_not_again(const Context& context, const Profile& profile, const Process& first) {
  if (*context.services.watch_interrupts()) return "rnnadvisor was interrupted";
  if (first.end != ProcessEnd::exited || first.exit_status != 0)
    return "the program " + how_it_ended(first.exit_status, first.signal);
  if (const auto problem = context.services.missing_driver(); !problem.empty()) return problem;
  if (profile.calls.empty()) return "the program made no RNN call of cuDNN that was recorded";
  return {};
}

std::string last_line_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string last;
  for (std::string line; std::getline(file, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return words::clean(last);
}

// The program with its times, and what it leaves behind.
struct SecondRun {
  launch::Collected collected;
  std::vector<ChangedLayer> layers;
  std::string failure;  // how it ended, if that was not as it should
};

tl::expected<SecondRun, std::string> run_again(Context& context, const VerifyProgram& wanted) {
  std::unique_ptr<ProgramChanges> changes;
  bool switched_off = false;
  ProgramRun run;
  run.recording.mode = spool::Mode::calls;
  auto& options = run.recording.accelerate.emplace();
  options.numerics = wanted.numerics;
  options.changes = options.try_end = true;
  options.try_steps = default_try_steps_of_several;
  options.budget_ms = default_try_budget_ms;
  run.variables = wanted.variables;
  run.make_folder = [&run] {
    auto made = make_temporary_folder();
    if (made) {
      run.output = *made + "/output";
      run.error = *made + "/error";
    }
    return made;
  };
  run.more_variables = [&](const std::string& folder,
                           const launch::Lookup& environment) -> Result<std::vector<std::string>> {
    auto started = ProgramChanges::start(context, folder, environment("PYTHONPATH").value_or(""),
                                         wanted.judging, wanted.changes);
    if (!started) return fail(std::move(started.error()));
    changes = std::move(*started);
    return changes->variables();
  };
  run.about_environment = [&](const launch::Lookup& environment) {
    switched_off = launch::acceleration_is_off(environment);
  };
  const auto ran = start_program(context, run);
  if (!ran) return tl::unexpected(std::string("it could not be started again"));
  const RecordingFolder folder(ran->folder);
  SecondRun second;
  second.layers = changes->finish();
  CollectRequest request;
  request.folder = folder.path();
  auto collected = read_folder(context, request);
  if (!collected) return tl::unexpected(collected.error().message);
  second.collected = std::move(*collected);
  if (switched_off) return tl::unexpected(std::string("RNNADVISOR_ACCELERATE=0 turns it off"));
  const auto& notes = second.collected.profile.notes;
  const bool ended = std::ranges::find(notes, "try-ended", &Note::code) != notes.end();
  if (!ended && (ran->end.signal != 0 || ran->end.exit_status != 0)) {
    second.failure = "started again, it " + how_it_ended(ran->end.exit_status, ran->end.signal);
    if (const auto line = last_line_of(run.error); !line.empty()) second.failure += ": " + line;
  }
  return second;
}

// The algorithm that all changed calls with another one have; nothing where there are several.
std::vector<advisor::Transform> algorithm_of_changed(const launch::Collected& collected) {
  std::vector<advisor::Transform> found;
  for (const auto& choice : collected.choices) {
    if (!choice.with_change || !choice.accelerated()) continue;
    const auto words = fmt::format(
        "{}algo {}", choice.in_use().converts ? "math_type tensor_op_allow_conversion, then " : "",
        to_string(choice.in_use().algo));
    auto changes = advisor::parse_change_words(words);
    if (!changes || (!found.empty() && *changes != found)) return {};
    found = std::move(*changes);
  }
  return found;
}

void add_changed_layer(Profile& profile, const ChangedLayer& layer,
                       const std::vector<advisor::Transform>& changes, const WholeStep& step) {
  const int configuration = advisor::configuration_of_layer(profile, layer.config);
  if (configuration < 0 || changes.empty()) return;
  const Configuration original = profile.configurations[static_cast<std::size_t>(configuration)];
  Experiment made;
  made.configuration = configuration;
  made.where = "program";
  made.transforms = advisor::to_json(changes);
  made.meaning = advisor::to_string(advisor::meaning_of(changes, original.config));
  made.device = original.device;
  made.verdict = ExperimentVerdict::confirmed;
  if (layer.error >= 0) made.shifts.push_back({layer.tensor, layer.error, -1, -1});
  if (!layer.file.empty()) made.code.push_back({layer.file, "python", layer.code});
  launch::add_whole_step(made, step);
  launch::judge_by_whole_step(made, step);
  std::vector<Configuration> calls;
  if (const auto variant = advisor::compose(changes, original.config); variant) {
    for (const auto& call : variant->calls) {
      if (call == original.config) continue;
      auto& changed = calls.emplace_back();
      changed.config = call;
      changed.program = original.program;
      changed.origin = Origin::run;
      changed.outcome = Outcome::completed;
      changed.device = original.device;
      changed.sizes = model::space_sizes(call);
    }
  }
  advisor::add_experiment(profile, std::move(made), calls);
}

void add_changed_layers(Profile& profile, const SecondRun& second,
                        const std::vector<WholeStep>& steps) {
  const auto algorithm = algorithm_of_changed(second.collected);
  for (const auto& step : steps) {
    if (!step.has_change() || (step.arm == spool::StepArm::both && algorithm.empty())) continue;
    for (const auto& layer : second.layers) {
      auto changes = advisor::parse_transforms(layer.transforms);
      if (!layer.changed || !changes) continue;
      if (step.arm == spool::StepArm::both)
        changes->insert(changes->end(), algorithm.begin(), algorithm.end());
      add_changed_layer(profile, layer, advisor::in_order(*changes), step);
    }
  }
}

std::string measured_in_words(const std::vector<WholeStep>& steps) {
  const auto& first = steps.front();
  std::string text =
      fmt::format("tried in the program, which ran a second time: a whole step takes {}",
                  format_milliseconds(first.own_ms.median));
  for (const auto& step : steps) {
    text +=
        fmt::format("; {}, {} (speedup {}, {} to {})", words_of(step.arm),
                    format_milliseconds(step.changed_ms.median), words::number(step.speedup.median),
                    words::number(step.speedup.low), words::number(step.speedup.high));
  }
  if (std::ranges::none_of(steps, &WholeStep::is_faster))
    text += fmt::format("; nothing gained more than its own steps vary ({} to {})",
                        words::number(first.control.low), words::number(first.control.high));
  return text;
}

std::string why_no_step(const SecondRun& second) {
  if (!second.failure.empty()) return second.failure;
  const auto& collected = second.collected;
  const auto off = std::ranges::find(collected.profile.notes, spool::acceleration_off, &Note::code);
  if (off != collected.profile.notes.end()) return words::clean(off->text);
  if (collected.rnn_calls == 0) return "started again, it called no RNN of cuDNN";
  const bool any = std::ranges::any_of(collected.choices, &launch::AlgorithmChoice::accelerated) ||
                   std::ranges::any_of(second.layers, &ChangedLayer::changed);
  return any ? "no whole step could be timed: it ended too early, or its calls show no steps"
             : "no other algorithm with the same results is faster by 5 %, and no layer could be "
               "changed";
}

}  // namespace

void verify_in_program(Context& context, const VerifyProgram& wanted, const Process& first,
                       Profile& profile) {
  const auto not_tried = [&](const std::string& why) {
    profile.notes.push_back(
        {NoteSeverity::warning, note_of_trying, "no gain was measured in the program: " + why, 1});
  };
  if (const auto why = why_not_again(context, profile, first); !why.empty()) return not_tried(why);
  context.note(fmt::format(
      "the program is started a second time, to measure what faster algorithms and changed layers "
      "gain in it; it is interrupted (SIGINT) when about {} of its steps have been timed, and what "
      "it prints is not shown",
      default_try_steps_of_several));
  const auto second = run_again(context, wanted);
  if (!second) return not_tried(second.error());
  advisor::add_experiments_of(profile, second->collected.profile);
  const auto steps = first_steps(second->collected);
  if (steps.empty()) return not_tried(why_no_step(*second));
  add_changed_layers(profile, *second, steps);
  const auto text = measured_in_words(steps);
  context.note(text);
  profile.notes.push_back({NoteSeverity::info, note_of_trying, text, 1});
}

}  // namespace rnnadvisor::cli
