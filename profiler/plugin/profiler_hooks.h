// cudaProfilerStart() and cudaProfilerStop() as the ends of a capture range, where no CUPTI watches
// the driver.
#pragma once

namespace rnnadvisor::plugin {

// As hook_for(), for these and the driver's two.
void* profiler_hook_for(const char* name, void* real);

}  // namespace rnnadvisor::plugin
