#include "advisor/cli/collecting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "advisor/cli/configurations.h"
#include "advisor/cli/output.h"
#include "advisor/cli/profile_summary.h"
#include "advisor/cli/recording_options.h"
#include "advisor/judge/judge.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "profiler/launch/collect.h"
#include "profiler/profile/environment.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Processes that the program started may be on their way out; one that has recorded nothing is not
// worth much waiting.
constexpr auto grace = 2s;
constexpr auto grace_of_waiting = 300ms;

void wait_for_stragglers(const std::string& folder, const std::atomic<bool>* stop) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  while (Clock::now() < begin + grace && (stop == nullptr || !stop->load()) &&
         (launch::count_running(folder) > 0 ||
          (Clock::now() < begin + grace_of_waiting && launch::count_waiting(folder) > 0)))
    std::this_thread::sleep_for(20ms);
}

Environment environment_of(const Context& context) {
  Environment environment = describe_process(context.command_line);
  const auto system = context.services.inspect_system();
  environment.operating_system = system.operating_system;
  environment.cpu = system.cpu;
  return environment;
}

advisor::TextOptions text_options(const Context& context) {
  advisor::TextOptions text;
  text.width = context.terminal.width;
  text.color = context.color_error();
  text.ascii = !context.terminal.utf8;
  return text;
}

void print_summary(const Context& context, const advisor::Report& report) {
  if (!context.quiet) context.err << '\n' << profile_summary(report, text_options(context)) << '\n';
}

// A folder that stays, and how to go on with it.
void say_kept(const Context& context, const CollectRequest& request) {
  if (std::error_code error; !fs::is_directory(request.folder, error)) return;
  const std::string output =
      request.output.empty() ? std::string() : " -o " + shell_word(request.output);
  context.err << fmt::format(
      "rnnadvisor: the recording is kept; `rnnadvisor collect {}{}` makes a profile of it\n",
      shell_word(request.folder), output);
}

// The exit status of the error, and that nothing is lost.
int failed(const Context& context, const Error& error, const CollectRequest& request) {
  const int status = context.report(error);
  say_kept(context, request);
  return status;
}

bool write_collected(const Context& context, const launch::Collected& collected,
                     const CollectRequest& request) {
  const auto written = write_profile(collected.profile, request.output, request.force);
  if (!written) failed(context, written.error(), request);
  return written.has_value();
}

void say_written(const Context& context, const CollectRequest& request) {
  context.note(fmt::format("wrote {}; `rnnadvisor report {}` shows more", request.output,
                           shell_word(request.output)));
}

// Adds what was measured to the plan. Nothing new leaves its file as it is.
Result<void> extend_plan(const Context& context, const launch::Collected& collected,
                         const CollectRequest& request) {
  if (request.plan.empty()) return {};
  const auto before = read_plan_file(request.plan);
  if (!before) return fail(before.error());
  const bool converts =
      std::any_of(collected.choices.begin(), collected.choices.end(), [](const auto& choice) {
        return std::any_of(choice.variants.begin(), choice.variants.end(),
                           [](const auto& variant) { return variant.converts; });
      });
  const auto plan = launch::plan_of(collected, *before, request.numerics.value_or(converts));
  const auto added = static_cast<long long>(plan.choices.size() - before->choices.size());
  if (added > 0) {
    if (auto written = write_file(request.plan, launch::write_plan(plan)); !written)
      return fail(written.error());
  }
  if (added > 0 || before->gpu.empty()) {
    context.note(added > 0
                     ? fmt::format("{} added to the plan {}", plural(added, "choice"), request.plan)
                     : fmt::format("no plan was written: no choice was measured to its end"));
  }
  return {};
}

