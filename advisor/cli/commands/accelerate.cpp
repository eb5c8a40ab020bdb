// rnnadvisor accelerate and rnnadvisor try: run the user's program with faster cuDNN algorithms, to
// use them or to know what they gain.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "advisor/cli/collecting.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/loss_runs.h"
#include "advisor/cli/program_changes.h"
#include "advisor/cli/recording_options.h"
#include "advisor/cli/running_program.h"
#include "advisor/report/words.h"
#include "core/base/secrets.h"
#include "core/base/shell_words.h"

namespace rnnadvisor::cli {
namespace {

struct AccelerateCommand {
  std::string program;  // counted by the parser; the words are in the context
  std::string output, report;
  bool force = false, no_command_line = false;
  std::vector<std::string> variables;
  AccelerateArguments accelerate;
  std::string step = "calls";
  bool tries = false;
  std::optional<std::int64_t> iterations;  // of `try`: then end the program
  std::string change;         // of `try`: a change of layers, and no algorithms; empty: both
  std::string code;           // --write-code
  std::optional<int> losses;  // --losses: perturbed runs
  std::string loss;           // --loss: its pattern
};

constexpr std::string_view advised = "advised", no_change = "none";
constexpr int fewest_originals = 3, most_originals = 50;
constexpr std::int64_t fewest_steps = 26, most_steps = 1600;

// Those that the same command needs to do the same again.
std::string kept_options(const AccelerateCommand& arguments) {
  std::vector<std::string> words;
  const auto add = [&](const char* name, const std::string& value, std::string_view otherwise) {
    if (value != otherwise) words.insert(words.end(), {name, value});
  };
  add("--allow", arguments.accelerate.allow, "exact");
  add("--memory", arguments.accelerate.memory, "");
  if (arguments.accelerate.budget_seconds)
    add("--budget", fmt::format("{}", *arguments.accelerate.budget_seconds), "");
  add("--plan", arguments.accelerate.plan, "");
  if (arguments.accelerate.deterministic) words.emplace_back("--deterministic");
  add("--step", arguments.step, "calls");
  return shell_words(words);
}

// A change of the program's modules, from its words to what came of it.
class Changing {
 public:
  Changing(Judging judging, ProgramChanges::Options options)
      : judging_(std::move(judging)), options_(std::move(options)) {}

  Result<std::vector<std::string>> start(const Context& context, const std::string& folder,
                                         const launch::Lookup& environment) {
    auto started = ProgramChanges::start(context, folder, environment("PYTHONPATH").value_or(""),
                                         judging_, options_);
    if (!started) return fail(std::move(started.error()));
    changes_ = std::move(*started);
    return changes_->variables();
  }
  const std::vector<ChangedLayer>& finish() { return layers_ = changes_->finish(); }
  int write_code(const Context& context, const AccelerateCommand& arguments) const {
    if (arguments.code.empty()) return exit_ok;
    const auto written = write_changed_modules(layers_, arguments.code, arguments.force);
    if (!written) return context.report(written.error());
    context.note(*written == 0
                     ? "no module was written: no layer's code was changed"
                     : fmt::format("{} written to {}", words_of(*written), arguments.code));
    return exit_ok;
  }

 private:
  static std::string words_of(int modules) {
    return modules == 1 ? "one module was" : fmt::format("{} modules were", modules);
  }

