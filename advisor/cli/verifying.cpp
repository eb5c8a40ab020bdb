#include "advisor/cli/verifying.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "advisor/cli/configurations.h"
#include "advisor/cli/gpu_choice.h"
#include "advisor/cli/help.h"
#include "advisor/cli/output.h"
#include "advisor/cli/progress.h"
#include "advisor/cli/torch_interpreter.h"
#include "advisor/cli/torch_trying.h"
#include "advisor/cli/trying_plan.h"
#include "advisor/facts/experiments.h"
#include "advisor/judge/judge.h"
#include "advisor/report/words.h"
#include "advisor/rules/rule.h"
#include "advisor/whatif/predicted_change.h"
#include "advisor/whatif/record.h"
#include "advisor/whatif/search.h"
#include "core/base/text.h"
#include "profiler/profile/devices.h"
#include "profiler/profile/environment.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

// Of the time of a configuration that is tried in both ways PyTorch gets this much: a sample is
// longer there, and importing it is in.
constexpr double torch_share = 0.6;

std::string cudnn_here(const Context& context) {
  return describe_machine(context.command_line, context.services.inspect_machine()).cudnn_version;
}

// Those named by --configuration, in the order named.
Result<std::vector<int>> wanted(const VerifyOptions& options, const Profile& profile) {
  std::vector<int> list;
  std::vector<std::string_view> known;
  const auto tried = advisor::tried_configurations(profile);
  for (std::size_t i = 0; i < profile.configurations.size(); ++i)
    if (!tried[i]) known.push_back(profile.configurations[i].config.id);
  for (const auto& name : options.configurations) {
    const auto before = list.size();
    std::size_t number = 0;
    const auto* end = name.data() + name.size();
    const bool index = name.starts_with('#') &&
                       std::from_chars(name.data() + 1, end, number).ptr == end && name.size() > 1;
    for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
      const auto& each = profile.configurations[i];
      if (!tried[i] && each.described() && (index ? i == number : each.config.id == name))
        list.push_back(static_cast<int>(i));
    }
    if (list.size() == before) {
      return fail(ErrorCode::not_found,
                  fmt::format("--configuration: the profile has no '{}'", to_valid_utf8(name)),
                  did_you_mean(name, known).empty()
                      ? "name the id of a configuration, or #0 for the first"
                      : did_you_mean(name, known));
    }
  }
  return list;
}

std::vector<int> chosen(const VerifyOptions& options, const Profile& profile,
                        const advisor::Judgement& judgement) {
  auto named = wanted(options, profile);
  if (named && !named->empty()) return std::move(*named);
  return advisor::worth_trying(profile, judgement.findings);
}

std::vector<advisor::Proposal> proposals_for(const Profile& profile,
                                             const advisor::Judgement& judgement,
                                             const std::vector<int>& configurations,
                                             const DeviceSpec& device,
                                             const advisor::ProposeOptions& options) {
  std::vector<advisor::Proposal> proposals;
  for (const int configuration : configurations)
    proposals.push_back(
        advisor::propose(profile, configuration, judgement.findings, device, options));
  return proposals;
}

// What PyTorch says of its device, where the driver told us nothing.
DeviceSpec spec_of(const advisor::TorchEnvironment& environment) {
  DeviceSpec spec;
  spec.name = environment.device;
  spec.compute_major = environment.compute_major;
  spec.compute_minor = environment.compute_minor;
  spec.sm_count = environment.multiprocessors;
  spec.memory_bytes = environment.memory_bytes;
  return spec;
}

// The GPU on which PyTorch is to be used, once it has shown that it can.
Result<DeviceSpec> gpu_of_torch(const Context& context, const TorchTrying& trying) {
  TorchRunOptions options;
  options.python = trying.python;
  options.stop = trying.stop;
  auto environment = probe_torch(trying.device, options);
  if (!environment) return fail(environment.error());
  context.note(fmt::format("PyTorch {} by {}, on {}", environment->torch, trying.python,
                           environment->device));
  const auto machine = context.services.inspect_machine();
  for (const auto& gpu : machine.gpus)
    if (gpu.ordinal == trying.device && gpu.usable) return gpu.spec;
  return spec_of(*environment);
}

