// rnnadvisor export: a profile for other tools.
#include "advisor/report/export.h"

#include <fmt/format.h>

#include "advisor/cli/command_line.h"
#include "advisor/samples/samples.h"

namespace rnnadvisor::cli {
namespace {

struct ExportArguments {
  std::string profile, format, output;
  bool force = false;
};

using Writer = bool (*)(const Profile&, const advisor::TextSink&);

Writer find_writer(std::string_view format) {
  if (format == "chrome" || format == "perfetto") return advisor::write_chrome_trace;
  if (format == "kernels-csv") return advisor::write_kernels_csv;
  return advisor::write_calls_csv;
}

int export_command(Context& context, const ExportArguments& arguments) {
  const Writer write = find_writer(arguments.format);
  const bool to_file = !arguments.output.empty() && arguments.output != "-";
  if (to_file) {
    if (auto writable = check_writable({arguments.output}, arguments.force, {arguments.profile});
        !writable)
      return context.report(writable.error());
  }
  auto profile = advisor::load_profile(arguments.profile);
  if (!profile) return context.report(profile.error());
  if (!to_file) {
    write(*profile, [&](std::string_view text) { return static_cast<bool>(context.out << text); });
    return exit_ok;
  }
  auto file = OutputFile::open(arguments.output);
  if (!file) return context.report(file.error());
  Result<void> good;
  write(*profile, [&](std::string_view text) {
    good = file->write(text);
    return good.has_value();
  });
  if (good) good = file->commit();
  if (!good) return context.report(good.error());
  context.note(fmt::format("wrote {}", arguments.output));
  return exit_ok;
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "export", "Write a profile for other tools",
      "Examples:\n"
      "  rnnadvisor export run.rnnprof --format perfetto -o run.json\n"
      "  rnnadvisor export run.rnnprof --format kernels-csv | column -s, -t\n"
      "\n"
      "chrome and perfetto are the same trace: open it at ui.perfetto.dev or chrome://tracing.");
  auto arguments = std::make_shared<ExportArguments>();
  add_profile_argument(*command, arguments->profile, context);
  add_word_option(*command, "-f,--format", arguments->format, "the trace, or one of its tables",
                  {"chrome", "perfetto", "kernels-csv", "calls-csv"}, context)
      ->required()
      ->group(group_output);
  add_path_option(*command, "-o,--output", arguments->output,
                  "write here instead of standard output", context);
  command->add_flag("--force", arguments->force, "replace a file that exists")->group(group_output);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return export_command(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
