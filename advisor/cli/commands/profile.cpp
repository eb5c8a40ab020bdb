// rnnadvisor profile: runs somebody's program under the plugin and makes a profile of what it did.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "advisor/cli/collecting.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/output_name.h"
#include "advisor/cli/recording_options.h"
#include "advisor/cli/recording_watch.h"
#include "core/base/secrets.h"
#include "core/base/shell_words.h"
#include "profiler/launch/program_file.h"

namespace rnnadvisor::cli {
namespace {

struct ProfileArguments {
  std::string program;  // counted by the parser; the words are in the context
  std::string output;
  bool force = false, keep_spool = false, no_command_line = false;
  std::vector<std::string> variables;
  RecordingArguments recording;
  JudgingOptions judging;
};

std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    // Who watches this command does not watch what the program may start.
    if (!std::string_view(*entry).starts_with("RNNADVISOR_PROGRESS="))
      environment.emplace_back(*entry);
  launch::Attachment given;
  for (const auto& variable : variables) {
    const auto equals = variable.find('=');
    given.set.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return launch::with_attachment(std::move(environment), given);
}

launch::Lookup lookup_in(const std::vector<std::string>& environment) {
  return [&environment](std::string_view name) -> std::optional<std::string> {
    for (const auto& entry : environment) {
      if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
        return entry.substr(name.size() + 1);
    }
    return std::nullopt;
  };
}

Process describe_program(const Context& context, const launch::ProgramEnd& end) {
  Process process;
  process.pid = end.pid;
  process.parent_pid = getpid();
  process.host = context.services.inspect_system().host;
  process.command_line = shell_words(without_secrets(context.program));
  process.start_ns = end.start_ns;
  process.end_ns = end.end_ns;
  if (end.signal == 0) {
    process.end = ProcessEnd::exited;
    process.exit_status = end.exit_status;
  } else {
    process.end = end.killed ? ProcessEnd::killed : ProcessEnd::signalled;
    process.signal = end.signal;
  }
  return process;
}

// The profile's name, and the claim on it unless it replaces a file.
struct ProfileOutput {
  std::string path;
  std::optional<ClaimedName> claim;
};

Result<ProfileOutput> choose_output(const Context& context, const ProfileArguments& arguments) {
  const NameParts parts = name_parts(context.services.inspect_system().host);
  const std::string& pattern = arguments.output;
  if (!pattern.empty()) {
    auto name = expand_output_name(pattern, parts);
    if (!name) return fail(std::move(name.error()));
    const bool replace = arguments.force || is_abandoned_claim(*name);
    if (auto writable = check_writable({*name}, replace, {}); !writable)
      return fail(std::move(writable.error()));
    if (replace) return ProfileOutput{std::move(*name), std::nullopt};
  }
  auto claim = ClaimedName::claim([&] {
    return pattern.empty() ? default_output_name(parts) : *expand_output_name(pattern, parts);
  });
  if (!claim) return fail(std::move(claim.error()));
  std::string path = claim->path();
  return ProfileOutput{std::move(path), std::move(*claim)};
}

// What a shell says of a program that it cannot start.
int status_of(const Error& error) {
  if (error.code == ErrorCode::not_found) return 127;
  return error.code == ErrorCode::unsupported ? 126 : exit_status(error);
}

int run_profiled(Context& context, const ProfileArguments& arguments) {
  auto judging = prepare_judging(arguments.judging, context.services.predict_for);
  if (!judging) return report_failure(context, judging);
  const auto recording = read_recording(arguments.recording);
  if (!recording) return context.report(recording.error());
  for (const auto& variable : arguments.variables) {
    if (variable.find('=') == std::string::npos || variable.front() == '=') {
      return context.report(Error{ErrorCode::invalid_argument,
                                  fmt::format("--env: '{}' has no name and value", variable),
                                  "write NAME=VALUE",
                                  std::nullopt,
                                  {}});
    }
  }
  auto output = choose_output(context, arguments);
  if (!output) return context.report(output.error());
  auto places = find_places(context, *recording, {});
  if (!places) return context.report(places.error());
  const auto spool = make_spool_folder(output->path);
  if (!spool) return context.report(spool.error());
  places->spool = *spool;
  const auto remove_spool = [&] {
    std::error_code ignored;
    std::filesystem::remove_all(*spool, ignored);
  };

  const auto environment = environment_with(arguments.variables);
  const auto checked =
      launch::check_program(context.program.front(), lookup_in(environment)("PATH").value_or(""));
  if (!checked) {
    remove_spool();
    context.report(checked.error());
    return status_of(checked.error());
  }
  if (!checked->empty()) context.note(*checked);
  const auto attachment = launch::attach(*recording, *places, lookup_in(environment));
  if (!attachment) {
    remove_spool();
    return context.report(attachment.error());
  }
  for (const auto& note : attachment->notes) context.note(note);
  context.err.flush();
  ProgressStream progress(context);
  const auto end = [&] {
    const RecordingWatch watch(context, progress, *spool);
    return context.services.run_program(
        {context.program, launch::with_attachment(environment, *attachment)});
  }();
  if (!end) {
    remove_spool();
    context.report(end.error());
    return status_of(end.error());
  }
  if (progress.wanted()) progress.write({"collecting", -1, -1, {}, -1, -1, 0});
  if (end->killed) context.note("interrupted twice: the program was ended at once");
  const int status =
      collect_and_report(context, *judging,
                         {*spool, output->path, true, !arguments.keep_spool,
                          describe_program(context, *end), arguments.no_command_line});
  if (arguments.keep_spool) context.note(fmt::format("the recording is in {}", shell_word(*spool)));
  if (end->signal != 0) {
    output->claim.reset();
    context.out.flush();
    context.err.flush();
    context.services.die_by_signal(end->signal);
    return 128 + end->signal;  // as a shell says it, should the signal not have ended us
  }
  return end->exit_status != 0 ? end->exit_status : status;
}

}  // namespace

void add_profile(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "profile", "Run a program as it is, record its RNN calls and say what to change",
      "Examples:\n"
      "  rnnadvisor profile python train.py --epochs 1\n"
      "  rnnadvisor profile -o run-%q{RANK}.rnnprof --mode calls -- python train.py\n"
      "  rnnadvisor profile --capture-range nvtx:step --iterations 20 ./trainer\n"
      "  torchrun --nproc-per-node 4 --no-python rnnadvisor profile -o r%q{RANK}.rnnprof python "
      "train.py\n"
      "\n"
      "The program runs unchanged, in this folder, with these streams; processes that it starts "
      "are "
      "recorded, too. Its exit status is that of the command, also when a signal ends it (then so "
      "does this command); 127 and 126 mean that it could not be started. Only where it ended with "
      "0 can --fail-on, or a profile that cannot be written, make it another.\n"
      "\n"
      "Ctrl-C goes to the program and the profile is finished; a second one within five seconds "
      "ends the program at once. What was recorded by then is kept either way.\n"
      "\n"
      "In --output, %p is the process id, %h the host, %q{NAME} a variable, %n the first number "
      "that is free, %% a percent sign.");
  auto arguments = std::make_shared<ProfileArguments>();
  auto* program = command->add_option("program", arguments->program,
                                      "the program and its arguments, after -- or as they are");
  program->required()->type_name("PROGRAM [ARGUMENTS]");
  context.completions[program] = {Context::Completion::Kind::file, {}};
  auto* output = command
                     ->add_option("-o,--output", arguments->output,
                                  "the profile (default: rnnadvisor-<time>.rnnprof)")
                     ->type_name("FILE")
                     ->group(group_output);
  context.completions[output] = {Context::Completion::Kind::file, {}};
  command->add_flag("--force", arguments->force, "replace a profile that exists")
      ->group(group_output);
  command
      ->add_flag("--keep-spool", arguments->keep_spool,
                 "keep the recordings of the processes beside the profile")
      ->group(group_output);
  add_recording_options(*command, arguments->recording, context);
  add_no_command_line(*command, arguments->no_command_line);
  command->add_option("--env", arguments->variables, "set a variable for the program (repeatable)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME=VALUE")
      ->group(group_recording);
  add_judging_options(*command, arguments->judging, context, "never");
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return run_profiled(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
