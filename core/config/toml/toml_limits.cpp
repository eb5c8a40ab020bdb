#include "core/config/toml/toml_limits.h"

#include <algorithm>

namespace rnnadvisor::toml_text {
namespace {

// The offset behind the string that begins at `at` with a quote of either kind, one or three of
// them.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool escapes = quote == '"';
  const std::string_view rest = text.substr(at);
  const bool triple = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
  for (std::size_t i = at + (triple ? 3 : 1); i < text.size(); ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (!triple && (text[i] == quote || text[i] == '\n')) {
      return i + 1;  // a line break ends it too, as an error of syntax
    } else if (triple && text.substr(i, 3) == std::string_view(rest.data(), 3)) {
      // Up to two quotes may stand directly before the closing three.
      std::size_t end = i + 3;
      for (int more = 0; more < 2 && end < text.size() && text[end] == quote; ++more) ++end;
      return end;
    }
  }
  return text.size();
}

}  // namespace

std::optional<std::size_t> find_too_deep(std::string_view text) {
  int brackets = 0;
  int dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    switch (text[i]) {
      case '"':
      case '\'':
        i = end_of_string(text, i);
        continue;
      case '#':
        i = std::min(text.find('\n', i), text.size());
        continue;
      case '[':
      case '{':
        if (++brackets > deepest_brackets) return i;
        dots = 0;
        break;
      case ']':
      case '}':
        brackets = std::max(brackets - 1, 0);
        dots = 0;
        break;
      case '.':
        if (++dots >= longest_key) return i;
        break;
      case '\n':
      case ',':
      case '=':
        dots = 0;
        break;
      default:
        break;
    }
    ++i;
  }
  return std::nullopt;
}

}  // namespace rnnadvisor::toml_text
