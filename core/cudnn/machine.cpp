#include "core/cudnn/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "core/cudnn/driver.h"
#include "core/cudnn/dynamic_library.h"

namespace rnnadvisor {
namespace {

std::string operating_system() {
  std::ifstream file("/etc/os-release");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("PRETTY_NAME=\"", 0) == 0) return line.substr(13, line.size() - 14);
  }
  utsname name{};
  return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release : "unknown";
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("model name", 0) == 0) {
      const auto colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string cudnn_version(const DynamicLibrary& library) {
  const auto version = reinterpret_cast<std::size_t (*)()>(library.symbol("cudnnGetVersion"));
  if (version == nullptr) return {};
  const std::size_t number = version();
  // Up to 8.x: major * 1000 + minor * 100 + patch; from 9.0 on major * 10000 + minor * 100 + patch
  // (cuDNN 9 release notes).
  return number >= 90000
             ? fmt::format("{}.{}.{}", number / 10000, number % 10000 / 100, number % 100)
             : fmt::format("{}.{}.{}", number / 1000, number % 1000 / 100, number % 100);
}

std::string cupti_version(const DynamicLibrary& library) {
  const auto get = reinterpret_cast<int (*)(std::uint32_t*)>(library.symbol("cuptiGetVersion"));
  std::uint32_t version = 0;
  return get != nullptr && get(&version) == 0 ? std::to_string(version) : std::string();
}

std::string nvrtc_version(const DynamicLibrary& library) {
  const auto get = reinterpret_cast<int (*)(int*, int*)>(library.symbol("nvrtcVersion"));
  int major = 0;
  int minor = 0;
  return get != nullptr && get(&major, &minor) == 0 ? fmt::format("{}.{}", major, minor)
                                                    : std::string();
}

}  // namespace

MachineReport inspect_host() {
  MachineReport report;
#ifdef RNNADVISOR_CUDART_VERSION
  report.built_with_cuda = true;
  report.cuda_runtime_version = RNNADVISOR_CUDART_VERSION;
#endif
  const DriverState driver = inspect_driver();
  report.driver_version = driver.driver_version;
  report.cuda_driver_version = driver.cuda_driver_version;
  report.driver_problem = driver.problem;
  report.gpus = driver.gpus;

  report.operating_system = operating_system();
  report.cpu = processor();
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) report.host = host.data();
  report.tracing_reason = report.counters_reason = "not asked yet";
  return report;
}

MachineReport inspect_machine() {
  MachineReport report = inspect_host();
  struct Wanted {
    const LibraryRequest& request;
    std::string (*version)(const DynamicLibrary&);
  };
  const std::array<Wanted, 3> wanted = {{{cudnn_request(), cudnn_version},
                                         {cupti_request(), cupti_version},
                                         {nvrtc_request(), nvrtc_version}}};
  for (const auto& want : wanted) {
    LibraryState state;
    if (const auto library = DynamicLibrary::load(want.request, state))
      state.version = want.version(*library);
    report.libraries.push_back(std::move(state));
  }
  return report;
}

}  // namespace rnnadvisor
