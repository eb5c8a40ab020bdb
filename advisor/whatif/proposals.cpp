// What the model proposes: every change that can matter on its own, the nearest configuration that
// satisfies all conditions of a persistent algorithm, and the way to a framework's fast path.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "advisor/facts/framework_model.h"
#include "advisor/whatif/candidates.h"
#include "advisor/whatif/size_choice.h"
#include "core/model/eligibility.h"
#include "core/model/memory.h"

namespace rnnadvisor::advisor {
namespace {

using Changes = std::vector<Transform>;

// More than a quarter of added work is seldom won back; NVIDIA's guide pads to multiples of at most
// 256, and hidden sizes worth padding are several of those.
constexpr double most_padding = 1.25;
// Rows cost less than units: a step that waits for launches takes more of them for nothing.
constexpr double most_rows = 1.5;

std::optional<Transform> make(std::string_view kind, std::span<const Parameter> parameters = {}) {
  auto transform = make_transform(kind, parameters);
  return transform ? std::optional(std::move(*transform)) : std::nullopt;
}

template <class Value>
std::optional<Transform> make(std::string_view kind, std::string_view name, Value value) {
  Parameter parameter{std::string(name), {}};
  if constexpr (std::is_same_v<Value, bool>) {
    parameter.value = value;
  } else if constexpr (std::is_integral_v<Value>) {
    parameter.value = std::int64_t{value};
  } else {
    parameter.value = std::string(value);
  }
  return make(kind, std::span(&parameter, 1));
}

std::int64_t rounded(int value, int multiple) {
  return (static_cast<std::int64_t>(value) + multiple - 1) / multiple * multiple;
}

// The multiple that brings `value` to `wanted`: of those that do, the smallest that is one of
// Tensor Cores' (8 and up), which is what people pad to.
std::optional<int> multiple_for(int value, int wanted) {
  for (int multiple = 8; multiple <= 65536; multiple *= 2)
    if (rounded(value, multiple) == wanted) return multiple;
  for (const int multiple : {2, 4})
    if (rounded(value, multiple) == wanted) return multiple;
  return std::nullopt;
}

class Proposer {
 public:
  Proposer(const RnnConfig& config, const ProgramContext& program, const DeviceSpec& device)
      : c_(config), program_(program), device_(device) {}

  std::vector<Changes> take(std::optional<Framework> framework) {
    algorithms();
    arithmetic();
    sizes();
    lengths();
    division();
    memory();
    if (framework == Framework::pytorch) pytorch_path();
    other_models();
    return std::move(all_);
  }

 private:
  void add(std::initializer_list<std::optional<Transform>> parts) {
    Changes changes;
    for (const auto& part : parts) {
      if (!part) return;
      changes.push_back(*part);
    }
    all_.push_back(std::move(changes));
  }
  static std::optional<Transform> algo(Algo value) {
    return make("algo", "value", to_string(value));
  }
  static std::optional<Transform> pad(std::string_view kind, int multiple) {
    return make(kind, "multiple", multiple);
  }

  void algorithms() {
    for (const Algo value : {Algo::standard, Algo::persist_static, Algo::persist_static_small_h,
                             Algo::persist_dynamic}) {
      if (value != c_.algo) add({algo(value)});
    }
    for (const Algo value : {Algo::persist_static, Algo::persist_static_small_h})
      nearest(c_, value, {});
    add({make("cuda_graph")});
  }

  // From the configuration to the nearest one that breaks no condition of the algorithm.
  void nearest(const RnnConfig& from, Algo value, const Changes& afterwards) {
    const auto table = model::why_not(from, device_, value);
    if (!table.has_nearest) return;
    auto changes = way(from, table.nearest);
    if (!changes) return;
    changes->insert(changes->end(), afterwards.begin(), afterwards.end());
    if (!changes->empty()) all_.push_back(std::move(*changes));
  }

