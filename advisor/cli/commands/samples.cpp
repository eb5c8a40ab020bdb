// rnnadvisor samples: recorded profiles and sweeps that travel in the program.
#include "advisor/samples/samples.h"

#include <fmt/format.h>

#include "advisor/cli/command_line.h"
#include "advisor/sweep/plan.h"
#include "core/base/text.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

int list_samples(Context& context) {
  context.out << "Recorded profiles, for advise, report and export (sample:NAME):\n";
  if (advisor::sample_profiles().empty()) context.out << "  none in this build\n";
  for (const bool programs : {false, true}) {
    if (programs) context.out << "\nRecorded programs, with their calls and kernels:\n";
    for (const auto& file : advisor::sample_profiles()) {
      if (file.name.starts_with("programs/") != programs) continue;
      const auto profile = read_profile_bytes(file.text, file.name);
      if (!profile) return context.report(profile.error());
      const auto& device =
          profile->devices.empty() ? std::string("no GPU") : profile->devices[0].name;
      const auto count = profile->configurations.size();
      const auto& cudnn = profile->environment.cudnn_version;
      context.out << fmt::format("  {:<32} {}, {}, {}\n", advisor::without_ending(file.name),
                                 plural(static_cast<long long>(count), "configuration"), device,
                                 cudnn.empty() ? "without cuDNN" : "cuDNN " + cudnn);
    }
  }
  context.out << "\nSweeps, for sweep (sample:NAME):\n";
  for (const auto& file : advisor::sample_sweeps()) {
    const auto plan = advisor::expand_sweep(file.text, file.name);
    if (!plan) return report_failure(context, plan);
    context.out << fmt::format(
        "  {:<32} {}: {}\n", advisor::without_ending(file.name),
        plural(static_cast<long long>(plan->configurations.size()), "configuration"), plan->title);
  }
  return exit_ok;
}

// Most sweeps have a recorded profile of the same name: that is what people want to see, unless
// they ask for the sweep.
int show_sample(Context& context, const std::string& name, bool sweep) {
  if (sweep || !advisor::find_sample_profile(name)) {
    if (const auto text = advisor::find_sample_sweep(name)) {
      context.out << *text;
      return exit_ok;
    } else if (sweep) {
      return context.report(text.error());
    }
  }
  auto profile = advisor::load_profile("sample:" + name);
  if (!profile) return context.report(profile.error());
  const auto judging = prepare_judging({{}, {}, "never"});
  if (!judging) return report_failure(context, judging);
  return judge_and_report(context, *profile, *judging, {{{Format::text, {}}}, false});
}

int export_samples(Context& context, const std::string& folder, bool force) {
  for (const auto& [files, place] : {std::pair{advisor::sample_profiles(), "recorded"},
                                     std::pair{advisor::sample_sweeps(), "sweeps"}}) {
    for (const auto& file : files) {
      const auto path = fmt::format("{}/{}/{}", folder, place, file.name);
      if (auto writable = check_writable({path}, force, {}, true); !writable) {
        return context.report(writable.error());
      }
      if (auto written = write_file(path, file.text, {.make_folders = true}); !written) {
        return context.report(written.error());
      }
    }
  }
  context.note(fmt::format("wrote {} files below {}",
                           advisor::sample_profiles().size() + advisor::sample_sweeps().size(),
                           folder));
  return exit_ok;
}

}  // namespace

void add_samples(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, "samples", "Recorded profiles and sweeps that travel in the program",
                  "Examples:\n"
                  "  rnnadvisor samples list\n"
                  "  rnnadvisor samples show gnmt\n"
                  "  rnnadvisor samples export my-samples\n"
                  "\n"
                  "Wherever a command takes a profile or a sweep, sample:NAME is one of "
                  "these.");
  command->require_subcommand(1);
  add_command(*command, "list", "Name them", "")->callback([&context] {
    context.action = [&context] { return list_samples(context); };
  });

  auto name = std::make_shared<std::string>();
  auto* show = add_command(*command, "show", "Print the report on a profile, or a sweep file", "");
  auto* which = show->add_option("name", *name, "the sample")->required()->type_name("NAME");
  std::vector<std::string> names;
  for (const auto& file : advisor::sample_profiles())
    names.emplace_back(advisor::without_ending(file.name));
  for (const auto& file : advisor::sample_sweeps())
    names.emplace_back(advisor::without_ending(file.name));
  context.completions[which] = {Context::Completion::Kind::words, std::move(names)};
  auto sweep = std::make_shared<bool>(false);
  show->add_flag("--sweep", *sweep, "the sweep file, also when there is a profile of this name")
      ->group(group_output);
  show->callback([name, sweep, &context] {
    context.action = [name, sweep, &context] { return show_sample(context, *name, *sweep); };
  });

  auto folder = std::make_shared<std::string>("rnnadvisor-samples");
  auto force = std::make_shared<bool>(false);
  auto* exporting = add_command(*command, "export", "Write all of them as files", "");
  auto* where = exporting->add_option("folder", *folder, "where (default: rnnadvisor-samples)")
                    ->type_name("DIR");
  context.completions[where] = {Context::Completion::Kind::directory, {}};
  exporting->add_flag("--force", *force, "replace files that exist")->group(group_output);
  exporting->callback([folder, force, &context] {
    context.action = [folder, force, &context] { return export_samples(context, *folder, *force); };
  });
}

}  // namespace rnnadvisor::cli
