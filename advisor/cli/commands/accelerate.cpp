// rnnadvisor accelerate: runs somebody's program with faster cuDNN algorithms.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "advisor/cli/collecting.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/recording_options.h"
#include "advisor/cli/running_program.h"
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
};

// Of a program that records nothing that is kept.
Result<std::string> make_temporary_folder() {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  std::string pattern = ((error ? "/tmp" : parent) / "rnnadvisor-accelerate-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return fail(ErrorCode::io, fmt::format("cannot make the folder '{}'", pattern),
                "set TMPDIR to a folder that can be written to");
  }
  return pattern;
}

int run_accelerated(Context& context, const AccelerateCommand& arguments) {
  const auto accelerate = read_accelerate(arguments.accelerate);
  if (!accelerate) return context.report(accelerate.error());
  if (auto writable = check_writable({arguments.report}, arguments.force, {}); !writable)
    return context.report(writable.error());
  const bool profile = !arguments.output.empty();
  std::optional<ProgramOutput> output;
  AccelerationRequest request;
  request.report = arguments.report;
  request.command = accelerate_command(shell_words(without_secrets(context.program)));
  ProgramRun run;
  run.recording.mode = spool::Mode::calls;
  run.recording.accelerate = *accelerate;
  run.recording.accelerate->record_calls = profile;
  run.variables = arguments.variables;
  run.make_folder = [&]() -> Result<std::string> {
    if (!profile) return make_temporary_folder();
    return make_output_folder(context, arguments.output, arguments.force, output);
  };
  run.about_environment = [&](const launch::Lookup& environment) {
    if (launch::acceleration_is_off(environment)) {
      request.hold = AccelerationHold::switched_off;  // said by attach()
    } else if (note_deterministic(context, environment)) {
      request.hold = AccelerationHold::deterministic;
    }
  };
  run.collect = [&](const std::string& folder, const Process& program) {
    request.recording = {folder,  profile ? output->path : std::string(),
                         true,    true,
                         program, arguments.no_command_line};
    const int status = collect_acceleration(context, request);
    output.reset();
    return status;
  };
  return run_program(context, run);
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
  auto arguments = std::make_shared<AccelerateCommand>();
  add_program_argument(*command, arguments->program, context);
  const auto file = [&](const char* name, std::string& target, const char* description) {
    auto* option =
        command->add_option(name, target, description)->type_name("FILE")->group(group_output);
    context.completions[option] = {Context::Completion::Kind::file, {}};
  };
  file("-o,--output", arguments->output,
       "also record the RNN calls and write a profile; %p, %h, %q{NAME}, %n as in `profile`");
  file("--report", arguments->report, "write the report there, not to standard error");
  command->add_flag("--force", arguments->force, "replace files that exist")->group(group_output);
  add_accelerate_options(*command, arguments->accelerate);
  add_no_command_line(*command, arguments->no_command_line);
  add_program_variables(*command, arguments->variables);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return run_accelerated(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
