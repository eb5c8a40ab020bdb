// Which line of Python led to a call, where an interpreter is in the process.
#pragma once

#include <cstdint>

namespace rnnadvisor::plugin {

// The id of the call site in the spool, 0: no Python on this thread, or not asked this time. Asking
// needs the interpreter's lock, so the first calls of a configuration are asked always and the rest
// now and then.
std::uint32_t call_site(std::uint32_t configuration);
void call_sites_forget();  // for a new spool

}  // namespace rnnadvisor::plugin
