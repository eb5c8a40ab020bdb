// advise --verify --torch, with an interpreter that stands in and a GPU that tests make up.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "advisor/cli/code_files.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/torch_stand_in.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A two-layer stack that was recorded from a program in PyTorch.
constexpr const char* recorded =
    RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers.rnnprof";

class VerifyTorch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_python()) GTEST_SKIP() << "NO PYTHON, NOT RUN: there is no python3 on PATH";
    std::filesystem::copy_file(recorded, profile_);
    machine_.gpu = true;
  }

  // cuDNN's own calls answer nothing here: what is measured is measured in PyTorch.
  Called run(std::vector<std::string> more) {
    auto services = machine_.services();
    if (no_cuda_build_) {
      services.inspect_machine = [this] {
        auto report = machine_.services().inspect_machine();
        report.built_with_cuda = false;
        return report;
      };
    }
    if (experimenter_) services.run_experiment = experimenter_;
    std::vector<std::string> arguments = {"advise",  profile_,   "--verify",
                                          "--torch", "--python", stand_in_python};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments, services);
  }

  Profile verified() {
    auto read = read_profile(folder_ / "run.verified.rnnprof");
    EXPECT_TRUE(read) << to_text(read.error());
    return read.value_or(Profile{});
  }

  TemporaryFolder folder_;
  FakeMachine machine_;
  bool no_cuda_build_ = true;
  decltype(Services::run_experiment) experimenter_;
  std::string profile_ = folder_ / "run.rnnprof";
};

TEST_F(VerifyTorch, WritesWhatWasMeasuredAndReportsOnIt) {
  const StandIn behaviour("cuda_graph=slow");
  const auto called = run({"--json"});
  ASSERT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.err, AllOf(HasSubstr("PyTorch 2.11.0"), HasSubstr("are not tried"),
                                HasSubstr("tried 2 changes in PyTorch")));
  const auto profile = verified();
  ASSERT_EQ(profile.experiments.size(), 2u);
  // Tried in the order of the findings: the stack, and the graph, which is only an estimate.
  EXPECT_EQ(profile.experiments[1].verdict, ExperimentVerdict::refuted);
  EXPECT_THAT(profile.experiments[1].message, HasSubstr("a graph's pool included"));
  EXPECT_THAT(profile.experiments[0].message, Not(HasSubstr("pool")));
  const auto& split = profile.experiments[0];
  EXPECT_EQ(split.where, "pytorch");
  EXPECT_EQ(split.rule, "pytorch/split-stack");
  EXPECT_EQ(split.verdict, ExperimentVerdict::confirmed);
  ASSERT_EQ(split.timings.size(), 2u);
  EXPECT_EQ(split.timings[0].after_samples_ms.size(), 21u);
  EXPECT_EQ(split.memory_before, 6000);
  EXPECT_EQ(split.code.size(), 3u);
  ASSERT_FALSE(split.changed.empty());
  const auto& layer = profile.configurations[static_cast<std::size_t>(split.changed[0])].config;
  EXPECT_EQ(layer.num_layers, 1);
  EXPECT_EQ(layer.algo, Algo::persist_static) << "as PyTorch picks it";
  EXPECT_EQ(profile.devices[static_cast<std::size_t>(split.device)].name, "NVIDIA H200");
  const auto report = nlohmann::json::parse(called.out);
  bool told = false;
  for (const auto& finding : report.at("findings")) {
    EXPECT_NE(finding.at("rule"), "experiments/faster-exact") << "the rule's own finding tells it";
    if (finding.at("rule") != "pytorch/split-stack") continue;
    told = true;
    EXPECT_EQ(finding.at("gain").at("basis"), "measured_here");
    EXPECT_EQ(finding.at("trial").at("verdict"), "confirmed");
  }
  EXPECT_TRUE(told);
  EXPECT_THAT(report.dump(), HasSubstr("rnn_split_layers.py"));
}

TEST_F(VerifyTorch, WinnersAreTriedTogether) {
  const StandIn behaviour("");
  ASSERT_EQ(run({"--quiet"}).status, 0);
  const auto profile = verified();
  ASSERT_EQ(profile.experiments.size(), 3u);
  EXPECT_EQ(profile.experiments[2].transforms,
            R"([{"kind":"cuda_graph","parameters":{}},{"kind":"split_layers","parameters":{}}])");
  EXPECT_EQ(profile.experiments[2].rule, "") << "found by searching";
}

