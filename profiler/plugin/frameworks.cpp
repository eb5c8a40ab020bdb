#include "profiler/plugin/frameworks.h"

#include <link.h>
#include <string.h>

#include <atomic>
#include <initializer_list>

#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

std::atomic<bool> described{false};

// The libraries that only the framework itself brings, and those of it that do GPU work.
int look(dl_phdr_info* info, std::size_t, void*) {
  const char* path = info->dlpi_name;
  if (path == nullptr || *path == 0) return 0;
  const char* slash = strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  for (const char* known :
       {"libtorch_cuda.so", "libtensorflow_framework.so", "libtensorflow_cc.so",
        "xla_cuda_plugin.so", "libjax_common.so", "libonnxruntime_providers_cuda.so"}) {
    if (strncmp(name, known, strlen(known)) != 0) continue;
    writer().add(spool::Library{{}, spool::LibraryKind::framework, 0, 0, writer().intern(path), 0},
                 spool::Loss::other);
    break;
  }
  // Python's Keras has no library of its own; these are what it imports.
  for (const char* imported : {"/h5py/_errors.", "/optree/_C."}) {
    if (strstr(path, imported) == nullptr) continue;
    writer().add(spool::Library{{}, spool::LibraryKind::framework, 0, 0, writer().intern(path), 0},
                 spool::Loss::other);
  }
  return 0;
}

}  // namespace

void describe_frameworks() {
  if (described.load(std::memory_order_relaxed) || described.exchange(true)) return;
  dl_iterate_phdr(&look, nullptr);
}

void frameworks_forget() { described.store(false); }

}  // namespace rnnadvisor::plugin
