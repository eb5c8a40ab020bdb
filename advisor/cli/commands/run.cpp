// rnnadvisor run: runs configurations on the GPUs of this machine, records a profile and reports on
// it.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/cli/command_line.h"
#include "advisor/cli/output_name.h"
#include "advisor/cli/progress.h"
#include "core/base/text.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

struct RunCommandArguments {
  ConfigurationOptions configurations;
  RunArguments run;
  JudgingOptions judging;
  OutputOptions report;
  std::string output;
  bool verbose = false;
};

std::string describe(const Configuration& configuration) {
  const auto& id = configuration.config.id;
  return id.empty() ? summary(configuration.config)
                    : fmt::format("{} {}", id, to_string(configuration.config.algo));
}

int run_command(Context& context, const RunCommandArguments& arguments) {
  auto configurations = read_configurations(arguments.configurations);
  if (!configurations) return report_failure(context, configurations);
  auto judging = prepare_judging(arguments.judging, context.services.predict_for);
  if (!judging) return report_failure(context, judging);
  std::optional<ClaimedName> claim;
  if (arguments.output.empty()) {
    auto claimed =
        ClaimedName::claim([parts = name_parts({})] { return default_output_name(parts); });
    if (!claimed) return context.report(claimed.error());
    claim.emplace(std::move(*claimed));
  }
  const std::string path = claim ? claim->path() : arguments.output;
  const std::string stem = path.ends_with(".rnnprof") ? path.substr(0, path.size() - 8) : path;
  auto targets = resolve_outputs(arguments.report, stem);
  if (!targets) return context.report(targets.error());
  if (auto writable = check_writable(paths_of(*targets, claim ? std::string() : path),
                                     arguments.report.force, arguments.configurations.files);
      !writable)
    return context.report(writable.error());
  auto request = make_run_request(arguments.run, context);
  if (!request) return context.report(request.error());
  auto positions = positions_of(*configurations);
  request->configurations = std::move(*configurations);

  Result<Profile> profile = [&] {
    Progress progress(context, static_cast<int>(request->configurations.size()));
    request->on_progress = [&](const RunProgress& state) {
      const bool known = state.newest != nullptr && !state.newest->configurations.empty();
      progress.show(state.finished, known ? describe(state.newest->configurations.front()) : "");
    };
    return context.services.run_configurations(*request);
  }();
  if (!profile) {
    const int status = context.report(profile.error());
    // Configurations were read and options checked: what stops all of them is the environment.
    return status == exit_interrupted ? status : exit_environment;
  }
  if (auto written = write_profile(*profile, path, claim || arguments.report.force); !written) {
    return context.report(written.error());
  }
  int status = judge_and_report(context, *profile, *judging,
                                {std::move(*targets), arguments.verbose, std::move(positions)});
  context.note(fmt::format("wrote {}", path));

  const auto& all = profile->configurations;
  const auto count = [&](auto predicate) {
    return std::count_if(all.begin(), all.end(), predicate);
  };
  const auto interrupted =
      count([](const Configuration& c) { return c.outcome == Outcome::interrupted; });
  const auto failed = count([](const Configuration& c) {
    const bool wrong = std::any_of(c.correctness.begin(), c.correctness.end(),
                                   [](const auto& result) { return !result.passed; });
    return wrong || (c.outcome != Outcome::completed && c.outcome != Outcome::interrupted);
  });
  if (failed > 0) {
    context.note(fmt::format("{} of {} did not run as asked", failed,
                             plural(static_cast<long long>(all.size()), "configuration")));
    if (status == exit_ok && judging->fail_on.threshold) status = exit_findings;
  }
  if (interrupted > 0) {
    context.note(fmt::format(
        "interrupted: {} of {} not finished", interrupted,
        plural(static_cast<long long>(all.size()), "configuration was", "configurations were")));
    return exit_interrupted;
  }
  return status;
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "run", "Run configurations on the GPU, record a profile and report on it",
      "Examples:\n"
      "  rnnadvisor run --cell lstm --hidden-size 1024 --data-type half -o lstm.rnnprof\n"
      "  rnnadvisor run network.toml --format text --format html:network.html\n"
      "  rnnadvisor run network.jsonl --devices all --counters off --budget-seconds 5\n"
      "\n"
      "Each configuration is timed without tracing until the interval of the median is tight, then "
      "run "
      "once more under CUPTI for its kernels. What does not fit into memory, is refused by cuDNN "
      "or "
      "crashes is a result of that configuration; the others go on. Ctrl-C ends the run and writes "
      "what "
      "is there; a second Ctrl-C ends at once.");
  auto arguments = std::make_shared<RunCommandArguments>();
  add_configuration_options(*command, arguments->configurations, context);
  add_path_option(*command, "-o,--output", arguments->output,
                  "the profile (default: rnnadvisor-<time>.rnnprof)", context);
  add_report_options(*command, arguments->report, arguments->verbose, context, false);
  add_run_options(*command, arguments->run, context);
  add_judging_options(*command, arguments->judging, context, "error");
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return run_command(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
