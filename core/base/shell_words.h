// Words as shells read them back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace rnnadvisor {

// For bash, zsh, sh: quoted only where it must be.
std::string shell_word(std::string_view word);
std::string fish_word(std::string_view word);

// All words, separated by blanks, for bash.
std::string shell_words(std::span<const std::string> words);

// The words of a line as sh splits them: quotes and backslashes, nothing replaced ($, *, ~ stand
// for themselves). Errors (invalid_argument): a quote that is not closed, a backslash at the end,
// and what only a shell can do: pipes, redirections, several commands, outside of quotes.
Result<std::vector<std::string>> split_words(std::string_view line);

}  // namespace rnnadvisor
