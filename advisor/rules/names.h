// Near-miss suggestions and lists of words, shared by the readers of cards.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnnadvisor::advisor {

// "did you mean 'call.batch_size'?", or where all facts are listed.
std::string suggest_fact(std::string_view name);

// "did you mean 'x'?", or "one of 'a', 'b', 'c'".
std::string suggest_word(std::string_view word, std::span<const std::string_view> words);

// "'a', 'b', 'c'"
std::string quoted_list(std::span<const std::string_view> words);

}  // namespace rnnadvisor::advisor
