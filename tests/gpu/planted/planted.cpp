#include "tests/gpu/planted/planted.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "advisor/change/in_words.h"
#include "advisor/facts/experiments.h"
#include "advisor/judge/judge.h"
#include "advisor/rules/rule.h"
#include "advisor/whatif/candidates.h"
#include "advisor/whatif/record.h"
#include "advisor/whatif/search.h"
#include "advisor/whatif/trial.h"
#include "core/model/memory.h"

namespace rnnadvisor::planted {
namespace {

using namespace advisor;

// Enough that the median of seven has an interval; the fastest are told apart by 10 %, not by 1 %.
constexpr int rounds = 7, most_rounds = 15, warmup = 2;
constexpr double seconds_each = 2;
// The first look at all of them, most of which are several times slower than the best.
constexpr int look_rounds = 2;
constexpr double look_seconds = 1;
// How many of the fastest are compared with the original at a time, and how often at most: the
// best one must compute the same.
constexpr std::size_t compared_at_once = 6, most_comparisons = 3;

Profile bare(const ConfigInput& input, const DeviceSpec& device, const Environment& environment) {
  Profile profile;
  profile.environment = environment;
  profile.devices = {device};
  Configuration configuration;
  configuration.config = input.config;
  configuration.program = input.program;
  configuration.origin = Origin::run;
  configuration.sizes = model::space_sizes(input.config);
  profile.configurations = {std::move(configuration)};
  return profile;
}

Transform transform(std::string_view kind, const std::string& json) {
  return *parse_transform(kind, json);
}

// Each dimension with "leave it" first.
using Choices = std::vector<std::vector<Transform>>;

Choices dimension(std::string_view kind, std::string_view parameter,
                  std::initializer_list<std::string_view> values) {
  Choices choices = {{}};
  for (const auto value : values)
    choices.push_back({transform(kind, fmt::format(R"({{"{}":{}}})", parameter, value))});
  return choices;
}

std::vector<Choices> dimensions() {
  Choices split = {{}, {transform("split_layers", "{}")}, {transform("split_directions", "{}")}};
  return {dimension("algo", "value",
                    {R"("standard")", R"("persist_static")", R"("persist_dynamic")",
                     R"("persist_static_small_h")"}),
          dimension("math_type", "value", {R"("tensor_op")", R"("default")"}),
          dimension("pad_batch", "multiple", {"8", "64"}),
          dimension("pad_hidden", "multiple", {"8", "32", "128"}),
          dimension("pad_input", "multiple", {"32"}),
          {{}, {transform("bias_mode_double", "{}")}},
          {{}, {transform("math_precision", R"({"value":"float"})")}},
          split};
}

double speedup_of(const Experiment& experiment, Mode mode) {
  const auto* timing = deciding_timing(experiment.timings, mode);
  return timing == nullptr ? 0 : timing->speedup;
}

bool ran(const Experiment& experiment) { return experiment.verdict != ExperimentVerdict::not_run; }

ExperimentRequest request_for(const RnnConfig& before, std::span<const Candidate> candidates,
                              unsigned long long seed, bool compare) {
  ExperimentRequest request;
  request.before = before;
  for (const auto& candidate : candidates) request.variants.push_back(candidate.variant);
  request.scopes = {before.mode == Mode::inference ? ExperimentScope::inference
                                                   : ExperimentScope::training_step};
  request.budget_seconds = compare ? seconds_each : look_seconds;
  request.warmup = compare ? warmup : 1;
  request.min_rounds = compare ? rounds : look_rounds;
  request.max_rounds = compare ? most_rounds : look_rounds;
  request.target_interval = 0.05;
  request.reference = false;
  request.compare = compare;
  request.seed = seed;
  return request;
}

// Numbers of the variants that ran, the fastest first.
std::vector<std::size_t> by_speed(const ExperimentResult& result, Mode mode) {
  std::vector<std::size_t> order;
  const auto speedup = [&](std::size_t i) {
    const auto* timing = deciding_timing(result.variants[i].timings, mode);
    return timing == nullptr ? 0 : timing->speedup;
  };
  for (std::size_t i = 0; i < result.variants.size(); ++i)
    if (result.variants[i].outcome == Outcome::completed) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return speedup(a) > speedup(b); });
  return order;
}

