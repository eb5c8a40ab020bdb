#include "tests/rules/oracle.h"

namespace rnnadvisor::advisor::testing {
namespace {

using Answer = std::optional<bool>;  // nothing: not known

long double as_number(const FactValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return static_cast<long double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return static_cast<long double>(*real);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  const auto& version = std::get<Version>(value);
  return static_cast<long double>(version.major) * 1e12L +
         static_cast<long double>(version.minor) * 1e6L + static_cast<long double>(version.patch);
}

bool equal(const FactValue& a, const FactValue& b) {
  if (std::holds_alternative<std::string>(a)) return a == b;
  return as_number(a) == as_number(b);
}

Answer answer(const Condition& condition, const Values& values) {
  const auto left = values(condition.fact);
  if (!left) return std::nullopt;
  auto right = condition.values;
  if (condition.other_fact >= 0) {
    const auto other = values(condition.other_fact);
    if (!other) return std::nullopt;
    right = {*other};
  }
  bool among = false;
  for (const auto& value : right) among = among || equal(*left, value);
  switch (condition.op) {
    case Operator::is:
    case Operator::in:
      return among;
    case Operator::is_not:
    case Operator::not_in:
      return !among;
    case Operator::at_least:
      return as_number(*left) >= as_number(right.front());
    case Operator::at_most:
      return as_number(*left) <= as_number(right.front());
    case Operator::above:
      return as_number(*left) > as_number(right.front());
    case Operator::below:
      return as_number(*left) < as_number(right.front());
    case Operator::multiple_of:
      return std::get<std::int64_t>(*left) % std::get<std::int64_t>(right.front()) == 0;
    case Operator::not_multiple_of:
      return std::get<std::int64_t>(*left) % std::get<std::int64_t>(right.front()) != 0;
  }
  return std::nullopt;
}

Answer conjunction(Answer a, Answer b) {
  if (a == false || b == false) return false;
  return a && b ? Answer(true) : std::nullopt;
}

Answer disjunction(Answer a, Answer b) {
  if (a == true || b == true) return true;
  return a && b ? Answer(false) : std::nullopt;
}

Answer answer(const ConditionSet& set, const Values& values) {
  Answer all = true;
  for (const auto& condition : set.all) all = conjunction(all, answer(condition, values));
  for (const auto& group : set.any) {
    Answer any = false;
    for (const auto& condition : group) any = disjunction(any, answer(condition, values));
    all = conjunction(all, any);
  }
  return all;
}

}  // namespace

VerdictKind expected_verdict(const Rule& rule, const Values& values) {
  const Answer applies = answer(rule.applies_when, values);
  if (applies == false) return VerdictKind::not_applicable;
  const Answer fires = answer(rule.when, values);
  if (fires == false) return VerdictKind::passed;
  return applies && fires ? VerdictKind::fired : VerdictKind::unknown;
}

}  // namespace rnnadvisor::advisor::testing
