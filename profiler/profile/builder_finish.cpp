// ProfileBuilder::finish(): from records in any order to a profile.
#include <algorithm>
#include <numeric>
#include <utility>

#include "profiler/classify/classify.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/gemm_roles.h"
#include "profiler/profile/nvtx_nesting.h"

namespace rnnadvisor {
namespace {

using Order = std::vector<std::uint32_t>;

template <class Column>
void permute(Column& column, const Order& order) {
  Column sorted(column.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
  column = std::move(sorted);
}

// Sorts the rows by `before`, a strict order of row numbers; rows that are equal keep the order in
// which they were added.
template <class Before, class... Columns>
void sort_rows(std::size_t count, Before before, Columns&... columns) {
  Order order(count);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::stable_sort(order.begin(), order.end(), before);
  (permute(columns, order), ...);
}

template <class Table>
auto by_start(const Table& table) {
  return
      [&table](std::uint32_t a, std::uint32_t b) { return table.start_ns[a] < table.start_ns[b]; };
}

std::int64_t mend_intervals(const std::vector<std::int64_t>& start,
                            std::vector<std::int64_t>& end) {
  std::int64_t mended = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (end[i] >= start[i]) continue;
    end[i] = start[i];
    ++mended;
  }
  return mended;
}

void mend_index(int& index, std::size_t count) {
  if (index < 0 || static_cast<std::size_t>(index) >= count) index = -1;
}

void mend_devices(Profile& profile) {
  const auto count = profile.devices.size();
  for (auto& call : profile.calls) {
    mend_index(call.device, count);
    mend_index(call.configuration, profile.configurations.size());
  }
  for (auto* column :
       {&profile.kernels.device, &profile.transfers.device, &profile.allocations.device}) {
    for (int& device : *column) mend_index(device, count);
  }
  for (auto& clock : profile.environment.clocks) mend_index(clock.device, count);
  // Everybody downstream may look up the device of a configuration without asking, so each gets
  // one.
  int unknown = -1;
  for (auto& configuration : profile.configurations) {
    mend_index(configuration.device, count);
    if (configuration.device >= 0) continue;
    if (unknown < 0) {
      unknown = static_cast<int>(profile.devices.size());
      profile.devices.emplace_back();
      profile.devices.back().id = "unknown";
      profile.devices.back().name = "unknown device";
    }
    configuration.device = unknown;
  }
}

// Everybody downstream may look up the process of a record without asking: those that name none
// share one of which nothing is known. Returns its index, or -1 when it was not needed.
int mend_processes(Profile& profile) {
  int unknown = -1;
  const auto mend = [&](int& process) {
    if (process >= 0 && static_cast<std::size_t>(process) < profile.processes.size()) return;
    if (unknown < 0) {
      unknown = static_cast<int>(profile.processes.size());
      profile.processes.emplace_back();
    }
    process = unknown;
  };
  for (auto& call : profile.calls) mend(call.process);
  for (auto& call : profile.setup_calls) mend(call.process);
  for (auto* column : {&profile.kernels.process, &profile.transfers.process, &profile.api.process,
                       &profile.allocations.process, &profile.nvtx.process,
                       &profile.overhead.process, &profile.counters.process}) {
    for (int& process : *column) mend(process);
  }
  for (auto& name : profile.thread_names) mend(name.process);
  for (auto& name : profile.resource_names) mend(name.process);
  return unknown;
}

void mend_call_indices(Profile& profile) {
  for (auto& call : profile.calls) {
    mend_index(call.reason, profile.strings.size());
    mend_index(call.arguments, profile.call_arguments.size());
    mend_index(call.site, profile.call_sites.size());
    mend_index(call.nvtx_path, profile.strings.size());
    mend_index(call.forward, profile.calls.size());
  }
  for (auto& call : profile.setup_calls)
    mend_index(call.configuration, profile.configurations.size());
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

Profile ProfileBuilder::finish() {
  auto& k = profile_.kernels;
  auto& t = profile_.transfers;
  auto& a = profile_.api;
  auto& n = profile_.nvtx;
  std::int64_t mended = 0;
  mended += mend_intervals(k.start_ns, k.end_ns) + mend_intervals(t.start_ns, t.end_ns);
  mended += mend_intervals(a.start_ns, a.end_ns) + mend_intervals(n.start_ns, n.end_ns);
  mended += mend_intervals(profile_.overhead.start_ns, profile_.overhead.end_ns);
  mended += mend_intervals(profile_.counters.start_ns, profile_.counters.end_ns);
  for (auto& call : profile_.calls) {
    if (call.host_end_ns >= call.host_start_ns) continue;
    call.host_end_ns = call.host_start_ns;
    ++mended;
  }
  for (auto& call : profile_.setup_calls) {
    if (call.host_end_ns >= call.host_start_ns) continue;
    call.host_end_ns = call.host_start_ns;
    ++mended;
  }
  for (auto& process : profile_.processes) {
    if (process.end_ns < 0 || process.end_ns >= process.start_ns) continue;
    process.end_ns = process.start_ns;
    ++mended;
  }
  if (mended > 0) {
    add_note({NoteSeverity::warning, "interval-without-end",
              "records ended before they began; they are kept with no duration", mended});
  }

  const auto process_count = profile_.processes.size();
  const int unknown_process = mend_processes(profile_);
  for (auto& attribution : attributions_) {
    if (attribution.process < 0 || static_cast<std::size_t>(attribution.process) >= process_count)
      attribution.process = unknown_process;
  }
  // Attribution: a sorted list and a binary search, so that ten million kernels need no hash table.
  std::stable_sort(
      attributions_.begin(), attributions_.end(), [](const Attribution& x, const Attribution& y) {
        return std::pair(x.process, x.correlation) < std::pair(y.process, y.correlation);
      });
  const auto call_count = profile_.calls.size();
  const auto attribute_rows = [&](std::vector<int>& calls, const std::vector<int>& processes,
                                  const std::vector<std::int64_t>& correlations,
                                  std::vector<char>* searches) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i] < 0 && !attributions_.empty()) {
        const std::pair key(processes[i], correlations[i]);
        const auto after = std::upper_bound(attributions_.begin(), attributions_.end(), key,
                                            [](const auto& wanted, const Attribution& at) {
                                              return wanted < std::pair(at.process, at.correlation);
                                            });
        if (after != attributions_.begin()) {
          const auto& last = *std::prev(after);
          if (std::pair(last.process, last.correlation) == key) calls[i] = last.call;
          if (calls[i] == search_call && searches != nullptr) (*searches)[i] = 1;
        }
      }
      mend_index(calls[i], call_count);
    }
  };
  for (int& name : k.name) {
    if (name < 0) name = intern({});  // appended from a profile that was not whole
  }
  searches_.resize(k.size(), 0);
  attribute_rows(k.call, k.process, k.correlation, &searches_);
  attribute_rows(t.call, t.process, t.correlation, nullptr);
  attribute_rows(a.call, a.process, a.correlation, nullptr);
  auto& m = profile_.allocations;
  attribute_rows(m.call, m.process, m.correlation, nullptr);
  mend_devices(profile_);
  mend_call_indices(profile_);

  sort_rows(k.size(), by_start(k), k.end_ns, k.name, k.call, k.device, k.stream, k.process,
            k.correlation, k.grid, k.block, k.registers, k.shared_static, k.shared_dynamic,
            searches_, k.start_ns);
  sort_rows(t.size(), by_start(t), t.end_ns, t.bytes, t.correlation, t.operation, t.kind, t.call,
            t.device, t.stream, t.process, t.start_ns);
  sort_rows(a.size(), by_start(a), a.end_ns, a.correlation, a.thread, a.name, a.call, a.process,
            a.driver, a.result, a.start_ns);
  sort_rows(
      m.size(), [&](std::uint32_t x, std::uint32_t y) { return m.time_ns[x] < m.time_ns[y]; },
      m.bytes, m.address, m.correlation, m.release, m.call, m.device, m.process, m.time_ns);
  const auto outer_first = [&](std::uint32_t x, std::uint32_t y) {
    return n.start_ns[x] != n.start_ns[y] ? n.start_ns[x] < n.start_ns[y]
                                          : n.end_ns[x] > n.end_ns[y];
  };
  sort_rows(n.size(), outer_first, n.thread, n.name, n.domain, n.category, n.color, n.payload,
            n.process, n.end_ns, n.start_ns);
  compute_depths(n);
  name_nvtx_paths();
  std::stable_sort(
      profile_.setup_calls.begin(), profile_.setup_calls.end(),
      [](const SetupCall& x, const SetupCall& y) { return x.host_start_ns < y.host_start_ns; });
  auto& o = profile_.overhead;
  sort_rows(o.size(), by_start(o), o.end_ns, o.kind, o.process, o.start_ns);
  auto& c = profile_.counters;
  const auto by_metric = [&](std::uint32_t x, std::uint32_t y) {
    return c.start_ns[x] != c.start_ns[y] ? c.start_ns[x] < c.start_ns[y]
                                          : c.metric[x] < c.metric[y];
  };
  sort_rows(c.size(), by_metric, c.end_ns, c.device, c.process, c.metric, c.value, c.start_ns);

  std::vector<KernelClass> classes(profile_.strings.size());
  std::vector<bool> wanted(profile_.strings.size(), false);
  for (const int name : k.name) wanted[static_cast<std::size_t>(name)] = true;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (wanted[i]) classes[i] = classify_kernel(profile_.strings[i]);
  }
  assign_families_and_roles(profile_, classes);
  for (std::size_t i = 0; i < k.size(); ++i)
    if (searches_[i] != 0) k.role[i] = KernelRole::algorithm_search;

  Profile result = std::move(profile_);
  *this = ProfileBuilder();
  return result;
}

}  // namespace rnnadvisor
