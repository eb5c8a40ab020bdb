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

}  // namespace
}  // namespace rnnadvisor
