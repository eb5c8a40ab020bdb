// What a profile says of the process and the machine that make it.
#pragma once

#include <cstdint>
#include <string>

#include "core/cudnn/machine.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// Version, command line and time of this process.
Environment describe_process(const std::string& command_line);
// The same with the machine: host, driver, CUDA and the cuDNN that was found.
Environment describe_machine(const std::string& command_line, const MachineReport& machine);
// The time now in UTC: "2026-01-31T12:00:00Z", or with `compact` "20260131-120000" for file names.
std::string time_now(bool compact = false);
// The first form of a time that a recording has, in ns since 1970.
std::string time_text(std::int64_t ns);

}  // namespace rnnadvisor
