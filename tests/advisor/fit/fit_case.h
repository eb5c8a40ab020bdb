// What the tests of `fit` ask about.
#pragma once
#include <cstdint>

#include "core/config/rnn_config.h"

namespace rnnadvisor::advisor {

inline constexpr std::int64_t gib = std::int64_t{1} << 30;

inline RnnConfig lstm_config() {
  RnnConfig c;
  c.hidden_size = c.input_size = c.proj_size = 64;
  c.num_layers = 3;
  c.seq_length = 20;
  c.data_type = DataType::half;
  return c;
}

}  // namespace rnnadvisor::advisor
