// call.*: the configuration itself, every field of it and what follows from the fields alone.
#include <algorithm>
#include <bit>
#include <numeric>

#include "advisor/facts/providers.h"
#include "core/base/wide.h"
#include "core/config/fields.h"
#include "core/model/eligibility.h"

namespace rnnadvisor::advisor {
namespace {

template <class F>
auto of_config(F f) {
  return [f](const Subject& subject) { return f(subject.get().config); };
}

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The largest power of two that divides a positive size.
std::int64_t power_of_two_in(int size) {
  return size <= 0 ? 0 : std::int64_t{1} << std::countr_zero(static_cast<unsigned>(size));
}

int shortest(const RnnConfig& c) {
  return c.seq_lengths.empty() ? c.seq_length
                               : *std::min_element(c.seq_lengths.begin(), c.seq_lengths.end());
}
int longest(const RnnConfig& c) {
  return c.seq_lengths.empty() ? c.seq_length
                               : *std::max_element(c.seq_lengths.begin(), c.seq_lengths.end());
}

std::int64_t padded_steps(const RnnConfig& c) {
  const auto sequences = c.seq_lengths.empty() ? static_cast<std::int64_t>(c.batch_size)
                                               : static_cast<std::int64_t>(c.seq_lengths.size());
  return saturate(Wide{c.seq_length} * sequences);
}

// Math types that cuDNN's v8 API reference allows for a data type (facts: V8d).
bool math_type_documented(const RnnConfig& c) {
  switch (c.data_type) {
    case DataType::half:
      return c.math_type != MathType::fma;
    case DataType::float32:
      return c.math_type != MathType::tensor_op;
    case DataType::float64:
      return c.math_type == MathType::default_math;
    case DataType::bfloat16:
      return true;  // the reference predates bfloat16 and does not restrict it
  }
  return true;
}

bool pair_legal(const RnnConfig& c) {
  if (c.data_type == DataType::half) {
    return c.math_precision == DataType::float32 || c.math_precision == DataType::half;
  }
  return c.math_precision == natural_math_precision(c.data_type);
}

// Hidden sizes up to which SMALL_H is used: PyTorch's limits, which agree with every size measured
// on an H200 (aten/src/ATen/native/cudnn/RNN.cpp, use_rnn_persist_small_h).
int small_h_limit(const RnnConfig& c, bool backward) {
  const bool plain = c.cell == Cell::rnn_relu || c.cell == Cell::rnn_tanh;
  return plain ? (backward ? 256 : 384) : (backward ? 128 : 192);
}

// Where SMALL_H ran in every phase of the mode, with right gradients. Between the backward and the
// forward limit it is left out for two directions and for conversion to half, with which sizes of
// 192 failed.
bool small_h_fits(const RnnConfig& c) {
  const bool type = (c.data_type == DataType::half || c.data_type == DataType::float32) &&
                    c.math_precision == DataType::float32;
  if (!type || c.has_projection() || c.bias_mode != BiasMode::double_bias ||
      c.has_varying_lengths() || model::small_h_wrong_results(c) != model::WrongResults::none)
    return false;
  if (c.hidden_size <= small_h_limit(c, true)) return true;
  return c.mode == Mode::inference && c.direction == Direction::unidirectional &&
         c.math_type != MathType::tensor_op_allow_conversion &&
         c.hidden_size <= small_h_limit(c, false);
}

// What PERSIST_STATIC accepts and runs on Tensor Cores, hidden size limits aside
// (facts 8.1, 8.3, 8.5): half data with tensor_op.
bool persist_static_suits(const RnnConfig& c) {
  const bool lstm = c.cell == Cell::lstm;
  return c.data_type == DataType::half && c.math_precision == DataType::float32 &&
         !c.has_projection() && c.bias_mode == BiasMode::double_bias && !c.has_varying_lengths() &&
         c.hidden_size % (lstm && c.direction == Direction::unidirectional ? 8 : 32) == 0;
}

void add_fields(Catalogue& catalogue) {
  visit_config_fields([&catalogue](std::string_view key, auto member, std::string_view meaning) {
    using Field = std::remove_cvref_t<decltype(std::declval<RnnConfig>().*member)>;
    const auto name = "call." + std::string(key);
    const auto description = std::string(meaning);
    if constexpr (std::is_enum_v<Field>) {
      define(catalogue, name, "", Provenance::configured, description,
             of_config([member](const RnnConfig& c) { return to_string(c.*member); }),
             spellings<Field>());
    } else if constexpr (std::is_same_v<Field, std::optional<Algo>>) {
      define(
          catalogue, name, "", Provenance::configured, description,
          of_config([](const RnnConfig& c) { return to_string(c.algo_of(Phase::backward_data)); }),
          spellings<Algo>());
    } else if constexpr (std::is_same_v<Field, std::uint64_t>) {
      define(
          catalogue, name, "", Provenance::configured, description,
          of_config([member](const RnnConfig& c) { return static_cast<std::int64_t>(c.*member); }));
    } else if constexpr (!std::is_same_v<Field, std::vector<int>>) {
      define(catalogue, name, "", Provenance::configured, description,
             of_config([member](const RnnConfig& c) { return c.*member; }));
    }
  });
}

void add_shape(Catalogue& catalogue) {
  const auto flag = [&](const std::string& name, std::string description, auto f) {
    define(catalogue, "call." + name, "", Provenance::configured, std::move(description),
           of_config(f));
  };
  const auto count = [&](const std::string& name, std::string description, auto f) {
    define(catalogue, "call." + name, "", Provenance::configured, std::move(description),
           of_config([f](const RnnConfig& c) { return static_cast<std::int64_t>(f(c)); }));
  };
  count("gates", "matrices per cell: LSTM 4, GRU 3, RNN 1",
        [](const RnnConfig& c) { return c.gates(); });
  count("directions", "1 or 2", [](const RnnConfig& c) { return c.directions(); });
  count("pseudo_layers", "layers times directions",
        [](const RnnConfig& c) { return saturate(Wide{c.num_layers} * c.directions()); });
  count("element_size", "bytes of one element",
        [](const RnnConfig& c) { return element_size(c.data_type); });
  flag("has_projection", "proj_size differs from hidden_size",
       [](const RnnConfig& c) { return c.has_projection(); });
  flag("persistent_algo", "the algorithm asked for is one of the persistent ones",
       [](const RnnConfig& c) { return c.persistent_algo(); });
  flag("unpacked", "the layout is one of the unpacked ones",
       [](const RnnConfig& c) { return !c.packed(); });
  flag("pair_legal", "cuDNN accepts data_type with math_precision", pair_legal);
  flag("math_type_documented", "cuDNN's reference allows math_type for data_type",
       math_type_documented);
  flag("tensor_core_math", "half with tensor_op, or float with tensor_op_allow_conversion",
       model::tensor_core_math);
  flag("projection_legal",
       "1 <= proj_size <= hidden_size, and projection only for LSTM with the standard algorithm",
       [](const RnnConfig& c) {
         return !c.has_projection() || (c.cell == Cell::lstm && c.algo == Algo::standard &&
                                        c.proj_size >= 1 && c.proj_size < c.hidden_size);
       });
  flag("input_equals_hidden", "input_size equals hidden_size",
       [](const RnnConfig& c) { return c.input_size == c.hidden_size; });
  count("small_h_limit", "largest hidden_size of persist_static_small_h forward, for this cell",
        [](const RnnConfig& c) { return small_h_limit(c, false); });
  count("small_h_backward_limit",
        "largest hidden_size of persist_static_small_h backward, for this cell",
        [](const RnnConfig& c) { return small_h_limit(c, true); });
  flag("small_h_fits",
       "persist_static_small_h runs this configuration in every phase of its mode, rightly",
       small_h_fits);
  flag("small_h_wrong_gradients",
       "persist_static_small_h computes wrong gradients here (cuDNN 9.19, H200)",
       [](const RnnConfig& c) {
         return model::small_h_wrong_results(c) == model::WrongResults::gradients;
       });
  flag("small_h_wrong_outputs",
       "persist_static_small_h computes wrong outputs here (cuDNN 9.19, H200)",
       [](const RnnConfig& c) {
         return model::small_h_wrong_results(c) == model::WrongResults::outputs;
       });
  flag("persist_static_suits",
       "half data, sizes and modes with which persist_static runs on Tensor Cores",
       persist_static_suits);
  flag("persist_static_suits_padded", "persist_static_suits once hidden_size is a multiple of 32",
       [](const RnnConfig& config) {
         RnnConfig padded = config;
         padded.hidden_size = padded.proj_size = static_cast<int>(round_up(config.hidden_size, 32));
         return !config.has_projection() && persist_static_suits(padded);
       });
  flag("persist_static_needs_padding",
       "persist_static_suits is false, or input_size or batch_size is no multiple of 8",
       [](const RnnConfig& config) {
         return !persist_static_suits(config) || config.input_size % 8 != 0 ||
                config.batch_size % 8 != 0;
       });
  for (const int multiple : {4, 8, 32, 64, 128, 256}) {
    const auto to = std::to_string(multiple);
    count("hidden_padded_" + to, "hidden_size rounded up to a multiple of " + to,
          [multiple](const RnnConfig& c) { return round_up(c.hidden_size, multiple); });
    count("input_padded_" + to, "input_size rounded up to a multiple of " + to,
          [multiple](const RnnConfig& c) { return round_up(c.input_size, multiple); });
    count("batch_padded_" + to, "batch_size rounded up to a multiple of " + to,
          [multiple](const RnnConfig& c) { return round_up(c.batch_size, multiple); });
  }
  count("proj_padded_8", "proj_size rounded up to a multiple of 8",
        [](const RnnConfig& c) { return round_up(c.proj_size, 8); });
  count("hidden_power_of_two", "largest power of two that divides hidden_size",
        [](const RnnConfig& c) { return power_of_two_in(c.hidden_size); });
  count("input_power_of_two", "largest power of two that divides input_size",
        [](const RnnConfig& c) { return power_of_two_in(c.input_size); });
  count("batch_power_of_two", "largest power of two that divides batch_size",
        [](const RnnConfig& c) { return power_of_two_in(c.batch_size); });
  // A multiple of 8, as other advice for the same call asks for.
  count("batch_doubled", "twice batch_size, rounded up to a multiple of 8",
        [](const RnnConfig& c) { return round_up(std::int64_t{2} * c.batch_size, 8); });
  count("largest_tensor_elements",
        "elements of the largest of x, y and one gate tensor of all steps", [](const RnnConfig& c) {
          const Wide steps = Wide{c.seq_length} * c.batch_size;
          const Wide width = std::max<Wide>({c.input_size, Wide{c.directions()} * c.proj_size,
                                             Wide{c.gates()} * c.hidden_size * c.directions()});
          return saturate(steps * width);
        });
  define(catalogue, "call.hidden_padding_share", "%", Provenance::configured,
         "units that padding hidden_size to a multiple of 8 would add",
         of_config([](const RnnConfig& c) {
           return 100.0 * static_cast<double>(round_up(c.hidden_size, 8) - c.hidden_size) /
                  c.hidden_size;
         }));
}

void add_lengths(Catalogue& catalogue) {
  const auto count = [&](const std::string& name, std::string description, auto f) {
    define(catalogue, "call." + name, "", Provenance::configured, std::move(description),
           of_config([f](const RnnConfig& c) { return static_cast<std::int64_t>(f(c)); }));
  };
  define(catalogue, "call.varying_lengths", "", Provenance::configured,
         "not all sequences have length seq_length",
         of_config([](const RnnConfig& c) { return c.has_varying_lengths(); }));
  define(catalogue, "call.lengths_descending", "", Provenance::configured,
         "the lengths stand in descending order, as the packed layout needs",
         of_config([](const RnnConfig& c) {
           return std::is_sorted(c.seq_lengths.begin(), c.seq_lengths.end(), std::greater<>());
         }));
  count("shortest_length", "shortest sequence length", shortest);
  count("longest_length", "longest sequence length", longest);
  count("zero_lengths", "sequences of length zero", [](const RnnConfig& c) {
    return std::count(c.seq_lengths.begin(), c.seq_lengths.end(), 0);
  });
  count("used_steps", "time steps that are not padding, over the batch",
        [](const RnnConfig& c) { return c.used_steps(); });
  count("padded_steps", "seq_length times batch_size: time steps with padding", padded_steps);
  define(catalogue, "call.mean_length", "", Provenance::configured, "mean sequence length",
         of_config([](const RnnConfig& c) {
           const auto n = c.seq_lengths.empty() ? static_cast<double>(c.batch_size)
                                                : static_cast<double>(c.seq_lengths.size());
           return static_cast<double>(c.used_steps()) / n;
         }));
  define(catalogue, "call.padding_share", "%", Provenance::configured,
         "share of seq_length times batch_size that is padding", of_config([](const RnnConfig& c) {
           const auto all = static_cast<double>(padded_steps(c));
           return 100.0 * (1.0 - static_cast<double>(c.used_steps()) / all);
         }));
}

}  // namespace

void add_call_facts(Catalogue& catalogue) {
  add_fields(catalogue);
  add_shape(catalogue);
  add_lengths(catalogue);
}

}  // namespace rnnadvisor::advisor
