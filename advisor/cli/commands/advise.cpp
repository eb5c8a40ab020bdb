// rnnadvisor advise: judges a recorded profile.
#include <fmt/format.h>

#include "advisor/cli/code_files.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/verifying.h"
#include "advisor/report/words.h"
#include "advisor/samples/samples.h"

namespace rnnadvisor::cli {
namespace {

struct AdviseArguments {
  std::string profile;
  JudgingOptions judging;
  OutputOptions output;
  VerifyOptions verify;
  std::string code_folder;  // --write-code
  bool verbose = false;
};

int write_code_of(const Context& context, const Profile& profile,
                  const AdviseArguments& arguments) {
  if (arguments.code_folder.empty()) return exit_ok;
  const auto count = write_code(profile, arguments.code_folder, arguments.output.force);
  if (!count) return context.report(count.error());
  context.note(*count > 0 ? fmt::format("wrote {} below {}",
                                        plural(static_cast<long long>(*count), "file"),
                                        arguments.code_folder)
                          : "no confirmed change has code to write: --verify --torch makes some");
  return exit_ok;
}

int judge_recorded(Context& context, const AdviseArguments& arguments) {
  auto judging = prepare_judging(arguments.judging, context.services.predict_for);
  if (!judging) return report_failure(context, judging);
  auto targets = resolve_outputs(arguments.output);
  if (!targets) return context.report(targets.error());
  if (auto writable =
          check_writable(paths_of(*targets), arguments.output.force, {arguments.profile});
      !writable) {
    return context.report(writable.error());
  }
  auto profile = advisor::load_profile(arguments.profile);
  if (!profile) return context.report(profile.error());
  const int status = judge_and_report(
      context, *profile, *judging,
      {.targets = std::move(*targets), .verbose = arguments.verbose, .profile = arguments.profile});
  const int code = write_code_of(context, *profile, arguments);
  return code != exit_ok ? code : status;
}

// What would be tried is a list and no report.
Result<void> dry_run_form(const std::vector<OutputTarget>& targets, VerifyOptions& options) {
  const auto& only = targets.front();
  if (targets.size() > 1 || !only.path.empty() ||
      (only.format != Format::text && only.format != Format::json)) {
    return fail(ErrorCode::invalid_argument,
                "--dry-run lists what would be tried on standard output, as text or as JSON",
                "leave --format out, or give --json");
  }
  options.json = only.format == Format::json;
  if (options.json && options.torch) {
    return fail(ErrorCode::invalid_argument,
                "--dry-run --json lists changes of cuDNN's calls, not those in PyTorch",
                "leave --torch out, or --json");
  }
  return {};
}

// With --verify -o is the profile, as it is for `run`, and reports have their places by --format.
int verify_recorded(Context& context, const AdviseArguments& arguments) {
  auto judging = prepare_judging(arguments.judging, context.services.predict_for);
  if (!judging) return report_failure(context, judging);
  VerifyOptions options = arguments.verify;
  options.output = arguments.output.output;
  options.force = arguments.output.force;
  OutputOptions reports = arguments.output;
  reports.output.clear();
  const auto path = options.in_place         ? arguments.profile
                    : options.output.empty() ? verified_path(arguments.profile)
                                             : options.output;
  const std::string stem = path.ends_with(".rnnprof") ? path.substr(0, path.size() - 8) : path;
  auto targets = resolve_outputs(reports, stem);
  if (!targets) return context.report(targets.error());
  const bool new_profile = !options.dry_run && !options.in_place;
  if (auto writable = check_writable(paths_of(*targets, new_profile ? path : std::string()),
                                     options.force, {arguments.profile});
      !writable)
    return context.report(writable.error());
  auto profile = advisor::load_profile(arguments.profile);
  if (!profile) return context.report(profile.error());
  if (auto good = check_verify_options(options, *profile, arguments.profile, *judging); !good)
    return context.report(good.error());
  if (options.dry_run) {
    if (auto form = dry_run_form(*targets, options); !form) return context.report(form.error());
    return list_candidates(context, *profile, *judging, options, arguments.verbose);
  }

  auto verified = verify(context, std::move(*profile), *judging, arguments.profile, options);
  if (!verified) {
    const int status = context.report(verified.error());
    // Everything that was given was checked before: what is left is the machine.
    return status == exit_interrupted ? status : exit_environment;
  }
  const int status = judge_and_report(context, verified->profile, *judging,
                                      {std::move(*targets), arguments.verbose});
  if (!verified->path.empty()) context.note(fmt::format("wrote {}", verified->path));
  const int code = write_code_of(context, verified->profile, arguments);
  if (verified->status != exit_ok) return verified->status;
  return code != exit_ok ? code : status;
}

void add_verify_options(CLI::App& command, VerifyOptions& options, Context& context) {
  auto* verify = command.add_flag("--verify", options.verify,
                                  "try the suggestions and what a search finds on a GPU, before "
                                  "against after, and write what came of it into a new profile");
  verify->group(group_verifying);
  const auto with_verify = [&](CLI::Option* option) {
    option->needs(verify)->group(group_verifying);
  };
  with_verify(command.add_flag("--dry-run", options.dry_run,
                               "say what would be tried and what would not; needs no GPU"));
  with_verify(add_number(command, "--budget", options.budget_seconds, "SECONDS", group_verifying,
                         "seconds for all of it"));
  auto* torch = command.add_flag("--torch", options.torch,
                                 "also try changes in PyTorch itself: for configurations that a "
                                 "PyTorch program ran, and for those of --configuration");
  with_verify(torch);
  auto* python = command
                     .add_option("--python", options.python,
                                 "the interpreter for --torch (default: that of the recorded "
                                 "program, else python3)")
                     ->type_name("PATH");
  python->needs(torch)->group(group_verifying);
  context.completions[python] = {Context::Completion::Kind::file, {}};
  with_verify(add_repeatable(command, "--configuration", options.configurations,
                             "only this one: its id, or #INDEX (repeatable)")
                  ->type_name("ID"));
  auto* rule = command
                   .add_option("--rule", options.rule,
                               "only what this rule suggests; with --change: only where it fires")
                   ->type_name("RULE");
  with_verify(rule);
  context.completions[rule] = {Context::Completion::Kind::rules, {}};
  with_verify(command
                  .add_option("--change", options.change,
                              "only this change, whatever is expected of it: 'split_layers', "
                              "'pad_batch 64, then algo persist_static'")
                  ->type_name("CHANGE"));
  auto* allow = command
                    .add_option("--allow", options.allow,
                                "changes beyond exact ones: padded, numerics, model (default: "
                                "padded,numerics)")
                    ->type_name("MEANINGS");
  with_verify(allow);
  context.completions[allow] = {Context::Completion::Kind::words,
                                {"exact", "padded", "numerics", "model"}};
  with_verify(add_number(command, "--device", options.device, "N", group_verifying, "the GPU")
                  ->check(CLI::NonNegativeNumber.description("")));
  with_verify(command.add_flag("--in-place", options.in_place,
                               "write into the profile itself, which stays whole if interrupted"));
}

void add_recorded(CLI::App& app, Context& context, const std::string& name,
                  const std::string& description, const std::string& footer, bool verify) {
  auto* command = add_command(app, name, description, footer);
  auto arguments = std::make_shared<AdviseArguments>();
  add_profile_argument(*command, arguments->profile, context);
  add_report_options(*command, arguments->output, arguments->verbose, context, true);
  add_judging_options(*command, arguments->judging, context, "never");
  if (verify) {
    add_verify_options(*command, arguments->verify, context);
    add_path_option(*command, "--write-code", arguments->code_folder,
                    "write the code of confirmed changes below this folder: modules "
                    "to paste, differences; never the program's own files",
                    context, "DIR", Context::Completion::Kind::directory)
        ->group(group_verifying);
  }
  command->callback([arguments, &context] {
    context.action = [arguments, &context] {
      return arguments->verify.verify ? verify_recorded(context, *arguments)
                                      : judge_recorded(context, *arguments);
    };
  });
}

}  // namespace

void add_advise(CLI::App& app, Context& context) {
  add_recorded(app, context, "advise", "Judge a recorded profile and print what to change",
               "Examples:\n"
               "  rnnadvisor advise run.rnnprof\n"
               "  rnnadvisor advise sample:ptb-large --rules my-rules --fail-on warning\n"
               "  rnnadvisor advise run.rnnprof --verify --budget 120 --format html:run.html\n"
               "  rnnadvisor advise run.rnnprof --verify --dry-run\n"
               "  rnnadvisor advise run.rnnprof --verify --torch --write-code changed\n"
               "  rnnadvisor advise run.rnnprof --verify --change 'pad_batch 64'\n"
               "\n"
               "The profile is judged anew, by the rules of this version. With --verify what is "
               "suggested is tried, "
               "and -o names the new profile (default: PROFILE with the ending "
               ".verified.rnnprof); reports have "
               "their places by --format. Ctrl-C ends the trying and keeps what was measured.",
               true);
}

void add_report(CLI::App& app, Context& context) {
  add_recorded(
      app, context, "report", "Write reports on a recorded profile",
      "Examples:\n"
      "  rnnadvisor report run.rnnprof -o run.html\n"
      "  rnnadvisor report run.rnnprof -f json:run.json -f sarif:run.sarif -f text\n"
      "  rnnadvisor report sample:gnmt -f html -f markdown -o gnmt   # gnmt.html, gnmt.md\n"
      "\n"
      "The profile is judged anew, by the rules of this version, as `rnnadvisor advise` "
      "does, which can also try its suggestions on a GPU (--verify).",
      false);
}

}  // namespace rnnadvisor::cli
