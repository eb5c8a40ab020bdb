#include "profiler/plugin/capture_range.h"

#include <atomic>

#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

std::uint32_t range_name = 0, range_domain = 0;
std::atomic<bool> range_open{false};
std::atomic<std::int64_t> ranges_ended{0};
std::atomic<std::uint64_t> ranges_started{0};
std::atomic<std::int64_t> calls_seen{0};
std::atomic<std::uint32_t> first_configuration{0};
std::atomic<std::int64_t> first_configuration_calls{0};
std::atomic<bool> over{false};

}  // namespace

void capture_range_forget() {
  range_open.store(false);
  ranges_ended.store(0);
  calls_seen.store(0);
  first_configuration.store(0);
  first_configuration_calls.store(0);
  over.store(false);
}

void name_capture_range() {
  if (settings().capture == Settings::Capture::nvtx) {
    range_name = writer().intern(settings().range);
    range_domain = settings().domain[0] == 0 ? 0 : writer().intern(settings().domain);
  }
}

bool in_range() {
  const Settings& wanted = settings();
  if (over.load(std::memory_order_relaxed)) return false;
  if (wanted.capture != Settings::Capture::always && !range_open.load(std::memory_order_relaxed))
    return false;
  if (wanted.delay_ns == 0 && wanted.duration_ns == 0) return true;
  const std::int64_t since = now_ns() - writer().header().start_ns;
  if (since < wanted.delay_ns) return false;
  if (wanted.duration_ns != 0 && since > wanted.delay_ns + wanted.duration_ns) {
    over.store(true);
    parts().pause();
    return false;
  }
  return true;
}

bool begin_range() {
  if (over.load() || range_open.exchange(true)) return false;
  ranges_started.fetch_add(1);
  const Scope scope;
  parts().resume();
  return true;
}

std::uint64_t ranges_begun() { return ranges_started.load(std::memory_order_relaxed); }

void end_range() {
  if (!range_open.exchange(false)) return;
  const Scope scope;
  const std::int64_t ended = ranges_ended.fetch_add(1) + 1;
  if (settings().iterations != 0 && ended >= settings().iterations) over.store(true);
  parts().pause();
}

bool is_captured_range(std::uint32_t name, std::uint32_t domain) {
  return settings().capture == Settings::Capture::nvtx && name == range_name &&
         domain == range_domain;
}

void expect_call() {
  if (calls_seen.load(std::memory_order_relaxed) >= settings().skip) parts().resume();
}

bool admit_call(std::uint32_t configuration, bool forward) {
  if (!in_range()) return false;
  const std::int64_t seen = calls_seen.fetch_add(1, std::memory_order_relaxed);
  if (seen < settings().skip) return false;
  if (settings().iterations != 0 && settings().capture == Settings::Capture::always && forward) {
    std::uint32_t none = 0;
    first_configuration.compare_exchange_strong(none, configuration);
    if (first_configuration.load() == configuration &&
        first_configuration_calls.fetch_add(1) >= settings().iterations) {
      over.store(true);
      parts().pause();
      return false;
    }
  }
  return true;
}

}  // namespace rnnadvisor::plugin
