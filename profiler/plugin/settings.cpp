#include "profiler/plugin/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

namespace rnnadvisor::plugin {
namespace {

Settings the_settings;
// For a note: the spool is not open yet.
const char* ignored[16];
int ignored_count = 0;

void ignore(const char* name) {
  if (ignored_count < 16) ignored[ignored_count++] = name;
}

// As nanoseconds; a thousand years are enough.
std::int64_t milliseconds(const char* name) {
  constexpr std::int64_t most = std::int64_t{1} << 43;
  const std::int64_t value = number(name, 0);
  return (value < most ? value : most) * 1'000'000;
}

void copy_text(char* to, std::size_t size, const char* from) {
  if (size == 0) return;
  std::size_t length = from == nullptr ? 0 : strlen(from);
  if (length >= size) length = size - 1;
  if (length > 0) memcpy(to, from, length);
  to[length] = 0;
}

bool listed(const char* list, const char* word) {
  const std::size_t length = strlen(word);
  for (const char* at = list; at != nullptr; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (strncmp(at, word, length) == 0 && (at[length] == 0 || at[length] == ',')) return true;
  }
  return false;
}

// "exact", "numerics", "steps", "0", or for tests "force:" and an algorithm, which every call that
// can take it then has; with "+conversion" behind it in half precision for float32.
void read_acceleration(Settings& s) {
  const char* record = variable("RNNADVISOR_RECORD");
  s.record_calls = record == nullptr || strcmp(record, "choices") != 0;
  if (s.record_calls && record != nullptr && strcmp(record, "calls") != 0)
    ignore("RNNADVISOR_RECORD");
  s.accelerate = Settings::Accelerate::off;
  s.accelerate_bytes =
      static_cast<std::uint64_t>(number("RNNADVISOR_ACCELERATE_MEMORY", std::int64_t{2} << 30));
  s.accelerate_bytes_given = variable("RNNADVISOR_ACCELERATE_MEMORY") != nullptr;
  s.accelerate_budget_ns = variable("RNNADVISOR_ACCELERATE_BUDGET_MS") == nullptr
                               ? 600'000'000
                               : milliseconds("RNNADVISOR_ACCELERATE_BUDGET_MS");
  s.accelerate_numerics = s.forced_converts = false;
  constexpr std::int64_t most_steps = 100'000;
  const std::int64_t steps = number("RNNADVISOR_TRY_STEPS", 0);
  s.try_steps = static_cast<std::uint32_t>(steps < most_steps ? steps : most_steps);
  s.changes = variable("RNNADVISOR_CHANGES") != nullptr;
  copy_text(s.plan, sizeof s.plan, variable("RNNADVISOR_ACCELERATE_PLAN"));
  s.plan_only = number("RNNADVISOR_ACCELERATE_PLAN_ONLY", 0) != 0;
  s.try_end = s.try_steps > 0 && number("RNNADVISOR_TRY_END", 0) != 0;
  const char* text = variable("RNNADVISOR_ACCELERATE");
  if (text == nullptr || strcmp(text, "0") == 0) return;
  s.accelerate_numerics = strcmp(text, "numerics") == 0;
  if (s.accelerate_numerics || strcmp(text, "exact") == 0) {
    s.accelerate = Settings::Accelerate::measured;
    return;
  }
  if (strcmp(text, "steps") == 0) {
    s.accelerate = Settings::Accelerate::steps;
    return;
  }
  static const char* const algorithms[] = {"standard", "persist_static", "persist_dynamic",
                                           "persist_static_small_h"};
  for (int algo = 0; algo < 4; ++algo) {
    const std::size_t length = strlen(algorithms[algo]);
    if (strncmp(text, "force:", 6) != 0 || strncmp(text + 6, algorithms[algo], length) != 0)
      continue;
    const char* rest = text + 6 + length;
    s.forced_converts = strcmp(rest, "+conversion") == 0;
    if (*rest != 0 && !s.forced_converts) continue;
    s.accelerate = Settings::Accelerate::forced;
    s.forced_algo = algo;
    return;
  }
  ignore("RNNADVISOR_ACCELERATE");
}

}  // namespace

const char* variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr || *value == 0 ? nullptr : value;
}

