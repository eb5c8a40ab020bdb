#include "profiler/launch/counter_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rnnadvisor::launch {
namespace {

// Between the end of a sample and the moment at which it is read lie at most the interval and what
// decoding takes: a larger distance, or one below zero, is a clock that stands elsewhere.
constexpr std::int64_t most_lag_ns = 100'000'000;
// Less than this between two clocks is not worth moving anything.
constexpr std::int64_t clock_error_ns = 1'000'000;

}  // namespace

void CounterSamples::add(const spool::CounterMetrics& metrics) {
  metrics_.insert_or_assign(metrics.device, metrics);
}

void CounterSamples::add(const spool::CounterSample& sample) { samples_.push_back(sample); }

void CounterSamples::add(const spool::CounterClock& clock) {
  if (Plausible::time(clock.host_ns) && Plausible::time(clock.device_ns)) clocks_.push_back(clock);
}

std::int64_t CounterSamples::shift(std::uint32_t device) const {
  // The smallest distance that was seen is the one with the least waiting in it.
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& clock : clocks_)
    if (clock.device == device) least = std::min(least, clock.host_ns - clock.device_ns);
  if (least == std::numeric_limits<std::int64_t>::max()) return 0;
  return least >= -clock_error_ns && least <= most_lag_ns ? 0 : least;
}

std::int64_t CounterSamples::finish(const spool::Tables& tables, int process,
                                    const std::function<int(std::int64_t)>& device_of,
                                    Plausible& plausible, ProfileBuilder& builder) const {
  std::map<std::uint32_t, std::int64_t> shifts;
  std::int64_t furthest = 0;
  for (const auto& sample : samples_) {
    const auto metrics = metrics_.find(sample.device);
    if (metrics == metrics_.end()) {
      plausible.refuse();
      continue;
    }
    const auto [moved, fresh] = shifts.try_emplace(sample.device, 0);
    if (fresh) {
      moved->second = shift(sample.device);
      if (std::llabs(moved->second) > std::llabs(furthest)) furthest = moved->second;
    }
    // At short intervals CUPTI tells some samples twice, the second time without a length.
    if (sample.end_ns == sample.start_ns) continue;
    if (!Plausible::time(sample.start_ns) || !Plausible::time(sample.end_ns) ||
        sample.end_ns < sample.start_ns) {
      plausible.refuse();
      continue;
    }
    CounterRecord record;
    record.start_ns = sample.start_ns + moved->second;
    record.end_ns = sample.end_ns + moved->second;
    record.device = device_of(sample.device);
    record.process = process;
    const auto count =
        std::min<std::size_t>({sample.count, metrics->second.count, spool::most_counters});
    for (std::size_t i = 0; i < count; ++i) {
      record.metric = tables.text(metrics->second.names[i]);
      record.value = sample.values[i];
      if (record.metric.empty() || !std::isfinite(record.value) ||
          !plausible.interval(Plausible::Sum::counters, record.start_ns, record.end_ns)) {
        if (!std::isfinite(record.value)) plausible.refuse();
        continue;
      }
      builder.add_counter(record);
    }
  }
  return furthest;
}

}  // namespace rnnadvisor::launch
