// Over every recording that the program brings along: what it shows running is never called
// impossible, and a gain is of a change that is suggested beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "advisor/change/compose.h"
#include "advisor/facts/profile_index.h"
#include "advisor/rules/rule.h"
#include "tests/advisor/judge/judged_recording.h"

namespace rnnadvisor::advisor {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> recordings() {
  std::vector<std::string> files;
  for (const auto& file :
       fs::recursive_directory_iterator(RNNADVISOR_SOURCE_DIR "/samples/recorded"))
    if (file.path().extension() == ".rnnprof") files.push_back(file.path().string());
  // Where changes were tried: of a program in C++ and of two in PyTorch.
  for (const auto& file : fs::directory_iterator(RNNADVISOR_SOURCE_DIR "/tests/gpu/results/h200"))
    if (file.path().string().ends_with("-verified.rnnprof")) files.push_back(file.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

bool proposes(const Rule& rule) {
  return std::any_of(rule.suggestions.begin(), rule.suggestions.end(),
                     [](const auto& s) { return s.transform.has_value() || !s.found.empty(); });
}

// Every pass that the configuration asks for was seen to succeed.
bool ran_whole(const Profile& profile, int index) {
  const auto& own = profile.configurations[static_cast<std::size_t>(index)];
  if (own.outcome != Outcome::completed) return false;
  bool forward = false, backward = false;
  for (const auto& call : profile.calls) {
    if (call.configuration != index) continue;
    if (call.status != 0) return false;
    if (call.phase == Phase::backward_data) backward = true;
    if (call.phase == Phase::forward_training || call.phase == Phase::forward_inference)
      forward = true;
  }
  return forward && (backward || own.config.mode == Mode::inference);
}

class RecordedTruth : public ::testing::TestWithParam<std::string> {
 protected:
  const JudgedRecording& judged = judged_recording(GetParam());
  const Profile& profile = judged.profile;
  const Judgement& judgement = judged.judgement;
};

TEST_P(RecordedTruth, WhatRanIsNotImpossible) {
  for (const auto& finding : judgement.findings) {
    const auto* rule = builtin_rules().find(finding.rule_id);
    ASSERT_NE(rule, nullptr);
    if (finding.severity != Severity::error || rule->consequence != "error") continue;
    EXPECT_FALSE(ran_whole(profile, finding.configuration)) << finding.rule_id << finding.message;
  }
}

TEST_P(RecordedTruth, NoEstimateStandsForWhatWasTimedHere) {
  for (const auto& finding : judgement.findings) {
    if (!finding.gain || finding.gain->basis == GainBasis::measured_here) continue;
    for (const auto& suggestion : finding.suggestions)
      EXPECT_FALSE(timed_here(suggestion) && changes_of(suggestion) == finding.gain->changes)
          << finding.rule_id;
  }
}

// Trials move results by other dropout masks or in another precision; the program itself is right.
TEST_P(RecordedTruth, WhatWasTriedMakesNoProgramAnError) {
  const bool wrong = GetParam().ends_with("lstm-40-verified.rnnprof");
  for (const auto& finding : judgement.findings) {
    if (profile.experiments.empty() || finding.severity != Severity::error) continue;
    EXPECT_TRUE(wrong && finding.rule_id == "pytorch/small-h-wrong-outputs") << finding.rule_id;
  }
}

TEST_P(RecordedTruth, AGainIsOfAChangeThatIsSuggested) {
  for (const auto& finding : judgement.findings) {
    if (!finding.gain) continue;
    const auto& gain = *finding.gain;
    const auto* rule = builtin_rules().find(finding.rule_id);
    if (gain.changes.empty()) {
      EXPECT_FALSE(proposes(*rule)) << finding.rule_id;
      continue;
    }
    // Another finding may have told the change first.
    const bool suggested = std::any_of(
        judgement.findings.begin(), judgement.findings.end(), [&](const Finding& other) {
          return other.configuration == finding.configuration &&
                 std::any_of(other.suggestions.begin(), other.suggestions.end(),
                             [&](const Suggestion& s) { return changes_of(s) == gain.changes; });
        });
    EXPECT_TRUE(suggested) << finding.rule_id << " gains by " << to_json(gain.changes);
  }
}

// A gain "measured here" is the ratio of two times in this file, or of a trial.
TEST_P(RecordedTruth, WhatWasMeasuredHereIsInTheFile) {
  for (const auto& finding : judgement.findings) {
    if (!finding.gain || finding.gain->basis != GainBasis::measured_here ||
        finding.gain->saved_bytes > 0)
      continue;
    const auto& gain = *finding.gain;
    const bool tried = std::any_of(profile.experiments.begin(), profile.experiments.end(),
                                   [&](const Experiment& one) {
                                     const auto changes = parse_transforms(one.transforms);
                                     return changes && in_order(*changes) == gain.changes &&
                                            one.configuration == finding.configuration;
                                   });
    if (tried) continue;
    const auto& own = profile.configurations[static_cast<std::size_t>(finding.configuration)];
    const auto calls = compose(gain.changes, own.config);
    ASSERT_TRUE(calls) << finding.rule_id;
    // Twice the batch does twice the work.
    const bool per_sequence = compared_per_sequence(gain.changes);
    const std::string scope = gain.scope.substr(0, gain.scope.find(','));
    const double work =
        per_sequence ? static_cast<double>(calls->calls.front().batch_size) / own.config.batch_size
                     : 1;
    double after = 0;
    for (const auto& call : calls->calls) {
      const auto other = std::find_if(profile.configurations.begin(), profile.configurations.end(),
                                      [&](const auto& c) {
                                        RnnConfig same = c.config;
                                        same.id = call.id;
                                        return same == call && !c.timings.empty();
                                      });
      ASSERT_NE(other, profile.configurations.end())
          << finding.rule_id << ": nothing in the file ran " << summary(call);
      after += scope_ms(*other, scope).value_or(0);
    }
    EXPECT_NEAR(gain.speedup, scope_ms(own, scope).value_or(0) / after * work, 1e-9)
        << finding.rule_id << " of " << own.config.id;
  }
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Samples, RecordedTruth, ::testing::ValuesIn(recordings()), name_of);

TEST(Gains, EveryCardSaysOfWhichChange) {
  for (const auto& rule : builtin_rules().rules) {
    for (const auto& gain : rule.gains) {
      if (!gain.once.empty()) continue;  // possible once the program is another one
      EXPECT_EQ(gain.of.empty(), !proposes(rule)) << rule.id;
      const int fact = gain.fact.empty() ? -1 : find_fact(gain.fact);
      if (fact < 0) continue;
      const auto& kind = fact_definition(fact).gain_of;
      EXPECT_TRUE(!kind.empty() || fact_definition(fact).unit == "B") << rule.id;
      for (const auto i : gain.of) {
        const auto& suggestion = rule.suggestions[i];
        if (kind.empty()) continue;
        EXPECT_EQ(suggestion.found.empty() ? suggestion.transform->kind : suggestion.found, kind)
            << rule.id;
        EXPECT_TRUE(suggestion.with.empty()) << rule.id;
      }
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
