// rnnadvisor rules: what the rules are, and help for those who write them.
#include <fmt/format.h>

#include "advisor/cli/command_line.h"
#include "advisor/cli/help.h"
#include "advisor/report/rule_pages.h"
#include "advisor/rules/catalog.h"
#include "advisor/rules/rule_files.h"

namespace rnnadvisor::cli {
namespace {

struct RulesArguments {
  std::vector<std::string> directories;
  bool json = false, force = false;
  std::string id, directory, output, cases;
};

// Into folders that are named to be filled, and made.
int write_files(Context& context, const std::vector<std::pair<std::string, std::string>>& files,
                bool force) {
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) paths.push_back(path);
  if (auto writable = check_writable(paths, force, {}, true); !writable)
    return context.report(writable.error());
  for (const auto& [path, text] : files) {
    if (auto written = write_file(path, text, {.make_folders = true}); !written)
      return context.report(written.error());
  }
  return exit_ok;
}

int list(Context& context, const RulesArguments& arguments) {
  const auto rules = advisor::load_rules(arguments.directories);
  if (!rules) return report_failure(context, rules);
  context.out << (arguments.json ? advisor::list_rules_json(*rules)
                                 : advisor::list_rules_text(*rules));
  return exit_ok;
}

int explain(Context& context, const RulesArguments& arguments) {
  const auto rules = advisor::load_rules(arguments.directories);
  if (!rules) return report_failure(context, rules);
  advisor::TextOptions options;
  options.width = context.terminal.width;
  options.color = context.color_output();
  options.ascii = !context.terminal.utf8;
  const auto text = arguments.json ? advisor::explain_rule_json(*rules, arguments.id)
                                   : advisor::explain_rule_text(*rules, arguments.id, options);
  if (!text) return context.report(text.error());
  context.out << *text;
  return exit_ok;
}

int check(Context& context, const RulesArguments& arguments) {
  const auto result = advisor::check_rules(arguments.directory);
  context.out << (arguments.json ? advisor::check_rules_json(result)
                                 : advisor::check_rules_text(result));
  return result.errors.empty() ? exit_ok : exit_bad_input;
}

int facts(Context& context, const RulesArguments& arguments) {
  context.out << (arguments.json ? advisor::list_facts_json() : advisor::list_facts_text());
  return exit_ok;
}

int make_new(Context& context, const RulesArguments& arguments) {
  const auto skeleton = advisor::new_rule(arguments.id);
  if (!skeleton) return context.report(skeleton.error());
  const auto card = fmt::format("{}/{}", arguments.output, skeleton->card_file);
  const auto cases = fmt::format("{}/{}", arguments.cases, skeleton->case_file);
  const int status =
      write_files(context, {{card, skeleton->card}, {cases, skeleton->cases}}, arguments.force);
  if (status == exit_ok) {
    context.note(fmt::format(
        "wrote {} and {}; `rnnadvisor rules facts` lists what a card can compare", card, cases));
  }
  return status;
}

int docs(Context& context, const RulesArguments& arguments) {
  const auto rules = advisor::load_rules(arguments.directories);
  if (!rules) return report_failure(context, rules);
  std::vector<std::pair<std::string, std::string>> files;
  for (auto& [path, text] : advisor::rule_pages(*rules)) {
    files.emplace_back(fmt::format("{}/{}", arguments.output, path), std::move(text));
  }
  const int status = write_files(context, files, arguments.force);
  if (status == exit_ok)
    context.note(fmt::format("wrote {} pages below {}", files.size(), arguments.output));
  return status;
}

using Action = int (*)(Context&, const RulesArguments&);

std::pair<CLI::App*, std::shared_ptr<RulesArguments>> add(CLI::App& rules, Context& context,
                                                          const std::string& name,
                                                          const std::string& description,
                                                          const std::string& footer,
                                                          Action action) {
  auto arguments = std::make_shared<RulesArguments>();
  auto* command = add_command(rules, name, description, footer);
  command->callback([arguments, action, &context] {
    context.action = [arguments, action, &context] { return action(context, *arguments); };
  });
  return {command, arguments};
}

void add_json(CLI::App& command, RulesArguments& arguments) {
  command.add_flag("--json", arguments.json, "as JSON")->group(group_output);
}
void add_force(CLI::App& command, RulesArguments& arguments) {
  command.add_flag("--force", arguments.force, "replace files that exist")->group(group_output);
}
void add_id(CLI::App& command, RulesArguments& arguments, Context& context, bool existing) {
  auto* option =
      command.add_option("id", arguments.id, "topic/name of the rule")->required()->type_name("ID");
  if (existing) context.completions[option] = {Context::Completion::Kind::rules, {}};
}

}  // namespace

