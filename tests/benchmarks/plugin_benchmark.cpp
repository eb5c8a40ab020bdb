// What the plugin adds to a call of cuDNN, without a GPU: the probe of tests/profiler/plugin calls
// the stand-in for cuDNN in a loop, alone and under the plugin, and tells the time of a call (the
// best of seven rounds in one process). The time column is that of a call.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

constexpr char plugin[] = "LD_PRELOAD=" PLUGIN_FILE " ";

// Nanoseconds of a call in a process with these variables; negative: it failed.
double time_of_call(const std::string& variables, const std::string& mode) {
  std::string folder = "/tmp/plugin-benchmark-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return -1;
  const std::string command =
      "env RNNADVISOR_SPOOL=" + folder + " " + variables + PROBE_FILE " " + mode + " 20000";
  double ns = -1;
  if (FILE* child = popen(command.c_str(), "r"); child != nullptr) {
    if (std::fscanf(child, "%lf", &ns) != 1) ns = -1;
    if (pclose(child) != 0) ns = -1;
  }
  std::filesystem::remove_all(folder);
  return ns;
}

void call(benchmark::State& state, const std::string& variables, const std::string& mode) {
  for (auto _ : state) {
    const double ns = time_of_call(variables, mode);
    if (ns < 0) {
      state.SkipWithError("the probe failed");
      break;
    }
    state.SetIterationTime(ns * 1e-9);
  }
}

const std::string calls = std::string(plugin) + "RNNADVISOR_MODE=calls ";

#define PLUGIN_BENCHMARK(name, variables, mode)  \
  BENCHMARK_CAPTURE(call, name, variables, mode) \
      ->UseManualTime()                          \
      ->Iterations(3)                            \
      ->Repetitions(3)                           \
      ->ReportAggregatesOnly(true)
PLUGIN_BENCHMARK(forward_without_plugin, "", "timing");
PLUGIN_BENCHMARK(forward_without_spool, std::string(plugin) + "RNNADVISOR_SPOOL= ", "timing");
PLUGIN_BENCHMARK(forward_recorded, calls, "timing");
PLUGIN_BENCHMARK(forward_recorded_with_events, calls, "timing-cuda");
PLUGIN_BENCHMARK(forward_outside_the_range, calls + "RNNADVISOR_CAPTURE=nvtx:never ", "timing");
PLUGIN_BENCHMARK(describe_without_plugin, "", "timing-describe");
PLUGIN_BENCHMARK(describe_recorded, calls, "timing-describe");
PLUGIN_BENCHMARK(dlsym_without_plugin, "", "timing-dlsym");
PLUGIN_BENCHMARK(dlsym_with_plugin, calls, "timing-dlsym");
PLUGIN_BENCHMARK(nvtx_without_plugin, "", "timing-nvtx");
PLUGIN_BENCHMARK(nvtx_recorded, calls + "NVTX_INJECTION64_PATH=" PLUGIN_FILE " ", "timing-nvtx");

}  // namespace
