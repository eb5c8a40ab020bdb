// rnnadvisor calibrate: measures what predictions need on the GPU of this machine, and writes the
// device description that --device then uses.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "advisor/calibrate/calibration.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/gpu_choice.h"
#include "advisor/cli/output.h"
#include "advisor/cli/progress.h"
#include "advisor/samples/samples.h"
#include "core/base/text.h"
#include "core/model/time_cross_validation.h"
#include "core/model/time_errors.h"
#include "core/model/time_model.h"
#include "profiler/profile/environment.h"

namespace rnnadvisor::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct CalibrateArguments {
  std::string output;
  std::vector<std::string> from;
  double budget = 540;
  int gpu = 0;
  std::string adapt = "auto";
  bool force = false;
};

// The last part of the budget, for choosing how alike configurations are and for cross-validation,
// which takes the cube of what was measured.
constexpr double choosing_seconds = 40, choosing_of_few_seconds = 5;
constexpr double shortest_budget = 30, longest_budget = 24 * 3600;
// A shorter one measures too little to stand alone: what it measures corrects this GPU's times.
constexpr double budget_to_stand_alone = 240;
constexpr const char* known_gpu = "nvidia-h200";

// The id of the GPU whose times are corrected; empty: of none.
Result<std::string> adapted_gpu(const CalibrateArguments& arguments, bool measures) {
  const std::string& given = arguments.adapt;
  if (given == "none") return std::string();
  if (given == "auto")
    return std::string(measures && arguments.budget < budget_to_stand_alone ? known_gpu : "");
  if (model::shipped_fits(given) == nullptr)
    return fail(usage(fmt::format("no times of '{}' travel in the program", given),
                      fmt::format("--adapt {}, or none", known_gpu)));
  return given;
}

struct Places {
  std::string description, times;
};

Result<Places> places_for(const CalibrateArguments& arguments, const DeviceSpec& device) {
  Places places;
  places.description =
      arguments.output.empty() ? advisor::device_id_of(device.id) + ".toml" : arguments.output;
  if (!places.description.ends_with(".toml")) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("-o must end in .toml, and '{}' does not", places.description),
                "the times are written beside it, as NAME.times.jsonl");
  }
  places.times = times_path(places.description);
  if (auto writable =
          check_writable({places.description, places.times}, arguments.force, arguments.from);
      !writable)
    return fail(std::move(writable.error()));
  return places;
}

std::string percent(double share) { return fmt::format("{:.2g} %", 100 * share); }

std::string choice_line(std::string_view what, const model::ChoiceErrors& errors) {
  if (errors.configurations == 0) return {};
  return fmt::format(
      "  {:<10} best algorithm named in {} of {}; time lost: median {}, 95th percentile {}\n", what,
      errors.right, plural(errors.configurations, "configuration"),
      percent(model::quantile(errors.regret, 0.5)), percent(model::quantile(errors.regret, 0.95)));
}

// How good predictions from these times are, by leaving each configuration out in turn.
std::string cross_validation(const model::TimeModel& model) {
  const auto [times, inference, training] = advisor::left_out_errors(model);
  if (times.relative.empty()) {
    return model.times().adapts.empty()
               ? "Too few times were measured to predict any.\n"
               : "Too few times of any kernels were measured to correct these by themselves.\n";
  }
  std::string text = fmt::format(
      "Predicted without it, each of {} measured times is off by {} in the median and {} at the "
      "95th percentile; {} lie in their interval.\n",
      times.count(), percent(model::quantile(times.relative, 0.5)),
      percent(model::quantile(times.relative, 0.95)),
      percent(static_cast<double>(times.covered) / times.count()));
  text += choice_line("inference", inference);
  text += choice_line("training", training);
  return text;
}

