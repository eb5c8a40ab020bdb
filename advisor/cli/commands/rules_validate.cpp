// rnnadvisor rules validate: what rules claim, held against measurement.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "advisor/change/in_words.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/configurations.h"
#include "advisor/cli/gpu_choice.h"
#include "advisor/cli/help.h"
#include "advisor/cli/judging.h"
#include "advisor/cli/progress.h"
#include "advisor/facts/experiments.h"
#include "advisor/report/terminal.h"
#include "advisor/report/words.h"
#include "advisor/rules/rule_files.h"
#include "advisor/samples/samples.h"
#include "advisor/validate/agreement_report.h"
#include "advisor/validate/measure.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "profiler/profile/environment.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

namespace words = advisor::words;
using NotSampled = std::vector<std::pair<std::string, std::string>>;

struct RulesValidateArguments {
  std::string profile;                   // with pairs that were measured; empty: measure
  std::vector<std::string> directories;  // cards of the user
  std::vector<std::string> rules;        // ids, or prefixes that end with '/'; empty: all
  int firing = 16, silent = 8;
  double budget_seconds = 600;
  unsigned long long seed = 1;
  int device = 0;
  bool dry_run = false, verbose = false;
  std::string format = "text";
  std::string output = "rules-validate.rnnprof";
  std::string record;
  bool force = false;
};

// Those that were asked for.
Result<std::vector<const advisor::Rule*>> wanted(const RulesValidateArguments& arguments,
                                                 const advisor::RuleSet& rules) {
  std::vector<const advisor::Rule*> list;
  for (const auto& rule : rules.rules) {
    const bool named =
        std::any_of(arguments.rules.begin(), arguments.rules.end(), [&](const std::string& name) {
          return rule.id == name || (name.ends_with('/') && rule.id.starts_with(name));
        });
    if (arguments.rules.empty() || named) list.push_back(&rule);
  }
  for (const auto& name : arguments.rules) {
    const bool found = std::any_of(list.begin(), list.end(), [&](const advisor::Rule* rule) {
      return rule->id == name || (name.ends_with('/') && rule->id.starts_with(name));
    });
    if (!found) return fail(advisor::unknown_rule(rules, name));
  }
  return list;
}

std::vector<advisor::RuleSample> samples_of(const Context& context,
                                            const std::vector<const advisor::Rule*>& rules,
                                            const DeviceSpec& device,
                                            const Environment& environment,
                                            const RulesValidateArguments& arguments) {
  advisor::SampleOptions options;
  options.firing = arguments.firing;
  options.silent = arguments.silent;
  options.seed = arguments.seed;
  std::vector<advisor::RuleSample> samples(rules.size());
  Progress progress(context, static_cast<int>(rules.size()));
  const auto caller = std::this_thread::get_id();
  std::atomic<int> finished = 0;
  const auto start = std::chrono::steady_clock::now();
  bool told = context.terminal.error_is_terminal;  // the line of progress tells
  for_pieces(rules.size(), 1, [&](std::size_t at, std::size_t) {
    if (std::this_thread::get_id() == caller) {
      progress.show(finished, "drawing configurations for " + rules[at]->id);
      if (!told && std::chrono::steady_clock::now() - start > std::chrono::seconds(2)) {
        told = true;
        context.note(fmt::format("drew configurations for {} of {} rules; the others follow",
                                 finished.load(), rules.size()));
      }
    }
    samples[at] = advisor::sample_pairs(*rules[at], device, environment, options);
    ++finished;
  });
  return samples;
}

std::size_t firing_pairs(const advisor::RuleSample& sample) {
  return static_cast<std::size_t>(std::count_if(sample.pairs.begin(), sample.pairs.end(),
                                                [](const auto& pair) { return pair.fires; }));
}

// Every pair, for --verbose.
std::string all_pairs(const std::vector<advisor::RuleSample>& samples) {
  std::string text;
  for (const auto& sample : samples) {
    const auto fires = firing_pairs(sample);
    text += fmt::format("{}: {} where it fires, {} where it does not{}\n", sample.rule,
                        words::plural(static_cast<long long>(fires), "pair"),
                        sample.pairs.size() - fires,
                        sample.why_fewer.empty() ? "" : "; " + sample.why_fewer);
    for (const auto& pair : sample.pairs) {
      text += fmt::format("  {} {}; {}\n", pair.fires ? "fires " : "silent",
                          summary(pair.before.config),
                          advisor::change_in_words(advisor::to_json(pair.candidate.transforms)));
    }
  }
  return text;
}