Profile with_torch(Profile profile, TorchTried tried, const DeviceSpec& device) {
  if (tried.experiments.empty()) return profile;
  const int where = add_device(profile, device);
  for (std::size_t i = 0; i < tried.experiments.size(); ++i) {
    tried.experiments[i].device = where;
    for (auto& changed : tried.changed[i]) changed.device = where;
    advisor::add_experiment(profile, std::move(tried.experiments[i]), tried.changed[i]);
  }
  return profile;
}

void note_torch(const Context& context, const TorchTried& tried) {
  const auto confirmed =
      std::count_if(tried.experiments.begin(), tried.experiments.end(),
                    [](const auto& e) { return e.verdict == ExperimentVerdict::confirmed; });
  context.note(fmt::format("tried {} in PyTorch in {}, {} confirmed",
                           plural(static_cast<long long>(tried.experiments.size()), "change"),
                           format_duration(tried.seconds), confirmed));
  if (tried.not_reached > 0)
    context.note(fmt::format("{} not reached in PyTorch; a longer --budget tries more",
                             plural(tried.not_reached, "change was", "changes were")));
}

void note_end(const Context& context, const Profile& profile, const advisor::SearchResult& result) {
  const auto confirmed = std::count_if(
      result.trials.begin(), result.trials.end(),
      [](const auto& trial) { return trial.verdict == ExperimentVerdict::confirmed; });
  context.note(fmt::format("tried {} in {}, {} confirmed",
                           plural(static_cast<long long>(result.trials.size()), "change"),
                           format_duration(result.seconds), confirmed));
  if (!result.left_out.empty()) {
    context.note(
        fmt::format("{} not reached, the first {}; a longer --budget or --configuration tries more",
                    plural(static_cast<long long>(result.left_out.size()), "configuration was",
                           "configurations were"),
                    configuration_name(profile, result.left_out.front())));
  }
}

constexpr std::string_view no_torch_program =
    "no configuration is of a PyTorch program: --configuration ID tries one there "
    "anyway";

advisor::SearchResult search_cudnn(const Context& context, const Profile& profile,
                                   std::vector<advisor::Proposal> proposals,
                                   const DeviceSpec& device, int ordinal,
                                   advisor::SearchOptions search) {
  const auto experimenter = [&](const ExperimentRequest& request) {
    return context.services.run_experiment(request, ordinal, search.stop);
  };
  const auto open = std::count_if(proposals.begin(), proposals.end(),
                                  [](const auto& p) { return !p.candidates.empty(); });
  advisor::SearchResult result;
  {
    Progress progress(context, static_cast<int>(open));
    search.on_progress = [&](const advisor::SearchProgress& state) {
      progress.show(
          state.finished,
          fmt::format("{}: {}, round {}", configuration_name(profile, state.configuration),
                      plural(static_cast<long long>(state.variants), "change"), state.round));
    };
    result = advisor::search(profile, std::move(proposals), device, experimenter, search);
  }
  note_end(context, profile, result);
  return result;
}

}  // namespace

Result<advisor::ProposeOptions> propose_options(const VerifyOptions& options) {
  advisor::ProposeOptions made;
  made.rule = options.rule;
  if (!options.change.empty()) {
    auto only = advisor::parse_change_words(options.change);
    if (!only) {
      Error error = only.error();
      error.message = "--change: " + error.message;
      if (error.remedy.empty()) error.remedy = "'rnnadvisor rules facts' lists the changes";
      return fail(std::move(error));
    }
    made.only = std::move(*only);
  }
  made.padded = made.numerics = made.model = false;
  static constexpr std::string_view words[] = {"exact", "padded", "padding", "numerics", "model"};
  std::string_view rest = options.allow;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    const auto word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word == "padded" || word == "padding") {
      made.padded = true;
    } else if (word == "numerics") {
      made.numerics = true;
    } else if (word == "model") {
      made.model = true;
    } else if (word != "exact") {
      const auto hint = did_you_mean(word, words);
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--allow: '{}' is no meaning of a change", to_valid_utf8(word)),
                  hint.empty() ? "use exact, padded, numerics, model" : hint);
    }
  }
  return made;
}