struct Tried {
  Outcome outcome = Outcome::not_run;  // of the original
  std::string message;
  std::vector<Trial> trials;  // one for each candidate
};

// Times all, then compares the first candidate where it is the suggestion, and the fastest until
// one of them computes what the original does. A comparison is made on the host and takes longer
// than the times of a hundred candidates.
Result<Tried> try_all(const RnnConfig& before, const std::vector<Candidate>& candidates,
                      unsigned long long seed, const Experimenter& experimenter) {
  const auto times = experimenter(request_for(before, candidates, seed, false));
  if (!times) return fail(times.error());
  Tried tried{times->outcome, times->message, {}};
  for (std::size_t v = 0; v < candidates.size(); ++v) {
    Trial& trial = tried.trials.emplace_back();
    trial.candidate = candidates[v];
    take_result(trial, before, *times, v);
  }
  if (times->outcome != Outcome::completed) return tried;
  std::vector<std::size_t> order = by_speed(*times, before.mode);
  const bool by_rule = !candidates.empty() && !candidates.front().rule.empty();
  if (by_rule) {
    std::erase(order, 0U);
    order.insert(order.begin(), 0);
  }
  std::size_t next = 0;
  bool found = false;
  for (std::size_t round = 0; round < most_comparisons && !found; ++round) {
    std::vector<std::size_t> chosen;
    std::vector<Candidate> some;
    for (; next < order.size() && some.size() < compared_at_once; ++next) {
      chosen.push_back(order[next]);
      some.push_back(candidates[order[next]]);
    }
    if (some.empty()) break;
    const auto compared = experimenter(request_for(before, some, seed + 1, true));
    if (!compared) return fail(compared.error());
    for (std::size_t i = 0; i < some.size(); ++i) {
      Trial& trial = tried.trials[chosen[i]];
      take_result(trial, before, *compared, i);
      // The suggestion was not among the fastest by its speed.
      const bool fast = !by_rule || chosen[i] != 0 || some.size() == 1;
      found = found || (fast && !trial.moved && trial.outcome == Outcome::completed);
    }
  }
  return tried;
}

bool changes_data(const std::vector<Transform>& changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const Transform& change) { return change.kind == "data_type"; });
}

}  // namespace

std::optional<Candidate> first_suggestion(const ConfigInput& input, const DeviceSpec& device,
                                          const Environment& environment,
                                          const PredictFor& predict_for, bool keeps_data) {
  const Profile profile = bare(input, device, environment);
  JudgeOptions judging;
  judging.predict_for = predict_for;
  const auto judgement = judge(profile, builtin_rules(), judging);
  ProposeOptions options;
  for (const auto& finding : judgement.findings) {
    if (finding.severity == Severity::info) continue;
    for (const auto& suggestion : finding.suggestions) {
      if (!suggestion.transform) continue;
      const auto changes = changes_of(suggestion);
      if (keeps_data && changes_data(changes)) continue;
      if (auto candidate = make_candidate(changes, finding.rule_id, profile, 0, device, options))
        return *candidate;
    }
  }
  return std::nullopt;
}

std::vector<Candidate> brute_force(const ConfigInput& input, const DeviceSpec& device,
                                   const Environment& environment) {
  const Profile profile = bare(input, device, environment);
  const auto all = dimensions();
  std::vector<Candidate> candidates;
  std::vector<std::size_t> at(all.size(), 0);
  ProposeOptions options;
  // An odometer over the dimensions; the first setting, nothing changed, is passed over.
  while (true) {
    std::size_t digit = 0;
    while (digit < all.size() && ++at[digit] == all[digit].size()) at[digit++] = 0;
    if (digit == all.size()) break;
    std::vector<Transform> transforms;
    for (std::size_t d = 0; d < all.size(); ++d)
      transforms.insert(transforms.end(), all[d][at[d]].begin(), all[d][at[d]].end());
    // A rule's name keeps the model from dropping what it thinks slow: this is brute force.
    auto candidate = make_candidate(transforms, "brute-force", profile, 0, device, options);
    if (!candidate) continue;
    candidate->rule.clear();
    const bool twin =
        std::any_of(candidates.begin(), candidates.end(),
                    [&](const Candidate& other) { return other.variant == candidate->variant; });
    if (!twin) candidates.push_back(std::move(*candidate));
  }
  return candidates;
}

