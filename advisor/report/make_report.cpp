// Builds a Report: looks up what belongs to each configuration and words the verdicts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "advisor/facts/profile_index.h"
#include "advisor/judge/merge.h"
#include "advisor/report/figures.h"
#include "advisor/report/framework_choice.h"
#include "advisor/report/layer_rows.h"
#include "advisor/report/places.h"
#include "advisor/report/program_end.h"
#include "advisor/report/report.h"
#include "advisor/report/trials.h"
#include "advisor/report/verdict.h"
#include "advisor/report/words.h"
#include "core/config/read_config.h"
#include "profiler/kernels/classify.h"

namespace rnnadvisor::advisor {
namespace {

// "yes (counters)": what decides comes first; names of kernels alone are named as such.
std::string tensor_core_words(const Configuration& configuration, Phase phase,
                              const std::vector<KernelRow>& kernels) {
  bool counted = false;
  double instructions = 0;
  for (const auto& counter : configuration.counters) {
    if (counter.phase != phase || counter.metric.find("pipe_tensor") == std::string::npos) continue;
    counted = true;
    instructions += counter.value;
  }
  // Of the recurrence, which is nearly all of the time, and of what is around it.
  struct Hints {
    bool any = false, yes = false, all_no = true;
    void add(TensorCoreHint hint) {
      any = true;
      yes = yes || hint == TensorCoreHint::yes;
      all_no = all_no && hint == TensorCoreHint::no;
    }
  } recurrence, rest;
  for (const auto& row : kernels) {
    if (row.phase != phase) continue;
    const bool recurrent =
        row.role == KernelRole::persistent || row.role == KernelRole::recurrent_gemm;
    (recurrent ? recurrence : rest).add(classify_kernel(row.name).tensor_cores);
  }
  const bool no_recurrence = recurrence.any && recurrence.all_no;
  if (counted && instructions <= 0) return "no (counters)";
  // Counters see a whole call, and its products may have them where its recurrence does not.
  if (counted)
    return no_recurrence ? "in products only (counters and kernel names)" : "yes (counters)";
  const Hints& judged = recurrence.any ? recurrence : rest;
  if (judged.yes) return "yes (inferred from kernel names)";
  if (!judged.any || !judged.all_no) return "unknown";
  return recurrence.any && rest.yes ? "in products only (inferred from kernel names)"
                                    : "no (inferred from kernel names)";
}

std::vector<KernelRow> kernel_rows(const Profile& profile, const ProfileIndex& index,
                                   int configuration) {
  struct Sum {
    std::int64_t count = 0, ns = 0;
    std::size_t first = 0;
  };
  // By phase; by name and what it is for: cuDNN runs one kernel for steps and for whole layers.
  std::map<Phase, std::map<std::pair<int, KernelRole>, Sum>> sums;
  for (const int call : index.calls(configuration)) {
    const Phase phase = profile.calls[static_cast<std::size_t>(call)].phase;
    if (index.left_out(call)) continue;
    for (const int kernel : index.kernels(call)) {
      const auto k = static_cast<std::size_t>(kernel);
      auto [entry, fresh] =
          sums[phase].try_emplace({profile.kernels.name[k], profile.kernels.role[k]});
      if (fresh) entry->second.first = k;
      ++entry->second.count;
      entry->second.ns +=
          std::max<std::int64_t>(0, profile.kernels.end_ns[k] - profile.kernels.start_ns[k]);
    }
  }
  std::vector<KernelRow> rows;
  for (const auto& [phase, names] : sums) {
    const auto* phase_kernels = index.phase_kernels(configuration, phase);
    const double calls =
        phase_kernels != nullptr && phase_kernels->calls > 0 ? phase_kernels->calls : 1;
    std::int64_t total = 0;
    for (const auto& [key, sum] : names) total += sum.ns;
    const auto begin = static_cast<std::ptrdiff_t>(rows.size());
    for (const auto& [key, sum] : names) {
      KernelRow row;
      row.name = profile.text(key.first);
      row.short_name = words::clean(short_kernel_name(row.name));
      row.phase = phase;
      row.family = profile.kernels.family[sum.first];
      row.role = key.second;
      row.count = std::llround(static_cast<double>(sum.count) / calls);
      row.total_us = static_cast<double>(sum.ns) / 1000.0 / calls;
      row.share = total > 0 ? static_cast<double>(sum.ns) / static_cast<double>(total) : 0;
      rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin() + begin, rows.end(), [](const KernelRow& a, const KernelRow& b) {
      return a.total_us > b.total_us;
    });
  }
  return rows;
}

bool wanted_phase(const Configuration& configuration, const ProfileIndex& index, int number,
                  Phase phase) {
  if (configuration.timing(phase) != nullptr || index.phase_kernels(number, phase) != nullptr)
    return true;
  // Of a recorded program what it called: an evaluation calls the training forward and no backward.
  if (configuration.from_program() && !index.calls(number).empty()) {
    const auto calls = index.calls(number);
    return std::any_of(calls.begin(), calls.end(), [&](int call) {
      return index.profile().calls[static_cast<std::size_t>(call)].phase == phase;
    });
  }
  return (configuration.config.mode == Mode::inference) == (phase == Phase::forward_inference);
}

void add_phases(ConfigurationReport& report, const ProfileIndex& index) {
  const Configuration& configuration = *report.configuration;
  const ModelAnswers& model = index.model(report.index);
  for (const Phase phase : all_phases) {
    if (!wanted_phase(configuration, index, report.index, phase)) continue;
    PhaseRow row;
    row.phase = phase;
    row.timing = configuration.timing(phase);
    if (row.timing != nullptr && !(row.timing->ms.count > 0 && row.timing->ms.median > 0))
      row.timing = nullptr;
    if (const auto* kernels = index.phase_kernels(report.index, phase);
        kernels != nullptr && kernels->calls > 0) {
      row.kernel_ms = static_cast<double>(kernels->kernel_ns) / 1e6 / kernels->calls;
      if (const auto busy = busy_share(index, report.index, phase)) {
        row.busy = busy->share;
        row.busy_of_traced_call = busy->of_traced_call;
      }
      row.implementation = kernels->implementation;
      row.first_calls_left_out = static_cast<int>(kernels->left_out.size());
    }
    row.cost = model.cost(phase);
    if (const auto* bound = model.bound(phase)) row.bound = *bound;
    if (row.timing != nullptr) {
      row.tflops = static_cast<double>(row.cost.flops) / (row.timing->ms.median * 1e-3) / 1e12;
    }
    row.tensor_cores = tensor_core_words(configuration, phase, report.kernels);
    report.phases.push_back(std::move(row));
  }
}

// The implementation of the recurrence; backward weights never tells and phases of one
// configuration agree in practice.
std::optional<model::Implementation> ran(const ConfigurationReport& report) {
  for (const auto& row : report.phases) {
    if (row.implementation && *row.implementation != model::Implementation::none)
      return row.implementation;
  }
  return std::nullopt;
}

void count_verdict(ConfigurationReport& report, const Verdict& verdict) {
  report.verdicts.push_back(&verdict);
  switch (verdict.kind) {
    case VerdictKind::passed:
      ++report.passed;
      break;
    case VerdictKind::told_by_another:
      ++report.told_by_another;
      break;
    case VerdictKind::not_applicable:
      ++report.not_applicable;
      break;
    case VerdictKind::unknown:
      ++report.unknown;
      break;
    case VerdictKind::error:
      ++report.broken;
      break;
    case VerdictKind::fired:
      ++report.fired;
      break;
  }
}

ConfigurationReport describe(const Profile& profile, const ProfileIndex& index, int number,
                             FactMemo& facts) {
  ConfigurationReport report;
  report.index = number;
  report.configuration = &profile.configurations[static_cast<std::size_t>(number)];
  const RnnConfig& config = report.configuration->config;
  report.device = index.device(number);
  report.tried = index.tried(number);
  report.trials = trial_rows(profile, index.experiments(number));
  report.has_device = report.device != nullptr;
  report.summary = words::clean(summary(config));
  report.name = config.id.empty() ? report.summary : words::clean(config.id);
  if (const auto share = advisor::share_of_step(index, number, {});
      share && share->outside == Outside::no)
    report.share_of_step = share->share;
  if (!report.configuration->described()) {
    add_places(report, profile, index);
    // Only its kernels were seen: nothing of what follows from a configuration can be said.
    report.summary = report.name;
    report.has_device = false;
    return report;
  }
  report.kernels = kernel_rows(profile, index, number);
  add_phases(report, index);
  report.ran = ran(report);
  add_places(report, profile, index);
  const ModelAnswers& model = index.model(number);
  report.memory = model.memory(config.mode);
  if (report.configuration->from_program()) report.program_memory = index.memory_use(number);
  const FrameworkCall& call = index.framework_call(number);
  const bool called =
      report.configuration->from_program() || report.configuration->outcome != Outcome::not_run;
  report.calls_cudnn = called       ? std::optional(true)
                       : call.stops ? std::optional(false)
                                    : call.cudnn;
  if (const DeviceSpec* device = report.device) {
    follow_framework(report, model, facts);
    const model::Pipe pipe = model::best_pipe(config, *device);
    report.pipe = model::to_string(pipe);
    report.peak_flops = model::pipe_flops(pipe, *device);
    report.peak_bandwidth =
        device->measured_bandwidth ? device->measured_bandwidth->value : device->memory_bandwidth;
    report.ceilings_measured = device->measured_bandwidth.has_value() &&
                               pipe == model::Pipe::fp16_tensor &&
                               device->measured_fp16_tensor_flops.has_value();
  }
  return report;
}

// What sets one configuration of several apart: "persist_static", "batch_size 8, standard". Empty
// when nothing does, or too much for a name.
std::string difference(const RnnConfig& own, const std::vector<const RnnConfig*>& others) {
  constexpr int most = 3;
  const auto mine = words::all_parameters(own);
  std::vector<bool> differs(mine.size(), false);
  for (const RnnConfig* other : others) {
    const auto its = words::all_parameters(*other);
    for (std::size_t i = 0; i < mine.size(); ++i)
      differs[i] = differs[i] || mine[i].second != its[i].second;
  }
  if (std::count(differs.begin(), differs.end(), true) > most) return {};
  std::string text;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (!differs[i]) continue;
    const auto& [key, value] = mine[i];
    // A word of cuDNN's tells what it is of; a number or a truth value does not.
    const bool word = value != "true" && value != "false" && !value.empty() && value[0] >= 'a';
    text += (text.empty() ? "" : ", ") + (word ? value : fmt::format("{} {}", key, value));
  }
  return text;
}

// A sweep gives one id to configurations that differ in, say, the algorithm: what they differ in is
// then part of the name.
void tell_apart(std::vector<ConfigurationReport>& all) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].listed()) groups[all[i].name].push_back(i);
  for (const auto& [name, members] : groups) {
    if (members.size() < 2) continue;
    std::vector<const RnnConfig*> configs;
    for (const std::size_t i : members) configs.push_back(&all[i].configuration->config);
    for (const std::size_t i : members) {
      auto& each = all[i];
      std::string part = difference(each.configuration->config, configs);
      if (part.empty() && each.name != each.summary) part = each.summary;
      if (!part.empty()) each.name += ", " + part;
    }
  }
}

