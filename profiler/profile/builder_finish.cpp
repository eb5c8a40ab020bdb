// ProfileBuilder::finish(): from records in any order to a profile.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "profiler/classify/classify.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/gemm_roles.h"

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

// Nesting depth on each thread: how many ranges that began before are still open.
void compute_depths(NvtxTable& nvtx) {
  nvtx.depth.assign(nvtx.size(), 0);
  std::map<std::pair<int, std::int64_t>, std::vector<std::int64_t>>
      open;  // ends, per process and thread
  for (std::size_t i = 0; i < nvtx.size(); ++i) {
    auto& ends = open[{nvtx.process[i], nvtx.thread[i]}];
    std::erase_if(ends, [&](std::int64_t end) { return end <= nvtx.start_ns[i]; });
    nvtx.depth[i] = static_cast<int>(ends.size());
    if (nvtx.end_ns[i] > nvtx.start_ns[i]) ends.push_back(nvtx.end_ns[i]);
  }
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

}  // namespace

Profile ProfileBuilder::finish() {
  auto& k = profile_.kernels;
  auto& t = profile_.transfers;
  auto& a = profile_.api;
  auto& n = profile_.nvtx;
  std::int64_t mended = 0;
  mended += mend_intervals(k.start_ns, k.end_ns) + mend_intervals(t.start_ns, t.end_ns);
  mended += mend_intervals(a.start_ns, a.end_ns) + mend_intervals(n.start_ns, n.end_ns);
  mended += mend_intervals(profile_.overhead.start_ns, profile_.overhead.end_ns);
  for (auto& call : profile_.calls) {
    if (call.host_end_ns >= call.host_start_ns) continue;
    call.host_end_ns = call.host_start_ns;
    ++mended;
  }
  if (mended > 0) {
    add_note({NoteSeverity::warning, "interval-without-end",
              "records ended before they began; they are kept with no duration", mended});
  }

  // Attribution: a sorted list and a binary search, so that ten million kernels need no hash table.
  std::stable_sort(
      attributions_.begin(), attributions_.end(), [](const Attribution& x, const Attribution& y) {
        return std::pair(x.process, x.correlation) < std::pair(y.process, y.correlation);
      });
  const auto call_count = profile_.calls.size();
  const auto attribute_rows = [&](std::vector<int>& calls, const std::vector<int>& processes,
                                  const std::vector<std::int64_t>& correlations) {
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
        }
      }
      mend_index(calls[i], call_count);
    }
  };
  for (int& name : k.name) {
    if (name < 0) name = intern({});  // appended from a profile that was not whole
  }
  attribute_rows(k.call, k.process, k.correlation);
  attribute_rows(t.call, t.process, t.correlation);
  attribute_rows(a.call, a.process, a.correlation);
  mend_devices(profile_);

  sort_rows(k.size(), by_start(k), k.end_ns, k.name, k.call, k.device, k.stream, k.process,
            k.correlation, k.grid, k.block, k.registers, k.shared_static, k.shared_dynamic,
            k.start_ns);
  sort_rows(t.size(), by_start(t), t.end_ns, t.bytes, t.correlation, t.operation, t.kind, t.call,
            t.device, t.stream, t.process, t.start_ns);
  sort_rows(a.size(), by_start(a), a.end_ns, a.correlation, a.thread, a.name, a.call, a.process,
            a.driver, a.result, a.start_ns);
  auto& m = profile_.allocations;
  sort_rows(
      m.size(), [&](std::uint32_t x, std::uint32_t y) { return m.time_ns[x] < m.time_ns[y]; },
      m.bytes, m.address, m.release, m.device, m.process, m.time_ns);
  const auto outer_first = [&](std::uint32_t x, std::uint32_t y) {
    return n.start_ns[x] != n.start_ns[y] ? n.start_ns[x] < n.start_ns[y]
                                          : n.end_ns[x] > n.end_ns[y];
  };
  sort_rows(n.size(), outer_first, n.thread, n.name, n.domain, n.color, n.process, n.end_ns,
            n.start_ns);
  compute_depths(n);
  auto& o = profile_.overhead;
  sort_rows(o.size(), by_start(o), o.end_ns, o.kind, o.start_ns);

  std::vector<KernelClass> classes(profile_.strings.size());
  std::vector<bool> wanted(profile_.strings.size(), false);
  for (const int name : k.name) wanted[static_cast<std::size_t>(name)] = true;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (wanted[i]) classes[i] = classify_kernel(profile_.strings[i]);
  }
  assign_families_and_roles(profile_, classes);

  Profile result = std::move(profile_);
  *this = ProfileBuilder();
  return result;
}

}  // namespace rnnadvisor
