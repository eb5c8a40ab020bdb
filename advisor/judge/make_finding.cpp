#include "advisor/judge/make_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <tuple>

#include "advisor/change/accelerating.h"
#include "advisor/change/compose.h"
#include "advisor/change/transform.h"
#include "advisor/change/transform_code.h"
#include "advisor/facts/experiments.h"
#include "advisor/facts/fact_keys.h"
#include "advisor/facts/framework_around.h"
#include "advisor/judge/measured_gain.h"
#include "advisor/judge/trials.h"
#include "advisor/rules/text_template.h"
#include "advisor/rules/validation_records.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::size_t most_calls = 1000;
constexpr std::size_t most_kernels = 100;

Comparison make_comparison(const Condition& condition, FactMemo& facts) {
  const auto& about = fact_definition(condition.fact);
  Comparison comparison;
  comparison.fact = about.name;
  comparison.op = to_string(condition.op);
  comparison.threshold = condition.threshold;
  comparison.unit = about.unit;
  if (condition.other_fact >= 0) {
    const auto& other = fact_definition(condition.other_fact);
    const Fact* value = facts.get(condition.other_fact);
    comparison.threshold = fmt::format(
        "{} ({})", value ? format_fact(value->value, other.unit) : "unknown", other.name);
  }
  if (const Fact* fact = facts.get(condition.fact)) {
    comparison.observed = format_fact(fact->value, about.unit);
    // "60 % is below 60 %" would be of a rounded value.
    if (const auto* value = std::get_if<double>(&fact->value);
        value != nullptr && comparison.observed == comparison.threshold &&
        (condition.op == Operator::below || condition.op == Operator::above))
      comparison.observed = fmt::format("{:.6g}{}{}", *value, about.unit.empty() ? "" : " ",
                                        about.unit == "1" ? "" : about.unit);
    comparison.provenance = fact->provenance;
  } else {
    comparison.observed = "unknown";
  }
  comparison.holds = holds(condition, facts) == Truth::yes;
  comparison.keys = keys_behind(about, facts.subject(), facts.index());
  return comparison;
}

// Of a group only the conditions that hold are reasons.
std::vector<Comparison> make_comparisons(const ConditionSet& set, FactMemo& facts) {
  std::vector<Comparison> comparisons;
  std::vector<Condition> told;  // several groups may name one condition: it is one reason
  const auto fresh = [&](const Condition& condition) {
    const bool known = std::any_of(told.begin(), told.end(), [&](const Condition& other) {
      return other.fact == condition.fact && other.op == condition.op &&
             other.threshold == condition.threshold && other.other_fact == condition.other_fact;
    });
    if (!known) told.push_back(condition);
    return !known;
  };
  for (const auto& condition : set.all)
    if (fresh(condition)) comparisons.push_back(make_comparison(condition, facts));
  for (const auto& group : set.any) {
    for (const auto& condition : group) {
      if (holds(condition, facts) == Truth::yes && fresh(condition))
        comparisons.push_back(make_comparison(condition, facts));
    }
  }
  return comparisons;
}

// The transform with the parameters that facts provide; nothing when one is not known or does not
// fit.
std::optional<Transform> complete_transform(const SuggestionTemplate& suggestion, FactMemo& facts) {
  if (!suggestion.transform || suggestion.transform_facts.empty()) return suggestion.transform;
  Transform transform = *suggestion.transform;
  for (const auto& by_fact : suggestion.transform_facts) {
    const Fact* fact = facts.get(by_fact.fact);
    const auto* value = fact ? std::get_if<std::int64_t>(&fact->value) : nullptr;
    if (!value) return std::nullopt;
    auto changed = with_parameter(transform, by_fact.parameter, *value);
    if (!changed) return std::nullopt;
    transform = std::move(*changed);
  }
  return transform;
}

// What to write for the change, where the card has no example of its own; and where the program's
// framework cannot express it, that it cannot.
void add_code(Suggestion& suggestion, std::optional<Framework> framework) {
  auto made = code_for(changes_of(suggestion), framework.value_or(Framework::cudnn_api));
  if (framework && suggestion.framework.empty()) suggestion.cannot = std::move(made.cannot);
  if (suggestion.code.empty()) suggestion.code = std::move(made.code);
}