std::int64_t number(const char* name, std::int64_t otherwise) {
  const char* text = variable(name);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  constexpr long long most = 1LL << 53;
  if (errno == 0 && *end == 0 && value >= 0 && value <= most) return value;
  ignore(name);
  return otherwise;
}

void read_settings() {
  auto& s = the_settings;
  ignored_count = 0;
  copy_text(s.folder, sizeof s.folder, variable("RNNADVISOR_SPOOL"));
  s.mode = spool::Mode::kernels;
  if (const char* text = variable("RNNADVISOR_MODE"); text != nullptr) {
    if (strcmp(text, "calls") == 0) {
      s.mode = spool::Mode::calls;
    } else if (strcmp(text, "full") == 0) {
      s.mode = spool::Mode::full;
    } else if (strcmp(text, "kernels") != 0) {
      ignore("RNNADVISOR_MODE");
    }
  }
  s.max_bytes = static_cast<std::uint64_t>(number("RNNADVISOR_MAX_BYTES", std::int64_t{4} << 30));
  s.buffer_bytes = static_cast<std::uint64_t>(number("RNNADVISOR_BUFFER_BYTES", 4 << 20));
  if (s.buffer_bytes < 65536) s.buffer_bytes = 65536;
  const char* sites = variable("RNNADVISOR_CALL_SITES");
  s.call_sites = sites == nullptr || strcmp(sites, "off") != 0;
  if (s.call_sites && sites != nullptr && strcmp(sites, "on") != 0) ignore("RNNADVISOR_CALL_SITES");
  // watch_exceptions() has read it.
  if (const char* text = variable("RNNADVISOR_EXCEPTIONS");
      text != nullptr && strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
    ignore("RNNADVISOR_EXCEPTIONS");
  s.untraced_steps = number("RNNADVISOR_UNTRACED_STEPS", 1) != 0;
  const char* trace = variable("RNNADVISOR_TRACE");
  s.trace_transfers = trace == nullptr || listed(trace, "transfers");
  s.trace_memory = trace == nullptr ? s.mode == spool::Mode::full : listed(trace, "memory");
  s.trace_api = trace == nullptr ? s.mode == spool::Mode::full : listed(trace, "api");
  s.trace_counters = trace == nullptr ? s.mode == spool::Mode::full : listed(trace, "counters");
  s.trace_driver = trace != nullptr && listed(trace, "driver");
  if (trace != nullptr && !s.trace_transfers && !s.trace_memory && !s.trace_api &&
      !s.trace_driver && !s.trace_counters && strcmp(trace, "none") != 0)
    ignore("RNNADVISOR_TRACE");
  s.counter_interval_ns = number("RNNADVISOR_COUNTER_INTERVAL_US", 1000) * 1000;
  if (s.counter_interval_ns < 10'000) s.counter_interval_ns = 10'000;
  if (s.counter_interval_ns > 1'000'000'000) s.counter_interval_ns = 1'000'000'000;
  s.counter_duration_ns = variable("RNNADVISOR_COUNTER_DURATION_MS") == nullptr
                              ? 2'000'000'000
                              : milliseconds("RNNADVISOR_COUNTER_DURATION_MS");
  read_acceleration(s);
  s.delay_ns = milliseconds("RNNADVISOR_DELAY_MS");
  s.duration_ns = milliseconds("RNNADVISOR_DURATION_MS");
  s.skip = number("RNNADVISOR_SKIP", 0);
  s.iterations = number("RNNADVISOR_ITERATIONS", 0);
  s.capture = Settings::Capture::always;
  if (const char* text = variable("RNNADVISOR_CAPTURE"); text != nullptr) {
    if (strcmp(text, "cuda-profiler-api") == 0) {
      s.capture = Settings::Capture::profiler_api;
    } else if (strncmp(text, "nvtx:", 5) == 0) {
      s.capture = Settings::Capture::nvtx;
      copy_text(s.range, sizeof s.range, text + 5);
      s.domain[0] = 0;
      if (char* at = strrchr(s.range, '@'); at != nullptr) {
        copy_text(s.domain, sizeof s.domain, at + 1);
        *at = 0;
      }
    } else if (strcmp(text, "always") != 0) {
      ignore("RNNADVISOR_CAPTURE");
    }
  }
}

const Settings& settings() { return the_settings; }
int ignored_settings() { return ignored_count; }
const char* ignored_setting(int index) { return ignored[index]; }

}  // namespace rnnadvisor::plugin
