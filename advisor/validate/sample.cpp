#include "advisor/validate/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "advisor/facts/framework_model.h"
#include "advisor/judge/judge.h"
#include "advisor/rules/evaluate.h"
#include "advisor/validate/agreement.h"
#include "advisor/validate/value_pools.h"
#include "advisor/whatif/candidates.h"
#include "core/config/read_config.h"
#include "core/model/cost.h"
#include "core/model/memory.h"

namespace rnnadvisor::advisor {
namespace {

constexpr int chunk = 256;

// Everything that a card compares, one level deep.
struct Compared {
  std::vector<const Condition*> all;                   // must hold
  std::vector<std::vector<const Condition*>> choices;  // one of each must
  std::vector<const Condition*> thresholds;            // all of them
};

void collect(const ConditionSet& set, Compared& into) {
  for (const auto& condition : set.all) {
    into.all.push_back(&condition);
    into.thresholds.push_back(&condition);
  }
  for (const auto& group : set.any) {
    auto& choice = into.choices.emplace_back();
    for (const auto& condition : group) {
      choice.push_back(&condition);
      into.thresholds.push_back(&condition);
    }
  }
}

std::string_view fact_name(int fact) {
  return fact_catalogue()[static_cast<std::size_t>(fact)].name;
}

bool asks_for(const Condition& condition, std::string_view fact, std::string_view word) {
  return fact_name(condition.fact) == fact &&
         (condition.op == Operator::is || condition.op == Operator::in) &&
         std::any_of(condition.values.begin(), condition.values.end(), [&](const FactValue& value) {
           const auto* text = std::get_if<std::string>(&value);
           return text != nullptr && *text == word;
         });
}

// Clauses of PyTorch's choice that depend on the GPU alone.
bool is_device_clause(const Condition& condition) {
  if (!fact_name(condition.fact).starts_with("framework.pytorch_clause")) return false;
  constexpr std::string_view clauses[] = {"compute_capability_8_6", "fewer_than_98_sms", "turing",
                                          "volta_batch", "volta_length"};
  return std::any_of(condition.values.begin(), condition.values.end(), [&](const auto& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr &&
           std::find(std::begin(clauses), std::end(clauses), *text) != std::end(clauses);
  });
}

// What a card without a change is about.
std::string about(const Rule& rule, const Compared& compared) {
  std::vector<const Condition*> conditions = compared.thresholds;
  const auto any = [&](auto matches) {
    return std::any_of(conditions.begin(), conditions.end(),
                       [&](const Condition* each) { return matches(*each); });
  };
  const auto begins = [&](std::initializer_list<std::string_view> groups) {
    return any([&](const Condition& each) {
      return std::any_of(groups.begin(), groups.end(), [&](std::string_view group) {
        return fact_name(each.fact).starts_with(group);
      });
    });
  };
  if (rule.id.starts_with("tracing/")) return "it is about tracing";
  if (begins({"trace.", "measured.", "experiment.", "environment.tracing", "program.step_"}))
    return "it is about what was recorded or measured";
  if (begins({"environment.cudnn_version"}) || any(is_device_clause) ||
      rule.id.find("/v100-") != std::string::npos)
    return "it is about another device or version";
  const bool another_framework = any([](const Condition& each) {
    return fact_name(each.fact) == "program.name" && !asks_for(each, "program.name", "pytorch");
  });
  if (another_framework || rule.consequence == "fallback")
    return "it is about what a framework does before cuDNN sees a call";
  const bool of_program = any([](const Condition& each) {
    const auto name = fact_name(each.fact);
    return name.starts_with("program.") && name != "program.name";
  });
  if ((of_program || begins({"memory.share_of_free", "memory.program", "memory.reserve_held"})) &&
      rule.consequence != "numerics" && rule.consequence != "error")
    return "it is about a program, not about a call";
  if (rule.consequence == "numerics" || rule.consequence == "error")
    return "it is about numerics or a defect";
  return "it explains what a configuration leads to";
}

std::string no_sample(const Rule& rule, const Compared& compared) {
  const bool change =
      std::any_of(rule.suggestions.begin(), rule.suggestions.end(),
                  [](const SuggestionTemplate& s) { return s.transform.has_value(); });
  if (!change)
    return "it suggests no change that can be applied by machine: " + about(rule, compared);
  for (const auto* condition : compared.all) {
    const auto name = fact_name(condition->fact);
    for (const std::string_view group : {"trace.", "measured.", "experiment.", "sibling."}) {
      if (name.starts_with(group) && !name.starts_with("sibling.refutes"))
        return fmt::format("the card compares what was recorded ({})", name);
    }
    if (name == "program.name" && !asks_for(*condition, "program.name", "pytorch"))
      return "the card is about what a framework does before cuDNN sees it";
  }
  if (!claim_of(rule)) return "what the card says shows in no time, size or result";
  return {};
}

// As PyTorch fills the descriptor (aten/src/ATen/native/cudnn/RNN.cpp, see framework_model.h).
void as_pytorch(Configuration& made, const DeviceSpec& device, std::mt19937_64& random) {
  RnnConfig& c = made.config;
  c.bias_mode = BiasMode::double_bias;
  c.input_mode = InputMode::linear_input;
  c.math_precision = natural_math_precision(c.data_type);
  const bool packed = c.has_varying_lengths() || random() % 8 == 0;
  c.layout = packed ? Layout::seq_major_packed : Layout::seq_major_unpacked;
  c.padded_io = !packed;
  const bool tf32 = random() % 2 == 0;
  c.math_type = c.data_type == DataType::half ? MathType::tensor_op
                : tf32                        ? MathType::default_math
                                              : MathType::fma;
  made.program.name = Framework::pytorch;
  made.program.allow_tf32 = tf32;
  made.program.packed_sequence = packed;
  made.program.cudnn_enabled = true;
  made.program.custom_cell = false;
  made.program.layer_norm = false;
  made.program.module_training = c.mode == Mode::training;
  made.program.needs_backward = c.mode == Mode::training;
  const GpuShape gpu{device.compute_major, device.compute_minor, device.sm_count};
  c.algo = pytorch_algo(c, gpu, packed, true).algo;
}

class Sampler {
 public:
  Sampler(const Rule& rule, const DeviceSpec& device, const Environment& environment,
          const SampleOptions& options)
      : device_(device), options_(options), random_(options.seed) {
    rules_.rules = {rule};
    // Also cards that suggest another model claim something; no program is changed here.
    propose_.model = true;
    propose_.rule = rule.id;
    profile_.environment = environment;
    profile_.devices = {device};
    collect(rule.applies_when, compared_);
    applies_ = compared_.all.size();
    collect(rule.when, compared_);
    for (const auto* condition : compared_.all)
      if (asks_for(*condition, "program.name", "pytorch")) pytorch_ = true;
    sample_.rule = rule.id;
    sample_.compare_results = claim_of(rule) == Claim::nearer;
    silent_possible_ = std::any_of(rule.suggestions.begin(), rule.suggestions.end(), known_before);
  }

