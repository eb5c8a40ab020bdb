#include "gui/models/paired_calls.h"

#include <algorithm>
#include <map>

namespace rnnadvisor::gui {
namespace {

// As the timeline draws it: on the GPU, else on the host.
TimeRange shown(const Document& document, int call) {
  const TimeRange gpu = document.gpu_range_of_call(call);
  return gpu.length() > 0 ? gpu : document.host_range_of_call(call);
}

// From the first call of a unit to the end of its last; empty where one has no times.
TimeRange shown(const Document& document, int call, const std::vector<int>& more) {
  TimeRange all = shown(document, call);
  for (const int each : more) {
    const TimeRange one = shown(document, each);
    if (one.length() <= 0) return {};
    all = {std::min(all.begin_ns, one.begin_ns), std::max(all.end_ns, one.end_ns)};
  }
  return all;
}

bool meet(TimeRange a, TimeRange b) { return a.begin_ns < b.end_ns && a.end_ns > b.begin_ns; }

}  // namespace

double Pair::ratio() const {
  return after.length() > 0
             ? static_cast<double>(before.length()) / static_cast<double>(after.length())
             : 0;
}

PairedCalls::PairedCalls(const compare::Comparison& comparison, const Document& before,
                         const Document& after)
    : of_row_(comparison.calls.size(), -1),
      before_row_(before.profile().calls.size(), -1),
      after_row_(after.profile().calls.size(), -1) {
  const auto name = [](std::vector<int>& rows, int call, const std::vector<int>& more, int row) {
    if (call < 0) return;
    rows[static_cast<std::size_t>(call)] = row;
    for (const int each : more) rows[static_cast<std::size_t>(each)] = row;
  };
  for (std::size_t i = 0; i < comparison.calls.size(); ++i) {
    const auto& match = comparison.calls[i];
    const int row = static_cast<int>(i);
    name(before_row_, match.before, match.more_before, row);
    name(after_row_, match.after, match.more_after, row);
    if (match.before < 0 || match.after < 0) continue;
    const Pair pair{row, shown(before, match.before, match.more_before),
                    shown(after, match.after, match.more_after)};
    if (pair.before.length() <= 0 || pair.after.length() <= 0) continue;
    longest_ns_ = std::max(longest_ns_, pair.before.length());
    calls_.push_back(pair);
  }
  const auto earlier = [](const Pair& a, const Pair& b) {
    return a.before.begin_ns < b.before.begin_ns;
  };
  std::stable_sort(calls_.begin(), calls_.end(), earlier);
  for (std::size_t i = 0; i < calls_.size(); ++i)
    of_row_[static_cast<std::size_t>(calls_[i].row)] = static_cast<int>(i);

  std::map<int, TimeRange> begun_by;  // of the profile after, by the call that begins the step
  for (const auto& process : after.recorded_steps().processes)
    for (const auto& step : process.steps) begun_by[step.call] = {step.from_ns, step.to_ns};
  for (const auto& process : before.recorded_steps().processes) {
    for (const auto& step : process.steps) {
      const int row = row_of(step.call, true);
      if (row < 0) continue;
      const auto& match = comparison.calls[static_cast<std::size_t>(row)];
      const auto found = begun_by.find(match.after);
      if (match.before == step.call && found != begun_by.end())
        steps_.push_back({row, {step.from_ns, step.to_ns}, found->second});
    }
  }
  const auto &old_steps = before.recorded_steps().processes,
             &new_steps = after.recorded_steps().processes;
  if (steps_.empty() && !old_steps.empty() && !new_steps.empty()) {
    const auto &b = old_steps.front().steps, &a = new_steps.front().steps;
    for (std::size_t i = 0; i < std::min(b.size(), a.size()); ++i)
      steps_.push_back({-1, {b[i].from_ns, b[i].to_ns}, {a[i].from_ns, a[i].to_ns}});
  }
  std::stable_sort(steps_.begin(), steps_.end(), earlier);
}

const Pair* PairedCalls::of_row(int row) const {
  if (row < 0 || static_cast<std::size_t>(row) >= of_row_.size()) return nullptr;
  const int at = of_row_[static_cast<std::size_t>(row)];
  return at < 0 ? nullptr : &calls_[static_cast<std::size_t>(at)];
}

int PairedCalls::row_of(int call, bool before) const {
  const auto& rows = before ? before_row_ : after_row_;
  return call < 0 || static_cast<std::size_t>(call) >= rows.size()
             ? -1
             : rows[static_cast<std::size_t>(call)];
}

int PairedCalls::typical_row(const compare::Comparison& comparison, int match) const {
  std::vector<const Pair*> all;
  for (const auto& pair : calls_)
    if (comparison.calls[static_cast<std::size_t>(pair.row)].match == match) all.push_back(&pair);
  if (all.empty()) return -1;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
  std::nth_element(all.begin(), middle, all.end(), [](const Pair* a, const Pair* b) {
    return a->before.length() < b->before.length();
  });
  return (*middle)->row;
}

std::vector<std::size_t> PairedCalls::in_sight(TimeRange before, TimeRange after,
                                               std::size_t most) const {
  std::vector<std::size_t> found;
  auto at = std::partition_point(calls_.begin(), calls_.end(), [&](const Pair& pair) {
    return pair.before.begin_ns < before.begin_ns - longest_ns_;
  });
  for (; at != calls_.end() && at->before.begin_ns < before.end_ns && found.size() <= most; ++at)
    if (meet(at->before, before) && meet(at->after, after))
      found.push_back(static_cast<std::size_t>(at - calls_.begin()));
  return found;
}

}  // namespace rnnadvisor::gui