// The same of kernels of which nothing was measured, from times that correct another GPU's.
std::string without_kernels(const MeasuredTimes& times, const DeviceSpec& device) {
  const auto left_out = model::cross_validate(times, device, model::kernel_folds(times));
  model::TimeErrors all;
  for (const auto& [group, phases] :
       model::judge(times, device, left_out, model::Split::kernels).errors)
    for (const auto& [phase, errors] : phases) {
      all.relative.insert(all.relative.end(), errors.relative.begin(), errors.relative.end());
      all.covered += errors.covered;
    }
  if (all.relative.empty()) return {};
  return fmt::format(
      "Without all of the same algorithm and precision: off by {} in the median and {} at the 95th "
      "percentile; {} lie in their interval. That is to be expected of kernels that were not "
      "measured.\n",
      percent(model::quantile(all.relative, 0.5)), percent(model::quantile(all.relative, 0.95)),
      percent(static_cast<double>(all.covered) / all.count()));
}

// Chooses, writes both files and says how good they are.
int finish(Context& context, advisor::Calibration made, const Places& places,
           const std::atomic<bool>* interrupted) {
  auto& [device, times] = made;
  if (!times.rows.empty()) {
    context.note(
        "choosing how alike configurations are and how wide intervals must be, by leaving out what "
        "was measured");
    times.choices = model::chosen_for(times, device, interrupted);
  }
  const std::string comment =
      fmt::format("{}, as `rnnadvisor calibrate` met it with cuDNN {} on {}.\nTimes: {}",
                  device.name, device.cudnn_version.empty() ? "?" : device.cudnn_version,
                  times.date, std::filesystem::path(places.times).filename().string());
  if (auto written = write_file(places.description, write_device_toml(device, comment)); !written)
    return context.report(written.error());
  if (auto written = write_file(places.times, write_measured_times(times)); !written)
    return context.report(written.error());
  context.out << fmt::format(
      "{}, cuDNN {}: {}\n", device.name, times.cudnn_version.empty() ? "?" : times.cudnn_version,
      plural(static_cast<long long>(times.rows.size()), "row of times", "rows of times"));
  if (!times.adapts.empty())
    context.out << fmt::format("They correct the times of {} that travel in the program.\n",
                               times.adapts);
  context.out << cross_validation(model::TimeModel(times, device));
  if (!times.adapts.empty()) context.out << without_kernels(times, device);
  context.out << fmt::format("Use them with --device {}\n", places.description);
  context.note(fmt::format("wrote {} and {}", places.description, places.times));
  return exit_ok;
}

int from_profiles(Context& context, const CalibrateArguments& arguments) {
  advisor::Calibration recorded;
  for (const std::string& path : arguments.from) {
    const auto profile = advisor::load_profile(path);
    if (!profile) return context.report(profile.error());
    if (auto added = advisor::add_recorded_times(recorded, *profile, path); !added)
      return context.report(added.error());
  }
  if (recorded.times.date.empty()) recorded.times.date = time_now();
  if (recorded.times.command.empty()) recorded.times.command = context.command_line;
  const auto adapts = adapted_gpu(arguments, false);
  if (!adapts) return context.report(adapts.error());
  recorded.times.adapts = *adapts;
  const auto places = places_for(arguments, recorded.device);
  if (!places) return context.report(places.error());
  return finish(context, std::move(recorded), *places, context.services.watch_interrupts());
}

// The grid that is measured: the shipped sweep sample:calibration.
Result<std::vector<RnnConfig>> calibration_grid() {
  const auto plan = advisor::load_sweep("sample:calibration");
  if (!plan) return fail(plan.error().front());
  std::vector<RnnConfig> grid;
  for (const ConfigInput& input : plan->configurations) grid.push_back(input.config);
  return grid;
}

