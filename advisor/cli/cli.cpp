#include "advisor/cli/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <system_error>

#include "advisor/cli/command_line.h"
#include "advisor/cli/help.h"
#include "advisor/cli/program_arguments.h"
#include "advisor/cli/standard_streams.h"
#include "core/base/out_of_memory.h"
#include "core/base/secrets.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

// The option that was probably meant by one that there is not.
std::string nearest_option(const CLI::App& app, std::string_view message) {
  const auto start = message.find("--");
  if (start == std::string_view::npos) return {};
  const auto word = message.substr(start, message.find_first_of(" =:", start) - start);
  std::vector<std::string> names;
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    for (const CLI::Option* option : level->get_options()) {
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  // What there is was not misspelt: its value is wrong.
  if (std::find(names.begin(), names.end(), word) != names.end()) return {};
  return did_you_mean(word, std::vector<std::string_view>(names.begin(), names.end()));
}

// `root`: where the parser leaves words that belong to no option.
std::optional<std::string> word_too_many(const CLI::App& root) {
  for (const auto& text : root.remaining(true))
    if (!text.starts_with('-')) return text;
  return std::nullopt;
}

// A word in the place of a command, when that is what is wrong. `app`: the command that wants
// another behind it.
std::optional<Error> unknown_command(const CLI::App& root, const CLI::App& app) {
  if (app.get_require_subcommand_min() == 0) return std::nullopt;
  const auto word = word_too_many(root);
  if (!word) return std::nullopt;
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  const auto nearest = did_you_mean(*word, names);
  return usage(fmt::format("there is no command '{}'", to_valid_utf8(*word)),
               nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : nearest);
}

// Of more profiles than a command reads: those that read several.
std::string one_profile(const CLI::App& root, const CLI::App& command) {
  const auto* profile = command.get_option_no_throw("profile");
  if (profile == nullptr || profile->get_expected_max() > 1 || !word_too_many(root)) return {};
  return "name one profile; `rnnadvisor compare` compares several, `rnnadvisor merge` makes one of "
         "those of one program";
}

const CLI::App& chosen(const CLI::App& root) {
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

// "help run" is what other programs understand as "run --help". Of a command that does not exist
// the name alone is left, which is then told as unknown.
std::vector<std::string> with_help_as_option(const CLI::App& app,
                                             std::span<const std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return {arguments.begin(), arguments.end()};
  std::vector<std::string> changed(arguments.begin() + 1, arguments.end());
  const CLI::App* at = &app;
  for (const auto& name : changed) {
    const auto found =
        at->get_subcommands([&](const CLI::App* each) { return each->get_name() == name; });
    if (found.empty()) return changed;
    at = found.front();
  }
  changed.emplace_back("--help");
  return changed;
}

int parse_and_act(std::span<const std::string> given, Context& context) {
  const auto app = make_application(context, given.empty() ? std::string_view() : given.front());
  if (!given.empty() && given.front() == complete_command) {
    context.out << completion_offers(*app, context, given.subspan(1));
    return exit_ok;
  }
  const auto arguments = with_help_as_option(*app, given);
  try {
    SplitArguments split = split_arguments(*app, arguments);
    context.program = std::move(split.program);
    app->parse(std::vector<std::string>(split.ours.rbegin(), split.ours.rend()));
  } catch (const CLI::CallForHelp&) {
    context.out << help_text(chosen(*app), context.terminal.width, false);
    return exit_ok;
  } catch (const CLI::CallForAllHelp&) {
    context.out << help_text(chosen(*app), context.terminal.width, true);
    return exit_ok;
  } catch (const CLI::CallForVersion&) {
    context.out << "rnnadvisor " RNNADVISOR_VERSION "\n";
    return exit_ok;
  } catch (const CLI::ParseError& problem) {
    const CLI::App& command = chosen(*app);
    if (arguments.empty()) {
      context.err << help_text(*app, context.terminal.width, false);
      return exit_bad_input;
    }
    if (const auto error = unknown_command(*app, command)) return context.report(*error);
    std::string message = to_valid_utf8(problem.what());
    std::string nearest = nearest_option(command, message);
    if (nearest.empty()) nearest = one_profile(*app, command);
    std::string name;  // "rules docs" is no command "docs"
    for (const auto* at = &command; at->get_parent() != nullptr; at = at->get_parent())
      name.insert(0, " " + at->get_name());
    return context.report(
        usage(std::move(message),
              nearest.empty() ? fmt::format("see `rnnadvisor{} --help`", name) : nearest));
  }
  if (!context.action) return exit_bad_input;
  if (context.judging_commands.contains(&chosen(*app))) {
    if (!context.project_errors.empty()) return context.report(context.project_errors);
    if (!context.project.path.empty()) context.note("settings of " + context.project.path);
  }
  return context.action();
}

void read_project(Context& context) {
  const auto& find = context.services.find_project_file;
  const std::string path = find ? find() : std::string();
  if (path.empty()) return;
  if (auto project = read_project_file(path))
    context.project = std::move(*project);
  else
    context.project_errors = std::move(project.error());
}

// Whatever a command did: what it said on standard output has arrived, or this is why not.
int with_output_checked(const Context& context, const std::ostream& out, int status) {
  context.out.flush();
  if (memory_was_missing() && status != exit_environment) throw std::bad_alloc();
  if (context.out) return status;
  const auto* descriptor = dynamic_cast<const DescriptorOutput*>(out.rdbuf());
  const int problem = descriptor != nullptr ? descriptor->problem() : 0;
  return context.report(Error{ErrorCode::io,
                              fmt::format("cannot write to standard output: {}",
                                          problem == EBADF ? "it is closed"
                                          : problem != 0 ? std::generic_category().message(problem)
                                                         : "what was written did not arrive"),
                              "what it shows is not whole; free some space, or write elsewhere",
                              std::nullopt,
                              {}});
}

// With what needs no memory: there may be none left for an Error.
int tell_no_memory(std::ostream& err) {
  err << "rnnadvisor: " << no_memory_text << '\n';
  return exit_environment;
}

// Reads and writes what std::cin and std::cout stand for.
class StandardStreams {
 public:
  StandardStreams()
      : input_(STDIN_FILENO),
        output_(STDOUT_FILENO),
        input_before_(std::cin.rdbuf(&input_)),
        output_before_(std::cout.rdbuf(&output_)) {}
  ~StandardStreams() {
    std::cin.rdbuf(input_before_);
    std::cout.rdbuf(output_before_);
  }
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

 private:
  DescriptorInput input_;
  DescriptorOutput output_;
  std::streambuf *const input_before_, *const output_before_;
};

}  // namespace

int run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err,
        const Terminal& terminal, const Services& services) {
  try {
    const Context* styles = nullptr;
    CleanOutput to_out(*out.rdbuf(), [&] { return styles->color_output(); });
    CleanOutput to_err(*err.rdbuf(), [&] { return styles->terminal.error_is_terminal; });
    std::ostream clean_out(&to_out), clean_err(&to_err);
    clean_err.setf(err.flags() & std::ios::unitbuf);
    Context context{
        .out = clean_out,
        .err = clean_err,
        .terminal = terminal,
        .services = services,
        .command_line = shell_line("rnnadvisor", without_secrets(arguments)),
    };
    styles = &context;
    try {
      read_project(context);
      return with_output_checked(context, out, parse_and_act(arguments, context));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& problem) {
      return context.report(Error{ErrorCode::internal,
                                  fmt::format("a defect in rnnadvisor: {}", problem.what()),
                                  "please report it with the command line",
                                  std::nullopt,
                                  {}});
    }
  } catch (const std::bad_alloc&) {
    return tell_no_memory(err);
  }
}

