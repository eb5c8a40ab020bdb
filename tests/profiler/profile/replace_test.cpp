// Writing replaces a file as a whole or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "profiler/profile/file.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor {
namespace {

using testing::expect_equal;
using testing::rich_profile;
using testing::TemporaryDirectory;

std::size_t files_in(const std::string& directory) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    count += entry.is_regular_file() ? 1U : 0U;
  return count;
}

TEST(Replace, AnExistingFileIsOnlyReplacedOnRequest) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  testing::write_bytes(path, "precious");
  const auto refused = write_profile(rich_profile(), path);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::io);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("exists already"));
  EXPECT_EQ(testing::read_bytes(path), "precious");
  ASSERT_TRUE(write_profile(rich_profile(), path, true));
  EXPECT_TRUE(read_profile(path));
  EXPECT_EQ(files_in(directory.path()), 1U);
}

TEST(Replace, KeepsPermissionsAndFollowsLinks) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof"), link = directory.file("link");
  testing::write_bytes(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_EQ(::symlink("a.rnnprof", link.c_str()), 0);
  ASSERT_TRUE(write_profile(rich_profile(), link, true));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(read_profile(path));
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

// Command lines and paths of the program are in it.
TEST(Replace, ANewProfileIsForItsOwnerAlone) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_profile(rich_profile(), directory.file("a.rnnprof")));
  struct stat status{};
  ASSERT_EQ(::stat(directory.file("a.rnnprof").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST(Replace, AMissingDirectoryIsAnError) {
  const TemporaryDirectory directory;
  const auto written = write_profile(rich_profile(), directory.file("none/a.rnnprof"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::io);
  EXPECT_THAT(written.error().remedy, ::testing::HasSubstr("folder exists"));
}

TEST(Replace, ADirectoryIsNotReplaced) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(write_profile(rich_profile(), directory.path(), true));
}

// A child with a limit on the size of its files: the kernel stops it in the middle of its writing.
int write_with_limit(const std::string& path, bool killed) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, killed ? SIG_DFL : SIG_IGN);
    const rlimit core{0, 0}, size{8192, 8192};
    ::setrlimit(RLIMIT_CORE, &core);
    ::setrlimit(RLIMIT_FSIZE, &size);
    const auto written = write_profile(testing::many_kernels(20'000), path, true);
    ::_exit(written ? 0 : written.error().code == ErrorCode::io ? 7 : 8);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(Replace, AWriterThatIsKilledLeavesTheOldFileWhole) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  const Profile old = rich_profile();
  ASSERT_TRUE(write_profile(old, path));
  const int status = write_with_limit(path, true);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGXFSZ);
  const auto read = read_profile(path);
  ASSERT_TRUE(read) << to_text(read.error());
  expect_equal(old, *read);
  // What the killed one left behind does not stop the next.
  ASSERT_TRUE(write_profile(old, path, true));
}

TEST(Replace, AFullDiskIsAnErrorAndLeavesNothingBehind) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  const Profile old = rich_profile();
  ASSERT_TRUE(write_profile(old, path));
  const int status = write_with_limit(path, false);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  const auto read = read_profile(path);
  ASSERT_TRUE(read) << to_text(read.error());
  expect_equal(old, *read);
  EXPECT_EQ(files_in(directory.path()), 1U);
}

}  // namespace
}  // namespace rnnadvisor
