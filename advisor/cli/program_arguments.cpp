#include "advisor/cli/program_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

namespace rnnadvisor::cli {
namespace {

constexpr std::string_view commands_with_program[] = {"profile", "accelerate", "try"};

// Whether the word after this one is its value.
bool takes_next_word(const CLI::App& root, const CLI::App& command, const std::string& word) {
  if (!word.starts_with('-') || word.find('=') != std::string::npos) return false;
  // "-oFILE" and flags run together have their value in them.
  if (!word.starts_with("--") && word.size() > 2) return false;
  for (const CLI::App* app : {&command, &root}) {
    if (const CLI::Option* option = app->get_option_no_throw(word))
      return option->get_expected_max() > 0;
  }
  return false;
}

}  // namespace

SplitArguments split_arguments(const CLI::App& root, std::span<const std::string> arguments) {
  SplitArguments split;
  split.ours.assign(arguments.begin(), arguments.end());
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with('-'))  // options of all commands
    at += takes_next_word(root, root, arguments[at]) ? std::size_t{2} : std::size_t{1};
  if (at >= arguments.size() ||
      std::find(std::begin(commands_with_program), std::end(commands_with_program),
                arguments[at]) == std::end(commands_with_program))
    return split;
  const CLI::App& command = *root.get_subcommand(arguments[at]);
  for (++at; at < arguments.size(); ++at) {
    if (arguments[at] == "--") {
      split.ours.resize(at);
      ++at;
      break;
    }
    if (!arguments[at].starts_with('-') || arguments[at] == "-") {
      split.ours.resize(at);
      break;
    }
    if (takes_next_word(root, command, arguments[at])) ++at;
  }
  if (at >= arguments.size()) return split;
  split.program.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end());
  split.ours.emplace_back("--");
  split.ours.push_back(split.program.front());
  return split;
}

}  // namespace rnnadvisor::cli
