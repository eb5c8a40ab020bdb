#include "profiler/launch/correlation_ranges.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
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

namespace {

// How many ranges are open, and which, where it is one: the sum of their indices.
struct OpenRanges {
  std::size_t count = 0, sum = 0;
  void open(std::size_t index) {
    ++count;
    sum += index;
  }
  void close(std::size_t index) {
    --count;
    sum -= index;
  }
};

}  // namespace

struct CorrelationRanges::Open {
  OpenRanges all;
  std::unordered_map<std::uint32_t, OpenRanges> of_stream, of_thread;

  OpenRanges fitting(const Launch& launch) const {
    const auto& places = launch.kind == Kind::api ? of_thread : of_stream;
    const auto found = places.find(launch.where);
    return found == places.end() ? OpenRanges() : found->second;
  }
};

template <class Visit>
void CorrelationRanges::sweep(Visit&& visit) const {
  std::vector<std::size_t> by_end(ranges_.size());
  std::iota(by_end.begin(), by_end.end(), 0);
  std::sort(by_end.begin(), by_end.end(),
            [&](std::size_t a, std::size_t b) { return ranges_[a].last < ranges_[b].last; });
  Open open;
  std::size_t opened = 0, closed = 0;
  for (const auto& launch : launches_) {
    for (; opened < ranges_.size() && ranges_[opened].first < launch.correlation; ++opened) {
      open.all.open(opened);
      open.of_stream[ranges_[opened].stream].open(opened);
      open.of_thread[ranges_[opened].thread].open(opened);
    }
    // A range begins before it ends, so that those that end by now have been opened.
    for (; closed < by_end.size() && ranges_[by_end[closed]].last <= launch.correlation; ++closed) {
      const std::size_t index = by_end[closed];
      open.all.close(index);
      open.of_stream[ranges_[index].stream].close(index);
      open.of_thread[ranges_[index].thread].close(index);
    }
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
  sweep([&](const Launch& launch, const Open& open) {
    if (open.all.count == 0 && launch.kind == Kind::kernel) shared.insert(launch.where);
  });
  std::int64_t untold = 0;
  sweep([&](const Launch& launch, const Open& open) {
    if (open.all.count == 0) return;
    OpenRanges own = open.fitting(launch);
    if (own.count == 0 && launch.kind != Kind::api && open.all.count == 1 &&
        !shared.contains(launch.where))
      own = open.all;
    if (own.count == 1) {
      visit(launch.correlation, ranges_[own.sum].call);
    } else if (launch.kind != Kind::api || own.count > 1) {
      ++untold;
    }
  });
  return untold;
}

}  // namespace rnnadvisor::launch
