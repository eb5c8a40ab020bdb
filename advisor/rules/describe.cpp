#include "advisor/rules/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace rnnadvisor::advisor {

std::string_view operator_words(std::string_view op) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> words = {
      {{"is", "is"},
       {"is_not", "is not"},
       {"in", "is one of"},
       {"not_in", "is none of"},
       {"at_least", "is at least"},
       {"at_most", "is at most"},
       {"above", "is above"},
       {"below", "is below"},
       {"multiple_of", "is a multiple of"},
       {"not_multiple_of", "is not a multiple of"}}};
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.first == op; });
  return found == words.end() ? std::string_view() : found->second;
}

std::string describe(const Condition& condition) {
  return fmt::format("{} {} {}", fact_definition(condition.fact).name,
                     operator_words(to_string(condition.op)), condition.threshold);
}

std::vector<std::string> describe(const ConditionSet& set) {
  std::vector<std::string> lines;
  for (const auto& condition : set.all) lines.push_back(describe(condition));
  for (const auto& group : set.any) {
    std::vector<std::string> parts;
    for (const auto& condition : group) parts.push_back(describe(condition));
    lines.push_back(fmt::format("one of: {}", fmt::join(parts, "; or ")));
  }
  return lines;
}

std::string describe(const Citation& citation) {
  std::string text = citation.source;
  if (!citation.section.empty()) text += ", " + citation.section;
  if (!citation.version.empty()) text += fmt::format(" ({})", citation.version);
  return text;
}

std::string_view describe_tag(char tag) {
  switch (tag) {
    case 'S':
      return "stated in the document";
    case 'C':
      return "read in the source code";
    case 'O':
      return "observed by calling cuDNN";
    case 'M':
      return "measured";
    case 'I':
      return "inferred";
    default:
      return "source unknown";
  }
}

std::string describe(const GainSource& gain) {
  if (gain.fact.empty()) {
    return fmt::format("{:.3g}x in {}, measured elsewhere: {}", gain.speedup, gain.scope,
                       gain.source);
  }
  const bool bytes = fact_definition(find_fact(gain.fact)).unit == "B";
  return fmt::format("{} in {}, from {}{}", bytes ? "bytes saved" : "speed-up", gain.scope,
                     gain.fact, gain.source.empty() ? "" : fmt::format(" ({})", gain.source));
}

std::vector<std::string> describe_validity(const Rule& rule) {
  std::vector<std::string> lines;
  if (!rule.cudnn_range.empty()) lines.push_back("cuDNN " + rule.cudnn_range);
  if (!rule.architectures.empty())
    lines.push_back(fmt::format("architectures {}", fmt::join(rule.architectures, ", ")));
  if (!rule.devices.empty())
    lines.push_back(fmt::format("devices {}", fmt::join(rule.devices, ", ")));
  return lines;
}

}  // namespace rnnadvisor::advisor