void count_severity(Report& report, Severity severity) {
  switch (severity) {
    case Severity::error:
      ++report.errors;
      break;
    case Severity::warning:
      ++report.warnings;
      break;
    case Severity::opportunity:
      ++report.opportunities;
      break;
    case Severity::info:
      ++report.infos;
      break;
  }
}

// What the user did not say of configurations that were only described, and what was taken for it.
std::string not_given(const Report& report) {
  std::vector<std::pair<std::string, std::string>> taken;  // key, value; empty: several
  const auto take = [&](std::string_view key, const std::string& value) {
    const auto known = std::find_if(taken.begin(), taken.end(),
                                    [&](const auto& each) { return each.first == key; });
    if (known == taken.end())
      taken.emplace_back(key, value);
    else if (known->second != value)
      known->second.clear();
  };
  for (const auto& each : report.configurations) {
    const Configuration& own = *each.configuration;
    if (own.origin != Origin::checked || each.tried || own.given.empty()) continue;
    const ConfigInput input{own.config, own.program, {}, own.given};
    for (const auto& [key, value] : words::all_parameters(own.written.value_or(own.config))) {
      static constexpr std::array<std::string_view, 7> deciding = {
          "cell", "data_type", "hidden_size", "num_layers", "seq_length", "batch_size", "mode"};
      const bool decides = std::find(deciding.begin(), deciding.end(), key) != deciding.end();
      if (decides && !is_given(input, key)) take(key, value);
    }
    const bool version_known =
        own.program.cudnn_version || !report.profile->environment.cudnn_version.empty();
    if (const auto version = assumed_cudnn_version(each.device); version && !version_known)
      take("cuDNN", to_string(*version));
  }
  std::string text;
  for (const auto& [key, value] : taken)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", key, value.empty() ? "" : " ", value);
  return text.empty() ? text : fmt::format("Assumed, because not given: {}.", text);
}

