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

// What is filled in for a sequence of lengths: at first in place, then on the heap.
struct Lengths {
  std::int32_t few[256];
  std::int32_t* all = few;

  bool make(std::size_t count) {
    if (count > sizeof few / sizeof few[0])
      all = static_cast<std::int32_t*>(malloc(count * sizeof *all));
    return all != nullptr;
  }
  ~Lengths() {
    if (all != few) free(all);
  }
};

void keep_lengths(const Lengths& lengths, spool::Configuration& out) {
  const auto batch = static_cast<std::size_t>(out.batch > 0 ? out.batch : 0);
  out.known |= spool::known_lengths;
  for (std::size_t i = 0; i < batch; ++i)
    if (lengths.all[i] != out.max_seq_length) out.lengths = static_cast<std::uint32_t>(batch);
  if (out.lengths > most_lengths) {
    out.lengths = 0;
    out.known &= ~static_cast<std::uint32_t>(spool::known_lengths);
  }
}

void read_dropout(const CudnnLibrary& library, const Arguments& arguments,
                  cudnnDropoutDescriptor_t dropout, spool::Configuration& out) {
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
}

void read_clip(const CudnnLibrary& library, const Arguments& arguments, spool::Configuration& out) {
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
  } else if (library.cudnnRNNGetClip != nullptr && arguments.handle != nullptr &&
             library.cudnnRNNGetClip(arguments.handle, arguments.rnn, &clip, &nan, &out.clip_low,
                                     &out.clip_high) == CUDNN_STATUS_SUCCESS) {
    out.known |= spool::known_clip;
    out.clip_nan = nan;
  }
  out.clip_mode = clip;
}

bool read_descriptor(const CudnnLibrary& library, const Arguments& arguments,
                     spool::Configuration& out) {
  if (library.cudnnGetRNNDescriptor_v8 == nullptr) return false;
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
                                       &out.aux_flags) != CUDNN_STATUS_SUCCESS)
    return false;
  out.algo = algo;
  out.cell = cell;
  out.bias = bias;
  out.direction = direction;
  out.input_mode = input;
  out.data_type = data;
  out.math_precision = math;
  out.math_type = type;
  read_dropout(library, arguments, dropout, out);
  return true;
}

// As cuDNN 7 has it, and cuDNN 8 for what the newer getter does not answer. Each part has a getter
// of its own, and what has none is left at cuDNN's default.
bool read_descriptor_v6(const CudnnLibrary& library, const Arguments& arguments,
                        spool::Configuration& out) {
  if (library.cudnnGetRNNDescriptor_v6 == nullptr || arguments.handle == nullptr) return false;
  cudnnRNNInputMode_t input{};
  cudnnDirectionMode_t direction{};
  cudnnRNNMode_t cell{};
  cudnnRNNAlgo_t algo{};
  cudnnDataType_t math{};
  cudnnDropoutDescriptor_t dropout = nullptr;
  if (library.cudnnGetRNNDescriptor_v6(arguments.handle, arguments.rnn, &out.hidden_size,
                                       &out.layers, &dropout, &input, &direction, &cell, &algo,
                                       &math) != CUDNN_STATUS_SUCCESS)
    return false;
  out.input_mode = input;
  out.direction = direction;
  out.cell = cell;
  out.algo = algo;
  out.math_precision = math;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  if (library.cudnnGetRNNBiasMode != nullptr) library.cudnnGetRNNBiasMode(arguments.rnn, &bias);
  out.bias = bias;
  cudnnMathType_t type = CUDNN_DEFAULT_MATH;
  if (library.cudnnGetRNNMatrixMathType != nullptr)
    library.cudnnGetRNNMatrixMathType(arguments.rnn, &type);
  out.math_type = type;
  unsigned padding = 0;
  if (library.cudnnGetRNNPaddingMode != nullptr)
    library.cudnnGetRNNPaddingMode(arguments.rnn, &padding);
  out.aux_flags = padding;
  int output = 0;
  if (library.cudnnGetRNNProjectionLayers != nullptr)
    library.cudnnGetRNNProjectionLayers(arguments.handle, arguments.rnn, &out.projection_size,
                                        &output);
  read_dropout(library, arguments, dropout, out);
  return true;
}

void read_data(const CudnnLibrary& library, cudnnRNNDataDescriptor_t x, spool::Configuration& out,
               Lengths& lengths) {
  cudnnDataType_t type{};
  cudnnRNNDataLayout_t layout{};
  double fill = 0;  // at most eight bytes, of the data type
  if (library.cudnnGetRNNDataDescriptor(x, &type, &layout, &out.max_seq_length, &out.batch,
                                        &out.vector_size, 0, nullptr,
                                        &fill) != CUDNN_STATUS_SUCCESS)
    return;
  out.known |= spool::known_data;
  out.x_data_type = type;
  out.layout = layout;
  if (lengths.make(static_cast<std::size_t>(out.batch > 0 ? out.batch : 0)) &&
      library.cudnnGetRNNDataDescriptor(x, &type, &layout, &out.max_seq_length, &out.batch,
                                        &out.vector_size, out.batch, lengths.all,
                                        &fill) == CUDNN_STATUS_SUCCESS)
    keep_lengths(lengths, out);
}

