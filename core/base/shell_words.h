// Words as shells read them back.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rnnadvisor {

// For bash, zsh, sh: quoted only where it must be.
std::string shell_word(std::string_view word);
std::string fish_word(std::string_view word);

// All words, separated by blanks, for bash.
std::string shell_words(std::span<const std::string> words);

}  // namespace rnnadvisor