// What a card cites of another framework's code says nothing about this program. Keras runs on
// several of them.
std::vector<Citation> citations_for(const std::vector<Citation>& all,
                                    std::optional<Framework> framework) {
  struct Repository {
    std::string_view prefix;
    Framework of;
  };
  static constexpr std::array<Repository, 5> repositories = {
      {{"pytorch/", Framework::pytorch},
       {"jax-ml/", Framework::jax},
       {"microsoft/onnxruntime", Framework::onnxruntime},
       {"keras-team/", Framework::keras3},
       {"tensorflow/", Framework::tensorflow}}};
  const auto of_another = [&](const Citation& citation) {
    const auto from =
        std::find_if(repositories.begin(), repositories.end(), [&](const Repository& repository) {
          return citation.source.starts_with(repository.prefix);
        });
    return from != repositories.end() && from->of != framework;
  };
  std::vector<Citation> kept = all;
  const bool one_of_several = framework == Framework::pytorch || framework == Framework::jax ||
                              framework == Framework::onnxruntime;
  if (one_of_several) std::erase_if(kept, of_another);
  return kept.empty() ? all : kept;
}

bool is_graph(std::span<const Transform> changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const Transform& change) { return change.kind == "cuda_graph"; });
}

// The changes that SuggestionTemplate::found names; none where nothing was found.
std::vector<Transform> found_changes_of(std::string_view found, const FactMemo& facts) {
  const auto& index = facts.index();
  if (found == "predicted") {
    const auto* change = index.predicted_change(facts.configuration());
    return change != nullptr ? change->changes : std::vector<Transform>{};
  }
  if (found == "predicted_half") {
    const auto* change = index.predicted_change(facts.configuration());
    return change != nullptr && change->in_half ? change->in_half->changes
                                                : std::vector<Transform>{};
  }
  constexpr std::string_view by_search = "found_";
  const auto at = found_by_search(index, facts.configuration(), found.substr(by_search.size()));
  if (!at) return {};
  const auto& experiment = index.profile().experiments[static_cast<std::size_t>(*at)];
  const auto changes = parse_transforms(experiment.transforms);
  return changes ? *changes : std::vector<Transform>{};
}

// Of several changes those that change something here: sizes may be multiples already.
void set_changes(Suggestion& made, const SuggestionTemplate& suggestion, FactMemo& facts) {
  if (!suggestion.found.empty()) {
    const auto changes = found_changes_of(suggestion.found, facts);
    if (changes.empty()) return;
    made.transform = changes.front();
    made.with.assign(changes.begin() + 1, changes.end());
    return;
  }
  made.transform = complete_transform(suggestion, facts);
  if (!made.transform || suggestion.with.empty()) return;
  const auto& profile = facts.index().profile();
  const RnnConfig& config =
      profile.configurations[static_cast<std::size_t>(facts.configuration())].config;
  auto changes = effective(changes_of(suggestion), config);
  if (changes.empty()) return;
  made.transform = std::move(changes.front());
  made.with.assign(std::make_move_iterator(changes.begin() + 1),
                   std::make_move_iterator(changes.end()));
}

bool tried_in_program(const ProfileIndex& index, int configuration,
                      const std::vector<Transform>& changes) {
  const auto all = index.experiments(configuration);
  return std::any_of(all.begin(), all.end(), [&](int i) {
    const auto& experiment = index.profile().experiments[static_cast<std::size_t>(i)];
    const auto its = parse_transforms(experiment.transforms);
    return experiment.where == "program" && its && in_order(*its) == in_order(changes);
  });
}

struct Made {
  std::size_t of = 0;  // index into Rule::suggestions
  Suggestion suggestion;
};

