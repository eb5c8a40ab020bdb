#include "gui/timeline/flows.h"

#include <algorithm>
#include <limits>

namespace rnnadvisor::gui::timeline {
namespace {

// The API call of a correlation id. The kernel began after the call did, and the table is sorted by
// start: from there backwards it is near.
Item launch_of(const Profile& p, std::int64_t correlation, int process, std::int64_t kernel_start) {
  if (correlation == 0) return {};
  const auto& a = p.api;
  const auto after = std::upper_bound(a.start_ns.begin(), a.start_ns.end(), kernel_start);
  for (auto i = after - a.start_ns.begin(); i-- > 0;) {
    const auto row = static_cast<std::size_t>(i);
    if (a.correlation[row] == correlation && a.process[row] == process)
      return {ItemKind::api, static_cast<int>(i)};
  }
  return {};
}

// Kernels of a launch: one, or those of a graph.
std::vector<int> launched_by(const Profile& p, int api, std::size_t most) {
  const auto row = static_cast<std::size_t>(api);
  const auto& k = p.kernels;
  std::vector<int> found;
  const auto from = std::lower_bound(k.start_ns.begin(), k.start_ns.end(), p.api.start_ns[row]);
  for (auto i = static_cast<std::size_t>(from - k.start_ns.begin()); i < k.size(); ++i) {
    if (k.correlation[i] == p.api.correlation[row] && k.process[i] == p.api.process[row]) {
      found.push_back(static_cast<int>(i));
      if (found.size() == most) break;
    }
  }
  return found;
}

std::vector<int> thinned(const std::vector<int>& all, std::size_t most) {
  if (all.size() <= most || most < 2) return all;
  std::vector<int> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

}  // namespace

std::vector<int> kernels_of(const Timeline& timeline, int call) {
  const auto& span = timeline.calls[static_cast<std::size_t>(call)];
  std::vector<int> rows;
  for (int i = std::max(0, span.first_kernel); i <= span.last_kernel; ++i) {
    if (timeline.profile->kernels.call[static_cast<std::size_t>(i)] == call) rows.push_back(i);
  }
  return rows;
}

std::vector<Flow> flows_of(const Timeline& timeline, Item item, std::size_t most) {
  const Profile& p = *timeline.profile;
  const auto i = static_cast<std::size_t>(item.index);
  std::vector<Flow> flows;
  switch (item.kind) {
    case ItemKind::call: {
      for (const int kernel : thinned(kernels_of(timeline, item.index), most))
        flows.push_back({item, {ItemKind::kernel, kernel}});
      if (p.calls[i].forward >= 0) flows.push_back({{ItemKind::call, p.calls[i].forward}, item});
      break;
    }
    case ItemKind::kernel: {
      const auto& k = p.kernels;
      const Item launch = launch_of(p, k.correlation[i], k.process[i], k.start_ns[i]);
      if (!launch.empty()) flows.push_back({launch, item});
      if (k.call[i] >= 0) flows.push_back({{ItemKind::call, k.call[i]}, item});
      break;
    }
    case ItemKind::transfer: {
      const auto& t = p.transfers;
      const Item launch = launch_of(p, t.correlation[i], t.process[i], t.start_ns[i]);
      if (!launch.empty()) flows.push_back({launch, item});
      break;
    }
    case ItemKind::api:
      for (const int kernel : launched_by(p, item.index, most))
        flows.push_back({item, {ItemKind::kernel, kernel}});
      break;
    default:
      break;
  }
  return flows;
}

std::int64_t flow_count(const Timeline& timeline, Item item) {
  const auto i = static_cast<std::size_t>(item.index);
  if (item.kind == ItemKind::call)
    return timeline.calls[i].kernels + (timeline.profile->calls[i].forward >= 0 ? 1 : 0);
  return static_cast<std::int64_t>(
      flows_of(timeline, item, std::numeric_limits<std::size_t>::max()).size());
}

Item along_flow(const Timeline& timeline, Item item, int by) {
  for (const auto& flow : flows_of(timeline, item)) {
    if (by > 0 && flow.from == item) return flow.to;
    if (by < 0 && flow.to == item) return flow.from;
  }
  return {};
}

Item kernel_of_same_call(const Timeline& timeline, Item item, int by) {
  const auto& kernels = timeline.profile->kernels;
  if (item.kind == ItemKind::call) {
    const auto& span = timeline.calls[static_cast<std::size_t>(item.index)];
    const int kernel = by > 0 ? span.first_kernel : span.last_kernel;
    return kernel < 0 ? Item{} : Item{ItemKind::kernel, kernel};
  }
  if (item.kind != ItemKind::kernel) return {};
  const int call = kernels.call[static_cast<std::size_t>(item.index)];
  if (call < 0) return {};
  const auto& span = timeline.calls[static_cast<std::size_t>(call)];
  for (int i = item.index + by; i >= span.first_kernel && i <= span.last_kernel; i += by) {
    if (kernels.call[static_cast<std::size_t>(i)] == call) return {ItemKind::kernel, i};
  }
  return {};
}

}  // namespace rnnadvisor::gui::timeline
