#include "core/cudnn/experiment_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "core/base/wide.h"
#include "core/cudnn/cuda_error.h"
#include "core/cudnn/io_layout.h"

namespace rnnadvisor::experiment {
namespace {

using Parts = Result<std::vector<Part>>;
using Lengths = std::vector<int>;

tl::unexpected<Error> differs(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

// Whether every bias of `before` has a place in `after`. Where both biases of a gate are added up,
// one is as good as the other; in the new gate of a GRU the reset gate stands between them.
bool biases_fit(const RnnConfig& before, const RnnConfig& after) {
  if (after.bias_mode == BiasMode::double_bias || after.bias_mode == before.bias_mode) return true;
  if (after.bias_mode == BiasMode::no_bias) return false;
  return before.bias_mode == BiasMode::no_bias || before.cell != Cell::gru;
}

// What must hold of every call, whatever part of the original it has.
Result<void> check_call(const RnnConfig& before, const RnnConfig& call, int first_layer) {
  if (call.cell != before.cell) return differs("another cell");
  if (call.hidden_size < before.hidden_size)
    return differs(
        fmt::format("hidden_size {} instead of {}", call.hidden_size, before.hidden_size));
  if (call.has_projection() != before.has_projection()) {
    return differs(before.has_projection() ? "no projection" : "a projection");
  }
  if (call.proj_size < before.proj_size)
    return differs(fmt::format("proj_size {} instead of {}", call.proj_size, before.proj_size));
  if (!biases_fit(before, call)) {
    return differs(fmt::format("the biases of {} have no place in {}", to_string(before.bias_mode),
                               to_string(call.bias_mode)));
  }
  if (call.clip_mode != before.clip_mode ||
      (call.clip_mode == ClipMode::minmax &&
       (call.clip_left != before.clip_left || call.clip_right != before.clip_right))) {
    return differs("another clip of the cell state");
  }
  if (first_layer == 0) {
    if (call.input_size < before.input_size) {
      return differs(
          fmt::format("input_size {} instead of {}", call.input_size, before.input_size));
    }
    if (call.input_mode == InputMode::skip_input && before.input_mode != InputMode::skip_input)
      return differs("skip_input has no place for the input matrix");
  } else if (call.input_mode == InputMode::skip_input) {
    return differs("skip_input in a layer that has an input matrix");
  }
  return {};
}

// Deals the sequences of the original out to those who want their lengths.
class Sequences {
 public:
  explicit Sequences(const Lengths& lengths) : lengths_(lengths), taken_(lengths.size(), false) {
    for (std::size_t i = 0; i < lengths.size(); ++i)
      free_[lengths[i]].push_back(static_cast<int>(i));
  }

  // One number for each wanted length, -1 for those beyond what there is.
  std::vector<int> take(const Lengths& wanted) {
    std::vector<int> rows;
    for (const int length : wanted) {
      auto& free = free_[length];
      rows.push_back(free.empty() ? -1 : free.front());
      if (free.empty()) continue;
      taken_[static_cast<std::size_t>(free.front())] = true;
      free.pop_front();
    }
    return rows;
  }

  // The same with the numbers given; what is missing at the end is padding.
  Result<std::vector<int>> take(const Lengths& wanted, std::vector<int> rows) {
    if (rows.size() > wanted.size()) return differs("more sequences named than a call has");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] < 0 || static_cast<std::size_t>(rows[i]) >= lengths_.size())
        return differs(fmt::format("there is no sequence {}", rows[i]));
      const auto row = static_cast<std::size_t>(rows[i]);
      if (taken_[row]) return differs(fmt::format("sequence {} is computed twice", row));
      if (lengths_[row] != wanted[i]) {
        return differs(
            fmt::format("sequence {} has {} steps and the call {}", row, lengths_[row], wanted[i]));
      }
      taken_[row] = true;
    }
    rows.resize(wanted.size(), -1);
    return rows;
  }

  Result<void> all_taken() const {
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      if (!taken_[i] && lengths_[i] > 0)
        return differs(fmt::format("sequence {} of {} steps is missing", i, lengths_[i]));
    }
    return {};
  }

 private:
  const Lengths& lengths_;
  std::vector<bool> taken_;
  std::map<int, std::deque<int>> free_;
};

Result<std::vector<int>> rows_of_call(Sequences& sequences, const ExperimentVariant& variant,
                                      std::size_t call, const Lengths& lengths) {
  if (variant.rows.empty()) return sequences.take(lengths);
  return sequences.take(lengths, variant.rows[call]);
}

