// rnnadvisor compare: what changed between two profiles of a program, and whether it is too much.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "advisor/cli/command_line.h"
#include "advisor/cli/judging.h"
#include "advisor/compare/comparison_words.h"
#include "advisor/compare/limit.h"
#include "advisor/report/render.h"
#include "advisor/report/words.h"
#include "advisor/samples/samples.h"

namespace rnnadvisor::cli {
namespace {

using Json = nlohmann::ordered_json;
using Verdict = compare::LimitResult::Verdict;

constexpr std::array<Format, 4> compare_formats = {Format::text, Format::markdown, Format::json,
                                                   Format::junit};

struct CompareArguments {
  std::string before, after;
  std::vector<std::string> limits;
  JudgingOptions judging;
  OutputOptions output;
  bool verbose = false;
};

// A limit as it was given, and what came of it.
struct Checked {
  std::string text;
  compare::LimitResult result;
};

// What is compared: the reports refer to the profiles and judgements.
struct Compared {
  const Profile before_profile, after_profile;
  const advisor::Judgement before_judgement, after_judgement;
  const advisor::Report before, after;
  const compare::Comparison comparison;

  Compared(Profile old_profile, Profile new_profile, const Judging& judging)
      : before_profile(std::move(old_profile)),
        after_profile(std::move(new_profile)),
        before_judgement(advisor::judge(before_profile, judging.rules, judging.options)),
        after_judgement(advisor::judge(after_profile, judging.rules, judging.options)),
        before(advisor::make_report(before_profile, before_judgement, judging.rules)),
        after(advisor::make_report(after_profile, after_judgement, judging.rules)),
        comparison(compare::compare(before, after)) {}
};

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kept:
      return "kept";
    case Verdict::exceeded:
      return "exceeded";
    case Verdict::noise:
      return "within noise";
    case Verdict::unknown:
      return "not known";
  }
  return "?";
}

bool fails(Verdict verdict) { return verdict == Verdict::exceeded || verdict == Verdict::unknown; }

std::string_view word(compare::Change change) {
  switch (change) {
    case compare::Change::faster:
      return "faster";
    case compare::Change::slower:
      return "slower";
    case compare::Change::no_difference:
      return "no_difference";
    case compare::Change::unclear:
      return "unclear";
    case compare::Change::only_before:
      return "only_before";
    case compare::Change::only_after:
      return "only_after";
  }
  return "?";
}

Json time_json(const MedianInterval& time) {
  if (time.count == 0) return nullptr;
  return {{"median_ms", time.median},
          {"low_ms", time.low},
          {"high_ms", time.high},
          {"samples", time.count}};
}

