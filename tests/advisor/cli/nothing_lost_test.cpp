// Every way out of the real program, on disks that are full, streams that are closed, and killed at
// any moment: the exit status says so, and what was there before is whole.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <iostream>
#include <random>
#include <set>

#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/profiler/spool/sample_spools.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

// Starts the real program; `prepare` runs in the new process before it.
pid_t start(const Words& arguments, const std::function<void()>& prepare) {
  const pid_t child = fork();
  if (child != 0) return child;
  prepare();
  Words words = {RNNADVISOR_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(pointers.front(), pointers.data());
  _exit(125);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void redirect(const std::string& path, int descriptor) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(file, descriptor);
  close(file);
}

class NothingLost : public ::testing::Test {
 protected:
  NothingLost() {
    write_text_file(network_, "hidden_size = 512\nbatch_size = 64\nid = \"mine\"\n");
    write_text_file(lines_, many_lines());
    const auto made = call({"check", network_, "--device", "a100", "--save", profile_});
    EXPECT_TRUE(fs::exists(profile_)) << made.err;
    fs::create_directory(recording_);
    spool::sample_spool().write(recording_ + "/1.rnnspool");
  }

  static std::string many_lines() {
    std::string text;
    for (int i = 0; i < 300; ++i)
      text += "{\"hidden_size\": " + std::to_string(8 * (i + 1)) + "}\n";
    return text;
  }

  struct Output {
    Words command;
    std::string file;
  };
  // One of each way to write a file, into `folder`.
  std::vector<Output> outputs(const std::string& folder) const {
    const auto at = [&](const char* name) { return folder + "/" + name; };
    std::vector<Output> all;
    for (const char* format : {"text", "markdown", "json", "html", "sarif", "junit", "csv"})
      all.push_back(
          {{"report", profile_, "-f", format, "-o", at("report"), "--force"}, at("report")});
    for (const char* format : {"perfetto", "kernels-csv", "calls-csv"})
      all.push_back(
          {{"export", "sample:programs/pytorch-gru", "-f", format, "-o", at("export"), "--force"},
           at("export")});
    all.push_back({{"check", network_, "--device", "a100", "-f", "html:" + at("check"), "--force"},
                   at("check")});
    all.push_back(
        {{"check", network_, "--device", "a100", "--save", at("saved"), "--force"}, at("saved")});
    all.push_back({{"check", "--batch", lines_, "--device", "a100", "-o", at("batch"), "--force"},
                   at("batch")});
    all.push_back({{"map", network_, "--device", "a100", "-f", "html", "-o", at("map"), "--force"},
                   at("map")});
    all.push_back({{"merge", profile_, "-o", at("merged"), "--force"}, at("merged")});
    all.push_back({{"collect", recording_, "-o", at("collected"), "--force"}, at("collected")});
    return all;
  }

  TemporaryFolder folder_;
  const std::string network_ = folder_ / "network.toml", lines_ = folder_ / "lines.jsonl",
                    profile_ = folder_ / "profile.rnnprof", recording_ = folder_ / "recording",
                    errors_ = folder_ / "errors";
};

TEST_F(NothingLost, StandardOutputThatIsFullOrClosedIsStatus3WithTheReason) {
  const std::vector<Words> commands = {
      {"check", network_, "--device", "a100"},
      {"check", network_, "--device", "a100", "--json"},
      {"check", "--batch", lines_, "--device", "a100"},
      {"check", network_, "--device", "a100", "-f", "html:/dev/stdout"},
      {"report", profile_},
      {"report", profile_, "--json"},
      {"advise", profile_, "-f", "sarif"},
      {"advise", "sample:gnmt", "--verify", "--dry-run"},
      {"advise", "sample:gnmt", "--verify", "--dry-run", "--json"},
      {"map", network_, "--device", "a100"},
      {"fit", network_, "--device", "a100"},
      {"fit", network_, "--device", "a100", "--json"},
      {"export", "sample:gnmt", "-f", "perfetto"},
      {"export", "sample:gnmt", "-f", "kernels-csv"},
      {"sweep", "sample:gnmt", "--list"},
      {"sweep", "sample:gnmt", "--dry-run", "-o", folder_ / "sweep.rnnprof"},
      {"samples", "list"},
      {"samples", "show", "gnmt"},
      {"rules", "list"},
      {"rules", "list", "--json"},
      {"rules", "facts"},
      {"rules", "explain", "persistence/tensor-core-math"},
      {"doctor"},
      {"doctor", "--json"},
      {"version"},
      {"man"},
      {"completion", "bash"},
      {"completion", "fish"},
      {"--help"},
      {"--version"},
      {"help", "check"}};
  for (const auto& command : commands) {
    for (const bool closed : {false, true}) {
      fs::remove(errors_);
      const int status = wait_for(start(command, [&] {
        redirect(errors_, STDERR_FILENO);
        if (closed) {
          close(STDOUT_FILENO);
        } else {
          redirect("/dev/full", STDOUT_FILENO);
        }
      }));
      const auto said = read_text(errors_);
      EXPECT_EQ(status, 3) << command[0] << (closed ? ", closed: " : ", full: ") << said;
      EXPECT_THAT(said, AnyOf(HasSubstr("No space left"), HasSubstr("it is closed"),
                              HasSubstr("Bad file descriptor")))
          << command[0];
    }
  }
}

// What stands first in the table of open files must not be taken for standard output.
TEST_F(NothingLost, AFileThatIsOpenedIsNoStandardOutput) {
  const auto before = read_text(profile_);
  const int status =
      wait_for(start({"report", profile_, "-f", "text", "-f", "json:" + (folder_ / "r")}, [&] {
        redirect(errors_, STDERR_FILENO);
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
      }));
  EXPECT_EQ(status, 3);
  EXPECT_EQ(read_text(profile_), before);
  EXPECT_EQ(read_text(folder_ / "r").front(), '{');
}

TEST_F(NothingLost, AFileThatCannotBeWrittenLeavesTheOldOneAndStatus3) {
  fs::create_directory(folder_ / "out");
  for (const auto& [command, file] : outputs(folder_ / "out")) {
    write_text_file(file, "precious");
    const int status = wait_for(start(command, [&] {
      redirect("/dev/null", STDOUT_FILENO);
      redirect("/dev/null", STDERR_FILENO);
      const rlimit small = {16, 16};
      setrlimit(RLIMIT_FSIZE, &small);
    }));
    EXPECT_EQ(status, 3) << command[0] << " " << command[3];
    EXPECT_EQ(read_text(file), "precious") << command[0];
    fs::remove(file);
    EXPECT_TRUE(fs::is_empty(folder_ / "out")) << command[0] << " left something behind";
  }
}

TEST_F(NothingLost, OnADiskOfAMegabyte) {
  const std::string disk = folder_ / "disk";
  fs::create_directory(disk);
  const auto on_disk = [&](const std::string& script) {
    const std::string mounted = "mount -t tmpfs -o size=1m none " + disk + " && ";
    return std::system(("unshare -m sh -c '" + mounted + script + "' 2>" + errors_).c_str());
  };
  if (on_disk("true") != 0) GTEST_SKIP() << "no file system of a megabyte can be made here";
  // Two files of which one fits: the second export does not, and the first stays.
  const std::string program = RNNADVISOR_PROGRAM, first = disk + "/trace";
  const std::string fill = "head -c 900000 /dev/zero > " + first + " && ";
  const int status = on_disk(fill + program + " export sample:gnmt -f perfetto -o " + first +
                             " --force; s=$?; [ $(wc -c < " + first + ") = 900000 ] && [ $(ls -A " +
                             disk + " | wc -l) = 1 ] && exit $s; exit 99");
  EXPECT_EQ(WEXITSTATUS(status), 3) << read_text(errors_);
  EXPECT_THAT(read_text(errors_), HasSubstr("No space left"));
}

TEST_F(NothingLost, KilledAtAnyMomentTheFileIsTheOldOneOrTheNew) {
  fs::create_directory(folder_ / "out");
  std::mt19937 random(1123);
  int killed = 0;
  for (const auto& [command, file] : outputs(folder_ / "out")) {
    fs::remove(file);
    ASSERT_EQ(wait_for(start(command,
                             [] {
                               redirect("/dev/null", STDOUT_FILENO);
                               redirect("/dev/null", STDERR_FILENO);
                             })),
              0)
        << command[0];
    const auto whole = read_text(file).size();
    for (int round = 0; round < 6; ++round) {
      write_text_file(file, "precious");
      const int signal = round % 2 == 0 ? SIGKILL : SIGTERM;
      const pid_t child = start(command, [] {
        redirect("/dev/null", STDOUT_FILENO);
        redirect("/dev/null", STDERR_FILENO);
      });
      usleep(static_cast<useconds_t>(random() % 60'000));
      kill(child, signal);
      const int status = wait_for(child);
      EXPECT_THAT(status, AnyOf(Eq(128 + signal), Eq(0), Eq(130))) << command[0];
      if (status != 0) ++killed;
      const auto found = read_text(file);
      // Reports say when they were made and profiles what made them, so that sizes vary a little.
      EXPECT_TRUE(found == "precious" || (found.size() + 200 > whole && found.size() < whole + 200))
          << command[0] << ": " << found.size() << " bytes of " << whole;
    }
    // The next to write there clears away what the killed ones left.
    EXPECT_EQ(wait_for(start(command,
                             [] {
                               redirect("/dev/null", STDOUT_FILENO);
                               redirect("/dev/null", STDERR_FILENO);
                             })),
              0);
    fs::remove(file);
    EXPECT_TRUE(fs::is_empty(folder_ / "out")) << command[0];
  }
  EXPECT_GT(killed, 10);
}

TEST_F(NothingLost, NoOutputIsAnInput) {
  const auto network = read_text(network_), profile = read_text(profile_),
             lines = read_text(lines_);
  fs::create_hard_link(profile_, folder_ / "other-name");
  fs::create_symlink(profile_, folder_ / "link");
  for (const auto& target : {profile_, folder_ / "other-name", folder_ / "link"}) {
    for (const Words& command :
         std::vector<Words>{{"report", profile_, "-o", target, "--force"},
                            {"advise", profile_, "-f", "html:" + target, "--force"},
                            {"export", profile_, "-f", "perfetto", "-o", target, "--force"},
                            {"merge", profile_, "-o", target, "--force"},
                            {"map", profile_, "-o", target, "--force"},
                            {"calibrate", "--from", profile_, "-o", target, "--force"},
                            {"advise", profile_, "--verify", "-o", target, "--force"}}) {
      EXPECT_EQ(call(command).status, 2) << command[0] << " " << target;
      EXPECT_EQ(read_text(profile_), profile) << command[0];
    }
  }
  EXPECT_EQ(call({"check", network_, "-f", "html:" + network_, "--force"}).status, 2);
  EXPECT_EQ(call({"check", network_, "--save", network_, "--force"}).status, 2);
  EXPECT_EQ(call({"check", "--batch", lines_, "-o", lines_, "--force"}).status, 2);
  EXPECT_EQ(read_text(network_), network);
  EXPECT_EQ(read_text(lines_), lines);
  // Nor are two outputs one file.
  EXPECT_EQ(
      call({"report", profile_, "-f", "html:" + (folder_ / "x"), "-f", "json:" + (folder_ / "./x")})
          .status,
      2);
}

// A program that asks one question at a time gets its answer before it asks the next.
TEST_F(NothingLost, ABatchIsAnsweredWhenItsInputPauses) {
  int questions[2] = {}, answers[2] = {};
  ASSERT_EQ(pipe2(questions, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(answers, O_CLOEXEC), 0);
  const pid_t child = start({"check", "--batch", "-", "--device", "a100", "--no-findings"}, [&] {
    dup2(questions[0], STDIN_FILENO);
    dup2(answers[1], STDOUT_FILENO);
    redirect("/dev/null", STDERR_FILENO);
  });
  close(questions[0]);
  close(answers[1]);
  std::string heard;
  const auto hear_until = [&](std::size_t lines) {
    while (static_cast<std::size_t>(std::count(heard.begin(), heard.end(), '\n')) < lines) {
      pollfd wait = {answers[0], POLLIN, 0};
      if (poll(&wait, 1, 20'000) <= 0) return false;
      char buffer[4096];
      const auto got = read(answers[0], buffer, sizeof buffer);
      if (got <= 0) return false;
      heard.append(buffer, static_cast<std::size_t>(got));
    }
    return true;
  };
  for (std::size_t i = 1; i <= 5; ++i) {
    const auto line = "{\"id\": \"q" + std::to_string(i) + "\", \"hidden_size\": 64}\n";
    // In two pieces, the first of which is no line yet.
    ASSERT_EQ(write(questions[1], line.data(), 9), 9);
    usleep(2000);
    ASSERT_GT(write(questions[1], line.data() + 9, line.size() - 9), 0);
    ASSERT_TRUE(hear_until(i)) << "no answer to question " << i;
    EXPECT_THAT(heard, HasSubstr("\"q" + std::to_string(i) + "\""));
  }
  close(questions[1]);
  EXPECT_EQ(wait_for(child), 0);
  close(answers[0]);
}

TEST_F(NothingLost, EightProfilesAtOnceHaveNamesOfTheirOwn) {
  const std::string here = folder_ / "runs";
  fs::create_directory(here);
  constexpr int rounds = 2, at_once = 8;
  for (int round = 0; round < rounds; ++round) {
    std::vector<pid_t> children;
    for (int i = 0; i < at_once; ++i) {
      children.push_back(start({"profile", "--quiet", "true"}, [&] {
        if (chdir(here.c_str()) != 0) _exit(124);
        setenv("RNNADVISOR_PLUGIN", RNNADVISOR_FAKE_PLUGIN, 1);
        redirect(errors_, STDERR_FILENO);
      }));
    }
    for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0) << read_text(errors_);
  }
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(here)) {
    names.insert(entry.path().filename());
    EXPECT_TRUE(read_profile(entry.path())) << entry.path();
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(rounds * at_once));
}

TEST_F(NothingLost, ANameThatWasClaimedAndNeverUsedIsFree) {
  const std::string name = folder_ / "claimed.rnnprof";
  const auto profile = [&] {
    return wait_for(start({"profile", "--quiet", "-o", name, "no-such-program"}, [&] {
      setenv("RNNADVISOR_PLUGIN", RNNADVISOR_FAKE_PLUGIN, 1);
      redirect(errors_, STDERR_FILENO);
    }));
  };
  EXPECT_EQ(profile(), 127);
  EXPECT_FALSE(fs::exists(name));
  write_text_file(name, "");  // as a process that was killed leaves it
  EXPECT_EQ(profile(), 127);
  EXPECT_EQ(call({"collect", recording_, "-o", name}).status, 0);
  EXPECT_TRUE(read_profile(name));
  EXPECT_EQ(call({"collect", recording_, "-o", name}).status, 2);
}

}  // namespace
}  // namespace rnnadvisor::cli
