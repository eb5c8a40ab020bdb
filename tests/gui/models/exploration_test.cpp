#include <gtest/gtest.h>

#include "gui/models/exploration_pages.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

ConfigInput input_of(int hidden) {
  ConfigInput input;
  input.config.data_type = DataType::half;
  input.config.math_type = MathType::tensor_op;
  input.config.hidden_size = input.config.input_size = input.config.proj_size = hidden;
  return input;
}

TEST(Exploration, SaysWhatCheckSays) {
  const auto device = find_device("h200").value();
  const auto now = explore(input_of(1001), device, test_rules());
  EXPECT_EQ(now.phases.size(), 3U);
  bool found = false;
  for (const auto& f : now.document->judgement().findings)
    found = found || f.rule_id == "alignment/hidden-multiple-of-8";
  EXPECT_TRUE(found);
  const auto held = explore(input_of(1024), device, test_rules());
  const QString page = exploration_verdict(now, &held, light_theme());
  EXPECT_TRUE(page.contains(QStringLiteral("hidden_size")));
  EXPECT_TRUE(page.contains(QStringLiteral("1024")));
  EXPECT_TRUE(exploration_limits(now, light_theme()).contains(QStringLiteral("persist_static")));
  EXPECT_TRUE(exploration_gemms(now, light_theme()).contains(QStringLiteral("recurrent")));
}

TEST(Exploration, ProductsNameTheirLayerWhereThereAreSeveral) {
  const auto device = find_device("h200").value();
  auto input = input_of(1024);
  const QString layer = QStringLiteral(">Layer</td>");
  EXPECT_FALSE(
      exploration_gemms(explore(input, device, test_rules()), light_theme()).contains(layer));
  input.config.num_layers = 2;
  const QString two = exploration_gemms(explore(input, device, test_rules()), light_theme());
  EXPECT_TRUE(two.contains(layer));
  // Sizes stay on one line.
  EXPECT_TRUE(two.contains(QStringLiteral("white-space:nowrap\">4096 × ")));
}

// Two calls of one layer are twice one of them, whatever the model says of one.
TEST(Exploration, SeveralCallsAreSummed) {
  const auto device = find_device("h200").value();
  const auto input = input_of(512);
  const model::PredictTime predict = [](const RnnConfig& config, Phase) {
    const double s = config.hidden_size * 1e-6;
    return std::optional(model::TimePrediction{s, s / 2, s * 2, false, "made up for this test"});
  };
  auto other = input.config;
  other.hidden_size = other.proj_size = other.input_size = 1024;
  const auto one = explore(input, device, test_rules(), predict);
  ConfigInput wide = input;
  wide.config = other;
  const auto second = explore(wide, device, test_rules(), predict);
  const auto all = explore(input, device, test_rules(), predict, {input.config, other, other});
  EXPECT_EQ(one.calls, 1);
  EXPECT_EQ(all.calls, 4);
  EXPECT_NEAR(all.bound_ms, 2 * one.bound_ms + 2 * second.bound_ms, 1e-9);
  EXPECT_EQ(all.memory.total, 2 * one.memory.total + 2 * second.memory.total);
  EXPECT_EQ(one.memory.total, one.report().memory.total);
  ASSERT_TRUE(all.predicted);
  // Three phases of 2 x 512 and 2 x 1024 microseconds.
  EXPECT_NEAR(all.predicted->seconds, 3 * 3072e-6, 1e-12);
  EXPECT_NEAR(all.predicted->high_seconds, 6 * 3072e-6, 1e-12);
  EXPECT_EQ(all.phases[0].cost.flops,
            2 * one.phases[0].cost.flops + 2 * second.phases[0].cost.flops);
  const QString page = exploration_verdict(all, &one, light_theme());
  EXPECT_TRUE(page.contains(QStringLiteral("4 calls")));
  EXPECT_FALSE(exploration_verdict(one, nullptr, light_theme()).contains(QStringLiteral("1 call")));
}

TEST(Exploration, AnAbsurdConfigurationIsAnswered) {
  auto input = input_of(1 << 20);
  input.config.num_layers = 1 << 20;
  input.config.seq_length = 1 << 20;
  const auto now = explore(input, find_device("t4").value(), test_rules());
  EXPECT_FALSE(now.violations.empty());
  EXPECT_FALSE(exploration_verdict(now, nullptr, light_theme()).isEmpty());
  EXPECT_FALSE(exploration_gemms(now, light_theme()).isEmpty());
}

TEST(Exploration, TheCommandNamesTheConfiguration) {
  const auto text =
      command_of(input_of(1000), find_device("h200").value(), QStringLiteral("check"));
  EXPECT_TRUE(text.startsWith(QStringLiteral("rnnadvisor check --cell lstm")));
  EXPECT_TRUE(text.contains(QStringLiteral("--hidden-size 1000")));
  EXPECT_TRUE(text.endsWith(QStringLiteral("--device nvidia-h200")));
}

TEST(Exploration, EverySizeOfASliderIsAnswered) {
  const auto device = find_device("h200").value();
  for (int hidden = 512; hidden < 562; ++hidden) {
    const auto now = explore(input_of(hidden), device, test_rules());
    EXPECT_FALSE(exploration_verdict(now, nullptr, light_theme()).isEmpty()) << hidden;
  }
}

}  // namespace
}  // namespace rnnadvisor::gui
