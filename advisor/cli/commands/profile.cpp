// rnnadvisor profile: runs the user's program under the plugin and makes a profile of what it did.
#include <fmt/format.h>

#include "advisor/cli/collecting.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/output_name.h"
#include "advisor/cli/recording_options.h"
#include "advisor/cli/running_program.h"
#include "advisor/cli/verifying_program.h"
#include "core/base/shell_words.h"

namespace rnnadvisor::cli {
namespace {

struct ProfileArguments {
  std::string program;  // counted by the parser; the words are in the context
  std::string output;
  bool force = false, keep_spool = false, no_command_line = false;
  std::vector<std::string> variables;
  RecordingArguments recording;
  JudgingOptions judging;
  bool verify = false;
  std::string allow = "exact";  // of --verify
};

Result<VerifyProgram> read_verify(const Context& context, const ProfileArguments& arguments,
                                  const Judging& judging) {
  AccelerateArguments words;
  words.allow = arguments.allow;
  const auto accelerate = read_accelerate(words);
  if (!accelerate) return fail(accelerate.error());
  auto changes = change_options(context, {}, accelerate->numerics);
  if (!changes) return fail(std::move(changes.error()));
  return VerifyProgram{judging, std::move(*changes), accelerate->numerics, arguments.variables};
}

int run_profiled(Context& context, const ProfileArguments& arguments) {
  auto judging = prepare_judging(arguments.judging, context.services.predict_for);
  if (!judging) return report_failure(context, judging);
  auto recording = read_recording(arguments.recording);
  if (!recording) return context.report(recording.error());
  std::optional<VerifyProgram> verify;
  if (arguments.verify) {
    auto wanted = read_verify(context, arguments, *judging);
    if (!wanted) return context.report(wanted.error());
    verify = std::move(*wanted);
  }
  std::optional<ProgramOutput> output;
  ProgramRun run;
  run.recording = std::move(*recording);
  run.variables = arguments.variables;
  run.make_folder = [&] {
    return make_output_folder(context, arguments.output, arguments.force, output);
  };
  run.collect = [&](const std::string& folder, const Process& program) {
    CollectRequest request{
        folder, output->path, true, !arguments.keep_spool, program, arguments.no_command_line};
    if (verify)
      request.verify = [&](Profile& profile) {
        verify_in_program(context, *verify, program, profile);
      };
    const int status = collect_and_report(context, *judging, request);
    if (arguments.keep_spool)
      context.note(fmt::format("the recording is in {}", shell_word(folder)));
    output->claim.reset();
    return status;
  };
  return run_program(context, run);
}

}  // namespace

void add_profile(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "profile", "Run a program as it is, record its RNN calls and say what to change",
      "Examples:\n"
      "  rnnadvisor profile python train.py --epochs 1\n"
      "  rnnadvisor profile -o run-%q{RANK}.rnnprof --mode calls -- python train.py\n"
      "  rnnadvisor profile --capture-range nvtx:step --iterations 20 ./trainer\n"
      "  rnnadvisor profile --verify -- python train.py   # also measures what would help\n"
      "  torchrun --nproc-per-node 4 --no-python rnnadvisor profile -o r%q{RANK}.rnnprof python "
      "train.py\n"
      "\n"
      "The program runs unchanged, in this folder, with these streams; processes that it starts "
      "are "
      "recorded, too. Its exit status is that of the command, also when a signal ends it (then so "
      "does this command); 127 and 126 mean that it could not be started. If the program ends with "
      "0, --fail-on or a profile that cannot be written may still make it another.\n"
      "\n"
      "Ctrl-C goes to the program and the profile is finished; a second one within five seconds "
      "ends the program at once. What was recorded by then is kept either way.\n"
      "\n"
      "With --verify the program is started a second time when it has ended with 0 (shorten a long "
      "training for it), to measure in its whole steps what faster cuDNN algorithms and changed "
      "layers gain, as `rnnadvisor try` "
      "does. The second run is interrupted (SIGINT) once that is measured, and what it prints is "
      "not shown; files that it writes are written again: use a copy of the folder where that "
      "matters. The report then leads with measured "
      "gains.\n"
      "\n"
      "In --output, %p is the process id, %h the host, %q{NAME} a variable, %n the first number "
      "that is free, %% a percent sign.");
  auto arguments = std::make_shared<ProfileArguments>();
  add_program_argument(*command, arguments->program, context);
  add_path_option(*command, "-o,--output", arguments->output,
                  "the profile (default: rnnadvisor-<time>.rnnprof)", context);
  command->add_flag("--force", arguments->force, "replace a profile that exists")
      ->group(group_output);
  command
      ->add_flag("--keep-spool", arguments->keep_spool,
                 "keep the recordings of the processes beside the profile")
      ->group(group_output);
  add_recording_options(*command, arguments->recording, context);
  auto* verify =
      command
          ->add_flag("--verify", arguments->verify,
                     "start the program a second time to measure in it what faster algorithms and "
                     "changed layers gain")
          ->group(group_verifying);
  add_allow_option(*command, arguments->allow, group_verifying, context)->needs(verify);
  add_no_command_line(*command, arguments->no_command_line);
  add_program_variables(*command, arguments->variables);
  add_judging_options(*command, arguments->judging, context, "never");
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return run_profiled(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
