#include "advisor/cli/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "advisor/cli/command_line.h"
#include "advisor/cli/recording_options.h"

namespace rnnadvisor::cli {
namespace {

constexpr std::array groups = {"Options",          group_output,    group_judging,
                               group_verifying,    group_measuring, group_running,
                               group_accelerating, group_recording, group_configuration,
                               group_framework,    group_common};

// "-o, --output FILE"
std::string spelling(const CLI::Option& option) {
  std::string text;
  for (const auto& name : option.get_snames()) text += fmt::format("-{}, ", name);
  // One long name is enough for people; a second is there for those who expect it.
  text += option.get_lnames().empty() ? std::string() : "--" + option.get_lnames().front();
  if (option.get_expected_max() > 0 && !option.get_type_name().empty()) {
    text += " " + option.get_type_name();
  }
  return text;
}

std::string environment_note(const CLI::Option& option) {
  return option.get_envname().empty() ? std::string() : fmt::format(" [{}]", option.get_envname());
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, std::string_view group) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional() && option->get_group() == group) options.push_back(option);
  }
  return options;
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) options.push_back(option);
  }
  return options;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  std::vector<const CLI::App*> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) commands.push_back(command);  // hidden ones have no group
  }
  return commands;
}

const CLI::App& root_of(const CLI::App& app) {
  const CLI::App* root = &app;
  while (root->get_parent() != nullptr) root = root->get_parent();
  return *root;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string usage(const CLI::App& app) {
  std::string text = full_name(app);
  if (app.get_options().size() > positionals_of(app).size()) text += " [options]";
  for (const CLI::Option* option : positionals_of(app)) {
    const std::string many = option->get_expected_max() > 1 ? "..." : "";
    text += option->get_required() ? fmt::format(" {}{}", option->get_type_name(), many)
                                   : fmt::format(" [{}{}]", option->get_type_name(), many);
  }
  if (!commands_of(app).empty()) {
    text += app.get_require_subcommand_min() > 0 ? " COMMAND" : " [COMMAND]";
  }
  return text;
}

void append_entry(std::string& out, std::string_view left, std::string_view right, int width) {
  constexpr int column = 30;
  out += fmt::format("  {}", left);
  if (static_cast<int>(left.size()) + 4 > column) {
    out += '\n';
    out += std::string(column, ' ');
  } else {
    out += std::string(static_cast<std::size_t>(column) - left.size() - 2, ' ');
  }
  std::string text = wrap(right, width, column);
  out += text.substr(std::min<std::size_t>(text.size(), column));
}

}  // namespace

std::string wrap(std::string_view text, int width, int indent) {
  const auto room = static_cast<std::size_t>(std::max(width - indent, 20));
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out;
  while (true) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.empty() || line.front() == ' ') {
      out += line.empty() ? "\n" : fmt::format("{}{}\n", margin, line);
    } else {
      std::string row;
      while (!line.empty()) {
        const auto blank = line.find(' ');
        const auto word = line.substr(0, blank);
        if (!row.empty() && row.size() + 1 + word.size() > room) {
          out += fmt::format("{}{}\n", margin, row);
          row.clear();
        }
        row += row.empty() ? std::string(word) : fmt::format(" {}", word);
        if (blank == std::string_view::npos) break;
        line.remove_prefix(blank + 1);
      }
      out += fmt::format("{}{}\n", margin, row);
    }
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string help_text(const CLI::App& app, int width, bool all) {
  width = std::clamp(width, 60, 100);
  std::string out = wrap(app.get_description(), width) + "\nUsage: " + usage(app) + "\n";
  if (const auto positionals = positionals_of(app); !positionals.empty()) {
    out += '\n';
    for (const CLI::Option* option : positionals) {
      append_entry(out, option->get_type_name(), option->get_description(), width);
    }
  }
  if (const auto commands = commands_of(app); !commands.empty()) {
    out += "\nCommands:\n";
    for (const CLI::App* command : commands) {
      append_entry(out, command->get_name(), command->get_description(), width);
    }
  }
  for (const std::string_view group : groups) {
    auto options = options_of(app, group);
    if (group == group_common && app.get_parent() != nullptr) {
      options = options_of(root_of(app), group);
    }
    if (options.empty()) continue;
    out += fmt::format("\n{}:\n", group);
    if (group == group_framework && !all) {
      append_entry(out, "--framework NAME", "the framework that calls cuDNN", width);
      append_entry(
          out, "--framework.KEY VALUE",
          fmt::format("what is known of it; --help-all lists the {} keys", options.size() - 1),
          width);
      continue;
    }
    for (const CLI::Option* option : options) {
      append_entry(out, spelling(*option), option->get_description(), width);
    }
  }
  if (!app.get_footer().empty()) out += "\n" + wrap(app.get_footer(), width);
  return out;
}

// ---- man page ----

namespace {

// Text for mdoc: a backslash and a leading dot or quote would be read as requests, and every
// sentence begins a line.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == ' ' && i > 0 && text[i - 1] == '.' && i + 1 < text.size() &&
               text[i + 1] != '.') {
      out += '\n';
    } else {
      out += c;
    }
    line_start = out.back() == '\n';
  }
  return out;
}

// A macro's argument in one piece.
std::string roff_word(std::string_view text) {
  std::string quoted;
  for (const char c : roff(text)) quoted += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return "\"" + quoted + "\"";
}

