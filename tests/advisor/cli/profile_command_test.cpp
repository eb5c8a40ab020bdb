// `profile` with real programs and a plugin that stands in for ours.
#include "tests/advisor/cli/profile_command.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "advisor/cli/collecting.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/output_name.h"
#include "advisor/cli/profile_summary.h"
#include "advisor/cli/program_arguments.h"
#include "advisor/cli/recording_options.h"
#include "profiler/profile/file.h"
#include "tests/profiler/spool/sample_spools.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

TEST_F(ProfileCommand, MakesAProfileAndPassesTheStatusThrough) {
  for (const int status : {0, 1, 3, 42, 255}) {
    const auto called = profile({"sh", "-c", "exit " + std::to_string(status)}, {"--force"});
    EXPECT_EQ(called.status, status) << called.err;
    EXPECT_THAT(called.out, IsEmpty());  // standard output is the program's
    EXPECT_THAT(left_behind(), IsEmpty());
    const auto read = read_profile(output_);
    ASSERT_TRUE(read) << to_text(read.error());
    ASSERT_THAT(read->processes, SizeIs(1));
    EXPECT_EQ(read->processes[0].end, ProcessEnd::exited);
    EXPECT_EQ(read->processes[0].exit_status, status);
    EXPECT_THAT(read->calls, SizeIs(3));
    EXPECT_THAT(read->environment.command_line, StartsWith("rnnadvisor profile -o"));
    EXPECT_FALSE(read->environment.operating_system.empty());
  }
}

TEST_F(ProfileCommand, AMissingDriverIsReportedBeforeTheProgramRuns) {
  EXPECT_THAT(profile({"sh", "-c", "true"}).err, Not(HasSubstr("driver")));
  machine_.missing_driver = "no NVIDIA driver: made up";
  for (const std::string command : {"profile", "accelerate", "try"}) {
    const auto called =
        call({command, "-o", output_, "--force", "--", "sh", "-c", "exit 4"}, services_);
    EXPECT_EQ(called.status, 4) << command;
    EXPECT_THAT(called.err, HasSubstr("no NVIDIA driver: made up")) << command;
    EXPECT_THAT(called.err, HasSubstr(command == "profile" ? "nothing can be recorded"
                                                           : "nothing can be accelerated"));
  }
}

TEST_F(ProfileCommand, SaysOnOneScreenWhatItFound) {
  const auto called = profile({"sh", "-c", "true"});
  EXPECT_THAT(called.err, HasSubstr("exit status 0"));
  EXPECT_THAT(called.err, HasSubstr("train.py:31"));
  EXPECT_THAT(called.err, HasSubstr("Findings"));
  EXPECT_THAT(called.err, HasSubstr("wrote " + output_));
  EXPECT_LE(std::count(called.err.begin(), called.err.end(), '\n'), 24) << called.err;
  EXPECT_THAT(profile({"sh", "-c", "true"}, {"--force", "--quiet"}).err, IsEmpty());
}

TEST_F(ProfileCommand, TellsAWatchingProgramHowManyCallsItHasSeen) {
  const std::string file = folder_ / "progress";
  setenv("RNNADVISOR_PROGRESS", ("json:" + file).c_str(), 1);
  // What watches us does not watch what the program starts.
  const auto called = profile({"sh", "-c", "sleep 0.6; exit ${RNNADVISOR_PROGRESS:+9}"});
  unsetenv("RNNADVISOR_PROGRESS");
  EXPECT_EQ(called.status, 0) << called.err;
  std::istringstream lines(read_text(file));
  std::vector<nlohmann::json> reports;
  for (std::string line; std::getline(lines, line);)
    reports.push_back(nlohmann::json::parse(line)["progress"]);
  ASSERT_GE(reports.size(), 4U);
  EXPECT_EQ(reports.back()["doing"], "collecting");
  const auto& last = reports[reports.size() - 2];
  EXPECT_EQ(last["doing"], "recording");
  EXPECT_GE(last["elapsed_seconds"].get<double>(), 0.5);
  // The shell and sleep, each with the three calls of the plugin that stands in for ours.
  EXPECT_EQ(last["calls"].get<int>(), 3 * last["processes"].get<int>());
  EXPECT_GE(last["processes"].get<int>(), 1);
}

