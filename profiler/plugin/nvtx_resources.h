// Names that a program gives its GPUs and streams, by NVTX.
#pragma once

#include "profiler/plugin/nvtx_tables.h"

namespace rnnadvisor::plugin {

// Puts our functions into the tables of a library with NVTX in it; its modules CORE2, CUDA and
// CUDART. Once the tool before us has put in its own.
void install_resource_names(const Module& core2, const Module& driver, const Module& runtime);

}  // namespace rnnadvisor::plugin
