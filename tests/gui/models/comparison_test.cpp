#include "gui/models/comparison.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "profiler/profile/builder.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

// One timed configuration; the samples of forward inference in ms.
DocumentPointer timed(std::vector<double> samples, Algo algo = Algo::standard) {
  ProfileBuilder builder;
  const int device = builder.add_device(find_device("h200").value());
  Configuration configuration;
  configuration.config.id = "layer";
  configuration.config.algo = algo;
  configuration.config.mode = Mode::inference;
  configuration.device = device;
  configuration.origin = Origin::run;
  configuration.outcome = Outcome::completed;
  PhaseTiming timing;
  timing.phase = Phase::forward_inference;
  timing.ms = median_interval(samples);
  timing.samples_ms = std::move(samples);
  configuration.timings.push_back(timing);
  builder.add_configuration(std::move(configuration));
  return std::make_shared<const Document>(builder.finish(), test_rules(), QStringLiteral("timed"));
}

TEST(Comparison, TellsAChangeFromNoise) {
  const auto slow = timed({2.0, 2.01, 2.02, 2.03, 2.04, 2.05, 2.06, 2.07});
  const auto fast = timed({1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07}, Algo::persist_static);
  const auto noisy = timed({1.0, 1.2, 1.5, 1.9, 2.05, 2.3, 2.6, 3.0});
  const auto few = timed({1.0});
  EXPECT_EQ(compare(slow, fast).matches.at(0).change, Change::faster);
  EXPECT_EQ(compare(fast, slow).matches.at(0).change, Change::slower);
  EXPECT_EQ(compare(slow, noisy).matches.at(0).change, Change::no_difference);
  EXPECT_EQ(compare(slow, few).matches.at(0).change, Change::unclear);
  const auto both = compare(slow, fast);
  EXPECT_NEAR(both.matches.at(0).ratio(), 2.035 / 1.035, 1e-9);
  EXPECT_NEAR(both.before_ms, 2.035, 1e-9);
}

TEST(Comparison, AProfileIsEqualToItself) {
  for (const char* name : {"guide-figure-10", "programs/pytorch-two-layers"}) {
    const auto document = sample(name);
    const auto c = compare(document, document);
    ASSERT_FALSE(c.matches.empty());
    for (const auto& m : c.matches) {
      EXPECT_EQ(m.before, m.after);
      EXPECT_TRUE(m.change == Change::no_difference || m.change == Change::unclear);
      EXPECT_DOUBLE_EQ(m.ratio(), 1);
      for (const auto& [b, a] : m.calls) EXPECT_EQ(b, a);
    }
    EXPECT_TRUE(c.environment.empty() && c.fixed.empty() && c.appeared.empty());
  }
}

TEST(Comparison, WhatHasNoPartnerIsNamed) {
  const auto c = compare(sample("guide-figure-10"), sample("programs/pytorch-gru"));
  bool before = false, after = false;
  for (const auto& m : c.matches) {
    before = before || m.change == Change::only_before;
    after = after || m.change == Change::only_after;
  }
  EXPECT_TRUE(before && after);
}

TEST(ComparisonModel, KeepsItsPromises) {
  ComparisonModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.set_comparison(compare(sample("guide-figure-9"), sample("guide-figure-10")));
  EXPECT_GT(model.rowCount(), 0);
  model.set_comparison({});
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace rnnadvisor::gui
