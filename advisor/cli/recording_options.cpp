#include "advisor/cli/recording_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>

#include "advisor/cli/command_line.h"
#include "advisor/cli/output.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "profiler/spool/plan.h"
#include "profiler/spool/settings.h"

namespace rnnadvisor::cli {
namespace {

Error wrong(std::string_view option, std::string_view value, std::string remedy) {
  return {ErrorCode::invalid_argument,
          fmt::format("{}: '{}' is not understood", option, to_valid_utf8(value)),
          std::move(remedy),
          std::nullopt,
          {}};
}

Result<std::string> read_range(const std::string& range, std::string_view option,
                               std::string_view otherwise) {
  if (range == otherwise) return std::string();
  if (range == "cuda-profiler-api" || range == "cudaProfilerApi") return "cuda-profiler-api";
  if (range.starts_with("nvtx:") && range.size() > 5 && range[5] != '@') return range;
  return fail(
      wrong(option, range,
            fmt::format("use {}, cuda-profiler-api, nvtx:NAME or nvtx:NAME@DOMAIN", otherwise)));
}

Result<std::vector<std::string>> read_trace(const std::string& text) {
  std::vector<std::string> kinds;
  if (text.empty()) return kinds;
  if (text == spool::trace_nothing) return std::vector{text};
  std::string_view rest = text;
  while (true) {
    const auto comma = rest.find(',');
    const auto kind = rest.substr(0, comma);
    const auto& words = spool::trace_words;
    if (std::find(words.begin(), words.end(), kind) == words.end()) {
      return fail(wrong(
          "--trace", kind,
          fmt::format("use {} or a list of {}", spool::trace_nothing, fmt::join(words, ", "))));
    }
    kinds.emplace_back(kind);
    if (comma == std::string_view::npos) return kinds;
    rest.remove_prefix(comma + 1);
  }
}

Result<std::int64_t> milliseconds(double seconds, std::string_view option) {
  // Written so that NaN is refused.
  if (!(seconds >= 0 && seconds <= 1e7)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} must be between 0 and 10000000 seconds", option));
  }
  const auto ms = static_cast<std::int64_t>(std::llround(seconds * 1e3));
  // 0 means none, so that what is asked for and rounds to it must not vanish.
  return seconds > 0 ? std::max<std::int64_t>(ms, 1) : ms;
}

}  // namespace

Result<std::int64_t> parse_size(std::string_view text, std::string_view option) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  int shift = 0;
  if (!unit.empty()) {
    const auto letter = std::string_view("KMGT").find(
        static_cast<char>(unit.front() >= 'a' ? unit.front() - 'a' + 'A' : unit.front()));
    const auto rest = unit.substr(1);
    if (letter == std::string_view::npos || (!rest.empty() && rest != "iB" && rest != "B"))
      shift = -1;
    else
      shift = 10 * (static_cast<int>(letter) + 1);
  }
  if (error != std::errc() || number < 1 || shift < 0 || number > (std::int64_t{1} << 50) >> shift)
    return fail(wrong(option, text, "write bytes, or a number with K, M, G or T: 64M"));
  return number << shift;
}

void add_recording_options(CLI::App& command, RecordingArguments& arguments, Context& context) {
  const auto option = [&](const char* name, auto& target, const char* description,
                          const char* type) {
    return command.add_option(name, target, description)->type_name(type)->group(group_recording);
  };
  auto* mode = option("--mode", arguments.mode,
                      "calls: RNN calls, their times and NVTX ranges, without CUPTI; kernels: also "
                      "kernels and copies; full: also CUDA API calls, memory and hardware counters "
                      "(default: kernels)",
                      "calls|kernels|full");
  context.completions[mode] = {Context::Completion::Kind::words, {"calls", "kernels", "full"}};
  auto* range = option("--capture-range", arguments.capture_range,
                       "record between cudaProfilerStart and cudaProfilerStop, or within the NVTX "
                       "ranges of this name (default: none, record all)",
                       "none|cuda-profiler-api|nvtx:NAME[@DOMAIN]");
  context.completions[range] = {Context::Completion::Kind::words,
                                {"none", "cuda-profiler-api", "nvtx:"}};
  option("--delay", arguments.delay_seconds, "begin this long after a process first uses CUDA",
         "SECONDS");
  option("--duration", arguments.duration_seconds,
         "record for this long; the program goes on without", "SECONDS");
  option("--skip", arguments.skip, "leave out the first N RNN calls of each process", "N");
  option("--iterations", arguments.iterations,
         "stop recording after N capture ranges, or without a range after N forward calls of the "
         "first configuration",
         "N");
  auto* trace = option("--trace", arguments.trace,
                       "what to record beside calls, kernels and NVTX ranges (default: transfers "
                       "in the mode kernels, all but driver calls in the mode full)",
                       "transfers,api,driver,memory,counters|none");
  context.completions[trace] = {Context::Completion::Kind::words,
                                {"none", "transfers", "api", "driver", "memory", "counters"}};
  option("--counter-interval", arguments.counter_interval_ms,
         "between two samples of the hardware counters (default: 1)", "MILLISECONDS");
  option("--counter-duration", arguments.counter_duration_seconds,
         "sample the hardware counters for this long from the first RNN call on; 0: to the end "
         "(default: 2)",
         "SECONDS");
  option("--buffer-size", arguments.buffer_size, "of each of CUPTI's buffers (default: 4M)",
         "SIZE");
  option("--max-size", arguments.max_size,
         "of the recording of each process; what does not fit is counted (default: 4G)", "SIZE");
  command
      .add_flag("--no-call-sites", arguments.no_call_sites,
                "do not look for the Python lines that lead to calls")
      ->group(group_recording);
  command
      .add_flag("--no-exceptions", arguments.no_exceptions,
                "do not keep the exception that ends a Python program; without this passwords, "
                "tokens and keys in it are replaced if recognised by name or form")
      ->group(group_recording);
  command
      .add_flag("--no-untraced-steps", arguments.no_untraced_steps,
                "trace kernels throughout (default: after the first ten, up to 64 steps are timed "
                "without tracing, which slows launches; their calls have no kernels)")
      ->group(group_recording);
}

