// Another tool that wants to be loaded by CUDA and NVTX. It takes some of NVTX's functions and
// leaves the rest; a handle that it did not give makes it abort. STANDIN_TOOL=refuses: its NVTX
// part does not want to; STANDIN_TOOL=null: it gives null as every handle.
#pragma once

extern "C" {
int standin_tool_cuda_starts();
int standin_tool_nvtx_starts();
// Calls of its functions, in their order, a letter each: p push, o pop, P push in a domain, O pop
// in a domain, s start, e end, D domain made, R string registered, n thread named, m stream named,
// M resource made.
const char* standin_tool_calls();
}