  RuleSample run() {
    const Rule& rule = rules_.rules.front();
    sample_.why_fewer = no_sample(rule, compared_);
    if (!sample_.why_fewer.empty()) return std::move(sample_);
    const ValuePools pools(compared_.thresholds);
    for (int made = 0; made < options_.tries && !enough(); made += chunk) {
      profile_.configurations.clear();
      for (int i = 0; i < chunk; ++i) make(pools, i % 3 == 2);
      take();
    }
    if (static_cast<int>(firing_.size()) < options_.firing) {
      sample_.why_fewer =
          fmt::format("{} of {} drawn configurations fire it with a change that can be tried{}",
                      firing_.empty() ? std::string("none") : std::to_string(firing_.size()),
                      options_.tries, reason_.empty() ? "" : "; another was not tried: " + reason_);
    }
    sample_.pairs = std::move(firing_);
    for (auto& pair : silent_) sample_.pairs.push_back(std::move(pair));
    return std::move(sample_);
  }

 private:
  bool enough_fire() const { return static_cast<int>(firing_.size()) >= options_.firing; }
  bool enough() const {
    return enough_fire() &&
           (!silent_possible_ || static_cast<int>(silent_.size()) >= options_.silent);
  }

  // Beyond the boundary: one of the comparisons need not hold.
  void make(const ValuePools& pools, bool beyond) {
    auto conditions = compared_.all;
    if (beyond && conditions.size() > applies_)
      conditions.erase(
          conditions.begin() +
          static_cast<std::ptrdiff_t>(applies_ + random_() % (conditions.size() - applies_)));
    for (const auto& choice : compared_.choices)
      if (!choice.empty()) conditions.push_back(choice[random_() % choice.size()]);
    Configuration made;
    auto [by_field, fresh] = by_field_.try_emplace(std::move(conditions));
    if (fresh) by_field->second = field_conditions(by_field->first);
    made.config = pools.draw(by_field->second, random_);
    if (pytorch_) as_pytorch(made, device_, random_);
    if (!quick_enough(made.config)) return;
    if (!seen_.insert(to_json_line(made.config)).second) return;
    profile_.configurations.push_back(std::move(made));
  }