// A descriptor for each step, whose batch is the number of sequences that reach it: sequences of
// decreasing length, packed.
void read_steps(const CudnnLibrary& library, const Arguments& arguments, spool::Configuration& out,
                Lengths& lengths) {
  cudnnTensorDescriptor_t last = nullptr;
  int batch = 0;
  bool decreasing = true;
  for (int step = 0; step < arguments.step_count; ++step) {
    const auto descriptor = arguments.steps[step];
    if (descriptor == last) continue;  // one for all steps, as a rule
    last = descriptor;
    cudnnDataType_t type{};
    int count = 0, sizes[8] = {}, strides[8] = {};
    if (descriptor == nullptr ||
        library.cudnnGetTensorNdDescriptor(descriptor, 8, &type, &count, sizes, strides) !=
            CUDNN_STATUS_SUCCESS ||
        count < 2 || sizes[0] < 1)
      return;
    if (step == 0) {
      batch = out.batch = sizes[0];
      out.vector_size = sizes[1];
      out.x_data_type = type;
      if (!lengths.make(static_cast<std::size_t>(batch))) return;
    }
    decreasing = decreasing && sizes[0] <= batch;
    while (batch > sizes[0]) lengths.all[--batch] = step;
  }
  if (last == nullptr) return;
  while (batch > 0) lengths.all[--batch] = arguments.step_count;
  out.layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
  out.max_seq_length = arguments.step_count;
  out.known |= spool::known_data;
  if (decreasing) keep_lengths(lengths, out);
}

}  // namespace

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

// Reads all that can be read.
static void read_all(const CudnnLibrary& library, const Arguments& arguments,
                     spool::Configuration& out, Lengths& lengths) {
  memset(&out, 0, sizeof out);  // it is hashed, padding included
  if (arguments.rnn != nullptr &&
      (read_descriptor(library, arguments, out) || read_descriptor_v6(library, arguments, out))) {
    out.known |= spool::known_descriptor;
    read_clip(library, arguments, out);
  }
  if (arguments.x != nullptr && library.cudnnGetRNNDataDescriptor != nullptr) {
    read_data(library, arguments.x, out, lengths);
  } else if (arguments.steps != nullptr && library.cudnnGetTensorNdDescriptor != nullptr) {
    read_steps(library, arguments, out, lengths);
  }
  if (arguments.legacy && (out.known & spool::known_data) != 0) {
    // The older way of filling a descriptor leaves these to the data, and no projection is 0.
    out.input_size = out.vector_size;
    out.data_type = out.x_data_type;
    if (out.projection_size == 0) out.projection_size = out.hidden_size;
  }
  out.training = arguments.training ? 1 : 0;
}

bool read_configuration(const CudnnLibrary& library, const Arguments& arguments,
                        spool::Configuration& out) {
  Lengths lengths;
  read_all(library, arguments, out, lengths);
  constexpr std::uint32_t all = spool::known_descriptor | spool::known_data | spool::known_clip |
                                spool::known_dropout | spool::known_lengths;
  return (out.known & all) == all;
}

bool algorithm_of(const CudnnLibrary& library, cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t& algo) {
  spool::Configuration out{};
  Arguments arguments;
  arguments.rnn = rnn;
  if (!read_descriptor(library, arguments, out)) return false;
  algo = static_cast<cudnnRNNAlgo_t>(out.algo);
  return true;
}

std::uint32_t configuration_of(const CudnnLibrary& library, const Arguments& arguments) {
  spool::Configuration out;
  Lengths lengths;
  read_all(library, arguments, out, lengths);

  const std::size_t tail = out.lengths * sizeof(std::int32_t);
  std::uint64_t hash = spool::hash_bytes(&out, sizeof out);
  if (tail > 0) hash = spool::hash_bytes(lengths.all, tail) * 31 + hash;
  if (hash == 0) hash = 1;
  std::uint32_t id = 0;
  std::size_t slot = hash & (slots - 1);
  for (std::size_t probes = 0; probes < most_probes && id == 0;
       ++probes, slot = (slot + 1) & (slots - 1)) {
    std::uint64_t there = written[slot].load(std::memory_order_acquire);
    if (there == 0) {
      const Undisturbed undisturbed;  // who takes the slot writes the configuration
      if (written[slot].compare_exchange_strong(there, hash)) {
        there = hash;
        out.id = static_cast<std::uint32_t>(slot + 1);
        writer().add(out, spool::Loss::calls, lengths.all, tail);
      }
    }
    if (there == hash) id = static_cast<std::uint32_t>(slot + 1);
  }
  if (id == 0) id = write_configuration(out, lengths.all);
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
  std::size_t bytes = 0;
  if (arguments.filter != nullptr && library.cudnnGetFilterSizeInBytes != nullptr &&
      library.cudnnGetFilterSizeInBytes(arguments.filter, &bytes) == CUDNN_STATUS_SUCCESS)
    call.weight_bytes = bytes;
  call.workspace_bytes = arguments.workspace_bytes;
  call.reserve_bytes = arguments.reserve_bytes;
  call.reserve_address = reinterpret_cast<std::uintptr_t>(
      arguments.pointers[static_cast<std::size_t>(spool::Pointer::reserve)]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(spool::Pointer::count); ++i)
    call.alignment[i] = alignment(arguments.pointers[i]);
  if (!is_packed(library, arguments.h)) call.flags |= spool::call_h_not_packed;
  if (!is_packed(library, arguments.c)) call.flags |= spool::call_c_not_packed;
  if (arguments.lengths != nullptr) call.flags |= spool::call_dev_lengths;
  if (arguments.wgrad_set) call.flags |= spool::call_wgrad_set;
  if (arguments.legacy) call.flags |= spool::call_legacy;
  if (arguments.search) call.flags |= spool::call_search;
  call.function = writer().intern(arguments.function);
  call.training = arguments.training ? 1 : 0;
  call.library = library.index;
}

}  // namespace rnnadvisor::plugin
