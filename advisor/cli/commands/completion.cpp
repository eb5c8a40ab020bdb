// rnnadvisor completion: scripts that complete commands, options and their words in a shell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advisor/cli/command_line.h"
#include "advisor/cli/help.h"

namespace rnnadvisor::cli {

void add_completion(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "completion", "Print a completion script for a shell",
      "Examples:\n"
      "  rnnadvisor completion bash > ~/.local/share/bash-completion/completions/rnnadvisor\n"
      "  rnnadvisor completion zsh > ~/.zfunc/_rnnadvisor\n"
      "  rnnadvisor completion fish > ~/.config/fish/completions/rnnadvisor.fish");
  auto name = std::make_shared<std::string>();
  auto* shell =
      command->add_option("shell", *name, "bash, zsh or fish")->required()->type_name("SHELL");
  context.completions[shell] = {Context::Completion::Kind::words, {"bash", "zsh", "fish"}};
  command->callback([name, &app, &context] {
    context.action = [name, &app, &context] {
      if (*name != "bash" && *name != "zsh" && *name != "fish") {
        return context.report(Error{ErrorCode::invalid_argument,
                                    fmt::format("there is no completion for '{}'", *name),
                                    "bash, zsh or fish",
                                    std::nullopt,
                                    {}});
      }
      const Shell which = *name == "bash" ? Shell::bash : *name == "zsh" ? Shell::zsh : Shell::fish;
      context.out << completion_script(app, context, which);
      return exit_ok;
    };
  });
}

}  // namespace rnnadvisor::cli
