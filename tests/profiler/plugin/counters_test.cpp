// Hardware counters that the plugin samples, with a stand-in for the part of CUPTI that does it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A program that works for a third of a second.
struct CountedChild : Child {
  explicit CountedChild(const char* mode = "full") : Child(PROBE_FILE) {
    variable("RNNADVISOR_MODE", mode)
        .variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
        .variable("PROBE_CUPTI", "1");
  }
  Result works() { return run({"cuda-slowly", "300"}); }
};

std::vector<std::string> metrics(const Spool& s) {
  std::vector<std::string> names;
  for (const auto& each : s.counter_metrics)
    for (std::uint32_t i = 0; i < each.count; ++i) names.push_back(s.text(each.names[i]));
  return names;
}

TEST(Counters, AreSampledInTheModeFull) {
  CountedChild child;
  const auto result = child.works();
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  EXPECT_THAT(metrics(s),
              ElementsAre("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
                          "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                          "sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed",
                          "dram__bytes.sum.per_second",
                          "gr__cycles_active.avg.pct_of_peak_sustained_elapsed",
                          "gpc__cycles_elapsed.avg.per_second"));
  ASSERT_GT(s.counter_samples.size(), 100U);
  EXPECT_LT(s.counter_samples.size(), 400U);
  for (std::size_t i = 0; i < s.counter_samples.size(); ++i) {
    const auto& sample = s.counter_samples[i];
    EXPECT_EQ(sample.end_ns - sample.start_ns, 1'000'000);
    EXPECT_EQ(sample.device, 0U);
    ASSERT_EQ(sample.count, 6U);
    EXPECT_EQ(sample.values[0], 0.5);
    EXPECT_EQ(sample.values[5], 5.5);
    if (i == 0) continue;
    EXPECT_EQ(sample.start_ns, s.counter_samples[i - 1].end_ns) << "one is missing";
  }
  EXPECT_THAT(s.counter_clocks, Not(IsEmpty()));
  for (const auto& clock : s.counter_clocks) EXPECT_GE(clock.host_ns, clock.device_ns);
  EXPECT_THAT(s.kernels, Not(IsEmpty()));
  EXPECT_EQ(s.lost(), 0U);
}

TEST(Counters, TheIntervalIsASetting) {
  CountedChild child;
  child.variable("RNNADVISOR_COUNTER_INTERVAL_US", "20000");
  const auto result = child.works();
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.counter_samples, Not(IsEmpty()));
  EXPECT_LT(s.counter_samples.size(), 20U);
  EXPECT_EQ(s.counter_samples[0].end_ns - s.counter_samples[0].start_ns, 20'000'000);
}

TEST(Counters, TheyEndAfterTheirTime) {
  CountedChild child;
  child.variable("RNNADVISOR_COUNTER_DURATION_MS", "80");
  const auto result = child.works();
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.counter_samples, Not(IsEmpty()));
  EXPECT_LT(s.counter_samples.back().end_ns - s.counter_samples.front().start_ns, 250'000'000);
  EXPECT_GT(s.calls.back().start_ns, s.counter_samples.back().end_ns);
}

TEST(Counters, AreNotForTheOtherModes) {
  for (const char* mode : {"kernels", "calls"}) {
    CountedChild child(mode);
    const auto result = child.works();
    ASSERT_EQ(result.status, 0) << result.error;
    EXPECT_THAT(result.spool().counter_metrics, IsEmpty());
    EXPECT_THAT(result.spool().counter_samples, IsEmpty());
  }
  CountedChild chosen("kernels");
  chosen.variable("RNNADVISOR_TRACE", "counters");
  EXPECT_THAT(chosen.works().spool().counter_samples, Not(IsEmpty()));
}

TEST(Counters, WithoutPermissionEverythingElseIsRecorded) {
  for (const char* function : {"cuptiProfilerInitialize", "cuptiPmSamplingGetCounterAvailability",
                               "cuptiPmSamplingEnable", "cuptiPmSamplingStart"}) {
    CountedChild child;
    child.variable("STANDIN_PM_REFUSES", function);
    const auto result = child.works();
    ASSERT_EQ(result.status, 0) << function << result.error;
    const auto& s = result.spool();
    EXPECT_THAT(s.counter_samples, IsEmpty()) << function;
    EXPECT_THAT(s.notes,
                Contains(::testing::Pair("counters-not-permitted",
                                         HasSubstr("NVreg_RestrictProfilingToAdminUsers"))))
        << function;
    EXPECT_THAT(s.kernels, Not(IsEmpty()));
  }
}

TEST(Counters, MetricsThatDoNotFitAreLeftOut) {
  CountedChild child;
  child.variable("STANDIN_PM_PASSES", "sm__inst").variable("STANDIN_PM_UNKNOWN", "dram__");
  const auto result = child.works();
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  EXPECT_THAT(metrics(s),
              ElementsAre("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
                          "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                          "gr__cycles_active.avg.pct_of_peak_sustained_elapsed",
                          "gpc__cycles_elapsed.avg.per_second"));
  ASSERT_THAT(s.counter_samples, Not(IsEmpty()));
  EXPECT_EQ(s.counter_samples[0].count, 4U);
}

TEST(Counters, EndWhenTheProgramTracesItself) {
  CountedChild child;
  const auto result = child.run({"cupti-other", "after", "handle"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().note_codes(), Contains("tracing-conflict"));
}

TEST(Counters, AForkedChildEndsWithoutThem) {
  CountedChild child;
  const auto result = child.run({"cuda-fork"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_LT(result.milliseconds, 5'000);
  ASSERT_THAT(result.spools, Not(IsEmpty()));
  EXPECT_THAT(result.spools[0].counter_samples, Not(IsEmpty()));
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
