// docs/configuration.md names what the program knows: every key, every spelling, every constraint.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>

#include "core/config/fields.h"
#include "core/config/key_scope.h"
#include "core/config/read_config.h"
#include "core/config/validate.h"

namespace rnnadvisor {
namespace {

std::string page() {
  std::ifstream in(std::string(RNNADVISOR_SOURCE_DIR) + "/docs/configuration.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_word(const std::string& text, std::string_view word) {
  EXPECT_NE(text.find("`" + std::string(word) + "`"), std::string::npos)
      << word << " is not in docs/configuration.md";
}

template <class T>
void expect_spellings(const std::string& text) {
  if constexpr (std::is_enum_v<T>) {
    for (const auto spelling : Spellings<T>::values) expect_word(text, spelling);
  } else if constexpr (requires { typename T::value_type; }) {
    if constexpr (std::is_same_v<T, std::optional<typename T::value_type>>) {
      expect_spellings<typename T::value_type>(text);
    }
  }
}

template <class Table, class T>
void expect_spellings_of(const std::string& text, T Table::*) {
  expect_spellings<T>(text);
}

TEST(ConfigurationPage, NamesEveryKeyAndSpelling) {
  const std::string text = page();
  visit_config_fields([&](std::string_view key, auto member, std::string_view) {
    EXPECT_NE(text.find("\n| `" + std::string(key) + "` |"), std::string::npos)
        << key << " has no row of its own";
    expect_spellings_of(text, member);
  });
  visit_context_fields([&](std::string_view key, auto member, std::string_view meaning) {
    expect_word(text, key);
    const auto row = " | " + meaning_with_scope(key, meaning) + " |\n";
    EXPECT_NE(text.find(row), std::string::npos) << key << row;
    expect_spellings_of(text, member);
  });
}

TEST(ConfigurationPage, NamesEveryConstraint) {
  const std::string text = page();
  for (const auto& info : documented_constraints()) {
    EXPECT_NE(text.find("| `" + std::string(info.id) + "` | " + std::string(info.title) + " |"),
              std::string::npos)
        << info.id << ": " << info.title;
  }
}

// The examples of the page are what people copy: they must read.
TEST(ConfigurationPage, ExamplesRead) {
  const std::string text = page();
  int examples = 0;
  for (const std::string language : {"toml", "jsonl"}) {
    const std::string fence = "```" + language + "\n";
    for (auto at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
      const auto begin = at + fence.size();
      const std::string example = text.substr(begin, text.find("```", begin) - begin);
      const auto inputs =
          language == "toml" ? read_toml(example, "example") : read_jsonl(example, "example");
      ASSERT_TRUE(inputs) << example << to_text(inputs.error().front());
      for (const auto& input : *inputs) EXPECT_TRUE(validate(input.config).empty()) << example;
      ++examples;
    }
  }
  EXPECT_GE(examples, 3);
}

}  // namespace
}  // namespace rnnadvisor
