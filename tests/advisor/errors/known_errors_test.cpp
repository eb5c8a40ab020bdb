// Errors are recognized by their texts: those in texts/ are of real programs, without folders of
// the machine; pytorch/ and h200/ are what tests/gpu/errors/raise_errors.py raised.
#include "advisor/errors/known_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "advisor/rules/rule.h"
#include "tests/effort.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path texts = RNNADVISOR_SOURCE_DIR "/tests/advisor/errors/texts";

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> ids(std::string_view text) {
  std::vector<std::string> found;
  for (const auto& each : explain_errors(text)) found.push_back(each.error->id);
  return found;
}

TEST(KnownErrors, TheTableIsRead) {
  const auto read = read_known_errors(
      read_file(RNNADVISOR_SOURCE_DIR "/advisor/errors/known_errors.toml"), "known_errors.toml");
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_GE(read->size(), 40U);
  EXPECT_EQ(known_errors().size(), read->size());
}

// A file is named by the error that it ends with; what else stands in it is no other's first.
TEST(KnownErrors, EachIsRecognizedInRealTexts) {
  std::set<std::string> met;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(texts)) {
    if (entry.path().extension() != ".txt") continue;
    const std::string id = entry.path().stem().string();
    const auto found = explain_errors(read_file(entry.path().string()));
    ASSERT_FALSE(found.empty()) << entry.path();
    EXPECT_EQ(found.front().error->id, id.substr(0, id.find('.'))) << entry.path();
    for (const auto& each : found) {
      for (const auto& [name, value] : each.values)
        EXPECT_EQ(each.cause.find("{" + name + "}"), std::string::npos) << each.cause;
      EXPECT_EQ(each.cause.find("?"), std::string::npos) << each.cause;
    }
    met.insert(found.front().error->id);
  }
  for (const auto& error : known_errors())
    EXPECT_TRUE(met.contains(error.id)) << error.id << " has no text in " << texts;
}

TEST(KnownErrors, NameRulesThatExist) {
  const RuleSet& rules = builtin_rules();
  for (const auto& error : known_errors())
    EXPECT_TRUE(error.rule.empty() || rules.find(error.rule) != nullptr)
        << error.id << ": " << error.rule;
}

TEST(KnownErrors, ValuesComeFromTheLine) {
  const auto found = explain_errors(
      "Traceback (most recent call last):\n"
      "RuntimeError: input.size(-1) must be equal to input_size. Expected 10, got 12\r\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line, 2);
  EXPECT_EQ(found[0].values.at("expected"), "10");
  EXPECT_EQ(found[0].values.at("got"), "12");
  EXPECT_THAT(found[0].fixes.front(), HasSubstr("input_size=12"));
}

TEST(KnownErrors, TensorFlowsLayerIsJudgedByACommand) {
  const auto found = explain_errors(read_file((texts / "tensorflow-rnn-call.txt").string()));
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found[0].fixes.front(),
              HasSubstr("rnnadvisor check --framework tensorflow --cell lstm --num-layers 1 "
                        "--input-size 600 --hidden-size 150 --seq-length 80 --batch-size 16384"));
}

// The last occurrence counts, and errors come before warnings.
TEST(KnownErrors, WhatAProgramEndedWithComesFirst) {
  const std::string warning =
      "UserWarning: RNN module weights are not part of single contiguous chunk of memory.\n";
  const std::string error =
      "RuntimeError: cudnn RNN backward can only be called in training mode\n";
  EXPECT_THAT(ids(error + warning), ElementsAre("backward-in-eval", "weights-not-flat"));
  const auto twice = explain_errors(
      "Expected hidden[0] size (1, 3, 20), got [1, 2, 20]\n"
      "Expected hidden[0] size (1, 5, 20), got [1, 4, 20]\n");
  ASSERT_EQ(twice.size(), 1U);
  EXPECT_EQ(twice[0].values.at("expected"), "(1, 5, 20)");
  EXPECT_EQ(twice[0].line, 2);
}

TEST(KnownErrors, VersionsAreReadWhole) {
  const auto found = explain_errors(read_file((texts / "cudnn-version-mismatch.old.txt").string()));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].values.at("loaded"), "7.5.1");
  EXPECT_EQ(found[0].values.at("built"), "7.6.5");
}

// The same words elsewhere are another error.
TEST(KnownErrors, SomeNeedTheirPlace) {
  const std::string tuple = "AttributeError: 'tuple' object has no attribute 'size'\n";
  EXPECT_TRUE(ids("  File \"torchsummary.py\", line 23, in hook\n" + tuple).empty());
  EXPECT_THAT(ids("  File \"torch/nn/modules/rnn.py\", line 700, in forward\n" + tuple),
              ElementsAre("state-is-a-tuple"));
}

