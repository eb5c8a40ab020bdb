// ProfileBuilder::finish(): from records in any order to a profile.
#include <algorithm>
#include <array>
#include <numeric>
#include <type_traits>
#include <utility>

#include "profiler/kernels/classify.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/gemm_roles.h"
#include "profiler/profile/nvtx_nesting.h"
#include "profiler/profile/tables.h"

namespace rnnadvisor {
namespace {

using columns::Target;
using Order = std::vector<std::uint32_t>;

template <class Column>
void permute(Column& column, const Order& order) {
  Column sorted(column.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
  column = std::move(sorted);
}

// Whether a row of a table stands before another.
template <class Rows>
auto order_of(const Rows& rows) {
  return [&rows](std::uint32_t a, std::uint32_t b) {
    if constexpr (std::is_same_v<Rows, AllocationTable>) {
      return rows.time_ns[a] < rows.time_ns[b];
    } else {
      if (rows.start_ns[a] != rows.start_ns[b]) return rows.start_ns[a] < rows.start_ns[b];
      if constexpr (std::is_same_v<Rows, NvtxTable>) return rows.end_ns[a] > rows.end_ns[b];
      if constexpr (std::is_same_v<Rows, CounterTable>) return rows.metric[a] < rows.metric[b];
      return false;
    }
  };
}

bool names_one(int id, std::size_t count) {
  return id >= 0 && static_cast<std::size_t>(id) < count;
}

}  // namespace

void ProfileBuilder::name_nvtx_paths() {
  const auto innermost = enclosing_ranges(profile_.nvtx, profile_.calls);
  for (std::size_t i = 0; i < profile_.calls.size(); ++i) {
    if (profile_.calls[i].nvtx_path >= 0 || innermost[i].empty()) continue;
    constexpr std::size_t long_enough = 4096;  // bytes; hundreds of names in one say nothing more
    std::string path;
    for (const std::size_t range : innermost[i]) {
      if (path.size() > long_enough) break;
      if (!path.empty()) path += '/';
      path += profile_.text(profile_.nvtx.name[range]);
    }
    profile_.calls[i].nvtx_path = intern(path);
  }
}

std::int64_t ProfileBuilder::mend_intervals() {
  std::int64_t mended = 0;
  const auto mend = [&](std::int64_t start, std::int64_t& end) {
    if (end >= start) return;
    end = start;
    ++mended;
  };
  columns::for_each_table([&](const auto& table) {
    if constexpr (!columns::is_parts<decltype(table)>) {
      auto& rows = table.of(profile_);
      for_each(table.columns, [&](const auto& column) {
        if constexpr (columns::is_duration<std::decay_t<decltype(column.kind)>>) {
          for (std::size_t i = 0; i < rows.size(); ++i)
            mend(cell(column.kind.begin, rows, i), cell(column.of, rows, i));
        }
      });
    }
  });
  for (auto& process : profile_.processes)
    if (process.end_ns >= 0) mend(process.start_ns, process.end_ns);
  return mended;
}

// Ids that name nothing become none, but those of calls: records are yet to be attributed.
// Everybody downstream may look up the process of a record without asking: those that name none
// share one of which nothing is known.
void ProfileBuilder::mend_ids() {
  const auto counts =
      std::array{profile_.strings.size(),   profile_.devices.size(), profile_.configurations.size(),
                 profile_.processes.size(), profile_.calls.size(),   profile_.call_arguments.size(),
                 profile_.call_sites.size()};
  int unknown_process = -1;
  const auto mend = [&](Target target, int& id) {
    if (target == Target::calls || names_one(id, counts[static_cast<std::size_t>(target)])) return;
    id = -1;
    if (target != Target::processes) return;
    if (unknown_process < 0) unknown_process = add_process({});
    id = unknown_process;
  };
  columns::for_each_id(profile_, mend);
  for (auto& attribution : attributions_)
    if (!names_one(attribution.process, counts[static_cast<std::size_t>(Target::processes)]))
      attribution.process = unknown_process;
  for (int& name : profile_.kernels.name)
    if (name < 0) name = intern({});  // appended from a profile that was not whole
}

// Attribution: a sorted list and a binary search, so that ten million kernels need no hash table.
void ProfileBuilder::attribute_records() {
  std::stable_sort(
      attributions_.begin(), attributions_.end(), [](const Attribution& x, const Attribution& y) {
        return std::pair(x.process, x.correlation) < std::pair(y.process, y.correlation);
      });
  const auto call_of = [&](int process, std::int64_t correlation) {
    const std::pair key(process, correlation);
    const auto after = std::upper_bound(attributions_.begin(), attributions_.end(), key,
                                        [](const auto& wanted, const Attribution& at) {
                                          return wanted < std::pair(at.process, at.correlation);
                                        });
    if (after == attributions_.begin()) return -1;
    const auto& last = *std::prev(after);
    return std::pair(last.process, last.correlation) == key ? last.call : -1;
  };
  searches_.resize(profile_.kernels.size(), 0);
  for_each(columns::record_tables, [&](const auto& table) {
    auto& rows = table.of(profile_);
    if constexpr (requires { rows.call; }) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows.call[i] >= 0) continue;
        rows.call[i] = call_of(rows.process[i], rows.correlation[i]);
        if constexpr (std::is_same_v<std::decay_t<decltype(rows)>, KernelTable>)
          if (rows.call[i] == search_call) searches_[i] = 1;
      }
    }
  });
  columns::for_each_id(profile_, [&](Target target, int& id) {
    if (target == Target::calls && !names_one(id, profile_.calls.size())) id = -1;
  });
}

