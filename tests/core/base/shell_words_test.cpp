#include "core/base/shell_words.h"

#include <gtest/gtest.h>

#include <vector>

namespace rnnadvisor {
namespace {

TEST(ShellWords, AreQuotedOnlyWhereTheyMustBe) {
  EXPECT_EQ(shell_word("train.py"), "train.py");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(fish_word("it's \\n"), "'it\\'s \\\\n'");
  const std::vector<std::string> words = {"python", "-c", "print(1)"};
  EXPECT_EQ(shell_words(words), "python -c 'print(1)'");
}

TEST(ShellWords, AreReadBackEqual) {
  EXPECT_EQ(shell_words(std::vector<std::string>{"python3", "-m", "a b", "it's", "", "x=1"}),
            "python3 -m 'a b' 'it'\\''s' '' x=1");
  EXPECT_EQ(shell_words(std::vector<std::string>{"$(rm -rf /)", "*"}), "'$(rm -rf /)' '*'");
  EXPECT_EQ(shell_words({}), "");
}

using Words = std::vector<std::string>;

// As `printf '%s\n' …` of dash and bash tells them.
TEST(ShellWords, AreSplitAsAShellSplitsThem) {
  EXPECT_EQ(split_words("python train.py  --steps 20\t"),
            (Words{"python", "train.py", "--steps", "20"}));
  EXPECT_EQ(split_words("python -c 'print(\"a b\")'"), (Words{"python", "-c", "print(\"a b\")"}));
  EXPECT_EQ(split_words("a\\ b \"c d\"e'f g'"), (Words{"a b", "c def g"}));
  EXPECT_EQ(split_words("'' \"\""), (Words{"", ""}));
  EXPECT_EQ(split_words("\"a\\\"b\\n\""), (Words{"a\"b\\n"}));
  EXPECT_EQ(split_words("'a\\'"), (Words{"a\\"}));
  EXPECT_EQ(split_words("  "), Words{});
  EXPECT_EQ(split_words("$HOME *"), (Words{"$HOME", "*"}));
}

TEST(ShellWords, WhatCannotBeSplitIsReported) {
  for (const char* line :
       {"a 'b", "a \"b", "a\\", "a | b", "a > f", "a; b", "a & b", "$(a)", "`a`"})
    EXPECT_FALSE(split_words(line).has_value()) << line;
  EXPECT_TRUE(split_words("a '|' \";\" \\&").has_value());
}

TEST(ShellWords, AreSplitIntoWhatWasQuoted) {
  const Words words = {"it's", "", "a b", "$x \"y\" \\", "|&;<>()`", "x=1", "tab\there"};
  EXPECT_EQ(split_words(shell_words(words)), words);
}

}  // namespace
}  // namespace rnnadvisor
