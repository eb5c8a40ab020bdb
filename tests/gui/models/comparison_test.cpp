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

// A traced program of one layer: `steps` gives the kernel time of each forward call in us; a
// negative one is an evaluation (forward inference) of that time.
DocumentPointer traced(const std::vector<int>& steps) {
  ProfileBuilder builder;
  const int device = builder.add_device(find_device("h200").value());
  Configuration configuration;
  configuration.config.id = "layer";
  configuration.origin = Origin::captured;
  configuration.device = device;
  const int index = builder.add_configuration(configuration);
  Process process;
  process.pid = 1;
  process.host = "here";
  process.start_ns = 0;
  const int of = builder.add_process(process);
  std::int64_t time = 1'000'000;
  for (const int us : steps) {
    RnnCall call;
    call.configuration = index;
    call.process = of;
    call.device = device;
    call.phase = us < 0 ? Phase::forward_inference : Phase::forward_training;
    call.host_start_ns = time;
    call.host_end_ns = time + 1000;
    KernelRecord kernel;
    kernel.call = builder.add_call(call);
    kernel.name = "elemWiseRNNcell";
    kernel.start_ns = time + 2000;
    kernel.end_ns = kernel.start_ns + std::abs(us) * 1000;
    kernel.process = of;
    kernel.device = device;
    builder.add_kernel(kernel);
    time += 10'000'000;
  }
  return std::make_shared<const Document>(builder.finish(), test_rules(), QStringLiteral("traced"));
}

// A call that only one of them has moves no other, and the difference of partners tells a change
// that the spread of the calls would hide.
TEST(Comparison, MatchesCallsInTheirOrder) {
  const auto before = traced({900, 100, 500, 300, 700, 200, 800, 400});
  // The same with 10 us less each, an evaluation in between, and one call missing.
  const auto after = traced({890, 90, 490, -50, 690, 190, 790, 390});
  const auto c = compare(before, after);
  const auto phase = std::find_if(c.matches.begin(), c.matches.end(), [](const Match& m) {
    return m.phase == Phase::forward_training;
  });
  ASSERT_NE(phase, c.matches.end());
  EXPECT_EQ(phase->calls.size(), 8U);
  int pairs = 0;
  for (const auto& call : c.calls) {
    if (call.before < 0 || call.after < 0) continue;
    ++pairs;
    // All are of one kind, so that one of the eight must be without a partner; those before the
    // evaluation keep theirs.
    if (call.before < 3) {
      EXPECT_EQ(call.before, call.after);
    }
  }
  EXPECT_EQ(pairs, 7);
  const auto evaluation = std::count_if(c.calls.begin(), c.calls.end(), [](const CallMatch& call) {
    return call.before < 0 && call.after == 3;
  });
  EXPECT_EQ(evaluation, 1);
}

TEST(Comparison, PartnersTellWhatTheSpreadHides) {
  std::vector<int> slow, fast;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(100 + i * 50);
    fast.push_back(90 + i * 50 + i % 3);
  }
  const auto c = compare(traced(slow), traced(fast));
  ASSERT_EQ(c.matches.size(), 1U);
  const auto& match = c.matches[0];
  // The intervals of the medians overlap; those of the differences do not reach zero.
  EXPECT_LT(match.before_ms.low, match.after_ms.high);
  EXPECT_LT(match.paired_ms.high, 0);
  EXPECT_NEAR(match.paired_ms.median, -0.009, 1e-9);
  EXPECT_EQ(match.change, Change::faster);
  EXPECT_EQ(compare(traced(fast), traced(slow)).matches[0].change, Change::slower);
  // Every kernel is pointwise: that is where the time went.
  const auto parts = time_parts(c, match);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts[0].name, QStringLiteral("pointwise"));
  EXPECT_NEAR(parts[0].after_ms - parts[0].before_ms, -0.009, 2e-4);
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

TEST(CallMatchesModel, KeepsItsPromises) {
  CallMatchesModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  const auto c = compare(sample("programs/pytorch-two-layers"), sample("programs/pytorch-gru"));
  model.set_comparison(&c);
  ASSERT_EQ(model.rowCount(), static_cast<int>(c.calls.size()));
  ASSERT_GT(model.rowCount(), 0);
  for (int column = 0; column < CallMatchesModel::columns; ++column)
    EXPECT_FALSE(model.index(0, column).data().toString().isEmpty()) << column;
  model.set_comparison(nullptr);
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace rnnadvisor::gui
