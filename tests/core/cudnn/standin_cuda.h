// A GPU that is the host: the functions of the CUDA runtime that core/cudnn calls, over malloc and
// memcpy, in the place of the static runtime library. A program that has them runs core/cudnn
// without a driver, together with the stand-in for cuDNN (standin_cudnn.cpp), which computes with
// the float64 reference. Kernels are functions that run when they are enqueued; a capture keeps
// them for its graph instead. One thread.
#pragma once

#include <cstddef>
#include <functional>

namespace rnnadvisor::standin {

// What cudaMemGetInfo() calls the total, and beyond which cudaMalloc() fails.
void set_memory(std::size_t bytes);
std::size_t memory_in_use();
std::size_t most_memory_in_use();  // since set_memory()

// From now on everything fails as after an illegal access, until mend().
void lose_context();
void mend();

}  // namespace rnnadvisor::standin

// Runs a kernel, or keeps it for the graph that is being captured. False: the context is lost.
// Exported to the stand-in for cuDNN, as is lose_context().
extern "C" __attribute__((visibility("default"))) bool standin_enqueue(
    const std::function<void()>& kernel);
extern "C" __attribute__((visibility("default"))) void standin_lose_context();
extern "C" __attribute__((visibility("default"))) bool standin_capturing();
