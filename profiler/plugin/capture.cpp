#include "profiler/plugin/capture.h"

#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

// Hashes of the configurations that were written; the id is the slot + 1. Batches of texts are new
// ones each time: where no place is found soon, the configuration is written again.
constexpr std::size_t slots = 1 << 14, most_probes = 64;
std::atomic<std::uint64_t> written[slots];
std::atomic<std::uint32_t> next_id{1u << 20};  // beyond those of the table

// A longer list of sequence lengths does not fit into a chunk.
constexpr std::size_t most_lengths = 32768;

// log2 of an address' alignment, up to a page; 255 for none.
std::uint8_t alignment(const void* pointer) {
  if (pointer == nullptr) return 255;
  const auto zeros = __builtin_ctzll(reinterpret_cast<std::uintptr_t>(pointer));
  return static_cast<std::uint8_t>(zeros > 12 ? 12 : zeros);
}

bool is_packed(const CudnnLibrary& library, cudnnTensorDescriptor_t descriptor) {
  if (descriptor == nullptr || library.cudnnGetTensorNdDescriptor == nullptr) return true;
  cudnnDataType_t type{};
  int count = 0, sizes[8] = {}, strides[8] = {};
  if (library.cudnnGetTensorNdDescriptor(descriptor, 8, &type, &count, sizes, strides) !=
      CUDNN_STATUS_SUCCESS)
    return true;
  long long expected = 1;
  for (int i = (count < 8 ? count : 8) - 1; i >= 0; --i) {
    if (sizes[i] > 1 && strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

}  // namespace

std::uint32_t configuration_of(const CudnnLibrary& library, const Arguments& arguments) {
  spool::Configuration out;
  memset(&out, 0, sizeof out);  // it is hashed, padding included
  if (library.cudnnGetRNNDescriptor_v8 != nullptr && arguments.rnn != nullptr) {
    cudnnRNNAlgo_t algo{};
    cudnnRNNMode_t cell{};
    cudnnRNNBiasMode_t bias{};
    cudnnDirectionMode_t direction{};
    cudnnRNNInputMode_t input{};
    cudnnDataType_t data{}, math{};
    cudnnMathType_t type{};
    cudnnDropoutDescriptor_t dropout = nullptr;
    if (library.cudnnGetRNNDescriptor_v8(arguments.rnn, &algo, &cell, &bias, &direction, &input,
                                         &data, &math, &type, &out.input_size, &out.hidden_size,
                                         &out.projection_size, &out.layers, &dropout,
                                         &out.aux_flags) == CUDNN_STATUS_SUCCESS) {
      out.known |= spool::known_descriptor;
      out.algo = algo;
      out.cell = cell;
      out.bias = bias;
      out.direction = direction;
      out.input_mode = input;
      out.data_type = data;
      out.math_precision = math;
      out.math_type = type;
      void* states = nullptr;
      unsigned long long seed = 0;
      if (dropout == nullptr) {
        out.known |= spool::known_dropout;
      } else if (library.cudnnGetDropoutDescriptor != nullptr && arguments.handle != nullptr &&
                 library.cudnnGetDropoutDescriptor(dropout, arguments.handle, &out.dropout, &states,
                                                   &seed) == CUDNN_STATUS_SUCCESS) {
        out.known |= spool::known_dropout;
        out.dropout_seed = seed;
      }
      cudnnRNNClipMode_t clip{};
      cudnnNanPropagation_t nan{};
      if (library.cudnnRNNGetClip_v9 != nullptr &&
          library.cudnnRNNGetClip_v9(arguments.rnn, &clip, &out.clip_low, &out.clip_high) ==
              CUDNN_STATUS_SUCCESS) {
        out.known |= spool::known_clip;
      } else if (library.cudnnRNNGetClip_v8 != nullptr &&
                 library.cudnnRNNGetClip_v8(arguments.rnn, &clip, &nan, &out.clip_low,
                                            &out.clip_high) == CUDNN_STATUS_SUCCESS) {
        out.known |= spool::known_clip;
        out.clip_nan = nan;
      }
      out.clip_mode = clip;
    }
  }
  std::int32_t few[256];
  std::int32_t* lengths = few;
  if (library.cudnnGetRNNDataDescriptor != nullptr && arguments.x != nullptr) {
    cudnnDataType_t type{};
    cudnnRNNDataLayout_t layout{};
    double fill = 0;  // at most eight bytes, of the data type
    if (library.cudnnGetRNNDataDescriptor(arguments.x, &type, &layout, &out.max_seq_length,
                                          &out.batch, &out.vector_size, 0, nullptr,
                                          &fill) == CUDNN_STATUS_SUCCESS) {
      out.known |= spool::known_data;
      out.x_data_type = type;
      out.layout = layout;
      const auto batch = static_cast<std::size_t>(out.batch > 0 ? out.batch : 0);
      if (batch > sizeof few / sizeof few[0])
        lengths = static_cast<std::int32_t*>(malloc(batch * sizeof *lengths));
      if (lengths != nullptr &&
          library.cudnnGetRNNDataDescriptor(arguments.x, &type, &layout, &out.max_seq_length,
                                            &out.batch, &out.vector_size, out.batch, lengths,
                                            &fill) == CUDNN_STATUS_SUCCESS) {
        out.known |= spool::known_lengths;
        for (std::size_t i = 0; i < batch; ++i)
          if (lengths[i] != out.max_seq_length) out.lengths = static_cast<std::uint32_t>(batch);
        if (out.lengths > most_lengths) {
          out.lengths = 0;
          out.known &= ~static_cast<std::uint32_t>(spool::known_lengths);
        }
      }
    }
  }
  out.training = arguments.training ? 1 : 0;

  const std::size_t tail = out.lengths * sizeof(std::int32_t);
  std::uint64_t hash = spool::hash_bytes(&out, sizeof out);
  if (tail > 0) hash = spool::hash_bytes(lengths, tail) * 31 + hash;
  if (hash == 0) hash = 1;
  std::uint32_t id = 0;
  std::size_t slot = hash & (slots - 1);
  for (std::size_t probes = 0; probes < most_probes && id == 0;
       ++probes, slot = (slot + 1) & (slots - 1)) {
    std::uint64_t there = written[slot].load(std::memory_order_acquire);
    if (there == 0 && written[slot].compare_exchange_strong(there, hash)) {
      id = static_cast<std::uint32_t>(slot + 1);
      out.id = id;
      writer().add(out, spool::Loss::calls, lengths, tail);
    } else if (there == hash) {
      id = static_cast<std::uint32_t>(slot + 1);
    }
  }
  if (id == 0) id = write_configuration(out, lengths);
  if (lengths != few) free(lengths);
  return id;
}

std::uint32_t write_configuration(spool::Configuration configuration, const std::int32_t* lengths) {
  configuration.id = next_id.fetch_add(1, std::memory_order_relaxed);
  writer().add(configuration, spool::Loss::calls, lengths,
               configuration.lengths * sizeof(std::int32_t));
  return configuration.id;
}

void configurations_forget() {
  for (auto& slot : written) slot.store(0, std::memory_order_relaxed);
}

void describe(const CudnnLibrary& library, const Arguments& arguments, spool::Call& call) {
  call.weight_bytes = arguments.weight_bytes;
  call.workspace_bytes = arguments.workspace_bytes;
  call.reserve_bytes = arguments.reserve_bytes;
  call.reserve_address = reinterpret_cast<std::uintptr_t>(
      arguments.pointers[static_cast<std::size_t>(spool::Pointer::reserve)]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(spool::Pointer::count); ++i)
    call.alignment[i] = alignment(arguments.pointers[i]);
  if (!is_packed(library, arguments.h)) call.flags |= spool::call_h_not_packed;
  if (!is_packed(library, arguments.c)) call.flags |= spool::call_c_not_packed;
  if (arguments.dev_lengths) call.flags |= spool::call_dev_lengths;
  if (arguments.wgrad_set) call.flags |= spool::call_wgrad_set;
  call.training = arguments.training ? 1 : 0;
  call.library = library.index;
}

}  // namespace rnnadvisor::plugin
