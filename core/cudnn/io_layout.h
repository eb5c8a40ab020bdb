// Where x and y keep the time steps of each sequence. Needs no CUDA.
#pragma once

#include <cstdint>
#include <vector>

#include "core/config/rnn_config.h"

namespace rnnadvisor {

// One length per sequence of the batch, also where the configuration has none written down.
std::vector<int> sequence_lengths(const RnnConfig& config);

// Rows of x and y: one for each time step of each sequence, padding included in the unpacked
// layouts. Takes memory in proportion to the batch, and to the time steps when packed.
class IoLayout {
 public:
  explicit IoLayout(const RnnConfig& config);

  // Row of (t, b). In the packed layout only for steps within the length of b.
  std::int64_t row(int t, int b) const;
  // Rows that the tensor has.
  std::int64_t rows() const { return rows_; }
  const std::vector<int>& lengths() const { return lengths_; }

 private:
  Layout layout_;
  int seq_length_, batch_size_;
  std::vector<int> lengths_;
  std::vector<std::int64_t> packed_offset_;  // first row of time step t
  std::int64_t rows_;
};

}  // namespace rnnadvisor
