#include "advisor/rules/evaluate.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "tests/advisor/rules/card.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// A profile of one configuration without a device, and chosen values in the place of facts.
class Evaluate : public ::testing::Test {
 protected:
  Evaluate() {
    profile_.configurations.emplace_back().device = -1;
    index_.emplace(profile_);
    facts_.emplace(*index_);
    facts_->begin(0);
  }
  void set(std::string_view fact, FactValue value) {
    ASSERT_GE(find_fact(fact), 0) << fact;
    facts_->override_fact(find_fact(fact), Fact{std::move(value), Provenance::measured});
  }
  void forget(std::string_view fact) { facts_->override_fact(find_fact(fact), std::nullopt); }
  VerdictKind verdict(const Rule& rule, std::optional<Version> cudnn = std::nullopt) {
    return decide(rule, *facts_, cudnn);
  }
  Rule rule(std::string_view applies, std::string_view when) {
    return card("message = \"m\"\n" +
                (applies.empty() ? "" : "applies_when = " + std::string(applies) + "\n") +
                "when = " + std::string(when));
  }
  Truth truth(std::string_view when) { return holds(rule("", when).when, *facts_); }

  Profile profile_;
  std::optional<ProfileIndex> index_;
  std::optional<FactMemo> facts_;
};

constexpr std::int64_t at(int value) { return value; }

TEST_F(Evaluate, Operators) {
  set("call.hidden_size", at(64));
  set("call.cell", "gru");
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", is = 64 }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", is_not = 64 }"), Truth::no);
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", in = [32, 64] }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", not_in = [32, 64] }"), Truth::no);
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", not_in = [32, 65] }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", at_least = 64 }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", above = 64 }"), Truth::no);
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", at_most = 64 }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", below = 64 }"), Truth::no);
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", multiple_of = 32 }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"call.hidden_size\", not_multiple_of = 48 }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"call.cell\", is = \"gru\" }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"call.cell\", not_in = [\"lstm\", \"gru\"] }"), Truth::no);
}

TEST_F(Evaluate, VersionsCompareByParts) {
  set("environment.cudnn_version", Version{9, 19, 0});
  EXPECT_EQ(truth("{ fact = \"environment.cudnn_version\", above = \"9.9\" }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"environment.cudnn_version\", at_least = \"9.19\" }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"environment.cudnn_version\", below = \"9.19.1\" }"), Truth::yes);
}

TEST_F(Evaluate, LargeIntegersAreComparedExactly) {
  set("memory.need", std::int64_t{9007199254740993});  // no double is this number
  EXPECT_EQ(truth("{ fact = \"memory.need\", is = 9007199254740993 }"), Truth::yes);
  EXPECT_EQ(truth("{ fact = \"memory.need\", above = 9007199254740992 }"), Truth::yes);
}

TEST_F(Evaluate, FactsCompareWithFacts) {
  const auto text = "{ fact = \"memory.need\", above = { fact = \"device.memory\" } }";
  set("memory.need", at(101));
  EXPECT_EQ(truth(text), Truth::unknown);
  set("device.memory", at(100));
  EXPECT_EQ(truth(text), Truth::yes);
  set("device.memory", at(101));
  EXPECT_EQ(truth(text), Truth::no);
}

constexpr std::string_view batch_odd = "{ fact = \"call.batch_size\", not_multiple_of = 8 }";
constexpr std::string_view hidden_large = "{ fact = \"call.hidden_size\", above = 1000 }";

std::string both(std::string_view a, std::string_view b) {
  return "[" + std::string(a) + ", " + std::string(b) + "]";
}
std::string either(std::string_view a, std::string_view b) {
  return "{ any_of = " + both(a, b) + " }";
}

// Every pair of known-true, known-false and unknown, against the tables of Kleene's logic.
TEST_F(Evaluate, ThreeValuedLogic) {
  const std::array values = {Truth::no, Truth::unknown,
                             Truth::yes};  // in the order of their strength
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      a == 1 ? forget("call.batch_size") : set("call.batch_size", at(a == 2 ? 33 : 32));
      b == 1 ? forget("call.hidden_size") : set("call.hidden_size", at(b == 2 ? 1001 : 1000));
      EXPECT_EQ(truth(both(batch_odd, hidden_large)), values[std::min(a, b)]) << a << b;
      EXPECT_EQ(truth(either(batch_odd, hidden_large)), values[std::max(a, b)]) << a << b;
    }
  }
}

