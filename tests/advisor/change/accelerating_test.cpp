// Advice that `rnnadvisor accelerate` can follow names the command, and other advice does not.
#include "advisor/change/accelerating.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advisor/change/transform.h"
#include "advisor/judge/judge.h"
#include "advisor/rules/evaluate.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<Transform> algo(const std::string& value) {
  return {*parse_transform("algo", R"({"value":")" + value + "\"}")};
}

// Two layers in one nn.LSTM, as a program recorded them.
Profile recorded() {
  Profile profile;
  profile.devices.push_back(*find_device("nvidia-h200"));
  Configuration configuration;
  auto& config = configuration.config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.num_layers = 2;
  config.hidden_size = config.input_size = config.proj_size = 512;
  config.batch_size = 32;
  config.seq_length = 128;
  config.mode = Mode::training;
  configuration.program.name = Framework::pytorch;
  configuration.origin = Origin::captured;
  configuration.device = 0;
  profile.configurations.push_back(configuration);
  Process launcher;
  launcher.pid = 10;
  launcher.command_line = "torchrun train.py --name 'a b'";
  Process worker;
  worker.pid = 11;
  worker.parent_pid = 10;
  worker.command_line = "python3 -u train.py";
  profile.processes = {worker, launcher};
  RnnCall call;
  call.configuration = 0;
  call.process = 0;
  profile.calls.push_back(call);
  return profile;
}

TEST(Accelerating, IsAnotherAlgorithmBelowPyTorchAndNothingElse) {
  ProgramContext program;
  RnnConfig config;
  config.data_type = DataType::half;
  const auto does = [&](const std::vector<Transform>& changes,
                        std::optional<Framework> framework = Framework::pytorch) {
    return accelerate_does(changes, framework, config, program);
  };
  EXPECT_TRUE(does(algo("persist_static")));
  EXPECT_TRUE(does(algo("standard")));
  EXPECT_FALSE(does(algo("persist_dynamic")));
  EXPECT_FALSE(does(algo("persist_static"), Framework::jax));
  EXPECT_FALSE(does(algo("persist_static"), std::nullopt));
  EXPECT_FALSE(does({}));
  auto padded = algo("persist_static");
  padded.push_back(*parse_transform("pad_batch", R"({"multiple":8})"));
  EXPECT_FALSE(does(padded));
  program.cublas_workspace_set = true;  // asks for equal results in every run
  EXPECT_FALSE(does(algo("persist_static")));
  program = {};
  // What it leaves alone.
  for (const auto& leave : {+[](RnnConfig& c) { c.data_type = DataType::bfloat16; },
                            +[](RnnConfig& c) { c.proj_size = c.hidden_size / 2; },
                            +[](RnnConfig& c) { c.bias_mode = BiasMode::no_bias; }}) {
    const RnnConfig whole = config;
    leave(config);
    EXPECT_FALSE(does(algo("persist_static"))) << summary(config);
    config = whole;
  }
}

TEST(Accelerating, ConvertsFloat32LayersThatPermitTf32) {
  ProgramContext program;
  RnnConfig config;
  config.data_type = DataType::float32;
  auto changes = algo("persist_static");
  changes.push_back(*parse_transform("math_type", R"({"value":"tensor_op_allow_conversion"})"));
  const auto does = [&] { return accelerate_does(changes, Framework::pytorch, config, program); };
  EXPECT_TRUE(does());
  program.allow_tf32 = false;
  EXPECT_FALSE(does());
  program = {};
  config.data_type = DataType::half;
  EXPECT_FALSE(does());
  EXPECT_EQ(accelerate_command_of(recorded(), 0, changes),
            "rnnadvisor accelerate --allow numerics -- torchrun train.py --name 'a b'");
  EXPECT_THAT(accelerate_advice(recorded(), 0, changes), HasSubstr("persist_static with products"));
}

TEST(Accelerating, TheCommandIsThatOfTheProgramThatWasStarted) {
  auto profile = recorded();
  EXPECT_EQ(accelerate_command_of(profile, 0, {}),
            "rnnadvisor accelerate -- torchrun train.py --name 'a b'");
  profile.processes[1].command_line.clear();  // --no-command-line
  EXPECT_EQ(accelerate_command_of(profile, 0, {}), "rnnadvisor accelerate -- python3 -u train.py");
  profile.processes[0].command_line.clear();
  EXPECT_EQ(accelerate_command_of(profile, 0, {}), "rnnadvisor accelerate -- <program>");
  // A file may hold anything.
  profile.processes[0].parent_pid = 11;
  EXPECT_EQ(accelerate_command_of(profile, 0, {}), "rnnadvisor accelerate -- <program>");
  EXPECT_EQ(accelerate_command_of(Profile{}, 0, {}), "rnnadvisor accelerate -- <program>");
}

const Finding* find(const Judgement& judgement, std::string_view rule) {
  const auto found = std::find_if(judgement.findings.begin(), judgement.findings.end(),
                                  [&](const Finding& finding) { return finding.rule_id == rule; });
  return found == judgement.findings.end() ? nullptr : &*found;
}

TEST(Accelerating, TheFirstThingToDoIsTheCommand) {
  const auto& rules = builtin_rules();
  const auto profile = recorded();
  const auto judgement = judge(profile, rules);
  const auto* stack = find(judgement, "pytorch/split-stack");
  ASSERT_NE(stack, nullptr);
  ASSERT_GE(stack->suggestions.size(), 2u);
  const auto& first = stack->suggestions.front();
  EXPECT_THAT(first.text, StartsWith("Run `rnnadvisor accelerate -- torchrun train.py"));
  EXPECT_THAT(first.text, HasSubstr("persist_static"));
  EXPECT_TRUE(first.cannot.empty());
  EXPECT_EQ(changes_of(stack->suggestions[1]).front().kind, "split_layers");
}

TEST(Accelerating, IsNotOfferedWhereItWouldDoNothing) {
  const auto& rules = builtin_rules();
  auto profile = recorded();
  profile.configurations[0].program.cublas_workspace_set = true;
  for (const auto& finding : judge(profile, rules).findings) {
    for (const auto& suggestion : finding.suggestions)
      EXPECT_THAT(suggestion.text, Not(HasSubstr("accelerate"))) << finding.rule_id;
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