Result<void> check_stack(const RnnConfig& before, const std::vector<Part>& parts) {
  int layer = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const RnnConfig& call = parts[i].config;
    if (parts[i].first_layer > 0) {
      const RnnConfig& below = parts[i - 1].config;
      const auto width = std::int64_t{below.proj_size} * before.directions();
      if (call.input_size != width) {
        return differs(fmt::format("call {} takes inputs of {} where the layer below gives {}", i,
                                   call.input_size, width));
      }
    }
    if (call.layout != parts[0].config.layout ||
        sequence_lengths(call) != sequence_lengths(parts[0].config) ||
        call.seq_length != parts[0].config.seq_length) {
      return differs(
          fmt::format("call {} has another layout or other sequences than the first", i));
    }
    layer = std::max(layer, parts[i].first_layer + call.num_layers);
  }
  if (layer != before.num_layers)
    return differs(fmt::format("{} layers instead of {}", layer, before.num_layers));
  return {};
}

// single, layers, directions: the calls differ in layers and directions.
Parts stack(const RnnConfig& before, const ExperimentVariant& variant) {
  const Lengths lengths = sequence_lengths(before);
  Sequences sequences(lengths);
  const auto rows = rows_of_call(sequences, variant, 0, sequence_lengths(variant.calls.front()));
  if (!rows) return fail(rows.error());
  RNNADVISOR_TRY(sequences.all_taken());
  const bool split = variant.composition == Composition::directions;
  if (split && before.direction != Direction::bidirectional)
    return differs("there is one direction only");
  std::vector<Part> parts;
  int layer = 0;
  for (const RnnConfig& call : variant.calls) {
    Part part{call, layer, -1, 0, *rows};
    if (split) {
      part.direction = static_cast<int>(parts.size() % 2);
      if (call.num_layers != 1) return differs("a direction of more than one layer");
      if (call.direction == Direction::bidirectional) return differs("both directions in a call");
      if (part.direction == 1) {
        const RnnConfig& twin = parts.back().config;
        if (call.input_size != twin.input_size || call.proj_size != twin.proj_size)
          return differs("the two directions of a layer have different sizes");
        part.first_layer = parts.back().first_layer;
      }
    } else if (call.direction != before.direction) {
      return differs("another direction");
    }
    RNNADVISOR_TRY(check_call(before, call, part.first_layer));
    if (!split || part.direction == 1) layer += call.num_layers;
    parts.push_back(std::move(part));
  }
  if (split && parts.size() % 2 == 1) return differs("the last layer lacks a direction");
  if (split) {  // check_stack() looks at the call before: the first direction of a layer
    std::vector<Part> forward;
    for (std::size_t i = 0; i < parts.size(); i += 2) forward.push_back(parts[i]);
    for (const auto& part : parts) {
      if (part.config.layout != parts[0].config.layout ||
          sequence_lengths(part.config) != sequence_lengths(parts[0].config) ||
          part.config.seq_length != parts[0].config.seq_length)
        return differs("the calls differ in layout or sequences");
    }
    RNNADVISOR_TRY(check_stack(before, forward));
  } else {
    RNNADVISOR_TRY(check_stack(before, parts));
  }
  return parts;
}

Result<void> check_whole(const RnnConfig& before, const RnnConfig& call, const RnnConfig& first) {
  RNNADVISOR_TRY(check_call(before, call, 0));
  if (call.num_layers != before.num_layers) return differs("another number of layers");
  if (call.direction != before.direction) return differs("another direction");
  if (!same_weights(call, first)) return differs("the calls do not share their weights");
  return {};
}

Parts batches(const RnnConfig& before, const ExperimentVariant& variant) {
  const Lengths lengths = sequence_lengths(before);
  Sequences sequences(lengths);
  std::vector<Part> parts;
  for (std::size_t i = 0; i < variant.calls.size(); ++i) {
    const RnnConfig& call = variant.calls[i];
    RNNADVISOR_TRY(check_whole(before, call, variant.calls.front()));
    auto rows = rows_of_call(sequences, variant, i, sequence_lengths(call));
    if (!rows) return fail(rows.error());
    parts.push_back({call, 0, -1, 0, std::move(*rows)});
  }
  RNNADVISOR_TRY(sequences.all_taken());
  return parts;
}