// A line for each topic of rules, and why others have no pairs, counted.
std::string counted_pairs(const Context& context, const std::vector<advisor::RuleSample>& samples) {
  struct Topic {
    std::size_t rules = 0, without = 0, fires = 0, silent = 0;
  };
  std::map<std::string, Topic> topics;
  std::map<std::string, std::size_t> reasons;
  for (const auto& sample : samples) {
    auto& topic = topics[sample.rule.substr(0, sample.rule.find('/'))];
    ++(sample.pairs.empty() ? topic.without : topic.rules);
    topic.fires += firing_pairs(sample);
    topic.silent += sample.pairs.size() - firing_pairs(sample);
    // What follows the colon or stands in brackets is of the one rule.
    if (sample.pairs.empty() && !sample.why_fewer.empty())
      ++reasons[sample.why_fewer.substr(
          0, std::min(sample.why_fewer.find(" ("), sample.why_fewer.find(": ")))];
  }
  advisor::TextOptions options;
  options.width = context.terminal.width;
  options.color = context.color_output();
  options.ascii = !context.terminal.utf8;
  advisor::Terminal terminal(options);
  std::vector<std::vector<advisor::Cell>> rows;
  const auto number = [&](std::size_t count) {
    return count > 0 ? fmt::format("{}", count) : std::string(terminal.symbol("–", "-"));
  };
  for (const auto& [name, topic] : topics)
    rows.push_back({{name},
                    {number(topic.rules)},
                    {number(topic.fires)},
                    {number(topic.silent)},
                    {number(topic.without)}});
  terminal.table({{"Rules on"},
                  {"Rules", true},
                  {"Pairs that fire", true},
                  {"Pairs that do not", true},
                  {"Rules without pairs", true}},
                 std::move(rows));
  if (reasons.empty()) return terminal.take();
  rows.clear();
  std::vector<std::pair<std::string, std::size_t>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [reason, count] : sorted) rows.push_back({{fmt::format("{}", count)}, {reason}});
  terminal.line();
  terminal.table({{"Rules", true}, {"Without pairs, because", false, advisor::Fit::wrap, 40}},
                 std::move(rows));
  return terminal.take();
}

// What would be measured; without a GPU as on the one whose limits are known best.
int list_pairs(const Context& context, const std::vector<const advisor::Rule*>& rules,
               const RulesValidateArguments& arguments) {
  auto device = choose_device(context, {});
  if (!device) return context.report(device.error());
  Environment environment =
      describe_machine(context.command_line, context.services.inspect_machine());
  if (environment.cudnn_version.empty()) {
    environment.cudnn_version = "9.19.0";
    context.note("no cuDNN was found here: rules are judged as with 9.19.0");
  }
  const auto samples = samples_of(context, rules, *device, environment, arguments);
  std::size_t total = 0;
  for (const auto& sample : samples) total += sample.pairs.size();
  // Few rules are read one by one.
  const bool all = arguments.verbose || samples.size() <= 2;
  context.out << (all ? all_pairs(samples) : counted_pairs(context, samples))
              << fmt::format("{}{} would be measured on {}{}\n", all ? "" : "\n",
                             words::plural(static_cast<long long>(total), "pair"), device->name,
                             all ? "" : "; --verbose lists each");
  return exit_ok;
}

// Those that a profile has no pair of. Nothing is drawn again.
NotSampled without_pairs(const std::vector<const advisor::Rule*>& rules,
                         const std::vector<advisor::RuleAgreement>& agreements) {
  NotSampled list;
  for (const auto* rule : rules) {
    const bool has = std::any_of(agreements.begin(), agreements.end(),
                                 [&](const auto& agreement) { return agreement.rule == rule->id; });
    if (has) continue;
    const auto why = advisor::cannot_be_sampled(*rule);
    list.emplace_back(rule->id, !why.empty()
                                    ? why
                                    : "no pair of it is in this profile: no configuration that was "
                                      "drawn fires it here with a change that can be tried, or it "
                                      "or its suggestion came later");
  }
  return list;
}

