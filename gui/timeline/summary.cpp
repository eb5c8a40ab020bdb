#include "gui/timeline/summary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "profiler/kernels/classify.h"

namespace rnnadvisor::gui::timeline {
namespace {

// Steps of a duration: each nanosecond up to 256, then 128 in every octave.
std::uint32_t step_of(std::int64_t ns) {
  const auto value = static_cast<std::uint64_t>(ns);
  if (value < 128) return static_cast<std::uint32_t>(value);
  const auto shift = static_cast<std::uint64_t>(std::bit_width(value)) - 8;
  return static_cast<std::uint32_t>(128 * shift + (value >> shift));
}
std::int64_t middle_of(std::uint32_t step) {
  if (step < 256) return step;
  const unsigned shift = step / 128 - 1;
  const std::int64_t from = static_cast<std::int64_t>(step - 128U * shift) << shift;
  return from + ((std::int64_t{1} << shift) - 1) / 2;
}

struct Group {
  std::int64_t count = 0, total_ns = 0;
  std::int64_t least_ns = std::numeric_limits<std::int64_t>::max(), longest_ns = 0;
  std::uint32_t first_row = 0;
  // Where its values lie, or the counts of its steps from that of `least_ns` on.
  std::size_t offset = 0;
  bool stepped = false;

  std::size_t steps() const { return step_of(longest_ns) - step_of(least_ns) + 1U; }
};

// Which group each row of a table belongs to, and when it is.
class Rows {
 public:
  Rows(const Timeline& timeline, SummaryBy by) : timeline_(timeline), p_(*timeline.profile) {
    by_ = by;
    if (by != SummaryBy::call) return;
    std::map<std::string, int> known;
    for (std::size_t i = 0; i < p_.calls.size(); ++i) {
      const int fresh = static_cast<int>(call_names_.size());
      const auto [found, is_fresh] =
          known.try_emplace(call_name(p_, static_cast<int>(i), timeline.calls[i]), fresh);
      if (is_fresh) call_names_.push_back(found->first);
      call_group_.push_back(found->second);
    }
  }

  std::size_t groups() const {
    switch (by_) {
      case SummaryBy::role:
        return kernel_role_count;
      case SummaryBy::call:
        return call_names_.size();
      case SummaryBy::copy:
        return transfer_numbers;
      default:
        return p_.strings.size();
    }
  }

  // visit(group, row, begin, end) of what lies in the range; false when it was stopped. The rows
  // before the first that lies in it are passed over when the same range is asked for again.
  template <class Visit>
  bool each(TimeRange range, const std::stop_token& stop, const Visit& visit) {
    std::size_t seen_from = std::numeric_limits<std::size_t>::max();
    const auto table = [&](const auto& columns, const auto& group) {
      // Sorted by their beginnings; what reaches into the range may begin long before it.
      const auto& start = columns.start_ns;
      const auto& end = columns.end_ns;
      const auto last = static_cast<std::size_t>(
          std::lower_bound(start.begin(), start.end(), range.end_ns) - start.begin());
      for (std::size_t i = from_; i < last; ++i) {
        if ((i & 0xffff) == 0 && stop.stop_requested()) return false;
        if (end[i] <= range.begin_ns && start[i] < range.begin_ns) continue;
        seen_from = std::min(seen_from, i);
        const int of = group(i);
        if (of >= 0)
          visit(static_cast<std::size_t>(of), static_cast<std::uint32_t>(i), start[i], end[i]);
      }
      from_ = std::min(seen_from, last);
      return true;
    };
    switch (by_) {
      case SummaryBy::kernel:
        return table(p_.kernels, [&](std::size_t i) { return p_.kernels.name[i]; });
      case SummaryBy::role:
        return table(p_.kernels,
                     [&](std::size_t i) { return static_cast<int>(p_.kernels.role[i]); });
      case SummaryBy::nvtx:
        return table(p_.nvtx, [&](std::size_t i) { return p_.nvtx.name[i]; });
      case SummaryBy::copy:
        return table(p_.transfers, [&](std::size_t i) {
          return static_cast<int>(transfer_number(p_.transfers, i));
        });
      case SummaryBy::call:
        break;
    }
    for (std::size_t i = 0; i < call_group_.size(); ++i) {
      const auto when = item_range(timeline_, {ItemKind::call, static_cast<int>(i)});
      const bool seen = when.end_ns > 0 && when.begin_ns < range.end_ns &&
                        (when.end_ns > range.begin_ns || when.begin_ns >= range.begin_ns);
      if (seen)
        visit(static_cast<std::size_t>(call_group_[i]), static_cast<std::uint32_t>(i),
              when.begin_ns, when.end_ns);
    }
    return !stop.stop_requested();
  }