std::vector<Made> make_suggestions(const Rule& rule, FactMemo& facts, const FactLookup& lookup) {
  std::vector<Made> suggestions;
  if (rule.suggestions.empty()) return suggestions;
  const auto framework = framework_around(facts.index().profile(), facts.configuration());
  const auto& profile = facts.index().profile();
  const int configuration = facts.configuration();
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  const auto accelerates = [&](const std::vector<Transform>& changes) {
    return accelerate_does(changes, framework, own.config, own.program);
  };
  for (std::size_t i = 0; i < rule.suggestions.size(); ++i) {
    const auto& suggestion = rule.suggestions[i];
    if (!suggestion.framework.empty() && framework &&
        suggestion.framework !=
            Spellings<Framework>::values[static_cast<std::size_t>(*framework)]) {
      continue;
    }
    if (holds(suggestion.applies_when, facts) != Truth::yes) continue;
    bool complete = true;
    Suggestion made;
    made.text = fill_template(suggestion.text, lookup, &complete);
    made.code = fill_template(suggestion.code, lookup, &complete);
    if (!complete) continue;  // advice with a hole in it is none
    made.framework = suggestion.framework;
    set_changes(made, suggestion, facts);
    const auto changes = changes_of(made);
    // What a card proposes for PyTorch, and PyTorch cannot do, is for `accelerate` alone.
    const bool for_accelerate =
        suggestion.framework == "pytorch" &&
        std::any_of(changes.begin(), changes.end(),
                    [](const Transform& change) { return change.kind == "algo"; });
    if (for_accelerate && !accelerates(changes)) continue;
    made.effort = effort_of(changes, accelerates(changes));
    const auto beside = tried_in_program(facts.index(), configuration, changes)
                            ? beside_accelerate(changes, framework, own.config, own.program)
                            : std::vector<Transform>();
    if (!beside.empty()) {
      // PyTorch cannot ask for the algorithm, and need not.
      made.code = code_for(beside, *framework).code;
      made.text += fmt::format(" Run the changed program with `{}`.",
                               accelerate_command_of(profile, configuration, changes));
    } else if (accelerates(changes)) {
      made.text = accelerate_advice(profile, configuration, changes);
      made.code = accelerate_command_of(profile, configuration, changes);
    } else if (made.transform) {
      add_code(made, framework);
      if (is_graph(changes) && accelerates_something(framework, own.config, own.program))
        made.text += graph_under_accelerate;
    }
    suggestions.push_back({i, std::move(made)});
  }
  // A command to run comes before code to write, and what cannot be written comes last.
  std::stable_partition(suggestions.begin(), suggestions.end(),
                        [](const Made& one) { return one.suggestion.cannot.empty(); });
  std::stable_partition(suggestions.begin(), suggestions.end(),
                        [&](const Made& one) { return accelerates(changes_of(one.suggestion)); });
  return suggestions;
}

std::optional<double> number_of(const std::string& fact_name, FactMemo& facts) {
  const int index = fact_name.empty() ? -1 : find_fact(fact_name);
  const Fact* fact = index >= 0 ? facts.get(index) : nullptr;
  if (!fact) return std::nullopt;
  if (const auto* real = std::get_if<double>(&fact->value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&fact->value))
    return static_cast<double>(*whole);
  return std::nullopt;
}

GainBasis basis_of(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
    case Provenance::captured:
      return GainBasis::measured_here;
    case Provenance::documented:
      return GainBasis::measured_elsewhere;
    case Provenance::configured:
    case Provenance::modelled:
      return GainBasis::modelled;
  }
  return GainBasis::modelled;
}

// What this profile measured of the suggestions: the one that gained most.
struct MeasuredHere {
  std::vector<std::optional<Gain>> of;  // of each suggestion
  std::optional<std::size_t> best;
};

MeasuredHere measured_here(const std::vector<Made>& made, const FactMemo& facts) {
  MeasuredHere measured;
  for (const auto& one : made) {
    auto& gain = measured.of.emplace_back();
    if (one.suggestion.transform && one.suggestion.cannot.empty())
      gain = measured_gain(facts.index(), facts.configuration(), changes_of(one.suggestion));
    if (!gain) continue;
    if (!measured.best || gain->speedup > measured.of[*measured.best]->speedup)
      measured.best = measured.of.size() - 1;
  }
  return measured;
}

std::optional<Gain> gain_from(const GainSource& source, FactMemo& facts) {
  if (holds(source.applies_when, facts) != Truth::yes) return std::nullopt;
  Gain gain;
  gain.scope = source.scope;
  gain.source = source.source;
  gain.change = source.change;
  if (source.fact.empty()) {
    gain.speedup = source.speedup;
    gain.basis = GainBasis::measured_elsewhere;
    return gain;
  }
  const auto value = number_of(source.fact, facts);
  if (!value || !std::isfinite(*value) || *value <= 0) return std::nullopt;
  const int index = find_fact(source.fact);
  gain.basis = basis_of(facts.get(index)->provenance);
  if (gain.source.empty()) gain.source = source.fact;
  if (fact_definition(index).unit == "B") {
    gain.saved_bytes = static_cast<std::int64_t>(std::min(*value, 9.0e18));
    return gain;
  }
  gain.speedup = *value;
  const auto low = number_of(source.low, facts);
  const auto high = number_of(source.high, facts);
  if (low && high) {
    gain.low = *low;
    gain.high = *high;
  }
  return gain;
}

