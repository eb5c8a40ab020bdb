#include "core/base/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/temporary_folder.h"

namespace rnnadvisor {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}
mode_t mode_of(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

TEST(OutputFile, NothingIsThereBeforeItIsWhole) {
  const TemporaryFolder folder;
  const auto path = folder.file("a/b/x");
  {
    auto file = OutputFile::open(path, {.make_folders = true});
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("half"));
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(entries(folder.path() / "a/b"), 0U);
  ASSERT_TRUE(write_file(path, "whole"));
  EXPECT_EQ(content(path), "whole");
  EXPECT_EQ(entries(folder.path() / "a/b"), 1U);
}

TEST(OutputFile, PermissionsStayAndNewFilesHaveThoseOfTheUmask) {
  const TemporaryFolder folder;
  const auto path = folder.file("x");
  const mode_t before = ::umask(0027);
  ASSERT_TRUE(write_file(path, "1"));
  EXPECT_EQ(mode_of(path), 0640U);
  ASSERT_TRUE(write_file(folder.file("mine"), "1", {.owner_only = true}));
  EXPECT_EQ(mode_of(folder.file("mine")), 0600U);
  ::umask(before);
  ASSERT_EQ(::chmod(path.c_str(), 0604), 0);
  ASSERT_TRUE(write_file(path, "2", {.owner_only = true}));
  EXPECT_EQ(mode_of(path), 0604U);
}

TEST(OutputFile, LinksStayAndLeadToTheNewFile) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "below");
  fs::create_symlink("below/target", folder.path() / "link");  // leads nowhere yet
  fs::create_symlink("link", folder.path() / "link of a link");
  ASSERT_TRUE(write_file(folder.file("link of a link"), "1"));
  EXPECT_EQ(content(folder.file("below/target")), "1");
  ASSERT_TRUE(write_file(folder.file("link"), "2"));
  EXPECT_EQ(content(folder.file("below/target")), "2");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link of a link"));
}

TEST(OutputFile, AnExistingFileIsAnErrorWithoutReplace) {
  const TemporaryFolder folder;
  const auto path = folder.file("x");
  auto early = OutputFile::open(path, {.replace = false});
  ASSERT_TRUE(early);
  ASSERT_TRUE(write_file(path, "precious"));
  const auto late = OutputFile::open(path, {.replace = false});
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message, HasSubstr("exists already"));
  ASSERT_TRUE(early->write("other"));
  EXPECT_FALSE(early->commit());  // it came meanwhile
  EXPECT_EQ(content(path), "precious");
}

TEST(OutputFile, DevicesAndDescriptorsAreWrittenDirectly) {
  const TemporaryFolder folder;
  EXPECT_TRUE(write_file("/dev/null", "x"));
  const auto full = write_file("/dev/full", "x");
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().message, HasSubstr("No space left"));
  // What a shell's >> has written before stays.
  const auto path = folder.file("log");
  ASSERT_TRUE(write_file(path, "before "));
  const pid_t child = ::fork();
  if (child == 0) {
    std::FILE* log = std::freopen(path.c_str(), "ab", stdout);
    ::_exit(log != nullptr && write_file("/dev/stdout", "after") ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(path), "before after");
}

TEST(OutputFile, OneFileByWhateverPath) {
  const TemporaryFolder folder;
  const auto path = folder.file("x");
  ASSERT_TRUE(write_file(path, "1"));
  fs::create_hard_link(path, folder.path() / "hard");
  fs::create_symlink("x", folder.path() / "soft");
  EXPECT_TRUE(is_same_file(path, folder.file("hard")));
  EXPECT_TRUE(is_same_file(folder.file("soft"), folder.file("hard")));
  EXPECT_TRUE(is_same_file(folder.file("./x"), path));
  EXPECT_FALSE(is_same_file(path, folder.file("none")));
  EXPECT_FALSE(is_same_file("/dev/null", "/dev/null"));
}

TEST(OutputFile, ALongNameAndAFolderThatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_TRUE(write_file(folder.file(std::string(255, 'n')), "1"));
  EXPECT_FALSE(write_file(folder.file(std::string(256, 'n')), "1"));
  EXPECT_FALSE(write_file("/proc/no/such/place", "x"));
  EXPECT_FALSE(write_file(folder.path().string(), "x"));
}

// A child that writes the file again and again; killed at a random moment, or stopped by a limit.
TEST(OutputFile, KilledAtAnyMomentItLeavesAWholeFile) {
  const TemporaryFolder folder;
  const auto path = folder.file("x");
  const std::string one(300'000, '1'), two(200'000, '2');
  ASSERT_TRUE(write_file(path, one));
  std::mt19937 random(20261123);
  for (int round = 0; round < 60; ++round) {
    const int signal = round % 2 == 0 ? SIGKILL : SIGTERM;
    const pid_t child = ::fork();
    if (child == 0) {
      while (write_file(path, two) && write_file(path, one)) {
      }
      ::_exit(1);
    }
    ::usleep(static_cast<useconds_t>(random() % 8000));
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto found = content(path);
    ASSERT_TRUE(found == one || found == two) << found.size() << " bytes";
  }
  // What the killed ones left is removed by the next.
  ASSERT_TRUE(write_file(path, one));
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(OutputFile, WhatIsBeingWrittenIsNotTakenForAbandoned) {
  const TemporaryFolder folder;
  auto file = OutputFile::open(folder.file("slow"));
  ASSERT_TRUE(file);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(write_file(folder.file("quick"), "x"));
  ASSERT_TRUE(file->write("slow"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(content(folder.file("slow")), "slow");
}

TEST(OutputFile, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  const auto path = folder.file("x");
  ASSERT_TRUE(write_file(path, "old"));
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit size{8192, 8192};
    ::setrlimit(RLIMIT_FSIZE, &size);
    const auto written = write_file(path, std::string(100'000, 'x'));
    ::_exit(written ? 0 : written.error().code == ErrorCode::io ? 7 : 8);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(entries(folder.path()), 1U);
}

}  // namespace
}  // namespace rnnadvisor