TEST_F(ProfileCommand, ProcessesThatTheProgramStartsAreRecordedToo) {
  EXPECT_EQ(profile({"sh", "-c", "sh -c 'exit 1'; exit 2"}).status, 2);
  const auto read = read_profile(output_);
  ASSERT_TRUE(read);
  EXPECT_THAT(read->processes, SizeIs(2));
  EXPECT_THAT(read->calls, SizeIs(6));
  EXPECT_THAT(read->configurations, SizeIs(1));
}

TEST_F(ProfileCommand, TheProgramsWordsAreItsOwn) {
  const std::string words = folder_ / "words";
  const Words print = {"sh", "-c", "printf '%s|' \"$@\" > " + words, "sh"};
  auto program = print;
  for (const char* word : {"--mode", "calls", "-o", "y", "--", "-h", "run"})
    program.emplace_back(word);
  EXPECT_EQ(profile(program).status, 0);
  EXPECT_EQ(read_text(words), "--mode|calls|-o|y|--|-h|run|");
  program.insert(program.begin(), "--");
  EXPECT_EQ(profile(program, {"--force", "--mode=calls"}).status, 0);
  EXPECT_EQ(read_text(words), "--mode|calls|-o|y|--|-h|run|");
  // A program may be called as a command of ours is.
  EXPECT_EQ(profile({"env", "WORD=7", "sh", "-c", "exit $WORD"}, {"--force"}).status, 7);
}

TEST_F(ProfileCommand, SignalsOfTheProgramAreOurs) {
  const auto called = profile({"sh", "-c", "kill -TERM $$"});
  EXPECT_EQ(died_by_, SIGTERM);
  EXPECT_EQ(called.status, 128 + SIGTERM);
  const auto read = read_profile(output_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->processes[0].end, ProcessEnd::signalled);
  EXPECT_EQ(read->processes[0].signal, SIGTERM);
  EXPECT_THAT(called.err, HasSubstr("ended by signal 15"));
}

TEST_F(ProfileCommand, WhatCannotBeStartedIsReportedLikeAShellDoes) {
  auto called = profile({"no-such-program-anywhere"});
  EXPECT_EQ(called.status, 127);
  EXPECT_THAT(called.err, HasSubstr("no-such-program-anywhere"));
  EXPECT_EQ(profile({"/tmp"}).status, 126);
  EXPECT_THAT(left_behind(), IsEmpty());
  EXPECT_FALSE(fs::exists(output_));
  EXPECT_EQ(profile({}).status, 2);
  EXPECT_EQ(profile({"--"}).status, 2);
}

TEST_F(ProfileCommand, NothingRunsWhenTheResultCouldNotBeKept) {
  const std::string marker = folder_ / "ran";
  const Words touch = {"touch", marker};
  write_text_file(output_, "precious");
  EXPECT_EQ(profile(touch).status, 2);
  EXPECT_EQ(read_text(output_), "precious");
  EXPECT_EQ(call({"profile", "-o", folder_ / "none/x.rnnprof", "touch", marker}, services_).status,
            2);
  services_.find_plugin = []() -> Result<std::string> {
    return fail(ErrorCode::unsupported, "this rnnadvisor has no plugin", "build it with CUDA");
  };
  const auto called = profile(touch, {"--force"});
  EXPECT_EQ(called.status, 3);
  EXPECT_THAT(called.err, HasSubstr("no plugin"));
  EXPECT_FALSE(fs::exists(marker));
}

// The second run is the one that RNNADVISOR_ACCELERATE is set for.
class ProfileVerify : public ProfileCommand {
 protected:
  Called verified(const std::string& script, const std::string& steps = "4", Words options = {}) {
    options.insert(options.end(), {"--verify", "--env", "FAKE_PLUGIN_STEPS=" + steps});
    return profile({"sh", "-c", script}, options);
  }
  static const Note* note(const Profile& profile) {
    const auto found = std::ranges::find(profile.notes, "tried-in-program", &Note::code);
    return found == profile.notes.end() ? nullptr : &*found;
  }
};

