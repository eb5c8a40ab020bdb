#include "advisor/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "advisor/compare/call_alignment.h"
#include "advisor/compare/causes.h"
#include "advisor/compare/pairing.h"
#include "advisor/compare/predicted.h"
#include "advisor/compare/step_times.h"
#include "advisor/facts/profile_index.h"
#include "advisor/report/phase_times.h"
#include "advisor/report/words.h"

namespace rnnadvisor::compare {

namespace words = advisor::words;

Change change_between(const MedianInterval& b, const MedianInterval& a, double host_ms) {
  if (b.count == 0 || a.count == 0 || b.confidence < 0.5 || a.confidence < 0.5)
    return Change::unclear;
  if (std::fabs(a.median - b.median) <= between_runs * host_ms) return Change::no_difference;
  if (a.high < b.low) return Change::faster;
  if (a.low > b.high) return Change::slower;
  return Change::no_difference;
}

std::string_view program_of(std::string_view command_line) {
  constexpr std::string_view before_program = " -- ";
  const auto at = command_line.find(before_program);
  return at == std::string_view::npos ? std::string_view()
                                      : command_line.substr(at + before_program.size());
}

std::vector<std::string> environment_changes(const Environment& before, const Environment& after) {
  std::vector<std::string> changes;
  std::map<std::string, std::string> now;
  for (const auto& [label, value] : words::environment(after)) now[label] = value;
  for (const auto& [label, value] : words::environment(before)) {
    // Two profiles are of two moments, and the options of the recording name their files.
    if (label == words::label_created) continue;
    const auto found = now.find(label);
    if (found == now.end()) continue;
    const bool command = label == words::label_command;
    const auto was = command ? program_of(value) : std::string_view(value);
    const auto is = command ? program_of(found->second) : std::string_view(found->second);
    if (was != is && !was.empty() && !is.empty())
      changes.push_back(fmt::format("{} {} -> {}", label, was, is));
  }
  return changes;
}

MedianInterval interval_of(const StepAccount& steps) {
  return {.median = steps.step_ns / 1e6,
          .low = steps.low_ns / 1e6,
          .high = steps.high_ns / 1e6,
          .confidence = steps.untraced >= least_steps ? 0.95 : 0,
          .count = steps.untraced};
}

double host_ms_of(const StepAccount& steps) {
  return (steps.idle() + steps.share[static_cast<std::size_t>(StepPart::transfers)]) *
         steps.step_ns / 1e6;
}

namespace {

double kernels_ms_of(const StepAccount& steps) { return steps.step_ns / 1e6 - host_ms_of(steps); }

// From the first kernel of a call to the end of its last, ms; -1: it has none.
double traced_ms(const Profile& profile, const advisor::ProfileIndex& index, int call) {
  std::int64_t first = -1, last = -1;
  for (const int kernel : index.kernels(call)) {
    const auto k = static_cast<std::size_t>(kernel);
    if (first < 0) first = profile.kernels.start_ns[k];
    last = std::max(last, profile.kernels.end_ns[k]);
  }
  return first < 0 ? -1 : static_cast<double>(last - first) / 1e6;
}

struct Side {
  const advisor::Report& all;
  const Profile& profile;
  advisor::ProfileIndex index;
  explicit Side(const advisor::Report& report)
      : all(report), profile(*report.profile), index(profile) {}

  const advisor::ConfigurationReport* report(int configuration) const {
    return configuration < 0 ? nullptr
                             : &all.configurations[static_cast<std::size_t>(configuration)];
  }
};

Change change_of(const Match& match) {
  if (match.after < 0) return Change::only_before;
  if (match.before < 0) return Change::only_after;
  // Calls against their partners, where times are those of traced calls.
  if (match.paired()) {
    return match.paired_ms.high < 0  ? Change::faster
           : match.paired_ms.low > 0 ? Change::slower
                                     : Change::no_difference;
  }
  return change_between(match.before_ms, match.after_ms);
}

MedianInterval time_of(const advisor::ConfigurationReport* report, Phase phase,
                       const std::vector<double>& traced, bool& from_kernels) {
  if (report == nullptr) return {};
  if (const auto* row = report->phase(phase); row != nullptr && row->timing != nullptr)
    return row->timing->ms;
  if (!traced.empty()) from_kernels = true;
  return median_interval(traced);
}

// One profile's calls as what is matched: units, and a symbol for each that names its pair of
// configurations and its phase. Calls that are part of an earlier one's unit have a negative one.
struct Matchable {
  CallUnits units;
  std::vector<int> pair;  // by configuration: which of the pairs; -1: none
  std::vector<std::int64_t> symbols;

