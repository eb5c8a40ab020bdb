// A look over TOML text before it is parsed, for what toml++ 3.3 does not survive. Each of these
// ends the process, or is undefined behaviour, where an error is due:
//
// - a deeply nested text: the parser builds one table per part of a dotted key and frees them
//   recursively, which a hundred thousand parts take beyond the stack;
// - a table header without a key, `[=]`: it asserts that a key follows;
// - a } where a value of an array is due, `[1, }`: it asserts that a value begins;
// - words that resemble numbers, dates or times, `2000-01-01 1 ` or `2000-01-01ta:`: it asserts on
//   the way to telling them apart, so that only words of TOML's grammar reach it;
// - a character that is not ASCII where it looks for white space: its table of white space has
//   holes. In TOML 1.0 such characters stand in strings and comments only. The one legal place
//   that is refused here is the first character after a line-ending backslash.
//
// Follows strings, comments and brackets exactly up to the first error of syntax, past which the
// parser does not read either.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace rnnadvisor::toml_text {

// [ and { within each other; a configuration needs 4.
inline constexpr std::size_t deepest_brackets = 16;
// Parts of one dotted key; a configuration needs 2.
inline constexpr int longest_key = 16;
// Characters of a number; the parser itself gives up at 127.
inline constexpr std::size_t longest_word = 120;

struct Obstacle {
  std::size_t offset = 0;  // of the byte at which it shows
  std::string_view message, remedy;
};

// The first one in a text without a byte order mark. Message and remedy live for ever.
std::optional<Obstacle> find_obstacle(std::string_view text);

}  // namespace rnnadvisor::toml_text
