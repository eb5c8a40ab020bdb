// The time of a call in ns, the best of several rounds, for the benchmark.
#include <nvtx3/nvToolsExt.h>
#include <time.h>

#include <algorithm>

#include "tests/profiler/plugin/probe/probe.h"

namespace probe {
namespace {

template <typename Call>
int tell_time(const Arguments& arguments, Call call) {
  const int calls = std::stoi(arguments.at(1));
  double best = 1e99;
  for (int round = 0; round < 7; ++round) {
    timespec begin{}, end{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < calls; ++i) call();
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double ns = static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 +
                      static_cast<double>(end.tv_nsec - begin.tv_nsec);
    best = std::min(best, ns / calls);
  }
  std::printf("%.1f\n", best);
  return 0;
}

}  // namespace

PROBE_MODE(timing, "timing") {
  const Rnn r(cudnn());
  return tell_time(arguments, [&] { r.forward(); });
}

PROBE_MODE(timing_cuda, "timing-cuda") {
  load_cuda();
  const Rnn r(cudnn());
  return tell_time(arguments, [&] { r.forward(); });
}

PROBE_MODE(timing_describe, "timing-describe") {
  Rnn r(cudnn());
  return tell_time(arguments, [&] { r.set(64); });
}

PROBE_MODE(timing_dlsym, "timing-dlsym") {
  return tell_time(arguments, [] { PROBE_CHECK(dlsym(RTLD_DEFAULT, "malloc") != nullptr); });
}

PROBE_MODE(timing_nvtx, "timing-nvtx") {
  return tell_time(arguments, [] {
    nvtxRangePushA("a range");
    nvtxRangePop();
  });
}

}  // namespace probe
