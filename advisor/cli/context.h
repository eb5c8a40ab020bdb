// What every command shares: streams, terminal, services, the options of all commands, and small
// ways to speak.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/cli/exit_status.h"
#include "advisor/cli/project_file.h"
#include "advisor/cli/services.h"
#include "advisor/rules/rule.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rnnadvisor::cli {

inline constexpr std::string_view progress_to_file = "json:";

struct Context {
  std::ostream& out;
  std::ostream& err;
  const Terminal& terminal;
  const Services& services;
  std::string command_line = {};  // as typed but for secrets (core/base/secrets.h), for a shell

  // Options of all commands.
  bool quiet = false;
  bool no_color = false;
  bool no_progress = false;
  std::string progress = "auto";  // "auto", "none", "json", or "json:" and a file

  // The chosen command; set while the arguments are parsed, run afterwards.
  std::function<int()> action = {};
  // Of a command that runs another program: its name and arguments.
  std::vector<std::string> program = {};

  // What the project has decided: the defaults of judging. Where its file is wrong, commands that
  // judge end with `project_errors`.
  ProjectFile project = {};
  std::vector<Error> project_errors = {};
  std::set<const CLI::App*> judging_commands = {};

  // What completion offers for an option: words, kinds of files, or the ids of the shipped rules.
  struct Completion {
    enum class Kind { words, file, directory, profile, rules } kind = Kind::words;
    std::vector<std::string> words;
  };
  std::map<const CLI::Option*, Completion> completions = {};

  bool color_output() const { return terminal.output_is_terminal && terminal.color && !no_color; }
  bool color_error() const { return terminal.error_is_terminal && terminal.color && !no_color; }

  // "rnnadvisor: …" on standard error, cleaned of what would drive a terminal; the return value is
  // the exit status that belongs to the error.
  int report(const Error& error) const;
  int report(std::span<const Error> errors) const;
  // A remark on standard error; silent with --quiet.
  void note(std::string_view text) const;
};

// Arguments that do not go together.
Error usage(std::string message, std::string remedy);

// The arguments quoted so that a shell reads them back equal.
std::string shell_line(std::string_view program, std::span<const std::string> arguments);

// Each command adds itself to the application.
void add_check(CLI::App& app, Context& context);
void add_fit(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_sweep(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_profile(CLI::App& app, Context& context);
void add_accelerate(CLI::App& app, Context& context);
void add_try(CLI::App& app, Context& context);
void add_collect(CLI::App& app, Context& context);
void add_env(CLI::App& app, Context& context);
void add_import(CLI::App& app, Context& context);
void add_merge(CLI::App& app, Context& context);
void add_advise(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_rules(CLI::App& app, Context& context);
// Of `rules`.
void add_rules_validate(CLI::App& rules, Context& context);
void add_serve(CLI::App& app, Context& context);
void add_samples(CLI::App& app, Context& context);
void add_compare(CLI::App& app, Context& context);
void add_reproduce(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_explain_error(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);
void add_map(CLI::App& app, Context& context);
void add_man(CLI::App& app, Context& context);
void add_version(CLI::App& app, Context& context);
void add_worker(CLI::App& app, Context& context);

}  // namespace rnnadvisor::cli