std::string verified_path(const std::string& profile) {
  constexpr std::string_view sample = "sample:", ending = ".rnnprof";
  std::string stem = profile;
  // Here, whatever folder it has among the samples.
  if (profile.starts_with(sample))
    stem = profile.substr(std::max(sample.size(), profile.rfind('/') + 1));
  if (stem.ends_with(ending)) stem.resize(stem.size() - ending.size());
  if (stem.ends_with(".verified")) stem.resize(stem.size() - std::string_view(".verified").size());
  return stem + ".verified.rnnprof";
}

Result<void> check_verify_options(const VerifyOptions& options, const Profile& profile,
                                  const std::string& path, const Judging& judging) {
  if (auto allowed = propose_options(options); !allowed) return fail(allowed.error());
  if (auto named = wanted(options, profile); !named) return fail(named.error());
  if (!options.rule.empty() && judging.rules.find(options.rule) == nullptr) {
    std::vector<std::string_view> ids;
    for (const auto& rule : judging.rules.rules) ids.push_back(rule.id);
    return fail(ErrorCode::not_found,
                fmt::format("--rule: no rule is called '{}'", to_valid_utf8(options.rule)),
                did_you_mean(options.rule, ids));
  }
  if (!(options.budget_seconds > 0))
    return fail(ErrorCode::invalid_argument, "--budget must be more than 0 seconds");
  if (options.in_place && !options.output.empty())
    return fail(ErrorCode::invalid_argument, "--in-place and -o name two places", "leave one out");
  if (options.in_place && path.starts_with("sample:")) {
    return fail(ErrorCode::invalid_argument, "a sample travels in the program and stays as it is",
                "leave --in-place out: the result is a new file");
  }
  return {};
}

int list_candidates(const Context& context, const Profile& profile, const Judging& judging,
                    const VerifyOptions& options, bool verbose) {
  const auto judgement = advisor::judge(profile, judging.rules, judging.options);
  auto propose = propose_options(options);
  if (!propose) return context.report(propose.error());
  const auto configurations = chosen(options, profile, judgement);
  std::vector<int> in_torch;
  if (options.torch) {
    in_torch = torch_configurations(profile, configurations, !options.configurations.empty());
  }
  int status = exit_ok;
  std::vector<TryingPlan> plans;
  {
    Progress progress(context, static_cast<int>(configurations.size()));
    for (const int configuration : configurations) {
      progress.show(static_cast<int>(&configuration - configurations.data()),
                    configuration_name(profile, configuration));
      const auto at = static_cast<std::size_t>(configuration);
      const auto device = static_cast<std::size_t>(profile.configurations[at].device);
      TryingPlan plan;
      plan.configuration = configuration;
      plan.name = configuration_name(profile, configuration);
      if (profile.configurations[at].device < 0 || device >= profile.devices.size()) {
        plan.nothing = "the device is not known, so nothing can be predicted";
        plans.push_back(std::move(plan));
        continue;
      }
      plan.device = profile.devices[device].name;
      advisor::ProposeOptions of_calls = *propose;
      if (context.services.predict_for)
        of_calls.predict =
            advisor::predict_with(context.services.predict_for(profile.devices[device]),
                                  advisor::parse_version(profile.environment.cudnn_version));
      add_proposal(plan, advisor::propose(profile, configuration, judgement.findings,
                                          profile.devices[device], of_calls));
      plans.push_back(std::move(plan));
      if (std::find(in_torch.begin(), in_torch.end(), configuration) == in_torch.end()) continue;
      TorchTrying trying;
      trying.python = torch_interpreter(options.python, profile);
      trying.budget_seconds = options.budget_seconds;
      trying.propose = *propose;
      trying.spec = profile.devices[device];
      trying.findings = judgement.findings;
      if (auto planned = plan_in_torch(profile, configuration, trying); planned)
        plans.push_back(std::move(*planned));
      else
        status = std::max(context.report(planned.error()), exit_environment);
    }
  }
  write_plans(context, profile, plans, options.json, verbose);
  if (options.torch && in_torch.empty()) context.note(no_torch_program);
  return status;
}