  // Findings cost most of the time of judging: only where pairs that fire are still wanted.
  Judgement judged() const {
    if (!enough_fire()) return judge(profile_, rules_);
    Judgement judgement;
    const ProfileIndex index(profile_);
    FactMemo facts(index);
    const Rule& rule = rules_.rules.front();
    for (std::size_t i = 0; i < profile_.configurations.size(); ++i) {
      const auto& configuration = profile_.configurations[i];
      facts.begin(static_cast<int>(i));
      Verdict& verdict = judgement.verdicts.emplace_back();
      verdict.configuration = static_cast<int>(i);
      verdict.kind = decide(rule, facts, judged_cudnn_version(profile_, configuration));
    }
    return judgement;
  }

  void take() {
    const auto judgement = judged();
    for (const auto& verdict : judgement.verdicts) {
      const bool fires = verdict.kind == VerdictKind::fired;
      if (!fires && (verdict.kind != VerdictKind::passed || !silent_possible_)) continue;
      auto& pairs = fires ? firing_ : silent_;
      if (static_cast<int>(pairs.size()) >= (fires ? options_.firing : options_.silent)) continue;
      auto candidate = fires ? suggested(judgement.findings, verdict.configuration)
                             : same_change(verdict.configuration);
      if (!candidate) continue;
      for (const auto& call : candidate->variant.calls)
        if (!quick_enough(call)) candidate.reset();
      if (!candidate) continue;
      pairs.push_back({fires,
                       profile_.configurations[static_cast<std::size_t>(verdict.configuration)],
                       std::move(*candidate)});
    }
  }

  std::optional<Candidate> suggested(const std::vector<Finding>& findings, int configuration) {
    // In the order of the card: the first that can be tried is what its reader does.
    for (const auto& finding : findings) {
      if (finding.configuration != configuration) continue;
      for (const auto& suggestion : finding.suggestions) {
        if (!suggestion.transform) continue;
        auto candidate = make_candidate(changes_of(suggestion), finding.rule_id, profile_,
                                        configuration, device_, propose_);
        if (candidate) return std::move(*candidate);
        reason_ = candidate.error().message;
      }
    }
    return std::nullopt;
  }

  // A change whose parameters are known before it fires.
  static bool known_before(const SuggestionTemplate& suggestion) {
    return suggestion.transform && suggestion.transform_facts.empty();
  }

  // What the card would change if it fired.
  std::optional<Candidate> same_change(int configuration) const {
    for (const auto& suggestion : rules_.rules.front().suggestions) {
      if (!known_before(suggestion)) continue;
      const std::vector transforms =
          effective(changes_of(suggestion),
                    profile_.configurations[static_cast<std::size_t>(configuration)].config);
      auto candidate = make_candidate(transforms, rules_.rules.front().id, profile_, configuration,
                                      device_, propose_);
      if (candidate) return std::move(*candidate);
    }
    return std::nullopt;
  }

  RuleSet rules_;
  const DeviceSpec& device_;
  const SampleOptions& options_;
  std::mt19937_64 random_;
  ProposeOptions propose_;
  Profile profile_;
  Compared compared_;
  std::size_t applies_ = 0;  // of compared_.all, those of applies_when
  bool pytorch_ = false;
  bool silent_possible_ = false;  // else no pair beside the card's boundary has a change to try
  std::map<std::vector<const Condition*>, FieldConditions> by_field_;  // few, drawn from often
  std::set<std::string> seen_;
  std::vector<RulePair> firing_, silent_;
  std::string reason_;
  RuleSample sample_;
};

}  // namespace

std::string cannot_be_sampled(const Rule& rule) {
  Compared compared;
  collect(rule.applies_when, compared);
  collect(rule.when, compared);
  return no_sample(rule, compared);
}

bool quick_enough(const RnnConfig& config) {
  // The slowest large forward passes on an H200 reached 2.9 TFLOP/s with persist_static and 1.2
  // with persist_dynamic (tests/data/h200/kernels.jsonl): 14 and 33 ms for so many operations, an
  // estimate.
  constexpr std::int64_t most_steps = 640, most_flops = 40'000'000'000,
                         most_bytes = std::int64_t{2} << 30;
  const auto steps = std::int64_t{config.seq_length} * config.pseudo_layers();
  if (steps > most_steps) return false;
  const auto cost = model::phase_cost(config, Phase::forward_inference);
  return cost.flops <= most_flops && model::memory_need(config, Mode::training).total <= most_bytes;
}

RuleSample sample_pairs(const Rule& rule, const DeviceSpec& device, const Environment& environment,
                        const SampleOptions& options) {
  return Sampler(rule, device, environment, options).run();
}

}  // namespace rnnadvisor::advisor
