// Stands between the plugin and the system calls that it needs for its file, and its allocations,
// and lets them fail:
// FAIL_CALL=NAME:ERRNO:FROM:COUNT, the calls from the FROM-th on, COUNT of them.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Plan {
  char call[32] = {};
  int error = 0, from = 0, count = 0;
};

const Plan& plan() {
  static const Plan read = [] {
    Plan p;
    const char* text = getenv("FAIL_CALL");
    if (text != nullptr &&
        sscanf(text, "%31[^:]:%d:%d:%d", p.call, &p.error, &p.from, &p.count) != 4)
      p = Plan();
    return p;
  }();
  return read;
}

std::atomic<int> calls{0};

// Whether this call of the plugin's is to fail, with errno set.
bool fails(const char* call) {
  const Plan& p = plan();
  if (strcmp(p.call, call) != 0) return false;
  const int number = calls.fetch_add(1) + 1;
  if (number < p.from || number - p.from >= p.count) return false;
  errno = p.error;
  return true;
}

bool is_spool(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  return strstr(path, ".rnnspool") != nullptr;
}

}  // namespace

EXPORT int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = va_arg(rest, int);
  va_end(rest);
  if (strstr(path, ".rnnspool") != nullptr && fails("open")) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

EXPORT int posix_fallocate(int file, off_t offset, off_t bytes) {
  if (fails("posix_fallocate")) return errno;
  return syscall(SYS_fallocate, file, 0, offset, bytes) == 0 ? 0 : errno;
}

EXPORT void* mmap(void* address, size_t bytes, int protection, int flags, int file,
                  off_t offset) noexcept {
  if (file >= 0 && (flags & MAP_SHARED) != 0 && is_spool(file) && fails("mmap")) return MAP_FAILED;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives it as a number
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}

extern "C" void* __libc_malloc(size_t bytes);  // NOLINT(bugprone-reserved-identifier)

// The plugin's alone. Reading the plan may allocate.
EXPORT void* malloc(size_t bytes) {
  static thread_local bool inside = false;
  if (!inside) {
    inside = true;
    Dl_info info{};
    const bool fail = strcmp(plan().call, "malloc") == 0 &&
                      dladdr(__builtin_return_address(0), &info) != 0 &&
                      strstr(info.dli_fname, "rnnadvisor_plugin") != nullptr && fails("malloc");
    inside = false;
    if (fail) return nullptr;
  }
  return __libc_malloc(bytes);
}
