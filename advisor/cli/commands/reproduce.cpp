// rnnadvisor reproduce: a recorded call as programs that make it again.
#include "advisor/reproduce/reproduce.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "advisor/cli/command_line.h"
#include "advisor/samples/samples.h"

namespace rnnadvisor::cli {
namespace {

struct ReproduceArguments {
  std::string profile, folder = ".", language = "both";
  advisor::WhatToReproduce what;
  bool force = false;
};

int reproduce_command(Context& context, const ReproduceArguments& arguments) {
  using advisor::ReproductionLanguage;
  auto profile = advisor::load_profile(arguments.profile);
  if (!profile) return context.report(profile.error());
  auto what = arguments.what;
  if (what.call < 0 && what.configuration < 0) {
    if (profile->configurations.size() != 1)
      return context.report(usage(
          fmt::format(
              "the profile has {}",
              plural(static_cast<long long>(profile->configurations.size()), "configuration")),
          "name one with --configuration N, or one of its calls with --call N"));
    what.configuration = 0;
  }
  const auto made = advisor::reproduce(*profile, what, arguments.profile);
  if (!made) return context.report(made.error());
  const bool cpp = arguments.language != "pytorch", pytorch = arguments.language != "cpp";
  if (!cpp && !made->no_pytorch.empty())
    return context.report(usage(made->no_pytorch, "write the C++ program: --language cpp"));
  std::vector<std::pair<std::string, std::string_view>> files;
  std::vector<std::string> paths;
  for (const auto& file : made->files) {
    if (!(file.language == ReproductionLanguage::cpp ? cpp : pytorch)) continue;
    paths.push_back((std::filesystem::path(arguments.folder) / file.name).string());
    files.emplace_back(paths.back(), file.text);
  }
  if (auto writable = check_writable(paths, arguments.force, {arguments.profile}, true); !writable)
    return context.report(writable.error());
  for (const auto& [path, text] : files) {
    if (auto written = write_file(path, text, {.make_folders = true}); !written)
      return context.report(written.error());
    context.note(fmt::format("wrote {}", path));
  }
  if (pytorch && !made->no_pytorch.empty())
    context.note(fmt::format("no PyTorch script: {}", made->no_pytorch));
  return exit_ok;
}

}  // namespace

void add_reproduce(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "reproduce", "Write programs that make a recorded RNN call again",
      "Examples:\n"
      "  rnnadvisor reproduce run.rnnprof --call 12 -o bug\n"
      "  rnnadvisor reproduce sample:gnmt --configuration 1 --language cpp\n"
      "\n"
      "For bug reports, and to find the version of cuDNN or PyTorch with which a call became slow "
      "or failed. The C++ program and, where PyTorch makes the same call, the PyTorch script need "
      "nothing of rnnadvisor; their first lines say how to run them, where the call is from and "
      "what was measured. --call takes the column `call` of `export -f calls-csv`, "
      "--configuration the `index` of a configuration in `report --json`, both from 0.");
  auto arguments = std::make_shared<ReproduceArguments>();
  add_profile_argument(*command, arguments->profile, context);
  auto* call = command->add_option("--call", arguments->what.call, "this call, and those before it")
                   ->check(CLI::Range(0, std::numeric_limits<int>::max()).description(""))
                   ->type_name("N");
  command
      ->add_option("--configuration", arguments->what.configuration,
                   "every phase of this configuration (default: the only one)")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()).description(""))
      ->type_name("N")
      ->excludes(call);
  add_word_option(*command, "--language", arguments->language, "what to write (default: both)",
                  {"cpp", "pytorch", "both"}, context)
      ->group(group_output);
  add_path_option(*command, "-o,--output", arguments->folder,
                  "the folder to write to (default: the current one)", context, "DIR",
                  Context::Completion::Kind::directory);
  command->add_flag("--force", arguments->force, "replace files that exist")->group(group_output);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return reproduce_command(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
