// rnnadvisor env: what must stand in a shell's environment so that the programs it starts are
// recorded.
#include <fmt/format.h>

#include <cstdlib>

#include "advisor/cli/command_line.h"
#include "advisor/cli/configurations.h"
#include "advisor/cli/output_name.h"
#include "advisor/cli/recording_options.h"
#include "core/base/shell_words.h"
#include "profiler/profile/environment.h"

namespace rnnadvisor::cli {
namespace {

struct EnvArguments {
  std::string shell, output, folder, step = "calls";
  bool unset = false, accelerates = false;
  RecordingArguments recording;
  AccelerateArguments accelerate;
};

std::optional<std::string> variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

// bash's words are also those of sh, dash and zsh.
std::string shell_code(const launch::Attachment& attachment, bool fish) {
  std::string code;
  for (const auto& name : attachment.unset)
    code += fish ? fmt::format("set -e {};\n", name) : fmt::format("unset {};\n", name);
  for (const auto& [name, value] : attachment.set) {
    code += fish ? fmt::format("set -gx {} {};\n", name, fish_word(value))
                 : fmt::format("export {}={};\n", name, shell_word(value));
  }
  return code;
}

Result<bool> is_fish(const std::string& shell) {
  if (shell == "bash" || shell == "sh" || shell == "zsh") return false;
  if (shell == "fish") return true;
  if (!shell.empty()) {
    return fail(ErrorCode::invalid_argument, fmt::format("--shell: '{}' is unknown", shell),
                "use bash (also for sh and zsh) or fish");
  }
  return variable("SHELL").value_or("").ends_with("/fish");
}

Result<launch::RecordingOptions> read_options(const EnvArguments& arguments) {
  RecordingArguments asked = arguments.recording;
  if (arguments.accelerates) asked.mode = "calls";
  auto options = read_recording(asked);
  if (!options || !arguments.accelerates) return options;
  auto accelerate = read_accelerate(arguments.accelerate);
  if (!accelerate) return fail(std::move(accelerate.error()));
  options->accelerate = *accelerate;
  auto step = read_step(arguments.step);
  if (!step) return fail(std::move(step.error()));
  if (!step->empty()) options->capture = std::move(*step);
  return options;
}

int print_environment(Context& context, const EnvArguments& arguments) {
  const auto fish = is_fish(arguments.shell);
  if (!fish) return context.report(fish.error());
  if (arguments.unset) {
    context.out << shell_code(launch::detach(variable), *fish);
    return exit_ok;
  }
  const auto recording = read_options(arguments);
  if (!recording) return context.report(recording.error());
  auto places = find_places(context, *recording, {});
  if (!places) return context.report(places.error());
  // Before a folder is made: it can be refused.
  if (auto attachment = launch::attach(*recording, *places, variable); !attachment)
    return context.report(attachment.error());
  const std::string output = arguments.output.empty()
                                 ? fmt::format("rnnadvisor-{}.rnnprof", time_now(true))
                                 : arguments.output;
  auto spool = arguments.folder.empty() ? make_spool_folder(output)
                                        : make_shared_spool_folder(arguments.folder);
  if (!spool) return context.report(spool.error());
  places->spool = *spool;
  if (auto handed = hand_over_plan(*recording, *spool); !handed)
    return context.report(handed.error());
  const auto attachment = launch::attach(*recording, *places, variable);
  for (const auto& note : attachment->notes) context.note(note);
  if (arguments.accelerates && recording->accelerate->plan.empty() &&
      !launch::acceleration_is_off(variable))
    note_deterministic(context, variable);
  context.out << shell_code(*attachment, *fish);
  const std::string plan = arguments.accelerate.plan.empty()
                               ? std::string()
                               : " --plan " + shell_word(arguments.accelerate.plan);
  context.note(
      fmt::format("programs of this shell will be {}; afterwards `rnnadvisor "
                  "collect {} -o {}{}`{}, and `eval \"$(rnnadvisor env --unset)\"` ends it",
                  arguments.accelerates ? "accelerated" : "recorded", shell_word(*spool),
                  shell_word(output), plan, arguments.accelerates ? " says what runs faster" : ""));
  return exit_ok;
}

}  // namespace

void add_env(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "env", "Print the variables that make a shell's programs be recorded",
      "Examples:\n"
      "  eval \"$(rnnadvisor env -o run.rnnprof)\"\n"
      "  rnnadvisor env --shell fish | source\n"
      "  eval \"$(rnnadvisor env --accelerate)\"\n"
      "  eval \"$(rnnadvisor env --unset)\"\n"
      "\n"
      "For programs that `rnnadvisor profile` cannot start: services, notebooks, batch systems. "
      "Everything that is started with these variables leaves a recording in the folder "
      "RNNADVISOR_SPOOL if it uses CUDA; `rnnadvisor collect` makes a profile of the folder. "
      "With --accelerate the programs run with faster cuDNN algorithms, as under `rnnadvisor "
      "accelerate`, and record only what was chosen.");
  auto arguments = std::make_shared<EnvArguments>();
  auto* shell = command
                    ->add_option("--shell", arguments->shell,
                                 "whose language to print (default: by SHELL, else bash)")
                    ->type_name("bash|fish")
                    ->group(group_output);
  context.completions[shell] = {Context::Completion::Kind::words, {"bash", "fish"}};
  add_path_option(*command, "-o,--output", arguments->output,
                  "the profile that is to be made; the folder is made beside it "
                  "(default: rnnadvisor-<time>.rnnprof)",
                  context);
  add_path_option(*command, "--folder", arguments->folder,
                  "record into this folder, which several shells and hosts may share", context,
                  "DIR", Context::Completion::Kind::directory);
  command->add_flag("--unset", arguments->unset, "print what undoes it")->group(group_output);
  add_recording_options(*command, arguments->recording, context);
  auto* accelerate =
      command
          ->add_flag("--accelerate", arguments->accelerates,
                     "run the programs with faster cuDNN algorithms (see `accelerate`)")
          ->excludes(command->get_option("--mode"))
          ->group(group_accelerating);
  add_accelerate_options(*command, arguments->accelerate, context);
  add_step_option(*command, arguments->step, context);
  command->get_option("--step")->excludes(command->get_option("--capture-range"));
  for (const char* name :
       {"--allow", "--memory", "--budget", "--plan", "--deterministic", "--step"})
    command->get_option(name)->needs(accelerate);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return print_environment(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
