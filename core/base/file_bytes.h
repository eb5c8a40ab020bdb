// A file's bytes at any place, without reading the file whole: models have gigabytes of weights,
// and profiles of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rnnadvisor {

class FileBytes {
 public:
  // Reads up to so many bytes at a place; 0 at the end, and where no more can be read.
  using ReadAt = std::function<std::size_t(std::uint64_t at, char* into, std::size_t bytes)>;

  static Result<FileBytes> open(const std::string& path);
  // `size`: where the bytes end at the latest.
  FileBytes(ReadAt read, std::uint64_t size) : read_(std::move(read)), size_(size) {}
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
  ReadAt read_;  // none: window_ has everything
  std::string window_;
  std::uint64_t window_begin_ = 0;
  bool ended_ = false;  // nothing comes after window_
  std::uint64_t size_ = 0;
};

}  // namespace rnnadvisor
