// Every card of the program, judged on its cases and on those made from the card itself
// (docs/writing-rules.md, "Cases").
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "advisor/change/accelerating.h"
#include "advisor/change/compose.h"
#include "advisor/change/transform.h"
#include "advisor/judge/make_finding.h"
#include "advisor/rules/evaluate.h"
#include "advisor/rules/rule_files.h"
#include "advisor/rules/text_template.h"
#include "advisor/whatif/predicted_change.h"
#include "core/model/time_for_device.h"
#include "tests/rules/case_file.h"
#include "tests/rules/oracle.h"

namespace rnnadvisor::advisor::testing {
namespace {

const std::string case_folder = RNNADVISOR_SOURCE_DIR "/tests/rules/";

const FactDefinition& definition(int fact) {
  return fact_catalogue()[static_cast<std::size_t>(fact)];
}

// A case with its engine: the index, the memo with the case's overrides.
class Bench {
 public:
  explicit Bench(const RuleCase& of) : case_(of), index_(of.profile), facts_(index_) {
    index_.set_predict_change([this](int configuration) -> std::optional<PredictedChange> {
      if (case_.profile.devices.empty()) return std::nullopt;
      const auto& device = case_.profile.devices.front();
      return predict_change(case_.profile, configuration, device, model::predict_time_for(device));
    });
    reset();
  }

  void reset() {
    facts_.take_back_overrides();
    for (const auto& [fact, value] : case_.overrides) facts_.override_fact(fact, value);
    facts_.begin(0);
  }
  FactMemo& facts() { return facts_; }
  VerdictKind verdict(const Rule& rule) {
    return decide(rule, facts_,
                  judged_cudnn_version(case_.profile, case_.profile.configurations.front()));
  }

