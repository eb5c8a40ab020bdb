// Libraries are compiled in groups of files, where one file's includes serve the next. So that each
// file still compiles alone, the headers it takes names of the standard library from are looked for
// here: in the file itself or in headers of ours that it includes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "tests/temporary_folder.h"

namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::string>& header_of() {
  static const std::map<std::string, std::string> table = {
      {"accumulate", "numeric"},
      {"all_of", "algorithm"},
      {"any_of", "algorithm"},
      {"array", "array"},
      {"atomic", "atomic"},
      {"chrono", "chrono"},
      {"deque", "deque"},
      {"filesystem", "filesystem"},
      {"find_if", "algorithm"},
      {"function", "functional"},
      {"getenv", "cstdlib"},
      {"ifstream", "fstream"},
      {"int64_t", "cstdint"},
      {"istringstream", "sstream"},
      {"log", "cmath"},
      {"map", "map"},
      {"memcpy", "cstring"},
      {"mutex", "mutex"},
      {"ofstream", "fstream"},
      {"numeric_limits", "limits"},
      {"optional", "optional"},
      {"regex", "regex"},
      {"ostringstream", "sstream"},
      {"set", "set"},
      {"shared_ptr", "memory"},
      {"sort", "algorithm"},
      {"span", "span"},
      {"sqrt", "cmath"},
      {"strtod", "cstdlib"},
      {"string", "string"},
      {"thread", "thread"},
      {"tuple", "tuple"},
      {"uint64_t", "cstdint"},
      {"unique_ptr", "memory"},
      {"unordered_map", "unordered_map"},
      {"variant", "variant"},
      {"vector", "vector"},
  };
  return table;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The system's headers that `path` includes, itself or through headers below `root`.
void add_includes(const fs::path& root, const fs::path& path, std::set<fs::path>& seen,
                  std::set<std::string>& headers) {
  if (!seen.insert(path).second || !fs::is_regular_file(path)) return;
  std::istringstream text(text_of(path));
  const std::string include = "#include ";
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with(include)) continue;
    const auto name =
        line.substr(include.size() + 1, line.find_last_of(">\"") - include.size() - 1);
    if (line[include.size()] == '<')
      headers.insert(name);
    else
      add_includes(root, root / name, seen, headers);
  }
}

// "file: std::name needs <header>", for each name that comes from no included header.
std::set<std::string> missing_includes(const fs::path& root) {
  std::set<std::string> missing;
  const std::string space = "std::";
  for (const char* folder : {"core", "profiler", "advisor", "gui"}) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::set<fs::path> seen;
      std::set<std::string> headers;
      add_includes(root, entry.path(), seen, headers);
      if (headers.contains("fmt/format.h")) headers.insert("string");
      const std::string text = text_of(entry.path());
      for (auto at = text.find(space); at != std::string::npos; at = text.find(space, at)) {
        at += space.size();
        const auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                                      [](char c) { return c != '_' && std::isalnum(c) == 0; });
        const auto known =
            header_of().find(std::string(text.begin() + static_cast<std::ptrdiff_t>(at), end));
        if (known != header_of().end() && !headers.contains(known->second))
          missing.insert(fs::relative(entry.path(), root).string() + ": std::" + known->first +
                         " needs <" + known->second + ">");
      }
    }
  }
  return missing;
}

TEST(Includes, EachFileHasTheHeadersThatItTakesNamesFrom) {
  for (const auto& each : missing_includes(RNNADVISOR_SOURCE_DIR)) ADD_FAILURE() << each;
}

TEST(Includes, AMissingOneIsFound) {
  const rnnadvisor::TemporaryFolder folder;
  const fs::path root(folder.path());
  fs::create_directories(root / "core");
  std::ofstream(root / "core/a.h") << "#pragma once\n#include <string>\nstd::string a();\n";
  std::ofstream(root / "core/a.cpp")
      << "#include \"core/a.h\"\nstd::string b; std::vector<int> c;\n";
  EXPECT_EQ(missing_includes(root),
            std::set<std::string>{"core/a.cpp: std::vector needs <vector>"});
}

}  // namespace
