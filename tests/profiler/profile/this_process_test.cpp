#include "profiler/profile/this_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

namespace rnnadvisor {
namespace {

TEST(ThisProcess, KnowsItself) {
  const Process self = this_process();
  EXPECT_EQ(self.pid, getpid());
  EXPECT_EQ(self.parent_pid, getppid());
  EXPECT_FALSE(self.host.empty());
  EXPECT_EQ(self.executable, std::filesystem::read_symlink("/proc/self/exe").string());
  EXPECT_THAT(self.command_line, ::testing::HasSubstr("profile_file_test"));
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  EXPECT_LE(self.start_ns, now);
  EXPECT_GT(self.start_ns, now - std::int64_t{600'000'000'000}) << "tests do not take minutes";
  EXPECT_TRUE(self.identified());
  EXPECT_TRUE(self.same_process(this_process()));
  EXPECT_EQ(self.end, ProcessEnd::unknown);
}

TEST(ThisProcess, TheStartIsTheTwentySecondField) {
  EXPECT_EQ(start_ticks_of_stat("71 (cat) R 70 71 70 34816 71 4194304 95 0 0 0 0 0 0 0 20 0 1 0 "
                                "123456 5894144 224 18446744073709551615\n"),
            123456);
  EXPECT_EQ(start_ticks_of_stat("1 (a ) 7 (b) S 0 1 1 0 -1 4 5 0 1 0 1 2 3 4 20 0 1 0 42"), 42)
      << "a name may hold anything";
  for (const char* text : {"", "1", "1 (", "1 (x)", "1 (x) S 0 1 1",
                           "1 (x) S 0 1 1 0 -1 4 5 0 1 0 "
                           "1 2 3 4 20 0 1 0 forty"}) {
    EXPECT_EQ(start_ticks_of_stat(text), -1) << text;
  }
}

}  // namespace
}  // namespace rnnadvisor
