// The GPU that measurements of a command run on.
#pragma once

#include <string_view>

#include "advisor/cli/context.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::cli {

// The GPU with this CUDA ordinal, when this build and machine can run cuDNN on it. Else the error
// says what stands in the way and, with `without`, what can be done without one ("--dry-run says
// what would be tried"). `what` needs it: "--verify"; `option` is
// the one that names it.
Result<DeviceSpec> gpu_for(const Context& context, int device, std::string_view what,
                           std::string_view without, std::string_view option = "--device");

}  // namespace rnnadvisor::cli