// Only what stands in the traceback of the error counts, and in those that it follows from.
TEST(KnownErrors, WhatAnErrorNeedsStandsInItsTraceback) {
  const std::string head = "Traceback (most recent call last):\n";
  const std::string layer = "  File \"torch/nn/modules/rnn.py\", line 700, in forward\n";
  const std::string other = "  File \"torchsummary.py\", line 23, in hook\n";
  const std::string tuple = "AttributeError: 'tuple' object has no attribute 'size'\n";
  const std::string joint =
      "\nDuring handling of the above exception, another exception occurred:\n\n";
  EXPECT_TRUE(ids(head + layer + "KeyError: 1\n" + head + other + tuple).empty());
  EXPECT_TRUE(ids(head + other + tuple + head + layer + "KeyError: 1\n").empty());
  EXPECT_THAT(ids(head + layer + "KeyError: 1\n" + joint + head + other + tuple),
              ElementsAre("state-is-a-tuple"));
  // An earlier one that has its place counts where the last has not.
  EXPECT_THAT(ids(head + layer + tuple + head + other + tuple), ElementsAre("state-is-a-tuple"));
  EXPECT_TRUE(ids(head + "  File \"journal.py\", line 2, in learn\n"
                         "RuntimeError: stack expects a non-empty TensorList\n")
                  .empty());
}

// A status that does not say so is one of memory only where the log does.
TEST(KnownErrors, MemoryInDisguiseNeedsALogThatSaysSo) {
  const std::string status = "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\n";
  EXPECT_THAT(ids(status), ElementsAre("cudnn-execution-failed"));
  EXPECT_THAT(ids("CUDA_ERROR_OUT_OF_MEMORY\n" + status),
              ElementsAre("cudnn-memory-in-disguise", "cudnn-execution-failed"));
}

TEST(KnownErrors, NothingIsFoundInWhatIsNoError) {
  EXPECT_TRUE(ids("").empty());
  EXPECT_TRUE(ids("epoch 3, loss 0.21, cudnn 9.19\nTraining finished.\n").empty());
  EXPECT_TRUE(ids(read_file(RNNADVISOR_SOURCE_DIR "/README.md")).empty());
}

// Pieces of known texts in any order, cut anywhere, with bytes that are no text: an answer is
// always a known one, its line stands in the text, and no name stays open.
TEST(KnownErrors, AnyTextHasAnAnswer) {
  std::mt19937 random(20);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const auto all = known_errors();
  for (int i = 0; i < 4000; ++i) {
    if (test::left_out(static_cast<std::size_t>(i), 10)) continue;
    std::string text;
    for (std::size_t pieces = below(6); pieces-- > 0;) {
      const auto& patterns = all[below(all.size())].patterns;
      std::string piece = patterns[below(patterns.size())];
      for (auto open = piece.find('{'); open != std::string::npos; open = piece.find('{')) {
        const auto close = piece.find('}', open);
        if (close == std::string::npos) break;
        piece.replace(open, close - open + 1,
                      std::string(below(400), static_cast<char>(below(256))));
      }
      text += piece.substr(0, piece.size() - (i % 3 == 0 ? below(piece.size()) : 0));
      text += below(2) == 0 ? "\n" : " ";
    }
    const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    for (const auto& each : explain_errors(text)) {
      ASSERT_GE(each.line, 1);
      ASSERT_LE(each.line, lines + 1);
      ASSERT_FALSE(each.cause.empty());
      ASSERT_EQ(each.cause.find('\n'), std::string::npos);
    }
  }
}

TEST(KnownErrors, MistakesInATableHaveAPlace) {
  const auto error = [](const std::string& rest) {
    const auto read = read_known_errors("[[error]]\nid = \"a\"\n" + rest, "my.toml");
    return read ? std::string() : to_text(read.error());
  };
  const std::string good =
      "title = \"t\"\nframeworks = [\"jax\"]\nmatch = [\"it failed at {place}\"]\n"
      "cause = \"at {place}\"\nfix = [\"f\"]\nsource = \"https://example.org\"\n";
  EXPECT_EQ(error(good), "");
  EXPECT_THAT(error(good + "[[error]]\nid = \"a\"\n" + good), HasSubstr("stands twice"));
  EXPECT_THAT(error(good + "tilte = \"x\"\n"), HasSubstr("did you mean 'title'"));
  EXPECT_THAT(error("title = \"t\"\n"), HasSubstr("my.toml:1"));
  EXPECT_THAT(
      error("title = \"t\"\nframeworks = [\"jax\"]\nmatch = [\"it failed\"]\ncause = \"{x}\"\n"
            "fix = [\"f\"]\nsource = \"s\"\n"),
      HasSubstr("keeps no {x}"));
  EXPECT_THAT(
      error("title = \"t\"\nframeworks = [\"jaxx\"]\nmatch = [\"it failed\"]\ncause = \"c\"\n"
            "fix = [\"f\"]\nsource = \"s\"\n"),
      HasSubstr("no framework"));
  EXPECT_THAT(error(good + "needs = \"rnn.py\"\n"), HasSubstr("list of texts"));
  EXPECT_THAT(error(good + "log = []\n"), HasSubstr("list of texts"));
}

}  // namespace
}  // namespace rnnadvisor::advisor
