// Spellings of the advisor's enumerations.
#include <array>

#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {
namespace {

template <class Enum, std::size_t N>
std::string_view spelling(Enum value, const std::array<std::string_view, N>& values) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? values[index] : std::string_view("?");
}

constexpr std::array<std::string_view, 4> severities = {"info", "opportunity", "warning", "error"};
constexpr std::array<std::string_view, 3> confidences = {"heuristic", "documented", "measured"};
constexpr std::array<std::string_view, 6> verdicts = {
    "fired", "passed", "told_by_another", "not_applicable", "unknown", "error"};
constexpr std::array<std::string_view, 3> bases = {"measured_here", "measured_elsewhere",
                                                   "modelled"};
constexpr std::array<std::string_view, 3> bases_in_words = {
    "measured here", "estimate from a similar layer", "estimate"};
constexpr std::array<std::string_view, 10> operators = {
    "is",      "is_not", "in",    "not_in",      "at_least",
    "at_most", "above",  "below", "multiple_of", "not_multiple_of"};

}  // namespace

std::string_view to_string(Severity value) { return spelling(value, severities); }
std::string_view to_string(Confidence value) { return spelling(value, confidences); }
std::string_view to_string(VerdictKind value) { return spelling(value, verdicts); }
std::string_view to_string(GainBasis value) { return spelling(value, bases); }
std::string_view in_words(GainBasis value) { return spelling(value, bases_in_words); }
std::string_view to_string(Operator op) { return spelling(op, operators); }

std::optional<Severity> parse_severity(std::string_view text) {
  for (std::size_t i = 0; i < severities.size(); ++i) {
    if (severities[i] == text) return static_cast<Severity>(i);
  }
  return std::nullopt;
}

}  // namespace rnnadvisor::advisor
