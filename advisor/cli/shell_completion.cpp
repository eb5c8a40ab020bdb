// Completion scripts. Each is a table of what may follow in every command, made from the
// application, and a few lines of shell that look things up in it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "advisor/cli/context.h"
#include "advisor/cli/help.h"

namespace rnnadvisor::cli {
namespace {

using Completion = Context::Completion;

struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"
  std::string description;
  bool takes_value = false;
  Completion completion;
  bool known = false;  // there is something to offer for the value
};

struct CommandEntry {
  std::string path;  // "rules list", "" for the program itself
  std::string description;
  std::vector<const CLI::App*> commands;
  std::vector<OptionEntry> options;
  std::vector<OptionEntry> arguments;
};

OptionEntry describe(const CLI::Option& option, const Context& context) {
  OptionEntry entry;
  for (const auto& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.description = option.get_description();
  entry.takes_value = option.get_expected_max() > 0;
  if (const auto found = context.completions.find(&option); found != context.completions.end()) {
    entry.completion = found->second;
    if (entry.completion.kind == Completion::Kind::rules) {
      entry.completion.kind = Completion::Kind::words;
      for (const auto& rule : advisor::builtin_rules().rules) {
        entry.completion.words.push_back(rule.id);
      }
    }
    entry.known = true;
  }
  return entry;
}

void collect(const CLI::App& app, const std::string& path, const Context& context,
             std::vector<CommandEntry>& entries) {
  CommandEntry entry;
  entry.path = path;
  entry.description = app.get_description();
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) entry.commands.push_back(command);
  }
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? entry.arguments : entry.options)
        .push_back(describe(*option, context));
  }
  const auto commands = entry.commands;
  entries.push_back(std::move(entry));
  for (const CLI::App* command : commands) {
    collect(*command, path.empty() ? command->get_name() : path + " " + command->get_name(),
            context, entries);
  }
}

// The options of the program stand in front of and behind every command.
std::vector<CommandEntry> collect(const CLI::App& root, const Context& context) {
  std::vector<CommandEntry> entries;
  collect(root, "", context, entries);
  const auto common = entries.front().options;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    for (const auto& option : common) {
      const auto same = [&](const OptionEntry& other) { return other.names == option.names; };
      auto& options = entries[i].options;
      if (option.takes_value || std::any_of(options.begin(), options.end(), same)) continue;
      if (option.names.back() == "--version" || option.names.back() == "--help-all") continue;
      options.push_back(option);
    }
  }
  return entries;
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// What is offered for a value, in words of the bash function below.
std::string bash_values(const OptionEntry& entry) {
  if (!entry.known) return "";
  switch (entry.completion.kind) {
    case Completion::Kind::words:
      return fmt::format("{}", fmt::join(entry.completion.words, " "));
    case Completion::Kind::directory:
      return "@directory";
    case Completion::Kind::rules:  // words by now
    case Completion::Kind::file:
    case Completion::Kind::profile:
      return "@file";
  }
  return "";
}

std::string bash_script(const std::vector<CommandEntry>& entries) {
  std::string cases, values;
  for (const auto& entry : entries) {
    std::vector<std::string> words;
    for (const CLI::App* command : entry.commands) words.push_back(command->get_name());
    if (words.empty()) {
      for (const auto& argument : entry.arguments) words.push_back(bash_values(argument));
    }
    std::vector<std::string> options;
    for (const auto& option : entry.options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
      if (!option.takes_value) continue;
      std::vector<std::string> patterns;
      for (const auto& name : option.names) {
        patterns.push_back(single_quoted(entry.path + ":" + name));
      }
      values += fmt::format("    {}) values={} ;;\n", fmt::join(patterns, "|"),
                            single_quoted(bash_values(option)));
    }
    cases += fmt::format("    {}) words={} options={} ;;\n", single_quoted(entry.path),
                         single_quoted(fmt::format("{}", fmt::join(words, " "))),
                         single_quoted(fmt::format("{}", fmt::join(options, " "))));
  }
  std::vector<std::string> paths;
  for (const auto& entry : entries) {
    if (!entry.path.empty()) paths.push_back(single_quoted(entry.path));
  }
  return fmt::format(
      R"(# bash completion for rnnadvisor, made by `rnnadvisor completion bash`
_rnnadvisor_offer() {{
  local offer="$1" word="$2" entry
  for entry in $offer; do
    case "$entry" in
      @file) mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames 2>/dev/null ;;
      @directory) mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -d -- "$word"); compopt -o filenames 2>/dev/null ;;
      *) [[ "$entry" == "$word"* ]] && COMPREPLY+=("$entry") ;;
    esac
  done
  return 0
}}

_rnnadvisor() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local path="" words="" options="" values="@none" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{path:+$path }}${{COMP_WORDS[i]}}" in
      {}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  # `--option=value` comes as three words.
  if [[ "$word" == "=" ]]; then word=""; elif [[ "$previous" == "=" ]]; then previous="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
  case "$path" in
{}  esac
  case "$path:$previous" in
{}  esac
  if [[ "$values" != "@none" ]]; then
    _rnnadvisor_offer "$values" "$word"
  elif [[ "$word" == -* ]]; then
    _rnnadvisor_offer "$options" "$word"
  else
    _rnnadvisor_offer "$words" "$word"
  fi
}}
complete -F _rnnadvisor rnnadvisor
)",
      fmt::join(paths, "|"), cases, values);
}

// ---- zsh ----

