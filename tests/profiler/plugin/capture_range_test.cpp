// Which calls are captured: the profiler's range, time, calls left out, iterations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

std::vector<std::int32_t> hidden_sizes(const Spool& s) {
  std::vector<std::int32_t> sizes;
  for (const auto& call : s.calls) sizes.push_back(s.shape(call).configuration.hidden_size);
  return sizes;
}

Child& with_cupti(Child& child) {
  return child.variable("RNNADVISOR_MODE", "kernels")
      .variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
      .variable("PROBE_CUPTI", "1");
}

// The runtime linked, looked up, or inside another library; the driver itself.
class Profiler : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, Profiler, ::testing::Values("linked", "handle", "driver", "hidden"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Profiler, CallsInTheRangeAreCaptured) {
  Child child(PROBE_FILE);
  const auto result = child.variable("RNNADVISOR_CAPTURE", "cuda-profiler-api")
                          .run({"profiler-ranges", GetParam()});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(hidden_sizes(result.spool()), ElementsAre(2, 4, 6));
}

TEST_P(Profiler, KernelsInTheRangeAreCaptured) {
  Child child(PROBE_FILE);
  with_cupti(child).variable("RNNADVISOR_CAPTURE", "cuda-profiler-api");
  const auto result = child.run({"profiler-ranges", GetParam()});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(hidden_sizes(result.spool()), ElementsAre(2, 4, 6));
  EXPECT_THAT(result.spool().kernels, SizeIs(3));
}

TEST_P(Profiler, IterationsAreRanges) {
  Child child(PROBE_FILE);
  const auto result = child.variable("RNNADVISOR_CAPTURE", "cuda-profiler-api")
                          .variable("RNNADVISOR_ITERATIONS", "1")
                          .run({"profiler-ranges", GetParam()});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(hidden_sizes(result.spool()), ElementsAre(2));
}

TEST_P(Profiler, WithoutThatSettingItIsPassedOn) {
  Child child(PROBE_FILE);
  const auto result = child.run({"profiler-ranges", GetParam()});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(7));
}

// What looks at the recording of a process that still runs sees the whole range.
TEST(CaptureRange, TimesAreWrittenWhenTheRangeEnds) {
  Child child(PROBE_FILE);
  const auto result = child.variable("RNNADVISOR_CAPTURE", "cuda-profiler-api")
                          .variable("RNNADVISOR_MODE", "calls")
                          .run({"range-then-killed"});
  ASSERT_EQ(result.status, -SIGKILL) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(20));
  EXPECT_THAT(result.spool().times, SizeIs(20));
}

TEST(CaptureRange, KernelsAreWrittenWhenTheRangeEnds) {
  Child child(PROBE_FILE);
  with_cupti(child).variable("RNNADVISOR_CAPTURE", "cuda-profiler-api");
  const auto result = child.run({"range-then-killed"});
  ASSERT_EQ(result.status, -SIGKILL) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(20));
  EXPECT_GE(result.spool().kernels.size(), 20U);
}

TEST(CaptureRange, DelayAndDurationAreKept) {
  Child child(PROBE_FILE);
  with_cupti(child)
      .variable("RNNADVISOR_DELAY_MS", "100")
      .variable("RNNADVISOR_DURATION_MS", "400");
  const auto result = child.run({"over-time", "cuda"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(AllOf(Gt(2u), Lt(60u))));
  EXPECT_EQ(s.header.calls, 60u);
  std::size_t traced = 0;
  for (const auto& call : s.calls) {
    EXPECT_GE(call.end_ns - s.header.start_ns, 100'000'000);
    EXPECT_LE(call.start_ns - s.header.start_ns, 500'000'000);
    traced += (call.flags & spool::call_untraced) == 0;
  }
  // The first call of the range already has its kernel; one more may be behind the last.
  EXPECT_GE(s.kernels.size(), traced);
  EXPECT_LE(s.kernels.size(), traced + 1);
}

TEST(CaptureRange, SkippedCallsHaveNoKernelsAndTheNextOneHas) {
  Child child(PROBE_FILE);
  const auto result = with_cupti(child).variable("RNNADVISOR_SKIP", "55").run({"training", "cuda"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  EXPECT_THAT(s.calls, SizeIs(5));
  EXPECT_THAT(s.kernels, SizeIs(5));
  EXPECT_EQ(s.header.calls, 60u);
}

TEST(CaptureRange, IterationsAreForwardCallsOfTheFirstConfiguration) {
  Child child(PROBE_FILE);
  const auto result = child.variable("RNNADVISOR_ITERATIONS", "3").run({"training"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(18)) << "with all that belongs to them";
}

TEST(CaptureRange, SettingsThatCannotBeReadAreReported) {
  Child child(PROBE_FILE);
  child.variable("RNNADVISOR_MODE", "everything")
      .variable("RNNADVISOR_DELAY_MS", "soon")
      .variable("RNNADVISOR_SKIP", "-3")
      .variable("RNNADVISOR_ITERATIONS", "99999999999999999999")
      .variable("RNNADVISOR_CAPTURE", "sometimes")
      .variable("RNNADVISOR_TRACE", "dreams")
      .variable("RNNADVISOR_CALL_SITES", "maybe")
      .variable("RNNADVISOR_MAX_BYTES", "4G");
  const auto result = child.run({"forward"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(1));
  EXPECT_THAT(result.spool().notes, SizeIs(8));
  EXPECT_THAT(result.spool().note_codes(), Each("setting-ignored"));
  EXPECT_THAT(result.spool().notes[0].second,
              AllOf(HasSubstr("RNNADVISOR_MODE"), HasSubstr("everything")));
}

TEST(CaptureRange, HugeNumbersMeanForever) {
  Child child(PROBE_FILE);
  const auto result =
      child.variable("RNNADVISOR_DURATION_MS", "9007199254740992").run({"forward", "3"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(3));
  EXPECT_THAT(result.spool().notes, IsEmpty());
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
