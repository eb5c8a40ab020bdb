// DeviceSpec: what a decision needs to know of a GPU. Datasheet values carry their source; measured
// ceilings are set only where they were measured. Shipped descriptions are TOML files in
// core/device/devices/, embedded in the program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/rnn_config.h"

namespace rnnadvisor {

// A measured ceiling and where the measurement is.
struct MeasuredValue {
  double value = 0;
  std::string source;  // file or command, date, versions

  bool operator==(const MeasuredValue&) const = default;
};

// Hidden-size limits of the persistent algorithms as met on this device, per cell. Absent: not
// measured. `accepted` is the largest size cuDNN was seen to accept, `rejected` the smallest it was
// seen to reject.
struct HiddenLimit {
  Algo algo = Algo::persist_static;
  Cell cell = Cell::lstm;
  bool backward =
      false;  // limit of backward data where it is smaller than that of cudnnGetRNNTempSpaceSizes
  int accepted = 0;
  int rejected = 0;
  std::string source;

  bool operator==(const HiddenLimit&) const = default;
};

// Where PERSIST_STATIC stops being faster than STANDARD, as measured (facts 8.4) or documented
// (guide, Figure 10).
struct PersistCrossover {
  Cell cell = Cell::lstm;
  DataType data_type = DataType::half;
  int hidden_size = 1024;
  double batch_forward = 0;   // 0: not known
  double batch_training = 0;  // whole training step
  std::string source;

  bool operator==(const PersistCrossover&) const = default;
};

struct DeviceSpec {
  std::string id;                    // "nvidia-h200": the word for --device
  std::vector<std::string> aliases;  // other words for it: "h200"
  std::string name;                  // "NVIDIA H200", as the driver says it
  std::string architecture;          // "Hopper"
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;                 // 0: not known
  std::int64_t shared_memory_per_sm = 0;     // bytes
  std::int64_t shared_memory_per_block = 0;  // bytes, opt-in maximum
  std::int64_t registers_per_sm = 0;         // 32-bit registers
  double memory_bandwidth = 0;               // bytes per second, datasheet
  // Peak rates in FLOP per second, dense (no sparsity), datasheet; 0: the unit does not exist.
  double fp64_flops = 0;  // best of vector and Tensor Core
  double fp32_flops = 0;
  double tf32_tensor_flops = 0;
  double fp16_flops = 0;         // without Tensor Cores
  double fp16_tensor_flops = 0;  // fp32 accumulation
  double bf16_tensor_flops = 0;
  double boost_clock_hz = 0;
  std::string source;  // document of the datasheet values

  // Measured; nothing is assumed where they are absent.
  std::optional<MeasuredValue> measured_bandwidth;  // bytes per second, read plus write
  std::optional<MeasuredValue> measured_fp16_tensor_flops;
  std::optional<MeasuredValue>
      kernel_launch_seconds;  // host time per dependent launch of a standard time step
  std::optional<MeasuredValue>
      grid_sync_seconds;  // one time step of a persistent kernel at its smallest
  std::vector<HiddenLimit> hidden_limits;
  std::vector<PersistCrossover> crossovers;
  // Largest hidden size with which the persistent backward pass of a half LSTM was seen to keep its
  // speed.
  std::optional<MeasuredValue> persist_backward_hidden;
  std::string cudnn_version;  // the version with which limits and crossovers were measured

  bool live = false;  // read from a GPU of this machine rather than shipped
  // Of one GPU rather than of its kind: "GPU-1a2b…" as NVIDIA's tools write it; empty: not known.
  std::string uuid;

  bool operator==(const DeviceSpec&) const = default;
  // Whether the two are equal but for which GPU they are: what is true of one is true of the other.
  bool same_kind(const DeviceSpec& other) const;

  bool compute_at_least(int major, int minor = 0) const {
    return compute_major > major || (compute_major == major && compute_minor >= minor);
  }
  bool has_tensor_cores() const { return fp16_tensor_flops > 0; }
  bool has_tf32() const { return tf32_tensor_flops > 0; }
  bool has_bf16() const { return bf16_tensor_flops > 0; }
};

// The descriptions that travel in the program, in the order of their ids. Parsed once; thread-safe.
std::span<const DeviceSpec> shipped_devices();

// "nvidia-h200", "h200", "NVIDIA H200", "H200 SXM": case and separators do not matter. An unknown
// name is an error that lists the known ones and the nearest. A path that ends in .toml is read as
// a description.
Result<DeviceSpec> find_device(std::string_view name);

// One description from TOML text; errors carry file, line and column. Datasheet rates may be left
// out where they are not known.
Result<DeviceSpec> read_device_toml(std::string_view text, std::string_view file);

// The text of such a description; read_device_toml() of it gives an equal value, but for `live` and
// `uuid`, which no description has. `comment` stands above it, lines without #.
std::string write_device_toml(const DeviceSpec& device, std::string_view comment);

}  // namespace rnnadvisor
