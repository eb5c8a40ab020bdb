// The bytes of a file, plain or compressed with gzip, one piece after the other.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.h"

namespace rnnadvisor::import_trace {

class ByteSource {
 public:
  // Errors: not_found, io (also for a folder).
  static Result<ByteSource> open(const std::string& path);

  // How many bytes came; 0 at the end, and where no more can be read: then problem() says why.
  std::size_t read(char* into, std::size_t bytes);
  const std::string& problem() const { return problem_; }
  // The same at a place of the unpacked bytes. Of a compressed file, going back begins at its
  // start again.
  std::size_t read_at(std::uint64_t at, char* into, std::size_t bytes);
  // Of the file as it is stored, what was read: 0 … 1.
  double share() const;

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose_r(file); }
  };
  using File = std::unique_ptr<gzFile_s, Close>;
  ByteSource(File file, double size) : file_(std::move(file)), size_(size) {}

  File file_;
  double size_ = 0;  // bytes
  std::string problem_;
};

// The first bytes of a file, unpacked; fewer where it has no more. Empty also where it cannot be
// read.
std::string first_bytes(const std::string& path, std::size_t bytes);

}  // namespace rnnadvisor::import_trace