TEST_F(VerifyTorch, EveryReportHasIt) {
  const StandIn behaviour("");
  ASSERT_EQ(run({"--quiet"}).status, 0);
  const auto report = [&](const std::string& format) {
    return call({"report", folder_ / "run.verified.rnnprof", "-f", format}).out;
  };
  EXPECT_THAT(report("text"), AllOf(HasSubstr("in PyTorch"), HasSubstr("rnn_split_layers.py")));
  for (const auto* format : {"markdown", "html", "json", "sarif"})
    EXPECT_THAT(report(format),
                AllOf(HasSubstr("rnn_split_layers.py"), HasSubstr("+++ b/train.py")))
        << format;
  EXPECT_THAT(report("html"), HasSubstr("in PyTorch"));
  EXPECT_THAT(report("markdown"), HasSubstr("in PyTorch"));
  EXPECT_THAT(report("junit"), HasSubstr("tried: one call per layer in PyTorch"));
}

TEST_F(VerifyTorch, TheSearchOfCudnnGoesBefore) {
  no_cuda_build_ = false;
  std::vector<double> budgets;
  experimenter_ = [&](const ExperimentRequest& request, int, const std::atomic<bool>*) {
    budgets.push_back(request.budget_seconds);
    ExperimentResult result;
    result.outcome = Outcome::completed;
    result.variants.resize(request.variants.size());
    for (auto& variant : result.variants) {
      variant.outcome = Outcome::refused;
      variant.message = "made up";
    }
    return result;
  };
  const StandIn behaviour("");
  const auto called = run({"--budget", "20"});
  ASSERT_EQ(called.status, 0) << called.err;
  ASSERT_FALSE(budgets.empty());
  EXPECT_LE(budgets[0], 20 * 0.4);
  int bare = 0, torch = 0;
  for (const auto& experiment : verified().experiments)
    ++(experiment.where == "pytorch" ? torch : bare);
  EXPECT_EQ(bare, 2);
  EXPECT_EQ(torch, 2);
}

TEST_F(VerifyTorch, ObstaclesAreReportedFirst) {
  for (const auto& [how, words] :
       {std::pair("no torch", "--python"), std::pair("no gpu", "doctor"),
        std::pair("old", "1.13 or later"), std::pair("silent", "answered nothing")}) {
    const StandIn behaviour(how);
    const auto called = run({});
    EXPECT_EQ(called.status, 3) << how;
    EXPECT_THAT(called.err, HasSubstr(words)) << how;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "run.verified.rnnprof"));
  }
  EXPECT_EQ(call({"advise", profile_, "--torch"}).status, 2);
  EXPECT_EQ(call({"advise", profile_, "--verify", "--python", "x"}).status, 2);
}

TEST_F(VerifyTorch, FailuresAreKeptAndCostThemselves) {
  const StandIn behaviour("split_layers=crash,cuda_graph=oom");
  const auto called = run({});
  ASSERT_EQ(called.status, 0) << called.err;
  const auto profile = verified();
  ASSERT_EQ(profile.experiments.size(), 2u);
  for (const auto& experiment : profile.experiments) {
    EXPECT_EQ(experiment.verdict, ExperimentVerdict::not_run);
    EXPECT_TRUE(experiment.changed.empty());
  }
  EXPECT_THAT(called.out, AllOf(HasSubstr("the process that ran it died"), HasSubstr("signal 11"),
                                HasSubstr("out of memory")));
}

// A change that is not right says nothing of the program: a remark with what it moved.
TEST_F(VerifyTorch, WrongResultsOfAChangeAreARemark) {
  const StandIn behaviour("split_layers=wrong");
  const auto called = run({"--fail-on", "error"});
  EXPECT_EQ(called.status, 0) << called.err;
  const auto remarks = called.out.find("Remarks (no action needed)");
  ASSERT_NE(remarks, std::string::npos) << called.out;
  EXPECT_THAT(called.out.substr(0, remarks), HasSubstr("not the same results"));
  EXPECT_THAT(called.out.substr(remarks), HasSubstr("A change that was tried does not keep"));
}

