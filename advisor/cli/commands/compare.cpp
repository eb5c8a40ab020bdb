// rnnadvisor compare: what changed between two profiles of a program, and whether it is too much.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "advisor/cli/command_line.h"
#include "advisor/cli/judging.h"
#include "advisor/compare/comparison_words.h"
#include "advisor/compare/history.h"
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
  std::vector<std::string> profiles;
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

// A recording with its report, which refers to it.
struct Judged {
  const std::string path;
  const Profile profile;
  const advisor::Judgement judgement;
  const advisor::Report report;

  Judged(std::string name, Profile recording, const Judging& judging)
      : path(std::move(name)),
        profile(std::move(recording)),
        judgement(advisor::judge(profile, judging.rules, judging.options)),
        report(advisor::make_report(profile, judgement, judging.rules)) {}
  Judged(const Judged&) = delete;
  Judged& operator=(const Judged&) = delete;
};

// The last two recordings and what changed between them; of all of them their steps.
struct Compared {
  std::unique_ptr<const Judged> before, after;
  std::vector<compare::Recorded> rows;
  compare::Comparison comparison;
};

// A folder stands for the profiles in it, in the order of their recording.
Result<std::vector<std::string>> recordings_of(const std::vector<std::string>& given) {
  std::vector<std::string> paths;
  for (const auto& path : given) {
    std::error_code error;
    std::vector<std::string> inside;
    if (std::error_code none; std::filesystem::is_directory(path, none))
      for (std::filesystem::directory_iterator file(path, error), end; !error && file != end;
           file.increment(error))
        if (file->path().extension() == ".rnnprof") inside.push_back(file->path().string());
    if (error)
      return fail(ErrorCode::io,
                  fmt::format("cannot read the folder {}: {}", path, error.message()),
                  "check its permissions");
    std::sort(inside.begin(), inside.end());
    if (inside.empty()) inside.push_back(path);
    paths.insert(paths.end(), inside.begin(), inside.end());
  }
  if (paths.size() < 2)
    return tl::unexpected(
        usage("one recording alone cannot be compared",
              "name two recordings, or a folder with several .rnnprof files; a folder with the "
              "traces of several ranks is one recording, and the ranks are compared by naming two "
              "of its files"));
  return paths;
}

// All are of one program: read one after the other, and two of them kept.
Result<Compared> compare_all(const std::vector<std::string>& paths, bool by_time,
                             const Judging& judging) {
  struct Row {
    compare::Recorded recorded;
    Environment environment;
    std::string path;
  };
  std::vector<Row> rows;
  Compared all;
  const auto read = [&](const std::string& path) -> Result<std::unique_ptr<const Judged>> {
    auto profile = advisor::load_profile(path);
    if (!profile) return tl::unexpected(profile.error());
    return std::make_unique<const Judged>(path, std::move(*profile), judging);
  };
  for (const auto& path : paths) {
    auto one = read(path);
    if (!one) return tl::unexpected(one.error());
    rows.push_back(
        {compare::recorded(std::filesystem::path(path).filename().string(), (*one)->report),
         (*one)->profile.environment, path});
    all.before = std::move(all.after);
    all.after = std::move(*one);
  }
  if (by_time)
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.recorded.created < b.recorded.created;
    });
  for (auto [which, side] :
       {std::pair{rows.size() - 2, &all.before}, {rows.size() - 1, &all.after}}) {
    if ((*side)->path == rows[which].path) continue;
    auto one = read(rows[which].path);
    if (!one) return tl::unexpected(one.error());
    *side = std::move(*one);
  }
  std::vector<Environment> environments;
  for (auto& row : rows) {
    all.rows.push_back(std::move(row.recorded));
    environments.push_back(std::move(row.environment));
  }
  compare::tell_changes(all.rows, environments);
  all.comparison = compare::compare(all.before->report, all.after->report);
  compare::widen_baseline(all.comparison, all.rows, all.before->report, all.after->report);
  return all;
}

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

Json time_json(const MedianInterval& time) {
  if (time.count == 0) return nullptr;
  return {{"median_ms", time.median},
          {"low_ms", time.low},
          {"high_ms", time.high},
          {"samples", time.count}};
}

Json known(double ms) { return ms > 0 ? Json(ms) : Json(); }

Json speedup_json(const compare::Speedup& of) {
  return {{"speedup", of.value}, {"low", known(of.low)}, {"high", known(of.high)}};
}

