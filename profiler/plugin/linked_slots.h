// Calls that libraries of the process make of a function, led to another one: for a function of the
// C library where we were not loaded before it, so that a definition of ours is not found.
#pragma once

namespace rnnadvisor::plugin {

// Every place through which a library that is loaded now calls `name` is given `hook`, if it holds
// `real` (or is still to be bound to it by the first call): what another library put there stays. A
// library that is loaded later is not reached. Where the loader has made such a place read-only it
// is so again afterwards. The number of places. Not for signal handlers; from one thread at a time.
int lead_linked_calls(const char* name, void* real, void* hook);

}  // namespace rnnadvisor::plugin
