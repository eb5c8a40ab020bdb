#include "advisor/rules/evaluate.h"

#include <algorithm>
#include <new>

namespace rnnadvisor::advisor {
namespace {

bool has_type(const FactValue& value, FactType type) {
  switch (type) {
    case FactType::boolean:
      return std::holds_alternative<bool>(value);
    case FactType::integer:
      return std::holds_alternative<std::int64_t>(value);
    case FactType::real:
      return std::holds_alternative<double>(value);
    case FactType::text:
      return std::holds_alternative<std::string>(value);
    case FactType::version:
      return std::holds_alternative<Version>(value);
  }
  return false;
}

std::optional<double> as_number(const FactValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

// Integers are compared as integers: a double cannot tell 2^53 and 2^53 + 1 apart.
std::partial_ordering compare(const FactValue& left, const FactValue& right) {
  if (const auto* a = std::get_if<std::int64_t>(&left)) {
    if (const auto* b = std::get_if<std::int64_t>(&right)) return *a <=> *b;
  }
  if (const auto* a = std::get_if<Version>(&left)) {
    if (const auto* b = std::get_if<Version>(&right)) return *a <=> *b;
  }
  const auto a = as_number(left);
  const auto b = as_number(right);
  if (a && b) return *a <=> *b;
  if (left.index() == right.index()) {
    return left == right ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
  }
  return std::partial_ordering::unordered;
}

bool satisfies(Operator op, const FactValue& left, const FactValue& right) {
  switch (op) {
    case Operator::is:
    case Operator::in:
      return compare(left, right) == 0;
    case Operator::is_not:
    case Operator::not_in:
      return compare(left, right) != 0;
    case Operator::at_least:
      return compare(left, right) >= 0;
    case Operator::at_most:
      return compare(left, right) <= 0;
    case Operator::above:
      return compare(left, right) > 0;
    case Operator::below:
      return compare(left, right) < 0;
    case Operator::multiple_of:
    case Operator::not_multiple_of: {
      const auto* value = std::get_if<std::int64_t>(&left);
      const auto* divisor = std::get_if<std::int64_t>(&right);
      if (!value || !divisor || *divisor < 1) return false;
      return (*value % *divisor == 0) == (op == Operator::multiple_of);
    }
  }
  return false;
}

Truth of(bool value) { return value ? Truth::yes : Truth::no; }

// A list of which all must hold: false beats error beats unknown.
template <class Items, class Test>
Truth all_hold(const Items& items, Test&& test) {
  Truth result = Truth::yes;
  for (const auto& item : items) {
    const Truth truth = test(item);
    if (truth == Truth::no) return Truth::no;
    if (truth == Truth::error || (truth == Truth::unknown && result == Truth::yes)) result = truth;
  }
  return result;
}

Truth any_holds(const std::vector<Condition>& group, FactMemo& facts) {
  Truth result = Truth::no;
  for (const auto& condition : group) {
    const Truth truth = holds(condition, facts);
    if (truth == Truth::yes) return Truth::yes;
    if (truth == Truth::error || (truth == Truth::unknown && result == Truth::no)) result = truth;
  }
  return result;
}

void add_unknown_sides(const Condition& condition, FactMemo& facts, std::vector<int>& missing) {
  for (const int fact : {condition.fact, condition.other_fact}) {
    if (fact < 0 || facts.get(fact)) continue;
    if (std::find(missing.begin(), missing.end(), fact) == missing.end()) missing.push_back(fact);
  }
}

template <class Visit>
void visit_conditions(const ConditionSet& set, Visit&& visit) {
  for (const auto& condition : set.all) visit(condition);
  for (const auto& group : set.any) {
    for (const auto& condition : group) visit(condition);
  }
}

}  // namespace

FactMemo::FactMemo(const ProfileIndex& index)
    : index_(&index), subject_{&index.profile(), 0}, entries_(fact_catalogue().size()) {}

void FactMemo::begin(int configuration) {
  subject_.configuration = configuration;
  ++epoch_;
}

FactMemo::Entry& FactMemo::entry(int fact) {
  const auto at = static_cast<std::size_t>(fact);
  Entry& entry = entries_[at];
  if (entry.epoch == epoch_) return entry;
  entry.epoch = epoch_;
  entry.state = State::unknown;
  const auto& definition = fact_catalogue()[at];
  try {
    auto value = !overrides_.empty() && overrides_[at] ? *overrides_[at]
                                                       : definition.provide(subject_, *index_);
    if (value) {
      entry.fact = std::move(*value);
      entry.state = has_type(entry.fact.value, definition.type) ? State::known : State::failed;
    }
  } catch (const std::bad_alloc&) {
    throw;  // a verdict less would look as if all were well
  } catch (...) {
    // A provider that throws is a defect of ours; it must cost one verdict, not the report.
    entry.state = State::failed;
  }
  return entry;
}

const Fact* FactMemo::get(int fact) {
  const Entry& found = entry(fact);
  return found.state == State::known ? &found.fact : nullptr;
}

bool FactMemo::failed(int fact) { return entry(fact).state == State::failed; }

void FactMemo::override_fact(int fact, std::optional<Fact> value) {
  overrides_.resize(entries_.size());
  overrides_[static_cast<std::size_t>(fact)] = std::move(value);
  ++epoch_;
}

void FactMemo::take_back_overrides() {
  overrides_.clear();
  ++epoch_;
}

Truth holds(const Condition& condition, FactMemo& facts) {
  if (condition.fact < 0) return Truth::error;
  const Fact* fact = facts.get(condition.fact);
  if (!fact) return facts.failed(condition.fact) ? Truth::error : Truth::unknown;
  if (condition.other_fact >= 0) {
    const Fact* other = facts.get(condition.other_fact);
    if (!other) return facts.failed(condition.other_fact) ? Truth::error : Truth::unknown;
    return of(satisfies(condition.op, fact->value, other->value));
  }
  const auto one = [&](const FactValue& value) {
    return satisfies(condition.op, fact->value, value);
  };
  // "not in a list" needs every comparison, all others need one.
  return of(condition.op == Operator::not_in
                ? std::all_of(condition.values.begin(), condition.values.end(), one)
                : std::any_of(condition.values.begin(), condition.values.end(), one));
}

Truth holds(const ConditionSet& set, FactMemo& facts) {
  const Truth all =
      all_hold(set.all, [&](const Condition& condition) { return holds(condition, facts); });
  if (all == Truth::no || set.any.empty()) return all;
  const Truth any = all_hold(set.any, [&](const auto& group) { return any_holds(group, facts); });
  if (any == Truth::no) return Truth::no;
  if (all == Truth::error || any == Truth::error) return Truth::error;
  return all == Truth::unknown ? all : any;
}

void add_missing(const ConditionSet& set, FactMemo& facts, std::vector<int>& missing) {
  for (const auto& condition : set.all) add_unknown_sides(condition, facts, missing);
  for (const auto& group : set.any) {
    if (any_holds(group, facts) != Truth::unknown) continue;
    for (const auto& condition : group) add_unknown_sides(condition, facts, missing);
  }
}

std::vector<std::string_view> failed_facts(const ConditionSet& set, FactMemo& facts) {
  std::vector<std::string_view> names;
  visit_conditions(set, [&](const Condition& condition) {
    for (const int fact : {condition.fact, condition.other_fact}) {
      if (fact < 0 || !facts.failed(fact)) continue;
      const std::string_view name = fact_catalogue()[static_cast<std::size_t>(fact)].name;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  });
  return names;
}

bool valid_for(const Rule& rule, const std::optional<Version>& cudnn, const DeviceSpec* device) {
  if (cudnn) {
    for (const auto& bound : rule.cudnn_bounds) {
      if (!satisfies(bound.op, FactValue(*cudnn), FactValue(bound.version))) return false;
    }
  }
  const auto outside = [](const std::vector<std::string>& names, const std::string& name) {
    return !names.empty() && std::find(names.begin(), names.end(), name) == names.end();
  };
  return !device ||
         (!outside(rule.architectures, device->architecture) && !outside(rule.devices, device->id));
}

bool about_the_program(const Rule& rule) {
  static const int main = find_fact("program.main_configuration");
  const auto& all = rule.applies_when.all;
  return std::any_of(all.begin(), all.end(),
                     [](const Condition& condition) { return condition.fact == main; });
}

bool about_a_call(const Rule& rule) {
  const auto of_group = [](int fact, std::string_view group) {
    return fact >= 0 && fact_catalogue()[static_cast<std::size_t>(fact)].name.starts_with(group);
  };
  static const int trains = find_fact("program.trains");  // that is the call's mode
  static const int made = find_fact("framework.calls_cudnn");
  bool call = false, program = false, asks_whether_made = false;
  const auto look = [&](const Condition& condition) {
    for (const int fact : {condition.fact, condition.other_fact}) {
      asks_whether_made = asks_whether_made || fact == made;
      program = program || (of_group(fact, "program.") && fact != trains);
      for (const std::string_view group : {"call.", "model.", "memory.", "predicted."})
        call = call || of_group(fact, group);
    }
  };
  for (const ConditionSet* set : {&rule.applies_when, &rule.when}) {
    for (const auto& condition : set->all) look(condition);
    for (const auto& group : set->any)
      for (const auto& condition : group) look(condition);
  }
  return call && !asks_whether_made &&
         !(program && (rule.consequence == "error" || rule.consequence == "fallback"));
}

bool call_is_made(const ProfileIndex& index, int configuration) {
  const auto& own = index.profile().configurations[static_cast<std::size_t>(configuration)];
  return !own.described() || own.outcome != Outcome::not_run ||
         index.framework_call(configuration).happens();
}

VerdictKind decide(const Rule& rule, FactMemo& facts, const std::optional<Version>& cudnn) {
  if (!valid_for(rule, cudnn, facts.index().device(facts.configuration())))
    return VerdictKind::not_applicable;
  const Truth applies = holds(rule.applies_when, facts);
  if (applies == Truth::no) return VerdictKind::not_applicable;
  if (applies == Truth::error) return VerdictKind::error;
  switch (holds(rule.when, facts)) {
    case Truth::no:
      return VerdictKind::passed;
    case Truth::error:
      return VerdictKind::error;
    case Truth::unknown:
      return VerdictKind::unknown;
    case Truth::yes:
      return applies == Truth::yes ? VerdictKind::fired : VerdictKind::unknown;
  }
  return VerdictKind::error;
}

}  // namespace rnnadvisor::advisor
