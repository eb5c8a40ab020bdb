// `rnnadvisor sweep` and `rnnadvisor merge`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MergeCommand, TellsWhichTimesAreApart) {
  const auto recorded = [](double forward) {
    Profile profile = fake_profile({{"a", Outcome::completed}});
    profile.configurations[0].timings[0].ms = {forward, 0.97 * forward, 1.03 * forward, 0.96, 7};
    return profile;
  };
  const TemporaryFolder folder;
  ASSERT_TRUE(write_profile(recorded(7.3), folder / "1.rnnprof"));
  ASSERT_TRUE(write_profile(recorded(10.6), folder / "2.rnnprof"));
  const auto called =
      call({"merge", folder / "1.rnnprof", folder / "2.rnnprof", "-o", folder / "m.rnnprof"});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.err, HasSubstr("7.30 ms in " + (folder / "1.rnnprof")));
  EXPECT_THAT(called.err, HasSubstr("10.6 ms in " + (folder / "2.rnnprof")));
}

TEST(SweepCommand, InterruptedThenResumedThenMergedFromShards) {
  TemporaryFolder folder;
  const auto sweep = folder / "s.toml";
  write_text_file(sweep, "[[sweep]]\nid = \"B{batch_size}\"\ngrid.batch_size = [8, 16, 24, 32]\n");
  const auto path = folder / "s.rnnprof";
  FakeMachine machine;
  machine.stop_after = 2;
  auto called = call({"sweep", sweep, "-o", path}, machine.services());
  EXPECT_EQ(called.status, 130) << called.err;
  EXPECT_THAT(machine.ran, ElementsAre("B8", "B16"));
  EXPECT_THAT(called.err, HasSubstr("2 of 4 configurations were not finished"));

  FakeMachine again;
  called = call({"sweep", sweep, "-o", path}, again.services());
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(again.ran, ElementsAre("B24", "B32"));
  EXPECT_THAT(ids_of(*read_profile(path)), ElementsAre("B8", "B16", "B24", "B32"));

  FakeMachine done;
  EXPECT_EQ(call({"sweep", sweep, "-o", path}, done.services()).status, 0);
  EXPECT_THAT(done.ran, IsEmpty());

  FakeMachine anew;
  EXPECT_EQ(call({"sweep", sweep, "-o", path, "--force"}, anew.services()).status, 0);
  EXPECT_EQ(anew.ran.size(), 4u);

  FakeMachine first, second;
  EXPECT_EQ(call({"sweep", sweep, "-o", folder / "1", "--shard", "1/2"}, first.services()).status,
            0);
  EXPECT_EQ(call({"sweep", sweep, "-o", folder / "2", "--shard", "2/2"}, second.services()).status,
            0);
  EXPECT_THAT(first.ran, ElementsAre("B8", "B24"));
  EXPECT_THAT(second.ran, ElementsAre("B16", "B32"));
  EXPECT_EQ(call({"merge", folder / "1", folder / "2", "-o", folder / "all"}).status, 0);
  EXPECT_EQ(read_profile(folder / "all")->configurations.size(), 4u);
  EXPECT_EQ(call({"merge", folder / "1", "-o", folder / "all"}).status, 2);  // exists
}

TEST(SweepCommand, SaysWhenTheFileIsOfAnotherGpu) {
  TemporaryFolder folder;
  const auto path = folder / "x.rnnprof";
  FakeMachine machine;  // its results are an H200's
  ASSERT_EQ(call({"sweep", "sample:bfloat16-fallback", "-o", path}, machine.services()).status, 0);
  machine.gpu = true;  // the GPU that is asked for its name is an A100
  EXPECT_THAT(call({"sweep", "sample:bfloat16-fallback", "-o", path}, machine.services()).err,
              HasSubstr("was recorded on NVIDIA H200, this machine has"));
}

TEST(SweepCommand, ListAndDryRunRunNothing) {
  TemporaryFolder folder;
  FakeMachine machine;
  auto called = call({"sweep", "sample:guide-figure-10", "--list"}, machine.services());
  EXPECT_EQ(called.status, 0);
  EXPECT_EQ(std::count(called.out.begin(), called.out.end(), '\n'), 32);
  // What is listed is what check and run read.
  EXPECT_EQ(read_jsonl(called.out, "list")->size(), 32u);
  called = call({"sweep", "sample:guide-figure-10", "--dry-run", "-o", folder / "x.rnnprof"},
                machine.services());
  EXPECT_EQ(called.status, 0);
  EXPECT_THAT(called.out, HasSubstr("32 configurations, 32 to run"));
  EXPECT_THAT(machine.requests, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder / "x.rnnprof"));
}

TEST(SweepCommand, AFileThatIsNoProfileIsNotReplaced) {
  TemporaryFolder folder;
  const auto path = folder / "notes.txt";
  write_text_file(path, "my notes");
  FakeMachine machine;
  const auto called = call({"sweep", "sample:gnmt", "-o", path}, machine.services());
  EXPECT_EQ(called.status, 2) << called.err;
  EXPECT_EQ(read_text(path), "my notes");
  EXPECT_THAT(machine.requests, IsEmpty());
}

}  // namespace
}  // namespace rnnadvisor::cli
