// Whatever becomes of the process, what it had recorded is there, and what it did without the
// plugin it does with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/effort.h"
#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using spool::Entry;
using spool::Loss;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

std::set<std::uint64_t> ids(const Spool& s) {
  std::set<std::uint64_t> all;
  for (const auto& call : s.calls) all.insert(call.id);
  return all;
}

struct End {
  const char* how;
  int status;  // of the process
  int told;    // in the spool; -1: it did not come to its end in order
};
class Ends : public ::testing::TestWithParam<End> {};
INSTANTIATE_TEST_SUITE_P(, Ends,
                         ::testing::Values(End{"return", 7, 7}, End{"exit", 8, 8},
                                           End{"exit-thread", 9, 9}, End{"_exit", 10, 10},
                                           End{"quick_exit", 11, 11}, End{"abort", -SIGABRT, -1},
                                           End{"segv", -SIGSEGV, -1}, End{"pthread_exit", 12, 12},
                                           End{"in-call", 13, 13}, End{"_exit-in-call", 17, 17},
                                           End{"_Exit", 15, 15}, End{"minus-one", 255, 255},
                                           End{"quick_exit-handlers", 18, 18},
                                           End{"threads", 14, 14}),
                         [](const auto& test) {
                           std::string name = test.param.how;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(Ends, AreReportedAndLoseNothing) {
  Child child(PROBE_FILE);
  const auto result = child.run({"end", GetParam().how});
  EXPECT_EQ(result.status, GetParam().status) << result.error;
  const auto& s = result.spool();
  EXPECT_EQ(s.header.exit_status, GetParam().told);
  EXPECT_EQ(s.header.end_ns != 0, GetParam().told != -1);
  const std::string how = GetParam().how;
  const bool others = how == "threads" || how == "quick_exit-handlers";
  EXPECT_GE(s.calls.size(), 3u);
  EXPECT_TRUE(others || s.calls.size() == 3u);
  EXPECT_FALSE(s.damage.any());
  EXPECT_EQ(s.lost(), 0u);
}

TEST(Process, ExecBeginsANewSpool) {
  Child child(PROBE_FILE);
  const auto result = child.run({"end", "exec"});
  ASSERT_EQ(result.status, 0) << result.error;
  ASSERT_THAT(result.spools, SizeIs(2));
  EXPECT_EQ(result.spools[0].header.pid, result.spools[1].header.pid);
  EXPECT_EQ(result.spools[0].header.end_ns, 0);
  EXPECT_EQ(result.spools[1].header.exit_status, 0);
}

TEST(Process, KilledAtAnyPointItLeavesWhatItHad) {
  for (int i = 0; i < 20; ++i) {
    Child child(PROBE_FILE);
    const auto result = child.run({"hammer"}, 5 + 9 * i);
    ASSERT_EQ(result.status, -SIGKILL);
    if (result.spools.empty()) continue;  // it had not come to its first call
    const auto& s = result.spool();
    EXPECT_FALSE(s.damage.any()) << "killed after " << 5 + 9 * i << " ms";
    EXPECT_EQ(s.header.end_ns, 0);
    // All but the calls that threads were in the middle of.
    EXPECT_LE(s.calls.size(), s.header.calls);
    EXPECT_GE(s.calls.size() + 3, s.header.calls);
    EXPECT_THAT(ids(s), SizeIs(s.calls.size()));
    std::size_t undescribed = 0;
    for (const auto& call : s.calls)
      if (s.shape(call).configuration.hidden_size == 0) ++undescribed;
    EXPECT_EQ(undescribed, 0u);
  }
}

TEST(Process, AForkedChildHasASpoolOfItsOwnWithAllThatIsInIt) {
  Child child(PROBE_FILE);
  const auto result = child.run({"fork"});
  ASSERT_EQ(result.status, 1) << result.error;
  ASSERT_THAT(result.spools, SizeIs(3));
  const std::size_t calls[] = {3, 4, 4};
  const int status[] = {1, 2, 3};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& s = result.spools[i];
    ASSERT_THAT(s.calls, SizeIs(calls[i]));
    EXPECT_EQ(s.header.exit_status, status[i]);
    EXPECT_EQ(s.header.calls, calls[i]);
    if (i > 0) {
      EXPECT_EQ(s.header.parent_pid, result.spools[i - 1].header.pid);
    }
    for (const auto& call : s.calls)
      EXPECT_THAT(s.shape(call).configuration.hidden_size, AllOf(Gt(10), Lt(14)));
    EXPECT_EQ(s.calls[0].thread, static_cast<std::uint32_t>(s.header.pid));
    ASSERT_THAT(s.libraries, SizeIs(1));
    EXPECT_FALSE(s.text(s.libraries[0].path).empty());
    EXPECT_EQ(s.lost(), 0u);
  }
}

TEST(Process, TheChildMayBeTheFirstToCall) {
  Child child(PROBE_FILE);
  const auto result = child.run({"fork-first"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_NE(result.spool().header.parent_pid, getpid());
  EXPECT_THAT(result.spool().calls, SizeIs(1));
}

TEST(Process, AForkInTheMiddleOfOtherThreadsCallsDoesNotHang) {
  if (test::sanitized())
    GTEST_SKIP()
        << "such a child can hang in the sanitizer's own locks, with the plugin or without";
  Child child(PROBE_FILE);
  const auto result = child.run({"fork-busy"});
  ASSERT_EQ(result.status, 0) << result.error;
  ASSERT_THAT(result.spools, SizeIs(41));
  // The parent's threads may make their first call after the first child has made its own.
  const auto parent = result.spools.front().header.pid == result.spools.back().header.parent_pid
                          ? result.spools.front().header.pid
                          : result.spools.front().header.parent_pid;
  int children = 0;
  for (const auto& spool : result.spools) {
    EXPECT_FALSE(spool.damage.any());
    if (spool.header.pid == parent) continue;
    ++children;
    EXPECT_THAT(spool.calls, SizeIs(2));
  }
  EXPECT_EQ(children, 40);
}

TEST(Process, AForkFromWithinACall) {
  Child child(PROBE_FILE);
  const auto result = child.run({"fork-within"});
  ASSERT_EQ(result.status, 0) << result.error;
  ASSERT_THAT(result.spools, SizeIs(2));
  EXPECT_THAT(result.spools[0].calls, SizeIs(2));
  EXPECT_THAT(result.spools[1].calls, SizeIs(3)) << "all but the one that it was born in";
}

TEST(Process, ChildrenThatRunAnotherProgramHaveTheirOwn) {
  for (const char* how : {"fork", "vfork", "spawn", "system"}) {
    // The shell has no sanitizer's runtime, which the preloaded plugin then needs.
    if (test::sanitized() && std::string_view(how) == "system") continue;
    Child child(PROBE_FILE);
    const auto result = child.run({"fork-exec", how});
    ASSERT_EQ(result.status, 0) << how << result.error;
    ASSERT_THAT(result.spools, SizeIs(2)) << how;
    EXPECT_THAT(result.spools[0].calls, SizeIs(2));
    EXPECT_THAT(result.spools[1].calls, SizeIs(1));
  }
}

TEST(Resources, TheProgramsFilesAreItsOwn) {
  Child child(PROBE_FILE);
  const auto result = child.run({"close-all", child.folder()});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(10'001)) << "and the spool is opened again";
  EXPECT_EQ(result.spool().lost(), 0u);
}

TEST(Resources, AFileSizeLimitIsALossAndNoSignal) {
  Child child(PROBE_FILE);
  const auto result = child.run({"file-limit"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  EXPECT_THAT(s.calls, SizeIs(Gt(1000u)));
  EXPECT_EQ(s.header.calls, 20'000u);
  EXPECT_EQ(s.calls.size() + s.header.lost[static_cast<std::size_t>(Loss::calls)], 20'000u);
}

TEST(Resources, WithoutADescriptorLeftItGoesOn) {
  Child child(PROBE_FILE);
  const auto result = child.run({"no-descriptors"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(10'000));
}

TEST(Resources, TheSpoolsOwnLimitIsCountedAsLoss) {
  Child child(PROBE_FILE);
  const auto result = child.variable("RNNADVISOR_MAX_BYTES", "600000").run({"forward", "20000"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  EXPECT_THAT(s.calls, SizeIs(Gt(1000u)));
  EXPECT_EQ(s.calls.size() + s.header.lost[static_cast<std::size_t>(Loss::calls)], 20'000u);
  EXPECT_EQ(s.entries(Entry::forward), 20'000u) << "calls are counted all the same";
  for (const auto& entry : std::filesystem::directory_iterator(child.spool_folder()))
    EXPECT_LE(entry.file_size(), 600'000u);
}

TEST(Resources, AFullDiskIsALossAndNoSignal) {
  Child child(PROBE_FILE);
  if (mount("spools", child.spool_folder().c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "only root can mount a small file system";
  struct Unmount {
    std::string folder;
    ~Unmount() { umount(folder.c_str()); }
  };
  const Unmount afterwards{child.spool_folder()};
  const auto result = child.run({"forward", "20000"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(Gt(1000u)));
  EXPECT_EQ(result.spool().calls.size() +
                result.spool().header.lost[static_cast<std::size_t>(Loss::calls)],
            20'000u);
  // Full to the last block: not even a header.
  for (const auto& entry : std::filesystem::directory_iterator(child.spool_folder()))
    std::filesystem::remove(entry.path());
  std::ofstream(child.spool_folder() + "/filler", std::ios::binary) << std::string(1 << 20, 'x');
  const auto full = child.run({"forward"});
  EXPECT_EQ(full.status, 0) << full.error;
  EXPECT_THAT(full.error, IsEmpty());
}

// Whatever a program does, it does it where no recording can begin as well.
TEST(Resources, AFolderThatIsNotThereIsNotMissed) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"fields"},
                                             {"passed-on"},
                                             {"reuse"},
                                             {"lengths"},
                                             {"descriptors"},
                                             {"threads", "2", "50"},
                                             {"fork"},
                                             {"fork-raw"},
                                             {"end", "_exit"},
                                             {"end", "quick_exit"},
                                             {"end", "in-call"},
                                             {"cuda", "20"},
                                             {"cuda-fork"},
                                             {"cuda-capture"},
                                             {"training"},
                                             {"steps"},
                                             {"unload"},
                                             {"profiler-ranges", "linked"},
                                             {"accelerate", "train", "20"},
                                             {"late-calls"}}) {
    Child alone(PROBE_FILE);
    const auto expected = alone.alone().variable("PROBE_CUPTI", "1").run_only(arguments);
    Child child(PROBE_FILE);
    const auto result = child.variable("RNNADVISOR_SPOOL", child.folder() + "/absent")
                            .variable("RNNADVISOR_MODE", "full")
                            .variable("RNNADVISOR_ACCELERATE", "exact")
                            .variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
                            .variable("PROBE_CUPTI", "1")
                            .run_only(arguments);
    EXPECT_EQ(result.status, expected.status) << arguments[0] << result.error;
    EXPECT_EQ(result.out, expected.out) << arguments[0];
    EXPECT_EQ(result.error, expected.error) << arguments[0];
  }
}

TEST(Resources, ATimersSignalsEndNoRecording) {
  Child child(PROBE_FILE);
  const auto result = child.run({"timer"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(60'000));
  EXPECT_EQ(result.spool().lost(), 0u);
}

TEST(Resources, ASmallStackIsEnough) {
  Child child(PROBE_FILE);
  const auto result = child.run({"small-stack"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(3));
}

TEST(Resources, ItIsOpenedNoWiderThanNeeded) {
  Child child(PROBE_FILE);
  ASSERT_EQ(child.run({"forward"}).status, 0);
  using std::filesystem::perms;
  for (const auto& entry : std::filesystem::directory_iterator(child.spool_folder()))
    EXPECT_EQ(entry.status().permissions(), perms::owner_read | perms::owner_write);
}

TEST(Threads, LoseNoCall) {
  Child child(PROBE_FILE);
  const auto result = child.run({"threads", "8", "10000"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  EXPECT_THAT(s.calls, SizeIs(80'000));
  EXPECT_THAT(ids(s), SizeIs(80'000));
  EXPECT_EQ(s.header.calls, 80'000u);
  EXPECT_EQ(s.lost(), 0u);
  EXPECT_THAT(s.tables.configurations, SizeIs(4)) << "each is written once";
  std::set<std::uint32_t> threads;
  for (const auto& call : s.calls) threads.insert(call.thread);
  EXPECT_THAT(threads, SizeIs(8));
}

TEST(Threads, LeaveTheirChunksToOthers) {
  Child child(PROBE_FILE);
  const auto result = child.run({"short-threads"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(300));
  for (const auto& entry : std::filesystem::directory_iterator(child.spool_folder()))
    EXPECT_LT(entry.file_size(), 1'000'000u);
}

TEST(Threads, ThatAreCancelledLeaveNothingLocked) {
  Child child(PROBE_FILE);
  const auto result = child.run({"cancel"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(405));
}

TEST(Threads, CallInTheirDestructors) {
  Child child(PROBE_FILE);
  const auto result = child.run({"late-calls"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(1 + 20 * 4 + 2));
  EXPECT_EQ(result.spool().lost(), 0u);
}

TEST(Guest, StartsNoThread) {
  Child child(PROBE_FILE);
  EXPECT_EQ(child.run({"thread-count"}).out, "1\n");
}

TEST(Guest, ExceptionsAndBacktracesGoThrough) {
  for (const char* mode : {"throw", "backtrace"}) {
    Child child(PROBE_FILE);
    const auto result = child.run({mode});
    EXPECT_EQ(result.status, 0) << mode << result.error;
  }
}

// A launcher under a launcher of another installation.
TEST(Guest, TwoOfThePluginDoNotDisturbEachOther) {
  for (const std::string through : {"linked", "handle"}) {
    Child child(PROBE_FILE);
    const std::string copy = child.folder() + "/librnnadvisor_plugin.so";
    std::filesystem::copy_file(PLUGIN_FILE, copy);
    child.variable("LD_PRELOAD", PLUGIN_FILE ":" + copy).variable("PROBE_THROUGH", through);
    const auto result = child.run({"fork"});
    ASSERT_EQ(result.status, 1) << through << result.error;
    // A lookup is answered by the first alone.
    EXPECT_EQ(result.spools.size(), through == "linked" ? 6u : 3u);
    for (const auto& s : result.spools) EXPECT_THAT(s.calls, SizeIs(Ge(3u)));
  }
}

TEST(Guest, AnotherHookBeforeOrBehindGetsItsCalls) {
  const std::string other = STANDIN_FOLDER "/libother_hook.so";
  for (const auto& order : {PLUGIN_FILE ":" + other, other + ":" PLUGIN_FILE}) {
    Child child(PROBE_FILE);
    const auto result = child.variable("LD_PRELOAD", order).run({"other-hook"});
    ASSERT_EQ(result.status, 0) << order << result.error;
    EXPECT_EQ(result.out, "3\n");
    ASSERT_THAT(result.spool().calls, SizeIs(3)) << order;
    EXPECT_EQ(result.spool().shape(result.spool().calls[0]).configuration.hidden_size, 64);
  }
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
