// Device memory with an owner, and the ways in which the runner fills and reads it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/config/rnn_config.h"

namespace rnnadvisor {

// Owns one cudaMalloc, or is a view into another's. Move-only. Not thread-safe.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        owned_(std::exchange(other.owned_, false)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer();

  // Zero bytes allocate nothing and give a null pointer.
  static Result<DeviceBuffer> allocate(std::int64_t bytes);

  // Part of memory with another owner, which must live longer. Zero bytes are null.
  static DeviceBuffer view(void* data, std::int64_t bytes);

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool owned_ = false;
};

// Uniform random numbers in [-amplitude, amplitude], never zeros (zeros run faster than data and
// hide faults). The pattern repeats after about a million values.
Result<void> fill_random(DeviceBuffer& buffer, DataType type, double amplitude, std::uint64_t seed);

// Every byte 0xFF: a NaN in each of the four data types, so that an element that was not written is
// found.
Result<void> poison(DeviceBuffer& buffer);

// Whole tensor as doubles, for the comparison with the reference.
Result<std::vector<double>> read_as_double(const DeviceBuffer& buffer, DataType type,
                                           std::int64_t count);

// The other way: each value rounded to the nearest of the type (half and bfloat16 by way of float).
// `values` must fill the buffer exactly or be fewer; the rest is left as it is.
Result<void> write_from_double(DeviceBuffer& buffer, DataType type,
                               const std::vector<double>& values);

// Each value becomes the one that write_from_double() would store.
void round_to_type(std::vector<double>& values, DataType type);

// True when rows [i * stride, i * stride + width) are finite for every i in `rows`.
Result<bool> rows_finite(const DeviceBuffer& buffer, DataType type,
                         const std::vector<std::int64_t>& rows, std::int64_t width);
// True when all `count` elements are finite.
Result<bool> all_finite(const DeviceBuffer& buffer, DataType type, std::int64_t count);

}  // namespace rnnadvisor
