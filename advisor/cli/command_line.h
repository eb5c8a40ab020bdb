// Groups of options that several commands share, and the whole application. Only files that parse
// include CLI11.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/cli/configurations.h"
#include "advisor/cli/context.h"
#include "advisor/cli/judging.h"
#include "advisor/cli/output.h"
#include "core/cudnn/run_options.h"

namespace rnnadvisor::cli {

// Groups of options in help and man page, in this order.
inline constexpr auto group_output = "Output";
inline constexpr auto group_judging = "Judging";
inline constexpr auto group_verifying = "Trying suggestions";
inline constexpr auto group_measuring = "Measuring";
inline constexpr auto group_running = "Running";
inline constexpr auto group_configuration = "Configuration";
inline constexpr auto group_framework = "Program around the configuration";
inline constexpr auto group_accelerating = "Accelerating";
inline constexpr auto group_common = "Common";

// The application; the action of the chosen command is left in the context. Where `only` is the
// name of a command it has that one alone, which saves most of the time that a short command takes;
// else it has every command.
std::unique_ptr<CLI::App> make_application(Context& context, std::string_view only = {});

// A command with its help: one line, and examples that stand at the end of its help and in the man
// page.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& footer);

CLI::Option* add_repeatable(CLI::App& command, const std::string& name,
                            std::vector<std::string>& target, const std::string& description);
// A number, with its default in the help.
template <class T>
CLI::Option* add_number(CLI::App& command, const std::string& name, T& number,
                        const std::string& type, const std::string& group,
                        const std::string& meaning) {
  return command.add_option(name, number, fmt::format("{} (default: {})", meaning, number))
      ->type_name(type)
      ->group(group);
}
void add_rules_option(CLI::App& command, std::vector<std::string>& directories, Context& context);
void add_configuration_options(CLI::App& command, ConfigurationOptions& options, Context& context);
void add_judging_options(CLI::App& command, JudgingOptions& options, Context& context,
                         const std::string& default_fail_on);
// --format with these formats, --json, --force; with `output` also -o.
void add_output_options(CLI::App& command, OutputOptions& options, Context& context,
                        const std::vector<std::string>& formats, bool output);
// The same with every format, and --verbose.
void add_report_options(CLI::App& command, OutputOptions& options, bool& verbose, Context& context,
                        bool output);
// One of `words`, which are what a shell completes.
CLI::Option* add_word_option(CLI::App& command, const std::string& name, std::string& target,
                             const std::string& description, std::vector<std::string> words,
                             Context& context);
// A path that the shell completes as such a one; in the group of output.
CLI::Option* add_path_option(CLI::App& command, const std::string& name, std::string& target,
                             const std::string& description, Context& context,
                             const std::string& type = "FILE",
                             Context::Completion::Kind kind = Context::Completion::Kind::file);
void add_device_option(CLI::App& command, std::string& device, Context& context);
void add_profile_argument(CLI::App& command, std::string& profile, Context& context);

struct RunArguments {
  RunOptions options;
  bool no_trace = false;
  bool no_time = false;
  std::string counters = "auto";
  std::string devices = "0";
};
void add_run_options(CLI::App& command, RunArguments& arguments, Context& context);
// The options with their words read; the devices are those of this machine for "all".
Result<RunRequest> make_run_request(const RunArguments& arguments, Context& context);
// "0,2" or "all" with `gpu_count` GPUs.
Result<std::vector<int>> parse_devices(std::string_view text, int gpu_count);

// What `version --json` prints.
std::string version_json();

// Prints all errors; the exit status of the worst.
template <class T>
int report_failure(const Context& context, const tl::expected<T, std::vector<Error>>& result) {
  return context.report(std::span<const Error>(result.error()));
}

}  // namespace rnnadvisor::cli
