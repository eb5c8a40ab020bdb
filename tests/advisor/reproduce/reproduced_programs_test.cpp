// The written programs themselves: compiled without a warning, and what cuDNN answers of the
// descriptors that they set, which needs no GPU. A few of all, others at every run.
#include <cudnn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>

#include "advisor/reproduce/reproduce.h"
#include "advisor/samples/samples.h"
#include "core/config/validate.h"
#include "tests/advisor/properties/drawn_configurations.h"
#include "tests/advisor/reproduce/reproduced.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::advisor {
namespace {

const std::string template_cpp = RNNADVISOR_SOURCE_DIR "/advisor/reproduce/call.cpp.in";

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Programs : public ::testing::Test {
 protected:
  // The exit status; what it printed is in printed_.
  int run(const std::string& command) {
    const std::string log = folder_ / "log";
    const int status = std::system((command + " > " + log + " 2>&1").c_str());
    printed_ = content(log);
    return status == -1 || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
  }

  std::string compile(const std::string& source, const std::string& how) {
    std::string command = "g++ -std=c++17 -Wall -Wextra -Werror " + how;
    std::stringstream folders(RNNADVISOR_CUDA_INCLUDE ";" RNNADVISOR_CUDNN_INCLUDE);
    for (std::string each; std::getline(folders, each, ';');) command += " -isystem " + each;
    return command + " -x c++ " + source + " -x none";
  }

  // The program with the stand-ins for CUDA and cuDNN.
  std::string build_with_standins(const std::string& text, const std::string& name) {
    const std::string source = folder_ / (name + ".cpp"), program = folder_ / name;
    std::ofstream(source) << text;
    EXPECT_EQ(run(compile(source, "-O0 -o " + program) +
                  " -Wl,--allow-shlib-undefined " RNNADVISOR_STANDINS),
              0)
        << printed_;
    return program;
  }

  // The program as an executable; empty where this machine has no library to link.
  std::string build(const std::string& text, const std::string& name) {
    const std::string source = folder_ / (name + ".cpp"), program = folder_ / name;
    std::ofstream(source) << text;
    std::string libraries;
    std::stringstream folders(RNNADVISOR_LIBRARY_FOLDERS);
    for (std::string each; std::getline(folders, each, ':');)
      libraries += " -L" + each + " -Wl,-rpath," + each;
    const int status = run(compile(source, "-O0 -o " + program) + libraries + " -lcudnn -lcudart");
    const bool missing = printed_.find("cannot find -l") != std::string::npos;
    EXPECT_TRUE(status == 0 || missing) << printed_;
    return status == 0 ? program : std::string();
  }

  void expect_described(const RnnConfig& c, const std::string& program) {
    ASSERT_EQ(run(program + " --describe"), 0) << printed_ << summary(c);
    std::map<std::string, std::string> said;
    std::stringstream lines(printed_);
    for (std::string line; std::getline(lines, line);)
      said[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
    const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
    const auto pick = [&](const auto& values, auto ours) {
      return number(values[static_cast<std::size_t>(ours)]);
    };
    constexpr std::array types = {CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF,
                                  CUDNN_DATA_BFLOAT16};
    constexpr std::array maths = {CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH,
                                  CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, CUDNN_FMA_MATH};
    constexpr std::array cells = {CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM, CUDNN_GRU};
    constexpr std::array algos = {CUDNN_RNN_ALGO_STANDARD, CUDNN_RNN_ALGO_PERSIST_STATIC,
                                  CUDNN_RNN_ALGO_PERSIST_DYNAMIC,
                                  CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H};
    constexpr std::array biases = {CUDNN_RNN_NO_BIAS, CUDNN_RNN_SINGLE_INP_BIAS,
                                   CUDNN_RNN_DOUBLE_BIAS, CUDNN_RNN_SINGLE_REC_BIAS};
    constexpr std::array layouts = {CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                                    CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                                    CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED};
    std::string lengths;
    for (int b = 0; b < c.batch_size; ++b)
      lengths += (b == 0 ? "" : " ") +
                 std::to_string(c.seq_lengths.empty() ? c.seq_length
                                                      : c.seq_lengths[static_cast<std::size_t>(b)]);
    const bool two = c.direction == Direction::bidirectional;
    const std::map<std::string, std::string> expected = {
        {"algo", pick(algos, c.algo)},
        {"cell", pick(cells, c.cell)},
        {"bias_mode", pick(biases, c.bias_mode)},
        {"direction", number(two ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL)},
        {"input_mode",
         number(c.input_mode == InputMode::skip_input ? CUDNN_SKIP_INPUT : CUDNN_LINEAR_INPUT)},
        {"data_type", pick(types, c.data_type)},
        {"math_precision", pick(types, c.math_precision)},
        {"math_type", pick(maths, c.math_type)},
        {"input_size", std::to_string(c.input_size)},
        {"hidden_size", std::to_string(c.hidden_size)},
        {"proj_size", std::to_string(c.proj_size)},
        {"num_layers", std::to_string(c.num_layers)},
        {"aux_flags", number(c.padded_io ? CUDNN_RNN_PADDED_IO_ENABLED : 0U)},
        {"layout", pick(layouts, c.layout)},
        {"seq_length", std::to_string(c.seq_length)},
        {"batch_size", std::to_string(c.batch_size)},
        {"seq_lengths", lengths}};
    EXPECT_EQ(said, expected);
  }

  TemporaryFolder folder_;
  std::string printed_;
  std::random_device dice_;
};

// As they stand in the tree they are programs, too.
TEST_F(Programs, TheTemplatesCompile) {
  EXPECT_EQ(run(compile(template_cpp, "-fsyntax-only")), 0) << printed_;
  const std::string python = RNNADVISOR_PYTHON;
  if (python.empty()) GTEST_SKIP() << "no Python";
  EXPECT_EQ(run("PYTHONPYCACHEPREFIX=" + folder_.path().string() + " " + python +
                " -m py_compile " + RNNADVISOR_SOURCE_DIR "/advisor/reproduce/call.py.in"),
            0)
      << printed_;
}

TEST_F(Programs, ARecordedCallIsDescribedAsItWas) {
  const auto samples = sample_profiles();
  const auto name = "sample:" + std::string(without_ending(samples[dice_() % samples.size()].name));
  const auto profile = load_profile(name);
  ASSERT_TRUE(profile);
  const auto at = static_cast<int>(dice_() % profile->configurations.size());
  SCOPED_TRACE(name + " configuration " + std::to_string(at));
  const auto made = reproduce(*profile, {.configuration = at}, name);
  if (!made) GTEST_SKIP() << made.error().message;
  const auto& configuration = profile->configurations[static_cast<std::size_t>(at)];
  const auto program = build(made->files[0].text, "recorded");
  if (program.empty()) GTEST_SKIP() << "NEEDS libcudnn, NOT RUN";
  const auto* described = configuration.stage(model::Stage::set_descriptor);
  if (described == nullptr || described->status == 0) {
    expect_described(configuration.config, program);
  } else {
    EXPECT_EQ(run(program + " --describe"), 1);
    EXPECT_NE(printed_.find("recorded: " + described->status_name), std::string::npos) << printed_;
  }
  const std::string python = RNNADVISOR_PYTHON;
  if (python.empty() || made->files.size() < 2) return;
  const std::string script = folder_ / "call.py";
  std::ofstream(script) << made->files[1].text;
  EXPECT_EQ(run(python + " -m py_compile " + script), 0) << printed_;
}

// What cuDNN refuses by its documents is printed with its status and reason, also where it was
// recorded by another name.
TEST_F(Programs, ARefusedDescriptorIsPrintedWithItsReason) {
  RnnConfig config;
  config.data_type = config.math_precision = DataType::float64;
  config.algo = Algo::persist_static;
  auto profile = test::profile_of(config, shipped_devices().front());
  profile.configurations[0].stages.push_back({model::Stage::set_descriptor, true, 3000,
                                              "CUDNN_STATUS_NOT_SUPPORTED", "algo == persistent"});
  const auto made = reproduce(profile, {.configuration = 0}, "x.rnnprof");
  ASSERT_TRUE(made);
  const auto program = build(made->files[0].text, "refused");
  if (program.empty()) GTEST_SKIP() << "NEEDS libcudnn, NOT RUN";
  EXPECT_EQ(run(program + " --describe"), 1);
  EXPECT_THAT(printed_, ::testing::HasSubstr("from cudnnSetRNNDescriptor_v8"));
  EXPECT_THAT(printed_, ::testing::HasSubstr("Reason: "));
#if CUDNN_MAJOR >= 9
  EXPECT_THAT(printed_, ::testing::HasSubstr("the same status"));
#endif
}

// From sizes to the check of all results, where a stand-in computes: it leaves what a backward pass
// writes as it is where the passes before it did not run in order, and rows of padding.
TEST_F(Programs, CallsRunToTheirEnd) {
  RnnConfig packed;
  packed.cell = Cell::gru;
  packed.data_type = DataType::half;
  packed.direction = Direction::bidirectional;
  packed.layout = Layout::seq_major_packed;
  packed.padded_io = false;
  packed.input_size = 6;
  packed.hidden_size = packed.proj_size = 8;
  packed.num_layers = 2;
  packed.seq_length = 5;
  packed.batch_size = 3;
  packed.seq_lengths = {5, 3, 1};
  RnnConfig padded = packed;
  padded.cell = Cell::lstm;
  padded.data_type = padded.math_precision = DataType::float64;
  padded.direction = Direction::unidirectional;
  padded.layout = Layout::batch_major_unpacked;
  padded.padded_io = true;
  padded.proj_size = 4;
  padded.seq_lengths = {2, 5, 4};
  for (const auto& config : {packed, padded}) {
    auto profile = test::profile_of(config, shipped_devices().front());
    CallArguments arguments;
    arguments.alignment[static_cast<std::size_t>(CallPointer::x)] = 8;
    arguments.alignment[static_cast<std::size_t>(CallPointer::seq_lengths)] = 64;
    profile.call_arguments = {arguments};
    RnnCall call;
    call.configuration = call.arguments = 0;
    call.phase = Phase::backward_weights;
    call.device_duration_ns = 2500000;
    profile.calls = {call};
    const auto made = reproduce(profile, {.call = 0}, "x.rnnprof");
    ASSERT_TRUE(made);
    const auto program = build_with_standins(made->files[0].text, "runs");
    EXPECT_EQ(run(program + " 5"), 0) << printed_;
    for (const char* phase :
         {"forward_training: median ", "backward_data: median ", "backward_weights: median ",
          "(5 repeats); recorded 2.5000 ms", "results finite"})
      EXPECT_THAT(printed_, ::testing::HasSubstr(phase));
    if (config.packed()) continue;
    // Without the pass before it the last one has nothing to add to, and dx stays poisoned.
    auto wrong = made->files[0].text;
    const std::string phases = "{forward_training, backward_data, backward_weights}";
    wrong.replace(wrong.find(phases), phases.size(), "{forward_training, backward_weights}");
    EXPECT_EQ(run(build_with_standins(wrong, "wrong") + " 5"), 1) << printed_;
    EXPECT_THAT(printed_, ::testing::HasSubstr("dx has elements that were not written"));
  }
}

TEST_F(Programs, ADrawnValidCallIsDescribed) {
  for (const auto& drawn : test::draw_configurations(dice_(), 100)) {
    const auto& config = drawn.input.config;
    if (rejected_by_set_descriptor(config)) continue;
    SCOPED_TRACE(drawn.number);
    const auto made =
        reproduce(test::profile_of(config, *drawn.device), {.configuration = 0}, "drawn.rnnprof");
    ASSERT_TRUE(made);
    const auto program = build(made->files[0].text, "drawn");
    if (program.empty()) GTEST_SKIP() << "NEEDS libcudnn, NOT RUN";
    expect_described(config, program);
    return;
  }
  FAIL() << "no valid configuration in 100";
}

}  // namespace
}  // namespace rnnadvisor::advisor