void add_rules(CLI::App& app, Context& context) {
  auto* rules = add_command(app, "rules", "List, explain, check and write rules",
                            "Examples:\n"
                            "  rnnadvisor rules list\n"
                            "  rnnadvisor rules explain alignment/hidden-multiple-of-8\n"
                            "  rnnadvisor rules check my-rules");
  rules->require_subcommand(1);

  auto [list_command, list_arguments] =
      add(*rules, context, "list", "Name the rules, a line each", "", list);
  add_json(*list_command, *list_arguments);
  add_rules_option(*list_command, list_arguments->directories, context);

  auto [explain_command, explain_arguments] =
      add(*rules, context, "explain", "Say what a rule looks at, why, and where that is documented",
          "", explain);
  add_id(*explain_command, *explain_arguments, context, true);
  add_json(*explain_command, *explain_arguments);
  add_rules_option(*explain_command, explain_arguments->directories, context);

  auto [check_command, check_arguments] =
      add(*rules, context, "check", "Read the cards of a folder and report every mistake",
          "Every mistake is printed as file:line:column; the exit status is 2 when there is one.",
          check);
  check_arguments->directory = ".";
  auto* directory = check_command
                        ->add_option("directory", check_arguments->directory,
                                     "the folder with the cards (default: this one)")
                        ->type_name("DIR");
  context.completions[directory] = {Context::Completion::Kind::directory, {}};
  add_json(*check_command, *check_arguments);

  auto [facts_command, facts_arguments] =
      add(*rules, context, "facts",
          "List the facts that a card can compare, and the kinds of transform", "", facts);
  add_json(*facts_command, *facts_arguments);

  auto [new_command, new_arguments] = add(
      *rules, context, "new", "Write a card and its cases to start from",
      "Example:\n  rnnadvisor rules new sizes/prefer-512 --output my-rules --cases my-rules-cases",
      make_new);
  add_id(*new_command, *new_arguments, context, false);
  new_arguments->output = "rules";
  new_arguments->cases = "tests/rules";
  auto* cards =
      new_command
          ->add_option("-o,--output", new_arguments->output, "the folder of cards (default: rules)")
          ->type_name("DIR")
          ->group(group_output);
  auto* cases = new_command
                    ->add_option("--cases", new_arguments->cases,
                                 "the folder of cases (default: tests/rules)")
                    ->type_name("DIR")
                    ->group(group_output);
  context.completions[cards] = {Context::Completion::Kind::directory, {}};
  context.completions[cases] = {Context::Completion::Kind::directory, {}};
  add_force(*new_command, *new_arguments);

  auto [docs_command, docs_arguments] =
      add(*rules, context, "docs", "Write a Markdown page for every rule, and an index",
          "Example:\n  rnnadvisor rules docs rule-pages", docs);
  add_path_option(*docs_command, "directory,-o,--output", docs_arguments->output,
                  "the folder of the pages", context, "DIR", Context::Completion::Kind::directory)
      ->required();
  add_force(*docs_command, *docs_arguments);
  add_rules_option(*docs_command, docs_arguments->directories, context);

  add_rules_validate(*rules, context);
}

}  // namespace rnnadvisor::cli
