// Help, man page and completion scripts, all made from the one application.
#pragma once

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

enum class Shell { bash, zsh, fish };
std::string completion_script(const CLI::App& root, const Context& context, Shell shell);

// Words wrapped to `width` columns; a line that begins with a blank (an example) and empty lines
// stay as they are.
std::string wrap(std::string_view text, int width, int indent = 0);

}  // namespace rnnadvisor::cli
