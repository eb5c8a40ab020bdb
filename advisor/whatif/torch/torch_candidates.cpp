#include "advisor/whatif/torch/torch_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "advisor/change/transform_code.h"
#include "advisor/facts/experiments.h"
#include "advisor/facts/shown_program.h"
#include "advisor/rules/evaluate.h"
#include "advisor/whatif/candidates.h"
#include "advisor/whatif/estimate.h"
#include "advisor/whatif/framework_fit.h"

namespace rnnadvisor::advisor {
namespace {

using Changes = std::vector<Transform>;

bool has(std::span<const Transform> transforms, std::string_view kind) {
  return std::any_of(transforms.begin(), transforms.end(),
                     [&](const Transform& t) { return t.kind == kind; });
}

// Changes of a switch or of where weights lie: no change of calls.
bool around_calls(const Transform& transform) {
  return transform.kind == "cudnn_enabled" || transform.kind == "flatten_parameters";
}

// Without what PyTorch sets by itself once the rest is done: the algorithm, and Tensor Cores for
// half.
Changes as_in_pytorch(std::span<const Transform> transforms) {
  Changes changes(transforms.begin(), transforms.end());
  if (changes.size() > 1)
    std::erase_if(changes, [](const Transform& t) { return t.kind == "algo"; });
  if (has(changes, "data_type"))
    std::erase_if(changes, [](const Transform& t) { return t.kind == "math_type"; });
  return in_order(changes);
}

class Maker {
 public:
  Maker(const Profile& profile, int configuration, const DeviceSpec& device,
        const ProposeOptions& options)
      : profile_(profile),
        own_(profile.configurations[static_cast<std::size_t>(configuration)]),
        device_(device),
        options_(options) {
    proposal_.configuration = configuration;
  }

  void add(std::span<const Transform> wanted, const std::string& rule, double hoped,
           const std::string& hoped_by) {
    const Changes changes = as_in_pytorch(wanted);
    if (!seen_.insert(to_json(changes)).second) return;
    auto made = make(changes, rule);
    if (!made) {
      proposal_.dropped.push_back({changes, rule, made.error().message});
      return;
    }
    if (hoped > 0) {
      made->expected = hoped;
      made->expected_by = hoped_by;
    }
    proposal_.candidates.push_back(std::move(*made));
  }

  // Before all others, which may be cut off.
  void add_first(std::span<const Transform> wanted) {
    const auto before = proposal_.candidates.size();
    add(wanted, "", 0, "");
    if (proposal_.candidates.size() > before)
      std::rotate(proposal_.candidates.begin(), proposal_.candidates.end() - 1,
                  proposal_.candidates.end());
  }

  void refute(std::span<const Transform> wanted, const std::string& reason) {
    const Changes changes = as_in_pytorch(wanted);
    if (seen_.insert(to_json(changes)).second) proposal_.dropped.push_back({changes, "", reason});
  }

  TorchProposal take() {
    auto& all = proposal_.candidates;
    while (all.size() > options_.most) {
      proposal_.dropped.push_back({std::move(all.back().transforms), std::move(all.back().rule),
                                   "the budget is for more promising ones"});
      all.pop_back();
    }
    return std::move(proposal_);
  }

  // Those found by searching, by what is hoped for: called before anything better is known of them.
  void sort_from(std::size_t first) {
    auto& all = proposal_.candidates;
    std::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                     [](const TorchCandidate& a, const TorchCandidate& b) {
                       return std::max(a.expected, 1.0) > std::max(b.expected, 1.0);
                     });
  }
  std::size_t size() const { return proposal_.candidates.size(); }

 private:
  // In PyTorch h, c and gradients are handed from chunk to chunk, so that chunks change nothing.
  Meaning meaning_there(const Changes& changes) const {
    Changes judged = changes;
    if (own_.config.direction == Direction::unidirectional)
      std::erase_if(judged, [](const Transform& t) { return t.kind == "chunk_sequence"; });
    return meaning_of(judged, own_.config);
  }

  Result<TorchCandidate> make(const Changes& changes, const std::string& rule) const {
    const auto no = [](std::string reason) {
      return fail(ErrorCode::unsupported, std::move(reason));
    };
    TorchCandidate made;
    made.transforms = changes;
    made.rule = rule;
    made.meaning = meaning_there(changes);
    if (made.meaning == Meaning::model)
      return no("it makes another model, whose speed says nothing of this one");
    if ((made.meaning == Meaning::padded && !options_.padded) ||
        (made.meaning == Meaning::numerics && !options_.numerics))
      return no(fmt::format("changes of meaning '{}' are not allowed", to_string(made.meaning)));
    if (auto problem = needs_training(changes, profile_, proposal_.configuration))
      return no(*problem);
    for (const auto& transform : changes) {
      const auto code = code_for(transform, Framework::pytorch);
      if (!code.can()) return no(code.cannot);
    }
    ProgramContext program = own_.program;
    if (has(changes, "cudnn_enabled")) program.cudnn_enabled = true;
    Changes of_calls = changes;
    std::erase_if(of_calls, around_calls);
    Candidate candidate;
    candidate.transforms = of_calls;
    if (of_calls.empty()) {
      candidate.variant.calls = {own_.config};
    } else {
      auto variant = compose(of_calls, own_.config);
      if (!variant) return no(variant.error().message);
      if (variant->calls.size() > most_calls_of_one)
        return no(fmt::format("too many calls: it would make {} of one", variant->calls.size()));
      candidate.variant = std::move(*variant);
    }
    // PyTorch runs both passes itself, so that they may differ in their algorithm here.
    auto forward = candidate;
    for (auto& call : forward.variant.calls) call.mode = Mode::inference;
    if (auto problem = fit_to_framework(forward, Framework::pytorch, program, device_,
                                        judged_cudnn_version(profile_, own_)))
      return no(*problem);
    for (std::size_t i = 0; i < candidate.variant.calls.size(); ++i) {
      auto mode = candidate.variant.calls[i].mode;
      candidate.variant.calls[i] = forward.variant.calls[i];
      candidate.variant.calls[i].mode = mode;
    }
    made.note = forward.note;
    if (of_calls.empty()) return made;
    const bool same = !candidate.variant.cuda_graph &&
                      candidate.variant.composition == Composition::single &&
                      candidate.variant.calls.front() == own_.config;
    if (same && changes.size() == of_calls.size()) return no("it changes nothing of the call");
    if (auto problem = why_not_tried(candidate.variant, device_)) return no(*problem);
    if (!candidate.variant.cuda_graph && !has(changes, "inference_mode") &&
        changes.size() == of_calls.size())
      made.expected = modelled_speedup(own_.config, candidate.variant, device_);
    if (made.expected > 0) made.expected_by = "estimate: ratio of the lower bounds";
    if (rule.empty() && options_.only.empty() && made.expected > 0 &&
        made.expected < least_worth_trying)
      return no(
          fmt::format("expected to be slower: {:.2f}x by the model (estimate)", made.expected));
    made.calls = std::move(candidate.variant.calls);
    return made;
  }