// The table in docs/writing-rules.md.
TEST_F(Evaluate, Verdicts) {
  const auto judged = rule(batch_odd, hidden_large);
  const std::array<std::array<VerdictKind, 3>, 3> table = {{
      // when:   no, unknown, yes
      {VerdictKind::not_applicable, VerdictKind::not_applicable, VerdictKind::not_applicable},
      {VerdictKind::passed, VerdictKind::unknown, VerdictKind::unknown},
      {VerdictKind::passed, VerdictKind::unknown, VerdictKind::fired},
  }};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      a == 1 ? forget("call.batch_size") : set("call.batch_size", at(a == 2 ? 33 : 32));
      b == 1 ? forget("call.hidden_size") : set("call.hidden_size", at(b == 2 ? 1001 : 1000));
      EXPECT_EQ(to_string(verdict(judged)), to_string(table[a][b])) << a << b;
    }
  }
}

TEST_F(Evaluate, MissingFactsAreThoseThatDecide) {
  forget("call.batch_size");
  forget("device.memory");
  set("call.cell", "lstm");
  set("memory.need", at(5));
  const auto missing = [&](const Rule& of) {
    std::vector<int> facts;
    add_missing(of.when, *facts_, facts);
    std::vector<std::string> names;
    for (const int fact : facts)
      names.push_back(fact_catalogue()[static_cast<std::size_t>(fact)].name);
    return names;
  };
  EXPECT_THAT(
      missing(rule(
          "", both(batch_odd, "{ fact = \"memory.need\", above = { fact = \"device.memory\" } }"))),
      UnorderedElementsAre("call.batch_size", "device.memory"));
  // A group that a known fact decides needs nothing more.
  EXPECT_THAT(missing(rule("", both(batch_odd, either("{ fact = \"call.cell\", is = \"lstm\" }",
                                                      "{ fact = \"device.memory\", above = 1 }")))),
              ElementsAre("call.batch_size"));
}

TEST_F(Evaluate, ValidityLimitsOnlyWhatIsKnown) {
  auto judged = rule("", hidden_large);
  set("call.hidden_size", at(1001));
  judged.cudnn_bounds = {{Operator::at_least, {8, 1, 0}}, {Operator::below, {9, 0, 0}}};
  EXPECT_EQ(verdict(judged), VerdictKind::fired) << "unknown version";
  EXPECT_EQ(verdict(judged, Version{8, 0, 9}), VerdictKind::not_applicable);
  EXPECT_EQ(verdict(judged, Version{8, 1, 0}), VerdictKind::fired);
  EXPECT_EQ(verdict(judged, Version{8, 9, 7}), VerdictKind::fired);
  EXPECT_EQ(verdict(judged, Version{9, 0, 0}), VerdictKind::not_applicable);

  DeviceSpec device;
  device.id = "nvidia-h200";
  device.architecture = "Hopper";
  judged.architectures = {"Ampere", "Hopper"};
  EXPECT_TRUE(valid_for(judged, std::nullopt, &device));
  judged.devices = {"nvidia-a30"};
  EXPECT_FALSE(valid_for(judged, std::nullopt, &device));
  EXPECT_TRUE(valid_for(judged, std::nullopt, nullptr)) << "unknown device";
}

TEST_F(Evaluate, AFactOfTheWrongTypeIsAnErrorNotAVerdict) {
  const auto judged = rule("", hidden_large);
  set("call.hidden_size", 1001.0);  // declared as an integer
  EXPECT_EQ(verdict(judged), VerdictKind::error);
  EXPECT_THAT(failed_facts(judged.when, *facts_), ElementsAre("call.hidden_size"));
  // What is known to be false still decides.
  set("call.batch_size", at(32));
  EXPECT_EQ(verdict(rule("", both(batch_odd, hidden_large))), VerdictKind::passed);
}

TEST_F(Evaluate, OverridesCanBeTakenBack) {
  set("call.hidden_size", at(7));
  facts_->take_back_overrides();
  facts_->begin(0);
  const Fact* fact = facts_->get(find_fact("call.hidden_size"));
  ASSERT_TRUE(fact);
  EXPECT_EQ(fact->value, FactValue(std::int64_t{512})) << "the default of the configuration";
}

TEST(JudgedVersion, TheProgramsOwnComesFirst) {
  Profile profile;
  profile.environment.cudnn_version = "9.19.0";
  auto& configuration = profile.configurations.emplace_back();
  EXPECT_EQ(judged_cudnn_version(profile, configuration), (Version{9, 19, 0}));
  configuration.program.cudnn_version = "7.5.1";
  EXPECT_EQ(judged_cudnn_version(profile, configuration), (Version{7, 5, 1}));
  configuration.program.cudnn_version.reset();
  profile.environment.cudnn_version.clear();
  EXPECT_EQ(judged_cudnn_version(profile, configuration), std::nullopt);
}

}  // namespace
}  // namespace rnnadvisor::advisor
