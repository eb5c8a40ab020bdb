// `accelerate` and `env --accelerate` with real programs and a plugin that stands in for ours.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/model/time_for_device.h"
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
  EXPECT_EQ(of({}), "exact 300 runs calls\n");
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

// The program is played by a shell, which asks, waits for the answer and says what came of it.
class TryChange : public AccelerateCommand {
 protected:
  struct Tried {
    Called called;
    nlohmann::json answer;
  };
  Tried tried(const Words& options, const std::string& question, const std::string& result) {
    std::ofstream(folder_ / "question") << question;
    std::ofstream(folder_ / "result") << result;
    Words line = {"try"};
    line.insert(line.end(), options.begin(), options.end());
    line.insert(line.end(),
                {"--", "sh", "-c",
                 "cd \"$RNNADVISOR_CHANGES\" && test -f "
                 "\"${PYTHONPATH%%:*}/sitecustomize.py\" && cp " +
                     folder_ / "question" +
                     " a.part && mv a.part 7-0.layer.json && for i in $(seq 500); do "
                     "test -f 7-0.answer.json && break; sleep 0.01; done; cp "
                     "7-0.answer.json " +
                     folder_ / "answer" + " && cp " + folder_ / "result" +
                     " 7-0.result.json; echo $RNNADVISOR_ACCELERATE > " + folder_ / "way"});
    Tried out{call(line, services_), {}};
    out.answer = nlohmann::json::parse(read_text(folder_ / "answer"), nullptr, false);
    return out;
  }
  static constexpr const char* lstm =
      R"({"call": {"cell": "lstm", "hidden_size": 1000, "num_layers": 2, "data_type": "half",
          "batch_size": 32, "seq_length": 50, "framework": {"name": "pytorch"}},
          "file": "/home/me/train.py", "line": 31, "gpu": "NVIDIA H200"})";
  static constexpr const char* made =
      R"({"status": "changed", "error": 0.0004, "limit": 0.002, "tensor": "dx",
          "transforms": [{"kind": "split_layers"}], "file": "rnn_split_layers.py",
          "module": "import torch\n"})";
};

TEST_F(TryChange, AsksForTheChangeAndSaysWhatCameOfIt) {
  const auto one =
      tried({"--change", "split_layers", "--write-code", folder_ / "code"}, lstm, made);
  EXPECT_EQ(one.called.status, 0) << one.called.err;
  EXPECT_EQ(one.answer["candidates"][0]["transforms"][0]["kind"], "split_layers");
  EXPECT_THAT(one.called.err, HasSubstr("LSTM 2x1000 half B32 T50, train.py:31"));
  EXPECT_THAT(one.called.err, HasSubstr("differ by 0.0004"));
  EXPECT_EQ(read_text(folder_ / "code/rnn_split_layers.py"), "import torch\n");
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(TryChange, WhatAdviseWouldTryFirst) {
  const auto one = tried({"--change", "advised"}, lstm, made);
  ASSERT_TRUE(one.answer["candidates"].is_array()) << one.answer;
  // No algorithm: that is what `try` is for without a change.
  for (const auto& candidate : one.answer["candidates"])
    for (const auto& transform : candidate["transforms"]) EXPECT_NE(transform["kind"], "algo");
  // A batch in parts: a document says so, and measuring refuted it on this GPU.
  const auto large = tried({"--change", "advised"},
                           R"({"call": {"cell": "lstm", "hidden_size": 1024, "data_type": "half",
                               "batch_size": 512, "seq_length": 64,
                               "framework": {"name": "pytorch"}}, "gpu": "NVIDIA H200"})",
                           R"({"status": "kept", "reason": "nothing"})");
  EXPECT_THAT(large.answer.dump(), Not(HasSubstr("lower_batch")));
}

TEST_F(TryChange, WithoutAChangeWhatIsAdvisedGoesBesideAlgorithms) {
  const auto one = tried({"--write-code", folder_ / "code"}, lstm, made);
  EXPECT_EQ(one.called.status, 0) << one.called.err;
  EXPECT_TRUE(one.answer["candidates"].is_array()) << one.answer;
  EXPECT_EQ(read_text(folder_ / "way"), "exact\n");
  EXPECT_TRUE(fs::exists(folder_ / "code/rnn_split_layers.py"));
  tried({"--change", "advised"}, lstm, made);
  EXPECT_EQ(read_text(folder_ / "way"), "steps\n");
  for (const Words& alone :
       {Words{"--change", "none"}, {"--deterministic"}, {"-o", folder_ / "x.rnnprof"}}) {
    Words line = {"try"};
    line.insert(line.end(), alone.begin(), alone.end());
    line.insert(line.end(),
                {"--", "sh", "-c", "echo ${RNNADVISOR_CHANGES:-unchanged} > " + folder_ / "way"});
    call(line, services_);
    EXPECT_EQ(read_text(folder_ / "way"), "unchanged\n");
  }
}

