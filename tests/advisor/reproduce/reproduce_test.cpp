// Every recorded configuration and call, and drawn ones, as programs: what they say of the call is
// read back from their text.
#include "advisor/reproduce/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

#include "advisor/samples/samples.h"
#include "core/config/validate.h"
#include "tests/advisor/properties/drawn_configurations.h"
#include "tests/advisor/reproduce/reproduced.h"
#include "tests/effort.h"

namespace rnnadvisor::advisor {
namespace {

using test::profile_of;
using test::value_of;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<int> numbers_of(std::string text) {
  for (char& c : text) c = c >= '0' && c <= '9' ? c : ' ';
  std::vector<int> numbers;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != text.npos;
       at = std::min(text.find(' ', at), text.size()))
    numbers.push_back(std::stoi(text.substr(at)));
  return numbers;
}

// Lower case, and without what cuDNN puts before and behind: "lstm" of "CUDNN_LSTM".
std::string word(std::string text, std::string_view prefix, std::string_view suffix = {}) {
  EXPECT_TRUE(text.starts_with(prefix) && text.ends_with(suffix)) << text;
  text = text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  return text;
}

void expect_same(const RnnConfig& c, const std::string& cpp) {
  EXPECT_EQ(word(value_of(cpp, "algo"), "CUDNN_RNN_ALGO_"), to_string(c.algo));
  EXPECT_EQ(word(value_of(cpp, "backward_algo"), "CUDNN_RNN_ALGO_"),
            to_string(c.algo_of(Phase::backward_data)));
  EXPECT_EQ(word(value_of(cpp, "data_type"), "CUDNN_DATA_"), to_string(c.data_type));
  EXPECT_EQ(word(value_of(cpp, "math_precision"), "CUDNN_DATA_"), to_string(c.math_precision));
  EXPECT_EQ(word(value_of(cpp, "layout"), "CUDNN_RNN_DATA_LAYOUT_"), to_string(c.layout));
  EXPECT_EQ(word(value_of(cpp, "bias_mode"), "CUDNN_RNN_"), to_string(c.bias_mode));
  EXPECT_EQ(word(value_of(cpp, "cell"), "CUDNN_"), to_string(c.cell));
  EXPECT_EQ(value_of(cpp, "input_size"), std::to_string(c.input_size));
  EXPECT_EQ(value_of(cpp, "hidden_size"), std::to_string(c.hidden_size));
  EXPECT_EQ(value_of(cpp, "proj_size"), std::to_string(c.proj_size));
  EXPECT_EQ(value_of(cpp, "num_layers"), std::to_string(c.num_layers));
  EXPECT_EQ(value_of(cpp, "batch_size"), std::to_string(c.batch_size));
  EXPECT_EQ(value_of(cpp, "seq_length"), std::to_string(c.seq_length));
  EXPECT_DOUBLE_EQ(std::stod(value_of(cpp, "dropout")), c.dropout);
  EXPECT_EQ(value_of(cpp, "dropout_seed"), std::to_string(c.dropout_seed) + "ULL");
  EXPECT_EQ(numbers_of(value_of(cpp, "lengths")), c.seq_lengths);
}

void expect_same_layer(const RnnConfig& c, const std::string& python) {
  EXPECT_EQ(value_of(python, "cell"), "\"" + std::string(to_string(c.cell)) + "\"");
  EXPECT_EQ(value_of(python, "data_type"), "\"" + std::string(to_string(c.data_type)) + "\"");
  EXPECT_EQ(value_of(python, "input_size"), std::to_string(c.input_size));
  EXPECT_EQ(value_of(python, "hidden_size"), std::to_string(c.hidden_size));
  EXPECT_EQ(value_of(python, "proj_size"), std::to_string(c.has_projection() ? c.proj_size : 0));
  EXPECT_EQ(value_of(python, "num_layers"), std::to_string(c.num_layers));
  EXPECT_EQ(value_of(python, "batch_size"), std::to_string(c.batch_size));
  EXPECT_EQ(value_of(python, "seq_length"), std::to_string(c.seq_length));
  EXPECT_EQ(value_of(python, "bidirectional"), c.directions() == 2 ? "True" : "False");
  EXPECT_EQ(value_of(python, "bias"), c.bias_mode == BiasMode::no_bias ? "False" : "True");
  EXPECT_EQ(value_of(python, "packed"), c.packed() ? "True" : "False");
  EXPECT_EQ(numbers_of(value_of(python, "seq_lengths")), c.seq_lengths);
}

// True of every program, whatever the call.
void expect_whole(const Reproduction& made, const RnnConfig& config) {
  ASSERT_EQ(made.files.size(), made.no_pytorch.empty() ? 2U : 1U);
  EXPECT_EQ(made.files[0].language, ReproductionLanguage::cpp);
  expect_same(config, made.files[0].text);
  EXPECT_THAT(made.files[0].text, Not(HasSubstr("// @")));
  if (made.files.size() == 1) {
    EXPECT_THAT(made.files[0].text, HasSubstr(made.no_pytorch));
    return;
  }
  expect_same_layer(config, made.files[1].text);
  EXPECT_THAT(made.files[1].text, Not(HasSubstr("# @")));
  EXPECT_EQ(config.input_mode, InputMode::linear_input);
  EXPECT_EQ(config.clip_mode, ClipMode::none);
  EXPECT_TRUE(config.bias_mode == BiasMode::double_bias || config.bias_mode == BiasMode::no_bias);
  EXPECT_TRUE(config.packed() || !config.has_varying_lengths());
  EXPECT_NE(config.algo, Algo::persist_dynamic);
}

TEST(Reproduce, EveryRecordedConfigurationAndTheFirstCallOfEachPhase) {
  int programs = 0, scripts = 0;
  for (const auto& sample : sample_profiles()) {
    const std::string name = "sample:" + std::string(without_ending(sample.name));
    SCOPED_TRACE(name);
    const auto profile = load_profile(name);
    ASSERT_TRUE(profile);
    for (std::size_t i = 0; i < profile->configurations.size(); ++i) {
      if (test::left_out(i, 8)) continue;
      const auto& configuration = profile->configurations[i];
      const auto made = reproduce(*profile, {.configuration = static_cast<int>(i)}, name);
      ASSERT_EQ(made.has_value(), configuration.described());
      if (!made) continue;
      expect_whole(*made, configuration.config);
      programs += 1;
      scripts += made->no_pytorch.empty() ? 1 : 0;
    }
    std::set<std::pair<int, Phase>> seen;
    for (std::size_t i = 0; i < profile->calls.size(); ++i) {
      const auto& call = profile->calls[i];
      if (seen.size() > 8 || !seen.insert({call.configuration, call.phase}).second) continue;
      const auto made = reproduce(*profile, {.call = static_cast<int>(i)}, name);
      ASSERT_TRUE(made);
      const auto& cpp = made->files[0].text;
      // The call is the last that is made, after the passes that it needs.
      const auto phases = value_of(cpp, "phases");
      EXPECT_TRUE(phases.ends_with(std::string(to_string(call.phase)) + "}")) << phases;
      EXPECT_EQ(phases.find("forward_training") != phases.npos,
                call.phase != Phase::forward_inference);
      EXPECT_THAT(value_of(cpp, "recorded_bytes"),
                  HasSubstr(std::to_string(call.weights_bytes) + ", " +
                            std::to_string(call.workspace_bytes)));
    }
  }
  EXPECT_GT(programs, test::sanitized() ? 50 : 400);
  EXPECT_GT(scripts, 20);
}

// Of a recorded configuration the phases that were recorded; of a call its own time, not that of
// others like it.
TEST(Reproduce, WhatWasRecordedIsMade) {
  auto profile = profile_of(RnnConfig{}, shipped_devices().front());
  RnnCall call;
  call.configuration = 0;
  call.phase = Phase::forward_training;
  for (const std::int64_t ns : {1'000'000, 2'000'000, 9'000'000}) {
    call.device_duration_ns = ns;
    profile.calls.push_back(call);
  }
  const auto all = reproduce(profile, {.configuration = 0}, "x.rnnprof");
  ASSERT_TRUE(all);
  EXPECT_EQ(value_of(all->files[0].text, "phases"), "{forward_training}");
  EXPECT_EQ(value_of(all->files[0].text, "recorded_ms"), "{0, 2, 0, 0}");
  const auto last = reproduce(profile, {.call = 2}, "x.rnnprof");
  ASSERT_TRUE(last);
  EXPECT_EQ(value_of(last->files[0].text, "recorded_ms"), "{0, 9, 0, 0}");
  profile.calls.clear();
  const auto none = reproduce(profile, {.configuration = 0}, "x.rnnprof");
  ASSERT_TRUE(none);
  EXPECT_THAT(value_of(none->files[0].text, "phases"), HasSubstr("backward_weights"));
}

// What PyTorch called is written for PyTorch, too: of the recorded programs all layers of one.
TEST(Reproduce, CallsThatPyTorchMadeHaveAScript) {
  int seen = 0;
  for (const auto& sample : sample_profiles()) {
    if (sample.name.find("pytorch-") == sample.name.npos) continue;
    const std::string name = "sample:" + std::string(without_ending(sample.name));
    const auto profile = load_profile(name);
    ASSERT_TRUE(profile);
    if (profile->calls.empty()) continue;
    const auto made = reproduce(*profile, {.call = 0}, name);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->no_pytorch, "") << name;
    ++seen;
  }
  EXPECT_GT(seen, 15);
}

