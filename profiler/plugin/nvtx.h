// NVTX ranges, domains and names, taken from the program's own NVTX without CUPTI.
#pragma once

namespace rnnadvisor::plugin {

void nvtx_forget();  // for a new spool

}  // namespace rnnadvisor::plugin
