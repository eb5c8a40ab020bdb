#include "profiler/plugin/cudnn_library.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <initializer_list>

#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

namespace rnnadvisor::plugin {
namespace {

CudnnLibrary libraries[max_libraries];
std::atomic<int> count{0};
std::atomic<bool> introduced[max_libraries];
// In front of `libraries` only. Nothing of the loader's is called while it is held: the loader
// calls constructors with its own lock held, and they may come to us.
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

thread_local char last_reason[512];

// cuDNN gives its reasons for a refusal to the log alone (cudnnGetLastErrorString is empty for RNN
// functions in 9.19). The message is a run of texts that each end in NUL, the last in two.
void logged(cudnnSeverity_t, void*, const cudnnDebug_t*, const char* message) {
  for (const char* line = message; line != nullptr && *line != 0; line += strlen(line) + 1) {
    const char* found = strstr(line, "Reason: ");
    if (found == nullptr) continue;
    found += strlen("Reason: ");
    std::size_t length = strcspn(found, "\n");
    while (length > 0 && (found[length - 1] == ' ' || found[length - 1] == '\r')) --length;
    if (length >= sizeof last_reason) length = sizeof last_reason - 1;
    memcpy(last_reason, found, length);
    last_reason[length] = 0;
    return;
  }
}

bool set(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && *value != 0 && strcmp(value, "0") != 0;
}

// Only where no other listener is: a callback takes the place of the log.
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

// The functions of the library `handle`. Where that is another tool's hook in front of cuDNN, it
// has a few of them only, and the others are in the global scope as it is.
CudnnLibrary found_in(void* handle) {
  const bool is_cudnn = real_symbol(handle, "cudnnCreateRNNDescriptor") != nullptr;
  const auto find = [&](const char* name) {
    void* found = real_symbol(handle, name);
    return found != nullptr || is_cudnn ? found : real_symbol(RTLD_NEXT, name);
  };
  CudnnLibrary library{};
#define RNNADVISOR_FIND(name) library.name = reinterpret_cast<decltype(library.name)>(find(#name));
  RNNADVISOR_HOOKED(RNNADVISOR_FIND)
  RNNADVISOR_DESCRIPTORS(RNNADVISOR_FIND)
  RNNADVISOR_LEGACY(RNNADVISOR_FIND)
  RNNADVISOR_SEARCHES(RNNADVISOR_FIND)
  RNNADVISOR_ASKED(RNNADVISOR_FIND)
  RNNADVISOR_FIND(cudnnGetFilterSizeInBytes)
#undef RNNADVISOR_FIND
  return library;
}

CudnnLibrary* known_library(const void* base) {
  for (int slot = 0; slot < count.load(std::memory_order_acquire); ++slot)
    if (libraries[slot].base == base) return &libraries[slot];
  return nullptr;
}

}  // namespace

CudnnLibrary* library_at(int slot) { return &libraries[slot]; }

CudnnLibrary* library_of(void* function) {
  const Scope scope;
  Dl_info info{};
  if (function == nullptr || dladdr(function, &info) == 0) return nullptr;
  if (auto* known = known_library(info.dli_fbase); known != nullptr) return known;
  // Stays open: what the table points to must not be unloaded.
  void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  const CudnnLibrary found = found_in(handle);
  const Locked locked(mutex);
  CudnnLibrary* library = known_library(info.dli_fbase);
  const int slot = count.load();
  if (library == nullptr && slot < max_libraries) {
    library = &libraries[slot];
    *library = found;
    library->base = info.dli_fbase;
    library->index = static_cast<unsigned>(slot) + 1;
    count.store(slot + 1, std::memory_order_release);
  }
  return library;
}

void* linked_function(const void* caller, const char* name) {
  const Scope scope;
  return linked_symbol(caller, name,
                       {"libcudnn.so.9", "libcudnn.so.8", "libcudnn_adv.so.9",
                        "libcudnn_adv_infer.so.8", "libcudnn_adv_train.so.8"});
}

const char* reason() { return last_reason; }
void forget_reason() { last_reason[0] = 0; }

void introduce(CudnnLibrary& library) {
  auto& done = introduced[library.index - 1];
  if (done.load(std::memory_order_relaxed) || done.exchange(true)) return;
  // The path of cuDNN, where another library's hook stands in front of it.
  const void* inside = library.cudnnGetVersion != nullptr
                           ? reinterpret_cast<const void*>(library.cudnnGetVersion)
                           : library.base;
  Dl_info info{};
  const char* path = dladdr(inside, &info) != 0 ? info.dli_fname : "";
  const std::uint64_t version = library.cudnnGetVersion != nullptr ? library.cudnnGetVersion() : 0;
  writer().add(
      spool::Library{
          {}, spool::LibraryKind::cudnn, library.index, version, writer().intern(path), 0},
      spool::Loss::other);
  listen(library);
}

void cudnn_libraries_in_child() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof fresh);
}

void cudnn_libraries_forget() {
  for (auto& one : introduced) one.store(false);
}

}  // namespace rnnadvisor::plugin
