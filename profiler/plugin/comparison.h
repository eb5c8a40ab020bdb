// One real call, run with two algorithms on buffers of our own: whether both compute the same. The
// program's outputs, gradients, reserve and dropout states are not touched; dropout is off, because
// each algorithm draws masks of its own. One comparison at a time in a process; callers serialise.
#pragma once

#include <cuda.h>

#include "profiler/plugin/capture.h"
#include "profiler/plugin/cudnn_library.h"
#include "profiler/plugin/variant_descriptor.h"

namespace rnnadvisor::plugin {

struct Compared {
  float error = -1;  // the largest relative difference of a tensor, as || a - b || / || a ||
  float limit = 0;   // for that tensor
  const char* tensor = "";
  bool same = false;   // every tensor within its limit, infinities and NaN at the same places
  bool blank = false;  // gradients of the weights were 0, or too small for half to tell
  std::int64_t device_ns = 0;  // that it took
};

class Comparison {
 public:
  enum class Started { yes, refused, layout, memory, failed };
  // Runs the forward pass of `call`, which has just been enqueued, with its own algorithm and with
  // `variant`. `most_bytes`: what it may allocate. refused: cuDNN does not take it, see status().
  Started start(const CudnnLibrary& library, const Arguments& call,
                const spool::Configuration& configuration, Variant variant, CUstream stream,
                std::size_t most_bytes);
  // Runs the first steps of `call` alone, forward with both algorithms: what start() and what
  // follows it would take is predicted from their time, which poll() has then. `steps`: how many;
  // below those of the call. failed: nothing can be predicted so.
  Started probe(const CudnnLibrary& library, const Arguments& call,
                const spool::Configuration& configuration, Variant variant, CUstream stream,
                std::size_t most_bytes, std::int32_t steps);
  // The backward pass, by a backward call of the program with the same sizes; training alone.
  // False: it could not be run, status() says why, and finish() with it has nothing to tell.
  bool backward_data(const Arguments& call, CUstream stream);
  // The backward call of half the sum of the squared outputs, for a forward call without one.
  Arguments backward_of(const Arguments& forward) const;
  bool backward_weights(const Arguments& call, CUstream stream);
  // Compares what has been run so far, on the device. False: it could not be started.
  bool finish();
  // After finish(): whether the device is through; frees the buffers then.
  bool poll(Compared& out);
  void give_up();  // frees the buffers
  // After fork(): nothing of it is ours.
  void forget();

  // Of the forward call; only its backward calls, or others of this length, fit the buffers.
  std::int32_t length() const { return configuration_.max_seq_length; }
  cudnnStatus_t status() const { return status_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Tensor {
    std::size_t elements, at[2];  // offsets into the buffer
  };
  enum Which { y, hy, cy, dx, dhx, dcx, dw, tensors };
  // The forward pass of `call` with both algorithms, on `x` and `y` in place of its own.
  struct Forward {
    const CudnnLibrary& library;
    const Arguments& call;
    VariantDescriptor &own, &other;
    cudnnRNNDataDescriptor_t x, y;
    const std::int32_t* lengths;
    CUstream stream;
  };
  // Gets the memory for it.
  Started prepare(const Forward& forward, const spool::Configuration& configuration,
                  Variant variant, std::size_t most_bytes);
  Started run(const Forward& forward);
  bool lay_out(const spool::Configuration& configuration, std::size_t weight_bytes,
               std::size_t workspace, std::size_t reserve);
  bool allocate(std::size_t most_bytes);
  bool follow(CUstream stream);
  Variant variant_at(int index, cudnnRNNDescriptor_t program) const;  // 0: the program's own
  void* at(std::size_t offset) const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver gives memory as a number
    return reinterpret_cast<void*>(buffer_ + offset);
  }
  float limit_of(int tensor) const;
  double counts_for_nothing(int tensor) const;  // of the sum of squared differences

  const CudnnLibrary* library_;
  spool::Configuration configuration_;
  Variant variant_;
  cudnnStatus_t status_;
  CUstream stream_;
  CUdeviceptr buffer_;
  std::size_t bytes_, workspace_, workspace_bytes_, reserve_[2], reserve_bytes_, results_;
  Tensor tensors_[tensors];
  bool has_data_, has_weights_;
  CUevent begin_, end_;
  double* host_results_;  // pinned; kept
};

}  // namespace rnnadvisor::plugin
