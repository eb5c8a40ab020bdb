// Files of earlier versions of the schema: what rnnadvisor wrote then, it reads today.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile/check.h"
#include "profiler/profile/file.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

const std::string seeds = RNNADVISOR_SOURCE_DIR "/tests/fuzz/corpus/rnnprof/";

// What is written of an older file is, read again, what was read of it.
void expect_written_as_it_is(const Profile& old) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("new.rnnprof");
  const auto written = write_profile(old, path);
  ASSERT_TRUE(written) << to_text(written.error());
  const auto read = read_profile(path);
  ASSERT_TRUE(read) << to_text(read.error());
  testing::expect_equal(old, *read);
}

// Written by the first version from a profile with the columns it had.
TEST(Versions, TheFirstIsReadWithWhatItDidNotHaveUnknown) {
  const auto read = read_profile(seeds + "rich-v1.rnnprof");
  ASSERT_TRUE(read) << to_text(read.error());
  const Profile& p = *read;
  EXPECT_TRUE(check_profile(p, ErrorCode::damaged));
  ASSERT_EQ(p.calls.size(), 12U);
  EXPECT_EQ(p.calls[3].workspace_bytes, 1003);
  for (const auto& call : p.calls) {
    EXPECT_EQ(call.source, CallSource::run);
    EXPECT_EQ(call.graph, GraphState::none);
    EXPECT_EQ(call.weights_bytes, -1);
    EXPECT_EQ(call.device_start_ns, -1);
    EXPECT_EQ(call.device_duration_ns, -1);
    for (const int index : {call.reason, call.arguments, call.site, call.nvtx_path, call.forward})
      EXPECT_EQ(index, -1);
  }
  // It told processes apart by numbers that are no process ids: 4711, and 0 of the stray kernel.
  EXPECT_THAT(p.processes, ElementsAre(Process(), Process()));
  ASSERT_EQ(p.kernels.size(), 25U);
  EXPECT_EQ(p.kernels.process.front(), 1);
  EXPECT_EQ(p.kernels.process.back(), 0);
  EXPECT_THAT(p.api.process, Each(0));
  EXPECT_THAT(p.nvtx.process, Each(0));
  EXPECT_THAT(p.nvtx.category, Each(-1));
  EXPECT_THAT(p.nvtx.payload, Each(NvtxPayload()));
  EXPECT_THAT(p.nvtx.color, ElementsAre(0x11223344, -1, 0));
  EXPECT_THAT(p.allocations.call, Each(-1));
  EXPECT_EQ(p.overhead.process.size(), 1U);
  EXPECT_TRUE(p.setup_calls.empty());
}

TEST(Versions, TheFirstBecomesTheSecondWhenItIsWritten) {
  for (const char* name : {"rich-v1.rnnprof", "empty-v1.rnnprof"}) {
    const auto old = read_profile(seeds + name);
    ASSERT_TRUE(old) << to_text(old.error());
    expect_written_as_it_is(*old);
  }
}

// The third had names for threads, and none for what is on a GPU.
TEST(Versions, TheThirdIsReadAndWrittenAsItWas) {
  const auto old = read_profile(seeds + "rich-v3.rnnprof");
  ASSERT_TRUE(old) << to_text(old.error());
  EXPECT_TRUE(check_profile(*old, ErrorCode::damaged));
  ASSERT_EQ(old->thread_names.size(), 1U);
  EXPECT_EQ(old->thread_name(old->thread_names[0].process, 12), "loader");
  EXPECT_TRUE(old->resource_names.empty());
  EXPECT_EQ(old->stream_name(old->thread_names[0].process, 0, 7), "");
  // But for them it is what is written today.
  const Profile now = testing::rich_profile();
  EXPECT_EQ(old->kernels.role, now.kernels.role);
  EXPECT_EQ(old->counters.value, now.counters.value);
  expect_written_as_it_is(*old);
}

// The fourth did not say at which clocks a change was tried.
TEST(Versions, TheFourthIsReadAndWrittenAsItWas) {
  const auto old = read_profile(seeds + "rich-v4.rnnprof");
  ASSERT_TRUE(old) << to_text(old.error());
  EXPECT_TRUE(check_profile(*old, ErrorCode::damaged));
  Profile now = testing::rich_profile();
  ASSERT_FALSE(now.experiments.empty());
  for (auto& experiment : now.experiments)
    experiment.clocks_before = experiment.clocks_after = GpuClocks();
  EXPECT_EQ(old->experiments, now.experiments);
  expect_written_as_it_is(*old);
}

// The fifth had no checksum.
TEST(Versions, TheFifthIsReadAndWrittenAsItWas) {
  const auto old = read_profile(seeds + "rich-v5.rnnprof");
  ASSERT_TRUE(old) << to_text(old.error());
  EXPECT_TRUE(check_profile(*old, ErrorCode::damaged));
  expect_written_as_it_is(*old);
}

// The sixth did not keep which keys the user gave.
TEST(Versions, TheSixthIsReadAndWrittenAsItWas) {
  const auto old = read_profile(seeds + "rich-v6.rnnprof");
  ASSERT_TRUE(old) << to_text(old.error());
  EXPECT_TRUE(check_profile(*old, ErrorCode::damaged));
  for (const auto& configuration : old->configurations) {
    EXPECT_TRUE(configuration.given.empty());
    EXPECT_FALSE(configuration.written);
  }
  const Profile now = testing::rich_profile();
  EXPECT_FALSE(now.configurations.front().given.empty());
  expect_written_as_it_is(*old);
}

// Two of the recordings that travel with the program, as the first and second version had them.
// What was written of them since has nothing more and nothing less.
TEST(Versions, RecordingsOfTheFirstAndSecondAreWhatTheSamplesHold) {
  for (const auto& [file, sample] : std::vector<std::pair<std::string, std::string>>{
           {"ptb-large-v1.rnnprof", "ptb-large.rnnprof"},
           {"cpp-lstm-v2.rnnprof", "programs/cpp-lstm.rnnprof"}}) {
    const auto old = read_profile(RNNADVISOR_SOURCE_DIR "/tests/data/rnnprof/" + file);
    ASSERT_TRUE(old) << to_text(old.error());
    const auto now = read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/" + sample);
    ASSERT_TRUE(now) << to_text(now.error());
    EXPECT_FALSE(old->calls.empty());
    testing::expect_equal(*old, *now);
    expect_written_as_it_is(*old);
  }
}

TEST(Versions, FindingsAreStoredInAFileOfTheFirst) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("old.rnnprof");
  testing::write_bytes(path, testing::read_bytes(seeds + "rich-v1.rnnprof"));
  const std::vector<FindingRow> findings = {{0, "a/b", "info", "measured", "", "", "", {}, ""}};
  const auto written = write_findings(path, findings);
  ASSERT_TRUE(written) << to_text(written.error());
  EXPECT_EQ(*read_findings(path), findings);
  EXPECT_TRUE(read_profile(path));
}

}  // namespace
}  // namespace rnnadvisor