  void name(std::size_t group, std::uint32_t row, SummaryRow& into) const {
    const auto index = static_cast<int>(row);
    switch (by_) {
      case SummaryBy::kernel:
        into.role = p_.kernels.role[row];
        into.name = p_.strings[group];
        into.kind = ItemKind::kernel;
        break;
      case SummaryBy::role:
        into.role = static_cast<KernelRole>(group);
        into.name = to_string(into.role);
        into.kind = ItemKind::kernel;
        break;
      case SummaryBy::call:
        into.name = call_names_[group];
        into.kind = ItemKind::call;
        break;
      case SummaryBy::nvtx:
        into.name = p_.strings[group];
        into.kind = ItemKind::nvtx;
        break;
      case SummaryBy::copy:
        into.name = transfer_name(p_.transfers, index);
        into.kind = ItemKind::transfer;
        break;
    }
  }

 private:
  const Timeline& timeline_;
  const Profile& p_;
  SummaryBy by_ = SummaryBy::kernel;
  std::vector<int> call_group_;
  std::vector<std::string> call_names_;
  std::size_t from_ = 0;
};

std::int64_t length(std::int64_t begin, std::int64_t end) {
  return std::max<std::int64_t>(0, end - begin);
}

// Of one group, by its counted steps.
class Steps {
 public:
  Steps(const Group& group, const std::uint32_t* counts) : group_(group), counts_(counts) {}
  std::int64_t at(std::int64_t rank) const {
    std::int64_t before = 0;
    for (std::size_t i = 0; i < group_.steps(); ++i) {
      before += counts_[i];
      if (before > rank) return value(i);
    }
    return group_.longest_ns;
  }
  std::int64_t value(std::size_t i) const {
    return std::clamp(middle_of(step_of(group_.least_ns) + static_cast<std::uint32_t>(i)),
                      group_.least_ns, group_.longest_ns);
  }

