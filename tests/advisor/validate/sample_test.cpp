#include "advisor/validate/sample.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "advisor/rules/rule.h"
#include "core/config/read_config.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

}  // namespace
}  // namespace rnnadvisor::advisor
