// What a profile says of the process and the machine that make it.
#pragma once

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

}  // namespace rnnadvisor
