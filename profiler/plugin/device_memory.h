// The part of the CUDA driver that allocates, copies and launches: for work of our own on the
// program's streams. Taken from the library that the program loaded.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace rnnadvisor::plugin {

// Stream-ordered memory, so that nothing waits for the device.
struct DeviceMemory {
  CUresult (*cuMemAllocAsync)(CUdeviceptr*, std::size_t, CUstream);
  CUresult (*cuMemFreeAsync)(CUdeviceptr, CUstream);
  CUresult (*cuMemsetD8Async)(CUdeviceptr, unsigned char, std::size_t, CUstream);
  CUresult (*cuMemcpyDtoHAsync)(void*, CUdeviceptr, std::size_t, CUstream);
  CUresult (*cuMemHostAlloc)(void**, std::size_t, unsigned);
  CUresult (*cuMemGetInfo)(std::size_t*, std::size_t*);
  CUresult (*cuModuleLoadData)(CUmodule*, const void*);
  CUresult (*cuModuleGetFunction)(CUfunction*, CUmodule, const char*);
  CUresult (*cuLaunchKernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, CUstream, void**, void**);
  CUresult (*cuStreamWaitEvent)(CUstream, CUevent, unsigned);
  CUresult (*cuEventDestroy)(CUevent);
};

// Null when the program has no driver loaded or an entry point is missing.
const DeviceMemory* device_memory();

// Free memory of the GPU of this thread's context, bytes, at least 1; 0: not known. It takes 8 µs
// (H200), so only failures ask. `answer`: the driver's, an error of an earlier kernel among them.
std::uint64_t free_memory(CUresult* answer = nullptr);

}  // namespace rnnadvisor::plugin
