#include "gui/models/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "advisor/facts/profile_index.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/config/read_config.h"
#include "gui/models/call_alignment.h"
#include "gui/models/item_models.h"
#include "gui/models/overview_charts.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

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
  const Document& document;
  advisor::ProfileIndex index;
  explicit Side(const Document& d) : document(d), index(d.profile()) {}

  const advisor::ConfigurationReport* report(int configuration) const {
    return configuration < 0
               ? nullptr
               : &document.report().configurations[static_cast<std::size_t>(configuration)];
  }
};

// Pairs by a key that `key` gives, in order of appearance; what is paired leaves both lists.
template <class Key>
void pair_by(const Document& before, const Document& after, std::vector<int>& left,
             std::vector<int>& right, std::vector<std::pair<int, int>>& pairs, Key key) {
  std::map<std::string, std::vector<int>> free;
  for (const int i : right) {
    const auto k = key(after.profile().configurations[static_cast<std::size_t>(i)]);
    if (!k.empty()) free[k].push_back(i);
  }
  std::vector<int> rest;
  for (const int i : left) {
    const auto found = free.find(key(before.profile().configurations[static_cast<std::size_t>(i)]));
    if (found == free.end() || found->second.empty()) {
      rest.push_back(i);
      continue;
    }
    pairs.emplace_back(i, found->second.front());
    std::erase(right, found->second.front());
    found->second.erase(found->second.begin());
  }
  left = rest;
}

