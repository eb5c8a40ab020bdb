// A descriptor that differs from the program's in its algorithm, and perhaps in how it multiplies.
#pragma once

#include "profiler/plugin/cudnn_library.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::plugin {

// Whether the library has every function that running a call with another algorithm takes.
bool can_vary(const CudnnLibrary& library);

struct Variant {
  std::int32_t algo;  // cudnnRNNAlgo_t
  bool converts;      // with CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION in place of the math type
  // Below variant_codes; -1: none.
  int code() const { return algo < 0 ? -1 : algo + (converts ? 4 : 0); }
};
inline constexpr int variant_codes = 8;
inline Variant variant_of_code(int code) { return {code % 4, code >= 4}; }

// Whether --memory allows a variant `bytes` of workspace or reserve where the program's own
// algorithm takes `own`.
bool may_take(std::size_t bytes, std::size_t own);

// Destroyed with this object: cuDNN needs it no longer once a call has returned.
class VariantDescriptor {
 public:
  enum class Dropout { as_in_the_program, none };
  // Null afterwards where cuDNN refuses it; status() says how.
  VariantDescriptor(const CudnnLibrary& library, cudnnHandle_t handle, cudnnRNNDescriptor_t program,
                    Variant variant, Dropout dropout);
  ~VariantDescriptor();
  VariantDescriptor(const VariantDescriptor&) = delete;
  VariantDescriptor& operator=(const VariantDescriptor&) = delete;

  cudnnRNNDescriptor_t get() const { return descriptor_; }
  cudnnStatus_t status() const { return status_; }
  // What a call with it takes; false, with status(), where cuDNN refuses the sizes of the call.
  struct Sizes {
    std::size_t workspace, reserve;
  };
  bool sizes(cudnnRNNDataDescriptor_t x, bool training, Sizes& out);

 private:
  cudnnStatus_t copy(cudnnRNNDescriptor_t program, Variant variant, Dropout dropout);

  const CudnnLibrary& library_;
  cudnnHandle_t handle_;
  cudnnRNNDescriptor_t descriptor_ = nullptr;
  cudnnDropoutDescriptor_t no_dropout_ = nullptr;
  cudnnStatus_t status_;
};

// The first steps of sequences whose steps lie one after the other in memory. All sequences
// must have one length. get() is null where there is no such descriptor.
class FirstSteps {
 public:
  FirstSteps(const CudnnLibrary& library, cudnnRNNDataDescriptor_t whole, std::int32_t steps);
  ~FirstSteps();
  FirstSteps(const FirstSteps&) = delete;
  FirstSteps& operator=(const FirstSteps&) = delete;
  cudnnRNNDataDescriptor_t get() const { return descriptor_; }

 private:
  bool set(cudnnRNNDataDescriptor_t whole, std::int32_t steps);

  const CudnnLibrary& library_;
  cudnnRNNDataDescriptor_t descriptor_ = nullptr;
};

// Whether both lay out the weights alike: the size of the whole, and where each matrix and each
// bias lies.
bool same_weights(const CudnnLibrary& library, cudnnHandle_t handle, cudnnRNNDescriptor_t one,
                  cudnnRNNDescriptor_t other, const spool::Configuration& configuration);

}  // namespace rnnadvisor::plugin
