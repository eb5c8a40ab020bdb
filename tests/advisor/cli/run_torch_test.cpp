// What becomes of a change in PyTorch when the interpreter does not do what it should. It is
// stand_in_python.py, which behaves as STAND_IN says; and, where there is one, a real PyTorch on
// the CPU.
#include "advisor/cli/run_torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "advisor/cli/torch_interpreter.h"
#include "advisor/facts/experiments.h"
#include "tests/advisor/cli/torch_stand_in.h"

namespace rnnadvisor::cli {
namespace {

using advisor::TorchResult;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Status = TorchResult::Status;

RnnConfig stack() {
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.input_size = config.hidden_size = config.proj_size = 512;
  config.num_layers = 2;
  config.seq_length = 128;
  config.batch_size = 33;
  return config;
}

advisor::TorchCandidate candidate(const char* kind, const char* json = "{}") {
  advisor::TorchCandidate made;
  made.transforms = {*advisor::parse_transform(kind, json)};
  made.meaning = made.transforms.front().meaning;
  return made;
}

advisor::TorchRequest request() {
  advisor::TorchRequest made;
  made.call.config = stack();
  made.call.program.name = Framework::pytorch;
  made.candidates = {candidate("split_layers"), candidate("pad_batch", R"({"multiple":8})"),
                     candidate("cuda_graph")};
  made.phases = {"training", "inference"};
  return made;
}

Result<TorchAnswer> run(const char* how, TorchRunOptions options = {}) {
  const StandIn behaviour(how);
  if (options.python == "python3") options.python = stand_in_python;
  return run_torch(request(), options);
}

std::vector<Status> statuses(const Result<TorchAnswer>& answer) {
  std::vector<Status> list;
  if (answer)
    for (const auto& result : answer->results) list.push_back(result.status);
  return list;
}

class RunTorch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_python()) GTEST_SKIP() << "NO PYTHON, NOT RUN: there is no python3 on PATH";
  }
};

TEST_F(RunTorch, AnswersAndProgressComeBack) {
  std::vector<int> begun;
  TorchRunOptions options;
  options.on_progress = [&](int number, int of) {
    begun.push_back(number);
    EXPECT_EQ(of, 3);
  };
  const auto answer = run("", options);
  ASSERT_TRUE(answer) << to_text(answer.error());
  EXPECT_THAT(statuses(answer), ElementsAre(Status::measured, Status::measured, Status::measured));
  EXPECT_THAT(begun, ElementsAre(0, 1, 2));
  EXPECT_EQ(answer->environment.torch, "2.11.0");
  EXPECT_EQ(answer->environment.device, "NVIDIA H200");
  EXPECT_EQ(answer->environment.compute_major, 9);
  EXPECT_EQ(answer->environment.multiprocessors, 132);
  const auto& first = answer->results[0];
  ASSERT_EQ(first.timings.size(), 2u);
  EXPECT_EQ(first.timings[0].scope, ExperimentScope::training_step);
  EXPECT_EQ(first.timings[0].before_samples_ms.size(), 21u) << "every sample is kept";
  EXPECT_DOUBLE_EQ(first.timings[0].before_samples_ms[0], 10.0);
  EXPECT_NEAR(first.timings[0].speedup, 2.0, 1e-9);
  EXPECT_EQ(first.memory_before, 6000);
  EXPECT_EQ(first.memory_after, 4200);
  EXPECT_EQ(first.shifts[1].tensor, "hy");
  ASSERT_EQ(first.code.size(), 3u);
  EXPECT_EQ(first.code[0].name, "rnn_split_layers.py");
  EXPECT_EQ(first.code[2].name, "train.py.diff");
}