 private:
  const Group& group_;
  const std::uint32_t* counts_;
};

}  // namespace

std::int64_t median_rank(std::int64_t n) { return n / 2; }
std::int64_t p99_rank(std::int64_t n) { return std::max<std::int64_t>(0, (n * 99 + 99) / 100 - 1); }

std::size_t histogram_column(std::int64_t ns, std::int64_t shortest_ns, std::int64_t longest_ns) {
  const auto low = static_cast<double>(std::max<std::int64_t>(1, shortest_ns));
  const auto high = static_cast<double>(std::max<std::int64_t>(1, longest_ns));
  if (high <= low) return 0;
  const double share = std::log(static_cast<double>(std::max<std::int64_t>(1, ns)) / low) /
                       std::log(high / low) * static_cast<double>(histogram_columns);
  return static_cast<std::size_t>(
      std::clamp(share, 0.0, static_cast<double>(histogram_columns - 1)));
}

Summary summarise(const Timeline& timeline, TimeRange range, SummaryBy by,
                  const std::stop_token& stop) {
  Summary summary;
  summary.by = by;
  summary.range = range;
  Rows rows(timeline, by);
  std::vector<Group> groups(rows.groups());
  const bool counted = rows.each(
      range, stop, [&](std::size_t of, std::uint32_t row, std::int64_t begin, std::int64_t end) {
        auto& group = groups[of];
        const auto duration = length(begin, end);
        if (group.count++ == 0) group.first_row = row;
        group.total_ns += length(std::max(begin, range.begin_ns), std::min(end, range.end_ns));
        group.least_ns = std::min(group.least_ns, duration);
        group.longest_ns = std::max(group.longest_ns, duration);
      });
  if (!counted) return summary;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].count == 0) continue;
    if (order.empty()) summary.shortest_ns = groups[i].least_ns;
    order.push_back(i);
    summary.count += groups[i].count;
    summary.total_ns += groups[i].total_ns;
    summary.shortest_ns = std::min(summary.shortest_ns, groups[i].least_ns);
    summary.longest_ns = std::max(summary.longest_ns, groups[i].longest_ns);
  }
  summary.groups = order.size();
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return groups[a].total_ns != groups[b].total_ns ? groups[a].total_ns > groups[b].total_ns
                                                    : a < b;
  });
  if (order.size() > Summary::most_rows) order.resize(Summary::most_rows);

  // Of those that are shown: their values, or the counts of their steps where these are fewer.
  std::vector<bool> shown(groups.size(), false);
  std::size_t value_count = 0, step_count = 0;
  for (const std::size_t i : order) {
    auto& group = groups[i];
    shown[i] = true;
    group.stepped = summary.count > Summary::most_exact &&
                    static_cast<std::size_t>(group.count) > group.steps() / 2;
    auto& next = group.stepped ? step_count : value_count;
    group.offset = next;
    next += group.stepped ? group.steps() : static_cast<std::size_t>(group.count);
    if (group.stepped) summary.exact = false;
  }
  std::vector<std::int64_t> values(value_count);
  std::vector<std::uint32_t> steps(step_count);
  std::vector<std::size_t> filled(groups.size(), 0);
  const bool placed = rows.each(
      range, stop, [&](std::size_t of, std::uint32_t, std::int64_t begin, std::int64_t end) {
        if (!shown[of]) return;
        const auto& group = groups[of];
        const auto duration = length(begin, end);
        if (group.stepped)
          ++steps[group.offset + step_of(duration) - step_of(group.least_ns)];
        else
          values[group.offset + filled[of]++] = duration;
      });
  if (!placed) return summary;

  for (const std::size_t i : order) {
    if (stop.stop_requested()) return summary;
    const auto& group = groups[i];
    SummaryRow row;
    rows.name(i, group.first_row, row);
    row.count = group.count;
    row.total_ns = group.total_ns;
    row.least_ns = group.least_ns;
    row.longest_ns = group.longest_ns;
    const auto column = [&](std::int64_t ns) -> std::uint32_t& {
      return row.histogram[histogram_column(ns, summary.shortest_ns, summary.longest_ns)];
    };
    if (group.stepped) {
      const Steps counts(group, steps.data() + group.offset);
      row.median_ns = counts.at(median_rank(group.count));
      row.p99_ns = counts.at(p99_rank(group.count));
      for (std::size_t s = 0; s < group.steps(); ++s) {
        if (const auto n = steps[group.offset + s]) column(counts.value(s)) += n;
      }
    } else {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(group.offset);
      const auto to = from + static_cast<std::ptrdiff_t>(group.count);
      for (auto at = from; at != to; ++at) ++column(*at);
      const auto ranked = [&](std::int64_t rank) {
        const auto at = from + static_cast<std::ptrdiff_t>(rank);
        std::nth_element(from, at, to);
        return *at;
      };
      row.median_ns = ranked(median_rank(group.count));
      row.p99_ns = ranked(p99_rank(group.count));
    }
    summary.rows.push_back(std::move(row));
  }
  return summary;
}

Wanted wanted_of(const Summary& summary, const SummaryRow& row) {
  Wanted wanted;
  wanted.kind = row.kind;
  if (summary.by == SummaryBy::role) {
    wanted.role = row.role;
    wanted.matches = [](std::string_view) { return true; };
  } else if (summary.by == SummaryBy::call) {
    // The text of a call ends with its duration (call_label()).
    wanted.matches = [name = row.name](std::string_view text) {
      return text.substr(0, text.rfind(", ")) == name;
    };
  } else {
    wanted.matches = [name = row.name](std::string_view text) { return text == name; };
  }
  return wanted;
}

}  // namespace rnnadvisor::gui::timeline
