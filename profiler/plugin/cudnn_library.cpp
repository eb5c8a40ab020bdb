#include "profiler/plugin/cudnn_library.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

namespace rnnadvisor::plugin {
namespace {

CudnnLibrary libraries[max_libraries];
std::atomic<int> count{0};
std::atomic<CudnnLibrary*> linked{nullptr};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

thread_local char reason[512];

// cuDNN gives its reasons for a refusal to the log alone (cudnnGetLastErrorString is empty for RNN
// functions in 9.19). The message is a run of texts that each end in NUL, the last in two.
void logged(cudnnSeverity_t, void*, const cudnnDebug_t*, const char* message) {
  for (const char* line = message; line != nullptr && *line != 0; line += strlen(line) + 1) {
    const char* found = strstr(line, "Reason: ");
    if (found == nullptr) continue;
    found += strlen("Reason: ");
    std::size_t length = strcspn(found, "\n");
    while (length > 0 && (found[length - 1] == ' ' || found[length - 1] == '\r')) --length;
    if (length >= sizeof reason) length = sizeof reason - 1;
    memcpy(reason, found, length);
    reason[length] = 0;
    return;
  }
}

bool set(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && *value != 0 && strcmp(value, "0") != 0;
}

// Only where nobody else listens: a callback takes the place of the log.
void listen(CudnnLibrary& library) {
  if (library.cudnnGetCallback == nullptr || library.cudnnSetCallback == nullptr) return;
  for (const char* name :
       {"CUDNN_LOGLEVEL_DBG", "CUDNN_LOGERR_DBG", "CUDNN_LOGWARN_DBG", "CUDNN_LOGINFO_DBG"})
    if (set(name)) return;
  unsigned mask = 0;
  void* user = nullptr;
  cudnnCallback_t theirs = nullptr;
  if (library.cudnnGetCallback(&mask, &user, &theirs) != CUDNN_STATUS_SUCCESS || theirs != nullptr)
    return;
  constexpr unsigned refusals = CUDNN_SEV_ERROR_EN | CUDNN_SEV_WARNING_EN;
  library.has_reasons =
      library.cudnnSetCallback(refusals, nullptr, &logged) == CUDNN_STATUS_SUCCESS;
}

CudnnLibrary* fill(void* handle, const void* base, int slot) {
  auto& library = libraries[slot];
#define RNNADVISOR_FIND(name) \
  library.name = reinterpret_cast<decltype(library.name)>(real_symbol(handle, #name));
  RNNADVISOR_HOOKED(RNNADVISOR_FIND)
  RNNADVISOR_ASKED(RNNADVISOR_FIND)
#undef RNNADVISOR_FIND
  library.base = base;
  library.index = static_cast<unsigned>(slot) + 1;
  return &library;
}

const void* base_of(const void* function) {
  Dl_info info{};
  return function != nullptr && dladdr(function, &info) != 0 ? info.dli_fbase : nullptr;
}

// Under the mutex.
CudnnLibrary* add(void* handle, const void* base, int& slot) {
  for (slot = 0; slot < count.load(); ++slot)
    if (libraries[slot].base == base) return &libraries[slot];
  if (slot == max_libraries) return nullptr;
  CudnnLibrary* library = fill(handle, base, slot);
  count.store(slot + 1);
  return library;
}

}  // namespace

CudnnLibrary* library_at(int slot) { return &libraries[slot]; }

CudnnLibrary* linked_library() {
  if (auto* known = linked.load(std::memory_order_acquire); known != nullptr) return known;
  const Scope scope;
  pthread_mutex_lock(&mutex);
  CudnnLibrary* found = linked.load();
  if (found == nullptr) {
    // Python loads cuDNN with RTLD_LOCAL, where RTLD_NEXT finds nothing: it is asked for by name.
    // It is there already, or nobody could have called us.
    for (const char* name : {"libcudnn.so.9", "libcudnn.so.8", "libcudnn_adv.so.9"}) {
      void* handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
      if (handle == nullptr) continue;
      int slot = 0;
      found = add(handle, base_of(real_symbol(handle, "cudnnRNNForward")), slot);
      break;
    }
    if (found == nullptr) {
      if (void* next = real_symbol(RTLD_NEXT, "cudnnRNNForward"); next != nullptr) {
        int slot = 0;
        found = add(RTLD_NEXT, base_of(next), slot);
      }
    }
    if (found != nullptr) linked.store(found, std::memory_order_release);
  }
  pthread_mutex_unlock(&mutex);
  return found;
}

CudnnLibrary* library_of(void* function, int& slot) {
  const Scope scope;
  const void* base = base_of(function);
  if (base == nullptr) return nullptr;
  pthread_mutex_lock(&mutex);
  Dl_info info{};
  dladdr(function, &info);
  CudnnLibrary* library = nullptr;
  for (slot = 0; slot < count.load(); ++slot)
    if (libraries[slot].base == base) library = &libraries[slot];
  if (library != nullptr) {
    slot = static_cast<int>(library->index) - 1;
  } else if (void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD); handle != nullptr) {
    library = add(handle, base, slot);
  }
  pthread_mutex_unlock(&mutex);
  return library;
}

const char* take_reason() {
  static thread_local char taken[sizeof reason];
  memcpy(taken, reason, sizeof reason);
  reason[0] = 0;
  return taken;
}

// Once per library, when the program first calls it.
void introduce(CudnnLibrary& library) {
  static std::atomic<bool> done[max_libraries];
  if (done[library.index - 1].exchange(true)) return;
  Dl_info info{};
  const char* path = dladdr(library.base, &info) != 0 ? info.dli_fname : "";
  const std::uint64_t version = library.cudnnGetVersion != nullptr ? library.cudnnGetVersion() : 0;
  writer().add(
      spool::Library{
          {}, spool::LibraryKind::cudnn, library.index, version, writer().intern(path), 0},
      spool::Loss::other);
  listen(library);
}

}  // namespace rnnadvisor::plugin