struct Measured {
  Profile profile;
  int status = exit_ok;
};

Result<Measured> measure(const Context& context, const std::vector<const advisor::Rule*>& rules,
                         const RulesValidateArguments& arguments, NotSampled& not_sampled) {
  const auto device = gpu_for(
      context, arguments.device, "`rules validate`",
      "--dry-run says what would be measured, and a profile that was measured can be named");
  if (!device) return fail(device.error());
  const Environment environment =
      describe_machine(context.command_line, context.services.inspect_machine());
  auto samples = samples_of(context, rules, *device, environment, arguments);
  std::erase_if(samples, [&](const advisor::RuleSample& sample) {
    if (sample.pairs.empty()) not_sampled.emplace_back(sample.rule, sample.why_fewer);
    return sample.pairs.empty();
  });
  std::size_t total = 0;
  for (const auto& sample : samples) total += sample.pairs.size();

  advisor::MeasureOptions options;
  options.budget_seconds = arguments.budget_seconds;
  options.seed = arguments.seed;
  options.stop = context.services.watch_interrupts();
  const auto experimenter = [&](const ExperimentRequest& request) {
    return context.services.run_experiment(request, arguments.device, options.stop);
  };
  bool saved = false;
  auto result = [&] {
    Progress progress(context, static_cast<int>(total));
    options.on_progress = [&](const advisor::MeasureProgress& state) {
      progress.show(static_cast<int>(state.finished), state.rule);
    };
    // A failure to write is reported at the end; an obstacle on the way may be gone by then.
    options.on_partial = [&](const Profile& profile) {
      if (write_profile(profile, arguments.output, arguments.force || saved)) saved = true;
    };
    return advisor::measure_pairs(samples, *device, environment, experimenter, options);
  }();
  if (result.error && result.profile.experiments.empty()) return fail(*result.error);
  Measured measured{std::move(result.profile), result.interrupted ? exit_interrupted : exit_ok};
  if (result.error) measured.status = context.report(*result.error);
  if (result.left_out > 0) {
    context.note(fmt::format(
        "{} of {} not reached in {}; a longer --budget or --rule measures the rest",
        result.left_out, words::plural(static_cast<long long>(total), "pair was", "pairs were"),
        format_duration(result.seconds)));
  }
  if (auto written = write_profile(measured.profile, arguments.output, arguments.force || saved);
      !written)
    return fail(written.error());
  context.note(fmt::format("wrote {}", arguments.output));
  return measured;
}

int validate(const Context& context, const RulesValidateArguments& arguments) {
  const auto rules = advisor::load_rules(arguments.directories);
  if (!rules) return context.report(std::span<const Error>(rules.error()));
  const auto chosen = wanted(arguments, *rules);
  if (!chosen) return context.report(chosen.error());
  if (!(arguments.budget_seconds > 0))
    return context.report(
        usage("--budget must be more than 0 seconds", "leave it out for 600 seconds"));
  if (arguments.dry_run && !arguments.profile.empty()) {
    return context.report(usage("--dry-run lists what would be measured, and a profile was named",
                                "leave one of them out"));
  }
  if (arguments.dry_run && arguments.format != "text") {
    return context.report(
        usage("--dry-run writes text only, and --format names another", "leave --format out"));
  }
  if (arguments.dry_run) return list_pairs(context, *chosen, arguments);
  if (!arguments.record.empty()) {
    if (auto writable = check_writable({arguments.record}, arguments.force, {arguments.profile});
        !writable)
      return context.report(writable.error());
  }

  NotSampled not_sampled;
  Measured measured;
  std::string file = arguments.profile;
  if (file.empty()) {
    if (auto writable = check_writable({arguments.output}, arguments.force, {}); !writable)
      return context.report(writable.error());
    auto made = measure(context, *chosen, arguments, not_sampled);
    if (!made) return context.report(made.error());
    measured = std::move(*made);
    file = arguments.output;
  } else {
    auto read = advisor::load_profile(file);
    if (!read) return context.report(read.error());
    measured.profile = std::move(*read);
  }

  auto agreements = advisor::agreement_of(measured.profile, *rules);
  std::erase_if(agreements, [&](const advisor::RuleAgreement& agreement) {
    return std::none_of(chosen->begin(), chosen->end(),
                        [&](const auto* rule) { return rule->id == agreement.rule; });
  });
  // On a terminal a hundred lines of them would hide what was measured.
  if (!arguments.profile.empty() && arguments.format != "text")
    not_sampled = without_pairs(*chosen, agreements);
  const advisor::AgreementReport report{measured.profile, *rules, agreements, file, not_sampled};
  if (agreements.empty())
    context.note(fmt::format("{} has no pair of a rule that was asked for", file));
  if (arguments.format == "json") {
    context.out << advisor::agreement_json(report);
  } else if (arguments.format == "markdown") {
    context.out << advisor::agreement_markdown(report);
  } else {
    context.out << advisor::agreement_text(report);
  }
  if (!arguments.record.empty()) {
    const auto record = advisor::validation_of(report);
    if (!record) return context.report(record.error());
    if (auto written = write_file(arguments.record, advisor::write_validation(*record)); !written)
      return context.report(written.error());
    context.note(fmt::format("wrote {}", arguments.record));
  }
  return measured.status;
}

}  // namespace

