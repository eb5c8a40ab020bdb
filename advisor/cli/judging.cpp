#include "advisor/cli/judging.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "advisor/cli/configurations.h"
#include "advisor/judge/judge.h"
#include "advisor/report/baseline.h"
#include "advisor/report/maps.h"
#include "advisor/report/report.h"
#include "advisor/report/source_places.h"
#include "advisor/rules/rule_files.h"
#include "core/base/text.h"
#include "core/config/key_positions.h"

namespace rnnadvisor::cli {
namespace {

std::string write(Format format, const advisor::Report& report,
                  const advisor::TextOptions& text_options, const advisor::PredictFor& predict_for,
                  const advisor::SourcePlaces& places) {
  switch (format) {
    case Format::text:
      return advisor::write_text(report, text_options);
    case Format::markdown:
      return advisor::write_markdown(report);
    case Format::json:
      return advisor::write_json(report);
    case Format::html:
      return advisor::write_html(report, predict_for);
    case Format::sarif:
      return advisor::write_sarif(report, places);
    case Format::junit:
      return advisor::write_junit(report);
    case Format::csv:
      return advisor::write_csv(report);
    case Format::github:
      return advisor::write_github(report, places);
  }
  return {};
}

// The files are read once more: only code hosts ask for the lines of single keys.
advisor::SourcePlaces source_places(const ReportOptions& options) {
  advisor::SourcePlaces places;
  std::error_code error;
  places.folder = std::filesystem::current_path(error).string();
  if (!options.profile.starts_with("sample:")) places.artifact = options.profile;
  std::map<std::string, std::string> texts;
  for (const auto& position : options.positions) {
    const auto [text, fresh] = texts.try_emplace(position.file);
    if (fresh && !position.file.empty() && position.file != "-") {
      std::ifstream file(position.file, std::ios::binary);
      text->second.assign(std::istreambuf_iterator<char>(file), {});
    }
    places.keys.push_back(text->second.empty() ? std::map<std::string, SourcePosition>()
                                               : key_positions(text->second, position));
  }
  return places;
}

Result<void> check_ignored(const std::vector<std::string>& ignored, const advisor::RuleSet& rules) {
  for (const auto& id : ignored) {
    const bool known = std::any_of(rules.rules.begin(), rules.rules.end(), [&](const auto& rule) {
      return id.ends_with('/') ? rule.id.starts_with(id) : rule.id == id;
    });
    if (known) continue;
    std::vector<std::string_view> ids;
    for (const auto& rule : rules.rules) ids.push_back(rule.id);
    const auto nearest = did_you_mean(id, ids);
    return fail(ErrorCode::invalid_argument,
                fmt::format("--ignore: there is no rule '{}'", to_valid_utf8(id)),
                nearest.empty() ? "`rnnadvisor rules list` shows all; 'topic/' stands for a topic"
                                : nearest);
  }
  return {};
}

Result<void> check_doubled(const advisor::RuleSet& rules, const std::vector<std::string>& ignored) {
  for (const auto& rule : rules.rules) {
    const auto shipped = advisor::shipped_id(rule);
    const bool left_out = std::any_of(ignored.begin(), ignored.end(), [&](const std::string& id) {
      return id == shipped || (id.ends_with('/') && shipped.starts_with(id));
    });
    if (!shipped.empty() && !left_out) return fail(advisor::shipped_twice(rule));
  }
  return {};
}

Result<std::set<std::string>> load_baseline(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad())
    return fail(ErrorCode::not_found, fmt::format("cannot read the baseline '{}'", path),
                "--write-baseline writes one");
  return advisor::read_baseline(text, path);
}

// Marks what the project has accepted, of --write-baseline all that was found, and tells the rest.
void apply_baseline(const Context& context, const Judging& judging,
                    std::vector<advisor::Finding>& findings, const advisor::Report& report) {
  if (judging.baseline.empty() && judging.write_baseline.empty()) return;
  if (!judging.write_baseline.empty()) {
    for (auto& finding : findings) finding.in_baseline = true;
    return;
  }
  const auto gone = advisor::mark_baseline(judging.accepted, report, findings);
  std::vector<std::string> fresh;
  for (const auto* finding : report.findings)
    if (!finding->in_baseline) fresh.push_back(advisor::baseline_key(report, *finding));
  std::string text = fmt::format(
      "{} of {} in the baseline {}", report.findings.size() - fresh.size(),
      plural(static_cast<long long>(report.findings.size()), "finding"), judging.baseline);
  // Lines of the file, to be copied into it or taken out of it.
  const auto list = [&](std::string_view what, const std::vector<std::string>& lines) {
    if (!lines.empty()) text += fmt::format("\n  {}: {}", what, fmt::join(lines, "; "));
  };
  list("new", fresh);
  list("no longer found, its line can go", gone);
  context.note(text);
}

}  // namespace

