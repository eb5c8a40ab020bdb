// Tables that threads share without a lock: each place is taken once, by a key that is not 0.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiler/spool/hash.h"

namespace rnnadvisor::plugin {

// Null: the key has no place, and of `take` none is left for it within reach.
template <typename Place>
struct FoundPlace {
  Place* place;
  bool is_new;
};

// The place of a key in a table; `take`: the next free one becomes its own, where it has none.
// Place::key is atomic.
template <typename Place, std::size_t size>
FoundPlace<Place> find_place(Place (&table)[size], std::uint64_t key, bool take,
                             std::size_t most_probes = size) {
  // Keys may be addresses, whose low bits are alike.
  const std::uint64_t hash = spool::hash_bytes(&key, sizeof key);
  for (std::size_t probe = 0; probe < most_probes; ++probe) {
    Place& here = table[(hash + probe) % size];
    std::uint64_t there = here.key.load(std::memory_order_acquire);
    if (there == 0) {
      if (!take) break;
      if (here.key.compare_exchange_strong(there, key)) return {&here, true};
    }
    if (there == key) return {&here, false};
  }
  return {nullptr, false};
}

}  // namespace rnnadvisor::plugin
