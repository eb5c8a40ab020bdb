#include "advisor/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "advisor/sweep/config_fields.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

constexpr auto exit_status_help =
    "Exit status: 0 fine; 1 findings at or above --fail-on, or configurations that did not run; 2 "
    "wrong usage or input; 3 the environment (no GPU, no library, disk full); 130 interrupted, "
    "with the results until then written.";

std::string upper(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return result;
}

// Every option can also be given as RNNADVISOR_<NAME>; the keys of a configuration cannot, because
// a configuration that depends on a forgotten variable is a trap; nor can the options of --verify,
// which are mistakes without it, and what rules validate draws and measures. RNNADVISOR_ACCELERATE…
// are the plugin's.
void name_environment(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const auto group = option->get_group();
    const bool key = group == group_configuration || group == group_framework ||
                     group == group_verifying || group == group_measuring ||
                     group == group_accelerating;
    if (key || option->get_lnames().empty()) continue;
    const auto& name = option->get_lnames().front();
    if (name == "help" || name == "help-all" || name == "version") continue;
    option->envname("RNNADVISOR_" + upper(name));
  }
  for (CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() != "worker") name_environment(*command);
  }
}

struct CommandSetup {
  std::string_view name;
  void (*add)(CLI::App& app, Context& context);
};

// In the order of the help.
constexpr CommandSetup command_setups[] = {
    {"check", add_check},     {"map", add_map},
    {"fit", add_fit},         {"run", add_run},
    {"sweep", add_sweep},     {"calibrate", add_calibrate},
    {"profile", add_profile}, {"accelerate", add_accelerate},
    {"try", add_try},         {"collect", add_collect},
    {"env", add_env},         {"import", add_import},
    {"merge", add_merge},     {"advise", add_advise},
    {"report", add_report},   {"compare", add_compare},
    {"export", add_export},   {"reproduce", add_reproduce},
    {"rules", add_rules},     {"samples", add_samples},
    {"doctor", add_doctor},   {"explain-error", add_explain_error},
    {"serve", add_serve},     {"completion", add_completion},
    {"version", add_version}, {"man", add_man},
    {"worker", add_worker},
};

}  // namespace

CLI::Option* add_repeatable(CLI::App& command, const std::string& name,
                            std::vector<std::string>& target, const std::string& description) {
  return command.add_option(name, target, description)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_rules_option(CLI::App& command, std::vector<std::string>& directories, Context& context) {
  directories = context.project.rules;
  auto* rules = add_repeatable(command, "--rules", directories,
                               "also the rule cards of this folder (repeatable)");
  rules->type_name("DIR")->group(group_judging);
  context.completions[rules] = {Context::Completion::Kind::directory, {}};
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& footer) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(footer);
  command->fallthrough();
  command->set_help_flag("-h,--help", "this help");
  return command;
}