std::string write_json(const Compared& compared, const std::vector<Checked>& limits) {
  const auto& c = compared.comparison;
  Json document = {{"schema", 1}, {"headline", compare::headline_of(c)}, {"step", nullptr}};
  if (c.step)
    document["step"] = {{"range", c.step->name.empty() ? Json() : Json(c.step->name)},
                        {"before", time_json(c.step->before_ms)},
                        {"after", time_json(c.step->after_ms)},
                        {"change", word(c.step->change)}};
  document["parts"] = Json::array();
  for (const auto& part : c.parts)
    document["parts"].push_back(
        {{"name", part.name}, {"before_ms", part.before_ms}, {"after_ms", part.after_ms}});
  document["environment"] = c.environment;
  document["calls"] = Json::array();
  for (const auto& match : c.matches)
    document["calls"].push_back({{"configuration", match.name},
                                 {"phase", to_string(match.phase)},
                                 {"before", time_json(match.before_ms)},
                                 {"after", time_json(match.after_ms)},
                                 {"change", word(match.change)}});
  document["new_findings"] = c.appeared;
  document["fixed_findings"] = c.fixed;
  document["limits"] = Json::array();
  for (const auto& limit : limits)
    document["limits"].push_back({{"limit", limit.text},
                                  {"verdict", word(limit.result.verdict)},
                                  {"value", limit.result.value},
                                  {"reason", limit.result.reason}});
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// A case for each limit.
std::string write_junit(const Compared& compared, const std::vector<Checked>& limits) {
  const auto text = [](std::string_view plain) {
    return advisor::words::escape_markup(advisor::words::clean(plain));
  };
  const auto failures = std::count_if(
      limits.begin(), limits.end(), [](const Checked& each) { return fails(each.result.verdict); });
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"rnnadvisor compare\" tests=\"{0}\" failures=\"{1}\">\n"
      "  <testsuite name=\"{2}\" tests=\"{0}\" failures=\"{1}\" errors=\"0\" skipped=\"0\">\n",
      limits.size(), failures, text(compare::headline_of(compared.comparison)));
  for (const auto& limit : limits) {
    out += fmt::format("    <testcase classname=\"compare\" name=\"{}\">", text(limit.text));
    out +=
        fails(limit.result.verdict)
            ? fmt::format("\n      <failure message=\"{0}\">{0}</failure>\n    ",
                          text(limit.result.reason))
            : fmt::format("\n      <system-out>{}</system-out>\n    ", text(limit.result.reason));
    out += "</testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

advisor::document::Blocks blocks_of(const Compared& compared, const std::vector<Checked>& limits,
                                    bool verbose) {
  namespace document = advisor::document;
  auto blocks = compare::document_of(compared.comparison, compared.before, compared.after,
                                     verbose ? compared.comparison.matches.size() : 12);
  for (const auto& limit : limits) {
    const auto verdict = limit.result.verdict;
    blocks.push_back(document::Paragraph{
        .text = document::as_name(limit.text) +
                document::Text(fmt::format(": {}; {}.", word(verdict), limit.result.reason)),
        .label = "Limit",
        .mark = fails(verdict) ? document::Mark::error : document::Mark::fine});
  }
  return blocks;
}

std::string written(const Context& context, Format format, bool to_terminal,
                    const Compared& compared, const std::vector<Checked>& limits, bool verbose) {
  if (format == Format::json) return write_json(compared, limits);
  if (format == Format::junit) return write_junit(compared, limits);
  const auto blocks = blocks_of(compared, limits, verbose);
  if (format == Format::markdown) return advisor::document::markdown(blocks);
  advisor::TextOptions options;
  options.ascii = !context.terminal.utf8;
  if (to_terminal) {
    options.width = context.terminal.width;
    options.color = context.color_output();
  }
  advisor::Terminal terminal(options);
  draw(terminal, blocks);
  return terminal.take();
}

int compare_command(Context& context, const CompareArguments& arguments) {
  auto targets = resolve_outputs(arguments.output);
  if (!targets) return context.report(targets.error());
  for (const auto& target : *targets)
    if (std::find(compare_formats.begin(), compare_formats.end(), target.format) ==
        compare_formats.end())
      return context.report(
          usage(fmt::format("a comparison has no format {}", to_string(target.format)),
                "use text, markdown, json or junit"));
  std::vector<std::pair<std::string, compare::Limit>> limits;
  for (const auto& text : arguments.limits) {
    auto limit = compare::parse_limit(text);
    if (!limit) return context.report(limit.error());
    limits.emplace_back(text, *limit);
  }
  if (auto writable = check_writable(paths_of(*targets), arguments.output.force,
                                     {arguments.before, arguments.after});
      !writable)
    return context.report(writable.error());
  auto judging = prepare_judging(arguments.judging, context.services.predict_for);
  if (!judging) return report_failure(context, judging);
  auto before = advisor::load_profile(arguments.before);
  if (!before) return context.report(before.error());
  auto after = advisor::load_profile(arguments.after);
  if (!after) return context.report(after.error());
  const Compared compared(std::move(*before), std::move(*after), *judging);
  std::vector<Checked> checked;
  for (const auto& [text, limit] : limits)
    checked.push_back({text, compare::check(limit, compared.comparison)});
  for (const auto& target : *targets) {
    const std::string text =
        written(context, target.format, target.path.empty(), compared, checked, arguments.verbose);
    if (target.path.empty()) {
      context.out << text;
      context.out.flush();
      continue;
    }
    if (auto result = write_file(target.path, text); !result) return context.report(result.error());
    context.note(fmt::format("wrote {}", target.path));
  }
  return std::any_of(checked.begin(), checked.end(),
                     [](const Checked& each) { return fails(each.result.verdict); })
             ? exit_findings
             : exit_ok;
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "compare", "Say what changed between two profiles of a program",
      "Examples:\n"
      "  rnnadvisor compare before.rnnprof after.rnnprof\n"
      "  rnnadvisor compare main.rnnprof branch.rnnprof --fail-if 'step > 1.05' -f junit:cmp.xml\n"
      "  rnnadvisor compare main.rnnprof branch.rnnprof -f markdown   # for a pull request\n"
      "\n"
      "Whole steps first, as they were timed without tracing, then where their time went, the RNN "
      "calls matched one by one, what differs around the program, and findings that came or went. "
      "A change counts where the 95 % intervals of both medians do not overlap. --fail-if takes "
      "'step > RATIO', 'calls > RATIO' and 'findings > COUNT': the exit status is 1 where one is "
      "exceeded by more than noise, and also where the profiles do not tell.");
  auto arguments = std::make_shared<CompareArguments>();
  arguments->judging.fail_on = "never";
  for (const auto& [name, target, description] :
       {std::tuple{"before", &arguments->before, "the profile to compare with"},
        std::tuple{"after", &arguments->after, "the profile that may have changed"}}) {
    auto* option =
        command->add_option(name, *target, description)->required()->type_name("PROFILE");
    context.completions[option] = {Context::Completion::Kind::profile, {}};
  }
  add_repeatable(*command, "--fail-if", arguments->limits,
                 "what must not be exceeded: 'step > 1.05' (repeatable)")
      ->type_name("LIMIT")
      ->group(group_judging);
  std::vector<std::string> formats;
  for (const auto each : compare_formats) formats.emplace_back(to_string(each));
  add_output_options(*command, arguments->output, context, formats, true);
  command->add_flag("-v,--verbose", arguments->verbose, "all RNN calls")->group(group_output);
  add_rules_option(*command, arguments->judging.rule_directories, context);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return compare_command(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
