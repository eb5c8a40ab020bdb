// Stands between the plugin and mmap(), which it calls with its lock held when a thread writes its
// first record.
#include <dlfcn.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>

static std::atomic<void (*)()> next_action{nullptr};

extern "C" __attribute__((visibility("default"))) void mmap_hook_next(void (*action)()) {
  next_action.store(action);
}

extern "C" __attribute__((visibility("default"))) void* mmap(void* address, std::size_t bytes,
                                                             int protection, int flags, int file,
                                                             off_t offset) noexcept {
  using Map = void* (*)(void*, std::size_t, int, int, int, off_t);
  static const auto real = reinterpret_cast<Map>(dlsym(RTLD_NEXT, "mmap"));
  if (auto* action = next_action.exchange(nullptr); action != nullptr) action();
  return real(address, bytes, protection, flags, file, offset);
}
