#include "advisor/cli/running_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "advisor/cli/output.h"
#include "advisor/cli/progress.h"
#include "advisor/cli/recording_options.h"
#include "advisor/cli/recording_watch.h"
#include "core/base/secrets.h"
#include "core/base/shell_words.h"
#include "profiler/launch/launcher.h"
#include "profiler/launch/program_file.h"

namespace rnnadvisor::cli {
namespace {

std::vector<std::string> own_environment() {
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    // Who watches this command does not watch what the program may start.
    if (!std::string_view(*entry).starts_with("RNNADVISOR_PROGRESS="))
      environment.emplace_back(*entry);
  return environment;
}

std::vector<std::string> with_variables(std::vector<std::string> environment,
                                        const std::vector<std::string>& variables) {
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
    if (end.asked_to_end > 0) process.signal = end.asked_to_end;
  } else {
    process.end = end.killed ? ProcessEnd::killed : ProcessEnd::signalled;
    process.signal = end.signal;
  }
  return process;
}

// What a shell says of a program that it cannot start.
int status_of(const Error& error) {
  if (error.code == ErrorCode::not_found) return 127;
  return error.code == ErrorCode::unsupported ? 126 : exit_status(error);
}

std::optional<Error> wrong_variable(const std::vector<std::string>& variables) {
  for (const auto& variable : variables) {
    if (variable.find('=') == std::string::npos || variable.front() == '=') {
      return usage(fmt::format("--env: '{}' has no name and value", variable), "write NAME=VALUE");
    }
  }
  return std::nullopt;
}

Result<ProgramOutput> choose_output(const Context& context, const std::string& pattern,
                                    bool force) {
  const NameParts parts = name_parts(context.services.inspect_system().host);
  if (!pattern.empty()) {
    auto name = expand_output_name(pattern, parts);
    if (!name) return fail(std::move(name.error()));
    const bool replace = force || is_abandoned_claim(*name);
    if (auto writable = check_writable({*name}, replace, {}); !writable)
      return fail(std::move(writable.error()));
    if (replace) return ProgramOutput{std::move(*name), std::nullopt};
  }
  auto claim = ClaimedName::claim([&] {
    return pattern.empty() ? default_output_name(parts) : *expand_output_name(pattern, parts);
  });
  if (!claim) return fail(std::move(claim.error()));
  std::string path = claim->path();
  return ProgramOutput{std::move(path), std::move(*claim)};
}

}  // namespace

Result<std::string> make_output_folder(const Context& context, const std::string& pattern,
                                       bool force, std::optional<ProgramOutput>& output) {
  auto chosen = choose_output(context, pattern, force);
  if (!chosen) return fail(std::move(chosen.error()));
  output.emplace(std::move(*chosen));
  return make_spool_folder(output->path);
}

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

int end_as(Context& context, int signal) {
  context.out.flush();
  context.err.flush();
  context.services.die_by_signal(signal);
  return 128 + signal;  // as a shell says it, should the signal not have ended us
}

tl::expected<RanProgram, int> start_program(Context& context, const ProgramRun& run) {
  const auto failed = [&](const Error& error) { return tl::unexpected(context.report(error)); };
  if (const auto wrong = wrong_variable(run.variables)) return failed(*wrong);
  auto places = find_places(context, run.recording, {});
  if (!places) return failed(places.error());
  // What comes before the program or after it neither leaves the folder behind nor is lost.
  const launch::SignalsHeld held;
  context.services.watch_interrupts();
  auto made = run.make_folder();
  if (!made) return failed(made.error());
  std::optional<RecordingFolder> folder(std::in_place, std::move(*made));
  places->spool = folder->path();
  if (auto handed = hand_over_plan(run.recording, folder->path()); !handed)
    return failed(handed.error());

  auto environment = with_variables(own_environment(), run.variables);
  if (run.more_variables) {
    const auto more = run.more_variables(folder->path(), lookup_in(environment));
    if (!more) return failed(more.error());
    environment = with_variables(std::move(environment), *more);
  }
  const auto lookup = lookup_in(environment);
  const auto checked = launch::check_program(context.program.front(), lookup("PATH").value_or(""));
  if (!checked) {
    context.report(checked.error());
    return tl::unexpected(status_of(checked.error()));
  }
  if (!checked->empty()) context.note(*checked);
  const auto attachment = launch::attach(run.recording, *places, lookup);
  if (!attachment) return failed(attachment.error());
  for (const auto& note : attachment->notes) context.note(note);
  // Before a long run, not after it.
  if (const auto problem = context.services.missing_driver(); !problem.empty())
    context.note(fmt::format("{}. The program runs, but nothing can be {}", problem,
                             run.recording.accelerate ? "accelerated" : "recorded"));
  if (run.about_environment) run.about_environment(lookup);
  context.err.flush();
  if (const int signal = held.take(); signal != 0) {
    folder.reset();
    return tl::unexpected(end_as(context, signal));
  }
  ProgressStream progress(context);
  const auto end = [&] {
    const RecordingWatch watch(context, progress, folder->path());
    return context.services.run_program({context.program,
                                         launch::with_attachment(environment, *attachment),
                                         run.output, run.error, &held});
  }();
  if (!end) {
    context.report(end.error());
    return tl::unexpected(status_of(end.error()));
  }
  if (progress.wanted()) progress.write({"collecting", -1, -1, {}, -1, -1, 0});
  if (end->killed) context.note("interrupted twice: the program was ended at once");
  return RanProgram{*end, folder->keep()};
}

int run_program(Context& context, const ProgramRun& run) {
  const auto ran = start_program(context, run);
  if (!ran) return ran.error();
  const int status = run.collect(ran->folder, describe_program(context, ran->end));
  if (run.was_interrupted && run.was_interrupted()) return status;
  if (ran->end.signal != 0) return end_as(context, ran->end.signal);
  return ran->end.exit_status != 0 ? ran->end.exit_status : status;
}

void add_program_argument(CLI::App& command, std::string& program, Context& context) {
  auto* option = command.add_option("program", program,
                                    "the program and its arguments, after -- or as they are");
  option->required()->type_name("PROGRAM [ARGUMENTS]");
  context.completions[option] = {Context::Completion::Kind::file, {}};
}

void add_program_variables(CLI::App& command, std::vector<std::string>& variables) {
  command.add_option("--env", variables, "set a variable for the program (repeatable)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME=VALUE")
      ->group(group_recording);
}

}  // namespace rnnadvisor::cli