std::string write_json(const Compared& compared, const std::vector<Checked>& limits) {
  const auto& c = compared.comparison;
  Json document = {{"schema", 1}, {"headline", compare::headline_of(c)}, {"step", nullptr}};
  if (c.step)
    document["step"] = {{"range", c.step->name.empty() ? Json() : Json(c.step->name)},
                        {"before", time_json(c.step->before_ms)},
                        {"after", time_json(c.step->after_ms)},
                        {"kernels_before_ms", known(c.step->before_kernels_ms)},
                        {"kernels_after_ms", known(c.step->after_kernels_ms)},
                        {"change", to_string(c.step->change)}};
  document["recordings"] = Json::array();
  for (const auto& row : compared.rows)
    document["recordings"].push_back(
        {{"name", row.name},
         {"recorded", row.created.empty() ? Json() : Json(row.created)},
         {"step", time_json(row.step_ms)},
         {"idle", row.step_ms.count > 0 ? Json(row.idle) : Json()},
         {"change", to_string(row.change)},
         {"baseline", row.baseline},
         {"environment", row.environment}});
  document["parts"] = Json::array();
  for (const auto& part : c.parts)
    document["parts"].push_back(
        {{"name", part.name}, {"before_ms", part.before_ms}, {"after_ms", part.after_ms}});
  document["causes"] = Json::array();
  for (const auto& cause : c.causes)
    document["causes"].push_back({{"key", cause.key},
                                  {"text", cause.text},
                                  {"ms", cause.ms == 0 ? Json() : Json(cause.ms)}});
  document["predictions"] = Json::array();
  for (const auto& each : c.predictions)
    document["predictions"].push_back(
        {{"rule", each.rule},
         {"scope", each.scope},
         {"change", each.predicted_of},
         {"made", each.made.empty() ? Json() : Json(each.made)},
         {"configuration", each.of_step() ? Json() : Json(each.configuration)},
         {"predicted", speedup_json(each.predicted)},
         {"measured", speedup_json(each.measured)}});
  document["environment"] = c.environment;
  document["calls"] = Json::array();
  for (const auto& match : c.matches)
    document["calls"].push_back({{"configuration", match.name},
                                 {"phase", to_string(match.phase)},
                                 {"before", time_json(match.before_ms)},
                                 {"after", time_json(match.after_ms)},
                                 {"change", to_string(match.change)}});
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
  auto blocks =
      compare::document_of(compared.comparison, compared.before->report, compared.after->report,
                           verbose ? compared.comparison.matches.size() : 12);
  if (compared.rows.size() > 2)
    for (auto& block : compare::blocks_of(compared.rows)) blocks.push_back(std::move(block));
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
  const auto paths = recordings_of(arguments.profiles);
  if (!paths) return context.report(paths.error());
  if (auto writable = check_writable(paths_of(*targets), arguments.output.force, *paths); !writable)
    return context.report(writable.error());
  auto judging = prepare_judging(arguments.judging, context.services.predict_for);
  if (!judging) return report_failure(context, judging);
  const bool by_time = arguments.profiles.size() == 1;  // a folder alone
  auto all = compare_all(*paths, by_time, *judging);
  if (!all) return context.report(all.error());
  const Compared& compared = *all;
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
      "  rnnadvisor compare nightly/                                  # a table over time\n"
      "\n"
      "Whole steps first, as they were timed without tracing, then where their time went, the RNN "
      "calls matched one by one, what differs in them and around the program, and findings that "
      "came or went. With several baselines a step changes where it lies outside of all of theirs; "
      "those of other layers, data types or GPUs do not count. "
      "A change counts where the 95 % intervals of both medians do not overlap; that of a step "
      "must "
      "also be above 30 % of the time in which its GPU waits or copies, by which equal runs "
      "differ. "
      "--fail-if takes "
      "'step > RATIO', 'kernels > RATIO' (of a step, which varies least from run to run), 'calls > "
      "RATIO' and 'findings > COUNT': the exit status is 1 where one is exceeded by more than "
      "noise, and also where the profiles do not tell.");
  auto arguments = std::make_shared<CompareArguments>();
  arguments->judging.fail_on = "never";
  auto* profiles = command
                       ->add_option("profiles", arguments->profiles,
                                    "two recordings, before and after; more: all but the last are "
                                    "baselines; or a folder of recordings, by the time when they "
                                    "were made")
                       ->required()
                       ->type_name("PROFILE");
  context.completions[profiles] = {Context::Completion::Kind::profile, {}};
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