std::unique_ptr<CLI::App> make_application(Context& context, std::string_view only) {
  auto app = std::make_unique<CLI::App>(
      "Says what is wrong with a cuDNN recurrent network on a GPU, and what to change.",
      "rnnadvisor");
  app->set_help_flag("-h,--help", "this help");
  app->set_help_all_flag("--help-all", "the help of a command with every option");
  app->set_version_flag("--version", "rnnadvisor " RNNADVISOR_VERSION, "the version");
  app->require_subcommand(1);
  app->add_flag("-q,--quiet", context.quiet, "no remarks and no progress on standard error")
      ->group(group_common);
  app->add_flag("--no-color", context.no_color, "no colour (so does the variable NO_COLOR)")
      ->group(group_common);
  app->add_flag("--no-progress", context.no_progress,
                "no progress line (there is none without a terminal either)")
      ->group(group_common);
  auto* progress =
      app->add_option("--progress", context.progress,
                      "auto: a line on a terminal; json: JSON Lines on standard error or in FILE, "
                      "for programs (default: auto)")
          ->type_name("auto|none|json[:FILE]")
          ->check([](const std::string& text) {
            const bool to_file =
                text.starts_with(progress_to_file) && text.size() > progress_to_file.size();
            return to_file || text == "auto" || text == "none" || text == "json"
                       ? std::string()
                       : "use auto, none, json or json:FILE";
          })
          ->group(group_common);
  context.completions[progress] = {Context::Completion::Kind::words, {"auto", "none", "json"}};
  app->footer(fmt::format(
      "Examples:\n"
      "  rnnadvisor check --cell lstm --hidden-size 1000 --batch-size 33 --data-type half\n"
      "  rnnadvisor run network.toml -o network.rnnprof\n"
      "  rnnadvisor report sample:gnmt -o gnmt.html\n"
      "\n"
      "Every option can be given as a variable too: --fail-on as RNNADVISOR_FAIL_ON.\n"
      "\n"
      "{}",
      exit_status_help));

  // Setting up the options of all commands takes longer than most commands do. The man page, which
  // is a command, shows them all.
  const auto known = [&](const CommandSetup& setup) { return setup.name == only; };
  const bool alone =
      only != "man" && std::any_of(std::begin(command_setups), std::end(command_setups), known);
  for (const auto& setup : command_setups) {
    if (!alone || known(setup)) setup.add(*app, context);
  }
  name_environment(*app);
  return app;
}

void add_configuration_options(CLI::App& command, ConfigurationOptions& options, Context& context) {
  options.note = [&context](const std::string& text) { context.note(text); };
  auto* files = command
                    .add_option("files", options.files,
                                "configurations: .toml, .jsonl or .json, - for JSON Lines on "
                                "standard input; or models: .onnx, .keras or .safetensors")
                    ->type_name("FILE");
  context.completions[files] = {Context::Completion::Kind::file, {}};
  for (const auto& field : advisor::config_field_infos()) {
    std::string name = "--" + (field.key == "framework.name" ? "framework" : field.key);
    std::replace(name.begin(), name.end(), '_', '-');
    if (field.key == "framework.name") name += ",--framework.name";
    auto* option = command
                       .add_option_function<std::string>(
                           name,
                           [&options, key = field.key](const std::string& value) {
                             options.flags.emplace_back(key, value);
                           },
                           field.meaning)
                       ->group(field.framework ? group_framework : group_configuration);
    switch (field.kind) {
      case advisor::FieldKind::text:
        option->type_name("TEXT");
        break;
      case advisor::FieldKind::integer:
        option->type_name("N");
        break;
      case advisor::FieldKind::real:
        option->type_name("X");
        break;
      case advisor::FieldKind::integer_list:
        option->type_name("N,N,...");
        break;
      case advisor::FieldKind::word:
      case advisor::FieldKind::boolean: {
        option->type_name(fmt::format("{}", fmt::join(field.words, "|")));
        context.completions[option] = {Context::Completion::Kind::words, field.words};
        break;
      }
    }
  }
}

void add_judging_options(CLI::App& command, JudgingOptions& options, Context& context,
                         const std::string& default_fail_on) {
  context.judging_commands.insert(&command);
  const ProjectFile& project = context.project;
  const std::string& fail_on_first = project.fail_on.empty() ? default_fail_on : project.fail_on;
  options.fail_on = fail_on_first;
  options.ignore = project.ignore;
  options.baseline = project.baseline;
  add_rules_option(command, options.rule_directories, context);
  auto* ignore = add_repeatable(command, "--ignore", options.ignore,
                                "leave a rule out, or with 'topic/' a topic (repeatable)")
                     ->type_name("ID")
                     ->group(group_judging);
  context.completions[ignore] = {Context::Completion::Kind::rules, {}};
  auto* fail_on =
      command
          .add_option(
              "--fail-on", options.fail_on,
              fmt::format("exit with 1 when a finding is at least this severe (default: {})",
                          fail_on_first))
          ->type_name("error|warning|opportunity|info|never")
          ->group(group_judging);
  context.completions[fail_on] = {Context::Completion::Kind::words,
                                  {"error", "warning", "opportunity", "info", "never"}};
  add_path_option(command, "--baseline", options.baseline,
                  "findings that are in this file do not count for --fail-on", context)
      ->group(group_judging);
  add_path_option(command, "--write-baseline", options.write_baseline,
                  "write all findings there as a baseline", context)
      ->group(group_judging);
  options.force = [force = command.get_option_no_throw("--force")] {
    return force != nullptr && force->count() > 0;
  };
}

