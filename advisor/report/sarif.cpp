// SARIF 2.1.0 (OASIS Standard, "Static Analysis Results Interchange Format"), for code hosts and
// editors. Rules carry their help; results name the configuration as a logical location and, where
// it is known, its place in the user's file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "advisor/facts/experiments.h"
#include "advisor/report/finding_fields.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/program_end.h"
#include "advisor/report/report.h"
#include "advisor/report/source_places.h"
#include "advisor/report/trials.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

using fields::Json;

std::string_view level(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::opportunity:
    case Severity::info:
      return "note";
  }
  return "none";
}

// A name in the form that SARIF advises: "BatchMultipleOf8".
std::string pascal_case(std::string_view id) {
  std::string out;
  bool upper = true;
  for (const char c : id) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9')) {
      upper = true;
      continue;
    }
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return out.empty() ? "Rule" : out;
}

// A path as a URI reference: everything but unreserved characters and '/' is percent-encoded (RFC
// 3986). Without "./" in front, which code hosts do not take for the same file.
std::string uri(const std::string& file) {
  const std::string path = std::filesystem::path(file).lexically_normal().generic_string();
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') ||
                            std::string_view("-._~/").find(c) != std::string_view::npos;
    if (unreserved) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out.starts_with('/') ? "file://" + out : out;
}

void add_citations(std::string& text, std::string& markdown,
                   const std::vector<Citation>& citations) {
  for (const auto& c : citations) {
    text += "\nSource: " + words::citation(c);
    markdown += "\n\n*Source:* " + words::citation(c);
    if (words::is_web_address(c.url)) markdown += " <" + c.url + ">";
    if (c.quote.empty()) continue;
    text += ": \"" + words::clean(c.quote) + "\"";
    markdown += "\n\n> " + words::clean(c.quote);
  }
}

// What SARIF knows of a rule, from its card or, when the card is not at hand, from a finding.
Json rule_json(std::string_view id, const Rule* rule, const Finding* finding) {
  const std::string title = rule != nullptr ? rule->title : finding->title;
  const Severity severity = rule != nullptr ? rule->severity : finding->severity;
  const auto& citations = rule != nullptr ? rule->citations : finding->citations;
  std::string text = words::clean(title) + ".";
  std::string markdown = rule != nullptr && !rule->explanation.empty()
                             ? words::clean_lines(rule->explanation)
                             : words::clean(title) + ".";
  if (rule != nullptr && !rule->explanation.empty())
    text += "\n" + words::clean_lines(rule->explanation);
  if (rule != nullptr) {
    for (const auto& s : rule->suggestions) {
      text += "\nSuggestion: " + words::clean(s.text);
      markdown += "\n\n- " + words::clean(s.text);
    }
  }
  add_citations(text, markdown, citations);

  Json tags = Json::array({"performance"});
  if (const auto slash = id.find('/'); slash != std::string_view::npos)
    tags.push_back(to_valid_utf8(id.substr(0, slash)));
  if (rule != nullptr && !rule->consequence.empty()) {
    if (const Json consequence = to_valid_utf8(rule->consequence);
        std::find(tags.begin(), tags.end(), consequence) == tags.end())
      tags.push_back(consequence);
  }
  Json properties = {{"tags", tags}, {"severity", to_string(severity)}};
  if (rule != nullptr) {
    properties["confidence"] = to_string(rule->confidence);
    if (!rule->criterion.empty()) properties["criterion"] = to_valid_utf8(rule->criterion);
  }
  Json out = {{"id", to_valid_utf8(id)},
              {"name", pascal_case(id)},
              {"shortDescription", {{"text", words::clean(title)}}},
              {"fullDescription", {{"text", text}}},
              {"help", {{"text", text}, {"markdown", markdown}}}};
  for (const auto& c : citations) {
    if (!words::is_web_address(c.url)) continue;
    out["helpUri"] = c.url;
    break;
  }
  out["defaultConfiguration"] = {{"level", level(severity)}};
  out["properties"] = properties;
  return out;
}

void add_place(Json& location, const SourcePosition& place) {
  if (place.file.empty() || place.file == "-") return;
  Json physical = {{"artifactLocation", {{"uri", uri(place.file)}}}};
  if (place.line > 0) {
    physical["region"] = {{"startLine", place.line}};
    if (place.column > 0) physical["region"]["startColumn"] = place.column;
  }
  location["physicalLocation"] = physical;
}

Json location_json(const ConfigurationReport& each, const SourcePosition& place) {
  Json location = Json::object();
  add_place(location, place);
  location["logicalLocations"] = Json::array(
      {{{"name", each.name},
        {"fullyQualifiedName", fmt::format("configurations/{}/{}", each.index, each.name)},
        {"kind", "resource"}}});
  return location;
}