// What the profile measured of a suggestion; else what a source says of the first one that is shown
// and was not measured; else, where the card proposes nothing that a machine can do, of the card.
std::optional<Gain> make_gain(const Rule& rule, const std::vector<Made>& made,
                              const MeasuredHere& measured, FactMemo& facts) {
  if (measured.best && measured.of[*measured.best]->speedup >= least_measured_gain)
    return measured.of[*measured.best];
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!made[i].suggestion.transform || measured.of[i]) continue;
    for (const auto& source : rule.gains) {
      if (!source.once.empty()) continue;
      if (std::find(source.of.begin(), source.of.end(), made[i].of) == source.of.end()) continue;
      auto gain = gain_from(source, facts);
      if (!gain) continue;
      gain->changes = changes_of(made[i].suggestion);
      return gain;
    }
  }
  for (const auto& source : rule.gains) {
    if (!source.once.empty() || !source.of.empty()) continue;
    if (auto gain = gain_from(source, facts)) return gain;
  }
  return std::nullopt;
}

// Finding::possible.
std::optional<Gain> possible_gain(const Rule& rule, FactMemo& facts) {
  for (const auto& source : rule.gains) {
    if (source.once.empty()) continue;
    if (auto gain = gain_from(source, facts)) {
      gain->once = source.once;
      return gain;
    }
  }
  return std::nullopt;
}

}  // namespace

Evidence gather_evidence(const ProfileIndex& index, int configuration) {
  Evidence evidence;
  std::vector<int> calls;
  std::ranges::copy_if(index.calls(configuration), std::back_inserter(calls),
                       [&](int call) { return !index.left_out(call); });
  evidence.calls.assign(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(
                                                           std::min(calls.size(), most_calls)));
  for (const int call : calls) {
    const auto kernels = index.kernels(call);
    evidence.kernels.insert(evidence.kernels.end(), kernels.begin(), kernels.end());
  }
  evidence.all_calls = static_cast<std::int64_t>(calls.size());
  evidence.all_kernels = static_cast<std::int64_t>(evidence.kernels.size());
  if (evidence.kernels.size() > most_kernels) {
    const auto& table = index.profile().kernels;
    const auto duration = [&](int kernel) {
      const auto at = static_cast<std::size_t>(kernel);
      return table.end_ns[at] - table.start_ns[at];
    };
    std::nth_element(evidence.kernels.begin(),
                     evidence.kernels.begin() + static_cast<std::ptrdiff_t>(most_kernels),
                     evidence.kernels.end(), [&](int a, int b) {
                       return std::tuple(-duration(a), a) < std::tuple(-duration(b), b);
                     });
    evidence.kernels.resize(most_kernels);
  }
  std::sort(evidence.kernels.begin(), evidence.kernels.end());
  return evidence;
}

