// One RNN call as a record: descriptors are read back with cuDNN's own getters at each call,
// because their addresses are used again and again.
#pragma once

#include "profiler/plugin/cudnn_library.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::plugin {

// The arguments of a call that decide something; null or 0 where it has no such argument.
struct Arguments {
  cudnnHandle_t handle = nullptr;
  cudnnRNNDescriptor_t rnn = nullptr;
  cudnnRNNDataDescriptor_t x = nullptr, y = nullptr;
  cudnnTensorDescriptor_t h = nullptr, c = nullptr;
  const void* pointers[static_cast<std::size_t>(spool::Pointer::count)] = {};
  std::size_t weight_bytes = 0, workspace_bytes = 0, reserve_bytes = 0;
  bool training = false;
  const std::int32_t* lengths = nullptr;  // on the device
  bool wgrad_set = false;
  // Of cuDNN 8's older functions: their name, a tensor descriptor of x for each step in place of
  // `x`, a descriptor of the weights in place of their size.
  bool legacy = false;
  bool search = false;  // it searches for an algorithm
  const char* function = nullptr;
  const cudnnTensorDescriptor_t* steps = nullptr;
  int step_count = 0;
  cudnnFilterStruct* filter = nullptr;

  const void*& at(spool::Pointer which) { return pointers[static_cast<std::size_t>(which)]; }
  const void* at(spool::Pointer which) const { return pointers[static_cast<std::size_t>(which)]; }
};

// What the descriptors of a call say; `lengths` is above 0 where sequences have several lengths.
// False: it could not be read back.
bool read_configuration(const CudnnLibrary& library, const Arguments& arguments,
                        spool::Configuration& out);
bool algorithm_of(const CudnnLibrary& library, cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t& algo);
// Whether a tensor has the strides of a packed one; null and what cannot be read count as packed.
bool is_packed(const CudnnLibrary& library, cudnnTensorDescriptor_t descriptor);

// The configuration's id in the spool.
std::uint32_t configuration_of(const CudnnLibrary& library, const Arguments& arguments);
// Writes a configuration without looking whether it was there before; its id.
std::uint32_t write_configuration(spool::Configuration configuration,
                                  const std::int32_t* lengths = nullptr);
void configurations_forget();  // for a new spool

// Fills what arguments and descriptors say: sizes, alignments, flags.
void describe(const CudnnLibrary& library, const Arguments& arguments, spool::Call& call);

}  // namespace rnnadvisor::plugin
