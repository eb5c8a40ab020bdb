// "1 configurations": a count of one with a plural noun, looked for in anything that is written.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

namespace rnnadvisor::advisor {

// Verbs and units end in s too.
inline void expect_plurals(const std::string& written, const std::string& where) {
  static const std::regex one("(^|[^0-9A-Za-z.,×x_/:+#-])1 ([a-z]+s)\\b");
  static const std::set<std::string> fine = {"ms",   "us",   "ns",    "is",          "has",
                                             "was",  "does", "times", "this",        "passes",
                                             "runs", "less", "uses",  "milliseconds"};
  for (std::sregex_iterator m(written.begin(), written.end(), one), end; m != end; ++m) {
    const auto at = static_cast<std::size_t>(m->position());
    EXPECT_TRUE(fine.contains((*m)[2]))
        << where << ": " << written.substr(at > 40 ? at - 40 : 0, 100);
  }
}

}  // namespace rnnadvisor::advisor
