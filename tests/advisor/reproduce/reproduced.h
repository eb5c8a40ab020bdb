// Profiles of one configuration, and what a written program says of its call.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::test {

inline Profile profile_of(RnnConfig config, const DeviceSpec& device) {
  Profile profile;
  profile.environment.cudnn_version = "9.19.0";
  profile.devices.push_back(device);
  Configuration configuration;
  configuration.config = std::move(config);
  profile.configurations.push_back(std::move(configuration));
  return profile;
}

// "512" of a line "constexpr int NAME = 512;" or, in Python, "NAME = 512".
inline std::string value_of(std::string_view program, std::string_view name) {
  const std::string python = "\n" + std::string(name) + " = ",
                    cpp = " " + std::string(name) + " = ";
  auto at = program.find(python);
  std::string_view end = "\n";
  if (at != program.npos) {
    at += python.size();
  } else {
    at = program.find(cpp);
    if (at == program.npos) return "no " + std::string(name);
    at += cpp.size();
    end = ";\n";
  }
  auto value = program.substr(at, program.find(end, at) - at);
  // A list may go on in the next lines.
  if (!value.empty() && value.front() == '[')
    value = program.substr(at, program.find(']', at) + 1 - at);
  return std::string(value);
}

}  // namespace rnnadvisor::test