TEST_F(VerifyTorch, DryRunSaysWhatWouldBeTriedAndWhy) {
  machine_.gpu = false;
  const TemporaryFolder logs;
  const auto log = logs / "log";
  setenv("STAND_IN_LOG", log.c_str(), 1);
  const StandIn behaviour("cuda_graph=failed");
  const auto called = run({"--dry-run"});
  unsetenv("STAND_IN_LOG");
  EXPECT_EQ(called.status, 0) << called.err;
  const auto at = called.out.find("in PyTorch, by");
  ASSERT_NE(at, std::string::npos) << called.out;
  const auto part = called.out.substr(at);
  EXPECT_THAT(part, HasSubstr("try   one call per layer (exact)"));
  EXPECT_THAT(part, HasSubstr("not   a CUDA graph: 'cuda_graph' cannot be tried: do without"));
  EXPECT_THAT(part, HasSubstr("not   batch size 64: it makes another model"));
  EXPECT_THAT(read_text(log), AllOf(HasSubstr("start False"), Not(HasSubstr("start True"))));
  const StandIn broken("die at once");
  EXPECT_EQ(run({"--dry-run"}).status, 3);
}

TEST_F(VerifyTorch, OtherProgramsAreTriedWhenTheyAreNamed) {
  const StandIn behaviour("");
  profile_ = folder_ / "jax.rnnprof";
  std::filesystem::copy_file(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/jax-lstm.rnnprof",
                             profile_);
  no_cuda_build_ = false;
  auto called = run({"--dry-run"});
  EXPECT_THAT(called.err, HasSubstr("no configuration is of a PyTorch program"));
  EXPECT_THAT(called.out, Not(HasSubstr("in PyTorch, by")));
  called = run({"--dry-run", "--configuration", "#0"});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.out, HasSubstr("in PyTorch, by"));
}

TEST_F(VerifyTorch, CtrlCKeepsWhatWasMeasured) {
  const TemporaryFolder logs;
  const auto log = logs / "log";
  setenv("STAND_IN_LOG", log.c_str(), 1);
  const StandIn behaviour("cuda_graph=hang");
  std::thread user([&] {
    // A minute at most: a test that failed before must end too.
    for (int i = 0; i < 3000 && read_text(log).find("cuda_graph\n") == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    machine_.interrupted = true;
  });
  const auto called = run({});
  user.join();
  unsetenv("STAND_IN_LOG");
  EXPECT_EQ(called.status, 130);
  const auto profile = verified();
  ASSERT_EQ(profile.experiments.size(), 1u);
  EXPECT_EQ(profile.experiments[0].verdict, ExperimentVerdict::confirmed);
}

TEST_F(VerifyTorch, CodeIsWrittenOnRequest) {
  const StandIn behaviour("cuda_graph=slow");
  const auto code = folder_ / "changed";
  ASSERT_EQ(run({"--write-code", code}).status, 0);
  const auto module = code + "/0/split_layers/rnn_split_layers.py";
  EXPECT_THAT(read_text(module), HasSubstr("class Changed"));
  EXPECT_THAT(read_text(code + "/0/split_layers/train.py.diff"), HasSubstr("+++ b/train.py"));
  EXPECT_FALSE(std::filesystem::exists(code + "/0/cuda_graph")) << "refuted";
  // Later, from the profile; what is there and equal is no obstacle, what differs is.
  const auto later = folder_ / "run.verified.rnnprof";
  EXPECT_EQ(call({"advise", later, "--write-code", code}).status, 0);
  write_text_file(module, "mine");
  const auto refused = call({"advise", later, "--write-code", code});
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("rnn_split_layers.py"), HasSubstr("--force")));
  EXPECT_EQ(read_text(module), "mine");
  EXPECT_EQ(call({"advise", later, "--write-code", code, "--force"}).status, 0);
  EXPECT_THAT(read_text(module), HasSubstr("class Changed"));
  EXPECT_THAT(call({"advise", recorded, "--write-code", code}).err, HasSubstr("no confirmed"));
}

TEST(CodeFiles, KeepToTheirFolder) {
  Profile profile;
  Configuration configuration;
  configuration.config.id = "../../etc/cron.d";
  profile.configurations = {configuration};
  Experiment experiment;
  experiment.configuration = 0;
  experiment.verdict = ExperimentVerdict::confirmed;
  experiment.transforms = R"([{"kind":"../../x","parameters":{}}])";
  experiment.code = {{"../../../root/.bashrc", "python", "x"}, {"/etc/passwd", "python", "y"}};
  profile.experiments = {experiment};
  for (const auto& file : code_files(profile)) {
    EXPECT_THAT(file.path, Not(HasSubstr(".."))) << file.path;
    EXPECT_NE(file.path.front(), '/');
    EXPECT_EQ(std::count(file.path.begin(), file.path.end(), '/'), 2) << file.path;
  }
  EXPECT_EQ(code_files(profile).size(), 2u);
}

}  // namespace
}  // namespace rnnadvisor::cli