int calibrate(Context& context, const CalibrateArguments& arguments) {
  if (!arguments.from.empty()) return from_profiles(context, arguments);
  if (!(arguments.budget >= shortest_budget && arguments.budget <= longest_budget)) {
    return context.report(usage(
        fmt::format("--budget must be {} to {} seconds", shortest_budget, longest_budget), ""));
  }
  const auto adapts = adapted_gpu(arguments, true);
  if (!adapts) return context.report(adapts.error());
  const auto begin = Clock::now();
  auto gpu = gpu_for(context, arguments.gpu, "calibrate",
                     "--from takes profiles that were recorded elsewhere", "--gpu");
  if (!gpu) return context.report(gpu.error());
  auto places = places_for(arguments, *gpu);
  if (!places) return context.report(places.error());
  const auto grid = calibration_grid();
  if (!grid) return context.report(grid.error());
  advisor::CalibrationRun run;
  run.gpu = arguments.gpu;
  run.device = std::move(*gpu);
  run.machine = describe_machine(context.command_line, context.services.inspect_machine());
  run.interrupted = context.services.watch_interrupts();
  run.adapts = *adapts;
  run.end = begin +
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                arguments.budget - (adapts->empty() ? choosing_seconds : choosing_of_few_seconds)));
  std::unique_ptr<Progress> progress;
  int shown_total = -1;
  run.on_progress = [&](int finished, int total, const std::string& what) {
    if (total != shown_total) progress = std::make_unique<Progress>(context, total);
    shown_total = total;
    progress->show(finished, what);
  };
  auto made = advisor::calibrate(run, *grid, context.services.run_configurations);
  progress.reset();
  if (!made) {
    const int status = context.report(made.error());
    return status == exit_interrupted ? status : exit_environment;
  }
  const bool interrupted = run.interrupted != nullptr && run.interrupted->load();
  if (interrupted && made->times.rows.empty()) {
    context.note("interrupted before anything was measured: nothing was written");
    return exit_interrupted;
  }
  const int status = finish(context, std::move(*made), *places, run.interrupted);
  if (!interrupted || status != exit_ok) return status;
  context.note("interrupted: the files hold what was measured until then");
  return exit_interrupted;
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "calibrate", "Measure a GPU, so that times on it can be predicted without it",
      "Examples:\n"
      "  rnnadvisor calibrate\n"
      "  rnnadvisor calibrate -o my-gpu.toml --budget 300\n"
      "  rnnadvisor calibrate -o my-gpu.toml --budget 60\n"
      "  rnnadvisor check network.toml --device my-gpu.toml\n"
      "  rnnadvisor calibrate --from calibration.rnnprof -o my-gpu.toml\n"
      "\n"
      "Asks cuDNN for the hidden-size limits of the persistent algorithms, times configurations of "
      "sample:calibration, the most telling first, until the budget ends, and writes a device "
      "description and beside it the times (NAME.toml, NAME.times.jsonl). Predictions from them "
      "need no GPU: copy both files anywhere. In the end it says how far off they are, by leaving "
      "out each configuration in turn. With a budget of less than 240 s what was measured corrects "
      "the times of an H200 that travel in the program (--adapt); intervals are wider where "
      "nothing "
      "was measured. On an H200 with 52 of its multiprocessors a minute was off by 22 % in the "
      "median, 210 s by 14 %. Nothing else should use "
      "the GPU or keep the processor busy "
      "meanwhile: small configurations wait for the host. Ctrl-C ends the measuring, and what was "
      "measured is written (exit status 130).");
  auto arguments = std::make_shared<CalibrateArguments>();
  add_path_option(*command, "-o,--output", arguments->output,
                  "the device description; the times are written beside it "
                  "(default: the GPU's name)",
                  context, "FILE.toml");
  command->add_flag("--force", arguments->force, "replace files that exist")->group(group_output);
  add_number(*command, "--budget", arguments->budget, "SECONDS", group_running,
             "at most so many seconds for all of it");
  command
      ->add_option(
          "--adapt", arguments->adapt,
          "begin with the times of an H200 that travel in the program and correct them by what is "
          "measured here (default: auto, with a budget of less than 240 s); none: only what is "
          "measured here")
      ->type_name("nvidia-h200|none|auto")
      ->group(group_running);
  add_number(*command, "--gpu", arguments->gpu, "N", group_running, "number of the GPU");
  auto* from = command
                   ->add_option("--from", arguments->from,
                                "measure nothing: take the times of recorded sweeps")
                   ->type_name("PROFILE")
                   ->group(group_running);
  context.completions[from] = {Context::Completion::Kind::profile, {}};
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return calibrate(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
