// Stands between the plugin and mmap(), which it calls with its lock held when a thread writes its
// first record.
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

static std::atomic<void (*)()> next_action{nullptr};

extern "C" __attribute__((visibility("default"))) void mmap_hook_next(void (*action)()) {
  next_action.store(action);
}

extern "C" __attribute__((visibility("default"))) void* mmap(void* address, std::size_t bytes,
                                                             int protection, int flags, int file,
                                                             off_t offset) noexcept {
  if (auto* action = next_action.exchange(nullptr); action != nullptr) action();
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives it as a number
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}