// Where it is wanted and all of the folder is in the profile.
void remove_folder(const Context& context, const launch::Collected& collected,
                   const CollectRequest& request) {
  if (!request.remove_folder) return;
  if (collected.running == 0 && collected.waiting == 0 && collected.unreadable.empty()) {
    std::error_code error;
    fs::remove_all(request.folder, error);
    if (error) context.note(fmt::format("cannot remove '{}': {}", request.folder, error.message()));
    return;
  }
  if (collected.running > 0) context.note("processes of the program still run and go on recording");
  if (collected.waiting > 0) {
    context.note(
        "processes of the program still run and have not used CUDA yet; should they, they record "
        "then");
  }
  say_kept(context, request);
}

}  // namespace

Result<launch::Collected> read_folder(const Context& context, const CollectRequest& request) {
  launch::CollectOptions options;
  options.environment = environment_of(context);
  options.program = request.program;
  options.since_ns = request.since_ns;
  options.stop = context.services.watch_interrupts();
  wait_for_stragglers(request.folder, options.stop);
  auto collected = launch::collect_spools(request.folder, options);
  if (!collected) return collected;
  for (const auto& message : collected->unreadable) context.note(message);
  if (request.no_command_line) {
    collected->profile.environment.command_line.clear();
    for (auto& process : collected->profile.processes) process.command_line.clear();
  }
  return collected;
}

int collect_and_report(const Context& context, const Judging& judging,
                       const CollectRequest& request) {
  auto collected = read_folder(context, request);
  if (!collected) return failed(context, collected.error(), request);
  if (request.needs_recording && collected->spools == 0) {
    const bool unreadable = !collected->unreadable.empty();
    return context.report(
        Error{unreadable ? ErrorCode::damaged : ErrorCode::not_found,
              unreadable ? fmt::format("no recording in '{}' can be read", request.folder)
                         : fmt::format("'{}' holds no recording", request.folder),
              "name the folder that `rnnadvisor env` or `rnnadvisor profile` made, with files "
              "*.rnnspool; "
              "a program that used neither CUDA nor cuDNN leaves none",
              std::nullopt,
              {}});
  }
  if (!write_collected(context, *collected, request)) return exit_environment;
  if (request.verify) {
    request.verify(collected->profile);
    if (!write_collected(context, *collected, request)) return exit_environment;
  }
  const auto judgement = advisor::judge(collected->profile, judging.rules, judging.options);
  const auto report = advisor::make_report(collected->profile, judgement, judging.rules);
  if (!collected->choices.empty() && !context.quiet)
    context.err << accelerate_report(*collected, {}, text_options(context));
  // Of choices alone there is nothing to sum up.
  if (collected->choices.empty() || !collected->profile.calls.empty())
    print_summary(context, report);
  if (auto extended = extend_plan(context, *collected, request); !extended) {
    failed(context, extended.error(), request);
    return exit_environment;
  }
  remove_folder(context, *collected, request);
  say_written(context, request);
  return exit_status(report, judging.fail_on);
}

int collect_acceleration(const Context& context, const AccelerationRequest& request, bool* ended) {
  const auto& recording = request.recording;
  const auto collected = read_folder(context, recording);
  if (!collected) return failed(context, collected.error(), recording);
  if (ended != nullptr) {
    const auto& notes = collected->profile.notes;
    *ended = std::any_of(notes.begin(), notes.end(),
                         [](const auto& note) { return note.code == "try-ended"; });
  }
  const AccelerationContext about{request.command,     request.tried,   request.switched_off,
                                  request.step,        request.changes, request.algorithms,
                                  request.code_folder, request.losses};
  if (!request.report.empty()) {
    advisor::TextOptions plain;
    const auto written = write_file(request.report, accelerate_report(*collected, about, plain));
    if (!written) {
      failed(context, written.error(), recording);
      return exit_environment;
    }
  } else if (!context.quiet) {
    context.err << accelerate_report(*collected, about, text_options(context));
  }
  if (!recording.output.empty() && !write_collected(context, *collected, recording))
    return exit_environment;
  if (auto extended = extend_plan(context, *collected, recording); !extended) {
    failed(context, extended.error(), recording);
    return exit_environment;
  }
  remove_folder(context, *collected, recording);
  if (!recording.output.empty()) say_written(context, recording);
  return exit_ok;
}

}  // namespace rnnadvisor::cli
