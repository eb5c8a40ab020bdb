#include <algorithm>
#include <limits>
#include <span>

#include "core/base/wide.h"
#include "core/model/largest.h"
#include "core/model/memory.h"

namespace rnnadvisor::model {
namespace {

Exactness worse(Exactness a, Exactness b) {
  return std::max(a, b);
}  // enumerators are in this order

int largest_value(const RnnConfig& config, int RnnConfig::* parameter, Mode mode,
                  std::int64_t bytes, std::span<const int> pieces, int most) {
  RnnConfig trial = config;
  trial.id.clear();
  trial.seq_lengths.clear();  // asked for a batch of full sequences
  const auto need = [&](int value) {
    trial.*parameter = value;
    return memory_need(trial, mode).total;
  };
  return largest_in_pieces(need, bytes, pieces, most);
}

}  // namespace

MemoryNeed memory_need(const RnnConfig& config, Mode mode) {
  const SpaceSizes sizes = space_sizes(config);
  const bool training = mode == Mode::training;
  const Wide es = element_size(config.data_type);
  const Wide batch = config.batch_size;
  // A packed tensor holds only the steps that exist; the other layouts hold the padding too.
  const Wide rows = config.packed() ? Wide{config.used_steps()} : Wide{config.seq_length} * batch;
  const Wide width = Wide{config.directions()} * config.proj_size;
  const Wide depth = Wide{config.num_layers} * config.directions();
  const Wide h_state = depth * batch * config.proj_size;
  const Wide c_state = config.cell == Cell::lstm ? depth * batch * config.hidden_size : Wide{0};
  const Wide copies = training ? 4 : 2;  // in and out; in training the gradients of both

  MemoryNeed need;
  need.weights = sizes.weights.value;
  need.x = saturate(rows * config.input_size * es);
  need.y = saturate(rows * width * es);
  need.states = saturate(copies * (h_state + c_state) * es);
  need.exactness = sizes.weights.exactness;
  if (training) {
    need.weight_gradients = need.weights;
    need.dx = need.x;
    need.dy = need.y;
    need.workspace = sizes.workspace_training.value;
    need.reserve = sizes.reserve_training.value;
    need.exactness = worse(need.exactness, worse(sizes.workspace_training.exactness,
                                                 sizes.reserve_training.exactness));
    if (config.dropout > 0) {
      need.dropout_states = dropout_states_estimate;
      need.exactness = worse(need.exactness, Exactness::estimate);
    }
  } else {
    need.workspace = sizes.workspace_inference.value;
    need.exactness = worse(need.exactness, sizes.workspace_inference.exactness);
  }
  Wide total = 0;
  for (const std::int64_t part :
       {need.weights, need.weight_gradients, need.x, need.y, need.dx, need.dy, need.states,
        need.workspace, need.reserve, need.dropout_states}) {
    total += part;
  }
  need.total = saturate(total);
  return need;
}

int largest_batch(const RnnConfig& config, Mode mode, std::int64_t bytes) {
  return largest_value(config, &RnnConfig::batch_size, mode, bytes, batch_pieces(),
                       std::numeric_limits<int>::max());
}

int largest_seq_length(const RnnConfig& config, Mode mode, std::int64_t bytes) {
  return largest_value(config, &RnnConfig::seq_length, mode, bytes, length_pieces(),
                       longest_sequence);
}

}  // namespace rnnadvisor::model