// What was run called cuDNN itself; what was only described may be meant for a framework.
std::string no_framework(const Report& report) {
  const bool open =
      std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding* finding) {
        const auto& own =
            *report.configurations[static_cast<std::size_t>(finding->configuration)].configuration;
        return own.origin == Origin::checked && !own.program.name && !finding->suggestions.empty();
      });
  if (!open) return {};
  return "No framework was named: advice is for a program that calls cuDNN itself. For another say "
         "--framework pytorch (or keras3, tensorflow, jax, onnxruntime), or name it in the table "
         "[framework] of the file.";
}

// What was given and the framework does not follow.
std::string not_followed(const Report& report, FactMemo& facts) {
  static const int ignored = find_fact("framework.ignored");
  std::vector<std::string> told;
  for (const auto& each : report.configurations) {
    if (each.configuration->origin != Origin::checked || each.tried) continue;
    facts.begin(each.index);
    const Fact* fact = facts.get(ignored);
    if (fact == nullptr) continue;
    auto text = words::clean(format_fact(fact->value, {}));
    if (std::find(told.begin(), told.end(), text) == told.end()) told.push_back(std::move(text));
  }
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, told.size()); ++i)
    text += (i > 0 ? " " : "") + told[i];
  if (told.size() > most) text += fmt::format(" And {} more.", told.size() - most);
  return text;
}

