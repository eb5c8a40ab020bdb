// rnnadvisor fit: the largest batch or length that fits into memory.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/cli/asking.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/fitting_report.h"
#include "profiler/classify/memory_use.h"

namespace rnnadvisor::cli {
namespace {

struct FitArguments {
  ConfigurationOptions configurations;
  JudgingOptions judging;
  std::string largest = std::string(default_largest), memory, device,
              optimizer = std::string(default_optimizer);
  int call = -1, gpu = 0;
  bool try_it = false, json = false;
  CLI::Option* gpu_option = nullptr;
};

Result<void> check_try(const FitArguments& arguments,
                       const std::vector<advisor::AskedConfiguration>& subjects) {
  if (!arguments.try_it) {
    if (arguments.gpu_option->count() > 0)
      return fail(ErrorCode::invalid_argument, "--gpu goes with --try", "");
    return {};
  }
  if (!arguments.device.empty()) {
    return fail(ErrorCode::invalid_argument, "--try runs on a GPU of this machine",
                "leave --device out; --gpu chooses among several");
  }
  for (const auto& subject : subjects) {
    if (subject.input.program.name == Framework::pytorch) {
      return fail(ErrorCode::invalid_argument, "--try runs calls of cuDNN, not PyTorch",
                  "leave --framework out to try the call alone, or --try");
    }
  }
  return {};
}

int fit_command(Context& context, const FitArguments& arguments) {
  auto subjects = read_asked_configurations(arguments.configurations, arguments.call);
  if (!subjects) return report_failure(context, subjects);
  auto judging = prepare_judging(arguments.judging);
  if (!judging) return report_failure(context, judging);
  if (auto good = check_try(arguments, subjects->list); !good) return context.report(good.error());
  const auto terms = read_fit_terms(arguments.largest, arguments.memory, arguments.optimizer);
  if (!terms) return context.report(terms.error());
  // A recorded configuration is asked about on its own device, unless another is named or the trial
  // is here.
  std::optional<DeviceSpec> chosen;
  if (!arguments.device.empty() || arguments.try_it || !subjects->list.front().device) {
    auto device = choose_device(context, arguments.device);
    if (!device) return context.report(device.error());
    chosen = std::move(*device);
  }

  std::vector<AnsweredFit> answers;
  int status = exit_ok;
  std::vector<MemoryUse> uses;  // of the recorded program, by configuration
  if (subjects->profile) uses = memory_use(*subjects->profile);
  for (auto& subject : subjects->list) {
    const auto use =
        subject.recorded ? uses[static_cast<std::size_t>(subject.configuration)] : MemoryUse{};
    auto question = fit_question(*terms, std::move(subject), use, chosen);
    if (!question) return context.report(question.error());
    AnsweredFit answered{
        *question, advisor::find_fit(*question, judging->rules, judging->options), {}};
    const auto& [asked, fit, trial] = answered;
    if (arguments.try_it) {
      auto tried = advisor::try_fit(
          asked,
          {arguments.gpu, terms->memory, context.command_line, context.services.watch_interrupts()},
          context.services.run_configurations);
      if (!tried) {
        const int failed = context.report(tried.error());
        // Everything that was given was checked before: what is left is the machine.
        return failed == exit_interrupted ? failed : exit_environment;
      }
      answered.trial = std::move(*tried);
    }
    const bool interrupted = trial && trial->outcome == Outcome::interrupted;
    const bool tried = !trial || trial->outcome == Outcome::completed;
    if (!tried || fit.need.size == 0 || !fit.refused.empty())
      status = std::max<int>(status, exit_findings);
    answers.push_back(std::move(answered));
    if (interrupted) {
      status = exit_interrupted;
      break;
    }
  }
  if (arguments.json) {
    context.out << fit_json(answers);
    return status;
  }
  for (std::size_t i = 0; i < answers.size(); ++i)
    context.out << (i > 0 ? "\n" : "") << fit_text(answers[i], context.terminal.width);
  return status;
}

}  // namespace

void add_fit(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "fit", "Find the largest batch or length that fits into memory",
      "Examples:\n"
      "  rnnadvisor fit --cell lstm --hidden-size 2048 --seq-length 500 --device a100\n"
      "  rnnadvisor fit network.toml --largest length --mode inference --memory 40GiB\n"
      "  rnnadvisor fit network.toml --framework pytorch --optimizer sgd\n"
      "  rnnadvisor fit run.rnnprof --call 3\n"
      "  rnnadvisor fit network.toml --try\n"
      "\n"
      "The need is computed; nothing is allocated. For a program in PyTorch it is what PyTorch's "
      "allocator takes for a step of the module, else what one call of cuDNN takes; a program's "
      "other tensors do not count, unless a profile has recorded its memory. --try asks cuDNN on "
      "this machine for the sizes and runs the largest that fits; every need is compared with "
      "free memory before anything is allocated. The exit status is 1 when not even a size of 1 "
      "fits, cuDNN would refuse the configuration as it is given or at the largest size, its "
      "framework stops with an error, or what was tried did not run.");
  auto arguments = std::make_shared<FitArguments>();
  add_configuration_options(*command, arguments->configurations, context);
  auto* files = command->get_option("files");
  files->description(
      "configurations: .toml, .jsonl or .json, - for JSON Lines on standard input; models: .onnx, "
      ".keras or .safetensors; or one "
      ".rnnprof, or sample:NAME");
  const auto word_option = [&](const std::string& name, std::string& target,
                               const std::string& description, std::vector<std::string> words) {
    return add_word_option(*command, name, target, description, std::move(words), context)
        ->group(group_running);
  };
  word_option("--largest", arguments->largest, "what may grow (default: batch)",
              {"batch", "length"});
  command
      ->add_option("--memory", arguments->memory,
                   "room for the buffers, 40GiB (default: that of the device, without 512 MiB)")
      ->type_name("BYTES")
      ->group(group_running);

  word_option("--optimizer", arguments->optimizer,
              "PyTorch: whose state counts in training (default: adam)",
              {"none", "sgd", "sgd_momentum", "adam"});
  command->add_option("--call", arguments->call, "profile: the configuration of this call, from 0")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N")
      ->group(group_running);
  command
      ->add_flag("--try", arguments->try_it,
                 "run the largest size on a GPU of this machine, and nothing that does not fit")
      ->group(group_running);
  arguments->gpu_option =
      command->add_option("--gpu", arguments->gpu, "--try: the GPU (default: 0)")
          ->check(CLI::NonNegativeNumber.description(""))
          ->type_name("N")
          ->group(group_running);
  command->add_flag("--json", arguments->json, "as JSON")->group(group_output);
  add_device_option(*command, arguments->device, context);
  arguments->judging.fail_on = "never";
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return fit_command(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
