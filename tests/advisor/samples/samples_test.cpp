#include "advisor/samples/samples.h"

#include <gtest/gtest.h>

#include <set>

namespace rnnadvisor::advisor {
namespace {

TEST(SampleSweeps, AllExpand) {
  ASSERT_GE(sample_sweeps().size(), 12u);
  for (const auto& file : sample_sweeps()) {
    const auto plan = expand_sweep(file.text, file.name);
    ASSERT_TRUE(plan) << file.name << ": " << to_text(plan.error().front());
    EXPECT_FALSE(plan->title.empty()) << file.name;
    EXPECT_FALSE(plan->configurations.empty()) << file.name;
    for (const auto& input : plan->configurations)
      EXPECT_FALSE(input.config.id.empty()) << file.name;
  }
}

// The three sweeps together are exactly the configurations that were measured.
TEST(SampleSweeps, GuideFiguresAreTheMeasuredConfigurations) {
  std::multiset<std::string> swept, measured;
  for (const char* name : {"sample:guide-figure-9", "sample:guide-figure-10", "sample:precision"}) {
    const auto plan = load_sweep(name);
    ASSERT_TRUE(plan);
    for (const auto& input : plan->configurations) swept.insert(to_json_line(input));
  }
  const std::string path = RNNADVISOR_SOURCE_DIR "/tests/data/h200/guide-figures-9-10.jsonl";
  const auto rows = read_config_file(path);
  ASSERT_TRUE(rows);
  for (const auto& input : *rows) measured.insert(to_json_line(input));
  EXPECT_EQ(swept.size(), 144u);
  EXPECT_EQ(swept, measured);
}

TEST(SampleSweeps, DeepBenchIsWhole) {
  const auto plan = load_sweep("sample:deepbench");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->configurations.size(), 2u * (53 + 69 + 3));
  const auto failures = load_sweep("sample:planted-failures");
  ASSERT_TRUE(failures);
  EXPECT_EQ(failures->configurations.size(), 22u);
}

}  // namespace
}  // namespace rnnadvisor::advisor