namespace {

bool names(const ConditionSet& set, int fact) {
  const auto is = [&](const Condition& condition) { return condition.fact == fact; };
  return std::any_of(set.all.begin(), set.all.end(), is) ||
         std::any_of(set.any.begin(), set.any.end(), [&](const auto& group) {
           return std::any_of(group.begin(), group.end(), is);
         });
}

// Whether the card, narrowed to where it was measured to hold, would be silent about this
// configuration on the GPU of the measurement.
bool silent_where_measured(const Rule& rule, const FactMemo& facts) {
  const int measured = find_fact("device.measured");
  if (measured < 0 || !names(rule.applies_when, measured)) return false;
  FactMemo there(facts.index());
  there.begin(facts.configuration());
  there.override_fact(measured, Fact{true, Provenance::documented});
  return holds(rule.applies_when, there) == Truth::no;
}

// What measuring found somewhere else, as a sentence to add; empty where nothing was measured.
std::string measured_elsewhere(const Rule& rule, const FactMemo& facts) {
  if (rule.validity.empty()) return {};
  const ValidityRecord& record = rule.validity.back();
  const int pairs = record.agree + record.refute;
  if (pairs == 0) return {};
  const auto device = find_device(record.device);
  const std::string where =
      fmt::format(" This was not measured on this kind of GPU with this cuDNN. On {} with cuDNN {}",
                  device ? device->name : record.device, record.cudnn);
  if (silent_where_measured(rule, facts))
    return where + " it gained nothing for configurations like this one.";
  return fmt::format("{} {} of {} pairs of measurements {} it.", where,
                     refuted(record) ? record.refute : record.agree, pairs,
                     refuted(record) ? "refuted" : "confirmed");
}

// All that the finding proposes was timed in this profile and is no faster: it is a remark,
// whatever was measured elsewhere.
void apply_measured(Finding& finding, const Rule& rule) {
  if (finding.severity == Severity::error || finding.gain) return;
  const bool claims = rule.consequence == "slower" || !rule.gains.empty();
  bool any = false;
  for (const auto& suggestion : finding.suggestions) {
    if (!suggestion.transform || !suggestion.cannot.empty()) continue;
    if (!suggestion.no_faster_here) return;
    any = true;
  }
  if (!any || !claims) return;
  finding.severity = Severity::info;
  finding.refuted_here = true;
}

// What measurement refuted on this device is no advice there. The document's statement stays beside
// it.
void apply_validity(Finding& finding, const Rule& rule, FactMemo& facts) {
  const auto& profile = facts.index().profile();
  const auto& configuration =
      profile.configurations[static_cast<std::size_t>(facts.configuration())];
  const auto device = static_cast<std::size_t>(configuration.device);
  const auto* record = record_for(rule,
                                  configuration.device >= 0 && device < profile.devices.size()
                                      ? &profile.devices[device]
                                      : nullptr,
                                  judged_cudnn_version(profile, configuration));
  if (record == nullptr) {
    // The document speaks; what was measured of it somewhere else stands beside it.
    if (device < profile.devices.size()) finding.message += measured_elsewhere(rule, facts);
    return;
  }
  if (!refuted(*record)) return;
  finding.message += fmt::format(" Measuring refuted that on this kind of GPU: {} of {} pairs{}.",
                                 record->refute, record->agree + record->refute,
                                 record->effect.empty() ? "" : " (" + record->effect + ")");
  finding.refuted_by = *record;
  finding.confidence = Confidence::measured;
  finding.severity = Severity::info;
  finding.gain.reset();
}

}  // namespace

Finding make_finding(const Rule& rule, FactMemo& facts, const Evidence& evidence) {
  const FactLookup lookup = [&](int fact) { return facts.get(fact); };
  Finding finding;
  finding.rule_id = rule.id;
  finding.of_program = about_the_program(rule);
  finding.criterion = rule.criterion;
  finding.title = rule.title;
  finding.severity = rule.severity;
  finding.confidence = rule.confidence;
  finding.message = fill_template(rule.message, lookup);
  finding.configuration = facts.configuration();
  finding.calls = evidence.calls;
  finding.kernels = evidence.kernels;
  finding.all_calls = evidence.all_calls;
  finding.all_kernels = evidence.all_kernels;
  finding.comparisons = make_comparisons(rule.when, facts);
  finding.context = make_comparisons(rule.applies_when, facts);
  auto made = make_suggestions(rule, facts, lookup);
  const auto measured = measured_here(made, facts);
  finding.citations = citations_for(
      rule.citations, framework_around(facts.index().profile(), finding.configuration));
  finding.validity = rule.validity;
  finding.gain = make_gain(rule, made, measured, facts);
  for (std::size_t i = 0; i < made.size(); ++i) {
    auto& suggestion = finding.suggestions.emplace_back(std::move(made[i].suggestion));
    suggestion.no_faster_here = measured.of[i] && measured.of[i]->speedup < least_measured_gain;
  }
  if (finding.gain)
    finding.gain->another_model = another_model_only(finding);
  else
    finding.possible = possible_gain(rule, facts);
  apply_measured(finding, rule);
  apply_validity(finding, rule, facts);
  apply_trials(finding, rule, facts.index());
  return finding;
}

}  // namespace rnnadvisor::advisor