void add_output_options(CLI::App& command, OutputOptions& options, Context& context,
                        const std::vector<std::string>& formats, bool output) {
  auto* format =
      add_repeatable(command, "-f,--format", options.formats,
                     fmt::format("{}; FORMAT:FILE writes it there (repeatable; default: {})",
                                 fmt::join(formats, ", "),
                                 output ? "by the ending of -o FILE, else text" : "text"));
  format->type_name("FORMAT[:FILE]")->group(group_output);
  context.completions[format] = {Context::Completion::Kind::words, formats};
  command.add_flag("--json", options.json, "the same as --format json")->group(group_output);
  if (output) {
    add_path_option(command, "-o,--output", options.output,
                    "write here instead of standard output; with several formats a "
                    "folder or a prefix",
                    context);
  }
  command.add_flag("--force", options.force, "replace files that exist")->group(group_output);
}

void add_report_options(CLI::App& command, OutputOptions& options, bool& verbose, Context& context,
                        bool output) {
  add_output_options(command, options, context, format_names(), output);
  command
      .add_flag("-v,--verbose", verbose, "text: also rules that passed or are unknown, all kernels")
      ->group(group_output);
}

CLI::Option* add_word_option(CLI::App& command, const std::string& name, std::string& target,
                             const std::string& description, std::vector<std::string> words,
                             Context& context) {
  auto* option = command.add_option(name, target, description);
  option->type_name(fmt::format("{}", fmt::join(words, "|")));
  option->check([words](const std::string& text) {
    return std::find(words.begin(), words.end(), text) != words.end()
               ? std::string()
               : fmt::format("'{}' is unknown: use {}", to_valid_utf8(text),
                             fmt::join(words, ", "));
  });
  context.completions[option] = {Context::Completion::Kind::words, std::move(words)};
  return option;
}

CLI::Option* add_path_option(CLI::App& command, const std::string& name, std::string& target,
                             const std::string& description, Context& context,
                             const std::string& type, Context::Completion::Kind kind) {
  auto* option = command.add_option(name, target, description)->type_name(type);
  context.completions[option] = {kind, {}};
  return option->group(group_output);
}

void add_device_option(CLI::App& command, std::string& device, Context& context) {
  context.judging_commands.insert(&command);
  device = context.project.device;
  auto* option = command
                     .add_option("--device", device,
                                 "judge for this GPU: a name such as a100, or a TOML description "
                                 "(default: the GPU of this machine, else nvidia-h200)")
                     ->type_name("NAME|FILE")
                     ->group(group_judging);
  std::vector<std::string> names;
  for (const auto& spec : shipped_devices()) names.push_back(spec.id);
  context.completions[option] = {Context::Completion::Kind::words, std::move(names)};
}

void add_profile_argument(CLI::App& command, std::string& profile, Context& context) {
  auto* option = command.add_option("profile", profile, "a .rnnprof file, or sample:NAME")
                     ->required()
                     ->type_name("PROFILE");
  context.completions[option] = {Context::Completion::Kind::profile, {}};
}

