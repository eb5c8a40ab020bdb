// What must be there before a worker is started. Private to profiler/run.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cudnn/machine.h"

namespace rnnadvisor {

// All GPUs of this machine, when this build can use them and `devices` are indices into them.
Result<std::vector<GpuState>> usable_gpus(const std::vector<int>& devices);

// The path of the program to start: `given`, or this one where it is empty.
Result<std::string> worker_program(const std::string& given);

}  // namespace rnnadvisor
