// Every allocation of C++ that writing or reading a profile makes fails once, or fails with all
// after it: an error that says so, the old file whole, nothing beside it, and no file left open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <optional>

#include "profiler/profile/file.h"
#include "tests/effort.h"
#include "tests/failing_allocations.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor {
namespace {

namespace fs = std::filesystem;
using testing::expect_equal;
using testing::rich_profile;
using testing::TemporaryDirectory;

std::size_t entries_of(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// Calls `act`, which gives a Result, with each of its allocations failing: all of the first `dense`
// ones, and then fewer and fewer. `check` looks at what is left, and at what was given where that
// is a value. How often it failed.
template <class Act, class Check>
int for_each_allocation(const Act& act, const Check& check,
                        long dense = test::sanitized() ? 40 : 200) {
  using Given = decltype(act());
  test::fail_allocation(0);
  EXPECT_TRUE(act().has_value());
  const long all = test::allocations();
  int failed = 0;
  for (const bool lasting : {false, true}) {
    for (long at = 1; at <= all; at += 1 + at / dense) {
      SCOPED_TRACE("allocation " + std::to_string(at) + (lasting ? " and all after it" : ""));
      const auto open_before = entries_of("/proc/self/fd");
      std::optional<Given> given;
      try {
        test::fail_allocation(at, lasting);
        given = act();
      } catch (const std::bad_alloc&) {
      }
      test::fail_allocation(0);
      EXPECT_EQ(entries_of("/proc/self/fd"), open_before);
      // Where no memory is left at all, not even an error can be made.
      EXPECT_TRUE(given || lasting) << "thrown across the interface of a library";
      if (given && !*given) {
        EXPECT_EQ(given->error().code, ErrorCode::out_of_memory) << to_text(given->error());
        EXPECT_THAT(given->error().message, ::testing::HasSubstr("memory"));
      }
      const bool done = given && *given;
      failed += done ? 0 : 1;
      check(done ? &*given : nullptr);
      if (::testing::Test::HasFailure()) return failed;
    }
  }
  return failed;
}

TEST(Allocations, ThatFailLeaveTheOldProfileOrTheNew) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof"), other = directory.file("b.rnnprof");
  const Profile old = testing::many_kernels(200), whole = rich_profile();
  ASSERT_TRUE(write_profile(old, path));
  ASSERT_TRUE(write_profile(whole, other));
  const auto before = testing::read_bytes(path), after = testing::read_bytes(other);
  fs::remove(other);
  const int failed = for_each_allocation([&] { return write_profile(whole, path, true); },
                                         [&](const Result<void>* written) {
                                           const auto now = testing::read_bytes(path);
                                           if (written != nullptr) {
                                             EXPECT_TRUE(now == after);
                                           } else {
                                             EXPECT_TRUE(now == before || now == after);
                                           }
                                           EXPECT_EQ(entries_of(directory.path()), 1U);
                                           testing::write_bytes(path, before);
                                         });
  EXPECT_GT(failed, 100);
}

TEST(Allocations, ThatFailWhileReadingAreErrors) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  const Profile whole = rich_profile();
  ASSERT_TRUE(write_profile(whole, path));
  const auto bytes = testing::read_bytes(path);
  const auto check = [&](const Result<Profile>* read) {
    if (read != nullptr) expect_equal(whole, **read);
  };
  EXPECT_GT(for_each_allocation([&] { return read_profile(path); }, check), 100);
  EXPECT_GT(for_each_allocation([&] { return read_profile_bytes(bytes, "a"); }, check), 100);
}

// By two threads, neither of which may end the process.
TEST(Allocations, ThatFailWhileALargeFileIsReadAreErrors) {
  if (test::sanitized()) GTEST_SKIP() << "the same code as above, and too much of it";
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  const Profile whole = testing::many_kernels(750'000);
  ASSERT_TRUE(write_profile(whole, path));
  ASSERT_GT(fs::file_size(path), 16U << 20);
  const int failed =
      for_each_allocation([&] { return read_profile(path); },
                          [&](const Result<Profile>* read) {
                            if (read != nullptr) {
                              EXPECT_EQ((*read)->kernels.size(), whole.kernels.size());
                            }
                          },
                          2);
  EXPECT_GT(failed, 20);
}

TEST(Allocations, ThatFailLeaveFindingsAsTheyWere) {
  const std::vector<FindingRow> first = {{0, "a/b", "info", "measured", "", "", "", {}, ""}},
                                second = {{0, "c/d", "error", "measured", "", "", "", {}, ""}};
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  ASSERT_TRUE(write_profile(rich_profile(), path));
  ASSERT_TRUE(write_findings(path, first));
  const auto before = testing::read_bytes(path);
  const int failed =
      for_each_allocation([&] { return write_findings(path, second); },
                          [&](const Result<void>* written) {
                            const auto findings = read_findings(path);
                            ASSERT_TRUE(findings) << to_text(findings.error());
                            EXPECT_TRUE(*findings == second || (!written && *findings == first));
                            EXPECT_EQ(entries_of(directory.path()), 1U);
                            testing::write_bytes(path, before);
                          });
  EXPECT_GT(failed, 10);
  EXPECT_GT(for_each_allocation([&] { return read_findings(path); },
                                [&](const Result<std::vector<FindingRow>>* read) {
                                  if (read != nullptr) {
                                    EXPECT_EQ(**read, first);
                                  }
                                }),
            3);
}

}  // namespace
}  // namespace rnnadvisor
