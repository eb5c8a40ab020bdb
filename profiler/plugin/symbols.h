// Finding the functions behind our hooks.
#pragma once

namespace rnnadvisor::plugin {

// dlsym() of the C library, around our own.
void* real_symbol(void* library, const char* name);

// What a reference to `name` in the library with the address `caller` in it would be bound to if we
// were not there; null: to nothing. Null as caller: the global scope alone.
void* symbol_behind_us(const void* caller, const char* name);

// The hook for a symbol that the program looks up by name, or null: it gets `real` then. Defined
// with the hooks. With null as `real` only whether there is a hook of that name. `caller`: who
// looks it up.
void* hook_for(const char* name, void* real, const void* caller);

}  // namespace rnnadvisor::plugin
