// What may follow in a command line that is being typed. The scripts of `rnnadvisor completion`
// ask for it with `rnnadvisor __complete`, so that no shell has a list of its own.
#include <CLI/CLI.hpp>

#include "advisor/cli/context.h"
#include "advisor/cli/help.h"
#include "advisor/cli/program_arguments.h"

namespace rnnadvisor::cli {
namespace {

using Completion = Context::Completion;

constexpr auto any_file = "@file\n";

std::string offer(const std::string& word, const std::string& description) {
  return word + '\t' + description + '\n';
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

// An option of `app` or of the commands around it, whose options are valid there too.
const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    if (const auto* option = level->get_option_no_throw(name)) return option;
  }
  return nullptr;
}

std::string offer_options(const CLI::App& app) {
  std::string out;
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    for (const CLI::Option* option : level->get_options()) {
      const auto add = [&](const std::string& name) {
        if (find_option(app, name) == option) out += offer(name, option->get_description());
      };
      for (const auto& name : option->get_snames()) add("-" + name);
      for (const auto& name : option->get_lnames()) add("--" + name);
    }
  }
  return out;
}

// `before` is what the shell takes for one word with the value: "--cell=".
std::string offer_values(const CLI::Option& option, const Context& context,
                         const std::string& before) {
  const auto found = context.completions.find(&option);
  if (found == context.completions.end()) return {};
  std::string out;
  switch (found->second.kind) {
    case Completion::Kind::words:
      for (const auto& word : found->second.words) out += before + word + '\n';
      return out;
    case Completion::Kind::rules:
      for (const auto& rule : advisor::builtin_rules().rules) out += before + rule.id + '\n';
      return out;
    case Completion::Kind::directory:
      return "@directory\n";
    case Completion::Kind::file:
    case Completion::Kind::profile:
      return any_file;
  }
  return out;
}

std::string offer_words(const CLI::App& app, const Context& context) {
  std::string out;
  for (const CLI::App* command : commands_of(app))
    out += offer(command->get_name(), command->get_description());
  if (!out.empty()) return out;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) out += offer_values(*option, context, {});
  }
  return out;
}

}  // namespace

std::string completion_offers(const CLI::App& root, const Context& context,
                              std::span<const std::string> words) {
  if (words.empty()) return {};
  if (!split_arguments(root, words).program.empty()) return any_file;
  const CLI::App* app = &root;
  const CLI::Option* asking = nullptr;  // its value comes next
  for (const auto& word : words.first(words.size() - 1)) {
    if (asking != nullptr) {
      asking = nullptr;
    } else if (word.starts_with('-')) {
      asking = find_option(*app, word);
      if (asking != nullptr && asking->get_expected_max() == 0) asking = nullptr;
    } else {
      for (const CLI::App* command : commands_of(*app))
        if (command->get_name() == word) app = command;
    }
  }
  if (asking != nullptr) return offer_values(*asking, context, {});
  const std::string& last = words.back();
  if (!last.starts_with('-')) return offer_words(*app, context);
  const auto equals = last.find('=');
  if (equals == std::string::npos) return offer_options(*app);
  const auto* option = find_option(*app, last.substr(0, equals));
  return option != nullptr ? offer_values(*option, context, last.substr(0, equals + 1))
                           : std::string();
}

}  // namespace rnnadvisor::cli
