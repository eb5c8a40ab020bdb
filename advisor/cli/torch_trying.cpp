#include "advisor/cli/torch_trying.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "advisor/cli/configurations.h"
#include "advisor/cli/help.h"
#include "advisor/cli/progress.h"
#include "advisor/facts/experiments.h"
#include "advisor/whatif/torch/torch_request.h"
#include "core/base/text.h"
#include "core/model/memory.h"

namespace rnnadvisor::cli {
namespace {

using advisor::TorchCandidate;
using advisor::TorchProposal;
using advisor::TorchResult;
using Status = TorchResult::Status;

// What a change needs for a few rounds of two phases, their comparison with float64, and its share
// of importing PyTorch. On an H200 20 changes took 110 s.
constexpr double seconds_each = 4;
constexpr std::size_t least_changes = 3;
// Of a configuration's time, for what its winners make together.
constexpr double combining_share = 0.35;

TorchProposal proposal_for(const Profile& profile, int configuration, const TorchTrying& trying,
                           double seconds) {
  auto options = trying.propose;
  options.most = std::min(
      options.most, std::max(least_changes, static_cast<std::size_t>(seconds / seconds_each)));
  return advisor::propose_for_torch(profile, configuration, trying.findings, trying.spec, options,
                                    trying.trials);
}

advisor::TorchRequest request_for(const Profile& profile, int configuration,
                                  const TorchTrying& trying, const TorchProposal& proposal,
                                  double seconds) {
  auto request = advisor::torch_request(profile, configuration);
  request.candidates = proposal.candidates;
  request.device = trying.device;
  request.budget_seconds = seconds;
  std::error_code failed;
  const auto here = std::filesystem::current_path(failed);
  if (request.site && !failed) request.site->root = here.string();
  return request;
}

TorchRunOptions run_options(const TorchTrying& trying) {
  TorchRunOptions options;
  options.python = trying.python;
  options.stop = trying.stop;
  return options;
}

// The calls that PyTorch makes of it by its own source: what they compute in decides how far
// results may move.
std::vector<Configuration> changed_of(const Profile& profile, int configuration,
                                      const TorchCandidate& candidate) {
  const auto& original = profile.configurations[static_cast<std::size_t>(configuration)];
  std::vector<Configuration> changed;
  if (candidate.calls.size() == 1 && candidate.calls.front() == original.config) return changed;
  for (const auto& call : candidate.calls) {
    Configuration made;
    made.config = call;
    made.program = original.program;
    made.origin = Origin::run;
    made.outcome = Outcome::completed;
    made.sizes = model::space_sizes(call);
    changed.push_back(std::move(made));
  }
  return changed;
}

void keep(TorchTried& tried, const Profile& profile, const TorchProposal& proposal,
          const TorchAnswer& answer) {
  for (std::size_t i = 0; i < proposal.candidates.size(); ++i) {
    const auto& candidate = proposal.candidates[i];
    const auto& result = answer.results[i];
    if (result.status == Status::none) {
      ++tried.not_reached;
      continue;
    }
    // Not tried is no trial: --dry-run tells these.
    if (result.status == Status::not_applicable) continue;
    tried.experiments.push_back(
        advisor::torch_experiment(candidate, result, profile, proposal.configuration));
    tried.changed.push_back(result.status == Status::measured
                                ? changed_of(profile, proposal.configuration, candidate)
                                : std::vector<Configuration>{});
  }
}

// One process, and others in its place where it dies.
void one_round(const Context& context, const Profile& profile, const TorchTrying& trying,
               const TorchProposal& proposal, double seconds, const TorchRunOptions& options,
               TorchTried& tried) {
  const auto answer =
      run_torch(request_for(profile, proposal.configuration, trying, proposal, seconds), options);
  if (!answer) {
    tried.error = answer.error();
    return;
  }
  if (!answer->refused.empty()) {
    context.note(fmt::format("{} cannot be tried in PyTorch: {}",
                             configuration_name(profile, proposal.configuration), answer->refused));
    return;
  }
  keep(tried, profile, proposal, *answer);
  tried.interrupted = answer->interrupted;
}

// Pairs of what was confirmed from experiment `first` on, the fastest first.
TorchProposal combined(const Profile& profile, const TorchTrying& trying,
                       const TorchProposal& proposal, const TorchTried& tried, std::size_t first) {
  TorchProposal made;
  made.configuration = proposal.configuration;
  const auto mode =
      profile.configurations[static_cast<std::size_t>(proposal.configuration)].config.mode;
  std::vector<std::pair<double, std::size_t>> confirmed;
  for (std::size_t e = first; e < tried.experiments.size(); ++e) {
    const auto& experiment = tried.experiments[e];
    if (experiment.verdict != ExperimentVerdict::confirmed) continue;
    const auto* timing = advisor::deciding_timing(experiment.timings, mode);
    for (std::size_t c = 0; timing != nullptr && c < proposal.candidates.size(); ++c)
      if (advisor::to_json(proposal.candidates[c].transforms) == experiment.transforms)
        confirmed.emplace_back(-timing->speedup, c);
  }
  std::sort(confirmed.begin(), confirmed.end());
  std::vector<std::size_t> winners;
  for (const auto& [speedup, candidate] : confirmed) winners.push_back(candidate);
  made.candidates = advisor::combine_for_torch(profile, proposal.configuration, trying.spec,
                                               trying.propose, proposal.candidates, winners);
  return made;
}

}  // namespace

std::vector<int> torch_configurations(const Profile& profile,
                                      const std::vector<int>& configurations, bool named) {
  std::vector<int> list;
  for (const int configuration : configurations)
    if (named || advisor::of_pytorch(profile, configuration)) list.push_back(configuration);
  return list;
}

TorchTried try_in_torch(const Context& context, const Profile& profile, const TorchTrying& trying) {
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  TorchTried tried;
  const auto count = trying.configurations.size();
  Progress progress(context, static_cast<int>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const int configuration = trying.configurations[i];
    const double left = trying.budget_seconds - elapsed();
    const double share = std::max(left / static_cast<double>(count - i), least_torch_seconds);
    const auto proposal = proposal_for(profile, configuration, trying, share);
    if (proposal.candidates.empty()) continue;
    // The first is begun whatever the budget, as it is in cuDNN.
    if (left < least_torch_seconds && i > 0) {
      tried.not_reached += static_cast<int>(proposal.candidates.size());
      continue;
    }
    auto options = run_options(trying);
    options.on_progress = [&](int candidate, int of) {
      progress.show(static_cast<int>(i),
                    fmt::format("{} in PyTorch: change {} of {}",
                                configuration_name(profile, configuration), candidate + 1, of));
    };
    // What winners make together, a search with cuDNN's calls has found already where there was
    // one.
    const bool combine = trying.trials.empty();
    const std::size_t before = tried.experiments.size();
    const double start = elapsed();
    one_round(context, profile, trying, proposal, combine ? (1 - combining_share) * share : share,
              options, tried);
    if (tried.error || tried.interrupted) break;
    const double rest = share - (elapsed() - start);
    if (!combine || rest < least_torch_seconds) continue;
    const auto together = combined(profile, trying, proposal, tried, before);
    if (!together.candidates.empty())
      one_round(context, profile, trying, together, rest, options, tried);
    if (tried.error || tried.interrupted) break;
  }
  tried.seconds = elapsed();
  return tried;
}

Result<TryingPlan> plan_in_torch(const Profile& profile, int configuration,
                                 const TorchTrying& trying) {
  const auto proposal = proposal_for(profile, configuration, trying, trying.budget_seconds);
  auto request = request_for(profile, configuration, trying, proposal, trying.budget_seconds);
  request.measure = false;
  const auto answer = run_torch(request, run_options(trying));
  if (!answer) return fail(answer.error());
  TryingPlan plan;
  plan.configuration = configuration;
  plan.name = configuration_name(profile, configuration);
  plan.device = trying.spec.name;
  plan.python = trying.python;
  if (!answer->refused.empty()) {
    plan.nothing = answer->refused;
    return plan;
  }
  for (std::size_t i = 0; i < proposal.candidates.size(); ++i) {
    const auto& result = answer->results[i];
    const auto& candidate = proposal.candidates[i];
    if (result.status == Status::emitted)
      plan.tried.push_back({candidate.transforms, candidate.meaning, candidate.expected,
                            candidate.expected_by, candidate.rule, candidate.note});
    else
      plan.not_tried.push_back({candidate.transforms, candidate.rule,
                                result.message.empty() ? "no reason was given" : result.message});
  }
  for (const auto& dropped : proposal.dropped)
    plan.not_tried.push_back({dropped.transforms, dropped.rule, dropped.reason});
  return plan;
}

}  // namespace rnnadvisor::cli