std::string zsh_escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionEntry& entry) {
  if (!entry.known) return "";
  switch (entry.completion.kind) {
    case Completion::Kind::words: {
      std::vector<std::string> words;
      for (const auto& word : entry.completion.words) words.push_back(zsh_escaped(word, ":()[] "));
      return fmt::format("({})", fmt::join(words, " "));
    }
    case Completion::Kind::directory:
      return "_files -/";
    case Completion::Kind::rules:  // words by now
    case Completion::Kind::file:
    case Completion::Kind::profile:
      return "_files";
  }
  return "";
}

std::string function_name(const std::string& path) {
  std::string name = "_rnnadvisor";
  for (const char c : path.empty() ? path : "_" + path) name += c == ' ' || c == '-' ? '_' : c;
  return name;
}

std::string zsh_script(const std::vector<CommandEntry>& entries) {
  std::string out =
      "#compdef rnnadvisor\n# zsh completion for rnnadvisor, made by `rnnadvisor completion zsh`\n";
  for (const auto& entry : entries) {
    out += fmt::format(
        "\n{}() {{\n  local context state state_descr line\n  typeset -A opt_args\n  _arguments -C "
        "-S",
        function_name(entry.path));
    for (const auto& option : entry.options) {
      const std::string description = zsh_escaped(option.description, "[]:\\");
      for (const auto& name : option.names) {
        std::string spec = fmt::format("*{}{}[{}]", name,
                                       !option.takes_value      ? ""
                                       : name.starts_with("--") ? "="
                                                                : "+",
                                       description);
        if (option.takes_value) spec += fmt::format(":value:{}", zsh_action(option));
        out += fmt::format(" \\\n    {}", single_quoted(spec));
      }
    }
    if (!entry.commands.empty()) {
      out +=
          " \\\n    '1: :->command' \\\n    '*:: :->rest'\n  case $state in\n    command)\n      "
          "local -a commands=(";
      for (const CLI::App* command : entry.commands) {
        out +=
            fmt::format("\n        {}",
                        single_quoted(fmt::format("{}:{}", command->get_name(),
                                                  zsh_escaped(command->get_description(), ":"))));
      }
      out += ")\n      _describe command commands ;;\n    rest)\n      case $line[1] in\n";
      for (const CLI::App* command : entry.commands) {
        const auto path =
            entry.path.empty() ? command->get_name() : entry.path + " " + command->get_name();
        out += fmt::format("        {}) {} ;;\n", command->get_name(), function_name(path));
      }
      out += "      esac ;;\n  esac\n}\n";
      continue;
    }
    for (const auto& argument : entry.arguments) {
      out += fmt::format(" \\\n    {}",
                         single_quoted(fmt::format("*:argument:{}", zsh_action(argument))));
    }
    out += "\n}\n";
  }
  // Called by the completion system where it is installed in $fpath; only made known to it where it
  // is sourced.
  return out +
         "\nif [[ $funcstack[1] = _rnnadvisor ]]; then\n  _rnnadvisor \"$@\"\nelse\n"
         "  compdef _rnnadvisor rnnadvisor\nfi\n";
}

// ---- fish ----

std::string fish_script(const std::vector<CommandEntry>& entries) {
  std::string out =
      "# fish completion for rnnadvisor, made by `rnnadvisor completion fish`\n"
      "complete -c rnnadvisor -f\n";
  const auto escaped = [](std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
      if (c == '\'' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return quoted + "'";
  };
  const auto value = [&](const OptionEntry& entry) -> std::string {
    if (!entry.known) return entry.takes_value ? " -x" : "";
    switch (entry.completion.kind) {
      case Completion::Kind::words:
        return fmt::format(" -x -a {}",
                           escaped(fmt::format("{}", fmt::join(entry.completion.words, " "))));
      case Completion::Kind::directory:
        return " -x -a '(__fish_complete_directories)'";
      case Completion::Kind::rules:  // words by now
      case Completion::Kind::file:
      case Completion::Kind::profile:
        return " -r -F";
    }
    return "";
  };
  for (const auto& entry : entries) {
    std::string condition = "__fish_use_subcommand";
    if (!entry.path.empty()) {
      condition.clear();
      std::string_view rest = entry.path;
      while (true) {
        const auto blank = rest.find(' ');
        condition += fmt::format("{}__fish_seen_subcommand_from {}",
                                 condition.empty() ? "" : "; and ", rest.substr(0, blank));
        if (blank == std::string_view::npos) break;
        rest.remove_prefix(blank + 1);
      }
      if (!entry.commands.empty()) {
        std::vector<std::string> inner;
        for (const CLI::App* command : entry.commands) inner.push_back(command->get_name());
        condition += fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(inner, " "));
      }
    }
    for (const CLI::App* command : entry.commands) {
      out += fmt::format("complete -c rnnadvisor -n {} -a {} -d {}\n", escaped(condition),
                         command->get_name(), escaped(command->get_description()));
    }
    for (const auto& argument : entry.arguments) {
      if (argument.known) {
        out += fmt::format("complete -c rnnadvisor -n {}{}\n", escaped(condition), value(argument));
      }
    }
    for (const auto& option : entry.options) {
      out += fmt::format("complete -c rnnadvisor -n {}", escaped(condition));
      for (const auto& name : option.names) {
        out += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                      : fmt::format(" -s {}", name.substr(1));
      }
      if (option.takes_value) out += value(option);
      out += fmt::format(" -d {}\n", escaped(option.description));
    }
  }
  return out;
}

}  // namespace

std::string completion_script(const CLI::App& root, const Context& context, Shell shell) {
  const auto entries = collect(root, context);
  switch (shell) {
    case Shell::bash:
      return bash_script(entries);
    case Shell::zsh:
      return zsh_script(entries);
    case Shell::fish:
      return fish_script(entries);
  }
  return {};
}

}  // namespace rnnadvisor::cli