  Matchable(const Profile& profile, const std::vector<ConfigurationPair>& pairs,
            CallSet ConfigurationPair::* side, const StepMarks* marks) {
    const auto count = profile.configurations.size();
    std::vector<int> size(count, 1);
    pair.assign(count, -1);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (const auto& [configuration, calls] : pairs[i].*side) {
        const auto c = static_cast<std::size_t>(configuration);
        pair[c] = static_cast<int>(i);
        size[c] = ConfigurationPair::calls(pairs[i].*side);
      }
    }
    units = units_of(profile, size, pair, step_of_calls(profile, marks));
    for (std::size_t i = 0; i < profile.calls.size(); ++i) {
      const auto& call = profile.calls[i];
      const std::int64_t number = pair_of(call) + 1;
      // What lacks calls is like nothing that has them.
      const std::int64_t symbol =
          number * 16 + static_cast<std::int64_t>(call.phase) + (units.whole[i] != 0 ? 0 : 8);
      symbols.push_back(units.calls[i].empty() ? -1 : symbol);
    }
  }
  int pair_of(const RnnCall& call) const {
    return call.configuration < 0 ? -1 : pair[static_cast<std::size_t>(call.configuration)];
  }
};

// What one unit took: the sum of its calls, for others may run between them; -1: no kernels.
double unit_ms(const Side& side, const std::vector<int>& calls, int& kernels) {
  double sum = 0;
  for (const int call : calls) {
    const double ms = traced_ms(side.profile, side.index, call);
    if (ms < 0) return -1;
    sum += ms;
    kernels += static_cast<int>(side.index.kernels(call).size());
  }
  return sum;
}

// Every call with its partner, and what their kernels took.
std::vector<CallMatch> match_calls(const Side& left, const Side& right, const Matchable& before,
                                   const Matchable& after) {
  std::vector<CallMatch> calls;
  const auto take = [](const Side& side, const Matchable& of, int call, std::vector<int>& more,
                       double& ms, int& kernels) {
    if (call < 0) return;
    const auto& unit = of.units.calls[static_cast<std::size_t>(call)];
    more.assign(unit.begin() + 1, unit.end());
    ms = unit_ms(side, unit, kernels);
  };
  for (const auto& [b, a] :
       align_calls(left.profile, right.profile, before.symbols, after.symbols)) {
    CallMatch match;
    match.before = b;
    match.after = a;
    take(left, before, b, match.more_before, match.before_ms, match.before_kernels);
    take(right, after, a, match.more_after, match.after_ms, match.after_kernels);
    calls.push_back(match);
  }
  return calls;
}

// What the calls of one phase of one pair of configurations come to.
struct PhaseCalls {
  std::vector<std::pair<int, int>> calls;
  std::vector<double> before_ms, after_ms, difference_ms;
  int in_both = 0;
};

std::vector<StepPartComparison> parts_of(const StepAccount& before, const StepAccount& after) {
  std::vector<StepPartComparison> parts;
  const auto add = [&](std::string name, double old_share, double new_share) {
    if (old_share > 0 || new_share > 0)
      parts.push_back(
          {std::move(name), old_share * before.step_ns / 1e6, new_share * after.step_ns / 1e6});
  };
  for (std::size_t i = 0; i < step_parts; ++i)
    add(std::string(to_string(static_cast<StepPart>(i))), before.share[i], after.share[i]);
  add(std::string(words::idle_in_rnn), before.idle_in_rnn, after.idle_in_rnn);
  add(std::string(words::idle_for_host), before.idle_for_host, after.idle_for_host);
  add(std::string(words::idle_elsewhere), before.idle_elsewhere, after.idle_elsewhere);
  std::stable_sort(parts.begin(), parts.end(), [](const auto& x, const auto& y) {
    return std::fabs(x.after_ms - x.before_ms) > std::fabs(y.after_ms - y.before_ms);
  });
  return parts;
}

// Steps that were timed without tracing: of the GPUs of both that have some, in their order. The
// one that became slowest comes first.
void compare_timed_steps(const advisor::Report& before, const advisor::Report& after,
                         Comparison& result) {
  const auto timed = [](const advisor::Report& report) {
    std::vector<const StepAccount*> found;
    for (const auto& each : report.judgement->steps)
      if (each.untraced > 0) found.push_back(&each);
    return found;
  };
  const auto left = timed(before), right = timed(after);
  struct Compared {
    StepComparison step;
    std::vector<StepPartComparison> parts;
  };
  std::vector<Compared> all;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i]->trains != right[i]->trains) continue;
    StepComparison step{.name = {},
                        .trains = left[i]->trains,
                        .device = right[i]->device,
                        .before_launches = left[i]->launches,
                        .after_launches = right[i]->launches,
                        .host_ms = std::max(host_ms_of(*left[i]), host_ms_of(*right[i])),
                        .before_kernels_ms = kernels_ms_of(*left[i]),
                        .after_kernels_ms = kernels_ms_of(*right[i]),
                        .before_ms = interval_of(*left[i]),
                        .after_ms = interval_of(*right[i])};
    step.change = change_between(step.before_ms, step.after_ms, step.host_ms);
    all.push_back({std::move(step), parts_of(*left[i], *right[i])});
  }
  if (all.empty()) return;
  std::stable_sort(all.begin(), all.end(), [](const Compared& a, const Compared& b) {
    return a.step.ratio() < b.step.ratio();
  });
  result.step = all.front().step;
  result.parts = std::move(all.front().parts);
  for (std::size_t i = 1; i < all.size(); ++i) result.other_steps.push_back(all[i].step);
}

}  // namespace