// The algorithm that was asked for and the fastest, as far as they are predicted; null for neither.
Json predicted_time(const PredictedTimes& times, int configuration) {
  const auto* of = times.of(configuration);
  if (of == nullptr) return nullptr;
  const auto one = [](const model::AlgorithmTime* algorithm) -> Json {
    if (algorithm == nullptr || !algorithm->total) return nullptr;
    return {{"algo", to_string(algorithm->algo)},
            {"ms", algorithm->total->seconds * 1e3},
            {"lowMs", algorithm->total->low_seconds * 1e3},
            {"highMs", algorithm->total->high_seconds * 1e3},
            {"extrapolated", algorithm->total->extrapolated}};
  };
  Json out = {{"estimate", true},
              {"device", to_valid_utf8(times.device)},
              {"basis", to_valid_utf8(times.basis())}};
  out["askedFor"] = one(of->asked_for());
  out["fastest"] = one(of->fastest());
  return out["askedFor"].is_null() && out["fastest"].is_null() ? Json(nullptr) : out;
}

Json result_json(const Finding& f, const ConfigurationReport& each, std::size_t rule_index,
                 const PredictedTimes* predicted, const SourcePosition& place) {
  std::string text = words::clean(f.message.empty() ? f.title : f.message);
  if (const std::string gain = words::gain(f.gain); !gain.empty()) {
    text += fmt::format(" Gain: {} ({}).", words::gain_in_full(*f.gain), in_words(f.gain->basis));
  }
  for (const auto& s : f.suggestions) {
    if (withdrawn(f, s)) continue;
    text += " " + words::clean(s.text);
    if (!s.cannot.empty()) text += " " + words::clean(s.cannot);
  }
  if (const std::string why = words::refuted(f); !why.empty()) text += " " + why;
  Json comparisons = Json::array();
  for (const auto& c : f.comparisons) {
    if (c.holds) comparisons.push_back(words::comparison(c));
  }
  Json properties = fields::pick(f, {"severity", "confidence"});
  properties["because"] = std::move(comparisons);
  if (f.gain) {
    properties["gain"] =
        fields::pick(*f.gain, {"speedup", "saved_bytes", "basis", "change", "another_model"});
    properties["gain"]["change"] = words::clean(f.gain->change);
  }
  if (refuted(f)) {
    properties["refuted"] = {{"text", words::refuted(f)}};
    if (f.refuted_by)
      properties["refuted"].update(fields::pick(*f.refuted_by, {"agree", "refute"}));
  }
  if (predicted != nullptr) {
    if (Json time = predicted_time(*predicted, each.index); !time.is_null())
      properties["predictedTime"] = std::move(time);
  }
  if (f.trial) {
    properties["trial"] = {{"verdict", to_string(f.trial->verdict)},
                           {"text", words::trial(*f.trial)}};
    if (f.trial->speedup > 0)
      properties["trial"]["speedup"] = {f.trial->speedup, f.trial->low, f.trial->high};
    for (const auto& row : each.trials) {
      if (row.index != f.trial->experiment) continue;
      const auto seen = words::clocks(*row.experiment);
      if (!seen.empty()) properties["trial"]["clocks"] = seen;
      if (const auto& code = row.experiment->code; !code.empty())
        properties["trial"]["code"] = fields::to_value(code);
    }
  }
  Json result = {
      {"ruleId", to_valid_utf8(f.rule_id)},
      {"ruleIndex", rule_index},
      {"level", level(f.severity)},
      {"message", {{"text", text}}},
      {"locations", Json::array({location_json(each, place)})},
      {"partialFingerprints",
       {{"configurationAndRule/v1", fmt::format("{}/{}", each.name, to_valid_utf8(f.rule_id))}}},
      {"properties", properties}};
  if (f.in_baseline) result["baselineState"] = "unchanged";
  return result;
}

// That an exception ended the program: an error as a finding is one, of no rule of the advisor's.
Json end_rule() {
  const Json text = {
      {"text",
       "The program ended with an exception: what was recorded of it is what it did before."}};
  return {{"id", program_exception},
          {"name", pascal_case(program_exception)},
          {"shortDescription", {{"text", "The program ended with an exception"}}},
          {"fullDescription", text},
          {"help", text},
          {"defaultConfiguration", {{"level", level(Severity::error)}}},
          {"properties",
           {{"tags", Json::array({"correctness"})}, {"severity", to_string(Severity::error)}}}};
}