  // Nothing where a difference has no transform.
  static std::optional<Changes> way(const RnnConfig& from, const RnnConfig& to) {
    Changes changes;
    bool known = true;
    const auto step = [&](std::optional<Transform> transform) {
      known = known && transform.has_value();
      if (transform) changes.push_back(std::move(*transform));
    };
    const auto size = [&](std::string_view kind, int a, int b) {
      if (a == b) return;
      const auto multiple = multiple_for(a, b);
      step(multiple ? pad(kind, *multiple) : std::nullopt);
    };
    if (from.data_type != to.data_type) step(make("data_type", "value", to_string(to.data_type)));
    if (from.math_type != to.math_type) step(make("math_type", "value", to_string(to.math_type)));
    if (from.bias_mode != to.bias_mode) step(make("bias_mode_double"));
    if (to.hidden_size < from.hidden_size) {
      step(make("set_hidden", "value", to.hidden_size));
    } else {
      if (from.has_projection() && !to.has_projection()) step(make("drop_projection"));
      size("pad_hidden", from.hidden_size, to.hidden_size);
    }
    if (from.input_mode != InputMode::skip_input) size("pad_input", from.input_size, to.input_size);
    if (to.batch_size < from.batch_size) {
      step(make("lower_batch", "value", to.batch_size));
    } else {
      size("pad_batch", from.batch_size, to.batch_size);
    }
    if (from.has_varying_lengths() && !to.has_varying_lengths()) known = false;
    if (from.algo != to.algo) step(algo(to.algo));
    return known ? std::optional(std::move(changes)) : std::nullopt;
  }

  void arithmetic() {
    const auto math = [](MathType value) { return make("math_type", "value", to_string(value)); };
    const auto type = [](DataType value) { return make("data_type", "value", to_string(value)); };
    const bool half_tensor = device_.has_tensor_cores();
    if (c_.data_type == DataType::half && half_tensor && c_.math_type != MathType::tensor_op)
      add({math(MathType::tensor_op)});
    if (c_.data_type == DataType::float32) {
      if (c_.math_type == MathType::fma && device_.has_tf32()) add({math(MathType::default_math)});
      if (half_tensor && c_.math_type != MathType::tensor_op_allow_conversion)
        add({math(MathType::tensor_op_allow_conversion)});
    }
    if (c_.data_type == DataType::float64) add({type(DataType::float32)});
    if (c_.data_type == DataType::float32 || c_.data_type == DataType::float64) {
      const bool set = c_.math_type == MathType::tensor_op;
      if (half_tensor && set) add({type(DataType::half)});
      if (half_tensor && !set) add({type(DataType::half), math(MathType::tensor_op)});
      if (half_tensor && !set)
        add({type(DataType::half), math(MathType::tensor_op), algo(Algo::persist_static)});
      if (device_.has_bf16()) add({type(DataType::bfloat16)});
    }
    if (c_.math_precision == DataType::half) add({make("math_precision", "value", "float")});
  }

  void sizes() {
    const auto worth = [](int value, int multiple, double most) {
      const auto up = rounded(value, multiple);
      return up != value && static_cast<double>(up) <= most * value;
    };
    for (const int multiple : {8, 16, 32, 64, 128}) {
      const bool hidden = worth(c_.hidden_size, multiple, most_padding);
      const bool input = worth(c_.input_size, multiple, most_padding);
      if (hidden) add({pad("pad_hidden", multiple)});
      if (input && c_.input_mode != InputMode::skip_input) add({pad("pad_input", multiple)});
      if (hidden && input && c_.input_mode != InputMode::skip_input)
        add({pad("pad_hidden", multiple), pad("pad_input", multiple)});
      if (multiple <= 64 && worth(c_.batch_size, multiple, most_rows))
        add({pad("pad_batch", multiple)});
    }
  }

  void lengths() {
    if (c_.packed() && !c_.has_varying_lengths()) {
      add({make("unpack_equal_lengths")});
      add({make("unpack_equal_lengths"), algo(Algo::persist_static)});
    }
    if (c_.layout == Layout::batch_major_unpacked)
      add({make("layout", "value", "seq_major_unpacked")});
    if (!c_.packed() && c_.padded_io && !c_.has_varying_lengths())
      add({make("padded_io", "value", false)});
    if (!c_.has_varying_lengths()) return;
    if (std::find(c_.seq_lengths.begin(), c_.seq_lengths.end(), 0) != c_.seq_lengths.end())
      add({make("drop_empty_rows")});
    for (const int buckets : {2, 4, 8}) {
      if (buckets < c_.batch_size) add({make("bucket_lengths", "buckets", buckets)});
    }
    // As many buckets as there are lengths: each is of one length then.
    auto lengths = c_.seq_lengths;
    std::sort(lengths.begin(), lengths.end());
    const auto different = std::unique(lengths.begin(), lengths.end()) - lengths.begin();
    if (different > 1 && different <= 16)
      add({make("bucket_lengths", "buckets", different), algo(Algo::persist_static)});
  }

