#include "core/cudnn/device_tensors.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/base/parallel.h"
#include "core/base/uniform.h"
#include "core/cudnn/cuda_error.h"

namespace rnnadvisor {
namespace {

// A prime count, so that the repeated pattern does not line up with rows of a power of two.
constexpr std::size_t pattern_elements = 1048573;
// Elements that one thread converts at a time: a thread costs as much as some thousand of them.
constexpr std::size_t piece_elements = std::size_t{1} << 17U;
// Stays in a core's cache.
constexpr std::size_t read_chunk_bytes = std::size_t{1} << 20U;

template <class T>
void append_bits(std::span<unsigned char> bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

void append_as(std::span<unsigned char> bytes, std::size_t i, double value, DataType type) {
  switch (type) {
    case DataType::half:
      append_bits(bytes, i, __half_raw(__float2half(static_cast<float>(value))).x);
      break;
    case DataType::bfloat16:
      append_bits(bytes, i, __nv_bfloat16_raw(__float2bfloat16(static_cast<float>(value))).x);
      break;
    case DataType::float32:
      append_bits(bytes, i, static_cast<float>(value));
      break;
    case DataType::float64:
      append_bits(bytes, i, value);
      break;
  }
}

double value_at(const unsigned char* at, DataType type) {
  switch (type) {
    case DataType::half: {
      __half_raw raw{};
      std::memcpy(&raw.x, at, sizeof(raw.x));
      return __half2float(__half(raw));
    }
    case DataType::bfloat16: {
      __nv_bfloat16_raw raw{};
      std::memcpy(&raw.x, at, sizeof(raw.x));
      return __bfloat162float(__nv_bfloat16(raw));
    }
    case DataType::float32: {
      float value = 0;
      std::memcpy(&value, at, sizeof(value));
      return value;
    }
    case DataType::float64:
      break;
  }
  double value = 0;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// All exponent bits set: infinity or NaN. `data` holds `count` elements.
bool chunk_finite(const unsigned char* data, std::size_t count, DataType type) {
  const auto scan = [&]<class Bits>(Bits mask) {
    Bits bad = 0;  // without a branch it is vectorised
    for (std::size_t i = 0; i < count; ++i) {
      Bits bits;
      std::memcpy(&bits, data + i * sizeof(Bits), sizeof(Bits));
      bad = static_cast<Bits>(bad | static_cast<Bits>((bits & mask) == mask));
    }
    return bad == 0;
  };
  switch (type) {
    case DataType::half:
      return scan(std::uint16_t{0x7C00});
    case DataType::bfloat16:
      return scan(std::uint16_t{0x7F80});
    case DataType::float32:
      return scan(std::uint32_t{0x7F800000});
    case DataType::float64:
      return scan(std::uint64_t{0x7FF0000000000000});
  }
  return false;
}

}  // namespace

DeviceBuffer::~DeviceBuffer() {
  if (owned_) cudaFree(data_);
}

DeviceBuffer DeviceBuffer::view(void* data, std::int64_t bytes) {
  DeviceBuffer buffer;
  if (bytes <= 0) return buffer;
  buffer.data_ = data;
  buffer.bytes_ = static_cast<std::size_t>(bytes);
  return buffer;
}

Result<DeviceBuffer> DeviceBuffer::allocate(std::int64_t bytes) {
  DeviceBuffer buffer;
  if (bytes <= 0) return buffer;
  RNNADVISOR_TRY(RNNADVISOR_CUDA(cudaMalloc(&buffer.data_, static_cast<std::size_t>(bytes))));
  buffer.bytes_ = static_cast<std::size_t>(bytes);
  buffer.owned_ = true;
  return buffer;
}

Result<void> fill_random(DeviceBuffer& buffer, DataType type, double amplitude,
                         std::uint64_t seed) {
  if (buffer.bytes() == 0) return {};
  const auto size = static_cast<std::size_t>(element_size(type));
  const std::size_t elements = std::min(pattern_elements, buffer.bytes() / size);
  std::vector<unsigned char> bytes(elements * size);
  for_pieces(elements, piece_elements, [&](std::size_t begin, std::size_t end) {
    Uniform uniform(seed, begin);
    for (std::size_t i = begin; i < end; ++i) append_as(bytes, i, uniform(amplitude), type);
  });
  auto* target = static_cast<unsigned char*>(buffer.data());
  RNNADVISOR_TRY(
      RNNADVISOR_CUDA(cudaMemcpy(target, bytes.data(), bytes.size(), cudaMemcpyHostToDevice)));
  // The rest is copied on the device, doubling what is there.
  std::size_t filled = bytes.size();
  while (filled < buffer.bytes()) {
    const std::size_t next = std::min(filled, buffer.bytes() - filled);
    RNNADVISOR_TRY(
        RNNADVISOR_CUDA(cudaMemcpy(target + filled, target, next, cudaMemcpyDeviceToDevice)));
    filled += next;
  }
  return {};
}

Result<void> poison(DeviceBuffer& buffer) {
  if (buffer.bytes() == 0) return {};
  return RNNADVISOR_CUDA(cudaMemset(buffer.data(), 0xFF, buffer.bytes()));
}

Result<std::vector<double>> read_as_double(const DeviceBuffer& buffer, DataType type,
                                           std::int64_t count) {
  const auto elements = static_cast<std::size_t>(count);
  const auto size = static_cast<std::size_t>(element_size(type));
  std::vector<unsigned char> bytes(elements * size);
  if (!bytes.empty()) {
    RNNADVISOR_TRY(RNNADVISOR_CUDA(
        cudaMemcpy(bytes.data(), buffer.data(), bytes.size(), cudaMemcpyDeviceToHost)));
  }
  std::vector<double> values(elements);
  for_pieces(elements, piece_elements, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = value_at(bytes.data() + i * size, type);
  });
  return values;
}

Result<void> write_from_double(DeviceBuffer& buffer, DataType type,
                               const std::vector<double>& values) {
  if (values.empty()) return {};
  std::vector<unsigned char> bytes(values.size() * static_cast<std::size_t>(element_size(type)));
  if (bytes.size() > buffer.bytes()) {
    return fail(ErrorCode::internal, "more values than the device buffer holds");
  }
  for_pieces(values.size(), piece_elements, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) append_as(bytes, i, values[i], type);
  });
  return RNNADVISOR_CUDA(
      cudaMemcpy(buffer.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
}

void round_to_type(std::vector<double>& values, DataType type) {
  if (type == DataType::float64) return;
  for_pieces(values.size(), piece_elements, [&](std::size_t begin, std::size_t end) {
    std::array<unsigned char, sizeof(double)> bytes{};
    for (std::size_t i = begin; i < end; ++i) {
      append_as(bytes, 0, values[i], type);
      values[i] = value_at(bytes.data(), type);
    }
  });
}

Result<bool> all_finite(const DeviceBuffer& buffer, DataType type, std::int64_t count) {
  const auto size = static_cast<std::size_t>(element_size(type));
  const std::size_t total = static_cast<std::size_t>(count) * size;
  std::vector<unsigned char> chunk(std::min(total, read_chunk_bytes));
  for (std::size_t done = 0; done < total; done += chunk.size()) {
    const std::size_t next = std::min(chunk.size(), total - done);
    RNNADVISOR_TRY(RNNADVISOR_CUDA(
        cudaMemcpy(chunk.data(), static_cast<const unsigned char*>(buffer.data()) + done, next,
                   cudaMemcpyDeviceToHost)));
    if (!chunk_finite(chunk.data(), next / size, type)) return false;
  }
  return true;
}

Result<bool> rows_finite(const DeviceBuffer& buffer, DataType type,
                         const std::vector<std::int64_t>& rows, std::int64_t width) {
  const auto row_bytes =
      static_cast<std::size_t>(width) * static_cast<std::size_t>(element_size(type));
  std::vector<unsigned char> row(row_bytes);
  for (const std::int64_t index : rows) {
    RNNADVISOR_TRY(RNNADVISOR_CUDA(cudaMemcpy(row.data(),
                                              static_cast<const unsigned char*>(buffer.data()) +
                                                  static_cast<std::size_t>(index) * row_bytes,
                                              row_bytes, cudaMemcpyDeviceToHost)));
    if (!chunk_finite(row.data(), static_cast<std::size_t>(width), type)) return false;
  }
  return true;
}

}  // namespace rnnadvisor