TEST_F(ProfileVerify, LeadsWithWhatTheProgramGained) {
  const auto called = verified(
      "echo run ${RNNADVISOR_ACCELERATE:-plain} ${RNNADVISOR_TRY_STEPS:-0} "
      "${RNNADVISOR_TRY_END:-0} >> " +
      folder_ / "runs" + "; echo printed");
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_EQ(read_text(folder_ / "runs"), "run plain 0 0\nrun exact 300 1\n");
  EXPECT_THAT(called.err, HasSubstr("started a second time"));
  EXPECT_THAT(called.err, HasSubstr("SIGINT"));
  EXPECT_THAT(called.err, HasSubstr("with faster algorithms, 4"));
  EXPECT_THAT(called.err, HasSubstr("3 in 1 configuration;"));
  EXPECT_THAT(left_behind(), ElementsAre("runs"));
  const auto read = read_profile(output_);
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_THAT(read->calls, SizeIs(3));
  EXPECT_THAT(read->processes, SizeIs(1));
  ASSERT_THAT(read->experiments, SizeIs(2));
  const auto& tried = read->experiments[0];
  EXPECT_EQ(tried.where, "program");
  EXPECT_EQ(tried.configuration, 0);
  EXPECT_EQ(tried.verdict, ExperimentVerdict::confirmed);
  ASSERT_EQ(tried.timings.back().scope, ExperimentScope::program_step);
  EXPECT_NEAR(tried.timings.back().speedup, 2.5, 0.05);
  EXPECT_NE(note(*read), nullptr);
  // Later reports read it from the profile.
  const auto json = nlohmann::json::parse(call({"report", output_, "--json"}, services_).out);
  const auto& first = json["findings"][0];
  EXPECT_EQ(first["gain"]["basis"], "measured_here") << first;
  EXPECT_EQ(first["gain"]["scope"], "program step");
  EXPECT_NEAR(first["gain"]["speedup"].get<double>(), 2.5, 0.05);
  for (const char* format : {"text", "markdown", "html", "junit"})
    EXPECT_THAT(call({"report", output_, "-f", format, "-o", "-"}, services_).out,
                HasSubstr("step of the program"))
        << format;
}

TEST_F(ProfileVerify, WhatGainsNothingIsNoGain) {
  const auto called = verified("true", "10");
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.err, HasSubstr("nothing gained more than its own steps vary"));
  const auto read = read_profile(output_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->experiments.at(0).verdict, ExperimentVerdict::inconclusive);
  const auto json = nlohmann::json::parse(call({"report", output_, "--json"}, services_).out);
  for (const auto& finding : json["findings"])
    EXPECT_NE(finding["gain"].is_null() ? "" : finding["gain"]["scope"], "program step") << finding;
}

