// Every system call that writing or reading a profile makes fails once, at every place, and SQLite
// gets less and less memory: a clear error, the old file whole, and nothing beside it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string_view>

#include "profiler/profile/file.h"
#include "tests/profiler/profile/rich_profile.h"

namespace {

struct Plan {
  std::string_view call;  // empty: none fails
  int error = 0;
  int at = 0;    // which of its calls, from 1
  int seen = 0;  // how many there were
};
Plan plan;

bool fails(std::string_view call) {
  if (plan.call != call || ++plan.seen != plan.at) return false;
  errno = plan.error;
  return true;
}

}  // namespace

// In the place of the C library's, for SQLite as well.
#define FAILING(type, name, number, parameters, ...)        \
  extern "C" type name parameters {                         \
    if (fails(#name)) return -1;                            \
    return static_cast<type>(syscall(number, __VA_ARGS__)); \
  }
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
FAILING(ssize_t, pwrite64, SYS_pwrite64, (int file, const void* from, size_t bytes, off64_t at),
        file, from, bytes, at)
FAILING(ssize_t, pread64, SYS_pread64, (int file, void* to, size_t bytes, off64_t at), file, to,
        bytes, at)
FAILING(ssize_t, pwrite, SYS_pwrite64, (int file, const void* from, size_t bytes, off_t at), file,
        from, bytes, at)
FAILING(ssize_t, pread, SYS_pread64, (int file, void* to, size_t bytes, off_t at), file, to, bytes,
        at)
FAILING(int, fsync, SYS_fsync, (int file), file)
FAILING(int, fdatasync, SYS_fdatasync, (int file), file)
FAILING(int, ftruncate64, SYS_ftruncate, (int file, off64_t bytes) noexcept, file, bytes)
// 64-bit ARM has no SYS_rename.
FAILING(int, rename, SYS_renameat2, (const char* from, const char* to) noexcept, AT_FDCWD, from,
        AT_FDCWD, to, 0)
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

namespace rnnadvisor {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using testing::expect_equal;
using testing::rich_profile;
using testing::TemporaryDirectory;

const std::vector<std::string_view> writing = {"pwrite64",  "pwrite",      "fsync",
                                               "fdatasync", "ftruncate64", "rename"};
const std::vector<std::string_view> reading = {"pread64", "pread"};

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// Calls `act` with the first, second, … of these calls failing until it makes no more. How often
// one failed.
int for_each_failure(const std::vector<std::string_view>& calls, int error,
                     const std::function<void(const std::string& label)>& act) {
  int failed = 0;
  for (const auto call : calls) {
    for (int at = 1;; ++at) {
      plan = {call, error, at, 0};
      act(std::string(call) + " number " + std::to_string(at));
      const bool reached = plan.seen >= at;
      plan = {};
      if (!reached) break;
      ++failed;
    }
  }
  return failed;
}

TEST(Failures, OfEveryCallLeaveTheOldProfileOrTheNew) {
  const Profile old = rich_profile(), larger = testing::many_kernels(2'000);
  for (const int error : {ENOSPC, EIO}) {
    int errors = 0;
    const int failed = for_each_failure(writing, error, [&](const std::string& label) {
      const TemporaryDirectory directory;
      const std::string path = directory.file("a.rnnprof");
      const Plan armed = plan;
      plan = {};
      ASSERT_TRUE(write_profile(old, path));
      const auto before = testing::read_bytes(path);
      plan = armed;
      const auto written = write_profile(larger, path, true);
      const int seen = plan.seen;
      plan = {};
      const auto read = read_profile(path);
      ASSERT_TRUE(read) << label << ": " << to_text(read.error());
      if (written) {
        expect_equal(larger, *read);
      } else {
        ++errors;
        EXPECT_EQ(written.error().code, ErrorCode::io) << label << to_text(written.error());
        // Where it was the folder that did not reach the disk the new one is in its place.
        if (testing::read_bytes(path) != before) {
          EXPECT_EQ(label.substr(0, 6), "fsync ");
          expect_equal(larger, *read);
        }
      }
      EXPECT_EQ(files_in(directory.path()), 1U) << label;
      plan.seen = seen;
    });
    EXPECT_GT(failed, 10);
    EXPECT_GT(errors, 10);
  }
}

TEST(Failures, OfReadingAreErrors) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  const Profile whole = rich_profile();
  ASSERT_TRUE(write_profile(whole, path));
  const int failed = for_each_failure(reading, EIO, [&](const std::string& label) {
    const auto read = read_profile(path);
    const int seen = plan.seen;
    plan = {};
    if (read) {
      expect_equal(whole, *read);
    } else {
      EXPECT_THAT(read.error().code, AnyOf(ErrorCode::io, ErrorCode::damaged, ErrorCode::database))
          << label << ": " << to_text(read.error());
      EXPECT_THAT(read.error().message, ::testing::HasSubstr(path)) << label;
    }
    plan.seen = seen;
  });
  EXPECT_GT(failed, 20);
}

TEST(Failures, OfStoringFindingsLeaveThemAsTheyWere) {
  const std::vector<FindingRow> first = {{0, "a/b", "info", "measured", "", "", "", {}, ""}},
                                second = {{0, "c/d", "error", "measured", "", "", "", {}, ""}};
  for_each_failure(writing, ENOSPC, [&](const std::string& label) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("a.rnnprof");
    const Plan armed = plan;
    plan = {};
    ASSERT_TRUE(write_profile(rich_profile(), path));
    ASSERT_TRUE(write_findings(path, first));
    plan = armed;
    const auto written = write_findings(path, second);
    const int seen = plan.seen;
    plan = {};
    const auto findings = read_findings(path);
    ASSERT_TRUE(findings) << label << ": " << to_text(findings.error());
    const bool replaced = written || label.starts_with("fsync ");
    EXPECT_TRUE(*findings == second || *findings == first) << label;
    if (!replaced) {
      EXPECT_EQ(*findings, first) << label;
    }
    EXPECT_TRUE(read_profile(path)) << label;
    plan.seen = seen;
  });
}

TEST(Failures, WithoutMemoryAreErrors) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  const Profile whole = rich_profile();
  ASSERT_TRUE(write_profile(whole, path));
  const auto before = testing::read_bytes(path);
  int failed = 0;
  for (sqlite3_int64 limit = 20'000; limit < 400'000; limit += 9'973) {
    sqlite3_hard_heap_limit64(limit);
    const auto read = read_profile(path);
    const auto written = write_profile(whole, path, true);
    sqlite3_hard_heap_limit64(0);
    failed += (read ? 0 : 1) + (written ? 0 : 1);
    if (read) expect_equal(whole, *read);
    EXPECT_TRUE(testing::read_bytes(path) == before) << limit << ": equal profiles are equal bytes";
    EXPECT_EQ(files_in(directory.path()), 1U) << limit;
  }
  EXPECT_GT(failed, 4);
}

}  // namespace
}  // namespace rnnadvisor
