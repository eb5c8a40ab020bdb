// "1 configurations": a count of one with a plural noun, looked for in anything that is written.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace rnnadvisor::advisor {

// The word after a number 1, where it ends in s and is no verb or unit.
inline void expect_plurals(const std::string& written, const std::string& where) {
  static const std::set<std::string> fine = {"ms",   "us",   "ns",    "is",          "has",
                                             "was",  "does", "times", "this",        "passes",
                                             "runs", "less", "uses",  "milliseconds"};
  constexpr std::string_view lower = "abcdefghijklmnopqrstuvwxyz", not_before = "_/:+#-.,\x97";
  const auto in_a_word = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  for (auto at = written.find("1 "); at != std::string::npos; at = written.find("1 ", at + 1)) {
    const char before = at == 0 ? ' ' : written[at - 1];
    if (in_a_word(before) || not_before.find(before) != std::string_view::npos) continue;
    const auto end = std::min(written.find_first_not_of(lower, at + 2), written.size());
    const auto word = written.substr(at + 2, end - at - 2);
    if (!word.ends_with('s') || (end < written.size() && in_a_word(written[end]))) continue;
    EXPECT_TRUE(fine.contains(word)) << where << ": " << written.substr(at > 40 ? at - 40 : 0, 100);
  }
}

}  // namespace rnnadvisor::advisor