std::string_view to_string(Change change) {
  switch (change) {
    case Change::faster:
      return "faster";
    case Change::slower:
      return "slower";
    case Change::no_difference:
      return "no_difference";
    case Change::unclear:
      return "unclear";
    case Change::only_before:
      return "only_before";
    case Change::only_after:
      return "only_after";
  }
  return "?";
}

bool Match::paired() const { return from_kernels && paired_ms.confidence >= 0.9; }

double Match::ratio() const {
  return before_ms.count > 0 && after_ms.count > 0 && after_ms.median > 0
             ? before_ms.median / after_ms.median
             : 0;
}

namespace {

// Half widths of independent medians add up as their squares do. `times`: calls of the match.
void add_to_sum(Comparison& result, const Match& match, double times) {
  result.before_ms += match.before_ms.median * times;
  result.after_ms += match.after_ms.median * times;
  const auto half = [](const MedianInterval& of) { return (of.high - of.low) / 2; };
  const bool known = match.change != Change::unclear;
  const double own = match.paired() ? half(match.paired_ms)
                                    : std::hypot(half(match.before_ms), half(match.after_ms));
  if (!known) result.spread_ms = -1;
  if (result.spread_ms >= 0) result.spread_ms = std::hypot(result.spread_ms, own * times);
}

}  // namespace

namespace {

double batches_of(const Profile& before, const Profile& after,
                  const std::vector<ConfigurationPair>& pairs) {
  double batches = 0;
  for (const auto& pair : pairs) {
    if (pair.before.size() != 1 || pair.after.size() != 1) continue;
    const auto& b = before.configurations[static_cast<std::size_t>(pair.before.front().first)];
    const auto& a = after.configurations[static_cast<std::size_t>(pair.after.front().first)];
    if (!b.described() || !a.described() || b.config.batch_size <= 0) return 1;
    const double ratio = static_cast<double>(a.config.batch_size) / b.config.batch_size;
    if (batches != 0 && batches != ratio) return 1;
    batches = ratio;
  }
  return batches > 0 ? batches : 1;
}

}  // namespace

