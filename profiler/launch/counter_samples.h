// The hardware counters in a spool become rows of the profile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiler/profile/builder.h"
#include "profiler/profile/plausible.h"
#include "profiler/spool/reader.h"

namespace rnnadvisor::launch {

// Of one process. Samples are on the clock of their device, which the driver sets by the host's and
// which may drift from it afterwards: where the clock records show that it has, they are moved.
class CounterSamples {
 public:
  void add(const spool::CounterMetrics& metrics);
  void add(const spool::CounterSample& sample);
  void add(const spool::CounterClock& clock);

  // Gives everything to the builder. Returns how far the samples of the device that was furthest
  // off were moved, in nanoseconds.
  std::int64_t finish(const spool::Tables& tables, int process,
                      const std::function<int(std::int64_t)>& device_of, Plausible& plausible,
                      ProfileBuilder& builder) const;
  bool empty() const { return samples_.empty(); }

 private:
  std::int64_t shift(std::uint32_t device) const;

  std::map<std::uint32_t, spool::CounterMetrics> metrics_;  // by ordinal
  std::vector<spool::CounterSample> samples_;
  std::vector<spool::CounterClock> clocks_;
};

}  // namespace rnnadvisor::launch
