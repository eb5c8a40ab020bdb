// planted_suite measure SUITE.toml OUT.rnnprof [RNNADVISOR [SECONDS]]
//                                                 brute force on a GPU; exit status 77 without one
// planted_suite score FILE.rnnprof [--json] [--judge-again]
//                                                 precision and recall, anywhere
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "advisor/cli/cli.h"
#include "advisor/cli/configurations.h"
#include "advisor/cli/interrupt.h"
#include "core/model/time_for_device.h"
#include "profiler/profile/environment.h"
#include "profiler/profile/file.h"
#include "profiler/run/run_experiment.h"
#include "tests/gpu/planted/planted.h"

namespace rnnadvisor {
namespace {

// Measuring ends after the case that is under way then.
constexpr double default_seconds = 400;

int failed(const Error& error) {
  fmt::print(stderr, "{}\n", to_text(error));
  return 1;
}

int measure(const std::string& suite_path, const std::string& out, const std::string& program,
            double budget_seconds) {
  const auto suite = read_config_file(suite_path);
  if (!suite) return failed(suite.error().front());
  const auto services = cli::live_services();
  const auto machine = services.inspect_machine();
  if (machine.gpus.empty() || !machine.gpus.front().usable) {
    fmt::print("NEEDS A GPU, NOT RUN: {}\n", machine.driver_problem);
    return 77;
  }
  const Environment environment =
      describe_machine(fmt::format("planted_suite measure {} {}", suite_path, out), machine);
  const auto begin = std::chrono::steady_clock::now();
  ExperimentWorker worker;
  ExperimentRunOptions options;
  options.program = program;
  // An interrupted run writes what it has.
  const std::atomic<bool>* stop = options.stop = cli::watch_interrupts();
  const auto measured = planted::measure(
      *suite, machine.gpus.front().spec, environment,
      [&](const ExperimentRequest& request) { return worker.run(request, options); },
      model::predict_time_for,
      [&](std::size_t i) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        if (*stop || passed.count() > budget_seconds) {
          fmt::print(stderr, "{} of {} cases were not reached\n", suite->size() - i, suite->size());
          return false;
        }
        fmt::print(stderr, "{} of {}: {}\n", i + 1, suite->size(), (*suite)[i].config.id);
        return true;
      });
  if (auto written = write_profile(measured.profile, out, true); !written)
    return failed(written.error());
  return measured.error ? failed(*measured.error) : 0;
}

int run(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "measure" && argc >= 4) {
    const double seconds = argc > 5 ? std::atof(argv[5]) : default_seconds;
    return measure(argv[2], argv[3], argc > 4 ? argv[4] : "", seconds);
  }
  if (mode == "score" && argc >= 3) {
    const auto profile = read_profile(argv[2]);
    if (!profile) return failed(profile.error());
    bool json = false, again = false;
    for (int i = 3; i < argc; ++i) {
      json = json || std::string_view(argv[i]) == "--json";
      again = again || std::string_view(argv[i]) == "--judge-again";
    }
    const auto score = planted::score(*profile, again, model::predict_time_for);
    fmt::print("{}",
               json ? planted::to_json(score, *profile) : planted::to_markdown(score, *profile));
    return 0;
  }
  fmt::print(stderr,
             "usage: planted_suite measure SUITE.toml OUT.rnnprof [RNNADVISOR [SECONDS]]\n       "
             "planted_suite score FILE.rnnprof [--json] [--judge-again]\n");
  return 2;
}

}  // namespace
}  // namespace rnnadvisor

int main(int argc, char** argv) { return rnnadvisor::run(argc, argv); }
