// Help, man page and what completion offers, all made from the one application.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace rnnadvisor::cli {

struct Context;

// The help of a command (or of the program, for the root). `all` also lists the keys of the program
// around a configuration.
std::string help_text(const CLI::App& app, int width, bool all);

// rnnadvisor.1, in mdoc.
std::string man_page(const CLI::App& root);

// What a shell may offer for the last of the words behind the program's name, which may be empty or
// begun: one offer a line, as commands/completion.cpp says.
inline constexpr std::string_view complete_command = "__complete";
std::string completion_offers(const CLI::App& root, const Context& context,
                              std::span<const std::string> words);

// Words wrapped to `width` columns; a line that begins with a blank (an example) and empty lines
// stay as they are.
std::string wrap(std::string_view text, int width, int indent = 0);

}  // namespace rnnadvisor::cli