void add_step_option(CLI::App& command, std::string& step, Context& context) {
  auto* option =
      command
          .add_option("--step", step,
                      "where a step of the program begins: at the forward pass after a backward "
                      "pass (calls, the default), at cudaProfilerStart, or at the NVTX range of "
                      "this name")
          ->type_name("calls|cuda-profiler-api|nvtx:NAME[@DOMAIN]")
          ->group(group_accelerating);
  context.completions[option] = {Context::Completion::Kind::words,
                                 {"calls", "cuda-profiler-api", "nvtx:"}};
}

Result<std::string> read_step(const std::string& step) {
  return read_range(step, "--step", "calls");
}

CLI::Option* add_allow_option(CLI::App& command, std::string& allow, const char* group,
                              Context& context) {
  return add_word_option(command, "--allow", allow,
                         "exact: another algorithm with the same types (default); numerics: also "
                         "float32 multiplied in half precision on tensor cores, where the program "
                         "permits TF32",
                         {"exact", "numerics"}, context)
      ->group(group);
}

void add_accelerate_options(CLI::App& command, AccelerateArguments& arguments, Context& context) {
  add_allow_option(command, arguments.allow, group_accelerating, context);
  command
      .add_option("--memory", arguments.memory,
                  "GPU memory that comparing and faster algorithms may use on top of the program's "
                  "(default: 2G, and for a comparison of results an eighth of what is free)")
      ->type_name("SIZE")
      ->group(group_accelerating);
  command
      .add_option("--budget", arguments.budget_seconds,
                  fmt::format("GPU time that comparing and measuring may add in each process; "
                              "after the first minute another 1 % of the time (default: {})",
                              command.get_name() == "try" ? "10" : "0.6"))
      ->type_name("SECONDS")
      ->group(group_accelerating);
  auto* plan = command
                   .add_option("--plan", arguments.plan,
                               "begin with the choices of this file, and add what is measured for "
                               "other calls (TOML; made where there is none); results of a choice "
                               "from the file are compared after 512 calls of its kind")
                   ->type_name("FILE")
                   ->group(group_accelerating);
  context.completions[plan] = {Context::Completion::Kind::file, {}};
  command
      .add_flag("--deterministic", arguments.deterministic,
                "time nothing: calls that the plan does not have keep the program's algorithm")
      ->group(group_accelerating);
}

Result<launch::Plan> read_plan_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return launch::Plan{};
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || std::filesystem::is_directory(path, error))
    return fail(ErrorCode::invalid_argument, fmt::format("cannot read the plan '{}'", path),
                "name a file");
  if (text.empty()) {
    return fail(ErrorCode::parse, fmt::format("the plan '{}' is empty", path),
                "remove the file: a run with --plan makes it");
  }
  return launch::read_plan(text, path);
}

Result<void> hand_over_plan(const launch::RecordingOptions& options, const std::string& folder) {
  if (!options.accelerate || options.accelerate->plan.empty()) return {};
  return write_file(folder + "/" + spool::plan_name, options.accelerate->plan);
}

