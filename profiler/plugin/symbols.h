// Finding the functions behind our hooks.
#pragma once

namespace rnnadvisor::plugin {

// dlsym() of the C library, around our own.
void* real_symbol(void* library, const char* name);

// The hook for a symbol that the program looks up by name, or null: it gets `real` then. Defined
// with the hooks.
void* hook_for(const char* name, void* real);

}  // namespace rnnadvisor::plugin
