// The note that cuDNN refused to describe a layer. A descriptor that was never filled is no
// configuration, but what was asked for is worth knowing: it may be why something else ran.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/config/rnn_config.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// What the refused call was given. Nothing in an enumeration: a value without a name.
struct AskedDescriptor {
  bool descriptor = false;  // the fields of an RNN descriptor are known
  std::optional<Cell> cell;
  std::optional<Algo> algo;
  int num_layers = 0, hidden_size = 0, input_size = 0, proj_size = 0;
  std::optional<DataType> data_type;
  std::optional<MathType> math_type;
  bool data = false;  // those of an RNN data descriptor are known
  std::optional<Layout> layout;
  int seq_length = 0, batch_size = 0, vector_size = 0;
};

// "lstm, standard, num_layers 2, hidden_size 2048, …"; empty when nothing is known.
std::string to_string(const AskedDescriptor& asked);

// The notes of one profile: each refusal in words, and after twenty kinds that there are others.
class DescriptorRefusals {
 public:
  Note note(std::string_view function, int status, std::string_view reason,
            const AskedDescriptor& asked);

 private:
  std::set<std::string> texts_;
};

}  // namespace rnnadvisor
