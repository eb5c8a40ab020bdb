#include "gui/models/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "advisor/facts/profile_index.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/config/read_config.h"
#include "gui/models/item_models.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

// Kernel time of each call of a phase, ms.
std::vector<double> traced_ms(const Profile& profile, const advisor::ProfileIndex& index,
                              const std::vector<int>& calls) {
  std::vector<double> samples;
  for (const int call : calls) {
    std::int64_t first = -1, last = -1;
    for (const int kernel : index.kernels(call)) {
      const auto k = static_cast<std::size_t>(kernel);
      if (first < 0) first = profile.kernels.start_ns[k];
      last = std::max(last, profile.kernels.end_ns[k]);
    }
    if (first >= 0) samples.push_back(static_cast<double>(last - first) / 1e6);
  }
  return samples;
}

struct Side {
  const Document& document;
  advisor::ProfileIndex index;
  explicit Side(const Document& d) : document(d), index(d.profile()) {}

  std::vector<int> calls(int configuration, Phase phase) const {
    std::vector<int> found;
    if (configuration < 0) return found;
    for (const int call : index.calls(configuration)) {
      if (document.profile().calls[static_cast<std::size_t>(call)].phase == phase)
        found.push_back(call);
    }
    return found;
  }
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
  const auto &b = match.before_ms, &a = match.after_ms;
  if (b.count == 0 || a.count == 0 || b.confidence < 0.5 || a.confidence < 0.5)
    return Change::unclear;
  if (a.high < b.low) return Change::faster;
  if (a.low > b.high) return Change::slower;
  return Change::no_difference;
}

MedianInterval time_of(const Side& side, const advisor::ConfigurationReport* report, Phase phase,
                       const std::vector<int>& calls, bool& from_kernels) {
  if (report == nullptr) return {};
  if (const auto* row = report->phase(phase); row != nullptr && row->timing != nullptr)
    return row->timing->ms;
  const auto samples = traced_ms(side.document.profile(), side.index, calls);
  if (!samples.empty()) from_kernels = true;
  return median_interval(samples);
}

std::vector<std::string> environment_changes(const Environment& before, const Environment& after) {
  std::vector<std::string> changes;
  std::map<std::string, std::string> now;
  for (const auto& [label, value] : words::environment(after)) now[label] = value;
  for (const auto& [label, value] : words::environment(before)) {
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
  for (const auto& [b, a] : pair_configurations(*before, *after)) {
    for (const Phase phase : all_phases) {
      Match match;
      match.before = b;
      match.after = a;
      match.phase = phase;
      const auto* old_report = left.report(b);
      const auto* new_report = right.report(a);
      match.name = (new_report != nullptr ? new_report : old_report)->name;
      const auto old_calls = left.calls(b, phase), new_calls = right.calls(a, phase);
      bool old_traced = false, new_traced = false;
      match.before_ms = time_of(left, old_report, phase, old_calls, old_traced);
      match.after_ms = time_of(right, new_report, phase, new_calls, new_traced);
      if (match.before_ms.count == 0 && match.after_ms.count == 0) continue;
      match.from_kernels = old_traced || new_traced;
      for (std::size_t i = 0; i < std::max(old_calls.size(), new_calls.size()); ++i)
        match.calls.emplace_back(i < old_calls.size() ? old_calls[i] : -1,
                                 i < new_calls.size() ? new_calls[i] : -1);
      match.change = change_of(match);
      if (match.ratio() > 0) {
        const double times = match.from_kernels
                                 ? static_cast<double>(std::min(old_calls.size(), new_calls.size()))
                                 : 1;
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

void ComparisonModel::set_comparison(Comparison comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  endResetModel();
}
int ComparisonModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(comparison_.matches.size());
}
int ComparisonModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section >= before && section <= ratio)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case name:
      return tr("Configuration");
    case phase:
      return tr("Phase");
    case before:
      return tr("Before");
    case after:
      return tr("After");
    case ratio:
      return tr("Speed-up");
    case verdict:
      return tr("Change");
    default:
      return {};
  }
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& match = comparison_.matches[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  const auto time = [](const MedianInterval& ms) {
    return ms.count > 0 ? to_qt(format_milliseconds(ms.median)) : QStringLiteral("–");
  };
  switch (role) {
    case Qt::DisplayRole:
      switch (column) {
        case name:
          return to_qt(match.name);
        case phase:
          return to_qt(words::phase(match.phase));
        case before:
          return time(match.before_ms);
        case after:
          return time(match.after_ms);
        case ratio:
          return match.ratio() > 0 ? to_qt(words::number(match.ratio())) + QStringLiteral("×")
                                   : QStringLiteral("–");
        case verdict:
          return change_word(match.change);
        default:
          return {};
      }
    case Qt::ToolTipRole:
      if (column == before) return to_qt(words::interval(match.before_ms));
      if (column == after) return to_qt(words::interval(match.after_ms));
      return to_qt(match.name);
    case Qt::TextAlignmentRole:
      return column >= before && column <= ratio ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter))
                                                 : QVariant();
    case SortRole:
      return column == before  ? QVariant(match.before_ms.median)
             : column == after ? QVariant(match.after_ms.median)
             : column == ratio ? QVariant(match.ratio())
                               : data(index, Qt::DisplayRole);
    case ItemIndexRole:
      return index.row();
    case SeverityRole:
      return static_cast<int>(match.change);
    case MatchRole:
      return to_qt(match.name);
    default:
      return {};
  }
}

}  // namespace rnnadvisor::gui
