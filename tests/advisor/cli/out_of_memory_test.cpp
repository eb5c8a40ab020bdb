// Allocations of C++ that fail anywhere in a command, one of them or all from then on: the command
// does its work or says that memory is missing with status 3, never crashes, and its output is the
// old file or the new one.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "advisor/cli/cli.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/effort.h"
#include "tests/failing_allocations.h"
#include "tests/profiler/launch/sample_choices.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class OutOfMemory : public ::testing::Test {
 protected:
  OutOfMemory() {
    write_text_file(network_, "hidden_size = 1088\nbatch_size = 16\nalgo = \"persist_static\"\n");
    write_text_file(lines_, "{\"hidden_size\": 64}\n{\"hidden_size\": 1000, \"batch_size\": 33}\n");
    fs::create_directory(recording_);
    spool::sample_spool().write(recording_ + "/1.rnnspool");
    const auto saved = run({"check", network_, "--device", "a100", "--save", profile_}, 0, false);
    EXPECT_TRUE(fs::exists(profile_)) << saved.errors;
    fs::create_directory(out_);
  }

  struct Ended {
    int status = 0;  // 128 and more: of that signal
    std::string printed, errors;
    long allocations = 0;
  };

  // The command in a process of its own, as main() calls it.
  Ended run(const Words& command, long failing, bool lasting) const {
    auto* const count = static_cast<long*>(
        mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::vector<const char*> words = {"rnnadvisor"};
    for (const auto& word : command) words.push_back(word.c_str());
    const pid_t child = fork();
    if (child == 0) {
      for (const auto& [path, stream] :
           {std::pair{&printed_, STDOUT_FILENO}, std::pair{&errors_, STDERR_FILENO}})
        dup2(open(path->c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), stream);
      dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
      test::fail_allocation(failing, lasting);
      const int status = run_main(static_cast<int>(words.size()), words.data());
      *count = test::allocations();
      _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Ended ended{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                read_text(printed_), read_text(errors_), *count};
    munmap(count, sizeof(long));
    return ended;
  }

  // What was made and when differs from run to run; a profile has a checksum of its own.
  static std::string without_times(std::string text, const std::string& file) {
    if (file.ends_with(".rnnprof") && read_profile(file))
      return "a profile of " + std::to_string(text.size()) + " bytes";
    for (std::size_t i = 0; i + 10 < text.size(); ++i)
      if (text.compare(i, 3, "202") == 0 && text[i + 4] == '-' && text[i + 7] == '-')
        for (std::size_t c = i; c < std::min(i + 25, text.size()) && text[c] != '"'; ++c)
          if (std::isdigit(static_cast<unsigned char>(text[c])) != 0) text[c] = '0';
    return text;
  }
  std::string left_by(const Ended& ended, const std::string& file) const {
    return without_times(file.empty() ? ended.printed : read_text(file), file);
  }

  // `file`: what the command writes; empty: it prints.
  void expect_told(const Words& command, const std::string& file = {}) {
    SCOPED_TRACE(::testing::PrintToString(command));
    const auto prepare = [&] {
      if (!file.empty()) write_text_file(file, "precious");
    };
    prepare();
    const Ended whole = run(command, 0, false);
    ASSERT_THAT(whole.status, ::testing::AnyOf(0, 1)) << whole.errors;
    ASSERT_GT(whole.allocations, 100);
    const std::string good = left_by(whole, file);
    std::mt19937_64 random(1215);
    const int draws = test::sanitized() ? 8 : 25;
    int told = 0;
    for (int draw = 0; draw < draws; ++draw) {
      for (const bool lasting : {false, true}) {
        // As many among the first as among the last.
        const double at = std::pow(static_cast<double>(whole.allocations),
                                   static_cast<double>(random() % 10000) / 1e4);
        const long number =
            draw % 2 == 0
                ? static_cast<long>(at)
                : 1 + static_cast<long>(random() % static_cast<unsigned long>(whole.allocations));
        SCOPED_TRACE("allocation " + std::to_string(number) + (lasting ? " and all after it" : ""));
        prepare();
        const Ended ended = run(command, number, lasting);
        const std::string left = left_by(ended, file);
        if (ended.status == 3) {
          ++told;
          EXPECT_THAT(ended.errors, HasSubstr("memory"));
          if (!file.empty()) {
            EXPECT_TRUE(left == "precious" || left == good) << left;
          }
        } else {
          EXPECT_EQ(ended.status, whole.status) << ended.errors;
          EXPECT_EQ(left, good);
          EXPECT_EQ(ended.errors, whole.errors);
        }
        for (const auto& entry : fs::directory_iterator(out_))
          EXPECT_EQ(entry.path().string(), file) << "left behind";
        if (HasFailure()) return;
      }
    }
    EXPECT_GT(told, draws);
  }

  TemporaryFolder folder_;
  const std::string network_ = folder_ / "network.toml", lines_ = folder_ / "lines.jsonl",
                    profile_ = folder_ / "profile.rnnprof", recording_ = folder_ / "recording",
                    out_ = folder_ / "out", file_ = out_ + "/file", made_ = out_ + "/made.rnnprof",
                    printed_ = folder_ / "printed", errors_ = folder_ / "errors";
};

TEST_F(OutOfMemory, IsReportedByCheck) { expect_told({"check", network_, "--device", "a100"}); }
TEST_F(OutOfMemory, IsReportedByCheckAsJson) {
  expect_told({"check", network_, "--device", "h200", "--json"});
}
TEST_F(OutOfMemory, IsReportedByABatch) {
  expect_told({"check", "--batch", lines_, "--device", "a100", "-o", file_, "--force"}, file_);
}
TEST_F(OutOfMemory, IsReportedWhereAProfileIsWritten) {
  expect_told({"check", network_, "--device", "a100", "--save", made_, "--force"}, made_);
}
TEST_F(OutOfMemory, IsReportedByMerge) {
  expect_told({"merge", profile_, "-o", made_, "--force"}, made_);
}
TEST_F(OutOfMemory, IsReportedByCollect) {
  expect_told({"collect", recording_, "-o", made_, "--force"}, made_);
}
TEST_F(OutOfMemory, IsReportedByExports) {
  expect_told({"export", "sample:programs/pytorch-gru", "-f", "perfetto", "-o", file_, "--force"},
              file_);
}
TEST_F(OutOfMemory, IsReportedByMaps) {
  expect_told({"map", network_, "--device", "a100", "-f", "json", "-o", file_, "--force"}, file_);
}

class OutOfMemoryInReports : public OutOfMemory,
                             public ::testing::WithParamInterface<const char*> {};
TEST_P(OutOfMemoryInReports, IsReported) {
  expect_told({"report", profile_, "-f", GetParam(), "-o", file_, "--force"}, file_);
}
INSTANTIATE_TEST_SUITE_P(, OutOfMemoryInReports,
                         ::testing::Values("text", "markdown", "json", "html", "sarif", "junit",
                                           "csv"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace rnnadvisor::cli
