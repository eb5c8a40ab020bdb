#include "tests/core/cudnn/standin_cuda.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace {

using Kernel = std::function<void()>;
using Graph = std::vector<Kernel>;
using Clock = std::chrono::steady_clock;

std::size_t total_memory = std::size_t{4} << 30U;
std::size_t used_memory = 0;
std::size_t most_used = 0;
std::map<void*, std::size_t> allocations;
bool lost = false;
cudaError_t last_error = cudaSuccess;
bool capturing = false;
Graph captured;

cudaError_t done(cudaError_t status = cudaSuccess) {
  if (lost) status = cudaErrorIllegalAddress;
  if (status != cudaSuccess) last_error = status;
  return status;
}

cudaError_t enqueue(const Kernel& kernel) {
  return done(standin_enqueue(kernel) ? cudaSuccess : cudaErrorIllegalAddress);
}

}  // namespace

namespace rnnadvisor::standin {
void set_memory(std::size_t bytes) {
  total_memory = bytes;
  most_used = used_memory;
}
std::size_t memory_in_use() { return used_memory; }
std::size_t most_memory_in_use() { return most_used; }
void lose_context() { lost = true; }
void mend() {
  lost = false;
  last_error = cudaSuccess;
}
}  // namespace rnnadvisor::standin

extern "C" {

bool standin_enqueue(const Kernel& kernel) {
  if (lost) return false;
  if (capturing) {
    captured.push_back(kernel);
  } else {
    kernel();
  }
  return !lost;
}
void standin_lose_context() { lost = true; }
bool standin_capturing() { return capturing; }

cudaError_t cudaSetDevice(int device) {
  return done(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceSynchronize() { return done(); }
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = total_memory;
  *free = total_memory - std::min(used_memory, total_memory);
  return done();
}
cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  if (capturing) return done(cudaErrorStreamCaptureUnsupported);
  if (used_memory + bytes > total_memory) return done(cudaErrorMemoryAllocation);
  *pointer = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  std::memset(*pointer, 0xFF, bytes);  // whatever was there: NaN
  allocations[*pointer] = bytes;
  used_memory += bytes;
  most_used = std::max(most_used, used_memory);
  return done();
}
cudaError_t cudaFree(void* pointer) {
  const auto found = allocations.find(pointer);
  if (found == allocations.end())
    return done(pointer == nullptr ? cudaSuccess : cudaErrorInvalidValue);
  used_memory -= found->second;
  std::free(pointer);
  allocations.erase(found);
  return done();
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (!lost) std::memcpy(to, from, bytes);
  return done();
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
  return enqueue([=] { std::memcpy(to, from, bytes); });
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind, cudaStream_t) {
  if (to_pitch < width || from_pitch < width) return done(cudaErrorInvalidPitchValue);
  return enqueue([=] {
    for (std::size_t row = 0; row < height; ++row) {
      std::memcpy(static_cast<char*>(to) + row * to_pitch,
                  static_cast<const char*>(from) + row * from_pitch, width);
    }
  });
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  if (!lost) std::memset(to, value, bytes);
  return done();
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  return enqueue([=] { std::memset(to, value, bytes); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  *stream = reinterpret_cast<cudaStream_t>(new int(0));
  return done();
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete reinterpret_cast<int*>(stream);
  return done();
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return done(capturing ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new Clock::time_point());
  return done();
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<Clock::time_point*>(event);
  return done();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  *reinterpret_cast<Clock::time_point*>(event) = Clock::now();
  return done();
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return done(); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t stop) {
  *ms = std::chrono::duration<float, std::milli>(*reinterpret_cast<Clock::time_point*>(stop) -
                                                 *reinterpret_cast<Clock::time_point*>(start))
            .count();
  return done();
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  capturing = true;
  captured.clear();
  return done();
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  capturing = false;
  *graph = reinterpret_cast<cudaGraph_t>(new Graph(std::move(captured)));
  return done();
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  *executable = reinterpret_cast<cudaGraphExec_t>(new Graph(*reinterpret_cast<Graph*>(graph)));
  return done();
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete reinterpret_cast<Graph*>(graph);
  return done();
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete reinterpret_cast<Graph*>(executable);
  return done();
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  for (const Kernel& kernel : *reinterpret_cast<Graph*>(executable)) {
    if (!standin_enqueue(kernel)) break;
  }
  return done();
}

cudaError_t cudaGetLastError() {
  const cudaError_t status = lost ? cudaErrorIllegalAddress : last_error;
  last_error = cudaSuccess;
  return status;
}
cudaError_t cudaPeekAtLastError() { return lost ? cudaErrorIllegalAddress : last_error; }
const char* cudaGetErrorName(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    default:
      return "cudaError";
  }
}
const char* cudaGetErrorString(cudaError_t) { return "of the stand-in"; }

}  // extern "C"
