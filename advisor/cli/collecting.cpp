#include "advisor/cli/collecting.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "advisor/cli/configurations.h"
#include "advisor/cli/output.h"
#include "advisor/cli/profile_summary.h"
#include "core/base/shell_words.h"
#include "profiler/launch/collect.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Processes that the program started may be on their way out; one that has recorded nothing is not
// worth much waiting.
constexpr auto grace = 2s, grace_of_waiting = 300ms;

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

void print_summary(const Context& context, const advisor::Report& report) {
  if (context.quiet) return;
  advisor::TextOptions text;
  text.width = context.terminal.width;
  text.color = context.color_error();
  text.ascii = !context.terminal.utf8;
  context.err << '\n' << profile_summary(report, text) << '\n';
}

}  // namespace

int collect_and_report(const Context& context, const Judging& judging,
                       const CollectRequest& request) {
  const auto kept = [&] {
    context.err << fmt::format(
        "rnnadvisor: the recording is kept; `rnnadvisor collect {} -o {}` makes a profile of it\n",
        shell_word(request.folder), shell_word(request.output));
  };
  launch::CollectOptions options;
  options.environment = environment_of(context);
  options.program = request.program;
  options.stop = context.services.watch_interrupts();
  wait_for_stragglers(request.folder, options.stop);
  auto collected = launch::collect_spools(request.folder, options);
  if (!collected) {
    const int status = context.report(collected.error());
    kept();
    return status;
  }
  for (const auto& message : collected->unreadable) context.note(message);
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
  if (request.no_command_line) {
    collected->profile.environment.command_line.clear();
    for (auto& process : collected->profile.processes) process.command_line.clear();
  }
  if (auto written = write_profile(collected->profile, request.output, request.force); !written) {
    context.report(written.error());
    kept();
    return exit_environment;
  }
  const auto judgement = advisor::judge(collected->profile, judging.rules, judging.options);
  const auto report = advisor::make_report(collected->profile, judgement, judging.rules);
  print_summary(context, report);
  const bool whole =
      collected->running == 0 && collected->waiting == 0 && collected->unreadable.empty();
  if (request.remove_folder && whole) {
    std::error_code error;
    fs::remove_all(request.folder, error);
    if (error) context.note(fmt::format("cannot remove '{}': {}", request.folder, error.message()));
  } else if (request.remove_folder) {
    if (collected->running > 0)
      context.note("processes of the program still run and go on recording");
    if (collected->waiting > 0) {
      context.note(
          "processes of the program still run and have not used CUDA yet; should they, they record "
          "then");
    }
    kept();
  }
  context.note(fmt::format("wrote {}; `rnnadvisor report {}` tells more", request.output,
                           shell_word(request.output)));
  return exit_status(judgement.findings, judging.fail_on);
}

}  // namespace rnnadvisor::cli