// Everybody downstream may look up the device of a configuration without asking, so each gets one.
void ProfileBuilder::mend_configurations() {
  int unknown = -1;
  for (auto& configuration : profile_.configurations) {
    if (configuration.device >= 0) continue;
    if (unknown < 0) {
      unknown = static_cast<int>(profile_.devices.size());
      profile_.devices.emplace_back();
      profile_.devices.back().id = "unknown";
      profile_.devices.back().name = "unknown device";
    }
    configuration.device = unknown;
  }
}

// Rows that are equal keep the order in which they were added.
void ProfileBuilder::sort_records() {
  for_each(columns::record_tables, [&](const auto& table) {
    auto& rows = table.of(profile_);
    const auto before = order_of(rows);
    Order order(rows.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    if (std::is_sorted(order.begin(), order.end(), before)) return;
    std::stable_sort(order.begin(), order.end(), before);
    for_each(table.columns, [&](const auto& column) { permute(column.of(rows), order); });
    if constexpr (std::is_same_v<std::decay_t<decltype(rows)>, KernelTable>)
      permute(searches_, order);
  });
  std::stable_sort(
      profile_.setup_calls.begin(), profile_.setup_calls.end(),
      [](const SetupCall& x, const SetupCall& y) { return x.host_start_ns < y.host_start_ns; });
}

void ProfileBuilder::classify_kernels() {
  auto& k = profile_.kernels;
  std::vector<KernelClass> classes(profile_.strings.size());
  std::vector<bool> wanted(profile_.strings.size(), false);
  for (const int name : k.name) wanted[static_cast<std::size_t>(name)] = true;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (wanted[i]) classes[i] = classify_kernel(profile_.strings[i]);
  }
  assign_families_and_roles(profile_, classes);
  for (std::size_t i = 0; i < k.size(); ++i)
    if (searches_[i] != 0) k.role[i] = KernelRole::algorithm_search;
}

Profile ProfileBuilder::finish() {
  if (const std::int64_t mended = mend_intervals(); mended > 0) {
    add_note({NoteSeverity::warning, "interval-without-end",
              "records ended before they began; they are kept with no duration", mended});
  }
  mend_ids();
  attribute_records();
  mend_configurations();
  sort_records();
  compute_depths(profile_.nvtx);
  name_nvtx_paths();
  classify_kernels();
  Profile result = std::move(profile_);
  *this = ProfileBuilder();
  return result;
}

}  // namespace rnnadvisor
