#include "core/base/shell_words.h"

#include <utility>

namespace rnnadvisor {
namespace {

constexpr std::string_view plain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,/:@%";

bool needs_no_quotes(std::string_view word) {
  return !word.empty() && word.find_first_not_of(plain) == std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (needs_no_quotes(word)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string fish_word(std::string_view word) {
  if (needs_no_quotes(word)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string shell_words(std::span<const std::string> words) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_word(word);
  }
  return line;
}

Result<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\'') {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
      continue;
    }
    if (c == '\\') {
      if (++i == line.size())
        return fail(ErrorCode::invalid_argument, "the line ends with a backslash",
                    "write it twice where one is meant");
      // Between double quotes it stands for itself but before these.
      if (quote == '"' && std::string_view("\"\\$`").find(line[i]) == std::string_view::npos)
        word += c;
      word += line[i];
      begun = true;
    } else if (c == quote) {
      quote = 0;
    } else if (quote != 0) {
      word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      begun = true;  // '' is a word
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (begun) words.push_back(std::exchange(word, {}));
      begun = false;
    } else if (std::string_view("|&;<>()`").find(c) != std::string_view::npos) {
      return fail(ErrorCode::invalid_argument,
                  std::string("'") + c + "' is for a shell, and none reads this line",
                  "put it in quotes, or run a shell: sh -c '…'");
    } else {
      word += c;
      begun = true;
    }
  }
  if (quote != 0)
    return fail(ErrorCode::invalid_argument, std::string("a quote is not closed: ") + quote,
                "close it, or put a backslash before it where the character itself is meant");
  if (begun) words.push_back(std::move(word));
  return words;
}

}  // namespace rnnadvisor
