// rnnadvisor advise: judges a recorded profile.
#include "advisor/cli/command_line.h"
#include "advisor/cli/samples.h"

namespace rnnadvisor::cli {
namespace {

struct Arguments {
  std::string profile;
  JudgingOptions judging;
  OutputOptions output;
  bool verbose = false, verify = false;
};

int judge_recorded(Context& context, const Arguments& arguments) {
  if (arguments.verify) {
    return context.report(Error{ErrorCode::invalid_argument,
                                "--verify: trying suggestions is not available yet",
                                "leave --verify out to judge the profile as it is",
                                std::nullopt,
                                {}});
  }
  auto judging = prepare_judging(arguments.judging);
  if (!judging) return report_failure(context, judging);
  auto targets = resolve_outputs(arguments.output);
  if (!targets) return context.report(targets.error());
  if (auto writable = check_writable(*targets, arguments.output.force); !writable) {
    return context.report(writable.error());
  }
  auto profile = load_profile(arguments.profile);
  if (!profile) return context.report(profile.error());
  return judge_and_report(context, *profile, *judging, {std::move(*targets), arguments.verbose});
}

void add_recorded(CLI::App& app, Context& context, const std::string& name,
                  const std::string& description, const std::string& footer, bool verify) {
  auto* command = add_command(app, name, description, footer);
  auto arguments = std::make_shared<Arguments>();
  add_profile_argument(*command, arguments->profile, context);
  add_report_options(*command, arguments->output, arguments->verbose, context, true);
  add_judging_options(*command, arguments->judging, context, "never");
  if (verify) {
    command
        ->add_flag("--verify", arguments->verify,
                   "try the suggestions on this GPU (not available yet)")
        ->group(group_judging);
  }
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return judge_recorded(context, *arguments); };
  });
}

}  // namespace

void add_advise(CLI::App& app, Context& context) {
  add_recorded(app, context, "advise", "Judge a recorded profile and print what to change",
               "Examples:\n"
               "  rnnadvisor advise run.rnnprof\n"
               "  rnnadvisor advise sample:ptb-large --rules my-rules --fail-on warning\n"
               "\n"
               "The profile is judged anew, by the rules of this version.",
               true);
}

void add_report(CLI::App& app, Context& context) {
  add_recorded(app, context, "report", "Write reports on a recorded profile",
               "Examples:\n"
               "  rnnadvisor report run.rnnprof --format html -o run.html\n"
               "  rnnadvisor report run.rnnprof -f json:run.json -f sarif:run.sarif -f text\n"
               "  rnnadvisor report sample:gnmt -f html -f markdown -o reports/",
               false);
}

}  // namespace rnnadvisor::cli
