// Ctrl-C as it happens: a signal to a process group in the middle of a sweep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/advisor/cli/processes.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

bool within_seconds(int seconds, const std::function<bool()>& happens) {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  while (Clock::now() < end) {
    if (happens()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return happens();
}

// The stub program in a process group of its own, as a shell would start it.
class Program {
 public:
  Program(const std::vector<std::string>& arguments, const std::string& log,
          const std::string& hang, const std::string& mark) {
    const auto prepare = [&] {
      setpgid(0, 0);
      setenv("RNNADVISOR_STUB_HANG", hang.c_str(), 1);
      setenv("RNNADVISOR_STUB_MARK", mark.c_str(), 1);
      redirect(log, STDOUT_FILENO);
      redirect(log, STDERR_FILENO);
    };
    pid_ = start(arguments, prepare, RNNADVISOR_STUB_PROGRAM);
    setpgid(pid_, pid_);
  }
  ~Program() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal_group(int number) const { kill(-pid_, number); }
  // The exit status; -1 for a death by signal, -2 when it has not ended in time.
  int wait() {
    int status = 0;
    if (!within_seconds(60, [&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) return -2;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
};

class Interrupted : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, testing::Values(SIGINT, SIGTERM),
                         [](const auto& each) { return each.param == SIGINT ? "INT" : "TERM"; });

TEST_P(Interrupted, ABatchEndsWithAWholeLine) {
  TemporaryFolder folder;
  const auto lines = folder / "lines.jsonl", log = folder / "log";
  std::string text;
  for (int i = 0; i < 400'000; ++i)
    text += "{\"hidden_size\": " + std::to_string(8 + i % 2000) + "}\n";
  write_text_file(lines, text);
  Program program({"check", "--batch", lines, "--device", "h200"}, log, "", folder / "mark");
  ASSERT_TRUE(within_seconds(60, [&] { return !read_text(log).empty(); }));
  program.signal_group(GetParam());
  EXPECT_EQ(program.wait(), 130);
  const std::string answers = read_text(log);
  EXPECT_TRUE(answers.ends_with("}\n"));
  EXPECT_LT(std::count(answers.begin(), answers.end(), '\n'), 400'000);
}

TEST_P(Interrupted, ASweepKeepsWhatWasFinishedAndGoesOnLater) {
  TemporaryFolder folder;
  const auto sweep = folder / "sizes.toml";
  const auto output = folder / "sizes.rnnprof";
  const auto mark = folder / "mark";
  const auto log = folder / "log";
  write_text_file(sweep,
                  "[[sweep]]\nid = \"H{hidden_size}\"\n"
                  "grid = { hidden_size = [64, 128, 192, 256] }\n");
  const std::vector<std::string> arguments = {"sweep",      sweep,        "-o", output,
                                              "--no-trace", "--counters", "off"};
  {
    Program program(arguments, log, "H192", mark);
    ASSERT_TRUE(within_seconds(60, [&] { return read_text(mark).ends_with('\n'); }))
        << read_text(log);
    program.signal_group(GetParam());
    EXPECT_EQ(program.wait(), 130) << read_text(log);
  }
  const auto end = [&] {  // what was said last: the report is long
    const std::string text = read_text(log);
    return text.substr(text.size() > 400 ? text.size() - 400 : 0);
  };
  EXPECT_THAT(end(), HasSubstr("interrupted: 2 of 4 configurations were not finished"));
  // No worker is left behind, and no half-written file.
  const pid_t worker = std::stoi(read_text(mark));
  EXPECT_TRUE(within_seconds(10, [&] { return kill(worker, 0) != 0; }));
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder / ""))
    files.push_back(entry.path().filename().string());
  EXPECT_THAT(files, testing::UnorderedElementsAre("sizes.toml", "sizes.rnnprof", "mark", "log"));
  auto profile = read_profile(output);
  ASSERT_TRUE(profile) << to_text(profile.error());
  EXPECT_EQ(profile->devices.size(), 1U);  // the worker's and ours are the same
  const auto outcomes = [&] {
    std::vector<Outcome> list;
    for (const auto& configuration : profile->configurations) list.push_back(configuration.outcome);
    return list;
  };
  EXPECT_THAT(outcomes(), ElementsAre(Outcome::completed, Outcome::completed, Outcome::interrupted,
                                      Outcome::interrupted));

  Program again(arguments, log, "", mark);
  EXPECT_EQ(again.wait(), 0) << read_text(log);
  EXPECT_THAT(read_text(log), HasSubstr("has 2 of 4 configurations; 2 to run"));
  profile = read_profile(output);
  ASSERT_TRUE(profile);
  EXPECT_THAT(outcomes(), ElementsAre(Outcome::completed, Outcome::completed, Outcome::completed,
                                      Outcome::completed));
}

}  // namespace
}  // namespace rnnadvisor::cli
