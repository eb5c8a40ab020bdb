// A file's bytes at any place, without reading the file whole: models have gigabytes of weights.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rnnadvisor::advisor {

class FileBytes {
 public:
  static Result<FileBytes> open(const std::string& path);
  explicit FileBytes(std::string bytes) : window_(std::move(bytes)), size_(window_.size()) {}

  std::uint64_t size() const { return size_; }

  // Up to `count` bytes from `begin` on; fewer where the file ends. The view lives until the next
  // call. `count` is at most `largest_view`.
  std::string_view view(std::uint64_t begin, std::uint64_t count);
  static constexpr std::uint64_t largest_view = std::uint64_t{1} << 16U;

  // The bytes in [begin, end); fewer where the file ends. Callers bound the size.
  std::string read(std::uint64_t begin, std::uint64_t end);

  // Little-endian unsigned number of `bytes` bytes, at most 8; what lies behind the end is 0.
  std::uint64_t number(std::uint64_t begin, unsigned bytes);

 private:
  FileBytes() = default;

  std::ifstream file_;  // not open: window_ has everything
  std::string window_;
  std::uint64_t window_begin_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace rnnadvisor::advisor