// Paragraphs and indented examples of a footer.
std::string roff_footer(std::string_view footer) {
  std::string out;
  bool literal = false;
  while (!footer.empty()) {
    const auto end = footer.find('\n');
    const auto line = footer.substr(0, end);
    const bool example = line.starts_with(' ');
    if (example != literal) {
      out += example ? ".Bd -literal -offset indent\n" : ".Ed\n";
      literal = example;
    }
    if (line.empty()) {
      // A paragraph is asked for only between texts: mandoc calls one before a list or display
      // superfluous.
      const bool text_follows =
          end != std::string_view::npos && !footer.substr(end + 1).starts_with(' ');
      if (!literal && text_follows) out += ".Pp\n";
    } else if (example) {
      out += roff(line.substr(2)) + "\n";
    } else {
      out += roff(line) + "\n";
    }
    if (end == std::string_view::npos) break;
    footer.remove_prefix(end + 1);
  }
  if (literal) out += ".Ed\n";
  return out;
}

void append_man_option(std::string& out, const CLI::Option& option) {
  out += ".It " + roff_word(spelling(option)) + "\n" + roff(option.get_description()) + "." +
         roff(environment_note(option)) + "\n";
}

void append_man_command(std::string& out, const CLI::App& command) {
  out += fmt::format(".Ss {}\n",
                     roff(full_name(command).substr(std::string_view("rnnadvisor ").size())));
  out += roff(command.get_description()) + ".\n.Pp\n.Dl " + roff(usage(command)) + "\n";
  bool first = true;
  const auto item = [&](const CLI::Option& option) {
    // The keys of a configuration are the same for every command; they have a section of their own.
    if (first) out += ".Bl -tag -width Ds\n";
    first = false;
    append_man_option(out, option);
  };
  for (const CLI::Option* option : positionals_of(command)) {
    if (first) out += ".Bl -tag -width Ds\n";
    first = false;
    out += ".It " + roff_word(option->get_type_name()) + "\n" + roff(option->get_description()) +
           ".\n";
  }
  for (const std::string_view group : groups) {
    if (group == group_common || group == group_configuration || group == group_framework) continue;
    for (const CLI::Option* option : options_of(command, group)) {
      const auto& names = option->get_lnames();
      if (!names.empty() && (names.front() == "help" || names.front() == "help-all")) continue;
      item(*option);
    }
  }
  if (!first) out += ".El\n";
  if (!command.get_footer().empty()) out += ".Pp\n" + roff_footer(command.get_footer());
  for (const CLI::App* inner : commands_of(command)) append_man_command(out, *inner);
}

}  // namespace

std::string man_page(const CLI::App& root) {
  std::string out =
      ".\\\" Made by `rnnadvisor man`; edit the help texts in advisor/cli instead.\n"
      ".Dd $Mdocdate$\n.Dt RNNADVISOR 1\n.Os\n.Sh NAME\n.Nm rnnadvisor\n"
      ".Nd advice for cuDNN recurrent networks\n.Sh SYNOPSIS\n.Nm\n.Op Ar options\n.Ar command\n"
      ".Op Ar arguments\n.Sh DESCRIPTION\n";
  out += roff(root.get_description());
  out +=
      "\nA configuration of a recurrent layer is checked, or run on a GPU, or read from a recorded "
      "profile; it is\njudged by documented and measured criteria, and the result is a report with "
      "evidence, sources and suggestions.\n.Pp\nOptions of every command; the last, of the program "
      "alone:\n.Bl -tag -width Ds\n";
  for (const std::string_view group :
       {std::string_view(group_common), std::string_view("Options")}) {
    for (const CLI::Option* option : options_of(root, group)) append_man_option(out, *option);
  }
  out += ".El\n.Sh COMMANDS\n";
  for (const CLI::App* command : commands_of(root)) append_man_command(out, *command);
  out +=
      ".Sh CONFIGURATION KEYS\nThe keys of TOML and JSON files; as options they are written with "
      "hyphens:\n.Ql hidden_size\nas\n.Ql \\-\\-hidden\\-size .\n.Bl -tag -width Ds\n";
  for (const CLI::App* check : commands_of(root)) {
    if (check->get_name() != "check") continue;
    for (const std::string_view group : {group_configuration, group_framework}) {
      for (const CLI::Option* option : options_of(*check, group)) append_man_option(out, *option);
    }
  }
  out +=
      ".El\n.Sh ENVIRONMENT\nEvery option but the keys of a configuration can also be given as a "
      "variable, named above in brackets.\n.Bl -tag -width Ds\n"
      ".It Ev NO_COLOR\nNo colour.\n"
      ".It Ev RNNADVISOR_CUDNN , RNNADVISOR_CUPTI , RNNADVISOR_NVRTC\n"
      "The library to load, or the folder that has it; otherwise the loader path, the wheels of "
      "the "
      "active Python and the\nCUDA toolkit are searched.\n"
      ".It Ev RNNADVISOR_ACCELERATE\n0: programs keep their own cuDNN algorithms, also under\n.Cm "
      "accelerate .\n"
      ".It Ev RNNADVISOR_PLUGIN\nThe library that\n.Cm profile\nand\n.Cm accelerate\nput into "
      "programs; otherwise the "
      "one beside this program.\n.El\n"
      ".Sh EXIT STATUS\n.Bl -tag -width Ds\n"
      ".It 0\nFine.\n"
      ".It 1\nFindings at or above\n.Fl \\-fail-on ,\nor configurations that did not run.\n"
      ".It 2\nWrong usage or input.\n"
      ".It 3\nThe environment: no GPU, no library, no permission, disk full.\n"
      ".It 130\nInterrupted by SIGINT or SIGTERM; results until then are written.\nA second "
      "signal ends at once.\n.El\n";
  return out;
}

}  // namespace rnnadvisor::cli