  const Profile& profile_;
  const Configuration& own_;
  const DeviceSpec& device_;
  const ProposeOptions& options_;
  TorchProposal proposal_;
  std::set<std::string> seen_;
};

// What only a program of PyTorch can be told.
std::vector<Changes> of_the_program(const Profile& profile, int configuration) {
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  const auto program = shown_program(profile, configuration);
  std::vector<Changes> list;
  const auto add = [&](std::string_view kind, std::string_view json) {
    if (auto transform = parse_transform(kind, json)) list.push_back({*transform});
  };
  if (program.cudnn_enabled == false) add("cudnn_enabled", R"({"value":true})");
  if (program.flat_weights == false) add("flatten_parameters", "{}");
  if (own.config.mode == Mode::training && program.needs_backward == false)
    add("inference_mode", "{}");
  return list;
}

}  // namespace

bool of_pytorch(const Profile& profile, int configuration) {
  return framework_around(profile, configuration) == Framework::pytorch;
}

TorchProposal propose_for_torch(const Profile& profile, int configuration,
                                std::span<const Finding> findings, const DeviceSpec& device,
                                const ProposeOptions& options, std::span<const Trial> trials) {
  Maker maker(profile, configuration, device, options);
  for (const auto& [changes, rule, expected, by] :
       suggested_changes(findings, configuration, options))
    maker.add(changes, rule, expected, by);
  if (!options.only.empty() || !options.rule.empty()) return maker.take();
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  std::vector<const Trial*> confirmed;
  for (const auto& trial : trials)
    if (trial.configuration == configuration && trial.verdict == ExperimentVerdict::confirmed)
      confirmed.push_back(&trial);
  const auto speedup = [&](const Trial& trial) {
    const auto* timing = deciding_timing(trial.timings, own.config.mode);
    return timing != nullptr ? timing->speedup : 0;
  };
  std::stable_sort(confirmed.begin(), confirmed.end(),
                   [&](const Trial* a, const Trial* b) { return speedup(*a) > speedup(*b); });
  for (const Trial* trial : confirmed)
    maker.add(trial->candidate.transforms, trial->candidate.rule, speedup(*trial),
              "measured in cuDNN's calls");
  for (const auto& trial : trials)
    if (trial.configuration == configuration && trial.verdict == ExperimentVerdict::refuted)
      maker.refute(trial.candidate.transforms, "cuDNN's calls alone have refuted it");
  for (const auto& changes : of_the_program(profile, configuration)) maker.add(changes, "", 0, "");
  const std::size_t first = maker.size();
  for (const auto& changes : model_proposals(own.config, own.program, device, Framework::pytorch))
    maker.add(changes, "", 0, "");
  maker.sort_from(first);
  return maker.take();
}

std::vector<TorchCandidate> combine_for_torch(const Profile& profile, int configuration,
                                              const DeviceSpec& device,
                                              const ProposeOptions& options,
                                              std::span<const TorchCandidate> tried,
                                              std::span<const std::size_t> winners) {
  constexpr std::size_t most = 4;
  ProposeOptions some = options;
  some.most = most;
  Maker maker(profile, configuration, device, some);
  for (const auto& candidate : tried) maker.refute(candidate.transforms, "tried already");
  for (std::size_t a = 0; a < winners.size(); ++a) {
    for (std::size_t b = a + 1; b < winners.size(); ++b) {
      const auto both = combination(tried[winners[a]].transforms, tried[winners[b]].transforms);
      if (!both.empty()) maker.add(both, "", 0, "");
    }
  }
  const auto& config = profile.configurations[static_cast<std::size_t>(configuration)].config;
  for (const Meaning most_changed : {Meaning::numerics, Meaning::padded, Meaning::exact}) {
    std::vector<Changes> fastest_first;
    for (const auto winner : winners)
      if (tried[winner].meaning <= most_changed) fastest_first.push_back(tried[winner].transforms);
    if (const auto all = all_together(fastest_first, config); !all.empty()) maker.add_first(all);
  }
  return maker.take().candidates;
}

}  // namespace rnnadvisor::advisor
