// rnnadvisor collect: the recordings of a folder become a profile.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "advisor/cli/collecting.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/output_name.h"
#include "advisor/cli/recording_options.h"

namespace rnnadvisor::cli {
namespace {

struct CollectArguments {
  std::string folder, output, plan;
  std::optional<double> since_seconds;
  bool force = false, remove = false, no_command_line = false;
  JudgingOptions judging;
};

// "run.rnnprof" of "run.rnnprof.spool-x3Yz1Q", as `profile` and `env` name their folders.
std::string output_of(const std::string& folder) {
  std::string name = std::filesystem::path(folder).lexically_normal().string();
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (const auto mark = name.rfind(".spool-"); mark != std::string::npos && mark > 0)
    return name.substr(0, mark);
  return name + ".rnnprof";
}

int collect_folder(Context& context, const CollectArguments& arguments) {
  auto judging = prepare_judging(arguments.judging, context.services.predict_for);
  if (!judging) return report_failure(context, judging);
  // Written so that NaN is refused.
  const double since = arguments.since_seconds.value_or(0);
  if (!(since >= 0 && since < 9e9)) {
    return context.report(Error{ErrorCode::invalid_argument,
                                "--since must be a time in seconds since 1970",
                                "use what `date +%s` prints",
                                std::nullopt,
                                {}});
  }
  const std::string output =
      arguments.output.empty() ? output_of(arguments.folder) : arguments.output;
  const bool replace = arguments.force || is_abandoned_claim(output);
  if (auto writable = check_writable({output}, replace, {}); !writable)
    return context.report(writable.error());
  return collect_and_report(
      context, *judging,
      {arguments.folder,
       output,
       replace,
       arguments.remove,
       {},
       arguments.no_command_line,
       true,
       arguments.plan,
       {},
       arguments.since_seconds ? std::optional<std::int64_t>(std::llround(since * 1e9))
                               : std::nullopt});
}

}  // namespace

void add_collect(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "collect", "Make a profile of what the plugin recorded",
      "Examples:\n"
      "  rnnadvisor collect run.rnnprof.spool-x3Yz1Q\n"
      "  rnnadvisor collect /scratch/recording -o job.rnnprof --remove\n"
      "  rnnadvisor collect notebook.rnnprof.spool-x3Yz1Q -o cell.rnnprof --since 1764415891.25\n"
      "\n"
      "For programs that were recorded with `rnnadvisor env`, and for what an interrupted "
      "`rnnadvisor "
      "profile` left. A recording is readable at any time, also of a process that was killed or "
      "still runs.");
  auto arguments = std::make_shared<CollectArguments>();
  auto* folder = command->add_option("folder", arguments->folder, "the folder with the recordings");
  folder->required()->type_name("FOLDER");
  context.completions[folder] = {Context::Completion::Kind::directory, {}};
  add_path_option(*command, "-o,--output", arguments->output,
                  "the profile (default: after the folder)", context);
  command->add_flag("--force", arguments->force, "replace a profile that exists")
      ->group(group_output);
  command
      ->add_flag("--remove", arguments->remove,
                 "remove the folder when everything of it is in the profile")
      ->group(group_output);
  add_path_option(*command, "--plan", arguments->plan,
                  "add the algorithms that `accelerate` chose to this file (TOML; made "
                  "where there is none)",
                  context);
  command
      ->add_option("--since", arguments->since_seconds,
                   "leave out what began before this time, in seconds since 1970 as `date +%s` "
                   "prints it")
      ->type_name("SECONDS")
      ->group(group_recording)
      ->excludes(command->get_option("--remove"));
  add_no_command_line(*command, arguments->no_command_line);
  add_judging_options(*command, arguments->judging, context, "never");
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return collect_folder(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