  Judging judging_;
  ProgramChanges::Options options_;
  std::unique_ptr<ProgramChanges> changes_;
  std::vector<ChangedLayer> layers_;
};

Result<Changing> prepare_changes(const Context& context, const AccelerateCommand& arguments) {
  if (!arguments.change.empty() &&
      (!arguments.accelerate.plan.empty() || arguments.accelerate.deterministic)) {
    return fail(usage("--change tries no algorithms, so no plan belongs to it",
                      "leave --plan and --deterministic out"));
  }
  auto options =
      change_options(context, arguments.change == advised ? std::string() : arguments.change,
                     arguments.accelerate.allow == "numerics");
  if (!options) return fail(std::move(options.error()));
  auto judging = prepare_judging({{}, {}, "never"}, context.services.predict_for);
  if (!judging) return fail(std::move(judging.error().front()));
  return Changing(std::move(*judging), std::move(*options));
}

int run_accelerated(Context& context, const AccelerateCommand& arguments) {
  const auto accelerate = read_accelerate(arguments.accelerate);
  if (!accelerate) return context.report(accelerate.error());
  const auto step = read_step(arguments.step);
  if (!step) return context.report(step.error());
  if (arguments.iterations &&
      (*arguments.iterations < fewest_steps || *arguments.iterations > most_steps)) {
    return context.report(usage(fmt::format("--iterations {} is not between {} and {}",
                                            *arguments.iterations, fewest_steps, most_steps),
                                "give a number of steps in that range"));
  }
  if (arguments.losses && arguments.iterations) {
    return context.report(usage("--losses compares whole runs, and --iterations ends them",
                                "leave --iterations out"));
  }
  if (auto writable = check_writable({arguments.report}, arguments.force, {}); !writable)
    return context.report(writable.error());
  // Where nothing is named, what is advised, beside algorithms: a plan and a comparison of losses
  // are of algorithms alone, and a profile has the program as it is.
  const bool beside = arguments.tries && arguments.change.empty() && !arguments.losses &&
                      arguments.output.empty() && arguments.accelerate.plan.empty() &&
                      !arguments.accelerate.deterministic;
  const bool alone = !arguments.change.empty() && arguments.change != no_change;
  if (!arguments.code.empty() && !beside && !alone) {
    return context.report(usage("--write-code writes changed layers, and none is tried here",
                                "name a change with --change"));
  }
  std::optional<Changing> changing;
  if (beside || alone) {
    auto prepared = prepare_changes(context, arguments);
    if (!prepared) return context.report(prepared.error());
    changing = std::move(*prepared);
  }
  std::optional<LossRuns> losses;
  std::optional<LossReport> loss_report;
  if (arguments.losses) {
    auto prepared = LossRuns::prepare(*arguments.losses, arguments.loss);
    if (!prepared) return context.report(prepared.error());
    losses = std::move(*prepared);
  }
  const bool profile = !arguments.output.empty();
  std::optional<ProgramOutput> output;
  AccelerationRequest request;
  request.report = arguments.report;
  request.command =
      accelerate_command(kept_options(arguments), shell_words(without_secrets(context.program)));
  request.step = arguments.step == "calls" ? std::string() : arguments.step;
  // Where losses are compared, the change is for the whole run.
  request.tried = arguments.tries && !losses;
  ProgramRun run;
  run.recording.mode = spool::Mode::calls;
  run.recording.accelerate = *accelerate;
  run.recording.accelerate->record_calls = profile;
  run.recording.capture = *step;
  bool ended = false;
  if (request.tried) {
    auto& options = *run.recording.accelerate;
    options.try_end = arguments.iterations.has_value();
    if (!arguments.accelerate.budget_seconds) options.budget_ms = default_try_budget_ms;
    options.try_steps = static_cast<int>(
        arguments.iterations.value_or(beside ? default_try_steps_of_several : default_try_steps));
    if (options.try_end) {
      context.note(
          fmt::format("the program will be interrupted (SIGINT) when about {} of its steps "
                      "have been timed",
                      options.try_steps));
    }
    run.was_interrupted = [&ended] { return ended; };
  }
  if (changing) {
    run.recording.accelerate->algorithms = beside;
    run.recording.accelerate->changes = true;
    request.algorithms = beside;
    run.more_variables = [&](const std::string& folder, const launch::Lookup& environment) {
      return changing->start(context, folder, environment);
    };
  }
  run.variables = arguments.variables;
  run.make_folder = [&]() -> Result<std::string> {
    if (!profile) return make_temporary_folder();
    return make_output_folder(context, arguments.output, arguments.force, output);
  };
  run.about_environment = [&](const launch::Lookup& environment) {
    if (launch::acceleration_is_off(environment)) {
      request.switched_off = true;  // said by attach()
    } else if (accelerate->plan.empty()) {
      note_deterministic(context, environment);
    }
  };
  run.collect = [&](const std::string& folder, const Process& program) {
    int code = exit_ok;
    if (losses) {
      loss_report = losses->compare(folder);
      request.losses = &*loss_report;
    }
    if (changing) {
      request.changes = &changing->finish();
      code = changing->write_code(context, arguments);
      if (code == exit_ok) request.code_folder = arguments.code;
    }
    request.recording = {
        folder,
        profile ? output->path : std::string(),
        true,
        true,
        program,
        arguments.no_command_line,
        false,
        arguments.accelerate.deterministic ? std::string() : arguments.accelerate.plan,
        accelerate->numerics};
    const int status = collect_acceleration(context, request, &ended);
    output.reset();
    if (status != exit_ok || code != exit_ok) return status != exit_ok ? status : code;
    return loss_report && !loss_report->as_close() ? exit_findings : exit_ok;
  };
  if (losses) {
    if (const auto failed = losses->run_originals(context, run)) return *failed;
    losses->redirect(run);
  }
  const int status = run_program(context, run);
  if (losses && status != exit_ok && status != exit_findings)
    context.err << advisor::words::clean_lines(losses->last_lines());
  return status;
}

// The options of both commands.
void add_options(CLI::App& command, bool tries, Context& context) {
  auto arguments = std::make_shared<AccelerateCommand>();
  arguments->tries = tries;
  add_program_argument(command, arguments->program, context);
  const auto file = [&](const char* name, std::string& target, const char* description) {
    auto* option =
        command.add_option(name, target, description)->type_name("FILE")->group(group_output);
    context.completions[option] = {Context::Completion::Kind::file, {}};
  };
  file("-o,--output", arguments->output,
       "also record the RNN calls and write a profile; %p, %h, %q{NAME}, %n as in `profile`");
  file("--report", arguments->report, "write the report there, not to standard error");
  command.add_flag("--force", arguments->force, "replace files that exist")->group(group_output);
  add_accelerate_options(command, arguments->accelerate, context);
  add_step_option(command, arguments->step, context);
  if (tries) {
    command
        .add_option("--iterations", arguments->iterations,
                    "time this many steps, 26 to 1600, and then end the program, by SIGINT and, if "
                    "it goes on, SIGTERM (default: time 156, or 300 with changes of layers, and "
                    "let it run to its end)")
        ->type_name("STEPS")
        ->group(group_accelerating);
    auto* change = command.add_option(
        "--change", arguments->change,
        "try a change of PyTorch's layers in place of algorithms: 'split_layers', 'pad_hidden 128, "
        "then split_layers', or 'advised': what `advise` would try first for each layer; 'none': "
        "algorithms alone (default: algorithms, what is advised, and both together)");
    change->type_name("CHANGE")->group(group_accelerating);
    auto* code = command.add_option("--write-code", arguments->code,
                                    "write the modules of the changed layers into this folder");
    code->type_name("DIR")->group(group_output);
    context.completions[code] = {Context::Completion::Kind::file, {}};
    auto* losses = command.add_option(
        "--losses", arguments->losses,
        "compare losses: run the program as it is, this many times (3 to 50) with weights one unit "
        "in the last place apart, and once with the change all along");
    losses->type_name("RUNS")
        ->check(CLI::Range(fewest_originals, most_originals).description(""))
        ->group(group_accelerating);
    command
        .add_option("--loss", arguments->loss,
                    "the regular expression of a loss in what the program prints, or in its NVTX "
                    "marks (default: 'loss' and the next number)")
        ->type_name("REGEX")
        ->needs(losses)
        ->group(group_accelerating);
  }
  add_no_command_line(command, arguments->no_command_line);
  add_program_variables(command, arguments->variables);
  command.callback([arguments, &context] {
    context.action = [arguments, &context] { return run_accelerated(context, *arguments); };
  });
}

}  // namespace

void add_accelerate(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "accelerate", "Run a program with faster cuDNN RNN algorithms, without changing it",
      "Examples:\n"
      "  rnnadvisor accelerate -- python train.py --epochs 3\n"
      "  rnnadvisor accelerate --report speed.txt --memory 512M -- python train.py\n"
      "  rnnadvisor accelerate -o run.rnnprof -- python train.py\n"
      "  RNNADVISOR_ACCELERATE=0 rnnadvisor accelerate -- python train.py   # off\n"
      "\n"
      "cuDNN has several algorithms for an RNN; PyTorch picks one by fixed rules. This command "
      "measures the others inside the running program, on its own data, and uses one where it is "
      "faster and its outputs and gradients are the same within rounding. Data types stay as they "
      "are. Calls that an algorithm does not suit, such as sequences of unequal lengths, keep the "
      "program's own. docs/accelerate.md says what is guaranteed and what is not.\n"
      "\n"
      "At the end a report on standard error says what runs faster, by how much, and what did not "
      "change and why. With --output the recorded RNN calls and these measurements also become a "
      "profile for `rnnadvisor report` and the window.\n"
      "\n"
      "The program runs in this folder with these streams; its exit status is that of the command, "
      "also when a signal ends it. RNNADVISOR_ACCELERATE=0 turns acceleration off. Programs that "
      "this command cannot start are accelerated by `rnnadvisor env --accelerate`.");
  add_options(*command, false, context);
}

