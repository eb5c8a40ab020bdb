// What a profile can hold at all (profiler/profile/check.h): times within its clock, and tables
// whose durations and bytes can be added up. Records of a damaged spool or of another tool's trace
// that would break that are left out and counted.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "profiler/profile/check.h"

namespace rnnadvisor {

class Plausible {
 public:
  enum class Sum {
    kernels,
    transfers,
    transfer_bytes,
    api,
    allocation_bytes,
    nvtx,
    overhead,
    calls,
    device_time,
    setup,
    counters,
    count
  };

  // A time of the profile's clock; 0 is what tracers write when they have none.
  static bool time(std::int64_t ns) { return ns > 0 && ns <= latest_time_ns; }

  // Both ends are times; the table has room for the duration.
  bool interval(Sum table, std::int64_t start_ns, std::int64_t end_ns) {
    if (!time(start_ns) || !time(end_ns)) return refuse();
    return amount(table, std::max<std::int64_t>(end_ns - start_ns, 0));
  }
  bool bytes(Sum table, std::uint64_t bytes) {
    if (bytes > static_cast<std::uint64_t>(most)) return refuse();
    return amount(table, static_cast<std::int64_t>(bytes));
  }
  bool amount(Sum table, std::int64_t value) {
    auto& total = totals_[static_cast<std::size_t>(table)];
    if (value < 0 || value > most - total) return refuse();
    total += value;
    return true;
  }
  bool refuse() {
    ++refused_;
    return false;
  }
  std::int64_t refused() const { return refused_; }

 private:
  static constexpr std::int64_t most = latest_time_ns;
  std::array<std::int64_t, static_cast<std::size_t>(Sum::count)> totals_{};
  std::int64_t refused_ = 0;
};

}  // namespace rnnadvisor
