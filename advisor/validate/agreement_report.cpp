#include "advisor/validate/agreement_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "advisor/change/in_words.h"
#include "advisor/facts/experiments.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

using nlohmann::ordered_json;

const Experiment& experiment_of(const Profile& profile, const PairOutcome& pair) {
  return profile.experiments[static_cast<std::size_t>(pair.experiment)];
}

const RnnConfig& before_of(const Profile& profile, const PairOutcome& pair) {
  return profile
      .configurations[static_cast<std::size_t>(experiment_of(profile, pair).configuration)]
      .config;
}

std::string pair_words(const Profile& profile, const PairOutcome& pair) {
  return fmt::format("{}; {}: {}", summary(before_of(profile, pair)),
                     change_in_words(experiment_of(profile, pair).transforms),
                     to_valid_utf8(pair.message));
}

std::string machine_words(const Profile& profile) {
  const auto& e = profile.environment;
  std::string words = profile.devices.empty() ? "unknown device" : profile.devices.front().name;
  if (!e.cudnn_version.empty()) words += ", cuDNN " + e.cudnn_version;
  if (!e.driver_version.empty()) words += ", driver " + e.driver_version;
  if (!e.created.empty()) words += ", " + e.created.substr(0, 10);
  return to_valid_utf8(words);
}

std::string_view verdict_word(const RuleAgreement& a) {
  if (a.refuted()) return "refuted";
  if (a.agree + a.refute == 0) return "open";
  if (a.refute == 0) return "holds";
  return a.agree > a.refute ? "mostly holds" : "doubtful";
}

struct Totals {
  int rules = 0, holds = 0, refuted = 0, agree = 0, refute = 0, undecided = 0, missed = 0,
      silent = 0;
};
Totals totals_of(std::span<const RuleAgreement> agreements) {
  Totals t;
  for (const auto& a : agreements) {
    ++t.rules;
    t.holds += a.refute == 0 && a.agree > 0 ? 1 : 0;
    t.refuted += a.refuted() ? 1 : 0;
    t.agree += a.agree;
    t.refute += a.refute;
    t.undecided += a.undecided + a.not_run;
    t.missed += a.missed;
    t.silent += a.silent;
  }
  return t;
}

std::string totals_words(const Totals& t) {
  return fmt::format(
      "{}: {} with no pair against them, {} refuted. Pairs where a rule fires: {} agree, {} "
      "refute, {} undecided or not run. Pairs where it does not fire: {} right, {} missed.",
      plural(static_cast<long long>(t.rules), "rule"), t.holds, t.refuted, t.agree, t.refute,
      t.undecided, t.silent, t.missed);
}

// A cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string quoted_source(const Rule& rule) {
  for (const auto& citation : rule.citations) {
    if (citation.tag == 'M') continue;
    std::string words = citation.source;
    if (!citation.section.empty()) words += ", " + citation.section;
    if (!citation.quote.empty()) words = fmt::format("“{}” ({})", citation.quote, words);
    return words;
  }
  return "measured only";
}

}  // namespace

std::string agreement_text(const AgreementReport& report) {
  std::string out = fmt::format("{}\n{}\n\n", machine_words(report.profile),
                                totals_words(totals_of(report.agreements)));
  std::size_t width = 4;
  for (const auto& a : report.agreements) width = std::max(width, a.rule.size());
  out += fmt::format("{:<{}}  {:>5} {:>6} {:>6}  {:<12}  {}\n", "rule", width, "agree", "refute",
                     "missed", "verdict", "effect");
  for (const auto& a : report.agreements) {
    out += fmt::format("{:<{}}  {:>5} {:>6} {:>6}  {:<12}  {}\n", a.rule, width, a.agree, a.refute,
                       a.missed, verdict_word(a), effect_words(a));
  }
  for (const auto& a : report.agreements) {
    if (a.refute == 0) continue;
    out += fmt::format("\n{}: refuted by\n", a.rule);
    for (const auto& pair : a.pairs)
      if (pair.fires && pair.agreement == Agreement::refutes)
        out += "  " + pair_words(report.profile, pair) + "\n";
  }
  if (!report.not_sampled.empty()) {
    out += "\nNot measured:\n";
    for (const auto& [rule, why] : report.not_sampled) out += fmt::format("  {}: {}\n", rule, why);
  }
  return out;
}