Measured measure(std::span<const ConfigInput> suite, const DeviceSpec& device,
                 const Environment& environment, const Experimenter& experimenter,
                 const PredictFor& predict_for, const std::function<bool(std::size_t)>& go_on) {
  Measured measured;
  Profile& profile = measured.profile;
  profile.environment = environment;
  profile.devices = {device};
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < suite.size(); ++i) {
    if (go_on && !go_on(i)) break;
    auto candidates = brute_force(suite[i], device, environment);
    if (auto first = first_suggestion(suite[i], device, environment, predict_for)) {
      std::erase_if(candidates, [&](const Candidate& c) { return c.variant == first->variant; });
      candidates.insert(candidates.begin(), std::move(*first));
    }
    Configuration before = bare(suite[i], device, environment).configurations.front();
    auto made = try_all(before.config, candidates, i + 1, experimenter);
    if (!made) {
      measured.error = made.error();
      break;
    }
    before.outcome = made->outcome;
    before.message = made->message;
    for (auto& trial : made->trials) {
      trial.configuration = static_cast<int>(profile.configurations.size());
      trials.push_back(std::move(trial));
    }
    profile.configurations.push_back(std::move(before));
  }
  profile = with_trials(std::move(profile), trials, device);
  return measured;
}

namespace {

// The experiment that made the same calls as `candidate`.
const Experiment* same_calls(const Profile& profile, std::size_t configuration,
                             const Candidate& candidate) {
  const RnnConfig& config = profile.configurations[configuration].config;
  for (const auto& experiment : profile.experiments) {
    if (experiment.configuration != static_cast<int>(configuration)) continue;
    const auto transforms = parse_transforms(experiment.transforms);
    if (!transforms) continue;
    const auto variant = compose(*transforms, config);
    if (variant && *variant == candidate.variant) return &experiment;
  }
  return nullptr;
}

}  // namespace

Score score(const Profile& profile, bool again, const PredictFor& predict_for) {
  Score total;
  const auto tried = tried_configurations(profile);
  for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
    if (tried[i]) continue;
    const auto& configuration = profile.configurations[i];
    // Nothing was measured: there is no answer to compare with.
    if (configuration.outcome == Outcome::interrupted) continue;
    const bool runs = configuration.outcome == Outcome::completed;
    CaseScore one;
    one.id = configuration.config.id;
    const Experiment* best = nullptr;
    const Experiment* first = nullptr;
    for (const auto& experiment : profile.experiments) {
      if (experiment.configuration != static_cast<int>(i)) continue;
      if (!experiment.rule.empty()) first = &experiment;
      // What was only timed may compute something else.
      const bool looked_at = !experiment.shifts.empty() || !runs;
      if (!ran(experiment) || !looked_at || moved_too_far(profile, experiment)) continue;
      if (best == nullptr || speedup_of(experiment, configuration.config.mode) >
                                 speedup_of(*best, configuration.config.mode))
        best = &experiment;
    }
    if (best != nullptr) {
      one.best = change_words(best->transforms);
      if (const auto* timing = deciding_timing(best->timings, configuration.config.mode);
          timing != nullptr) {
        one.best_speedup = timing->speedup;
        one.best_low = timing->speedup_low;
        one.best_high = timing->speedup_high;
      }
      one.faulty = runs ? one.best_low > worth : best->verdict == ExperimentVerdict::confirmed;
    }
    if (again) {
      first = nullptr;
      const auto device = profile.devices.front();
      const ConfigInput input{configuration.config, configuration.program, {}};
      auto now = first_suggestion(input, device, profile.environment, predict_for);
      // Another data type is the author's choice, and brute force left it alone.
      if (now && changes_data(now->transforms) && same_calls(profile, i, *now) == nullptr)
        now = first_suggestion(input, device, profile.environment, predict_for, true);
      if (now) {
        one.rule = now->rule;
        one.suggestion = change_words(to_json(now->transforms));
        first = same_calls(profile, i, *now);
      }
    }
    if (first != nullptr) {
      if (!again) {
        one.rule = first->rule;
        one.suggestion = change_words(first->transforms);
      }
      one.suggested = speedup_of(*first, configuration.config.mode);
      one.helps = first->verdict == ExperimentVerdict::confirmed;
    }
    const bool near = !runs || one.suggested >= nearly_best * one.best_speedup;
    one.answer = !one.rule.empty() ? (one.helps && near ? Answer::right : Answer::wrong)
                 : one.faulty      ? Answer::missed
                                   : Answer::silent;
    total.right += one.answer == Answer::right ? 1 : 0;
    total.wrong += one.answer == Answer::wrong ? 1 : 0;
    total.missed += one.answer == Answer::missed ? 1 : 0;
    total.silent += one.answer == Answer::silent ? 1 : 0;
    total.helpful += one.helps ? 1 : 0;
    total.cases.push_back(std::move(one));
  }
  return total;
}