TEST_F(RunTorch, ACrashCostsItself) {
  const TemporaryFolder folder;
  const auto log = folder / "log";
  setenv("STAND_IN_LOG", log.c_str(), 1);
  const auto answer = run("pad_batch=crash");
  unsetenv("STAND_IN_LOG");
  EXPECT_THAT(statuses(answer), ElementsAre(Status::measured, Status::crashed, Status::measured));
  EXPECT_THAT(answer->results[1].message,
              AllOf(HasSubstr("signal 11"), HasSubstr("Segmentation fault of the stand-in")));
  // What was measured is not measured again, and the culprit is left out.
  EXPECT_EQ(read_text(log),
            "start True ['split_layers', 'pad_batch', 'cuda_graph']\nsplit_layers\npad_batch\n"
            "start True ['cuda_graph']\ncuda_graph\n");
}

TEST_F(RunTorch, AHangCostsItself) {
  TorchRunOptions options;
  options.grace_seconds = 0.5;
  auto asked = request();
  asked.budget_seconds = 6;
  const StandIn behaviour("split_layers=hang");
  options.python = stand_in_python;
  const auto begin = std::chrono::steady_clock::now();
  const auto answer = run_torch(asked, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  // Three times its third of six seconds and the grace: then there is no time for the others.
  ASSERT_TRUE(answer) << to_text(answer.error());
  EXPECT_EQ(answer->results[0].status, Status::timed_out);
  EXPECT_THAT(answer->results[0].message, HasSubstr("no sign of life"));
  EXPECT_LT(took.count(), 30);
}

TEST_F(RunTorch, AHangLeavesTimeForTheOthers) {
  TorchRunOptions options;
  options.grace_seconds = 1;
  options.python = stand_in_python;
  auto asked = request();
  asked.budget_seconds = 12;
  asked.candidates.push_back(candidate("flatten_parameters"));
  asked.candidates.push_back(candidate("split_directions"));
  asked.candidates.push_back(candidate("unpack_equal_lengths"));
  const StandIn behaviour("cuda_graph=hang");
  const auto answer = run_torch(asked, options);
  EXPECT_EQ(answer->results[2].status, Status::timed_out);
  // Whatever is left after the hang is less than the share: four were open.
  EXPECT_EQ(answer->results[0].status, Status::measured);
  EXPECT_EQ(answer->results[1].status, Status::measured);
}

TEST_F(RunTorch, WhatIsNoAnswerCostsItself) {
  const auto answer = run("split_layers=garbage,pad_batch=oom,cuda_graph=failed");
  EXPECT_THAT(statuses(answer), ElementsAre(Status::failed, Status::out_of_memory, Status::failed));
  EXPECT_THAT(answer->results[0].message, HasSubstr("could not be read"));
  EXPECT_THAT(answer->results[1].message, HasSubstr("free the device"));
  EXPECT_THAT(answer->results[2].message, HasSubstr("RuntimeError"));
  EXPECT_THAT(statuses(run("split_layers=late")),
              ElementsAre(Status::none, Status::measured, Status::measured));
}

TEST_F(RunTorch, AnInterpreterOfNoUseIsAnError) {
  const auto error = [](const char* how, TorchRunOptions options = {}) {
    const auto answer = run(how, options);
    EXPECT_FALSE(answer) << how;
    return answer ? std::string() : to_text(answer.error());
  };
  EXPECT_THAT(error("no torch"), AllOf(HasSubstr("cannot be imported"), HasSubstr("--python")));
  EXPECT_THAT(error("old"), AllOf(HasSubstr("older than 1.13"), HasSubstr("1.13 or later")));
  EXPECT_THAT(error("no gpu"), AllOf(HasSubstr("no CUDA device"), HasSubstr("doctor")));
  EXPECT_THAT(error("silent"), HasSubstr("answered nothing"));
  EXPECT_THAT(error("junk"), HasSubstr("Welcome to this machine"));
  EXPECT_THAT(error("die at once"), AllOf(HasSubstr("exit status 1"), HasSubstr("encodings")));
  EXPECT_THAT(error("flood"), HasSubstr("more than any answer"));
  TorchRunOptions options;
  options.start_seconds = 0.5;
  EXPECT_THAT(error("asleep", options), HasSubstr("no sign of life"));
  options = {};
  options.python = "/nowhere/python3";
  EXPECT_THAT(error("", options), AllOf(HasSubstr("cannot be started"), HasSubstr("--python")));
}

TEST_F(RunTorch, ACallThatPyTorchHasNotIsRefused) {
  const auto answer = run("refuse");
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->refused, HasSubstr("one bias vector"));
  EXPECT_THAT(statuses(answer), ElementsAre(Status::none, Status::none, Status::none));
}

