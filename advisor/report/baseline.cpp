#include "advisor/report/baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advisor/report/words.h"
#include "advisor/rules/rule_files.h"

namespace rnnadvisor::advisor {

namespace {

std::string without_end_spaces(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.pop_back();
  return text;
}

}  // namespace

std::string baseline_key(const Report& report, const Finding& finding) {
  const auto& of = report.configurations[static_cast<std::size_t>(finding.configuration)];
  const std::string name = without_end_spaces(words::clean(of.name));
  return finding.rule_id + " " + (name.empty() ? fmt::format("#{}", of.index) : name);
}

Result<std::set<std::string>> read_baseline(std::string_view text, std::string_view file) {
  std::set<std::string> found;
  for (int number = 1; !text.empty(); ++number) {
    const auto whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    const std::string line = without_end_spaces(words::clean(whole));
    if (line.empty() || line.front() == '#') continue;
    const auto rule = line.substr(0, line.find(' '));
    if (rule.size() == line.size() || rule.find('/') == std::string::npos || !is_rule_id(rule))
      return fail(Error{ErrorCode::parse,
                        fmt::format("'{}' is no entry of a baseline", line),
                        "an entry is a rule, a space and the name of a configuration; "
                        "--write-baseline writes them",
                        SourcePosition{std::string(file), number, 1},
                        {}});
    found.insert(line);
  }
  return found;
}

std::string write_baseline(const Report& report) {
  std::set<std::string> keys;
  for (const Finding* finding : report.findings) keys.insert(baseline_key(report, *finding));
  std::string text =
      "# Findings that rnnadvisor shows and that do not fail a run (--baseline): rule and "
      "configuration.\n# Written by --write-baseline.\n";
  for (const auto& key : keys) text += key + '\n';
  return text;
}

std::vector<std::string> mark_baseline(const std::set<std::string>& baseline, const Report& report,
                                       std::vector<Finding>& findings) {
  auto left = baseline;
  for (auto& finding : findings) {
    const auto configuration = static_cast<std::size_t>(finding.configuration);
    if (finding.configuration < 0 || configuration >= report.configurations.size()) continue;
    const auto key = baseline_key(report, finding);
    finding.in_baseline = baseline.contains(key);
    left.erase(key);
  }
  return {left.begin(), left.end()};
}

}  // namespace rnnadvisor::advisor
