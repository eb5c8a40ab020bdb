// `accelerate` and `env --accelerate` with real programs and a plugin that stands in for ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "profiler/profile/file.h"
#include "tests/advisor/cli/golden.h"
#include "tests/profiler/launch/sample_choices.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Words = std::vector<std::string>;

// A folder of its own for temporary files, so that what is left behind is seen.
class AccelerateCommand : public ::testing::Test {
 protected:
  AccelerateCommand() {
    services_ = machine_.services();
    services_.find_plugin = [] { return std::string(RNNADVISOR_FAKE_PLUGIN); };
    services_.die_by_signal = [this](int signal) { died_by_ = signal; };
    fs::create_directory(temporary_);
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", temporary_.c_str(), 1);
  }
  ~AccelerateCommand() override {
    if (before_) {
      setenv("TMPDIR", before_->c_str(), 1);
    } else {
      unsetenv("TMPDIR");
    }
  }
  Called accelerate(const Words& program, Words options = {}) {
    options.insert(options.begin(), "accelerate");
    options.emplace_back("--");
    options.insert(options.end(), program.begin(), program.end());
    return call(options, services_);
  }
  bool leaves_nothing() const { return fs::is_empty(temporary_); }

  TemporaryFolder folder_;
  const std::string temporary_ = folder_ / "tmp";
  std::optional<std::string> before_;
  FakeMachine machine_;
  Services services_;
  int died_by_ = 0;
};

TEST_F(AccelerateCommand, SaysWhatRunsFasterAndPassesTheStatusThrough) {
  for (const int status : {0, 1, 42, 255}) {
    const auto called = accelerate({"sh", "-c", "exit " + std::to_string(status)});
    EXPECT_EQ(called.status, status) << called.err;
    EXPECT_THAT(called.out, IsEmpty());  // standard output is the program's
    EXPECT_THAT(called.err, HasSubstr("1 of 1 RNN layer now runs 4.00 times faster"));
    EXPECT_THAT(called.err, HasSubstr("persist_static in place of standard"));
    EXPECT_THAT(called.err, HasSubstr("train.py:31"));
    EXPECT_THAT(called.err, HasSubstr("rnnadvisor accelerate -- sh -c 'exit"));
    EXPECT_LE(std::count(called.err.begin(), called.err.end(), '\n'), 24) << called.err;
    EXPECT_TRUE(leaves_nothing());
  }
}

TEST_F(AccelerateCommand, SettingsReachTheProgramAndItsWordsAreItsOwn) {
  const std::string words = folder_ / "words";
  const auto called =
      accelerate({"sh", "-c",
                  "echo $RNNADVISOR_ACCELERATE $RNNADVISOR_RECORD $RNNADVISOR_MODE "
                  "$RNNADVISOR_ACCELERATE_MEMORY $RNNADVISOR_ACCELERATE_BUDGET_MS $WORD \"$@\" > " +
                      words,
                  "sh", "--report", "-q"},
                 {"--memory", "2M", "--budget", "1.5", "--env", "WORD=7"});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_EQ(read_text(words), "exact choices calls 2097152 1500 7 --report -q\n");
}

TEST_F(AccelerateCommand, APlanIsMadeAndUsed) {
  const std::string plan = folder_ / "plan.toml", words = folder_ / "words";
  const Words program = {
      "sh", "-c",
      "echo ${RNNADVISOR_ACCELERATE_PLAN:-none} ${RNNADVISOR_ACCELERATE_PLAN_ONLY:-0} > " + words +
          "; test -z \"$RNNADVISOR_ACCELERATE_PLAN\" || cp \"$RNNADVISOR_ACCELERATE_PLAN\" " +
          words + ".plan"};
  auto called = accelerate(program, {"--plan", plan, "--deterministic"});
  EXPECT_EQ(called.status, 2) << called.err;  // there is none yet
  called = accelerate(program, {"--plan", plan});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_EQ(read_text(words), "none 0\n");
  EXPECT_THAT(called.err, HasSubstr("1 choice added to the plan"));
  const std::string made = read_text(plan);
  EXPECT_THAT(made, HasSubstr("algo = \"persist_static\""));
  called = accelerate(program, {"--plan", plan, "--deterministic"});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(read_text(words), HasSubstr("choices.plan 1\n"));
  EXPECT_EQ(read_text(words + ".plan").size(), 160U + 16);
  EXPECT_EQ(read_text(plan), made);
  EXPECT_EQ(accelerate(program, {"--deterministic"}).status, 2);
  // It stays what its run allowed, and its choices stay what they are.
  called = accelerate(program, {"--plan", plan, "--allow", "numerics"});
  EXPECT_EQ(called.status, 2) << called.err;
  EXPECT_THAT(called.err, HasSubstr("--allow exact"));
  std::ofstream(plan) << "";
  EXPECT_THAT(accelerate(program, {"--plan", plan}).err, HasSubstr("is empty"));
  std::ofstream(plan) << "no plan";
  called = accelerate(program, {"--plan", plan});
  EXPECT_EQ(called.status, 2);
  EXPECT_THAT(called.err, HasSubstr("plan.toml:1"));
  EXPECT_EQ(read_text(plan), "no plan");
}