 private:
  const RuleCase& case_;
  ProfileIndex index_;
  FactMemo facts_;
};

std::string reasons(const Rule& rule, FactMemo& facts) {
  std::string text;
  for (const auto* set : {&rule.applies_when, &rule.when}) {
    const auto add = [&](const Condition& condition) {
      const Fact* fact = facts.get(condition.fact);
      text +=
          fmt::format("\n  {} = {}, {} {}", definition(condition.fact).name,
                      fact ? format_fact(fact->value, definition(condition.fact).unit) : "unknown",
                      to_string(condition.op), condition.threshold);
    };
    for (const auto& condition : set->all) add(condition);
    for (const auto& group : set->any) std::for_each(group.begin(), group.end(), add);
  }
  return text;
}

void check_case(const Rule& rule, const RuleCase& given) {
  Bench bench(given);
  const auto verdict = bench.verdict(rule);
  ASSERT_EQ(to_string(verdict), to_string(given.expect)) << reasons(rule, bench.facts());
  if (verdict == VerdictKind::unknown) {
    std::vector<int> missing;
    add_missing(rule.applies_when, bench.facts(), missing);
    add_missing(rule.when, bench.facts(), missing);
    std::set<std::string> names;
    for (const int fact : missing) names.insert(definition(fact).name);
    for (const auto& name : given.missing)
      EXPECT_TRUE(names.contains(name)) << name << " is not named as missing";
  }
  if (verdict != VerdictKind::fired) return;
  const auto finding = make_finding(rule, bench.facts(), {});
  EXPECT_THAT(finding.message, ::testing::HasSubstr(given.message));
  EXPECT_FALSE(finding.comparisons.empty());
  if (given.suggestions) {
    EXPECT_EQ(static_cast<int>(finding.suggestions.size()), *given.suggestions);
  }
  for (const int fact : template_facts(rule.message)) {
    EXPECT_TRUE(bench.facts().get(fact))
        << "the message would say 'unknown' for " << definition(fact).name;
  }
}

// What a suggestion proposes must not be met by the same complaint.
void check_transforms(const Rule& rule, const RuleCase& given) {
  if (given.expect != VerdictKind::fired || !given.overrides.empty()) return;
  Bench bench(given);
  if (bench.verdict(rule) != VerdictKind::fired) return;  // reported by check_case
  for (const auto& suggestion : make_finding(rule, bench.facts(), {}).suggestions) {
    if (!suggestion.transform) continue;
    SCOPED_TRACE(describe(changes_of(suggestion)));
    // Below PyTorch the algorithm changes; what PyTorch asks for does not.
    const auto& own = given.profile.configurations.front();
    if (accelerate_does(changes_of(suggestion), own.program.name, own.config, own.program))
      continue;
    const auto composed =
        compose(changes_of(suggestion), given.profile.configurations.front().config);
    if (!composed && composed.error().code == ErrorCode::unsupported) continue;
    ASSERT_TRUE(composed) << "the transform does not fit the case: " << to_text(composed.error());
    if (given.still_fires || composed->cuda_graph) continue;
    for (const auto& config : composed->calls) {
      RuleCase changed = given;
      auto& configuration = changed.profile.configurations.front();
      Configuration fresh;  // the new configuration has not been run
      fresh.config = config;
      fresh.program = configuration.program;
      fresh.device = configuration.device;
      fresh.sizes = model::space_sizes(config);
      configuration = std::move(fresh);
      changed.profile.calls.clear();
      changed.profile.kernels = {};
      Bench after(changed);
      EXPECT_NE(to_string(after.verdict(rule)), "fired")
          << "for the suggested " << summary(config) << reasons(rule, after.facts());
    }
  }
}

Version before(Version version) {
  if (version.patch > 0) return {version.major, version.minor, version.patch - 1};
  if (version.minor > 0) return {version.major, version.minor - 1, 999};
  return {version.major - 1, 999, 999};
}

// Just below, at and just above a threshold; for divisors the multiple nearest to what the case
// has.
std::vector<FactValue> around(const Condition& condition, const FactValue& threshold,
                              const FactValue& observed) {
  if (const auto* version = std::get_if<Version>(&threshold)) {
    return {before(*version), *version,
            Version{version->major, version->minor, version->patch + 1}};
  }
  const bool real = definition(condition.fact).type == FactType::real;
  if (real) {
    const auto* whole = std::get_if<std::int64_t>(&threshold);
    const double at = whole ? static_cast<double>(*whole) : std::get<double>(threshold);
    constexpr double far = std::numeric_limits<double>::infinity();
    return {std::nextafter(at, -far), at, std::nextafter(at, far)};
  }
  const auto* exact = std::get_if<std::int64_t>(&threshold);
  std::int64_t at =
      exact ? *exact : static_cast<std::int64_t>(std::floor(std::get<double>(threshold)));
  if (condition.op == Operator::multiple_of || condition.op == Operator::not_multiple_of) {
    const auto has = std::max<std::int64_t>(1, std::get<std::int64_t>(observed));
    at = (has + at - 1) / at * at;
  }
  return {at - 1, at, at + 1};
}

void check_boundary(const Rule& rule, const RuleCase& given, const Condition& condition,
                    const FactValue& threshold, const std::vector<Condition>& others_of_group) {
  Bench bench(given);
  const Fact* observed = bench.facts().get(condition.fact);
  ASSERT_TRUE(observed) << "the firing case does not know " << definition(condition.fact).name;
  const Fact base = *observed;
  SCOPED_TRACE(fmt::format("{} {} {}", definition(condition.fact).name, to_string(condition.op),
                           condition.threshold));
  std::set<VerdictKind> seen;
  for (const auto& value : around(condition, threshold, base.value)) {
    bench.reset();
    // The rest of a group would decide in its place.
    for (const auto& other : others_of_group) {
      if (other.fact != condition.fact) bench.facts().override_fact(other.fact, std::nullopt);
    }
    bench.facts().override_fact(condition.fact, Fact{value, base.provenance});
    bench.facts().begin(0);
    const auto expected = expected_verdict(rule, [&](int fact) -> std::optional<FactValue> {
      const Fact* known = bench.facts().get(fact);
      return known ? std::optional(known->value) : std::nullopt;
    });
    const auto verdict = bench.verdict(rule);
    EXPECT_EQ(to_string(verdict), to_string(expected))
        << "at " << format_fact(value, definition(condition.fact).unit)
        << reasons(rule, bench.facts());
    seen.insert(verdict);
  }
  EXPECT_GE(seen.size(), 2U)
      << "the verdict is the same below, at and above: the threshold decides nothing";
}

bool has_boundary(const Condition& condition) {
  const auto type = definition(condition.fact).type;
  return type == FactType::integer || type == FactType::real || type == FactType::version;
}

int check_boundaries(const Rule& rule, const RuleCase& given) {
  int checked = 0;
  const auto check = [&](const Condition& condition, const std::vector<Condition>& group) {
    if (!has_boundary(condition)) return;
    auto thresholds = condition.values;
    if (condition.other_fact >= 0) {
      Bench bench(given);
      const Fact* other = bench.facts().get(condition.other_fact);
      ASSERT_TRUE(other) << "the firing case does not know "
                         << definition(condition.other_fact).name;
      thresholds = {other->value};
    }
    for (const auto& threshold : thresholds) {
      ++checked;
      check_boundary(rule, given, condition, threshold, group);
    }
  };
  for (const auto& condition : rule.when.all) check(condition, {});
  for (const auto& group : rule.when.any) {
    for (const auto& condition : group) {
      Bench bench(given);
      // Of a group only the conditions that this case knows can be moved.
      if (bench.facts().get(condition.fact)) check(condition, group);
    }
  }
  return checked;
}

class Rules : public ::testing::TestWithParam<std::string> {};

TEST_P(Rules, JudgesItsCases) {
  const Rule* rule = builtin_rules().find(GetParam());
  ASSERT_TRUE(rule);
  const auto cases = read_case_file(case_folder + rule->id + ".toml");
  if (!cases) {
    for (const auto& error : cases.error()) ADD_FAILURE() << to_text(error);
    return;
  }
  std::set<VerdictKind> covered;
  const RuleCase* firing = nullptr;
  for (const auto& given : *cases) {
    SCOPED_TRACE(
        fmt::format("{}:{}: case '{}'", given.position.file, given.position.line, given.name));
    covered.insert(given.expect);
    if (given.expect == VerdictKind::fired && !firing) firing = &given;
    check_case(*rule, given);
    check_transforms(*rule, given);
  }
  EXPECT_TRUE(covered.contains(VerdictKind::fired)) << "no case fires";
  EXPECT_TRUE(covered.contains(VerdictKind::passed)) << "no case is silent";
  const bool always_applies = rule->applies_when.empty() && rule->cudnn_bounds.empty() &&
                              rule->architectures.empty() && rule->devices.empty();
  if (!always_applies) {
    EXPECT_TRUE(covered.contains(VerdictKind::not_applicable)) << "no case is not applicable";
  }
  if (firing && !HasFailure()) {
    SCOPED_TRACE(fmt::format("boundaries, from case '{}'", firing->name));
    check_boundaries(*rule, *firing);
  }
}

std::vector<std::string> all_ids() {
  std::vector<std::string> ids;
  for (const auto& rule : builtin_rules().rules) ids.push_back(rule.id);
  return ids;
}

// "alignment/batch-multiple-of-8" -> "alignment_batch_multiple_of_8"
std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Rules);
INSTANTIATE_TEST_SUITE_P(All, Rules, ::testing::ValuesIn(all_ids()), test_name);

TEST(RuleCards, AllLoad) {
  for (const auto& error : builtin_rule_errors()) ADD_FAILURE() << to_text(error);
  EXPECT_FALSE(builtin_rules().rules.empty());
}

TEST(RuleCards, EveryCaseFileHasACard) {
  const auto files = list_cards(case_folder);
  ASSERT_TRUE(files) << to_text(files.error());
  for (const auto& file : *files) {
    const auto id = std::filesystem::path(file)
                        .lexically_relative(case_folder)
                        .replace_extension()
                        .generic_string();
    EXPECT_TRUE(builtin_rules().find(id)) << file << " belongs to no card that loads";
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor::testing
