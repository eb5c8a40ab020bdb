// Finding the functions behind our hooks.
#pragma once

#include <initializer_list>

namespace rnnadvisor::plugin {

// dlsym() of the C library, around our own.
void* real_symbol(void* library, const char* name);

// Fills a table of functions from a library, by their names in it.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}
  // What it may be without: whether it is there.
  template <typename Pointer>
  bool find(const char* name, Pointer& into) const {
    into = reinterpret_cast<Pointer>(real_symbol(library_, name));
    return into != nullptr;
  }
  template <typename Pointer>
  Symbols& need(const char* name, Pointer& into) {
    found_ &= find(name, into);
    return *this;
  }
  // Whether all that is needed was found.
  bool complete() const { return found_; }

 private:
  void* library_;
  bool found_ = true;
};

// What a reference to `name` in the library with the address `caller` in it would be bound to if we
// were not there; null: to nothing. Null as caller: the global scope alone.
void* symbol_behind_us(const void* caller, const char* name);

// The same, or else what the first of these libraries that is loaded has: where the caller was
// loaded by a library that was loaded by another one, it is in the scope of neither.
void* linked_symbol(const void* caller, const char* name,
                    std::initializer_list<const char*> libraries);

// The hook for a symbol that the program looks up by name, or null: it gets `real` then. Defined
// with the hooks. With null as `real` only whether there is a hook of that name. `caller`: who
// looks it up.
void* hook_for(const char* name, void* real, const void* caller);

}  // namespace rnnadvisor::plugin