// The program plays PyTorch: it asks what to change in its layer, and says that it did.
TEST_F(ProfileVerify, AChangedLayerBesideAlgorithmsAndWithThem) {
  std::ofstream(folder_ / "question")
      << R"({"call": {"cell": "lstm", "hidden_size": 512, "input_size": 256, "num_layers": 2,
             "data_type": "half", "batch_size": 3, "seq_length": 4,
             "framework": {"name": "pytorch"}}, "file": "train.py", "line": 31})";
  std::ofstream(folder_ / "result")
      << R"({"status": "changed", "error": 0.0004, "limit": 0.002, "tensor": "dx",
             "transforms": [{"kind": "split_layers", "parameters": {}}],
             "file": "rnn_split_layers.py", "module": "import torch\n"})";
  const std::string script = "test -z \"$RNNADVISOR_CHANGES\" || { cp " + folder_ / "question" +
                             " \"$RNNADVISOR_CHANGES\"/7-0.layer.json; cp " + folder_ / "result" +
                             " \"$RNNADVISOR_CHANGES\"/7-0.result.json; }";
  EXPECT_EQ(verified(script, "4 5 3").status, 0);
  const auto read = read_profile(output_);
  ASSERT_TRUE(read) << to_text(read.error());
  ASSERT_THAT(read->experiments, SizeIs(4));
  const auto& change = read->experiments[2];
  EXPECT_EQ(change.transforms, R"([{"kind":"split_layers","parameters":{}}])");
  EXPECT_EQ(change.configuration, 0);
  EXPECT_EQ(change.meaning, "exact");
  ASSERT_THAT(change.timings, SizeIs(1));
  EXPECT_NEAR(change.timings[0].speedup, 2, 0.05);
  ASSERT_THAT(change.code, SizeIs(1));
  EXPECT_THAT(read->experiments[3].transforms, HasSubstr("split_layers"));
  EXPECT_THAT(read->experiments[3].transforms, HasSubstr("persist_static"));
  EXPECT_NEAR(read->experiments[3].timings.at(0).speedup, 10. / 3, 0.2);
  const auto json = nlohmann::json::parse(call({"report", output_, "--json"}, services_).out);
  EXPECT_EQ(json["findings"][0]["gain"]["scope"], "program step");
  EXPECT_NEAR(json["findings"][0]["gain"]["speedup"].get<double>(), 10. / 3, 0.2);
}

