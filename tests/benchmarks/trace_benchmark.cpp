// How fast a trace of torch.profiler is read on one core: megabytes of JSON (as unpacked) a second
// of CPU time, best of nine, and beside it what no reader can be faster than: handing over the
// bytes and looking for line ends in them. One line of JSON for each file.
//
// usage: trace_benchmark FILE…
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/import/byte_source.h"
#include "profiler/import/chrome_trace.h"
#include "profiler/import/kineto.h"
#include "profiler/import/torch_trace.h"

namespace {

using namespace rnnadvisor;

constexpr int repetitions = 9;

// Of this thread, so that other work of the machine does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double best_seconds(const Work& work) {
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const double begin = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

struct Scan {
  std::size_t bytes = 0, lines = 0;
};
Scan scan(const std::string& file) {
  Scan found;
  auto source = import_trace::ByteSource::open(file);
  if (!source) return found;
  std::vector<char> buffer(import_trace::TraceReading().buffer_bytes);
  while (const auto got = source->read(buffer.data(), buffer.size())) {
    found.bytes += got;
    const char* const end = buffer.data() + got;
    for (const char* at = buffer.data();
         (at = static_cast<const char*>(
              std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) != nullptr;
         ++at)
      ++found.lines;
  }
  return found;
}

import_trace::TraceRead read_events(const std::string& file) {
  auto source = import_trace::ByteSource::open(file);
  import_trace::TraceReading reading;
  reading.read = [&](char* into, std::size_t most) { return source->read(into, most); };
  reading.wanted = import_trace::Kineto::wanted;
  reading.event = [](const auto&, const auto&) { return true; };
  return import_trace::read_chrome_trace(reading);
}

int measure(const std::string& file) {
  const auto profile = import_trace::import_torch_traces({file}, {});
  if (!profile) {
    std::fprintf(stderr, "%s\n", profile.error().message.c_str());
    return 2;
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto found = scan(file);
  const double megabytes = static_cast<double>(found.bytes) / 1e6;
  const double floor = best_seconds([&] { scan(file); });
  std::int64_t events = 0;
  const double read = best_seconds([&] { events = read_events(file).events; });
  const double import =
      best_seconds([&] { (void)import_trace::import_torch_traces({file}, {}).has_value(); });
  fmt::print(
      "{{\"file\": \"{}\", \"stored_mb\": {:.1f}, \"json_mb\": {:.1f}, \"events\": {}, "
      "\"kernels\": {}, \"scan_mb_per_s\": {:.0f}, \"read_mb_per_s\": {:.0f}, "
      "\"import_mb_per_s\": {:.0f}, \"import_over_scan\": {:.1f}, \"peak_mib\": {}}}\n",
      std::filesystem::path(file).filename().string(),
      static_cast<double>(std::filesystem::file_size(file)) / 1e6, megabytes, events,
      profile->kernels.size(), megabytes / floor, megabytes / read, megabytes / import,
      import / floor, used.ru_maxrss / 1024);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int status = argc < 2 ? 2 : 0;
  if (argc < 2) std::fputs("usage: trace_benchmark FILE…\n", stderr);
  for (int i = 1; i < argc; ++i) status = std::max(status, measure(argv[i]));
  return status;
}
