// rnnadvisor merge: puts the profiles of several runs into one file.
#include "profiler/merge/merge.h"

#include <fmt/format.h>

#include "advisor/cli/command_line.h"
#include "core/base/text.h"
#include "profiler/import/open_recording.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> files;
  std::string output;
  bool force = false;
};

int merge_command(Context& context, const MergeArguments& arguments) {
  if (auto writable = check_writable({arguments.output}, arguments.force, arguments.files);
      !writable) {
    return context.report(writable.error());
  }
  std::vector<Profile> profiles;
  std::vector<Error> errors;
  for (const auto& file : arguments.files) {
    if (auto profile = import_trace::open_recording(file)) {
      profiles.push_back(std::move(*profile));
    } else {
      errors.push_back(std::move(profile.error()));
    }
  }
  if (!errors.empty()) return context.report(std::span<const Error>(errors));
  const auto merged = merge_profiles(profiles);
  if (auto written = write_profile(merged.profile, arguments.output, arguments.force); !written) {
    return context.report(written.error());
  }
  if (merged.left_out > 0) {
    context.note(fmt::format(
        "{} left out: another file has the configuration finished on the same GPU model",
        plural(merged.left_out, "result was", "results were")));
  }
  if (const auto& apart = merged.apart) {
    context.note(fmt::format(
        "the files differ in the time of {}, most in {}: {} in {}, {} in {}. A difference of up to "
        "{:.2f} times between results of different files means nothing",
        apart->calls > 1 ? fmt::format("{} equal calls", apart->calls) : "an equal call",
        apart->call, format_milliseconds(apart->least_ms), arguments.files[apart->least_in],
        format_milliseconds(apart->most_ms), arguments.files[apart->most_in],
        apart->most_ms / apart->least_ms));
  }
  context.note(fmt::format(
      "wrote {} with {}", arguments.output,
      plural(static_cast<long long>(merged.profile.configurations.size()), "configuration")));
  return exit_ok;
}

}  // namespace

void add_merge(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "merge", "Put several profiles into one",
      "Examples:\n"
      "  rnnadvisor merge part-*.rnnprof -o whole.rnnprof\n"
      "\n"
      "Of a configuration that several files have for the same GPU model, the first that "
      "finished is kept; what was read out of programs is put together, as of the ranks of one. "
      "Where the files have clearly different times of the same call, a line on standard error "
      "says which and how far apart. The environment is that of the first file.");
  auto arguments = std::make_shared<MergeArguments>();
  auto* files = command->add_option("files", arguments->files, "the profiles to put together")
                    ->required()
                    ->type_name("FILE");
  context.completions[files] = {Context::Completion::Kind::profile, {}};
  add_path_option(*command, "-o,--output", arguments->output, "the profile to write", context)
      ->required();
  command->add_flag("--force", arguments->force, "replace a file that exists")->group(group_output);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return merge_command(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