Json end_result(const ProgramEnd& end, std::size_t rule_index, const SourcePlaces& places) {
  std::string text = ended_with(end);
  if (const auto& known = end.exceptions.front().explained; !known.empty())
    for (const auto& fix : known.front().fixes) text += " " + words::clean(fix);
  Json exceptions = Json::array();
  for (const auto& each : end.exceptions) exceptions.push_back(to_valid_utf8(each.text));
  Json location = Json::object();
  add_place(location, {places.artifact, 0, 0});
  location["logicalLocations"] = Json::array({{{"name", "program"}, {"kind", "module"}}});
  return {{"ruleId", program_exception},
          {"ruleIndex", rule_index},
          {"level", level(Severity::error)},
          {"message", {{"text", text}}},
          {"locations", Json::array({location})},
          {"partialFingerprints",
           {{"configurationAndRule/v1", fmt::format("program/{}", program_exception)}}},
          {"properties",
           {{"severity", to_string(Severity::error)}, {"exceptions", std::move(exceptions)}}}};
}

// A configuration that cuDNN refused or that died: told as a notification of the run, not as a
// rule's result.
Json notifications(const Report& report) {
  Json out = Json::array();
  const auto add = [&](std::string_view how, const std::string& text, std::string_view id) {
    out.push_back({{"level", how},
                   {"message", {{"text", text}}},
                   {"descriptor", {{"id", to_valid_utf8(id)}}}});
  };
  for (const auto& note : report.profile->notes) {
    if (note.code == program_exception) continue;  // a result: end_result()
    add(note.severity == NoteSeverity::info ? "note" : to_string(note.severity),
        words::clean(note.text), note.code.empty() ? "note" : note.code);
  }
  for (const auto& each : report.configurations) {
    if (each.tried) continue;
    const Outcome outcome = each.configuration->outcome;
    if (outcome == Outcome::completed || outcome == Outcome::not_run) continue;
    const std::string_view how = each.standing == Standing::refused ? "note"
                                 : outcome == Outcome::interrupted  ? "warning"
                                                                    : "error";
    add(how, each.name + ": " + each.verdict, to_string(outcome));
  }
  for (const auto& verdict : report.judgement->verdicts) {
    if (verdict.kind == VerdictKind::error)
      add("error", words::clean(verdict.rule_id + ": " + verdict.message), "rule-error");
  }
  return out;
}

// "2025-01-01T00:00:00Z": the only form of time that may stand in SARIF.
bool is_utc_time(std::string_view text) {
  return text.size() >= 20 && text.size() <= 30 && text[4] == '-' && text[7] == '-' &&
         text[10] == 'T' && text.back() == 'Z';
}

}  // namespace

std::string write_sarif(const Report& report) { return write_sarif(report, {}); }

std::string write_sarif(const Report& report, const SourcePlaces& places) {
  std::map<std::string, std::size_t> index;
  Json rules = Json::array();
  const auto rule_of = [&](const Finding& f) {
    const auto [entry, fresh] = index.try_emplace(f.rule_id, rules.size());
    if (fresh) rules.push_back(rule_json(f.rule_id, report.rules->find(f.rule_id), &f));
    return entry->second;
  };
  // Every rule that was applied is listed, so that a viewer can tell "passed" from "not looked".
  for (const auto& rule : report.rules->rules) {
    if (index.try_emplace(rule.id, rules.size()).second)
      rules.push_back(rule_json(rule.id, &rule, nullptr));
  }
  Json results = Json::array();
  if (report.end) {
    results.push_back(end_result(*report.end, rules.size(), places));
    rules.push_back(end_rule());
  }
  for (const Finding* f : report.findings) {
    results.push_back(result_json(*f,
                                  report.configurations[static_cast<std::size_t>(f->configuration)],
                                  rule_of(*f), report.predicted, source_of(report, *f, places)));
  }
  const Environment& environment = report.profile->environment;
  Json invocation = {{"executionSuccessful", true}};
  if (!environment.command_line.empty())
    invocation["commandLine"] = to_valid_utf8(environment.command_line);
  if (is_utc_time(environment.created))
    invocation["startTimeUtc"] = to_valid_utf8(environment.created);
  invocation["toolExecutionNotifications"] = notifications(report);

  Json driver = {{"name", "rnnadvisor"},
                 {"fullName", "rnnadvisor, a diagnostic advisor for cuDNN recurrent networks"}};
  if (!environment.rnnadvisor_version.empty())
    driver["version"] = to_valid_utf8(environment.rnnadvisor_version);
  driver["rules"] = rules;
  Json run = {{"tool", {{"driver", driver}}},
              {"invocations", Json::array({invocation})},
              {"columnKind", "utf16CodeUnits"},
              {"results", results}};
  run["properties"] = {{"headline", report.headline}};
  // Also of configurations without a result.
  if (report.predicted != nullptr && !report.predicted->basis().empty())
    run["properties"]["predictedTimes"] = Json::parse(predicted_json(*report.predicted));
  const Json log = {{"$schema",
                     "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                     "sarif-schema-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rnnadvisor::advisor
