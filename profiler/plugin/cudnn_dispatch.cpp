#include "profiler/plugin/cudnn_dispatch.h"

#include <dlfcn.h>
#include <string.h>

#include <atomic>
#include <initializer_list>

#include "profiler/plugin/cupti_hooks.h"
#include "profiler/plugin/places.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/profiler_hooks.h"
#include "profiler/plugin/symbols.h"

namespace rnnadvisor::plugin {
namespace {

const HookRow* row_of(const char* name) {
  for (const auto& all : {rnn_hooks(), descriptor_hooks(), legacy_hooks(), search_hooks()})
    for (std::size_t i = 0; i < all.count; ++i)
      if (strcmp(all.rows[i].name, name) == 0) return &all.rows[i];
  return nullptr;
}

// The hook in front of `real`; `real` itself where nothing is recorded or there is no room.
void* hook_in_front(const HookRow& row, void* real) {
  if (!may_record()) return real;
  const auto* library = library_of(real);
  if (library != nullptr) return row.slots[library->index - 1];
  static std::atomic<std::uint32_t> told{0};
  if (told.exchange(generation()) != generation())
    note("cudnn-libraries", "more cuDNN libraries in the process than can be observed");
  return real;
}

// cuDNN's front library looks up the same names in its parts (libcudnn_adv, libcudnn_ops). What it
// calls there is one call of the program's, which was seen, and each part would take the place of a
// library of its own.
bool is_cudnn(const void* caller) {
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return false;
  const char* slash = strrchr(info.dli_fname, '/');
  return strncmp(slash == nullptr ? info.dli_fname : slash + 1, "libcudnn", 8) == 0;
}

// By a hash of the place and the name: a program that calls through a pointer, or goes on to cuDNN
// by a jump, has one place for several functions.
struct Known {
  std::atomic<std::uint64_t> key;
  std::atomic<void*> function;
};
Known known[1024];

}  // namespace

void* hook_for(const char* name, void* real, const void* caller) {
  if (strncmp(name, "cudnn", 5) != 0) {
    void* hook = cupti_hook_for(name, real);
    return hook != nullptr ? hook : profiler_hook_for(name, real);
  }
  const HookRow* row = row_of(name);
  if (row == nullptr) return nullptr;
  if (real == nullptr) return row->slots[0];
  return is_cudnn(caller) ? real : hook_in_front(*row, real);
}

// Which cuDNN a program is linked to depends on who calls: two libraries of a process may be linked
// to two of them.
void* linked_hook(const void* caller, const char* name) {
  // Names are the hooks' own literals.
  const std::uintptr_t place_and_name[] = {reinterpret_cast<std::uintptr_t>(caller),
                                           reinterpret_cast<std::uintptr_t>(name)};
  const std::uint64_t key = spool::hash_bytes(place_and_name, sizeof place_and_name);
  constexpr std::size_t most_probes = 32;
  const auto [place, is_new] = find_place(known, key, true, most_probes);
  if (place != nullptr && !is_new) {
    void* function = place->function.load(std::memory_order_acquire);
    if (function != nullptr) return function;  // else another thread is about to find it
  }
  void* real = linked_function(caller, name);
  void* function = real == nullptr ? nullptr : hook_in_front(*row_of(name), real);
  if (is_new) place->function.store(function, std::memory_order_release);
  return function;
}

}  // namespace rnnadvisor::plugin