// In public programs the casts of a small layer took longer than half precision gained.
TEST_F(TryChange, HalfPrecisionIsAdvisedWhereItPaysForItsCasts) {
  services_.predict_for = model::predict_time_for;
  const auto casts = [&](int units, int batch, int steps) {
    const auto asked = fmt::format(
        R"({{"call": {{"cell": "gru", "hidden_size": {}, "num_layers": 2, "data_type": "float",
            "batch_size": {}, "seq_length": {}, "framework": {{"name": "pytorch"}}}},
            "gpu": "NVIDIA H200"}})",
        units, batch, steps);
    const auto one = tried({"--change", "advised", "--allow", "numerics"}, asked,
                           R"({"status": "kept", "reason": "nothing"})");
    return one.answer.dump().find("data_type") != std::string::npos;
  };
  EXPECT_FALSE(casts(650, 20, 35));
  EXPECT_TRUE(casts(1024, 128, 256));
}

// The lower bounds of buckets are lower, and the program took four times as long.
TEST_F(TryChange, MoreCallsAreAdvisedOnlyByRulesAndPredictedTimes) {
  services_.predict_for = model::predict_time_for;
  const auto one = tried({"--change", "advised"},
                         R"({"call": {"cell": "lstm", "hidden_size": 1024, "input_size": 128,
                             "data_type": "half", "layout": "seq_major_packed", "batch_size": 8,
                             "seq_length": 160, "seq_lengths": [160, 140, 120, 100, 80, 60, 50, 40],
                             "framework": {"name": "pytorch"}}, "gpu": "NVIDIA H200"})",
                         R"({"status": "kept", "reason": "nothing"})");
  EXPECT_THAT(one.answer.dump(), Not(HasSubstr("bucket_lengths")));
}

TEST_F(TryChange, ImpossibleChangesAreReported) {
  const auto one = tried({"--change", "split_directions"}, lstm,
                         R"({"status": "kept", "reason": "there is one direction only"})");
  EXPECT_TRUE(one.answer.contains("none")) << one.answer;
  EXPECT_THAT(one.called.err, HasSubstr("nothing was changed: there is one direction only"));
  // Nothing that the program writes is trusted.
  for (const char* text :
       {"", "{", "[]", "{\"call\": 7}", "{\"call\": {\"cell\": \"\u001b[31m\"}}"}) {
    const auto other = tried({"--change", "advised"}, text, text);
    EXPECT_EQ(other.called.status, 0) << other.called.err;
    EXPECT_TRUE(other.answer.contains("none"));
    EXPECT_THAT(other.called.err, Not(HasSubstr("\x1b")));
  }
  const auto escaping = tried({"--change", "split_layers", "--write-code", folder_ / "code"}, lstm,
                              R"({"status": "changed", "file": "../x.py", "module": "x"})");
  EXPECT_FALSE(fs::exists(folder_ / "x.py"));
  for (const Words& wrong : {Words{"--change", "pad_hiden 8"},
                             {"--change", "data_type half"},
                             {"--write-code", "x", "--change", "none"},
                             {"--write-code", "x", "-o", folder_ / "x.rnnprof"}}) {
    Words line = {"try"};
    line.insert(line.end(), wrong.begin(), wrong.end());
    line.insert(line.end(), {"--", "true"});
    EXPECT_EQ(call(line, services_).status, 2);
  }
}

// The program as it is prints `own`, with weights that were moved own + 0.001 * RNNADVISOR_PERTURB,
// and with the change `changed`.
class TryLosses : public AccelerateCommand {
 protected:
  Called tried(const std::string& own, const std::string& changed, Words options = {}) {
    options.insert(options.begin(), {"try", "--losses", "4"});
    options.insert(options.end(),
                   {"--", "sh", "-c",
                    "echo run ${RNNADVISOR_PERTURB:-0} ${RNNADVISOR_ACCELERATE:-plain} "
                    "${RNNADVISOR_TRY_STEPS:-all} >> " +
                        folder_ / "runs" + "; if test -n \"$RNNADVISOR_ACCELERATE\"; then " +
                        changed + "; else " + own + "; fi"});
    return call(options, services_);
  }
  static constexpr const char* usual =
      "if test -n \"$RNNADVISOR_PERTURB\"; then test -f \"${PYTHONPATH%%:*}/sitecustomize.py\" || "
      "exit 9; fi; echo loss 2.00$RNNADVISOR_PERTURB; echo val loss: 1.50$RNNADVISOR_PERTURB >&2";
};

