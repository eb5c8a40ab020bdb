// rnnadvisor man: prints the man page, which the build writes for installation.
#include "advisor/cli/command_line.h"
#include "advisor/cli/help.h"

namespace rnnadvisor::cli {

void add_man(CLI::App& app, Context& context) {
  auto* command = add_command(app, "man", "Print the man page (internal)", "");
  command->group("");
  command->callback([&app, &context] {
    context.action = [&app, &context] {
      context.out << man_page(app);
      return exit_ok;
    };
  });
}

}  // namespace rnnadvisor::cli
