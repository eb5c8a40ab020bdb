// Other users of CUPTI in the program are noticed by their first call to it.
#pragma once

namespace rnnadvisor::plugin {

// As hook_for(), for the functions of CUPTI that begin a recording.
void* cupti_hook_for(const char* name, void* real);

}  // namespace rnnadvisor::plugin
