// rnnadvisor serve: answers for editors and other programs.
#include <iostream>
#include <memory>

#include "advisor/cli/command_line.h"
#include "advisor/cli/serving.h"

namespace rnnadvisor::cli {
namespace {

struct ServeArguments {
  JudgingOptions judging;
  std::string device;
  bool stdio = false;
};

int serve(Context& context, const ServeArguments& arguments) {
  auto judging = prepare_judging(arguments.judging, context.services.predict_for);
  if (!judging) return report_failure(context, judging);
  Server server(context, std::move(*judging), arguments.device);
  const auto served = serve_rpc(
      std::cin,
      [&](std::string_view messages, bool) {
        context.out << messages;
        context.out.flush();
        return static_cast<bool>(context.out);
      },
      [&](std::string_view method, std::string_view params) {
        return server.call(method, params);
      });
  return served ? exit_ok : context.report(served.error());
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "serve", "Answer editors and other programs by JSON-RPC",
      "Example:\n"
      "  rnnadvisor serve --stdio --device a100\n"
      "\n"
      "JSON-RPC 2.0 on standard input and output, framed as language servers frame it. The methods "
      "check, fit, map, explain, findings and version answer what the commands print with --json; "
      "docs/serve.md has their parameters. The end of standard input ends it with status 0; input "
      "in which the next message cannot be found, with status 2.");
  auto arguments = std::make_shared<ServeArguments>();
  command->add_flag("--stdio", arguments->stdio, "on standard input and output")->required();
  add_rules_option(*command, arguments->judging.rule_directories, context);
  add_device_option(*command, arguments->device, context);
  arguments->judging.fail_on = "never";
  arguments->judging.ignore = context.project.ignore;
  arguments->judging.baseline = context.project.baseline;
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return serve(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
