// Hardware counters on the timeline, of a profile made here.
#include <gtest/gtest.h>

#include <cmath>

#include "gui/timeline/counter_unit.h"
#include "gui/timeline/layout.h"
#include "gui/timeline/sample_series.h"
#include "gui/timeline/statistics.h"
#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

constexpr const char* tensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr const char* traffic = "dram__bytes.sum.per_second";

void sample(SmallProfile& p, std::int64_t begin, std::int64_t end, const char* metric, double value,
            int process, int device = 0) {
  p.builder.add_counter({begin, end, device, process, metric, value});
}

// Ten samples of one counter of 100 ns each, of which one is missing, and of another two.
std::shared_ptr<const Timeline> sampled() {
  SmallProfile p;
  p.kernel(1000, 2000, "gemm");
  for (int i = 0; i < 10; ++i) {
    if (i != 5) sample(p, 1000 + i * 100, 1100 + i * 100, tensor, i * 10, p.process);
    if (i < 2) sample(p, 1000 + i * 100, 1100 + i * 100, traffic, 2e12, p.process);
  }
  return build_timeline(p.finish());
}

const Track& find(const Timeline& t, std::string_view metric) {
  for (const auto& track : t.tracks) {
    if (track.kind == TrackKind::counter && t.profile->text(track.key.metric) == metric)
      return track;
  }
  throw std::runtime_error("no such track");
}

TEST(CounterTracks, OneForEachDeviceAndMetricBelowItsDevice) {
  const auto t = sampled();
  ASSERT_EQ(t->tracks.size(), 5U);
  EXPECT_EQ(t->tracks[0].kind, TrackKind::busy);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(t->tracks[i].kind, TrackKind::counter);
    EXPECT_EQ(t->tracks[i].parent, -1);
    EXPECT_EQ(t->tracks[i].key.device, 0);
  }
  EXPECT_EQ(t->tracks[3].kind, TrackKind::process);
  EXPECT_EQ(t->tracks[4].parent, 3);
  EXPECT_EQ(find(*t, tensor).samples.peak(), 90);
  EXPECT_GT(lay_out(*t, {}).row_of(1)->height, Metrics{}.lane);
}

TEST(CounterTracks, SamplesOfTwoProcessesAreOfOneDevice) {
  SmallProfile p;
  Process other;
  other.pid = 43;
  const int second = p.builder.add_process(other);
  DeviceSpec device;
  device.id = "other";
  device.name = "Other GPU";
  p.builder.add_device(device);
  sample(p, 0, 100, tensor, 1, p.process);
  sample(p, 50, 150, tensor, 2, second);  // at the same time
  sample(p, 200, 300, tensor, 3, second);
  sample(p, 0, 100, tensor, 4, second, 1);
  const auto t = build_timeline(p.finish());
  ASSERT_EQ(t->tracks.size(), 2U);
  const auto& samples = t->tracks[0].samples;
  EXPECT_EQ(samples.at(99)->value, 1);
  EXPECT_EQ(samples.at(100)->value, 2);
  EXPECT_FALSE(samples.at(150));
  EXPECT_EQ(samples.at(200)->value, 3);
  EXPECT_EQ(t->tracks[1].samples.at(50)->value, 4);
}