  void division() {
    if (c_.num_layers > 1) {
      add({make("split_layers")});
      RnnConfig layer = c_;
      layer.num_layers = 1;
      layer.dropout = 0;
      for (const Algo value : {Algo::persist_static, Algo::persist_static_small_h}) {
        add({algo(value), make("split_layers")});
        nearest(layer, value, {*make("split_layers")});
      }
    }
    if (c_.direction == Direction::bidirectional) {
      add({make("split_directions")});
      add({algo(Algo::persist_static), make("split_directions")});
    }
    if (c_.num_layers == 1 && c_.dropout > 0) add({make("drop_dropout")});
  }

  // A configuration that does not fit gains its very existence.
  void memory() {
    if (c_.seq_length > 65535)
      add({make("chunk_sequence", "length", even_piece(c_.seq_length, 65535, 1))});
    if (device_.memory_bytes <= 0) return;
    if (model::memory_need(c_, c_.mode).total <= device_.memory_bytes) return;
    const int batch = model::largest_batch(c_, c_.mode, device_.memory_bytes);
    if (const int piece = even_piece(c_.batch_size, batch, 8); piece > 0)
      add({make("lower_batch", "value", piece)});
    const int most = model::largest_seq_length(c_, c_.mode, device_.memory_bytes);
    if (const int length = even_piece(c_.seq_length, most, 1); length > 0 && length < c_.seq_length)
      add({make("chunk_sequence", "length", length)});
  }

  // PyTorch's own conditions, one after the other, until it takes a persistent kernel.
  void pytorch_path() {
    const GpuShape gpu{device_.compute_major, device_.compute_minor, device_.sm_count};
    Changes changes;
    RnnConfig now = c_;
    for (int round = 0; round < 10; ++round) {
      const bool packed = now.packed() && program_.packed_sequence != false;
      const auto choice = pytorch_algo(now, gpu, packed, true);
      if (choice.failing_clause == "none") break;
      const auto step = pytorch_step(now, choice.failing_clause);
      if (!step) return;
      const auto calls = expand(*step, now);
      if (!calls) return;
      changes.push_back(*step);
      // Layers above the first are what decides; their input is the output of the one below.
      now = calls->front();
    }
    if (!changes.empty()) all_.push_back(std::move(changes));
  }

  std::optional<Transform> pytorch_step(const RnnConfig& now, std::string_view clause) const {
    if (clause == "packed_input") return make("unpack_equal_lengths");
    if (clause == "projection") return make("drop_projection");
    if (clause == "data_type_double" || clause == "data_type_not_half")
      return make("data_type", "value", "half");
    if (clause == "several_layers") {
      return now.direction == Direction::bidirectional ? make("split_directions")
                                                       : make("split_layers");
    }
    if (clause == "bidirectional") return make("split_directions");
    if (clause == "hidden_not_multiple_of_128") return pad("pad_hidden", 128);
    if (clause == "input_not_multiple_of_128") return pad("pad_input", 128);
    if (clause == "batch_not_multiple_of_8") return pad("pad_batch", 8);
    if (clause == "volta_batch") return pad("pad_batch", 16);
    if (clause == "batch_above_128") return make("lower_batch", "value", 128);
    return std::nullopt;  // not in the configuration's power
  }

  void other_models() {
    if (c_.batch_size <= 1 << 20 && !c_.has_varying_lengths())
      add({make("set_batch", "value", c_.batch_size * 2)});
    if (c_.has_projection()) add({make("drop_projection")});
  }

  const RnnConfig& c_;
  const ProgramContext& program_;
  const DeviceSpec& device_;
  std::vector<Changes> all_;
};

}  // namespace

std::vector<std::vector<Transform>> model_proposals(const RnnConfig& config,
                                                    const ProgramContext& program,
                                                    const DeviceSpec& device,
                                                    std::optional<Framework> framework) {
  return Proposer(config, program, device).take(framework);
}

}  // namespace rnnadvisor::advisor