Terminal detect_terminal() {
  Terminal terminal;
  terminal.output_is_terminal = isatty(STDOUT_FILENO) == 1;
  terminal.error_is_terminal = isatty(STDERR_FILENO) == 1;
  winsize size = {};
  const int stream = terminal.output_is_terminal ? STDOUT_FILENO : STDERR_FILENO;
  if (ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.width = size.ws_col;
  if (const char* columns = std::getenv("COLUMNS");
      columns != nullptr && !terminal.output_is_terminal)
    if (const int wanted = std::atoi(columns); wanted > 0) terminal.width = wanted;
  const char* no_color = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  const bool dumb = kind == nullptr || std::strcmp(kind, "dumb") == 0;
  terminal.color = (no_color == nullptr || *no_color == '\0') && !dumb;
  // Only a terminal has a say in what it can show; a file or a pipe gets UTF-8.
  if (terminal.output_is_terminal) {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
      const char* value = std::getenv(name);
      if (value == nullptr || *value == '\0') continue;
      terminal.utf8 =
          std::strstr(value, "UTF-8") != nullptr || std::strstr(value, "utf8") != nullptr ||
          std::strstr(value, "UTF8") != nullptr || std::strstr(value, "utf-8") != nullptr;
      break;
    }
  }
  return terminal;
}

int run_main(int argc, const char* const* argv) {
  end_without_memory_with(exit_environment);
  occupy_closed_streams();
  // A file that reaches its limit (ulimit -f) is then an error like a full disk. A handler and not
  // SIG_IGN, which the programs that we start would inherit.
  std::signal(SIGXFSZ, [](int) {});
  try {
    const StandardStreams streams;
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return run(arguments, std::cout, std::cerr, detect_terminal(), live_services());
  } catch (const std::bad_alloc&) {
    return tell_no_memory(std::cerr);
  }
}

}  // namespace rnnadvisor::cli
