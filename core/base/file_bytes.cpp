#include "core/base/file_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

namespace rnnadvisor {

Result<FileBytes> FileBytes::open(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem))
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is a folder", path),
                "name a file in it");
  errno = 0;
  const auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  if (!*file) {
    const int reason = errno;
    return fail(reason == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                fmt::format("cannot open '{}': {}", path, std::strerror(reason)),
                "check the path and its permissions");
  }
  const auto size = std::filesystem::file_size(path, problem);
  if (problem)
    return fail(ErrorCode::io, fmt::format("'{}' has no size: {}", path, problem.message()),
                "give a regular file");
  return FileBytes(
      [file](std::uint64_t at, char* into, std::size_t bytes) {
        file->clear();
        file->seekg(static_cast<std::streamoff>(at));
        file->read(into, static_cast<std::streamsize>(bytes));
        return static_cast<std::size_t>(std::max<std::streamsize>(file->gcount(), 0));
      },
      size);
}

std::string_view FileBytes::view(std::uint64_t begin, std::uint64_t count) {
  if (begin >= size_) return {};
  count = std::min({count, size_ - begin, largest_view});
  const std::uint64_t window_end = window_begin_ + window_.size();
  const bool inside = begin >= window_begin_ && begin <= window_end;
  if (!inside || (window_end - begin < count && !ended_)) {
    if (!read_) return {};
    // What is held of it stays: a source that is compressed reads forwards only.
    window_.erase(0, inside ? static_cast<std::size_t>(begin - window_begin_) : window_.size());
    window_begin_ = begin;
    const std::size_t kept = window_.size();
    window_.resize(largest_view);
    const std::size_t wanted = window_.size() - kept;
    const std::size_t got = std::min(read_(begin + kept, window_.data() + kept, wanted), wanted);
    ended_ = got < wanted;
    window_.resize(kept + got);
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

}  // namespace rnnadvisor
