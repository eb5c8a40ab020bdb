#include "profiler/plugin/device_memory.h"

#include <dlfcn.h>

#include <atomic>

#include "profiler/plugin/symbols.h"

namespace rnnadvisor::plugin {

const DeviceMemory* device_memory() {
  static DeviceMemory table;
  static std::atomic<int> state{0};  // 1: complete, 2: something is missing
  if (const int known = state.load(std::memory_order_acquire); known != 0)
    return known == 1 ? &table : nullptr;
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  Symbols from(library);
  from.need("cuMemAllocAsync", table.cuMemAllocAsync)
      .need("cuMemFreeAsync", table.cuMemFreeAsync)
      .need("cuMemsetD8Async", table.cuMemsetD8Async)
      .need("cuMemcpyDtoHAsync_v2", table.cuMemcpyDtoHAsync)
      .need("cuMemHostAlloc", table.cuMemHostAlloc)
      .need("cuMemGetInfo_v2", table.cuMemGetInfo)
      .need("cuModuleLoadData", table.cuModuleLoadData)
      .need("cuModuleGetFunction", table.cuModuleGetFunction)
      .need("cuLaunchKernel", table.cuLaunchKernel)
      .need("cuStreamWaitEvent", table.cuStreamWaitEvent)
      .need("cuEventDestroy_v2", table.cuEventDestroy);
  const bool ok = from.complete();
  state.store(ok ? 1 : 2, std::memory_order_release);
  return ok ? &table : nullptr;
}

std::uint64_t free_memory(CUresult* answer) {
  const DeviceMemory* memory = device_memory();
  if (memory == nullptr) return 0;
  std::size_t free = 0, all = 0;
  const CUresult status = memory->cuMemGetInfo(&free, &all);
  if (answer != nullptr) *answer = status;
  if (status != CUDA_SUCCESS) return 0;
  return free > 0 ? free : 1;
}

}  // namespace rnnadvisor::plugin