Result<Verified> verify(const Context& context, Profile profile, const Judging& judging,
                        const std::string& path, const VerifyOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto left = [&] {
    return options.budget_seconds -
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  auto propose = propose_options(options);
  if (!propose) return fail(propose.error());
  const auto judgement = advisor::judge(profile, judging.rules, judging.options);
  const auto configurations = chosen(options, profile, judgement);

  TorchTrying torch;
  if (options.torch) {
    torch.configurations =
        torch_configurations(profile, configurations, !options.configurations.empty());
    if (torch.configurations.empty()) context.note(no_torch_program);
  }
  auto device = gpu_for(context, options.device, "--verify",
                        "--dry-run says what would be tried, on any machine");
  if (!device && torch.configurations.empty()) return fail(device.error());

  // Times were measured on bare calls: what PyTorch's own launches cost is not in them.
  advisor::ProposeOptions of_calls = *propose;
  if (device && context.services.predict_for)
    of_calls.predict = advisor::predict_with(context.services.predict_for(*device),
                                             advisor::parse_version(cudnn_here(context)));
  advisor::SearchOptions search;
  search.propose = of_calls;
  search.stop = context.services.watch_interrupts();
  if (!torch.configurations.empty()) {
    // Before anything is measured: what stands in its way is not told after a minute.
    torch.python = torch_interpreter(options.python, profile);
    torch.device = options.device;
    torch.propose = *propose;
    torch.stop = search.stop;
    torch.findings = judgement.findings;
    auto spec = gpu_of_torch(context, torch);
    if (!spec) return fail(spec.error());
    torch.spec = std::move(*spec);
  }

  advisor::SearchResult result;
  if (device) {
    const double part = torch_share * static_cast<double>(torch.configurations.size()) /
                        static_cast<double>(std::max<std::size_t>(1, configurations.size()));
    search.budget_seconds = std::max(left(), advisor::least_seconds) * (1 - part);
    result = search_cudnn(context, profile,
                          proposals_for(profile, judgement, configurations, *device, of_calls),
                          *device, options.device, search);
  } else {
    context.note(fmt::format("cuDNN's own calls are not tried: {}", device.error().message));
  }
  TorchTried in_torch;
  if (!torch.configurations.empty() && !result.interrupted && !result.error) {
    torch.budget_seconds = left();
    torch.trials = result.trials;
    in_torch = try_in_torch(context, profile, torch);
    note_torch(context, in_torch);
  }

  const auto error = result.error ? result.error : in_torch.error;
  const bool interrupted = result.interrupted || in_torch.interrupted;
  if (result.trials.empty() && in_torch.experiments.empty()) {
    if (error) return fail(*error);
    Verified nothing{std::move(profile), {}, interrupted ? exit_interrupted : exit_ok};
    if (!interrupted) context.note("there was nothing to try: the profile is as it was");
    return nothing;
  }
  Verified verified;
  if (device) profile = advisor::with_trials(std::move(profile), result.trials, *device);
  verified.profile = with_torch(std::move(profile), std::move(in_torch), torch.spec);
  verified.path = options.in_place         ? path
                  : options.output.empty() ? verified_path(path)
                                           : options.output;
  const bool replace = options.in_place || options.force;
  if (auto written = write_profile(verified.profile, verified.path, replace); !written)
    return fail(written.error());
  if (error) verified.status = std::max(context.report(*error), exit_environment);
  if (interrupted) verified.status = exit_interrupted;
  return verified;
}

}  // namespace rnnadvisor::cli