TEST_F(AccelerateCommand, TryingHasItsOwnSettings) {
  const std::string words = folder_ / "words";
  const std::string show =
      "echo $RNNADVISOR_ACCELERATE $RNNADVISOR_TRY_STEPS ${RNNADVISOR_TRY_END:-runs} "
      "${RNNADVISOR_CAPTURE:-calls} > " +
      words;
  const auto of = [&](Words options) {
    options.insert(options.begin(), "try");
    for (const char* word : {"--", "sh", "-c"}) options.emplace_back(word);
    options.push_back(show);
    const auto called = call(options, services_);
    EXPECT_EQ(called.status, 0) << called.err;
    EXPECT_THAT(called.err, HasSubstr("Whole step"));
    return read_text(words);
  };
  EXPECT_EQ(of({}), "exact 156 runs calls\n");
  EXPECT_EQ(of({"--allow", "numerics", "--step", "nvtx:step", "--iterations", "200"}),
            "numerics 200 1 nvtx:step\n");
  for (const Words& wrong : {Words{"--allow", "all"},
                             {"--step", "loop"},
                             {"--iterations", "3"},
                             {"--iterations", "0"}}) {
    Words line = {"try"};
    line.insert(line.end(), wrong.begin(), wrong.end());
    line.insert(line.end(), {"--", "true"});
    const auto called = call(line, services_);
    EXPECT_EQ(called.status, 2) << called.err;
    EXPECT_THAT(called.err, HasSubstr(wrong[0]));
  }
}

TEST_F(AccelerateCommand, ASignalThatEndsTheProgramIsOurs) {
  const auto called = accelerate({"sh", "-c", "kill -TERM $$"});
  EXPECT_EQ(died_by_, SIGTERM);
  EXPECT_EQ(called.status, 128 + SIGTERM);
  EXPECT_TRUE(leaves_nothing());
  EXPECT_EQ(accelerate({"no-such-program-anywhere"}).status, 127);
  EXPECT_EQ(accelerate({"/tmp"}).status, 126);
  EXPECT_EQ(call({"accelerate"}, services_).status, 2);
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(AccelerateCommand, WithAnOutputItIsAProfile) {
  const std::string output = folder_ / "x.rnnprof";
  const auto called = accelerate({"true"}, {"-o", output, "--env", "CUBLAS_WORKSPACE_CONFIG="});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.err, HasSubstr("wrote " + output));
  const auto read = read_profile(output);
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_THAT(read->calls, SizeIs(3));
  ASSERT_THAT(read->experiments, SizeIs(2));
  EXPECT_EQ(read->experiments[0].where, "program");
  EXPECT_EQ(read->experiments[0].verdict, ExperimentVerdict::confirmed);
  // The folder beside it is gone, and a file that exists is not replaced.
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(output).parent_path()), {}), 2);
  EXPECT_EQ(accelerate({"touch", folder_ / "ran"}, {"-o", output}).status, 2);
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
  const auto shown = call({"report", output}, services_);
  EXPECT_THAT(shown.out, HasSubstr("training step; in your program, while it ran"));
  const auto json = nlohmann::json::parse(call({"report", output, "--json"}, services_).out);
  EXPECT_THAT(json.dump(), HasSubstr("\"where\":\"program\""));
}

TEST_F(AccelerateCommand, TheReportGoesWhereItIsWanted) {
  const std::string report = folder_ / "report.txt";
  const auto called = accelerate({"true"}, {"--report", report});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.err, IsEmpty());
  EXPECT_THAT(read_text(report), HasSubstr("4.00 times faster"));
  EXPECT_EQ(accelerate({"touch", folder_ / "ran"}, {"--report", report}).status, 2);
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
  EXPECT_EQ(accelerate({"true"}, {"--report", report, "--force"}).status, 0);
  EXPECT_THAT(accelerate({"true"}, {"--quiet"}).err, IsEmpty());
}

