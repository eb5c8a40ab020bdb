#include "profiler/profile/environment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace rnnadvisor {
namespace {

std::string text_of(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

}  // namespace

std::string time_now(bool compact) {
  const std::time_t now = std::time(nullptr);
  return compact ? fmt::format("{:%Y%m%d-%H%M%S}", fmt::gmtime(now)) : text_of(now);
}

std::string time_text(std::int64_t ns) { return text_of(ns / 1'000'000'000); }

Environment describe_process(const std::string& command_line) {
  Environment environment;
  environment.rnnadvisor_version = RNNADVISOR_VERSION;
  environment.command_line = command_line;
  environment.created = time_now();
  return environment;
}

Environment describe_machine(const std::string& command_line, const MachineReport& machine) {
  Environment made = describe_process(command_line);
  made.host = machine.host;
  made.operating_system = machine.operating_system;
  made.cpu = machine.cpu;
  made.driver_version = machine.driver_version;
  made.cuda_driver_version = machine.cuda_driver_version;
  made.cuda_runtime_version = machine.cuda_runtime_version;
  for (const auto& library : machine.libraries) {
    if (library.name != "cuDNN" || !library.found) continue;
    made.cudnn_version = library.version;
    made.cudnn_path = library.path;
  }
  return made;
}

}  // namespace rnnadvisor
