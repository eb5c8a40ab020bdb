// Programs that end by _exit() and its like: what CUPTI held is in the spool, their status is
// theirs, and nothing keeps them longer than the bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/effort.h"
#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t bound_ms = 500;  // last_flush_patience_ns
// Beyond the bound: the start of a program under a sanitizer on a machine that does much else.
constexpr std::int64_t slack_ms = 8000;

struct KernelChild : Child {
  KernelChild() : Child(PROBE_FILE) {
    variable("RNNADVISOR_MODE", "kernels")
        .variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
        .variable("PROBE_CUPTI", "1");
  }
};

struct End {
  const char* how;
  int status;
};
class EndsAtOnce : public ::testing::TestWithParam<End> {};
INSTANTIATE_TEST_SUITE_P(, EndsAtOnce,
                         ::testing::Values(End{"_exit", 10}, End{"_Exit", 11},
                                           End{"quick_exit", 12}, End{"thread", 13},
                                           End{"handler", 14}, End{"twice", 15}),
                         [](const auto& test) { return std::string(test.param.how); });

// One thread ends the process while another waits for one that CUPTI's stand-in has started; the
// thread sanitizer calls that a leak.
constexpr const char* without_leaks = "handle_segv=0:report_signal_unsafe=0:report_thread_leaks=0";

TEST_P(EndsAtOnce, KeepWhatCuptiHeld) {
  KernelChild child;
  child.variable("TSAN_OPTIONS", without_leaks);
  const auto result = child.run({"cuda-end", GetParam().how});
  ASSERT_EQ(result.status, GetParam().status) << result.error;
  EXPECT_THAT(result.error, IsEmpty());
  const auto& s = result.spool();
  EXPECT_THAT(s.calls, SizeIs(3));
  ASSERT_THAT(s.kernels, SizeIs(3));
  EXPECT_EQ(s.header.exit_status, GetParam().status);
  EXPECT_GE(s.header.end_ns, s.calls.back().end_ns);
  EXPECT_EQ(s.lost(), 0u);
}

TEST_P(EndsAtOnce, AreNotKeptByAFlushThatHangs) {
  KernelChild child;
  const auto result = child.variable("STANDIN_CUPTI_HANGS", "1").run({"cuda-end", GetParam().how});
  ASSERT_EQ(result.status, GetParam().status) << result.error;
  EXPECT_GE(result.milliseconds, bound_ms) << "or the flush was not waited for";
  EXPECT_LT(result.milliseconds, bound_ms + slack_ms);
  EXPECT_THAT(result.spool().calls, SizeIs(3));
  EXPECT_THAT(result.spool().kernels, IsEmpty());
  EXPECT_EQ(result.spool().header.exit_status, GetParam().status);
}

TEST(Exit, AnotherToolsExitBeforeOrBehindEndsTheProgramToo) {
  const std::string other = STANDIN_FOLDER "/libother_hook.so";
  for (const auto& order : {PLUGIN_FILE ":" + other, other + ":" PLUGIN_FILE}) {
    for (const auto& [how, status] : {std::pair("_exit", 10), std::pair("handler", 14)}) {
      KernelChild child;
      const auto result = child.variable("LD_PRELOAD", order).run({"cuda-end", how});
      ASSERT_EQ(result.status, status) << order << result.error;
      EXPECT_THAT(result.spool().kernels, SizeIs(3)) << order;
      EXPECT_EQ(result.spool().header.exit_status, status) << order;
    }
  }
}

// The driver's injection alone: our definitions are not found.
struct Program {
  const char *name, *file;
};
class WithoutPreload : public ::testing::TestWithParam<std::tuple<Program, End>> {
 protected:
  WithoutPreload() : child(std::get<0>(GetParam()).file) {
    child.without("LD_PRELOAD")
        .variable("RNNADVISOR_MODE", "kernels")
        .variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
        .variable("PROBE_CUPTI", "1");
  }
  // A program with a sanitizer's runtime in it defines _exit() itself; its own calls of it go
  // through no table that could lead them elsewhere.
  void SetUp() override {
    if (test::sanitized() && end().status != 11 && end().status != 12)
      GTEST_SKIP() << "the sanitizer's _exit() is in the program itself";
  }
  const End& end() const { return std::get<1>(GetParam()); }
  Child child;
};
INSTANTIATE_TEST_SUITE_P(
    , WithoutPreload,
    ::testing::Combine(
        ::testing::Values(Program{"bound_late", PROBE_FILE}, Program{"read_only", BARE_PROBE_FILE}),
        ::testing::Values(End{"_exit", 10}, End{"_Exit", 11}, End{"quick_exit", 12},
                          End{"thread", 13}, End{"handler", 14}, End{"children", 16})),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param).how;
    });

