#include "core/cudnn/io_layout.h"

namespace rnnadvisor {

std::vector<int> sequence_lengths(const RnnConfig& config) {
  if (!config.seq_lengths.empty()) return config.seq_lengths;
  return std::vector<int>(static_cast<std::size_t>(config.batch_size), config.seq_length);
}

IoLayout::IoLayout(const RnnConfig& config)
    : layout_(config.layout),
      seq_length_(config.seq_length),
      batch_size_(config.batch_size),
      lengths_(sequence_lengths(config)),
      rows_(config.packed() ? config.used_steps()
                            : std::int64_t{config.seq_length} * config.batch_size) {
  if (!config.packed()) return;
  // Sequences still running at step t, by counting down from the number that have any length.
  std::vector<std::int64_t> ending(static_cast<std::size_t>(config.seq_length) + 1, 0);
  for (const int length : lengths_) ++ending[static_cast<std::size_t>(length)];
  std::int64_t running = static_cast<std::int64_t>(lengths_.size()) - ending[0];
  std::int64_t offset = 0;
  for (int t = 0; t < config.seq_length; ++t) {
    packed_offset_.push_back(offset);
    offset += running;
    running -= ending[static_cast<std::size_t>(t) + 1];
  }
}

std::int64_t IoLayout::row(int t, int b) const {
  switch (layout_) {
    case Layout::seq_major_packed:
      return packed_offset_[static_cast<std::size_t>(t)] + b;
    case Layout::batch_major_unpacked:
      return std::int64_t{b} * seq_length_ + t;
    case Layout::seq_major_unpacked:
      break;
  }
  return std::int64_t{t} * batch_size_ + b;
}

}  // namespace rnnadvisor