std::string assumption_of(const Report& report, FactMemo& facts) {
  std::string text;
  for (const auto& part : {not_given(report), not_followed(report, facts), no_framework(report)})
    if (!part.empty()) text += (text.empty() ? "" : " ") + part;
  return text;
}

// A trial has the verdict of the finding that it was made for: of a rule about results theirs.
void take_verdicts(ConfigurationReport& report, const Finding& finding) {
  const auto take = [&](const std::optional<TrialOutcome>& trial) {
    if (!trial || !trial->of_results) return;
    for (auto& row : report.trials)
      if (row.index == trial->experiment) row.verdict = trial->verdict;
  };
  take(finding.trial);
  for (const auto& suggestion : finding.suggestions) take(suggestion.trial);
}

// The findings decide what a configuration is padded to (merge_suggestions()); the nearest
// configuration below the conditions of an algorithm is padded alike, or is not shown.
void pad_alike(ConfigurationReport& report) {
  if (report.device == nullptr) return;
  const RnnConfig& config = report.configuration->config;
  model::PaddedSizes decided;
  const auto take = [](std::optional<int>& size, const std::optional<int>& to) {
    if (!size) size = to;
  };
  for (const Finding* finding : report.findings) {
    for (const auto& suggestion : finding->suggestions) {
      if (!suggestion.transform || withdrawn(*finding, suggestion)) continue;
      const auto sizes = padding_of(suggestion, config);
      take(decided.hidden, sizes.hidden);
      take(decided.input, sizes.input);
      take(decided.batch, sizes.batch);
    }
  }
  const auto differs = [](int before, int after, const std::optional<int>& to) {
    return to && after > before && after != *to;
  };
  for (auto& table : report.why_not) {
    if (!table.has_nearest || table.changes.empty()) continue;
    auto again = model::why_not(config, *report.device, table.algo, decided);
    table.nearest = std::move(again.nearest);
    table.changes = std::move(again.changes);
    if (differs(config.hidden_size, table.nearest.hidden_size, decided.hidden) ||
        differs(config.input_size, table.nearest.input_size, decided.input) ||
        differs(config.batch_size, table.nearest.batch_size, decided.batch))
      table.changes.clear();
  }
}

}  // namespace

Report make_report(const Profile& profile, const Judgement& judgement, const RuleSet& rules) {
  Report report;
  report.profile = &profile;
  report.judgement = &judgement;
  report.rules = &rules;

  const ProfileIndex index(profile);
  FactMemo facts(index);
  report.configurations.reserve(profile.configurations.size());
  for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
    report.configurations.push_back(describe(profile, index, static_cast<int>(i), facts));
  }
  const auto configuration = [&](int number) -> ConfigurationReport* {
    const auto i = static_cast<std::size_t>(number);
    return number >= 0 && i < report.configurations.size() ? &report.configurations[i] : nullptr;
  };
  std::map<std::string_view, std::size_t> action_of, remark_of;
  for (const Finding& finding : judgement.findings) {
    ConfigurationReport* owner = configuration(finding.configuration);
    if (owner == nullptr) continue;  // a finding about nothing cannot be shown
    if (!finding.of_program) owner->findings.push_back(&finding);
    take_verdicts(*owner, finding);
    report.findings.push_back(&finding);
    count_severity(report, finding.severity);
    const bool remark = is_remark(finding);
    auto& groups = remark ? report.remarks : report.actions;
    const auto [group, fresh] =
        (remark ? remark_of : action_of).try_emplace(finding.rule_id, groups.size());
    if (fresh) groups.emplace_back();
    groups[group->second].findings.push_back(&finding);
  }
  for (const Verdict& verdict : judgement.verdicts)
    if (auto* owner = configuration(verdict.configuration)) count_verdict(*owner, verdict);
  for (const auto& each : judgement.best_predictions)
    if (auto* owner = configuration(each.configuration)) owner->best_prediction = &each;
  for (auto& each : report.configurations) {
    pad_alike(each);
    each.standing =
        refused_as_alternative(index, each.index) ? Standing::refused : standing_of(each);
  }
  join_shapes(report.configurations, index);
  for (auto& each : report.configurations) each.verdict = verdict_of(each);
  tell_apart(report.configurations);
  report.end = end_of_program(profile);
  if (report.end) count_severity(report, Severity::error);
  report.headline = headline_of(report);
  report.assumption = assumption_of(report, facts);
  report.figures = look_up_figures(report);
  return report;
}

}  // namespace rnnadvisor::advisor
