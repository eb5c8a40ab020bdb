#include "core/model/caching_allocator.h"

#include <algorithm>
#include <iterator>

namespace rnnadvisor::model {
namespace {

constexpr Wide min_block = 512;  // kMinBlockSize
constexpr Wide small_size = Wide{1}
                            << 20;  // kSmallSize: the largest that is packed in small segments
constexpr Wide small_buffer = Wide{2} << 20;      // kSmallBuffer
constexpr Wide large_buffer = Wide{20} << 20;     // kLargeBuffer
constexpr Wide min_large_alloc = Wide{10} << 20;  // kMinLargeAlloc
constexpr Wide round_large = Wide{2} << 20;       // kRoundLarge

constexpr Wide up(Wide bytes, Wide multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace

Wide CachingAllocator::round_size(Wide bytes) { return up(std::max(bytes, Wide{1}), min_block); }

Wide CachingAllocator::segment_size(Wide rounded) {
  if (rounded <= small_size) return small_buffer;
  return rounded < min_large_alloc ? large_buffer : up(rounded, round_large);
}

CachingAllocator::Handle CachingAllocator::allocate(std::int64_t bytes) {
  if (bytes == 0) return 0;
  const Wide size = round_size(bytes);
  const bool small = size <= small_size;
  FreeList& free = free_list(small);
  Wide address = 0;
  if (const auto found = free.lower_bound({size, 0}); found != free.end()) {
    address = found->second;
    free.erase(found);
  } else {
    const Wide segment = segment_size(size);
    if (reserved_ + segment > capacity_) release_cached();
    if (reserved_ + segment > capacity_) {
      out_of_memory_ = true;
      return 0;
    }
    address = next_segment_;
    blocks_[address] = {segment, address, small, false};
    next_segment_ += segment + 1;  // never adjacent to the next one
    reserved_ += segment;
    peak_reserved_ = std::max(peak_reserved_, reserved_);
  }
  Block& block = blocks_[address];
  const Wide rest = block.size - size;
  if (small ? rest >= min_block : rest > small_size) {
    block.size = size;
    blocks_[address + size] = {rest, block.segment, small, false};
    free.insert({rest, address + size});
  }
  block.used = true;
  allocated_ += block.size;
  peak_allocated_ = std::max(peak_allocated_, allocated_);
  handles_[++last_handle_] = address;
  return last_handle_;
}

void CachingAllocator::release_cached() {
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    const auto next = std::next(block);
    const bool first = block->first == block->second.segment;
    const bool alone = next == blocks_.end() || next->second.segment != block->second.segment;
    if (!block->second.used && first && alone) {
      free_list(block->second.small).erase({block->second.size, block->first});
      reserved_ -= block->second.size;
      blocks_.erase(block);
    }
    block = next;
  }
}

void CachingAllocator::release(Handle handle) {
  const auto entry = handles_.find(handle);
  if (entry == handles_.end()) return;
  auto here = blocks_.find(entry->second);
  handles_.erase(entry);
  here->second.used = false;
  allocated_ -= here->second.size;
  FreeList& free = free_list(here->second.small);
  const auto joins = [&](auto other) {
    return !other->second.used && other->second.segment == here->second.segment;
  };
  if (const auto next = std::next(here); next != blocks_.end() && joins(next)) {
    free.erase({next->second.size, next->first});
    here->second.size += next->second.size;
    blocks_.erase(next);
  }
  if (here != blocks_.begin()) {
    if (const auto previous = std::prev(here); joins(previous)) {
      free.erase({previous->second.size, previous->first});
      previous->second.size += here->second.size;
      blocks_.erase(here);
      here = previous;
    }
  }
  free.insert({here->second.size, here->first});
}

}  // namespace rnnadvisor::model