TEST_F(ProfileVerify, TheFirstRunStaysWhatItIs) {
  const auto reason = [&](const Called& called, int status) {
    EXPECT_EQ(called.status, status) << called.err;
    const auto read = read_profile(output_);
    EXPECT_TRUE(read);
    if (!read) return std::string();
    EXPECT_THAT(read->calls, SizeIs(3));
    EXPECT_EQ(read->processes.at(0).exit_status, status);
    const auto* why = note(*read);
    EXPECT_NE(why, nullptr);
    return why != nullptr ? why->text : std::string();
  };
  const std::string second = "test -z \"$RNNADVISOR_ACCELERATE\" || ";
  EXPECT_THAT(reason(verified("exit 3"), 3), HasSubstr("ended with exit status 3"));
  const Words again = {"--force"};
  const auto failing =
      verified(second + "{ echo out; echo 'no such file' >&2; exit 4; }", "", again);
  EXPECT_THAT(reason(failing, 0), HasSubstr("ended with exit status 4: no such file"));
  EXPECT_THAT(failing.out, IsEmpty());
  EXPECT_THAT(failing.err, HasSubstr("no gain was measured in the program"));
  EXPECT_THAT(reason(verified("true", "", again), 0), HasSubstr("no whole step could be timed"));
  EXPECT_THAT(reason(verified("true", "4", {"--force", "--env", "RNNADVISOR_ACCELERATE=0"}), 0),
              HasSubstr("RNNADVISOR_ACCELERATE=0"));
  machine_.missing_driver = "no NVIDIA driver: made up";
  EXPECT_THAT(reason(verified("true", "4", again), 0), HasSubstr("no NVIDIA driver: made up"));
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(ProfileCommand, WrongOptionsAreStatus2) {
  for (const Words& options : {Words{"--mode", "everything"},
                               {"--trace", "kernels"},
                               {"--capture-range", "nvtx:"},
                               {"--capture-range", "cuda"},
                               {"--buffer-size", "8Q"},
                               {"--max-size", "-1"},
                               {"--delay", "-3"},
                               {"--duration", "nan"},
                               {"--skip", "-1"},
                               {"--env", "NAME"},
                               {"--env", "=x"},
                               {"--mode", "calls", "--trace", "api"},
                               {"--verify", "--allow", "all"},
                               {"--allow", "numerics"},
                               {"--fail-on", "always"}}) {
    EXPECT_EQ(profile({"true"}, options).status, 2) << options[0] << " " << options[1];
  }
  EXPECT_EQ(call({"profile", "-o", "%z", "true"}, services_).status, 2);
}

TEST_F(ProfileCommand, VariablesAndSettingsReachTheProgram) {
  const std::string words = folder_ / "words";
  const auto called = profile(
      {"sh", "-c",
       "echo $WORD $RNNADVISOR_MODE $RNNADVISOR_SKIP $RNNADVISOR_DELAY_MS $RNNADVISOR_MAX_BYTES "
       "$RNNADVISOR_CAPTURE $RNNADVISOR_TRACE $RNNADVISOR_CUPTI > " +
           words},
      {"--env", "WORD=a=b", "--mode", "full", "--skip", "5", "--delay", "1.5", "--max-size", "2M",
       "--capture-range", "cudaProfilerApi", "--trace", "api,memory"});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_EQ(read_text(words),
            "a=b full 5 1500 2097152 cuda-profiler-api api,memory /opt/fake/libcupti.so\n");
}

TEST_F(ProfileCommand, OtherToolsAreNamed) {
  const auto called = profile({"true"}, {"--env", "CUDA_INJECTION64_PATH=/nsys/lib.so"});
  EXPECT_THAT(called.err, HasSubstr("/nsys/lib.so"));
  const auto refused = profile({"true"}, {"--force", "--env", "RNNADVISOR_SPOOL=/elsewhere"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("/elsewhere"));
}

TEST_F(ProfileCommand, FindingsChangeTheStatusOfASuccessOnly) {
  // The sample has a batch of 3, which a rule of severity warning does not like.
  EXPECT_EQ(profile({"true"}, {"--fail-on", "info"}).status, 1);
  EXPECT_EQ(profile({"sh", "-c", "exit 5"}, {"--force", "--fail-on", "info"}).status, 5);
}

TEST_F(ProfileCommand, TheSpoolCanBeKeptAndCollectedAgain) {
  const auto called = profile({"true"}, {"--keep-spool"});
  const auto names = left_behind();
  ASSERT_THAT(names, SizeIs(1));
  EXPECT_THAT(names[0], StartsWith("x.rnnprof.spool-"));
  EXPECT_THAT(called.err, HasSubstr(names[0]));
  EXPECT_EQ(call({"collect", folder_ / names[0]}, services_).status, 2);  // the profile exists
  EXPECT_EQ(call({"collect", folder_ / names[0], "--force", "--remove"}, services_).status, 0);
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(ProfileCommand, AProgramWithoutCudaIsAProfileThatSaysSo) {
  const auto called = profile({"sh", "-c", "exit 4"}, {"--env", "FAKE_PLUGIN_QUIET=1"});
  EXPECT_EQ(called.status, 4);
  EXPECT_THAT(called.err, HasSubstr("no process of the program used CUDA"));
  const auto read = read_profile(output_);
  ASSERT_TRUE(read);
  ASSERT_THAT(read->processes, SizeIs(1));
  EXPECT_EQ(read->processes[0].command_line, "sh -c 'exit 4'");
}

// It may make its first call when the program has long ended.
TEST_F(ProfileCommand, AProcessLeftBehindKeepsTheFolder) {
  const auto called =
      profile({"sh", "-c", "sleep 20 >/dev/null 2>&1 & echo $! >" + (folder_ / "pid")},
              {"--env", "FAKE_PLUGIN_QUIET=1"});
  kill(std::stoi(read_text(folder_ / "pid")), SIGKILL);
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.err, HasSubstr("still run"));
  EXPECT_THAT(called.err, HasSubstr("rnnadvisor collect"));
  EXPECT_THAT(left_behind(), SizeIs(2));
  const auto read = read_profile(output_);
  ASSERT_TRUE(read);
  EXPECT_TRUE(
      std::ranges::any_of(read->notes, [](const Note& n) { return n.code == "process-waiting"; }));
}

TEST_F(ProfileCommand, AnInterruptWhileCollectingKeepsTheRecording) {
  machine_.interrupted = true;
  const auto called = profile({"true"});
  EXPECT_EQ(called.status, 130);
  EXPECT_THAT(called.err, HasSubstr("rnnadvisor collect"));
  EXPECT_THAT(left_behind(), SizeIs(1));
}

// The program itself, in a process group of its own as a shell would start it.
class WholeProgram : public ProfileCommand {
 protected:
  ~WholeProgram() override {
    if (pid_ > 0) kill(-pid_, SIGKILL);
  }
  void start(const std::string& script) {
    pid_ = fork();
    if (pid_ != 0) {
      setpgid(pid_, pid_);
      return;
    }
    setpgid(0, 0);
    const int log = open((folder_ / "log").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    dup2(log, STDERR_FILENO);
    setenv("RNNADVISOR_PLUGIN", RNNADVISOR_FAKE_PLUGIN, 1);
    execl(RNNADVISOR_PROGRAM, RNNADVISOR_PROGRAM, "profile", "-o", output_.c_str(), "--mode",
          "calls", "sh", "-c", script.c_str(), nullptr);
    _exit(99);
  }
  bool appears(const std::string& path) const {
    for (int i = 0; i < 1000 && !fs::exists(path); ++i) usleep(10'000);
    return fs::exists(path);
  }
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }
  pid_t pid_ = -1;
};

TEST_F(WholeProgram, CtrlCOfAProgramThatDiesOfItLeavesAProfile) {
  start(": > " + (folder_ / "ready") + "; exec sleep 30");
  ASSERT_TRUE(appears(folder_ / "ready"));
  kill(-pid_, SIGINT);
  const int status = wait();
  ASSERT_TRUE(WIFSIGNALED(status)) << read_text(folder_ / "log");
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  const auto read = read_profile(output_);
  ASSERT_TRUE(read) << read_text(folder_ / "log");
  EXPECT_EQ(read->processes.back().signal, SIGINT);  // of what exec() put in the shell's place
  EXPECT_THAT(read_text(folder_ / "log"), HasSubstr("wrote " + output_));
}

TEST_F(WholeProgram, ASecondCtrlCEndsWhatDoesNotEnd) {
  start("trap ': > " + (folder_ / "trapped") + "' INT; : > " + (folder_ / "ready") +
        "; while true; do sleep 0.05; done");
  ASSERT_TRUE(appears(folder_ / "ready"));
  kill(-pid_, SIGINT);
  ASSERT_TRUE(appears(folder_ / "trapped"));
  usleep(300'000);
  kill(-pid_, SIGINT);
  const int status = wait();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  const auto read = read_profile(output_);
  ASSERT_TRUE(read) << read_text(folder_ / "log");
  const auto main = std::find_if(read->processes.begin(), read->processes.end(),
                                 [](const Process& p) { return p.end == ProcessEnd::killed; });
  EXPECT_NE(main, read->processes.end());
}

TEST_F(WholeProgram, TerminationOfTheLauncherAloneEndsTheProgramInOrder) {
  start("trap 'exit 5' TERM; : > " + (folder_ / "ready") + "; while true; do sleep 0.05; done");
  ASSERT_TRUE(appears(folder_ / "ready"));
  kill(pid_, SIGTERM);
  const int status = wait();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 5);
  const auto profile = read_profile(output_);
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->notes, Contains(::testing::Field(&Note::text, HasSubstr("signal 15"))));
}

TEST(SplitArguments, FindsWhereTheProgramBegins) {
  FakeMachine machine;
  const Terminal terminal;
  std::ostringstream out, err;
  const Services services = machine.services();
  Context context{.out = out, .err = err, .terminal = terminal, .services = services};
  const auto app = make_application(context);
  const auto program = [&](const Words& arguments) {
    return split_arguments(*app, arguments).program;
  };
  EXPECT_THAT(program({"profile", "a", "-o", "b"}), ElementsAre("a", "-o", "b"));
  EXPECT_THAT(program({"profile", "-o", "f", "a"}), ElementsAre("a"));
  EXPECT_THAT(program({"profile", "-of", "a"}), ElementsAre("a"));
  EXPECT_THAT(program({"profile", "--output=f", "a"}), ElementsAre("a"));
  EXPECT_THAT(program({"profile", "--force", "a"}), ElementsAre("a"));
  EXPECT_THAT(program({"--quiet", "profile", "-q", "a"}), ElementsAre("a"));
  EXPECT_THAT(program({"--progress", "none", "profile", "a", "-q"}), ElementsAre("a", "-q"));
  EXPECT_THAT(program({"accelerate", "--memory", "1G", "a", "-q"}), ElementsAre("a", "-q"));
  EXPECT_THAT(program({"--progress"}), IsEmpty());
  EXPECT_THAT(program({"profile", "--", "-x"}), ElementsAre("-x"));
  EXPECT_THAT(program({"profile", "--", "--"}), ElementsAre("--"));
  EXPECT_THAT(program({"profile", "-o"}), IsEmpty());
  EXPECT_THAT(program({"profile"}), IsEmpty());
  EXPECT_THAT(program({"run", "a", "--", "b"}), IsEmpty());
  EXPECT_THAT(split_arguments(*app, Words{"run", "a"}).ours, ElementsAre("run", "a"));
}

// docs/profiling.md shows no option and no note that there is not.
TEST(ProfilingPage, IsTrue) {
  const std::string page = read_text(RNNADVISOR_SOURCE_DIR "/docs/profiling.md");
  std::string help;
  for (const char* command : {"profile", "env", "collect", "merge"})
    help += call({command, "--help"}).out;
  const Words of_others = {"--epochs", "--nproc-per-node", "--no-python", "--gpus", "--hostname",
                           "--to",     "--execute",        "--password",  "--token"};
  const std::regex option("--[a-z][a-z-]+");
  int options = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), option), end; it != end; ++it, ++options) {
    if (std::find(of_others.begin(), of_others.end(), it->str()) != of_others.end()) continue;
    EXPECT_THAT(help, HasSubstr(it->str()));
  }
  EXPECT_GT(options, 20);
  std::string sources;
  for (const char* folder : {"/profiler/launch", "/profiler/plugin", "/profiler/profile"}) {
    for (const auto& file : fs::directory_iterator(std::string(RNNADVISOR_SOURCE_DIR) + folder))
      sources += read_text(file.path().string());
  }
  const std::string table = page.substr(page.find("| note | says |"));
  const std::regex row("(?:^|\n)\\|((?: `[a-z-]+`,?)+) \\|"), code("`([a-z-]+)`");
  int codes = 0;
  for (std::sregex_iterator it(table.begin(), table.end(), row), end; it != end; ++it) {
    const std::string cell = it->str(1);
    for (std::sregex_iterator c(cell.begin(), cell.end(), code); c != end; ++c, ++codes)
      EXPECT_THAT(sources, HasSubstr('"' + c->str(1) + '"'));
  }
  EXPECT_GE(codes, 14);
}