void add_rules_validate(CLI::App& rules, Context& context) {
  auto* command =
      add_command(rules, "validate", "Measure whether what the rules say is true on this GPU",
                  "Examples:\n"
                  "  rnnadvisor rules validate -o h100.rnnprof --record h100.json\n"
                  "  rnnadvisor rules validate --rule persistence/ --pairs 32\n"
                  "  rnnadvisor rules validate h100.rnnprof --format markdown\n"
                  "\n"
                  "Configurations on both sides of each rule's boundary are drawn at random, and "
                  "measured as they are and with the "
                  "change that the rule suggests. A profile that was measured before is read again "
                  "on any machine.");
  auto arguments = std::make_shared<RulesValidateArguments>();
  auto* profile = command
                      ->add_option("profile", arguments->profile,
                                   "a profile that this command wrote (default: measure)")
                      ->type_name("PROFILE");
  context.completions[profile] = {Context::Completion::Kind::profile, {}};
  auto* rule = add_repeatable(*command, "--rule", arguments->rules,
                              "only this rule, or those below TOPIC/ (repeatable)");
  rule->type_name("ID")->group(group_measuring);
  context.completions[rule] = {Context::Completion::Kind::rules, {}};
  add_rules_option(*command, arguments->directories, context);
  const auto number = [&](const char* name, auto& value, const char* type, const char* meaning) {
    return add_number(*command, name, value, type, group_measuring, meaning);
  };
  number("--pairs", arguments->firing, "N", "pairs of each rule where it fires")
      ->check(CLI::Range(1, 10000).description(""));
  number("--silent-pairs", arguments->silent, "N", "pairs of each rule where it is silent")
      ->check(CLI::Range(0, 10000).description(""));
  number("--seed", arguments->seed, "N", "of the draw");
  number("--budget", arguments->budget_seconds, "SECONDS", "seconds for all of it");
  number("--device", arguments->device, "N", "CUDA ordinal of the GPU")
      ->check(CLI::NonNegativeNumber.description(""));
  command->add_flag("--dry-run", arguments->dry_run, "only say which pairs would be measured")
      ->group(group_measuring);
  command
      ->add_flag("-v,--verbose", arguments->verbose, "with --dry-run: every pair, not their number")
      ->group(group_output);
  add_word_option(*command, "--format", arguments->format, "text, markdown or json (default: text)",
                  {"text", "markdown", "json"}, context)
      ->group(group_output);
  add_path_option(*command, "-o,--output", arguments->output,
                  "the profile to write (default: rules-validate.rnnprof)", context);
  add_path_option(*command, "--record", arguments->record,
                  "also the counts as they travel beside the cards, as JSON", context);
  command->add_flag("--force", arguments->force, "replace files that exist")->group(group_output);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return validate(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