TEST_F(RunTorch, CtrlCKeepsWhatWasMeasured) {
  std::atomic<bool> stop = false;
  TorchRunOptions options;
  options.stop = &stop;
  options.on_progress = [&](int number, int) { stop = number == 1; };
  const auto answer = run("pad_batch=hang", options);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->interrupted);
  EXPECT_THAT(statuses(answer), ElementsAre(Status::measured, Status::none, Status::none));
}

TEST_F(RunTorch, ProbingTriesNothing) {
  const StandIn behaviour("");
  TorchRunOptions options;
  options.python = stand_in_python;
  const auto environment = probe_torch(0, options);
  ASSERT_TRUE(environment) << to_text(environment.error());
  EXPECT_EQ(environment->cudnn, "91900");
}

TEST_F(RunTorch, VerdictsAreReadOffTheSamples) {
  Profile profile;
  Configuration configuration;
  configuration.config = stack();
  profile.configurations = {configuration};
  const auto verdict = [&](const char* how) {
    const auto answer = run(how);
    if (!answer) return Experiment{};
    return advisor::torch_experiment(request().candidates[0], answer->results[0], profile, 0);
  };
  const auto good = verdict("");
  EXPECT_EQ(good.verdict, ExperimentVerdict::confirmed);
  EXPECT_EQ(good.where, "pytorch");
  EXPECT_THAT(good.message, AllOf(HasSubstr("GPU 9.09 ms, then 4.55 ms"), HasSubstr("host")));
  EXPECT_EQ(good.clocks_before, (GpuClocks{1980, 3201, 41, 118'400, 0}));
  EXPECT_EQ(good.clocks_after, (GpuClocks{1755, 3201, 66, 0, 4}));
  const auto slow = verdict("split_layers=slow");
  EXPECT_EQ(slow.verdict, ExperimentVerdict::refuted);
  EXPECT_EQ(slow.clocks_before, GpuClocks());
  EXPECT_EQ(slow.clocks_after, GpuClocks());
  for (const auto* how : {"split_layers=wrong", "split_layers=nan", "split_layers=unlike"}) {
    const auto wrong = verdict(how);
    EXPECT_EQ(wrong.verdict, ExperimentVerdict::refuted) << how;
    EXPECT_THAT(wrong.message, HasSubstr("not the same results")) << how;
  }
  const auto thin = verdict("split_layers=no_step");
  EXPECT_EQ(thin.verdict, ExperimentVerdict::inconclusive) << "the program trains";
  EXPECT_THAT(thin.message,
              AllOf(HasSubstr("left no time for training"),
                    HasSubstr("what was captured, the training step, was not timed")));
  EXPECT_EQ(thin.timings.size(), 1U) << "the forward pass is kept";
  profile.configurations[0].program.needs_backward = false;
  EXPECT_EQ(verdict("split_layers=no_step").verdict, ExperimentVerdict::confirmed);
  profile.configurations[0].program.needs_backward.reset();
  const auto few = verdict("split_layers=few");
  EXPECT_EQ(few.verdict, ExperimentVerdict::inconclusive);
  EXPECT_THAT(few.message, HasSubstr("4 rounds are too few"));
  const auto uncompared = verdict("split_layers=uncompared");
  EXPECT_EQ(uncompared.verdict, ExperimentVerdict::inconclusive);
  EXPECT_THAT(uncompared.message, HasSubstr("not compared"));
  const auto memory = verdict("split_layers=oom");
  EXPECT_EQ(memory.verdict, ExperimentVerdict::not_run);
  EXPECT_THAT(memory.message, HasSubstr("out of memory"));
  EXPECT_THAT(memory.timings, IsEmpty());
}

TEST(TorchInterpreter, IsThatOfTheRecordedProgram) {
  const TemporaryFolder folder;
  namespace fs = std::filesystem;
  Profile profile;
  EXPECT_EQ(torch_interpreter("/my/python", profile), "/my/python");
  EXPECT_EQ(torch_interpreter("", profile), "python3");
  Process process;
  process.executable = "/no/such/python3.12";
  profile.processes = {process};
  EXPECT_EQ(torch_interpreter("", profile), "python3");
  const auto executable = [&](const std::string& path) {
    fs::create_directories(fs::path(path).parent_path());
    write_text_file(path, "#!/bin/sh\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  };
  profile.processes[0].executable = executable(folder / "usr/bin/python3.12");
  EXPECT_EQ(torch_interpreter("", profile), folder / "usr/bin/python3.12");
  // The process of a virtual environment shows the interpreter that it was made from.
  profile.strings = {folder / "env/lib/python3.12/site-packages/torch/nn/modules/rnn.py"};
  profile.call_sites = {CallSite{0, 1169, -1, -1}};
  const auto python = executable(folder / "env/bin/python3");
  EXPECT_EQ(torch_interpreter("", profile), folder / "usr/bin/python3.12") << "no environment";
  write_text_file(folder / "env/pyvenv.cfg", "home = /usr/bin\n");
  EXPECT_EQ(torch_interpreter("", profile), python);
  // Another program is no interpreter.
  profile.call_sites.clear();
  profile.processes[0].executable = "/bin/sh";
  EXPECT_EQ(torch_interpreter("", profile), "python3");
}

// The scripts as the command starts them, in a PyTorch without a GPU: times say nothing, results
// do.
TEST(RunTorchForReal, OnTheCpu) {
  if (!have_torch()) GTEST_SKIP() << "NO PYTORCH, NOT RUN: " << RNNADVISOR_TEST_PYTHON;
  auto asked = request();
  auto& config = asked.call.config;
  config.data_type = DataType::float32;
  config.math_type = MathType::default_math;
  config.input_size = config.hidden_size = config.proj_size = 24;
  config.seq_length = 7;
  config.batch_size = 5;
  asked.device = -1;
  asked.budget_seconds = 60;
  asked.candidates[2] = candidate("cuda_graph");
  TorchRunOptions options;
  options.python = RNNADVISOR_TEST_PYTHON;
  const auto answer = run_torch(asked, options);
  ASSERT_TRUE(answer) << to_text(answer.error());
  EXPECT_THAT(statuses(answer),
              ElementsAre(Status::measured, Status::measured, Status::not_applicable));
  Profile profile;
  Configuration configuration;
  configuration.config = config;
  profile.configurations = {configuration};
  for (int i : {0, 1}) {
    const auto& result = answer->results[static_cast<std::size_t>(i)];
    EXPECT_TRUE(result.agrees.value_or(false)) << result.disagreement;
    EXPECT_EQ(result.timings.size(), 2u);
    EXPECT_GT(result.shifts.size(), 6u);
    ASSERT_FALSE(result.code.empty());
    EXPECT_THAT(result.code[0].text, HasSubstr("(_"));
    const auto experiment = advisor::torch_experiment(asked.candidates[static_cast<std::size_t>(i)],
                                                      result, profile, 0);
    EXPECT_FALSE(
        advisor::moved_too_far(result.shifts, asked.candidates[0].meaning, config, config));
    EXPECT_THAT(experiment.message, Not(HasSubstr("not the same results")));
  }
  EXPECT_THAT(answer->results[2].message, HasSubstr("no meaning on the CPU"));
}

}  // namespace
}  // namespace rnnadvisor::cli