TEST(Reproduce, DrawnConfigurations) {
  for (const auto& drawn :
       test::draw_configurations(1, static_cast<std::uint64_t>(test::draws()))) {
    SCOPED_TRACE(drawn.number);
    const auto made = reproduce(profile_of(drawn.input.config, *drawn.device), {.configuration = 0},
                                "drawn.rnnprof");
    ASSERT_TRUE(made);
    expect_whole(*made, drawn.input.config);
  }
}

// A call with arguments of its own: what it was not given is that of its forward pass.
TEST(Reproduce, ArgumentsOfACall) {
  RnnConfig config;
  config.layout = Layout::seq_major_packed;
  config.padded_io = false;
  config.batch_size = 3;
  config.seq_length = 9;
  auto profile = profile_of(config, shipped_devices().front());
  CallArguments forward, backward;
  forward.alignment[static_cast<std::size_t>(CallPointer::x)] = 4;
  forward.alignment[static_cast<std::size_t>(CallPointer::hx)] = 0;
  forward.seq_lengths = {9, 5, 2};
  backward.alignment[static_cast<std::size_t>(CallPointer::hx)] = 16;
  backward.seq_lengths = {9, 5, 2};
  profile.call_arguments = {forward, backward};
  RnnCall first, second;
  first.configuration = second.configuration = 0;
  first.arguments = 0;
  second.arguments = 1;
  second.phase = Phase::backward_data;
  second.forward = 0;
  second.status = 3000;
  second.reason = 0;
  second.device_duration_ns = 1500000;
  profile.strings = {"a \"condition\" with \\"};
  profile.calls = {first, second};
  const auto made = reproduce(profile, {.call = 1}, "x.rnnprof");
  ASSERT_TRUE(made);
  const auto& cpp = made->files[0].text;
  EXPECT_EQ(value_of(cpp, "phases"), "{forward_training, backward_data}");
  EXPECT_EQ(numbers_of(value_of(cpp, "lengths")), (std::vector<int>{9, 5, 2}));
  EXPECT_TRUE(value_of(cpp, "alignments").starts_with("{4, -1, 16, -1"));
  EXPECT_EQ(value_of(cpp, "recorded_status"), "3000");
  EXPECT_EQ(value_of(cpp, "recorded_ms"), "{0, 0, 1.5, 0}");
  EXPECT_EQ(value_of(cpp, "recorded_failure"), R"("status 3000: a \"condition\" with \\")");
}