void add_try(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "try",
      "Measure what faster cuDNN RNN algorithms and changed layers gain for whole steps of a "
      "program",
      "Examples:\n"
      "  rnnadvisor try -- python train.py\n"
      "  rnnadvisor try --iterations 200 -- python train.py   # ends the program once measured\n"
      "  rnnadvisor try --allow numerics --step nvtx:step -- python train.py\n"
      "  rnnadvisor try --losses 5 --allow numerics -- python train.py --epochs 1\n"
      "\n"
      "Measures what `rnnadvisor accelerate` gains, and keeps nothing of it: once the fastest "
      "algorithms are found, blocks of steps with them and blocks of the program as it is take "
      "turns, and whole steps are timed on the GPU, optimizer and data loader included. In PyTorch "
      "programs the changes of PyTorch's layers that `advise` proposes take turns as well, alone "
      "and with faster algorithms. The report gives the speedup of a step with its interval, and "
      "how much equal steps differ on this machine. Then the program goes on as it was.\n"
      "\n"
      "In the steps that are measured the program's results differ by rounding, with --allow "
      "numerics by that of lower precision, and with dropout by the masks that are drawn. Its exit "
      "status is that of the command, unless --iterations ended it.\n"
      "\n"
      "With --losses the program runs several times to its end, and the losses that it prints with "
      "the change are compared with those of the program as it is and with its weights one unit in "
      "the last place apart. Exit status 1: the losses with the change are further from the others "
      "than those are from each other.");
  add_options(*command, true, context);
}

}  // namespace rnnadvisor::cli
