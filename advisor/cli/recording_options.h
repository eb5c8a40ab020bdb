// The options that say what the plugin records: shared by `profile`, which starts a program, and
// `env`, which prepares a shell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/cli/context.h"
#include "profiler/launch/attachment.h"
#include "profiler/launch/plan.h"

namespace rnnadvisor::cli {

struct RecordingArguments {
  std::string mode = "kernels", capture_range = "none";
  double delay_seconds = 0, duration_seconds = 0, counter_interval_ms = 0;
  std::optional<double> counter_duration_seconds;
  std::int64_t skip = 0, iterations = 0;
  std::string trace, buffer_size, max_size;
  bool no_call_sites = false, no_exceptions = false, no_untraced_steps = false;
};

inline constexpr auto group_recording = "Recording";

// What `accelerate` may use.
struct AccelerateArguments {
  std::string memory;
  std::optional<double> budget_seconds;
  std::string allow = "exact", plan;
  bool deterministic = false;
};
// Of `try`, by default: whole steps to time (twelve in each of the plugin's thirteen
// blocks, or of its 25 where changes of layers are timed), and GPU time, because the program runs
// to be measured.
inline constexpr int default_try_steps = 156, default_try_steps_of_several = 300;
inline constexpr std::int64_t default_try_budget_ms = 10'000;
// --allow
CLI::Option* add_allow_option(CLI::App& command, std::string& allow, const char* group,
                              Context& context);
// --allow, --memory, --budget, --plan and --deterministic
void add_accelerate_options(CLI::App& command, AccelerateArguments& arguments, Context& context);
Result<launch::AccelerateOptions> read_accelerate(const AccelerateArguments& arguments);
// The plan of a file; an empty one where there is no such file.
Result<launch::Plan> read_plan_file(const std::string& path);
// Writes the plan to where attach() tells the plugin that it is.
Result<void> hand_over_plan(const launch::RecordingOptions& options, const std::string& folder);
// --step: where a step of the program begins, for RecordingOptions::capture.
void add_step_option(CLI::App& command, std::string& step, Context& context);
Result<std::string> read_step(const std::string& step);
// The environment asks for results that are equal in every run, so that nothing is accelerated:
// said in a note.
void note_deterministic(const Context& context, const launch::Lookup& environment);

void add_recording_options(CLI::App& command, RecordingArguments& arguments, Context& context);

// --no-command-line, of those who write the profile.
void add_no_command_line(CLI::App& command, bool& wanted);

// The options with their words read; every mistake names its option.
Result<launch::RecordingOptions> read_recording(const RecordingArguments& arguments);

// "65536", "64K", "8M", "4G": powers of two. The name stands in errors.
Result<std::int64_t> parse_size(std::string_view text, std::string_view option);

// The plugin and CUPTI as they are found here; `spool` is the folder.
Result<launch::Places> find_places(const Context& context, const launch::RecordingOptions& options,
                                   std::string spool);

}  // namespace rnnadvisor::cli
