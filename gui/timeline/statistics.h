// What lies in a range of time: counts, sums, shares, the kernels with most of the time. Spans that
// reach out of the range count with what lies in it.
#pragma once

#include <array>
#include <stop_token>
#include <string>
#include <vector>

#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

struct NameTime {
  int name = -1;  // index into Profile::strings
  KernelRole role = KernelRole::unknown;
  std::int64_t count = 0, total_ns = 0, longest_ns = 0;
};

struct RangeStatistics {
  TimeRange range;
  std::int64_t kernels = 0, kernel_ns = 0;
  std::array<std::int64_t, kernel_role_count> role_ns{}, role_count{};  // by KernelRole
  std::int64_t median_kernel_ns = -1;  // of those that begin in the range
  struct Device {
    int device = -1;
    std::int64_t busy_ns = 0;  // at least one kernel runs
    std::int64_t longest_gap_ns = 0;
  };
  std::vector<Device> devices;
  std::int64_t transfers = 0, transfer_ns = 0, transfer_bytes = 0;
  std::int64_t calls = 0, api_calls = 0, api_ns = 0;
  std::int64_t most_memory = -1;  // allocated bytes; -1: no allocations were recorded
  std::vector<NameTime> names;    // most time first
  struct Counter {
    int track = -1;  // index into Timeline::tracks
    SampleSeries::Summary summary;
  };
  std::vector<Counter> counters;  // of those with samples in the range
};

// From pyramids only: counts and busy times, at once, however many spans there are. Roles, names,
// gaps and the median stay empty.
RangeStatistics quick_statistics(const Timeline& timeline, TimeRange range);
// Everything; looks at every span of the range. Stops early when asked to.
RangeStatistics full_statistics(const Timeline& timeline, TimeRange range,
                                const std::stop_token& stop = {});

}  // namespace rnnadvisor::gui::timeline
