#include "core/config/key_positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/read_config.h"

namespace rnnadvisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string place(const std::map<std::string, SourcePosition>& keys, const std::string& key) {
  const auto found = keys.find(key);
  if (found == keys.end()) return "none";
  return std::to_string(found->second.line) + ":" + std::to_string(found->second.column);
}

TEST(KeyPositions, OfTomlWithKeysAboveTheTables) {
  const std::string text =
      "seq_length = 512\n"
      "hidden_size = 1000\n"
      "[framework]\n"
      "  name = \"pytorch\"\n"
      "[[configuration]]\n"
      "id = \"a\"\n"
      "[[configuration]]\n"
      "id = \"b\"\n"
      "  hidden_size = 1001\n";
  const auto inputs = read_toml(text, "x.toml");
  ASSERT_TRUE(inputs);
  const auto first = key_positions(text, (*inputs)[0].position),
             second = key_positions(text, (*inputs)[1].position);
  EXPECT_EQ(place(first, "hidden_size"), "2:1");
  EXPECT_EQ(place(second, "hidden_size"), "9:3");
  EXPECT_EQ(place(second, "seq_length"), "1:1");
  EXPECT_EQ(place(second, "framework.name"), "4:3");
  EXPECT_EQ(place(second, "configuration"), "none");
}

TEST(KeyPositions, OfJsonLinesAndOfAList) {
  const std::string lines =
      "\n{\"id\": \"a \\\" hidden_size\", \"hidden_size\": 3}\n"
      "  {\"id\": \"\xc3\xa9\", \"framework\": {\"name\": \"jax\"}, \"seq_lengths\": [1, 2], "
      "\"batch_size\": 2}\n";
  const auto inputs = read_jsonl(lines, "x.jsonl");
  ASSERT_TRUE(inputs) << to_text(inputs.error().front());
  EXPECT_EQ(place(key_positions(lines, (*inputs)[0].position), "hidden_size"), "2:28");
  const auto second = key_positions(lines, (*inputs)[1].position);
  EXPECT_EQ(place(second, "framework.name"), "3:29");
  EXPECT_EQ(place(second, "seq_lengths"), "3:45");
  EXPECT_EQ(place(second, "batch_size"), "3:68");
  EXPECT_EQ(place(second, "hidden_size"), "none");
}

TEST(KeyPositions, OfWhatCannotBeRead) {
  EXPECT_THAT(key_positions("hidden_size = ", {"x.toml", 1, 1}), IsEmpty());
  EXPECT_THAT(key_positions("{\"a\": [", {"x.json", 9, 1}), IsEmpty());
  for (const char* text : {"", "{", "{\"", "{\"a", "{\"a\\", "}", "[[[", "{\"framework\": {\"name"})
    key_positions(text, {"x.jsonl", 1, 1});
}

}  // namespace
}  // namespace rnnadvisor