TEST_F(TryLosses, ComparesTheChangedRunWithTheProgramAndItsPerturbedRuns) {
  const auto close = tried(usual, "echo loss 2.003; echo val loss: 1.501 >&2");
  EXPECT_EQ(close.status, 0) << close.err;
  EXPECT_THAT(close.out, IsEmpty());
  EXPECT_EQ(read_text(folder_ / "runs"),
            "run 0 plain all\nrun 1 plain all\nrun 2 plain all\nrun 3 plain all\nrun 4 plain "
            "all\nrun 0 exact all\n");
  EXPECT_THAT(close.err, HasSubstr("4.00 times faster"));
  EXPECT_THAT(close.err, HasSubstr("as close to the program"));
  EXPECT_TRUE(leaves_nothing());
  const auto far = tried(usual, "echo loss 2.1; echo val loss: 1.6 >&2");
  EXPECT_EQ(far.status, 1) << far.err;
  EXPECT_THAT(far.err, HasSubstr("further from the program"));
  EXPECT_THAT(far.err, HasSubstr("0.098 from the mean of"));
  EXPECT_EQ(tried(usual, "echo loss nan; echo loss nan").status, 1);
  EXPECT_EQ(tried(usual, "echo nothing").status, 1);
  const auto changed =
      tried(usual, "echo loss 2.003; echo loss 1.501", {"--change", "split_layers"});
  EXPECT_EQ(changed.status, 0) << changed.err;
  EXPECT_THAT(changed.err, HasSubstr("as close to the program"));
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(TryLosses, NvtxMarksCarryThemToo) {
  const auto marked = tried("true", "true", {"--env", "FAKE_PLUGIN_MARK=loss 2.5"});
  EXPECT_EQ(marked.status, 0) << marked.err;
  EXPECT_THAT(marked.err, HasSubstr("the last is 2.5"));
  EXPECT_THAT(marked.err, HasSubstr("as close to the program"));
  EXPECT_THAT(marked.err, HasSubstr("of NVTX marks"));
  const auto number = tried(
      "true", "true", {"--env", "FAKE_PLUGIN_MARK=loss", "--env", "FAKE_PLUGIN_MARK_NUMBER=1.25"});
  EXPECT_EQ(number.status, 0) << number.err;
  EXPECT_THAT(number.err, HasSubstr("the last is 1.25"));
}

TEST_F(TryLosses, WhatCannotBeComparedIsReported) {
  const auto silent = tried("echo 12 apples", "true");
  EXPECT_EQ(silent.status, 2) << silent.err;
  EXPECT_THAT(silent.err, HasSubstr("--loss"));
  EXPECT_EQ(tried("echo 12 apples", "echo 12 apples", {"--loss", "([0-9]+) apples"}).status, 0);
  const auto broken = tried("echo it broke; exit 7", "true");
  EXPECT_EQ(broken.status, 7);
  EXPECT_THAT(broken.err, HasSubstr("it broke"));
  const auto changed = tried(usual, "echo now it broke >&2; exit 8");
  EXPECT_EQ(changed.status, 8);
  EXPECT_THAT(changed.err, HasSubstr("now it broke"));
  EXPECT_EQ(tried("kill -TERM $$", "true").status, 128 + SIGTERM);
  EXPECT_EQ(died_by_, SIGTERM);
  for (const Words& wrong : {Words{"--losses", "2"},
                             {"--losses", "many"},
                             {"--loss", "x"},
                             {"--losses", "3", "--loss", "("},
                             {"--losses", "3", "--iterations", "50"}}) {
    Words line = {"try"};
    line.insert(line.end(), wrong.begin(), wrong.end());
    line.insert(line.end(), {"--", "touch", folder_ / "ran"});
    EXPECT_EQ(call(line, services_).status, 2) << wrong.back();
  }
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
  EXPECT_TRUE(leaves_nothing());
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
  EXPECT_THAT(shown.out, HasSubstr("; in your program, while it ran"));
  const auto json = nlohmann::json::parse(call({"report", output, "--json"}, services_).out);
  EXPECT_THAT(json.dump(), HasSubstr("\"where\":\"program\""));
  // Whole steps count in every format.
  EXPECT_THAT(read->experiments[0].timings, SizeIs(3));
  for (const char* format : {"text", "markdown", "html", "junit"})
    EXPECT_THAT(call({"report", output, "-f", format, "-o", "-"}, services_).out,
                HasSubstr("whole step"))
        << format;
  EXPECT_THAT(json.dump(), HasSubstr("\"scope\":\"program_step\""));
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

TEST_F(AccelerateCommand, DeterministicProgramsAreLeftAlone) {
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

TEST_F(AccelerateCommand, AShellGetsTheSameVariables) {
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
  const auto stepped =
      call({"env", "--accelerate", "--step", "nvtx:step", "--folder", spool, "--shell", "bash"},
           services_);
  EXPECT_THAT(stepped.out, HasSubstr("RNNADVISOR_CAPTURE=nvtx:step;"));
  EXPECT_EQ(call({"env", "--step", "nvtx:step"}, services_).status, 2);
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
       {"the program called no cuDNN RNN", "times vary too much", "ended before a choice was made",
        "GPU memory was too short", "no other algorithm that gives the same results is faster"}) {
    EXPECT_THAT(page, HasSubstr(words));
    EXPECT_THAT(report, HasSubstr(words));
  }
}

}  // namespace
}  // namespace rnnadvisor::cli
