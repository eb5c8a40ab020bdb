// The question for the largest batch or length of a configuration that fits into memory, checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/config/read_config.h"
#include "core/device/device_spec.h"
#include "core/model/torch_memory.h"

namespace rnnadvisor::advisor {

enum class Largest { batch, length };

// The room there is, in bytes, for the tensors and buffers of the call alone.
struct FitRoom {
  std::int64_t bytes = 0;
  std::string origin;  // "--memory", "NVIDIA H200 with 141 GiB, without 512 MiB for …", for people
};

// Left free of a device's memory by every forecast, in bytes, as a run leaves it: the CUDA context,
// cuDNN and the modules that are loaded lazily.
inline constexpr std::int64_t fit_margin = std::int64_t{512} << 20;

// No GPU holds a larger one, and the lengths of such a batch fill the memory of the host.
inline constexpr int largest_tried_batch = 1 << 28;

struct FitQuestion {
  ConfigInput input;      // `program` decides whose tensors count: PyTorch's when that is its name
  bool recorded = false;  // `input` is a call that was recorded
  DeviceSpec device;      // decides acceptance, PyTorch's choice of algorithm and findings
  FitRoom room;
  Largest largest = Largest::batch;
  model::Optimizer optimizer = model::Optimizer::adam;  // PyTorch, training
  std::int64_t beside = 0;  // bytes that the rest of the program held at its peak, as recorded

  bool in_pytorch() const { return input.program.name == Framework::pytorch; }
  int given_size() const;  // of `input`
  int most() const;        // no larger size is possible, whatever the memory
};

// "40GiB", "80 GB", "1.5TiB", "1048576": bytes. Powers of two with an i, of ten without.
Result<std::int64_t> parse_bytes(std::string_view text);

}  // namespace rnnadvisor::advisor
