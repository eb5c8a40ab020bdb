// Any bytes as a rule card: an answer, never a crash. What is accepted can be judged, described and
// paged.
#include "advisor/judge/judge.h"
#include "advisor/report/rule_pages.h"
#include "advisor/rules/catalog.h"
#include "tests/fuzz/config_checks.h"

namespace {

rnnadvisor::Profile make_profile() {
  rnnadvisor::Profile profile;
  profile.devices.push_back(rnnadvisor::shipped_devices().front());
  profile.configurations.resize(2);
  profile.configurations[1].device = -1;
  return profile;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto rule = advisor::read_rule(text, "fuzz.toml");
  if (!rule) {
    fuzz::check_errors(rule.error());
    return 0;
  }
  fuzz::require(!rule->citations.empty() && !rule->when.empty(),
                "a card has a condition and a citation");
  static const Profile profile = make_profile();
  const advisor::RuleSet rules{{*rule}};
  const auto judgement = advisor::judge(profile, rules);
  fuzz::require(judgement.verdicts.size() == 2, "every configuration has a verdict");
  for (const auto& verdict : judgement.verdicts) {
    fuzz::require(verdict.kind != advisor::VerdictKind::error,
                  "a card that loads can be evaluated");
  }
  fuzz::require(advisor::explain_rule_text(rules, rule->id).has_value(), "a rule can be explained");
  fuzz::require(advisor::explain_rule_json(rules, rule->id).has_value(), "a rule can be exported");
  fuzz::require(!advisor::write_rule_page(*rule).empty(), "a rule has a page");
  return 0;
}