TEST_P(WithoutPreload, KeepsWhatCuptiHeld) {
  const auto result = child.run({"cuda-kernels-end", end().how});
  ASSERT_EQ(result.status, end().status) << result.error;
  EXPECT_THAT(result.error, IsEmpty());
  const auto& s = result.spool();
  EXPECT_THAT(s.kernels, SizeIs(3));
  // quick_exit() does not pass the status to its handlers.
  EXPECT_EQ(s.header.exit_status, end().status == 12 ? -1 : end().status);
  EXPECT_GT(s.header.end_ns, 0);
  EXPECT_EQ(s.lost(), 0u);
}

TEST_P(WithoutPreload, IsNotKeptByAFlushThatHangs) {
  const auto result =
      child.variable("STANDIN_CUPTI_HANGS", "1").run({"cuda-kernels-end", end().how});
  ASSERT_EQ(result.status, end().status) << result.error;
  EXPECT_GE(result.milliseconds, bound_ms) << "or the flush was not waited for";
  EXPECT_LT(result.milliseconds, bound_ms + slack_ms);
}

TEST_P(WithoutPreload, WithoutASpoolItIsTheProgramsOwn) {
  const auto result = child.without("RNNADVISOR_SPOOL")
                          .variable("STANDIN_CUPTI_HANGS", "1")
                          .run({"cuda-kernels-end", end().how});
  EXPECT_EQ(result.status, end().status) << result.error;
  EXPECT_THAT(result.spools, IsEmpty());
}

TEST(Exit, ChildrenOfForkAndVforkEndAtOnce) {
  KernelChild child;
  const auto result = child.run({"cuda-end", "children"});
  ASSERT_EQ(result.status, 16) << result.error;
  EXPECT_THAT(result.spool().kernels, SizeIs(6)) << "the parent's flush is still its own";
  EXPECT_EQ(result.spool().header.exit_status, 16);
  // With a flush that hangs they would be late, if they waited for one.
  KernelChild hanging;
  const auto late = hanging.variable("STANDIN_CUPTI_HANGS", "1").run({"cuda-end", "children"});
  EXPECT_EQ(late.status, 16) << late.error;
}

TEST(Exit, WithALockHeldItTakesNoLongerThanTheBound) {
  KernelChild child;
  const auto result = child.run({"cuda-end", "cupti-locked"});
  ASSERT_EQ(result.status, 17) << result.error;
  EXPECT_GE(result.milliseconds, bound_ms) << "the lock was not held";
  EXPECT_LT(result.milliseconds, bound_ms + slack_ms);
  EXPECT_THAT(result.spool().calls, SizeIs(3));
  EXPECT_THAT(result.spool().kernels, IsEmpty());
  EXPECT_EQ(result.spool().header.exit_status, 17);
  EXPECT_FALSE(result.spool().damage.any());
}

// A handler finds no lock of ours held by the thread that it interrupts.
TEST(Exit, InASignalHandlerInTheMiddleOfOurOwnWork) {
  KernelChild child;
  const std::string hooks = PLUGIN_FILE ":" STANDIN_FOLDER "/libmmap_hook.so";
  const auto result = child.variable("LD_PRELOAD", hooks).run({"cuda-end", "in-our-work"});
  ASSERT_EQ(result.status, 18) << result.error;
  EXPECT_LT(result.milliseconds, test::sanitized() ? bound_ms + slack_ms : bound_ms);
  EXPECT_THAT(result.spool().calls, SizeIs(Ge(3u)));
  EXPECT_THAT(result.spool().kernels, SizeIs(Ge(3u)));
  EXPECT_EQ(result.spool().header.exit_status, 18);
  EXPECT_FALSE(result.spool().damage.any());
}

// The signal comes at another moment each time.
TEST(Exit, InASignalHandlerAtAnyMoment) {
  for (int i = 0; i < 20; ++i) {
    KernelChild child;
    const auto result = child.run({"cuda-_exit-in-handler", std::to_string(4000 + 331 * i)});
    ASSERT_EQ(result.status, 5) << result.error;
    EXPECT_LT(result.milliseconds, bound_ms + slack_ms);
    EXPECT_EQ(result.spool().header.exit_status, 5);
    EXPECT_FALSE(result.spool().damage.any());
  }
}

TEST(Exit, WithoutASpoolItIsTheProgramsOwn) {
  for (const auto& [how, status] : {std::pair("_exit", 10), std::pair("quick_exit", 12)}) {
    KernelChild child;
    const auto result = child.without("RNNADVISOR_SPOOL")
                            .variable("STANDIN_CUPTI_HANGS", "1")
                            .run({"cuda-end", how});
    EXPECT_EQ(result.status, status) << how << result.error;
    EXPECT_THAT(result.spools, IsEmpty());
  }
}

// Only where CUPTI records is there a thread of the plugin's.
TEST(Exit, ItsThreadIsThereForCuptiAlone) {
  if (test::thread_sanitized())
    GTEST_SKIP() << "the sanitizer starts a thread of its own with the first of the program";
  const auto threads = [](const char* mode) {
    KernelChild child;
    return std::stoi(child.variable("RNNADVISOR_MODE", mode).run({"cuda-thread-count"}).out);
  };
  EXPECT_EQ(threads("kernels"), threads("calls") + 1);
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
