// Workflow commands of GitHub Actions, which shows them beside the lines of a pull request:
// "Workflow commands for GitHub Actions", docs.github.com. It shows ten errors and ten warnings of
// a step.
#include <fmt/format.h>

#include "advisor/report/program_end.h"
#include "advisor/report/source_places.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor {
namespace {

// `property`: of a parameter, where ':' and ',' end it.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    if (special)
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

std::string_view command(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::opportunity:
    case Severity::info:
      break;
  }
  return "notice";
}

std::string annotation(Severity severity, const SourcePosition& place, std::string_view title,
                       std::string_view message) {
  std::string line = fmt::format("::{} ", command(severity));
  if (!place.file.empty() && place.file != "-") {
    line += fmt::format("file={},", escaped(words::clean(place.file), true));
    if (place.line > 0) line += fmt::format("line={},", place.line);
    if (place.column > 0) line += fmt::format("col={},", place.column);
  }
  return line + fmt::format("title={}::{}\n", escaped(title, true), escaped(message, false));
}

std::string message_of(const Report& report, const Finding& finding) {
  const auto& of = report.configurations[static_cast<std::size_t>(finding.configuration)];
  std::string text = words::clean(finding.message);
  if (!finding.of_program) text = of.name + ": " + text;
  for (const auto& suggestion : finding.suggestions) {
    if (withdrawn(finding, suggestion) || !suggestion.cannot.empty()) continue;
    text += "\nDo: " + words::clean(suggestion.text);
    break;
  }
  return text + "\nRule: " + finding.rule_id;
}

}  // namespace

std::string write_github(const Report& report, const SourcePlaces& places) {
  std::string out;
  if (report.end)
    out += annotation(Severity::error, {places.artifact, 0, 0},
                      "rnnadvisor: the program ended with an exception", ended_with(*report.end));
  for (const auto& each : report.configurations) {
    const Outcome outcome = each.configuration->outcome;
    if (each.tried || outcome == Outcome::completed || outcome == Outcome::not_run ||
        each.standing == Standing::refused)
      continue;
    out += annotation(outcome == Outcome::interrupted ? Severity::warning : Severity::error,
                      each.position.value_or(SourcePosition{places.artifact, 0, 0}),
                      "rnnadvisor: " + each.name, each.verdict);
  }
  for (const Finding* finding : report.findings) {
    if (is_remark(*finding) || finding->in_baseline) continue;
    std::string title = "rnnadvisor: " + words::clean(finding->title);
    if (const auto gain = words::gain(finding->gain); !gain.empty()) title += " (" + gain + ")";
    out += annotation(finding->severity, source_of(report, *finding, places), title,
                      message_of(report, *finding));
  }
  return out + words::clean(report.headline) + "\n";
}

}  // namespace rnnadvisor::advisor
