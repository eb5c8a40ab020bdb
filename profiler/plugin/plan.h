// The choices that RNNADVISOR_ACCELERATE_PLAN hands to this process (profiler/spool/plan.h).
#pragma once

#include <cstdint>
#include <optional>

#include "profiler/plugin/cudnn_library.h"
#include "profiler/plugin/variant_descriptor.h"

namespace rnnadvisor::plugin {

// Whether there is a plan for this GPU and this cuDNN. The first question reads it; what is wrong
// with it becomes a note. With the lock of call_kinds.h held.
bool plan_applies(const CudnnLibrary& library, int device);
// What the plan chose for calls of this key; empty: nothing.
std::optional<Variant> planned(std::uint64_t key);

void plan_in_child();  // after fork()

}  // namespace rnnadvisor::plugin
