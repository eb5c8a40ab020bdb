// The hash of the spool's tables and of what is handed to the plugin.
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>

namespace rnnadvisor::spool {
namespace hash_detail {

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const auto product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace hash_detail

// 64 bits of a byte string, never 0.
// Multiply-and-fold over words of eight bytes: names of templates are long, and one is hashed for
// every kernel.
inline std::uint64_t hash_bytes(const void* data, std::size_t bytes) {
  constexpr std::uint64_t one = 0x9e3779b97f4a7c15, two = 0xd6e8feb86659fd93;
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t hash = hash_detail::mix(bytes ^ one, two);
  while (bytes >= 8) {
    std::uint64_t word;
    memcpy(&word, at, 8);
    hash = hash_detail::mix(hash ^ word, one) + two;
    at += 8;
    bytes -= 8;
  }
  std::uint64_t last = 0;
  memcpy(&last, at, bytes);
  hash = hash_detail::mix(hash ^ last, two);
  return hash == 0 ? 1 : hash;
}

}  // namespace rnnadvisor::spool
