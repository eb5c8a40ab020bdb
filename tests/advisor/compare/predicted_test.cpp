// What the earlier advice predicted, on recordings before and after a change.
#include "advisor/compare/predicted.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "advisor/compare/comparison.h"
#include "advisor/compare/comparison_words.h"
#include "profiler/profile/file.h"
#include "tests/advisor/compare/judged.h"

namespace rnnadvisor::compare {
namespace {

std::shared_ptr<const Judged> recorded(const std::string& name) {
  return std::make_shared<const Judged>(
      read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/" + name + ".rnnprof")
          .value());
}

// The recording after has the layers one by one, as the first finding before proposes.
TEST(Predictions, StandBesideWhatWasMeasuredOfTheChangeThatWasMade) {
  const auto before = recorded("pytorch-two-layers"), after = recorded("pytorch-two-layers-split");
  const auto c = compare::compare(before->report, after->report);
  ASSERT_EQ(c.predictions.size(), 2U);
  const auto& layer = c.predictions[0];
  const auto& finding = before->judgement.findings.front();
  EXPECT_EQ(layer.rule, "pytorch/split-stack");
  EXPECT_EQ(layer.rule, finding.rule_id);
  EXPECT_DOUBLE_EQ(layer.predicted.value, finding.gain->speedup);
  EXPECT_DOUBLE_EQ(layer.predicted.high, finding.gain->high);
  double old_ms = 0, new_ms = 0;
  ASSERT_EQ(layer.matches.size(), 3U);  // the passes of a training step
  for (const int match : layer.matches) {
    old_ms += c.matches.at(static_cast<std::size_t>(match)).before_ms.median;
    new_ms += c.matches.at(static_cast<std::size_t>(match)).after_ms.median;
  }
  EXPECT_DOUBLE_EQ(layer.measured.value, old_ms / new_ms);
  const auto& step = c.predictions[1];
  EXPECT_TRUE(step.of_step());
  EXPECT_NEAR(step.predicted.value, 1 / (1 - finding.rule_saving->share), 1e-12);
  EXPECT_DOUBLE_EQ(step.measured.value, c.step->ratio());
  EXPECT_LT(step.measured.low, step.measured.value);
  EXPECT_GT(step.measured.high, step.measured.value);
  Prediction said;
  said.predicted = {2.84, 1.91, 4.1};
  said.measured = {4.43, 3, 5};
  EXPECT_EQ(prediction_in_words(said), "predicted 2.84× (1.91 to 4.10), measured 4.43×");
}

// There is no prediction for a change that is not there, whatever else differs.
TEST(Predictions, AreNotOfWhatWasNotChanged) {
  const auto two = recorded("pytorch-two-layers"), split = recorded("pytorch-two-layers-split");
  EXPECT_TRUE(compare::compare(two->report, two->report).predictions.empty());
  EXPECT_TRUE(compare::compare(split->report, two->report).predictions.empty());
  for (const char* other : {"pytorch-gru", "pytorch-tagger", "pytorch-speech-encoder"}) {
    const auto c = compare::compare(two->report, recorded(other)->report);
    EXPECT_TRUE(c.predictions.empty()) << other;
  }
}

}  // namespace
}  // namespace rnnadvisor::compare