TEST_F(AccelerateCommand, TheUserTurnsItOff) {
  const std::string words = folder_ / "words";
  const auto called = accelerate({"sh", "-c", "echo $RNNADVISOR_ACCELERATE > " + words},
                                 {"--env", "RNNADVISOR_ACCELERATE=0"});
  EXPECT_EQ(called.status, 0);
  EXPECT_EQ(read_text(words), "0\n");
  EXPECT_THAT(called.err, HasSubstr("RNNADVISOR_ACCELERATE=0 is set"));
  EXPECT_THAT(called.err, HasSubstr("nothing was accelerated"));
}

TEST_F(AccelerateCommand, WhoAsksForEqualRunsGetsThem) {
  const auto called = accelerate({"true"}, {"--env", "CUBLAS_WORKSPACE_CONFIG=:4096:8"});
  EXPECT_EQ(called.status, 0);
  EXPECT_THAT(called.err, HasSubstr("CUBLAS_WORKSPACE_CONFIG is set"));
  EXPECT_THAT(called.err, HasSubstr("nothing was accelerated"));
}

TEST_F(AccelerateCommand, WrongOptionsAreStatus2) {
  for (const Words& options : {Words{"--memory", "much"},
                               {"--memory", "0"},
                               {"--budget", "0"},
                               {"--budget", "-1"},
                               {"--budget", "nan"},
                               {"--env", "NAME"},
                               {"--mode", "full"}})
    EXPECT_EQ(accelerate({"true"}, options).status, 2) << options[0] << " " << options[1];
  services_.find_plugin = []() -> Result<std::string> {
    return fail(ErrorCode::unsupported, "this rnnadvisor has no plugin");
  };
  EXPECT_EQ(accelerate({"touch", folder_ / "ran"}).status, 3);
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(AccelerateCommand, TellsAWatchingProgramHowManyCallsItHasSeen) {
  const std::string file = folder_ / "progress";
  EXPECT_EQ(
      call({"--progress", "json:" + file, "accelerate", "sh", "-c", "true"}, services_).status, 0);
  EXPECT_THAT(read_text(file), HasSubstr("\"doing\":\"recording\""));
  EXPECT_THAT(read_text(file), HasSubstr("\"doing\":\"collecting\""));
}

TEST_F(AccelerateCommand, AShellIsToldTheSame) {
  const std::string spool = folder_ / "spool";
  const auto called = call({"env", "--accelerate", "--budget", "2", "--memory", "1G", "--folder",
                            spool, "--shell", "bash"},
                           services_);
  ASSERT_EQ(called.status, 0) << called.err;
  for (const char* line :
       {"export RNNADVISOR_ACCELERATE=exact;", "export RNNADVISOR_RECORD=choices;",
        "export RNNADVISOR_MODE=calls;", "export RNNADVISOR_ACCELERATE_BUDGET_MS=2000;",
        "export RNNADVISOR_ACCELERATE_MEMORY=1073741824;"})
    EXPECT_THAT(called.out, HasSubstr(line));
  EXPECT_THAT(called.err, HasSubstr("accelerated"));
  const auto plain = call({"env", "--folder", spool, "--shell", "bash"}, services_);
  EXPECT_THAT(plain.out, Not(HasSubstr("RNNADVISOR_ACCELERATE")));
  EXPECT_EQ(call({"env", "--accelerate", "--mode", "full"}, services_).status, 2);
  EXPECT_EQ(call({"env", "--budget", "2"}, services_).status, 2);
  // And `collect` says what became of it.
  spool::choices_spool(spool::sample_acceleration(1, 1)).write(spool + "/1.rnnspool");
  const auto collected = call({"collect", spool, "-o", folder_ / "y.rnnprof"}, services_);
  EXPECT_EQ(collected.status, 0) << collected.err;
  EXPECT_THAT(collected.err, HasSubstr("4.00 times faster"));
}

// docs/accelerate.md shows no option that there is not, and what the report says is in it.
TEST(AcceleratePage, IsTrue) {
  const std::string page = read_text(RNNADVISOR_SOURCE_DIR "/docs/accelerate.md");
  const std::string help = call({"accelerate", "--help"}).out + call({"env", "--help"}).out +
                           call({"try", "--help"}).out + call({"advise", "--help-all"}).out;
  const std::regex option("--[a-z][a-z-]+");
  int options = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), option), end; it != end; ++it, ++options)
    EXPECT_THAT(help, HasSubstr(it->str()));
  EXPECT_GE(options, 5);
  const std::string report = read_text(RNNADVISOR_SOURCE_DIR "/advisor/cli/accelerate_report.cpp");
  for (const char* words :
       {"the program called no cuDNN RNN", "results that are", "ended before a choice was made",
        "GPU memory was too short", "no other algorithm that gives the same results is faster"}) {
    EXPECT_THAT(page, HasSubstr(words));
    EXPECT_THAT(report, HasSubstr(words));
  }
}

}  // namespace
}  // namespace rnnadvisor::cli