NameParts name_parts() {
  return {12, "node1", [](std::string_view name) -> std::optional<std::string> {
            if (name == "RANK") return "3";
            return std::nullopt;
          }};
}

TEST(OutputName, IsMadeOfHostProcessAndVariables) {
  TemporaryFolder folder;
  const auto expand = [&](const std::string& pattern) {
    return expand_output_name(pattern, name_parts()).value();
  };
  EXPECT_EQ(expand("a.rnnprof"), "a.rnnprof");
  EXPECT_EQ(expand("%h-%p-%q{RANK}%%.rnnprof"), "node1-12-3%.rnnprof");
  EXPECT_EQ(expand(folder / "run%n.rnnprof"), folder / "run1.rnnprof");
  write_text_file(folder / "run1.rnnprof", "");
  fs::create_directory(folder / "run2.rnnprof.spool-abcdef");  // in use
  EXPECT_EQ(expand(folder / "run%n.rnnprof"), folder / "run3.rnnprof");
  EXPECT_THAT(default_output_name(name_parts()), HasSubstr("-rank3.rnnprof"));
  for (const char* wrong : {"%", "%x", "%q", "%q{RANK", "%q{NOT_SET}", "a%"})
    EXPECT_FALSE(expand_output_name(wrong, name_parts())) << wrong;
}

}  // namespace
}  // namespace rnnadvisor::cli