TEST(CounterTracks, ReachAsFarAsTheirSamples) {
  SmallProfile p;
  p.kernel(5000, 6000, "gemm");
  sample(p, 1000, 2000, tensor, 1, p.process);
  sample(p, 9000, 10'000, tensor, 1, p.process);
  EXPECT_EQ(build_timeline(p.finish())->range, (TimeRange{1000, 10'000}));
}

TEST(CounterTracks, AreLeftOutByAFilterOnOtherNames) {
  SmallProfile p;
  p.kernel(0, 5, "gemm");
  sample(p, 0, 10, tensor, 1, p.process);
  const auto profile = p.finish();
  const auto with = [&](std::string_view word) {
    BuildOptions options;
    options.keep = [word](std::string_view name) { return name.find(word) != name.npos; };
    std::size_t counters = 0;
    const auto t = build_timeline(profile, options);
    for (const auto& track : t->tracks) counters += track.kind == TrackKind::counter ? 1U : 0U;
    return counters;
  };
  EXPECT_EQ(with("gemm"), 0U);
  EXPECT_EQ(with("tensor"), 1U);
}

TEST(CounterTracks, StatisticsOfARangeSayMeanAndMost) {
  const auto t = sampled();
  // Half of sample 2 (20), all of 3 and 4 (30, 40), none of 5, half of 6 (60).
  const auto s = full_statistics(*t, {1250, 1650});
  ASSERT_EQ(s.counters.size(), 1U);  // DRAM was sampled before only
  EXPECT_EQ(&t->tracks[static_cast<std::size_t>(s.counters[0].track)], &find(*t, tensor));
  const auto& summary = s.counters[0].summary;
  EXPECT_EQ(summary.sampled_ns, 300);
  EXPECT_EQ(summary.most, 60);
  EXPECT_DOUBLE_EQ(summary.mean, (50 * 20 + 100 * 30 + 100 * 40 + 50 * 60) / 300.0);
  EXPECT_EQ(quick_statistics(*t, {1250, 1650}).counters.size(), 1U);
}

TEST(SampleSeries, ARangeWithinOneSampleHasItsValue) {
  SampleSeries s;
  s.add(0, 1000, 7);
  s.finish();
  const auto summary = s.in({400, 500});
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->mean, 7);
  EXPECT_EQ(summary->sampled_ns, 100);
  EXPECT_FALSE(s.in({1000, 1100}));
  EXPECT_FALSE(s.in({-10, 0}));
}

TEST(SampleSeries, DrawsTheLargestOfEveryPixelAndNothingWhereNothingWasSampled) {
  SampleSeries s;
  for (int i = 0; i < 1000; ++i) {
    if (i < 300 || i >= 400) s.add(i * 10, i * 10 + 10, i == 555 ? 99 : i % 7);
  }
  s.finish();
  std::vector<double> highest;
  s.draw({{0, 10'000}, 100}, highest);
  ASSERT_EQ(highest.size(), 100U);
  EXPECT_EQ(highest[55], 99);
  EXPECT_EQ(highest[2], 6);
  for (int x = 30; x < 40; ++x) EXPECT_TRUE(std::isnan(highest[static_cast<std::size_t>(x)])) << x;
  // Far in, a sample is as wide as the picture.
  s.draw({{5551, 5559}, 8}, highest);
  for (const double value : highest) EXPECT_EQ(value, 99);
}

TEST(SampleSeries, WhatIsNegativeStaysSo) {
  SampleSeries s;
  s.add(0, 10, -3);
  s.finish();
  EXPECT_EQ(s.peak(), -3);
  EXPECT_EQ(s.in({0, 10})->most, -3);
}

TEST(CounterUnit, IsInTheName) {
  EXPECT_EQ(counter_unit(tensor), CounterUnit::percent);
  EXPECT_EQ(counter_unit(traffic), CounterUnit::bytes_per_second);
  EXPECT_EQ(counter_unit("gpc__cycles_elapsed.avg.per_second"), CounterUnit::hertz);
  EXPECT_EQ(counter_unit("sm__inst_executed.sum.per_second"), CounterUnit::per_second);
  EXPECT_EQ(counter_unit("sm__inst_executed_pipe_tensor.sum"), CounterUnit::plain);
  EXPECT_EQ(counter_unit("pct__of_something"), CounterUnit::plain);
  EXPECT_EQ(counter_unit(""), CounterUnit::plain);
}

TEST(CounterUnit, IsWrittenWithTheValue) {
  EXPECT_EQ(counter_text(CounterUnit::percent, 87.34), "87.3 %");
  EXPECT_EQ(counter_text(CounterUnit::percent, 0), "0 %");
  EXPECT_EQ(counter_text(CounterUnit::bytes_per_second, 2.4149e12), "2.41 TB/s");
  EXPECT_EQ(counter_text(CounterUnit::hertz, 1.98e9), "1.98 GHz");
  EXPECT_EQ(counter_text(CounterUnit::hertz, 999.9e6), "1.00 GHz");
  EXPECT_EQ(counter_text(CounterUnit::plain, 12.5), "12.5");
  EXPECT_EQ(counter_text(CounterUnit::plain, 1e18), "1e+18");
}

TEST(CounterUnit, StandsAloneAsWithItsValue) {
  EXPECT_EQ(unit_text(CounterUnit::percent, 87.34), "%");
  EXPECT_EQ(unit_text(CounterUnit::bytes_per_second, 2.4149e12), "TB/s");
  EXPECT_EQ(unit_text(CounterUnit::hertz, 999.9e6), "GHz");
  EXPECT_EQ(unit_text(CounterUnit::per_second, 12), "/s");
  EXPECT_EQ(unit_text(CounterUnit::plain, 12.5), "");
}

TEST(CounterUnit, TheScaleOfPercentGoesToAHundred) {
  EXPECT_EQ(counter_top(CounterUnit::percent, 3), 100);
  EXPECT_EQ(counter_top(CounterUnit::percent, 130), 130);
  EXPECT_EQ(counter_top(CounterUnit::hertz, 2e9), 2e9);
  EXPECT_EQ(counter_top(CounterUnit::plain, 0), 1);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
