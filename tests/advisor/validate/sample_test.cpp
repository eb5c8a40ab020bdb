#include "advisor/validate/sample.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "advisor/judge/judge.h"
#include "advisor/rules/rule.h"
#include "core/config/read_config.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::advisor {
namespace {

class SamplePairs : public ::testing::Test {
 protected:
  RuleSample of(std::string_view id, SampleOptions options = {}) const {
    const auto* rule = builtin_rules().find(id);
    EXPECT_NE(rule, nullptr) << id;
    return rule == nullptr ? RuleSample{} : sample_pairs(*rule, device_, environment_, options);
  }

  // Judged anew, alone.
  VerdictKind verdict(const RulePair& pair, std::string_view id) const {
    Profile profile;
    profile.environment = environment_;
    profile.devices = {device_};
    profile.configurations = {pair.before};
    RuleSet rules;
    rules.rules = {*builtin_rules().find(id)};
    return judge(profile, rules).verdicts.at(0).kind;
  }

  DeviceSpec device_ = *find_device("h200");
  Environment environment_ = [] {
    Environment made;
    made.cudnn_version = "9.19.0";
    made.operating_system = "Linux";
    return made;
  }();
};

TEST_F(SamplePairs, AreOnTheSideTheySayTheyAre) {
  for (const auto& rule : builtin_rules().rules) {
    SampleOptions options;
    options.firing = 4;
    options.silent = 4;
    options.tries = 1024;
    const auto sample = sample_pairs(rule, device_, environment_, options);
    std::set<std::string> seen;
    int fires = 0;
    for (const auto& pair : sample.pairs) {
      EXPECT_EQ(verdict(pair, rule.id), pair.fires ? VerdictKind::fired : VerdictKind::passed)
          << rule.id;
      EXPECT_TRUE(seen.insert(to_json_line(pair.before.config)).second) << rule.id << ": twice";
      EXPECT_FALSE(pair.candidate.transforms.empty()) << rule.id;
      EXPECT_EQ(pair.candidate.rule, rule.id);
      EXPECT_TRUE(quick_enough(pair.before.config)) << rule.id;
      fires += pair.fires ? 1 : 0;
    }
    EXPECT_EQ(sample.why_fewer.empty(), fires == options.firing)
        << rule.id << ": " << sample.why_fewer;
  }
}

// Every card that cannot be measured says why, by what it is about.
TEST(CannotBeSampled, SaysWhatTheCardIsAbout) {
  const std::pair<const char*, const char*> reasons[] = {
      {"tracing/records-dropped", "about tracing"},
      {"experiments/faster-exact", "about what was recorded or measured"},
      {"versions/old-cudnn", "about another device or version"},
      {"pytorch/volta-length", "about another device or version"},
      {"tiles/v100-batch-128", "about another device or version"},
      {"keras/keras2-mask", "about what a framework does before cuDNN sees a call"},
      {"alignment/pointers-16-bytes", "about a program, not about a call"},
      {"descriptor/gru-single-bias", "about numerics or a defect"},
      {"memory/gru-reserve", "explains what a configuration leads to"},
      {"launch/host-bound", "compares what was recorded"}};
  for (const auto& [id, why] : reasons) {
    const auto* rule = builtin_rules().find(id);
    ASSERT_NE(rule, nullptr) << id;
    EXPECT_THAT(cannot_be_sampled(*rule), ::testing::HasSubstr(why)) << id;
  }
  EXPECT_EQ(cannot_be_sampled(*builtin_rules().find("alignment/batch-multiple-of-8")), "");
}

// cuDNN projects in LSTMs only: other cells show its refusal and nothing of the card.
TEST_F(SamplePairs, OfAProjectionAreLstms) {
  const auto sample = of("pytorch/projection-standard");
  EXPECT_FALSE(sample.pairs.empty());
  for (const auto& pair : sample.pairs)
    if (pair.fires) {
      EXPECT_EQ(pair.before.config.cell, Cell::lstm);
    }
}

}  // namespace
}  // namespace rnnadvisor::advisor
