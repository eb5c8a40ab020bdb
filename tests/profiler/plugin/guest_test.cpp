// The plugin as a guest: nothing that a stranger's program does meets it half way, and what it
// cannot record it says.
#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "tests/effort.h"
#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using spool::Loss;
using spool::Step;
using spool::Type;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

class GuestChild : public Child {
 public:
  GuestChild() : Child(PROBE_FILE) { variable("NVTX_INJECTION64_PATH", PLUGIN_FILE); }
};

std::uint64_t lost(const Spool& s, Loss kind) {
  return s.header.lost[static_cast<std::size_t>(kind)];
}

std::size_t count(const Spool& s, Type type, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      s.nvtx, [&](const auto& n) { return n.type == type && n.name == name; }));
}

std::uintmax_t spool_bytes(const Child& child) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(child.spool_folder()))
    bytes += entry.file_size();
  return bytes;
}

std::vector<long> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<long> all;
  for (long number = 0; in >> number;) all.push_back(number);
  return all;
}

TEST(Signals, HandlersThatAnnotateLoseNothingAndEndNothing) {
  const std::string most = test::sanitized() ? "500" : "2000";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"signals-annotate", most}, {"signals-annotate", most, "stack"}}) {
    GuestChild child;
    const auto result = child.run(arguments);
    ASSERT_EQ(result.status, 0) << result.error;
    EXPECT_LT(result.milliseconds, 60'000);
    const auto& s = result.spool();
    const auto told = numbers(result.out);
    ASSERT_THAT(told, SizeIs(2));
    std::set<std::string> names;
    std::size_t steps = 0, in_handlers = 0;
    for (const auto& n : s.nvtx) {
      if (n.type == Type::nvtx_mark) names.insert(n.name);
      steps += n.name.starts_with("step ") ? 1U : 0U;
      in_handlers += n.name == "in a handler" ? 1U : 0U;
    }
    EXPECT_EQ(steps, static_cast<std::size_t>(told[0]));
    EXPECT_EQ(in_handlers, static_cast<std::size_t>(told[1]));
    EXPECT_FALSE(names.contains("")) << "each text is there";
    EXPECT_EQ(s.lost(), 0u);
    EXPECT_EQ(s.damage.unfinished, 0u);
    EXPECT_FALSE(s.damage.any());
  }
}

