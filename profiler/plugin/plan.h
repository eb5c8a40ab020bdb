// The choices that RNNADVISOR_ACCELERATE_PLAN hands to this process (profiler/spool/plan.h).
#pragma once

#include <cstdint>
#include <optional>

#include "profiler/plugin/cudnn_library.h"
#include "profiler/plugin/variant_descriptor.h"

namespace rnnadvisor::plugin {

// What the plan chose for calls of this key on this GPU and this cuDNN; empty: nothing. The first
// question reads it; what is wrong with it becomes a note. On any thread, without the lock of
// call_kinds.h: reading a file may take long.
std::optional<Variant> planned(const CudnnLibrary& library, int device, std::uint64_t key);

void plan_in_child();  // after fork()

}  // namespace rnnadvisor::plugin
