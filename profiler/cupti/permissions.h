// Whether this process may trace and count, learned by trying. Completes MachineReport for
// `rnnadvisor doctor`.
#pragma once

#include "core/cudnn/machine.h"

namespace rnnadvisor {

// Fills tracing, counters and their reasons. Creates a CUDA context on the first GPU.
void inspect_permissions(MachineReport& report);

}  // namespace rnnadvisor