TEST(Signals, HandlersThatAnnotateDuringTheFirstAnnotationDoNotHang) {
  GuestChild child;
  const auto result =
      child.variable("LD_PRELOAD", PLUGIN_FILE ":" STANDIN_FOLDER "/libmmap_hook.so")
          .run({"signals-annotate-first"}, 20'000);
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(numbers(result.out), std::vector<long>{1}) << "the signal came";
  const auto& s = result.spool();
  EXPECT_EQ(count(s, Type::nvtx_mark, "in a handler"), 1u);
  EXPECT_EQ(count(s, Type::nvtx_push, "first"), 1u);
  EXPECT_THAT(s.nvtx, SizeIs(3));
  EXPECT_EQ(s.lost(), 0u);
  EXPECT_FALSE(s.damage.any());
}

TEST(Signals, HandlersThatJumpAwayLoseOnlyWhatTheyInterrupt) {
  if (test::thread_sanitized())
    GTEST_SKIP() << "the sanitizer delivers signals at system calls alone";
  GuestChild child;
  const auto result = child.run({"signals-jump", test::sanitized() ? "300" : "3000"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_LT(result.milliseconds, 60'000);
  const auto& s = result.spool();
  const auto told = numbers(result.out);
  ASSERT_THAT(told, SizeIs(2));
  const std::size_t marks = count(s, Type::nvtx_mark, "a mark");
  EXPECT_GE(marks, static_cast<std::size_t>(told[0])) << "what returned is there";
  EXPECT_LE(marks, static_cast<std::size_t>(told[0] + told[1]));
  EXPECT_LE(s.damage.unfinished, static_cast<std::uint64_t>(told[1]));
  EXPECT_EQ(count(s, Type::nvtx_mark, "afterwards"), 1000u);
  EXPECT_THAT(s.calls, SizeIs(3));
  EXPECT_EQ(s.lost(), 0u);
  EXPECT_FALSE(s.damage.any());
}

TEST(Signals, AJumpOutOfACallLeavesTheNextOnesRecorded) {
  GuestChild child;
  const auto result = child.run({"jump-from-call"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(3));
  EXPECT_EQ(result.spool().header.calls, 6u);
}

TEST(Churn, TenThousandThreadsTakeMegabytes) {
  const std::string batches = test::sanitized() ? "10" : "100";
  GuestChild child;
  const auto result = child.run({"thread-churn", batches, "100"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(count(result.spool(), Type::nvtx_mark, "one mark"),
            test::sanitized() ? 1'000u : 10'000u);
  EXPECT_EQ(result.spool().lost(), 0u);
  EXPECT_LT(spool_bytes(child), 4'000'000u);
}

TEST(Churn, ManyThreadsAtATimeLoseNothing) {
  const std::string batches = test::sanitized() ? "4" : "80";
  GuestChild child;
  const auto result =
      child.variable("RNNADVISOR_MAX_BYTES", "16000000").run({"thread-churn", batches, "300"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(count(result.spool(), Type::nvtx_mark, "one mark"),
            test::sanitized() ? 1'200u : 24'000u);
  EXPECT_EQ(result.spool().lost(), 0u);
  EXPECT_LT(spool_bytes(child), 8'000'000u);
}

TEST(Churn, AProcessWithOneCallTakesLittle) {
  GuestChild child;
  ASSERT_EQ(child.run({"forward"}).status, 0);
  EXPECT_LT(spool_bytes(child), 40'000u);
}

class Errno : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, Errno, ::testing::Values("linked", "handle", "user"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Errno, IsKeptByEveryHook) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"errno"}, {"errno", "calls"}}) {
    GuestChild bare;
    const auto alone = bare.alone().variable("PROBE_THROUGH", GetParam()).run(arguments);
    ASSERT_EQ(alone.status, 0) << "without the plugin: " << alone.error;
    GuestChild child;
    const auto result = child.variable("PROBE_THROUGH", GetParam()).run(arguments);
    EXPECT_EQ(result.status, 0) << result.error;
    EXPECT_THAT(result.spool().calls, SizeIs(Ge(10'000u)));
  }
}

class RawChild : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, RawChild, ::testing::Values("_Fork", "clone"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(RawChild, HasASpoolOfItsOwnAndSaysSo) {
  if (test::sanitized()) GTEST_SKIP() << "the sanitizer's own state is wrong in such a child";
  GuestChild child;
  const auto result = child.run({"fork-raw", GetParam()});
  ASSERT_EQ(result.status, 3) << result.error;
  ASSERT_THAT(result.spools, SizeIs(2));
  const auto& parent = result.spools[0];
  const auto& other = result.spools[1];
  EXPECT_THAT(parent.calls, SizeIs(3));
  EXPECT_EQ(count(parent, Type::nvtx_mark, "parent"), 2u);
  EXPECT_EQ(count(parent, Type::nvtx_mark, "child"), 0u);
  EXPECT_EQ(parent.header.exit_status, 3);
  EXPECT_THAT(parent.note_codes(), Not(Contains("unannounced-child")));
  EXPECT_THAT(other.calls, SizeIs(4));
  EXPECT_EQ(count(other, Type::nvtx_mark, "child"), 1u);
  EXPECT_EQ(other.header.exit_status, 7);
  EXPECT_EQ(other.header.parent_pid, parent.header.pid);
  EXPECT_THAT(other.note_codes(), Contains("unannounced-child"));
  for (const auto& s : result.spools) {
    EXPECT_EQ(s.lost(), 0u);
    EXPECT_FALSE(s.damage.any());
  }
}

TEST(RawChildren, ThatDoNotCallLeaveTheParentsFileAlone) {
  GuestChild child;
  const auto result = child.run({"fork-raw", "silent"});
  ASSERT_EQ(result.status, 3) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(3));
  EXPECT_EQ(result.spool().header.exit_status, 3);
}

struct Failing {
  const char* name;
  const char* plan;
  Step step;  // none: nothing is lost
  int error;
  bool late;  // not even the beginning succeeded at first
};
class Failures : public ::testing::TestWithParam<Failing> {};
INSTANTIATE_TEST_SUITE_P(
    , Failures,
    ::testing::Values(
        Failing{"NoSpaceForAWhile", "posix_fallocate:28:4:3", Step::allocate, ENOSPC, false},
        Failing{"AnErrorOfTheDisk", "posix_fallocate:5:3:3", Step::allocate, EIO, false},
        Failing{"NoMemoryToMap", "mmap:12:4:3", Step::map, ENOMEM, false},
        Failing{"Interrupted", "posix_fallocate:4:3:5", Step::none, 0, false},
        Failing{"OpeningIsInterrupted", "open:4:2:5", Step::none, 0, false},
        Failing{"NoNumberLeft", "open:24:2:1000", Step::none, 0, false},
        Failing{"NoAccessAnyMore", "open:13:2:1000", Step::none, 0, false},
        Failing{"NoNumberAtFirst", "open:24:1:3", Step::none, EMFILE, true},
        Failing{"NoSpaceAtFirst", "posix_fallocate:28:1:3", Step::none, ENOSPC, true},
        Failing{"NoMemoryAtFirst", "mmap:12:1:3", Step::none, ENOMEM, true}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(Failures, ThatPassAreReportedAndTheRecordingContinues) {
  const auto& p = GetParam();
  Child child(PROBE_FILE);
  const auto result =
      child.variable("LD_PRELOAD", PLUGIN_FILE ":" STANDIN_FOLDER "/libfailing_calls.so")
          .variable("FAIL_CALL", p.plan)
          .run({"slowly"});
  ASSERT_EQ(result.status, 0) << result.error;
  ASSERT_THAT(result.spools, SizeIs(1));
  const auto& s = result.spool();
  EXPECT_FALSE(s.damage.any());
  if (p.late) {
    EXPECT_THAT(s.calls, SizeIs(Ge(4'000u)));
    EXPECT_EQ(s.calls.size(), s.header.calls);
    ASSERT_THAT(s.note_codes(), Contains("recording-late"));
    EXPECT_THAT(s.notes[0].second, ::testing::HasSubstr(strerror(p.error)));
    return;
  }
  EXPECT_EQ(s.header.calls, 6'000u);
  EXPECT_EQ(s.calls.size() + lost(s, Loss::calls), 6'000u);
  std::uint64_t last = 0;
  for (const auto& call : s.calls) last = std::max(last, call.id);
  EXPECT_EQ(last, 6'000u) << "the recording went on";
  if (p.step == Step::none) {
    EXPECT_EQ(s.lost(), 0u);
    EXPECT_THAT(s.header.failures, IsEmpty());
    return;
  }
  EXPECT_GT(s.lost(), 0u);
  EXPECT_THAT(s.calls, SizeIs(Ge(4'000u)));
  ASSERT_THAT(s.header.failures, SizeIs(1));
  EXPECT_EQ(s.header.failures[0].step, p.step);
  EXPECT_EQ(s.header.failures[0].error, p.error);
}

class CutOff : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, CutOff, ::testing::Values("0", "4096", "8192", "20000", "-1", "-5000"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', 'm');
                           return "To" + name;
                         });

// Another process cuts the file off while it is written.
TEST_P(CutOff, EndsTheRecordingAndNotTheProgram) {
  if (test::thread_sanitized())
    GTEST_SKIP() << "the sanitizer can hang when a write that it watches is a bus error";
  GuestChild child;
  child.variable("ASAN_OPTIONS",
                 "verify_asan_link_order=0:detect_leaks=0:handle_segv=0:handle_sigbus=0");
  child.variable("TSAN_OPTIONS", "handle_segv=0:handle_sigbus=0:report_signal_unsafe=0");
  const auto result = child.run_only({"cut-off", GetParam()});
  EXPECT_EQ(result.status, 5) << result.error;
  EXPECT_THAT(result.error, IsEmpty());
}

TEST(BusErrors, OfTheProgramAreItsOwn) {
  if (test::sanitized()) GTEST_SKIP() << "the sanitizer handles them";
  for (const char* how : {"fault", "raise", "kill"}) {
    GuestChild child;
    EXPECT_EQ(child.run({"own-bus-error", how}).status, -SIGBUS) << how;
    EXPECT_THAT(child.run({"own-bus-error", how}).error, IsEmpty());
  }
  // A handler of the program's stays where it is.
  GuestChild child;
  const auto result = child.run_only({"cut-off", "8192", "handler"});
  EXPECT_THAT(result.status, ::testing::AnyOf(5, 90)) << result.error;
}

class OtherUser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0)
      GTEST_SKIP() << "NOT TESTED: only root can become another user; run this test as root";
  }
};

TEST_F(OtherUser, AfterTheFirstCallLosesNothing) {
  GuestChild child;
  const auto result = child.run({"other-user", "later"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(20'001));
  EXPECT_EQ(result.spool().lost(), 0u);
}

TEST_F(OtherUser, BeforeTheFirstCallNeedsAFolderThatTakesItsFile) {
  GuestChild closed;
  const auto without = closed.run({"other-user", "first"});
  EXPECT_EQ(without.status, 0) << without.error;
  EXPECT_THAT(without.error, IsEmpty());
  EXPECT_THAT(without.spools, IsEmpty());
  GuestChild open;
  ASSERT_EQ(chmod(open.folder().c_str(), 0711), 0);
  ASSERT_EQ(chmod(open.spool_folder().c_str(), 01733), 0);
  const auto result = open.run({"other-user", "first"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(20'000));
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