Comparison compare(const advisor::Report& before, const advisor::Report& after) {
  Comparison result;
  const Side left(before), right(after);
  const auto pairs = pair_configurations(left.profile, right.profile);
  result.batches = batches_of(left.profile, right.profile, pairs);
  const auto old_steps = step_marks(left.profile), new_steps = step_marks(right.profile);
  const auto step = common_step(old_steps, new_steps);
  const StepMarks* const old_step = step ? &old_steps.at(*step) : nullptr;
  const StepMarks* const new_step = step ? &new_steps.at(*step) : nullptr;
  if (step) {
    StepComparison whole{.name = *step,
                         .before_ms = median_interval(old_step->periods_ms()),
                         .after_ms = median_interval(new_step->periods_ms())};
    whole.change = change_between(whole.before_ms, whole.after_ms);
    result.step = std::move(whole);
  }
  compare_timed_steps(before, after, result);
  const Matchable of_before(left.profile, pairs, &ConfigurationPair::before, old_step);
  const Matchable of_after(right.profile, pairs, &ConfigurationPair::after, new_step);
  result.calls = match_calls(left, right, of_before, of_after);
  // By what a call is: which of the pairs, and its phase.
  std::map<std::pair<int, Phase>, PhaseCalls> phase_calls;
  const auto key_of = [&](const CallMatch& call) {
    const auto& side = call.before >= 0 ? of_before : of_after;
    const auto first = static_cast<std::size_t>(call.before >= 0 ? call.before : call.after);
    const auto& of = (call.before >= 0 ? left : right).profile.calls[first];
    return std::pair(side.units.whole[first] != 0 ? side.pair_of(of) : -1, of.phase);
  };
  for (const auto& call : result.calls) {
    auto& phase = phase_calls[key_of(call)];
    phase.calls.emplace_back(call.before, call.after);
    if (call.before_ms >= 0) phase.before_ms.push_back(call.before_ms);
    if (call.after_ms >= 0) phase.after_ms.push_back(call.after_ms);
    if (call.before >= 0 && call.after >= 0) ++phase.in_both;
    if (call.before_ms >= 0 && call.after_ms >= 0)
      phase.difference_ms.push_back(call.after_ms - call.before_ms);
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& sets = pairs[i];
    const int b = sets.before.empty() ? -1 : sets.before.front().first;
    const int a = sets.after.empty() ? -1 : sets.after.front().first;
    for (const Phase phase : all_phases) {
      Match match;
      match.sets = sets;
      match.before = b;
      match.after = a;
      match.phase = phase;
      const auto* old_report = left.report(b);
      const auto* new_report = right.report(a);
      // A stack gives its name to what it was split into.
      match.name = (new_report == nullptr || ConfigurationPair::calls(sets.after) > 1 ? old_report
                                                                                      : new_report)
                       ->name;
      const auto& calls = phase_calls[{static_cast<int>(i), phase}];
      bool old_traced = false, new_traced = false;
      // Times of a run are those of one call, so that there is none for several.
      const auto time = [&](const auto* report, const auto& traced, bool& from_kernels) {
        if (!sets.split()) return time_of(report, phase, traced, from_kernels);
        from_kernels = from_kernels || !traced.empty();
        return median_interval(traced);
      };
      match.before_ms = time(old_report, calls.before_ms, old_traced);
      match.after_ms = time(new_report, calls.after_ms, new_traced);
      if (match.before_ms.count == 0 && match.after_ms.count == 0) continue;
      match.from_kernels = old_traced || new_traced;
      match.calls = calls.calls;
      match.paired_ms = median_interval(calls.difference_ms);
      match.change = change_of(match);
      if (match.ratio() > 0)
        add_to_sum(result, match, match.from_kernels ? static_cast<double>(calls.in_both) : 1);
      result.matches.push_back(std::move(match));
    }
  }
  std::stable_sort(result.matches.begin(), result.matches.end(), [](const auto& x, const auto& y) {
    const auto moved = [](const Match& m) {
      return m.ratio() > 0 ? std::fabs(m.before_ms.median - m.after_ms.median) : -1;
    };
    return moved(x) > moved(y);
  });
  std::map<std::pair<int, Phase>, int> index_of;
  for (std::size_t i = 0; i < result.matches.size(); ++i) {
    const auto& match = result.matches[i];
    const int pair = match.before >= 0 ? of_before.pair[static_cast<std::size_t>(match.before)]
                                       : of_after.pair[static_cast<std::size_t>(match.after)];
    index_of[{pair, match.phase}] = static_cast<int>(i);
  }
  for (auto& call : result.calls) {
    const auto found = index_of.find(key_of(call));
    if (found != index_of.end()) call.match = found->second;
  }
  result.environment = environment_changes(left.profile.environment, right.profile.environment);
  std::set<std::string> old_rules, new_rules;
  for (const auto& f : before.judgement->findings) old_rules.insert(f.rule_id);
  for (const auto& f : after.judgement->findings) new_rules.insert(f.rule_id);
  std::set_difference(old_rules.begin(), old_rules.end(), new_rules.begin(), new_rules.end(),
                      std::back_inserter(result.fixed));
  std::set_difference(new_rules.begin(), new_rules.end(), old_rules.begin(), old_rules.end(),
                      std::back_inserter(result.appeared));
  result.causes = causes_of(result, before, after);
  result.predictions = predictions_of(result, before, after);
  return result;
}

std::vector<TimePart> time_parts(const advisor::Report& before, const advisor::Report& after,
                                 const Match& match) {
  std::vector<TimePart> parts;
  const auto part = [&](std::optional<KernelRole> role) -> TimePart& {
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [&](const TimePart& each) { return each.role == role; });
    if (found != parts.end()) return *found;
    // A side that is not there has no time, not none.
    parts.push_back({role, match.before < 0 ? -1.0 : 0.0, match.after < 0 ? -1.0 : 0.0});
    return parts.back();
  };
  const auto add = [&](const advisor::Report& report, const CallSet& set, double TimePart::* side) {
    for (const auto& [configuration, calls] : set) {
      const auto& of = report.configurations[static_cast<std::size_t>(configuration)];
      for (const auto& time : advisor::phase_times(of)) {
        if (time.phase != match.phase) continue;
        for (const auto& each : time.parts) part(each.role).*side += each.ms * calls;
        if (time.idle_ms > 0) part(std::nullopt).*side += time.idle_ms * calls;
      }
    }
  };
  add(before, match.sets.before, &TimePart::before_ms);
  add(after, match.sets.after, &TimePart::after_ms);
  std::stable_sort(parts.begin(), parts.end(), [](const TimePart& a, const TimePart& b) {
    return std::fabs(a.after_ms - a.before_ms) > std::fabs(b.after_ms - b.before_ms);
  });
  return parts;
}

}  // namespace rnnadvisor::compare
