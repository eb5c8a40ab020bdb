// A look over TOML text before it is parsed: the parser builds one nested table per part of a
// dotted key and frees them recursively, so that a hostile key of a hundred thousand parts would
// end the process on its stack.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace rnnadvisor::toml_text {

inline constexpr int deepest_brackets = 16;  // [ and { within each other; a configuration needs 4
inline constexpr int longest_key = 16;       // parts of one dotted key; a configuration needs 2

// The offset at which the text nests deeper than the limits, if it does. Follows TOML's strings and
// comments exactly up to the first error of syntax, past which the parser does not read either.
std::optional<std::size_t> find_too_deep(std::string_view text);

}  // namespace rnnadvisor::toml_text
