// PyTorch's caching allocator on one stream, with its default settings, as arithmetic: which
// segments it takes from CUDA and how it cuts them. Nothing is allocated. Read from
// pytorch/pytorch: c10/core/CachingDeviceAllocator.h (get_round_size, get_allocation_size),
// c10/core/AllocatorConfig.h (the constants), c10/cuda/CUDACachingAllocator.cpp (get_free_block,
// should_split, free_block, try_merge_blocks, release_cached_blocks). Not modelled:
// PYTORCH_CUDA_ALLOC_CONF, several streams, private pools of CUDA graphs.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/base/wide.h"

namespace rnnadvisor::model {

// Sizes are in 128 bits, so that no sum of saturated sizes wraps.
class CachingAllocator {
 public:
  using Handle = int;  // 0: an empty tensor, which holds nothing

  // `capacity`: what CUDA can give. Beyond it the allocator gives back its segments that are wholly
  // free and tries again. The largest number is no limit.
  explicit CachingAllocator(std::int64_t capacity = std::numeric_limits<std::int64_t>::max())
      : capacity_(capacity == std::numeric_limits<std::int64_t>::max() ? Wide{1} << 120
                                                                       : Wide{capacity}) {}

  // A tensor of `bytes`; 0 bytes take nothing, nor does one that does not fit, which
  // out_of_memory() remembers. `bytes` must not be negative.
  Handle allocate(std::int64_t bytes);
  // Gives a live handle back; 0 is ignored.
  void release(Handle handle);

  // Gives back the segments without a block in use: torch.cuda.empty_cache().
  void release_cached();

  // What torch.cuda.memory_allocated(), max_memory_allocated(), memory_reserved() and
  // max_memory_reserved() would answer: bytes of the blocks in use, and of the segments.
  std::int64_t allocated() const { return saturate(allocated_); }
  std::int64_t peak_allocated() const { return saturate(peak_allocated_); }
  std::int64_t reserved() const { return saturate(reserved_); }
  std::int64_t peak_reserved() const { return saturate(peak_reserved_); }
  // The peaks are what is held now: torch.cuda.reset_peak_memory_stats().
  void reset_peaks() {
    peak_allocated_ = allocated_;
    peak_reserved_ = reserved_;
  }
  bool out_of_memory() const { return out_of_memory_; }

  // The bytes of one block, and of the segment that is taken for it when no free block is there.
  static Wide round_size(Wide bytes);
  static Wide segment_size(Wide rounded);

 private:
  // Addresses are those of a made-up device on which segments never touch.
  struct Block {
    Wide size = 0;
    Wide segment = 0;  // address of the first block of its segment
    bool small = false;
    bool used = false;
  };
  using FreeList = std::set<std::pair<Wide, Wide>>;  // size and address: best fit, lowest first

  FreeList& free_list(bool small) { return small ? free_small_ : free_large_; }

  std::map<Wide, Block> blocks_;  // by address
  FreeList free_small_, free_large_;
  std::map<Handle, Wide> handles_;
  Handle last_handle_ = 0;
  Wide next_segment_ = 0;
  Wide allocated_ = 0, peak_allocated_ = 0, reserved_ = 0, peak_reserved_ = 0;
  Wide capacity_;
  bool out_of_memory_ = false;
};

}  // namespace rnnadvisor::model