void add_run_options(CLI::App& command, RunArguments& arguments, Context& context) {
  auto& options = arguments.options;
  const auto number = [&](const char* name, auto& value, const char* type, const char* meaning) {
    add_number(command, name, value, type, group_running, meaning);
  };
  number("--devices", arguments.devices, "0,1,...|all", "GPUs to run on: their numbers, or all");
  number("--warmup", options.warmup, "N", "repetitions before the first sample");
  number("--min-repeats", options.min_repeats, "N", "samples of every phase at least");
  number("--max-repeats", options.max_repeats, "N", "and at most");
  number("--budget-seconds", options.budget_seconds, "S", "time for sampling one configuration");
  number("--target-interval", options.target_interval, "X",
         "stop when the 95 % interval of the median is this share of it");
  command.add_flag("--no-trace", arguments.no_trace, "no traced pass: times, but no kernels")
      ->group(group_running);
  command
      .add_flag("--no-time", arguments.no_time, "no timing: the kernels of one traced pass only")
      ->group(group_running);
  add_word_option(
      command, "--counters", arguments.counters,
      "hardware counters: auto reads them with the traced pass, where permitted (default: auto)",
      {"auto", "off", "required"}, context)
      ->group(group_running);
  command
      .add_flag("--correctness", options.correctness,
                "compare outputs and gradients with a float64 computation on the CPU (small sizes)")
      ->group(group_running);
  command
      .add_flag("--sizes-only", options.sizes_only,
                "ask cuDNN for descriptors and sizes, run nothing")
      ->group(group_running);
  number("--timeout-seconds", options.timeout_seconds, "S",
         "end a configuration that takes longer");
  number("--seed", options.seed, "N", "of the random inputs");
}

Result<std::vector<int>> parse_devices(std::string_view text, int gpu_count) {
  std::vector<int> devices;
  if (text == "all") {
    for (int i = 0; i < gpu_count; ++i) devices.push_back(i);
    if (devices.empty()) {
      return fail(ErrorCode::unsupported, "--devices all: this machine has no GPU that can be used",
                  "`rnnadvisor doctor` says why");
    }
    return devices;
  }
  const auto wrong = [&] {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--devices: '{}' is no list of GPU numbers", to_valid_utf8(text)),
                "write 0, or 0,1, or all");
  };
  while (true) {
    const auto comma = text.find(',');
    const auto part = text.substr(0, comma);
    int device = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), device);
    if (error != std::errc() || end != part.data() + part.size() || device < 0) return wrong();
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) return wrong();
    devices.push_back(device);
    if (comma == std::string_view::npos) return devices;
    text.remove_prefix(comma + 1);
  }
}

Result<RunRequest> make_run_request(const RunArguments& arguments, Context& context) {
  RunRequest request;
  request.options = arguments.options;
  request.options.trace = !arguments.no_trace;
  request.options.time = !arguments.no_time;
  request.command_line = context.command_line;
  const auto bad = [](std::string_view option, std::string_view what) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} must be {}", option, what));
  };
  const RunOptions& o = request.options;
  // Written so that NaN is refused.
  if (o.warmup < 0 || o.warmup > 100'000) return bad("--warmup", "between 0 and 100000");
  if (o.min_repeats < 1 || o.min_repeats > 1'000'000) {
    return bad("--min-repeats", "between 1 and 1000000");
  }
  if (o.max_repeats < o.min_repeats || o.max_repeats > 1'000'000) {
    return bad("--max-repeats", "between --min-repeats and 1000000");
  }
  if (!(o.budget_seconds >= 0 && o.budget_seconds <= 1e6)) {
    return bad("--budget-seconds", "between 0 and 1000000");
  }
  if (!(o.target_interval > 0 && o.target_interval <= 1)) {
    return bad("--target-interval", "above 0 and at most 1");
  }
  if (!(o.timeout_seconds > 0 && o.timeout_seconds <= 1e6)) {
    return bad("--timeout-seconds", "above 0 and at most 1000000");
  }
  request.options.counters = arguments.counters == "auto"  ? Counters::automatic
                             : arguments.counters == "off" ? Counters::off
                                                           : Counters::required;
  int gpus = 0;
  if (arguments.devices == "all") {
    const auto machine = context.services.inspect_machine();
    gpus = static_cast<int>(std::count_if(machine.gpus.begin(), machine.gpus.end(),
                                          [](const GpuState& gpu) { return gpu.usable; }));
  }
  auto devices = parse_devices(arguments.devices, gpus);
  if (!devices) return fail(std::move(devices.error()));
  request.devices = std::move(*devices);
  request.stop = context.services.watch_interrupts();
  return request;
}

}  // namespace rnnadvisor::cli
