// The checksum of a .rnnprof file (docs/file-format.md). Private to this directory.
//
// It covers every byte of the file but itself and lies at a fixed place, the end of page 2: the one
// row of the table `checksum`, which is the first of the schema. Beside it stands SQLite's count of
// changes when it was computed. Who changes the file with another program raises that count, and
// the checksum speaks no more; damage does not.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rnnadvisor {

// XXH64 with seed 0, after its specification (github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
class Xxh64 {
 public:
  // In pieces whose sizes are multiples of 32, but for the last.
  void update(std::string_view bytes);
  std::uint64_t digest() const;

 private:
  std::array<std::uint64_t, 4> lanes_ = {0x60EA27EEADC0B5D6U, 0xC2B2AE3D27D4EB4FU, 0,
                                         0x61C8864E7A143579U};
  std::uint64_t length_ = 0;
  std::string_view rest_;  // of the last piece
};

// What stands in the table until the file is sealed.
inline constexpr std::string_view unsealed_checksum("\0\0\0\0\0\0\0\0\0\0\0\0", 12);

// Computes and stores the checksum of a file that is closed. One of a version before 6 has none.
Result<void> seal(const std::string& path);

// ErrorCode::damaged where the bytes are not those that were sealed.
Result<void> check_seal(const std::string& path);
Result<void> check_seal_bytes(std::string_view bytes);

}  // namespace rnnadvisor