Result<launch::AccelerateOptions> read_accelerate(const AccelerateArguments& arguments) {
  launch::AccelerateOptions options;
  options.numerics = arguments.allow == "numerics";
  if (!arguments.memory.empty()) {
    const auto bytes = parse_size(arguments.memory, "--memory");
    if (!bytes) return fail(bytes.error());
    options.memory_bytes = *bytes;
  }
  if (arguments.budget_seconds) {
    const auto ms = milliseconds(*arguments.budget_seconds, "--budget");
    if (!ms) return fail(ms.error());
    if (*ms == 0) {
      return fail(ErrorCode::invalid_argument, "--budget must be above 0: the choice is measured",
                  "to run without acceleration, set RNNADVISOR_ACCELERATE=0");
    }
    options.budget_ms = *ms;
  }
  if (arguments.deterministic && arguments.plan.empty()) {
    return fail(
        usage("--deterministic needs a plan: without one the choice is measured, and can "
              "differ from run to run",
              "make one first: rnnadvisor accelerate --plan FILE -- PROGRAM"));
  }
  if (!arguments.plan.empty()) {
    if (auto writable = check_writable({arguments.plan}, true, {});
        !writable && !arguments.deterministic)
      return fail(writable.error());
    const auto plan = read_plan_file(arguments.plan);
    if (!plan) return fail(plan.error());
    if (arguments.deterministic && plan->gpu.empty()) {
      return fail(ErrorCode::not_found, fmt::format("there is no plan '{}'", arguments.plan),
                  "make it first, without --deterministic");
    }
    if (!plan->gpu.empty() && plan->numerics != options.numerics) {
      const auto* of_plan = plan->numerics ? "numerics" : "exact";
      return fail(
          usage(fmt::format("the plan '{}' was made with --allow {}", arguments.plan, of_plan),
                fmt::format("use --allow {} with it, or another file", of_plan)));
    }
    options.plan_only = arguments.deterministic;
    if (!plan->gpu.empty()) options.plan = launch::plan_bytes(*plan);
  }
  return options;
}

void note_deterministic(const Context& context, const launch::Lookup& environment) {
  constexpr std::string_view deterministic = "CUBLAS_WORKSPACE_CONFIG";
  if (!environment(deterministic)) return;
  context.note(fmt::format(
      "{} is set, which asks for results that are equal in every run. A choice by "
      "timing can differ "
      "from run to run, so nothing is accelerated. Make a plan without the variable (--plan "
      "FILE) and use it with it, or unset the variable",
      deterministic));
}

void add_no_command_line(CLI::App& command, bool& wanted) {
  command
      .add_flag(
          "--no-command-line", wanted,
          "leave the command lines out of the profile; without this passwords, tokens and keys "
          "in them are replaced if recognised by name or form")
      ->group(group_recording);
}

Result<launch::RecordingOptions> read_recording(const RecordingArguments& arguments) {
  launch::RecordingOptions options;
  const auto& modes = spool::mode_words;
  const auto mode = std::find(modes.begin(), modes.end(), arguments.mode);
  if (mode == modes.end())
    return fail(wrong("--mode", arguments.mode, fmt::format("use {}", fmt::join(modes, ", "))));
  options.mode = static_cast<spool::Mode>(mode - modes.begin());
  auto capture = read_range(arguments.capture_range, "--capture-range", "none");
  if (!capture) return fail(std::move(capture.error()));
  options.capture = std::move(*capture);
  for (const auto& [seconds, target, name] :
       {std::tuple(arguments.delay_seconds, &options.delay_ms, "--delay"),
        {arguments.duration_seconds, &options.duration_ms, "--duration"}}) {
    const auto ms = milliseconds(seconds, name);
    if (!ms) return fail(ms.error());
    *target = *ms;
  }
  if (arguments.skip < 0) return fail(ErrorCode::invalid_argument, "--skip must not be negative");
  if (arguments.iterations < 0)
    return fail(ErrorCode::invalid_argument, "--iterations must not be negative");
  options.skip = arguments.skip;
  options.iterations = arguments.iterations;
  auto trace = read_trace(arguments.trace);
  if (!trace) return fail(std::move(trace.error()));
  options.trace = std::move(*trace);
  for (const auto& [text, target, name] :
       {std::tuple(&arguments.buffer_size, &options.buffer_bytes, "--buffer-size"),
        {&arguments.max_size, &options.max_bytes, "--max-size"}}) {
    if (text->empty()) continue;
    const auto bytes = parse_size(*text, name);
    if (!bytes) return fail(bytes.error());
    *target = *bytes;
  }
  // Written so that NaN is refused.
  if (arguments.counter_interval_ms != 0 &&
      !(arguments.counter_interval_ms >= 0.01 && arguments.counter_interval_ms <= 1000)) {
    return fail(ErrorCode::invalid_argument,
                "--counter-interval must be between 0.01 and 1000 milliseconds");
  }
  if (arguments.counter_duration_seconds) {
    const auto ms = milliseconds(*arguments.counter_duration_seconds, "--counter-duration");
    if (!ms) return fail(ms.error());
    options.counter_duration_ms = *ms;
  }
  options.counter_interval_us = std::llround(arguments.counter_interval_ms * 1e3);
  options.call_sites = !arguments.no_call_sites;
  options.exceptions = !arguments.no_exceptions;
  options.untraced_steps = !arguments.no_untraced_steps;
  return options;
}

Result<launch::Places> find_places(const Context& context, const launch::RecordingOptions& options,
                                   std::string spool) {
  launch::Places places;
  auto plugin = context.services.find_plugin();
  if (!plugin) return fail(std::move(plugin.error()));
  places.plugin = std::move(*plugin);
  places.spool = std::move(spool);
  if (options.mode != spool::Mode::calls) places.cupti = context.services.find_cupti();
  return places;
}

}  // namespace rnnadvisor::cli
