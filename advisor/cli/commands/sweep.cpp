// rnnadvisor sweep: runs the configurations of a sweep file; can be interrupted, resumed, and
// spread over machines.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "advisor/cli/command_line.h"
#include "advisor/cli/progress.h"
#include "advisor/samples/samples.h"
#include "advisor/sweep/run.h"
#include "core/base/text.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

struct SweepArguments {
  std::string file, output, shard = "1/1";
  RunArguments run;
  JudgingOptions judging;
  OutputOptions report;
  bool verbose = false, list = false, dry_run = false;
};

std::string default_output(const std::string& file, const advisor::Shard& shard) {
  const std::string name = file.starts_with("sample:")
                               ? file.substr(7)
                               : std::filesystem::path(file).filename().string();
  const std::string part =
      shard.count == 1 ? std::string() : fmt::format("-{}-of-{}", shard.index, shard.count);
  return fmt::format("{}{}.rnnprof", advisor::without_ending(name), part);
}

int sweep_command(Context& context, const SweepArguments& arguments) {
  auto whole = advisor::load_sweep(arguments.file);
  if (!whole) return report_failure(context, whole);
  const auto shard = advisor::parse_shard(arguments.shard);
  if (!shard) return context.report(shard.error());
  advisor::SweepPlan plan = advisor::take_shard(*whole, *shard);
  if (arguments.list) {
    for (const auto& input : plan.configurations) context.out << to_json_line(input) << '\n';
    return exit_ok;
  }
  auto judging = prepare_judging(arguments.judging, context.services.predict_for);
  if (!judging) return report_failure(context, judging);
  const std::string path =
      arguments.output.empty() ? default_output(arguments.file, *shard) : arguments.output;
  const std::string stem = path.ends_with(".rnnprof") ? path.substr(0, path.size() - 8) : path;
  auto targets = resolve_outputs(arguments.report, stem);
  if (!targets) return context.report(targets.error());
  if (auto writable = check_writable(paths_of(*targets), arguments.report.force, {arguments.file});
      !writable) {
    return context.report(writable.error());
  }

  Profile earlier;
  std::error_code ignored;
  const bool resume = !arguments.report.force && std::filesystem::exists(path, ignored);
  if (resume) {
    auto read = read_profile(path);
    if (!read) {
      read.error().notes.push_back(
          "the sweep would go on where this file ends; --force starts anew and replaces it");
      return context.report(read.error());
    }
    earlier = std::move(*read);
  } else if (auto writable = check_writable(paths_of(*targets, path), true, {arguments.file});
             !writable) {
    return context.report(writable.error());
  }
  const auto resumption = advisor::plan_resumption(plan, resume ? &earlier : nullptr);
  if (resume) {
    context.note(
        fmt::format("{} has {} of {}; {} to run", path, resumption.in_plan,
                    plural(static_cast<long long>(plan.configurations.size()), "configuration"),
                    resumption.to_run.size()));
  }
  if (resume && !earlier.devices.empty()) {
    // Configurations that another GPU has finished count as finished: a figure should be of one
    // machine.
    const auto live = context.services.live_device();
    const auto same = [&](const DeviceSpec& device) { return device.name == live->name; };
    if (live && std::none_of(earlier.devices.begin(), earlier.devices.end(), same)) {
      context.note(
          fmt::format("{} was recorded on {}, this machine has {}: its results are kept "
                      "beside the new ones (--force starts anew)",
                      path, earlier.devices.front().name, live->name));
    }
  }
  if (arguments.dry_run) {
    context.out << fmt::format(
        "{}\n{}, {} to run, into {}\n", plan.title.empty() ? arguments.file : plan.title,
        plural(static_cast<long long>(plan.configurations.size()), "configuration"),
        resumption.to_run.size(), path);
    for (const int index : resumption.to_run) {
      const auto& config = plan.configurations[static_cast<std::size_t>(index)].config;
      context.out << fmt::format("  {}  {}\n", advisor::words::clean(config.id), summary(config));
    }
    return exit_ok;
  }

  advisor::SweepRun sweep;
  auto request = make_run_request(arguments.run, context);
  if (!request) return context.report(request.error());
  sweep.request = std::move(*request);
  sweep.plan = std::move(plan);
  sweep.path = path;
  if (resume) sweep.earlier = &earlier;
  Result<Profile> profile = [&] {
    Progress progress(context, static_cast<int>(sweep.plan.configurations.size()));
    sweep.on_progress = [&](int finished, int, const Configuration& newest) {
      progress.show(finished, fmt::format("{} {}", newest.config.id, to_string(newest.outcome)));
    };
    return advisor::run_sweep(sweep, context.services.run_configurations);
  }();
  if (!profile) {
    const int status = context.report(profile.error());
    return status == exit_interrupted ? status : exit_environment;
  }
  const int status =
      judge_and_report(context, *profile, *judging, {std::move(*targets), arguments.verbose});
  context.note(fmt::format("wrote {}", path));
  const auto& all = profile->configurations;
  const auto interrupted = std::count_if(all.begin(), all.end(), [](const Configuration& c) {
    return c.outcome == Outcome::interrupted;
  });
  if (interrupted == 0) return status;
  context.note(fmt::format(
      "interrupted: {} of {} not finished; the same command runs the rest", interrupted,
      plural(static_cast<long long>(all.size()), "configuration was", "configurations were")));
  return exit_interrupted;
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "sweep", "Run every configuration of a sweep file",
      "Examples:\n"
      "  rnnadvisor sweep sample:guide-figure-10 -o figure-10.rnnprof --format "
      "html:figure-10.html\n"
      "  rnnadvisor sweep sizes.toml --list\n"
      "  rnnadvisor sweep sizes.toml --devices all --shard $SLURM_ARRAY_TASK_ID/8\n"
      "\n"
      "A sweep file is TOML: configuration keys at top level are the base, and each [[sweep]] has "
      "a grid "
      "(every combination), a list, or both:\n"
      "\n"
      "  data_type = \"half\"\n"
      "  [[sweep]]\n"
      "  id = \"H{hidden_size}\"\n"
      "  grid = { hidden_size = [256, 512], batch_size = { from = 8, to = 512, factor = 2 } }\n"
      "  list = [{ num_layers = 1 }, { num_layers = 4, dropout = 0.2 }]\n"
      "  ties = { input_size = \"hidden_size\" }\n"
      "\n"
      "A range takes a step or a factor; a tie makes a key follow another; [[figure]] says how to "
      "plot "
      "the result. An output file that exists is gone on with: configurations that it has are not "
      "run "
      "again. Results are saved every half minute and on Ctrl-C. The parts of a --shard are put "
      "together by `rnnadvisor merge`.");
  auto arguments = std::make_shared<SweepArguments>();
  auto* file = command->add_option("file", arguments->file, "a sweep file (.toml), or sample:NAME")
                   ->required()
                   ->type_name("FILE");
  context.completions[file] = {Context::Completion::Kind::file, {}};
  add_path_option(*command, "-o,--output", arguments->output,
                  "the profile; gone on with when it exists (default: the sweep's name)", context);
  add_report_options(*command, arguments->report, arguments->verbose, context, false);
  command->add_option("--shard", arguments->shard, "run part i of n, dealt out in turn")
      ->type_name("i/n")
      ->group(group_running);
  command
      ->add_flag("--list", arguments->list,
                 "print the configurations as JSON Lines and run nothing")
      ->group(group_running);
  command->add_flag("--dry-run", arguments->dry_run, "say what would be run and run nothing")
      ->group(group_running);
  add_run_options(*command, arguments->run, context);
  add_judging_options(*command, arguments->judging, context, "never");
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return sweep_command(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
