// rnnadvisor check: everything that can be said of a configuration without running it.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>

#include "advisor/cli/batch.h"
#include "advisor/cli/command_line.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

struct CheckArguments {
  ConfigurationOptions configurations;
  JudgingOptions judging;
  OutputOptions output;
  std::string device, batch, save;
  bool verbose = false, no_findings = false;
};

// What judging needs beside the configurations: the same for one and for every line of a batch, so
// that both come to the same findings and to the same exit status.
struct Prepared {
  Judging judging;
  JudgedDevice on;
};

// An int is the exit status of what was reported.
tl::expected<Prepared, int> prepare(Context& context, const CheckArguments& arguments) {
  auto judging = prepare_judging(arguments.judging);
  if (!judging) return tl::unexpected(report_failure(context, judging));
  auto device = judged_device(context, arguments.device);
  if (!device) return tl::unexpected(context.report(device.error()));
  judging->options.predict_for = device->predict_for;
  return Prepared{std::move(*judging), std::move(*device)};
}

int check_batch(Context& context, const CheckArguments& arguments) {
  if (!arguments.configurations.files.empty() || !arguments.configurations.flags.empty()) {
    return context.report(
        usage("--batch takes its configurations from its file alone", "leave the others out"));
  }
  const auto& judging = arguments.judging;
  if (judging.baseline != context.project.baseline || !judging.write_baseline.empty())
    return context.report(
        usage("--batch knows no baseline", "leave --baseline and --write-baseline out"));
  if (!judging.baseline.empty())
    context.note(fmt::format("--batch knows no baseline: {} is passed over", judging.baseline));
  for (const auto& format : arguments.output.formats) {
    if (format != "jsonl")
      return context.report(usage("--batch answers in --format jsonl only", ""));
  }
  auto prepared = prepare(context, arguments);
  if (!prepared) return prepared.error();

  auto options = batch_options(prepared->on, prepared->judging, !arguments.no_findings);
  // The same status as for one configuration: an error that only the answers tell would pass in CI.
  if (options.rules != nullptr) options.fail_on = prepared->judging.fail_on;

  std::ifstream file;
  const bool standard_input = arguments.batch == "-";
  if (!standard_input) {
    file.open(arguments.batch, std::ios::binary);
    // A folder opens, and fails at the first read.
    if (!file || (file.peek(), file.bad())) {
      return context.report(Error{ErrorCode::not_found,
                                  fmt::format("cannot read '{}'", arguments.batch),
                                  "give a JSON Lines file, or - for standard input",
                                  std::nullopt,
                                  {}});
    }
    file.clear();
    file.seekg(0);
  }
  std::istream& in = standard_input ? std::cin : file;
  const std::string name = standard_input ? "standard input" : arguments.batch;
  const std::string& output = arguments.output.output;
  // Where Ctrl-C ends it, what was printed ends with a whole line, and a file stays as it was.
  const auto* stop =
      context.services.watch_interrupts ? context.services.watch_interrupts() : nullptr;
  const auto stopped = [stop] { return stop != nullptr && *stop; };
  if (output.empty() || output == "-") {
    const int status = answer_batch(
        in, name,
        [&](std::string_view answers, bool waits) {
          context.out << answers;
          if (waits || stopped()) context.out.flush();
          return context.out && !stopped();
        },
        options);
    return context.out && stopped() ? exit_interrupted : status;
  }
  if (auto writable = check_writable({output}, arguments.output.force, {arguments.batch});
      !writable)
    return context.report(writable.error());
  auto written = OutputFile::open(output);
  if (!written) return context.report(written.error());
  Result<void> good;
  const int status = answer_batch(
      in, name,
      [&](std::string_view answers, bool) {
        good = written->write(answers);
        return good && !stopped();
      },
      options);
  if (good && stopped()) {
    context.note(fmt::format("interrupted: '{}' was not written", output));
    return exit_interrupted;
  }
  if (good) good = written->commit();
  return good ? status : context.report(good.error());
}

int check(Context& context, const CheckArguments& arguments) {
  if (!arguments.batch.empty()) return check_batch(context, arguments);
  if (arguments.no_findings) {
    return context.report(Error{
        ErrorCode::invalid_argument, "--no-findings goes with --batch", "", std::nullopt, {}});
  }
  auto configurations = read_configurations(arguments.configurations);
  if (!configurations) return report_failure(context, configurations);
  auto targets = resolve_outputs(arguments.output);
  if (!targets) return context.report(targets.error());
  if (auto writable = check_writable(paths_of(*targets, arguments.save), arguments.output.force,
                                     arguments.configurations.files);
      !writable)
    return context.report(writable.error());
  const auto prepared = prepare(context, arguments);
  if (!prepared) return prepared.error();
  const auto& [judging, on] = *prepared;
  const Profile profile = static_profile(*configurations, on.device, context.command_line);
  const auto predicted = advisor::predict_times(profile, on.device, on.times.get());
  const int status =
      judge_and_report(context, profile, judging,
                       {std::move(*targets), arguments.verbose, positions_of(*configurations),
                        &predicted, judging.options.predict_for});
  if (!arguments.save.empty()) {
    if (auto written = write_profile(profile, arguments.save, arguments.output.force); !written) {
      return context.report(written.error());
    }
    context.note(fmt::format("wrote {}", arguments.save));
  }
  return status;
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "check", "Judge configurations without running them",
      "Examples:\n"
      "  rnnadvisor check --cell lstm --hidden-size 1000 --data-type half --device a100\n"
      "  rnnadvisor check network.toml --batch-size 96 -o network.html\n"
      "  rnnadvisor check model.onnx --batch-size 32 --seq-length 100 --device a100\n"
      "  rnnadvisor check --batch many.jsonl --device nvidia-h200 --format jsonl > answers.jsonl\n"
      "\n"
      "With files, options that name a configuration key replace that key in every configuration. "
      "Recurrent layers of a model (.onnx, .keras, .safetensors) are judged as its runtime would "
      "call them, and what its file leaves open comes from these options. "
      "--batch answers every line with one line of JSON: what cuDNN would accept, which "
      "implementation would run, the sizes of its buffers, the predicted times of every algorithm "
      "and the findings, the same as without --batch. All cores answer; --no-findings is ten times "
      "as quick, because findings compare many changes of a layer by predicted times. A line that "
      "is wrong is answered with its error, the others go on, and the exit status is 2; findings "
      "make it 1 as without --batch.");
  auto arguments = std::make_shared<CheckArguments>();
  add_configuration_options(*command, arguments->configurations, context);
  add_report_options(*command, arguments->output, arguments->verbose, context, true);
  add_judging_options(*command, arguments->judging, context, "error");
  add_device_option(*command, arguments->device, context);
  auto* batch = command
                    ->add_option("--batch", arguments->batch,
                                 "JSON Lines in, one answer a line out; - is standard input")
                    ->type_name("FILE")
                    ->group(group_output);
  context.completions[batch] = {Context::Completion::Kind::file, {}};
  command->add_flag("--no-findings", arguments->no_findings, "--batch: leave the findings out")
      ->group(group_output);
  add_path_option(*command, "--save", arguments->save,
                  "also write the configurations as a profile without measurements", context);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return check(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
