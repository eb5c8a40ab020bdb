// Models where a command takes a configuration file; docs/saved-models.md shows what is printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/cli/configurations.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string models = RNNADVISOR_SOURCE_DIR "/tests/data/saved_models/";

std::vector<std::string> findings(const std::string& file, const std::string& layer,
                                  std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"check", models + file, "--device", "a100", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const auto called = call(words);
  const auto report = nlohmann::json::parse(called.out, nullptr, false);
  EXPECT_FALSE(report.is_discarded()) << called.err;
  std::vector<std::string> rules;
  if (report.is_discarded()) return rules;
  for (const auto& finding : report["findings"]) {
    if (finding.dump().find(layer) != std::string::npos || layer.empty())
      rules.push_back(finding["rule"]);
  }
  return rules;
}

TEST(CheckOfAModel, JudgesEachLayerAsItsRuntimeCallsIt) {
  EXPECT_THAT(findings("gru_reset_before.onnx", ""), Contains("onnxruntime/linear-before-reset"));
  EXPECT_THAT(findings("lstm_layout.onnx", ""), Contains("onnxruntime/layout"));
  EXPECT_THAT(findings("rnn_activations.onnx", ""),
              AllOf(Contains("onnxruntime/activations"), Contains("onnxruntime/relu"),
                    Contains("onnxruntime/clip-attribute"), Contains("onnxruntime/input-forget")));
  EXPECT_THAT(findings("bidirectional.keras", ""), AllOf(Contains("keras/keras3-reset-after"),
                                                         Contains("keras/keras3-recurrent-dropout"),
                                                         Contains("keras/keras3-simple-rnn")));
  EXPECT_THAT(findings("lstm_external.onnx", ""), Not(Contains("onnxruntime/activations")));
  EXPECT_THAT(findings("torch_projection.safetensors", ""),
              Not(Contains("persistence/double-bias")));
}

TEST(CheckOfAModel, SaysWhatIsAssumedAndTakesItFromFlags) {
  const auto assumed = call({"check", models + "gru_reset_before.onnx", "--device", "a100"});
  EXPECT_THAT(assumed.err, HasSubstr("--batch-size 64 ('N' in the model)"));
  EXPECT_THAT(assumed.err, HasSubstr("--seq-length 128 ('T' in the model)"));
  const auto given = call({"check", models + "gru_reset_before.onnx", "--device", "a100",
                           "--batch-size", "32", "--seq-length", "50"});
  EXPECT_THAT(given.err, Not(HasSubstr("assumed")));
  ConfigurationOptions options;
  options.files = {models + "gru_reset_before.onnx"};
  options.flags = {{"batch_size", "32"}, {"data_type", "half"}};
  const auto inputs = read_configurations(options);
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->at(0).config.batch_size, 32);
  EXPECT_EQ(inputs->at(0).config.data_type, DataType::half);
  EXPECT_EQ(inputs->at(0).config.hidden_size, 16);
}

// Widths are not guessed: a layer without is left out, and a flag gives it one, not those that have
// theirs.
TEST(CheckOfAModel, AsksForWidths) {
  ConfigurationOptions options;
  options.files = {models + "nested.onnx"};
  std::vector<std::string> notes;
  options.note = [&](const std::string& text) { notes.push_back(text); };
  const auto without = read_configurations(options);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->size(), 3U);
  EXPECT_THAT(notes,
              Contains(AllOf(HasSubstr("function Wrapped/gru_inside"), HasSubstr("--input-size"))));
  options.flags = {{"input_size", "77"}};
  const auto with = read_configurations(options);
  ASSERT_TRUE(with);
  ASSERT_EQ(with->size(), 4U);
  int given = 0;
  for (const auto& each : *with) given += each.config.input_size == 77 ? 1 : 0;
  EXPECT_EQ(given, 1);
}

TEST(CheckOfAModel, WithoutLayersIsAnErrorThatSaysWhatThereIs) {
  const auto called = call({"check", models + "no_recurrence.safetensors", "--device", "a100"});
  EXPECT_EQ(called.status, 2);
  EXPECT_THAT(called.err, AllOf(HasSubstr("no recurrent layer"), HasSubstr("2 other tensors")));
}

TEST(FitAndMapOfAModel, TakeOneAsWell) {
  EXPECT_EQ(call({"fit", models + "lstm_external.onnx", "--device", "a100"}).status, 0);
  EXPECT_EQ(call({"map", models + "lstm_external.onnx", "--device", "a100"}).status, 0);
}

TEST(DocsOfSavedModels, ShowWhatThisProgramPrints) {
  std::istringstream page(read_text(RNNADVISOR_SOURCE_DIR "/docs/saved-models.md"));
  Called called;
  int commands = 0;
  bool block = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      block = !block;
      continue;
    }
    if (!block) continue;
    constexpr std::string_view prompt = "$ rnnadvisor ";
    if (line.starts_with(prompt)) {
      std::istringstream stream(line.substr(prompt.size()));
      std::vector<std::string> words;
      for (std::string word; stream >> word;)
        words.push_back(word.starts_with("tests/") ? RNNADVISOR_SOURCE_DIR "/" + word : word);
      called = call(words);
      ++commands;
      continue;
    }
    if (line.empty() || line == "…") continue;
    std::string printed = called.out + called.err;
    for (std::size_t at; (at = printed.find(RNNADVISOR_SOURCE_DIR "/")) != std::string::npos;)
      printed.erase(at, std::string_view(RNNADVISOR_SOURCE_DIR "/").size());
    EXPECT_THAT(printed, HasSubstr(line));
  }
  EXPECT_GE(commands, 3);
}

}  // namespace
}  // namespace rnnadvisor::cli
