// Products of tensor sizes. Every factor is a validated 31-bit size, so a product of up to four of
// them and a few small constants fits 127 bits; results saturate at INT64_MAX instead of wrapping.
#pragma once

#include <cstdint>
#include <limits>

namespace rnnadvisor {

__extension__ using Wide = __int128;

constexpr std::int64_t saturate(Wide value) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  return value > most ? most : value < least ? least : static_cast<std::int64_t>(value);
}

}  // namespace rnnadvisor