// Texts of a profile that others made keep to the comment and the string in which they stand.
TEST(Reproduce, HostileTexts) {
  RnnConfig config;
  config.id = "a\nint main() {}\\\u2028\r\\";
  auto profile = profile_of(config, shipped_devices().front());
  profile.environment.cudnn_version = "9\nimport os\\";
  profile.configurations[0].stages.push_back(
      {model::Stage::temp_space, true, 3000, "X\"; system(\"x\"); \"\\", "\\\n\""});
  const auto made = reproduce(profile, {.configuration = 0}, "p\nq\\");
  ASSERT_TRUE(made);
  ASSERT_EQ(made->files.size(), 2U);
  for (const auto& file : made->files) {
    const bool cpp = file.language == ReproductionLanguage::cpp;
    std::istringstream lines(file.text);
    for (std::string line;
         std::getline(lines, line) && !line.empty() && line != "import statistics";) {
      if (line.starts_with("#include")) break;
      EXPECT_TRUE(line.starts_with(cpp ? "//" : "#")) << line;
      EXPECT_NE(line.back(), '\\') << line;
    }
    EXPECT_THAT(value_of(file.text, "recorded_failure"), Not(HasSubstr("\n")));
    EXPECT_THAT(value_of(file.text, "recorded_failure"), HasSubstr(R"(X\"; system(\"x)"));
  }
}

// Its weights are counted in 32 bits: running it would write outside of its buffers.
TEST(Reproduce, WrappedSizesAreAskedForAndNotRun) {
  RnnConfig config;
  config.hidden_size = config.proj_size = config.input_size = 32768;
  const auto made =
      reproduce(profile_of(config, shipped_devices().front()), {.configuration = 0}, "x");
  ASSERT_TRUE(made);
  EXPECT_EQ(value_of(made->files[0].text, "phases"), "{}");
  EXPECT_EQ(made->files.size(), 1U);
}

TEST(Reproduce, NumbersThatAreNotThere) {
  const auto profile = profile_of({}, shipped_devices().front());
  for (const WhatToReproduce& what :
       {WhatToReproduce{.call = 0}, WhatToReproduce{.configuration = 1}, WhatToReproduce{}}) {
    const auto made = reproduce(profile, what, "x");
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::invalid_argument);
  }
  auto native = profile;
  native.configurations[0].origin = Origin::kernels;
  EXPECT_EQ(reproduce(native, {.configuration = 0}, "x").error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace rnnadvisor::advisor