std::vector<std::pair<int, int>> pair_configurations(const Document& before,
                                                     const Document& after) {
  std::vector<int> left(before.profile().configurations.size());
  std::vector<int> right(after.profile().configurations.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = static_cast<int>(i);
  std::vector<std::pair<int, int>> pairs;
  const auto same = [](const Configuration& c) {
    RnnConfig plain = c.config;
    plain.id.clear();
    return c.described() ? to_json_line(plain) : std::string();
  };
  const auto id_and_parameters = [&](const Configuration& c) {
    return c.config.id.empty() ? std::string() : c.config.id + '\n' + same(c);
  };
  const auto id = [](const Configuration& c) { return c.config.id; };
  // The same layer under another algorithm, type or batch is still the same layer.
  const auto shape = [](const Configuration& c) {
    if (!c.described()) return std::string();
    RnnConfig plain;
    plain.cell = c.config.cell;
    plain.hidden_size = c.config.hidden_size;
    plain.num_layers = c.config.num_layers;
    plain.direction = c.config.direction;
    return to_json_line(plain);
  };
  pair_by(before, after, left, right, pairs, id_and_parameters);
  pair_by(before, after, left, right, pairs, same);
  pair_by(before, after, left, right, pairs, id);
  pair_by(before, after, left, right, pairs, shape);
  for (const int i : left) pairs.emplace_back(i, -1);
  for (const int i : right) pairs.emplace_back(-1, i);
  return pairs;
}

Change change_of(const Match& match) {
  if (match.after < 0) return Change::only_before;
  if (match.before < 0) return Change::only_after;
  // Calls against their partners, where times are those of traced calls.
  if (const auto& paired = match.paired_ms; match.from_kernels && paired.confidence >= 0.9) {
    return paired.high < 0  ? Change::faster
           : paired.low > 0 ? Change::slower
                            : Change::no_difference;
  }
  const auto &b = match.before_ms, &a = match.after_ms;
  if (b.count == 0 || a.count == 0 || b.confidence < 0.5 || a.confidence < 0.5)
    return Change::unclear;
  if (a.high < b.low) return Change::faster;
  if (a.low > b.high) return Change::slower;
  return Change::no_difference;
}

MedianInterval time_of(const advisor::ConfigurationReport* report, Phase phase,
                       const std::vector<double>& traced, bool& from_kernels) {
  if (report == nullptr) return {};
  if (const auto* row = report->phase(phase); row != nullptr && row->timing != nullptr)
    return row->timing->ms;
  if (!traced.empty()) from_kernels = true;
  return median_interval(traced);
}

// Every call with its partner, and what their kernels took.
std::vector<CallMatch> match_calls(const Side& left, const Side& right,
                                   const std::vector<std::pair<int, int>>& pairs) {
  const Profile &before = left.document.profile(), &after = right.document.profile();
  std::vector<CallMatch> calls;
  for (const auto& [b, a] : align_calls(before, after, pairs)) {
    CallMatch match;
    match.before = b;
    match.after = a;
    if (b >= 0) {
      match.before_ms = traced_ms(before, left.index, b);
      match.before_kernels = static_cast<int>(left.index.kernels(b).size());
    }
    if (a >= 0) {
      match.after_ms = traced_ms(after, right.index, a);
      match.after_kernels = static_cast<int>(right.index.kernels(a).size());
    }
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

std::vector<std::string> environment_changes(const Environment& before, const Environment& after) {
  std::vector<std::string> changes;
  std::map<std::string, std::string> now;
  for (const auto& [label, value] : words::environment(after)) now[label] = value;
  for (const auto& [label, value] : words::environment(before)) {
    // Two profiles are of two moments, and of two commands that name their files.
    if (value == before.created || value == before.command_line) continue;
    const auto found = now.find(label);
    if (found != now.end() && found->second != value)
      changes.push_back(fmt::format("{} {} -> {}", label, value, found->second));
  }
  return changes;
}

}  // namespace

double Match::ratio() const {
  return before_ms.count > 0 && after_ms.count > 0 && after_ms.median > 0
             ? before_ms.median / after_ms.median
             : 0;
}

Comparison compare(const DocumentPointer& before, const DocumentPointer& after) {
  Comparison result;
  result.before = before;
  result.after = after;
  const Side left(*before), right(*after);
  const auto pairs = pair_configurations(*before, *after);
  result.calls = match_calls(left, right, pairs);
  // By what a call is: of either side its configuration, and its phase.
  std::map<std::tuple<int, int, Phase>, PhaseCalls> phase_calls;
  std::map<int, std::pair<int, int>> of_before, of_after;
  for (const auto& pair : pairs) {
    if (pair.first >= 0) of_before[pair.first] = pair;
    if (pair.second >= 0) of_after[pair.second] = pair;
  }
  const auto key_of = [&](const CallMatch& call) {
    const auto& of = call.before >= 0
                         ? before->profile().calls[static_cast<std::size_t>(call.before)]
                         : after->profile().calls[static_cast<std::size_t>(call.after)];
    const auto& known = call.before >= 0 ? of_before : of_after;
    const auto pair = known.find(of.configuration);
    return pair == known.end() ? std::tuple(-1, -1, of.phase)
                               : std::tuple(pair->second.first, pair->second.second, of.phase);
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
  for (const auto& [b, a] : pairs) {
    for (const Phase phase : all_phases) {
      Match match;
      match.before = b;
      match.after = a;
      match.phase = phase;
      const auto* old_report = left.report(b);
      const auto* new_report = right.report(a);
      match.name = (new_report != nullptr ? new_report : old_report)->name;
      const auto& calls = phase_calls[{b, a, phase}];
      bool old_traced = false, new_traced = false;
      match.before_ms = time_of(old_report, phase, calls.before_ms, old_traced);
      match.after_ms = time_of(new_report, phase, calls.after_ms, new_traced);
      if (match.before_ms.count == 0 && match.after_ms.count == 0) continue;
      match.from_kernels = old_traced || new_traced;
      match.calls = calls.calls;
      match.paired_ms = median_interval(calls.difference_ms);
      match.change = change_of(match);
      if (match.ratio() > 0) {
        const double times = match.from_kernels ? static_cast<double>(calls.in_both) : 1;
        result.before_ms += match.before_ms.median * times;
        result.after_ms += match.after_ms.median * times;
      }
      result.matches.push_back(std::move(match));
    }
  }
  std::stable_sort(result.matches.begin(), result.matches.end(), [](const auto& x, const auto& y) {
    const auto moved = [](const Match& m) {
      return m.ratio() > 0 ? std::fabs(m.before_ms.median - m.after_ms.median) : -1;
    };
    return moved(x) > moved(y);
  });
  std::map<std::tuple<int, int, Phase>, int> index_of;
  for (std::size_t i = 0; i < result.matches.size(); ++i) {
    const auto& match = result.matches[i];
    index_of[{match.before, match.after, match.phase}] = static_cast<int>(i);
  }
  for (auto& call : result.calls) {
    const auto found = index_of.find(key_of(call));
    if (found != index_of.end()) call.match = found->second;
  }
  result.environment =
      environment_changes(before->profile().environment, after->profile().environment);
  std::set<std::string> old_rules, new_rules;
  for (const auto& f : before->judgement().findings) old_rules.insert(f.rule_id);
  for (const auto& f : after->judgement().findings) new_rules.insert(f.rule_id);
  std::set_difference(old_rules.begin(), old_rules.end(), new_rules.begin(), new_rules.end(),
                      std::back_inserter(result.fixed));
  std::set_difference(new_rules.begin(), new_rules.end(), old_rules.begin(), old_rules.end(),
                      std::back_inserter(result.appeared));
  return result;
}

std::vector<TimePart> time_parts(const Comparison& comparison, const Match& match) {
  std::vector<TimePart> parts;
  const auto part = [&](const QString& name) -> TimePart& {
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [&](const TimePart& each) { return each.name == name; });
    if (found != parts.end()) return *found;
    // A side that is not there has no time, not none.
    parts.push_back({name, match.before < 0 ? -1.0 : 0.0, match.after < 0 ? -1.0 : 0.0});
    return parts.back();
  };
  const auto add = [&](const Document& document, int configuration, double TimePart::* side) {
    for (const auto& time : phase_times(document, configuration)) {
      if (time.phase != match.phase) continue;
      for (const auto& each : time.parts) part(role_word(each.role)).*side += each.ms;
      if (time.idle_ms > 0) part(ComparisonModel::tr("waiting for launches")).*side += time.idle_ms;
    }
  };
  if (match.before >= 0) add(*comparison.before, match.before, &TimePart::before_ms);
  if (match.after >= 0) add(*comparison.after, match.after, &TimePart::after_ms);
  std::stable_sort(parts.begin(), parts.end(), [](const TimePart& a, const TimePart& b) {
    return std::fabs(a.after_ms - a.before_ms) > std::fabs(b.after_ms - b.before_ms);
  });
  return parts;
}

QString change_word(Change change) {
  switch (change) {
    case Change::faster:
      return ComparisonModel::tr("faster");
    case Change::slower:
      return ComparisonModel::tr("slower");
    case Change::no_difference:
      return ComparisonModel::tr("within noise");
    case Change::unclear:
      return ComparisonModel::tr("too few samples");
    case Change::only_before:
      return ComparisonModel::tr("only before");
    case Change::only_after:
      return ComparisonModel::tr("only after");
  }
  return {};
}

}  // namespace rnnadvisor::gui