double Score::precision() const {
  return right + wrong == 0 ? 0 : static_cast<double>(right) / (right + wrong);
}

double Score::recall() const {
  int faulty = 0, found = 0;
  for (const auto& one : cases) {
    faulty += one.faulty ? 1 : 0;
    found += one.faulty && one.answer == Answer::right ? 1 : 0;
  }
  return faulty == 0 ? 0 : static_cast<double>(found) / faulty;
}

namespace {

std::string_view word(Answer answer) {
  switch (answer) {
    case Answer::right:
      return "right";
    case Answer::wrong:
      return "wrong";
    case Answer::missed:
      return "missed";
    case Answer::silent:
      return "silent";
  }
  return "";
}

}  // namespace

std::string to_json(const Score& score, const Profile& profile) {
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const auto& c : score.cases) {
    cases.push_back({{"id", c.id},
                     {"answer", word(c.answer)},
                     {"faulty", c.faulty},
                     {"rule", c.rule},
                     {"suggestion", c.suggestion},
                     {"suggested_speedup", c.suggested},
                     {"helps", c.helps},
                     {"best", c.best},
                     {"best_speedup", c.best_speedup},
                     {"best_low", c.best_low},
                     {"best_high", c.best_high}});
  }
  const auto& e = profile.environment;
  const nlohmann::ordered_json object = {
      {"device", profile.devices.empty() ? "" : profile.devices.front().name},
      {"cudnn", e.cudnn_version},
      {"driver", e.driver_version},
      {"created", e.created},
      {"command", e.command_line},
      {"precision", score.precision()},
      {"recall", score.recall()},
      {"right", score.right},
      {"wrong", score.wrong},
      {"missed", score.missed},
      {"silent", score.silent},
      {"helpful", score.helpful},
      {"cases", std::move(cases)}};
  return object.dump(1) + "\n";
}

std::string to_markdown(const Score& score, const Profile& profile) {
  std::string out = fmt::format(
      "{}, cuDNN {}, driver {}: precision {:.0f} % ({} right, {} wrong; {} of the suggestions "
      "help), recall {:.0f} % ({} missed), {} rightly silent.\n\n"
      "| configuration | answer | first suggestion | speedup | best by brute force | speedup |\n| "
      "--- | --- | --- | ---: | --- | ---: |\n",
      profile.devices.empty() ? "" : profile.devices.front().name,
      profile.environment.cudnn_version, profile.environment.driver_version,
      100 * score.precision(), score.right, score.wrong, score.helpful, 100 * score.recall(),
      score.missed, score.silent);
  for (const auto& c : score.cases) {
    const auto times = [](double speedup) {
      return speedup > 0 ? fmt::format("{:.2f}", speedup) : std::string("–");
    };
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", c.id, word(c.answer),
                       c.rule.empty() ? "–" : fmt::format("{} (`{}`)", c.suggestion, c.rule),
                       times(c.suggested), c.best, times(c.best_speedup));
  }
  return out;
}

}  // namespace rnnadvisor::planted
