// A command that ends with another program's command line: what belongs to us and what to it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rnnadvisor::cli {

struct SplitArguments {
  std::vector<std::string> ours;     // with the program's name behind "--", so that it is counted
  std::vector<std::string> program;  // its name and its arguments
};

// In `rnnadvisor profile [options] [--] PROGRAM [ARGUMENTS]`, and of `accelerate` alike, the first
// word that is neither an option of ours nor the value of one is the program, and everything behind
// it is its own, whatever it looks like. Other commands stay as they are.
SplitArguments split_arguments(const CLI::App& root, std::span<const std::string> arguments);

}  // namespace rnnadvisor::cli
