// A long recording: kernel records one after the other into a spool, as the plugin writes them, up
// to its limit and beyond. One JSON line for each slice, so that a writer that slows down over time
// shows, and what happens at the limit.
//
// usage: spool_benchmark FOLDER [MILLIONS_OF_KERNELS [LIMIT_IN_BYTES]]
#include <time.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "profiler/spool/format.h"
#include "profiler/spool/writer.h"

namespace {

namespace spool = rnnadvisor::spool;
spool::Writer writer;  // static storage, as in the plugin

constexpr std::int64_t slice = 5'000'000;
constexpr int names = 40;  // different kernels of a program

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: spool_benchmark FOLDER [MILLIONS_OF_KERNELS [LIMIT_IN_BYTES]]\n", stderr);
    return 2;
  }
  const std::int64_t kernels = 1'000'000 * (argc > 2 ? std::atoll(argv[2]) : 45);
  spool::WriterSettings settings;
  settings.folder = argv[1];
  settings.max_bytes = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : std::uint64_t{4} << 30;
  if (!writer.open(settings)) {
    std::perror(argv[1]);
    return 3;
  }
  std::uint32_t name[names];
  for (int i = 0; i < names; ++i) name[i] = writer.intern(("kernel_" + std::to_string(i)).c_str());
  const auto& lost = writer.header().lost[static_cast<std::size_t>(spool::Loss::kernels)];
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t start = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  std::printf("{\"record_bytes\": %zu, \"limit_bytes\": %" PRIu64 "}\n", sizeof(spool::Kernel),
              settings.max_bytes);
  for (std::int64_t done = 0; done < kernels; done += slice) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t i = done; i < done + slice; ++i) {
      spool::Kernel kernel{};
      // Faster than they are written, so that none lies in the future.
      kernel.start_ns = start + 20 * i;
      kernel.end_ns = kernel.start_ns + 15;
      kernel.name = name[i % names];
      kernel.correlation = static_cast<std::uint32_t>(i);
      kernel.stream = 7;
      writer.add(kernel, spool::Loss::kernels);
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    std::printf("{\"kernels\": %" PRId64 ", \"ns_per_kernel\": %.1f, \"lost\": %" PRIu64 "}\n",
                done + slice, took.count() / static_cast<double>(slice), lost.load());
    std::fflush(stdout);
  }
}
