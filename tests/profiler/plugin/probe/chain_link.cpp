// Two of these stand one behind the other in the loader's scope, as allocators and their wrappers
// do: each asks for the next definition of a name.
#include <dlfcn.h>

#pragma GCC visibility push(default)
extern "C" {
int chained_value() { return CHAIN_LINK; }
// The value of the definition behind this library's own; 0: there is none.
int CHAIN_NEXT() {
  const auto next = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "chained_value"));
  return next == nullptr ? 0 : next();
}
void* CHAIN_MALLOC() { return dlsym(RTLD_NEXT, "malloc"); }
// A lookup of a cuDNN function from a library that may be linked to cuDNN.
void* CHAIN_DEFAULT(const char* name) { return dlsym(RTLD_DEFAULT, name); }
}
#pragma GCC visibility pop
