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

void ask_cudnn(const DynamicLibrary& library, LibraryState& state) {
  const auto version = reinterpret_cast<std::size_t (*)()>(library.symbol("cudnnGetVersion"));
  if (version == nullptr) return;
  state.version = cudnn_release(version());
}

void ask_cupti(const DynamicLibrary& library, LibraryState& state) {
  const auto get = reinterpret_cast<int (*)(std::uint32_t*)>(library.symbol("cuptiGetVersion"));
  std::uint32_t version = 0;
  if (get == nullptr || get(&version) != 0) return;
  state.api_version = version;
  state.version = cupti_release(version);
}

void ask_nvrtc(const DynamicLibrary& library, LibraryState& state) {
  const auto get = reinterpret_cast<int (*)(int*, int*)>(library.symbol("nvrtcVersion"));
  int major = 0;
  int minor = 0;
  if (get != nullptr && get(&major, &minor) == 0)
    state.version = fmt::format("{}.{}", major, minor);
}

}  // namespace

std::string cupti_release(std::int64_t api_version) {
  // From CUDA 13.0 on xxyyzz: major and minor version of the toolkit, and a patch of CUPTI's own.
  if (api_version >= 130000 && api_version < 1000000)
    return fmt::format("{}.{}", api_version / 10000, api_version % 10000 / 100);
  static constexpr std::array<std::pair<int, std::string_view>, 12> counted = {{{16, "11.5"},
                                                                                {17, "11.6"},
                                                                                {18, "11.8"},
                                                                                {19, "12.0"},
                                                                                {20, "12.2"},
                                                                                {21, "12.3"},
                                                                                {22, "12.4"},
                                                                                {23, "12.5"},
                                                                                {24, "12.6"},
                                                                                {26, "12.8"},
                                                                                {27, "12.9"},
                                                                                {28, "12.9"}}};
  for (const auto& [number, release] : counted) {
    if (number == api_version) return std::string(release);
  }
  return {};
}

std::string cudnn_release(std::uint64_t version) {
  if (version == 0) return {};
  // Up to 8.x: major * 1000 + minor * 100 + patch; from 9.0 on major * 10000 + minor * 100 + patch
  // (cuDNN 9 release notes).
  return version >= 90000
             ? fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100)
             : fmt::format("{}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
}

MachineReport inspect_system() {
  MachineReport report;
  report.operating_system = operating_system();
  report.cpu = processor();
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) report.host = host.data();
  return report;
}

MachineReport inspect_host() {
  MachineReport report = inspect_system();
#ifdef RNNADVISOR_CUDART_VERSION
  report.built_with_cuda = true;
  report.cuda_runtime_version = RNNADVISOR_CUDART_VERSION;
#endif
  const DriverState driver = inspect_driver();
  report.driver_version = driver.driver_version;
  report.cuda_driver_version = driver.cuda_driver_version;
  report.driver_problem = driver.problem;
  report.gpus = driver.gpus;
  report.tracing_reason = report.counters_reason = "not asked yet";
  return report;
}

MachineReport inspect_machine() {
  MachineReport report = inspect_host();
  struct Wanted {
    const LibraryRequest& request;
    void (*ask)(const DynamicLibrary&, LibraryState&);
  };
  const std::array<Wanted, 3> wanted = {
      {{cudnn_request(), ask_cudnn}, {cupti_request(), ask_cupti}, {nvrtc_request(), ask_nvrtc}}};
  for (const auto& want : wanted) {
    LibraryState state;
    if (const auto library = DynamicLibrary::load(want.request, state)) want.ask(*library, state);
    report.libraries.push_back(std::move(state));
  }
  return report;
}

}  // namespace rnnadvisor