Result<JudgedDevice> judged_device(const Context& context, const std::string& name) {
  auto device = choose_device(context, name);
  if (!device) return fail(std::move(device.error()));
  auto times = model::find_time_model(name, *device);
  if (!times) return fail(std::move(times.error()));
  auto predict_for = context.services.predict_for;
  if (*times && name.ends_with(".toml")) {
    // Findings and maps, too, are of the times beside a description.
    predict_for = [known = model::predictor(*times)](const DeviceSpec&) { return known; };
  } else if (predict_for) {
    predict_for = [known = predict_for(*device)](const DeviceSpec&) { return known; };
  }
  return JudgedDevice{std::move(*device), std::move(*times), std::move(predict_for)};
}

tl::expected<Judging, std::vector<Error>> prepare_judging(const JudgingOptions& options,
                                                          const advisor::PredictFor& predict_for) {
  Judging judging;
  auto fail_on = parse_fail_on(options.fail_on);
  if (!fail_on) return tl::unexpected(std::vector{std::move(fail_on.error())});
  judging.fail_on = *fail_on;
  auto rules = advisor::load_rules(options.rule_directories);
  if (!rules) return tl::unexpected(std::move(rules.error()));
  judging.rules = std::move(*rules);
  if (auto ignored = check_ignored(options.ignore, judging.rules); !ignored) {
    return tl::unexpected(std::vector{std::move(ignored.error())});
  }
  if (auto doubled = check_doubled(judging.rules, options.ignore); !doubled)
    return tl::unexpected(std::vector{std::move(doubled.error())});
  judging.options.ignore = options.ignore;
  judging.baseline = options.baseline;
  judging.write_baseline = options.write_baseline;
  if (!judging.write_baseline.empty()) {
    if (auto writable =
            check_writable({judging.write_baseline}, options.force && options.force(), {});
        !writable)
      return tl::unexpected(std::vector{std::move(writable.error())});
  } else if (!judging.baseline.empty()) {
    auto accepted = load_baseline(judging.baseline);
    if (!accepted) return tl::unexpected(std::vector{std::move(accepted.error())});
    judging.accepted = std::move(*accepted);
  }
  judging.options.predict_for = predict_for;
  return judging;
}

int judge_and_report(const Context& context, const Profile& profile, const Judging& judging,
                     const ReportOptions& options) {
  auto judgement = advisor::judge(profile, judging.rules, judging.options);
  auto report = advisor::make_report(profile, judgement, judging.rules);
  report.predicted = options.predicted;
  const std::size_t placed = std::min(report.configurations.size(), options.positions.size());
  for (std::size_t i = 0; i < placed; ++i) {
    // Flags are in no file.
    if (!options.positions[i].file.empty())
      report.configurations[i].position = options.positions[i];
  }
  apply_baseline(context, judging, judgement.findings, report);
  const bool with_places =
      std::any_of(options.targets.begin(), options.targets.end(), [](const auto& target) {
        return target.format == Format::sarif || target.format == Format::github;
      });
  const auto places = with_places ? source_places(options) : advisor::SourcePlaces();
  for (const auto& target : options.targets) {
    advisor::TextOptions text;
    text.verbose = options.verbose;
    text.ascii = !context.terminal.utf8;
    if (target.path.empty()) {
      text.width = context.terminal.width;
      text.color = context.color_output();
    }
    const std::string written =
        write(target.format, report, text,
              options.predict_for ? options.predict_for : context.services.predict_for, places);
    if (target.path.empty()) {
      context.out << written;
      if (!written.ends_with('\n')) context.out << '\n';
      context.out.flush();
      continue;
    }
    if (auto result = write_file(target.path, written); !result) {
      return context.report(result.error());
    }
    context.note(fmt::format("wrote {}", target.path));
  }
  // Last: where it fails, the report is there.
  if (!judging.write_baseline.empty()) {
    if (auto written = write_file(judging.write_baseline, advisor::write_baseline(report));
        !written)
      return context.report(written.error());
    context.note(fmt::format("wrote {}", judging.write_baseline));
  }
  return exit_status(report, judging.fail_on);
}

}  // namespace rnnadvisor::cli