std::string agreement_markdown(const AgreementReport& report) {
  const auto& e = report.profile.environment;
  std::string out = fmt::format(
      "# Rules against measurement: {}\n\n"
      "Configurations on both sides of each rule's boundary were drawn at random. Each was\n"
      "measured unchanged, unchanged again, and with the change that the rule suggests,\n"
      "interleaved and without tracing. Where a rule fires, a pair *agrees* if the measurement\n"
      "shows what the rule claims, and *refutes* the rule if the interval excludes it (a gain\n"
      "below {:.0f} % counts as none). Where a rule does not fire, a change that still helps is\n"
      "*missed*.\n\n"
      "| | |\n| --- | --- |\n| machine | {} |\n"
      "| recorded with (the first of several merged runs) | `{}` |\n| data | `{}` |\n"
      "| this page | `rnnadvisor rules validate {} --format markdown` |\n\n{}\n\n",
      report.profile.devices.empty() ? "unknown device" : cell(report.profile.devices.front().name),
      (no_gain - 1) * 100, cell(machine_words(report.profile)), cell(to_valid_utf8(e.command_line)),
      report.file, report.file, totals_words(totals_of(report.agreements)));
  out +=
      "| rule | the document | claim | agree | refute | undecided | verdict | effect |\n| --- | "
      "--- | --- | ---: | ---: | ---: | --- | --- |\n";
  for (const auto& a : report.agreements) {
    const Rule* rule = report.rules.find(a.rule);
    out +=
        fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", a.rule,
                    rule == nullptr ? "" : cell(quoted_source(*rule)), to_string(a.claim), a.agree,
                    a.refute, a.undecided + a.not_run, verdict_word(a), cell(effect_words(a)));
  }
  const bool any = std::any_of(report.agreements.begin(), report.agreements.end(),
                               [](const RuleAgreement& a) { return a.refute + a.missed > 0; });
  if (any) out += "\n## Pairs against a rule\n";
  for (const auto& a : report.agreements) {
    if (a.refute + a.missed == 0) continue;
    out += fmt::format("\n### {}\n\n", a.rule);
    for (const auto& pair : a.pairs) {
      if (pair.agreement != Agreement::refutes) continue;
      out +=
          fmt::format("- {}{}\n", pair.fires ? "" : "missed: ", pair_words(report.profile, pair));
    }
  }
  if (!report.not_sampled.empty()) {
    out += fmt::format(
        "\n## Not measured\n\n{} no pair here.\n",
        plural(static_cast<long long>(report.not_sampled.size()), "rule has", "rules have"));
    std::map<std::string_view, std::vector<std::string_view>> by_reason;
    for (const auto& [rule, why] : report.not_sampled) by_reason[why].push_back(rule);
    for (const auto& [why, rules] : by_reason) {
      out += fmt::format("\n**{}{}** ({}):",
                         static_cast<char>(std::toupper(
                             why.empty() ? '-' : static_cast<unsigned char>(why.front()))),
                         why.empty() ? why : cell(why.substr(1)), rules.size());
      for (std::size_t i = 0; i < rules.size(); ++i)
        out += fmt::format("{} `{}`", i > 0 ? "," : "", rules[i]);
      out += "\n";
    }
  }
  return out;
}

std::string agreement_json(const AgreementReport& report) {
  const auto& e = report.profile.environment;
  ordered_json rules = ordered_json::array();
  for (const auto& a : report.agreements) {
    ordered_json pairs = ordered_json::array();
    for (const auto& pair : a.pairs) {
      ordered_json one = {{"experiment", pair.experiment},
                          {"configuration", summary(before_of(report.profile, pair))},
                          {"change", change_words(experiment_of(report.profile, pair).transforms)},
                          {"fires", pair.fires},
                          {"agreement", to_string(pair.agreement)}};
      if (pair.speedup > 0) {
        one["speedup"] = pair.speedup;
        one["low"] = pair.low;
        one["high"] = pair.high;
      }
      one["message"] = to_valid_utf8(pair.message);
      pairs.push_back(std::move(one));
    }
    ordered_json rule = {
        {"rule", a.rule},           {"claim", to_string(a.claim)}, {"verdict", verdict_word(a)},
        {"agree", a.agree},         {"refute", a.refute},          {"undecided", a.undecided},
        {"not_run", a.not_run},     {"silent", a.silent},          {"missed", a.missed},
        {"effect", effect_words(a)}};
    if (a.timed > 0)
      rule["speedup"] = {
          {"median", a.speedup}, {"low", a.low}, {"high", a.high}, {"pairs", a.timed}};
    rule["pairs"] = std::move(pairs);
    rules.push_back(std::move(rule));
  }
  ordered_json not_sampled = ordered_json::array();
  for (const auto& [rule, why] : report.not_sampled)
    not_sampled.push_back({{"rule", rule}, {"reason", why}});
  const ordered_json object = {
      {"schema", 1},
      {"device", report.profile.devices.empty() ? "" : report.profile.devices.front().id},
      {"cudnn", e.cudnn_version},
      {"driver", e.driver_version},
      {"created", e.created},
      {"command", e.command_line},
      {"file", report.file},
      {"rules", std::move(rules)},
      {"not_measured", std::move(not_sampled)}};
  return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<ValidationFile> validation_of(const AgreementReport& report) {
  const auto& e = report.profile.environment;
  if (report.profile.devices.empty())
    return fail(ErrorCode::invalid_argument, fmt::format("{} names no device", report.file),
                "record it with `rnnadvisor rules validate`");
  if (!parse_version(e.cudnn_version))
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} does not say which cuDNN it was", report.file),
                "record it with `rnnadvisor rules validate`");
  ValidationFile file{
      report.profile.devices.front().id, e.cudnn_version, e.created.substr(0, 10), report.file, {}};
  for (const auto& a : report.agreements) {
    if (a.agree + a.refute == 0) continue;
    file.records.emplace_back(
        a.rule, ValidityRecord{file.device, file.cudnn, file.date, effect_words(a), file.evidence,
                               a.agree, a.refute});
  }
  return file;
}

}  // namespace rnnadvisor::advisor
