#include "profiler/launch/correlation_ranges.h"

#include <algorithm>
#include <unordered_set>

namespace rnnadvisor::launch {

void CorrelationRanges::add_range(std::uint32_t first, std::uint32_t last, std::uint32_t stream,
                                  std::uint32_t thread, int call) {
  // Numbers that wrapped around, after four thousand million CUDA calls, are not followed.
  if (first < last) ranges_.push_back({first, last, stream, thread, call});
}

void CorrelationRanges::add_kernel(std::uint32_t correlation, std::uint32_t stream) {
  launches_.push_back({correlation, stream, Kind::kernel});
}

void CorrelationRanges::add_transfer(std::uint32_t correlation, std::uint32_t stream) {
  launches_.push_back({correlation, stream, Kind::transfer});
}

void CorrelationRanges::add_api(std::uint32_t correlation, std::uint32_t thread) {
  launches_.push_back({correlation, thread, Kind::api});
}

template <class Visit>
void CorrelationRanges::sweep(Visit&& visit) const {
  std::vector<const Range*> open;
  std::size_t next = 0;
  for (const auto& launch : launches_) {
    while (next < ranges_.size() && ranges_[next].first < launch.correlation)
      open.push_back(&ranges_[next++]);
    std::erase_if(open, [&](const Range* range) { return range->last <= launch.correlation; });
    visit(launch, open);
  }
}

std::int64_t CorrelationRanges::resolve(
    const std::function<void(std::uint32_t correlation, int call)>& visit) {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  std::sort(launches_.begin(), launches_.end(),
            [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; });
  std::unordered_set<std::uint32_t> shared;  // streams that others use as well
  sweep([&](const Launch& launch, const std::vector<const Range*>& around) {
    if (around.empty() && launch.kind == Kind::kernel) shared.insert(launch.where);
  });
  std::int64_t untold = 0;
  sweep([&](const Launch& launch, const std::vector<const Range*>& around) {
    if (around.empty()) return;
    const Range* own = nullptr;
    int fitting = 0;
    for (const Range* range : around) {
      const bool fits =
          launch.kind == Kind::api ? range->thread == launch.where : range->stream == launch.where;
      if (!fits) continue;
      own = range;
      ++fitting;
    }
    if (fitting == 0 && launch.kind != Kind::api && around.size() == 1 &&
        !shared.contains(launch.where)) {
      own = around.front();
      fitting = 1;
    }
    if (fitting == 1) {
      visit(launch.correlation, own->call);
    } else if (launch.kind != Kind::api || fitting > 1) {
      ++untold;
    }
  });
  return untold;
}

}  // namespace rnnadvisor::launch