Parts chunks(const RnnConfig& before, const ExperimentVariant& variant) {
  if (before.direction == Direction::bidirectional)
    return differs("the backward direction begins at the end and cannot be cut into chunks");
  // A sequence is as long as its chunks together. Where those that have ended leave the batch, the
  // others keep their places.
  Lengths totals(static_cast<std::size_t>(variant.calls.front().batch_size), 0);
  std::size_t running = totals.size();
  int step = 0;
  std::vector<Part> parts;
  for (const RnnConfig& call : variant.calls) {
    RNNADVISOR_TRY(check_whole(before, call, variant.calls.front()));
    if (call.layout != variant.calls.front().layout) return differs("the chunks differ in layout");
    const Lengths lengths = sequence_lengths(call);
    if (lengths.size() > running) return differs("a chunk has more sequences than the one before");
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      if (lengths[b] == 0) continue;
      if (totals[b] != step) return differs("a sequence goes on after it has ended");
      totals[b] += lengths[b];
    }
    running = lengths.size();
    parts.push_back({call, 0, -1, step, {}});
    step += call.seq_length;
  }
  const Lengths lengths = sequence_lengths(before);
  Sequences sequences(lengths);
  const auto rows = rows_of_call(sequences, variant, 0, totals);
  if (!rows) return fail(rows.error());
  RNNADVISOR_TRY(sequences.all_taken());
  for (auto& part : parts) part.rows.assign(rows->begin(), rows->begin() + part.config.batch_size);
  return parts;
}

}  // namespace

Result<void> can_be_laid_out(const RnnConfig& config) {
  // Far beyond every GPU's memory, and far from where 64 bits end.
  constexpr Wide most_elements_of_a_tensor = Wide{1} << 45U;
  constexpr int most_sequences = 1 << 28;  // one int each
  constexpr int most_steps = 1 << 20;      // cuDNN takes 65535
  const auto too_large = [](std::string what) {
    return fail(ErrorCode::out_of_memory, std::move(what), "use smaller sizes");
  };
  if (config.batch_size > most_sequences) {
    return too_large(fmt::format("batch_size {} would need gigabytes for the length array alone",
                                 config.batch_size));
  }
  if (config.seq_length > most_steps || config.num_layers > most_steps) {
    return too_large(fmt::format("seq_length {} with num_layers {} is more than can be laid out",
                                 config.seq_length, config.num_layers));
  }
  const Wide width = std::max({Wide{config.input_size}, Wide{config.hidden_size} * config.gates(),
                               Wide{config.proj_size} * config.directions()});
  const Wide rows = Wide{config.batch_size} * std::max(config.seq_length, config.pseudo_layers());
  if (rows * width > most_elements_of_a_tensor)
    return too_large("the tensors would be larger than the memory of any GPU");
  if (config.seq_lengths.empty()) return {};
  if (config.seq_lengths.size() != static_cast<std::size_t>(config.batch_size)) {
    return differs(
        fmt::format("{} lengths for {} sequences", config.seq_lengths.size(), config.batch_size));
  }
  for (const int length : config.seq_lengths) {
    if (length < 0 || length > config.seq_length)
      return differs(fmt::format("a length of {} in {} steps", length, config.seq_length));
  }
  return {};
}

bool same_weights(const RnnConfig& a, const RnnConfig& b) {
  RnnConfig same = a;
  same.id = b.id;
  same.seq_length = b.seq_length;
  same.batch_size = b.batch_size;
  same.seq_lengths = b.seq_lengths;
  return same == b;
}

bool dropout_acts(const RnnConfig& config) {
  return config.dropout > 0 && config.num_layers > 1 && config.mode == Mode::training;
}

Result<std::vector<Part>> parts_of(const RnnConfig& before, const ExperimentVariant& variant) {
  if (variant.calls.empty()) return differs("there are no calls");
  RNNADVISOR_TRY(can_be_laid_out(before));
  for (const RnnConfig& call : variant.calls) {
    RNNADVISOR_TRY(can_be_laid_out(call));
    if (call.data_type != variant.calls.front().data_type)
      return differs("the calls differ in their data type");
    if (call.mode != variant.calls.front().mode) return differs("the calls differ in their mode");
    if (call.mode == Mode::training && before.mode == Mode::inference)
      return differs("training where the original only infers");
  }
  const std::size_t lists = variant.composition == Composition::rows ? variant.calls.size() : 1;
  if (!variant.rows.empty() && variant.rows.size() != lists)
    return differs(fmt::format("{} lists of sequences instead of {}", variant.rows.size(), lists));
  switch (variant.composition) {
    case Composition::single:
      if (variant.calls.size() != 1) return differs("one call made of several");
      [[fallthrough]];
    case Composition::layers:
    case Composition::directions:
      return stack(before, variant);
    case Composition::rows:
      return batches(before, variant);
    case Composition::steps:
      return chunks(before, variant);
  }
  return differs("an unknown composition");
}

}  // namespace rnnadvisor::experiment
