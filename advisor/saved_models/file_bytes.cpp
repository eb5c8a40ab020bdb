#include "advisor/saved_models/file_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace rnnadvisor::advisor {

Result<FileBytes> FileBytes::open(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem))
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is a folder", path),
                "name a file in it");
  FileBytes bytes;
  errno = 0;
  bytes.file_.open(path, std::ios::binary);
  if (!bytes.file_) {
    const int reason = errno;
    return fail(reason == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                fmt::format("cannot open '{}': {}", path, std::strerror(reason)),
                "check the path and its permissions");
  }
  bytes.size_ = std::filesystem::file_size(path, problem);
  if (problem)
    return fail(ErrorCode::io, fmt::format("'{}' has no size: {}", path, problem.message()),
                "give a regular file");
  return bytes;
}

std::string_view FileBytes::view(std::uint64_t begin, std::uint64_t count) {
  if (begin >= size_) return {};
  count = std::min({count, size_ - begin, largest_view});
  const bool held = begin >= window_begin_ && begin - window_begin_ <= window_.size() &&
                    window_.size() - (begin - window_begin_) >= count;
  if (!held) {
    if (!file_.is_open()) return {};
    window_.resize(largest_view);
    window_begin_ = begin;
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(begin));
    file_.read(window_.data(), static_cast<std::streamsize>(window_.size()));
    window_.resize(static_cast<std::size_t>(std::max<std::streamsize>(file_.gcount(), 0)));
  }
  return std::string_view(window_).substr(static_cast<std::size_t>(begin - window_begin_),
                                          static_cast<std::size_t>(count));
}

std::string FileBytes::read(std::uint64_t begin, std::uint64_t end) {
  std::string bytes;
  while (begin < end) {
    const auto part = view(begin, end - begin);
    if (part.empty()) break;
    bytes += part;
    begin += part.size();
  }
  return bytes;
}

std::uint64_t FileBytes::number(std::uint64_t begin, unsigned bytes) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const char each : view(begin, bytes)) {
    value |= std::uint64_t{static_cast<unsigned char>(each)} << shift;
    shift += 8;
  }
  return value;
}

}  // namespace rnnadvisor::advisor
