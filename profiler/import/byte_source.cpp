#include "profiler/import/byte_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

namespace rnnadvisor::import_trace {

Result<ByteSource> ByteSource::open(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error))
    return fail(ErrorCode::io, fmt::format("cannot read '{}': it is a folder", path));
  errno = 0;
  File file(gzopen(path.c_str(), "rb"));
  if (file == nullptr) {
    const int number = errno;
    return fail(number == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                fmt::format("cannot open '{}': {}", path,
                            number == 0 ? "out of memory" : std::strerror(number)));
  }
  gzbuffer(file.get(), 1U << 17U);
  const auto size = fs::file_size(path, error);
  return ByteSource(std::move(file), error ? 0 : static_cast<double>(size));
}

std::size_t ByteSource::read(char* into, std::size_t bytes) {
  if (!problem_.empty()) return 0;
  const auto most = static_cast<unsigned>(std::min<std::size_t>(bytes, 1U << 30U));
  const int got = gzread(file_.get(), into, most);
  if (got > 0 && static_cast<unsigned>(got) == most) return static_cast<std::size_t>(got);
  // Less than was asked for: the end, or what stands in the way of more.
  int status = Z_OK;
  const char* words = gzerror(file_.get(), &status);
  if (status == Z_ERRNO) {
    problem_ = std::strerror(errno);
  } else if (status == Z_BUF_ERROR) {
    problem_ = "the gzip archive is cut off";
  } else if (status != Z_OK && status != Z_STREAM_END) {
    problem_ = fmt::format("the gzip archive is damaged: {}", words);
  }
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

std::size_t ByteSource::read_at(std::uint64_t at, char* into, std::size_t bytes) {
  if (at > static_cast<std::uint64_t>(std::numeric_limits<z_off_t>::max())) return 0;
  const auto place = static_cast<z_off_t>(at);
  if (place != gztell(file_.get())) {
    gzclearerr(file_.get());
    problem_.clear();
    if (gzseek(file_.get(), place, SEEK_SET) != place) return 0;
  }
  return read(into, bytes);
}

double ByteSource::share() const {
  if (size_ <= 0) return 0;
  return std::clamp(static_cast<double>(gzoffset(file_.get())) / size_, 0.0, 1.0);
}

std::string first_bytes(const std::string& path, std::size_t bytes) {
  auto source = ByteSource::open(path);
  if (!source) return {};
  std::string head(bytes, '\0');
  std::size_t filled = 0;
  while (filled < bytes) {
    const auto got = source->read(head.data() + filled, bytes - filled);
    if (got == 0) break;
    filled += got;
  }
  head.resize(filled);
  return head;
}

}  // namespace rnnadvisor::import_trace
