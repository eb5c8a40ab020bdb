// RnnConfig: one recurrent layer as cuDNN is asked for it: RNN descriptor, data descriptor, dropout
// and clip settings, in cuDNN's own vocabulary. The spelling of every enumerator below is its key
// in TOML, JSON and flags.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnnadvisor {

enum class Cell { rnn_relu, rnn_tanh, lstm, gru };  // cudnnRNNMode_t
enum class Algo {
  standard,
  persist_static,
  persist_dynamic,
  persist_static_small_h
};  // cudnnRNNAlgo_t
enum class Direction { unidirectional, bidirectional };  // cudnnDirectionMode_t
enum class BiasMode {
  no_bias,
  single_inp_bias,
  double_bias,
  single_rec_bias
};  // cudnnRNNBiasMode_t
enum class InputMode { linear_input, skip_input };  // cudnnRNNInputMode_t
enum class DataType {
  float32,
  float64,
  half,
  bfloat16
};  // spelled "float", "double", "half", "bfloat16"
enum class MathType {
  default_math,
  tensor_op,
  tensor_op_allow_conversion,
  fma
};  // spelled "default", …
enum class Layout {
  seq_major_unpacked,
  seq_major_packed,
  batch_major_unpacked
};  // cudnnRNNDataLayout_t
enum class ClipMode { none, minmax };     // cudnnRNNClipMode_t
enum class Mode { inference, training };  // cudnnForwardMode_t

// The phases of a recurrent layer: what cuDNN is called for.
enum class Phase { forward_inference, forward_training, backward_data, backward_weights };
inline constexpr std::array<Phase, 4> all_phases = {Phase::forward_inference,
                                                    Phase::forward_training, Phase::backward_data,
                                                    Phase::backward_weights};

inline constexpr int longest_sequence = 65535;  // cuDNN 9.19 refuses a longer maxSeqLength

// Sizes are positive and at most INT32_MAX, as in cuDNN's API; readers refuse anything else.
// validate() (validate.h) tells what cuDNN's documentation says of a combination.
struct RnnConfig {
  std::string id;  // the user's name for it; echoed everywhere, never interpreted

  Cell cell = Cell::lstm;
  Algo algo =
      Algo::standard;  // of every phase, or of the forward phases where backward_algo is set
  // Of the backward phases, where the program describes its layer another time for them: PyTorch
  // does so for some sizes. Readers never set it to `algo` itself.
  std::optional<Algo> backward_algo = {};
  Direction direction = Direction::unidirectional;
  BiasMode bias_mode = BiasMode::double_bias;
  InputMode input_mode = InputMode::linear_input;
  DataType data_type = DataType::float32;
  DataType math_precision = DataType::float32;  // default: double for double data, else float
  MathType math_type = MathType::default_math;

  int input_size = 512;
  int hidden_size = 512;  // default of input_size: hidden_size
  int proj_size = 512;    // default: hidden_size, which means no projection
  int num_layers = 1;

  double dropout = 0;  // probability in [0, 1), between layers, in training
  std::uint64_t dropout_seed = 1;

  ClipMode clip_mode = ClipMode::none;
  double clip_left = 0;
  double clip_right = 0;
  bool clip_propagate_nan = false;  // CUDNN_PROPAGATE_NAN; cuDNN 9 has no such choice any more

  Layout layout = Layout::seq_major_unpacked;
  bool padded_io =
      true;  // CUDNN_RNN_PADDED_IO_ENABLED; default: set for unpacked layouts, as cuDNN documents

  int seq_length = 128;          // maxSeqLength: time steps T
  int batch_size = 64;           // B
  std::vector<int> seq_lengths;  // one per sequence; empty means all are seq_length

  Mode mode = Mode::training;  // inference: only the forward phase is of interest

  bool operator==(const RnnConfig&) const = default;

  // --- what the rest of the program asks for all the time ---
  int directions() const { return direction == Direction::bidirectional ? 2 : 1; }
  int gates() const { return cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1; }
  bool has_projection() const { return proj_size != hidden_size; }
  int pseudo_layers() const { return num_layers * directions(); }
  bool packed() const { return layout == Layout::seq_major_packed; }
  bool persistent_algo() const { return algo != Algo::standard; }
  // The algorithm that a phase is called with.
  Algo algo_of(Phase phase) const {
    const bool backward = phase == Phase::backward_data || phase == Phase::backward_weights;
    return backward ? backward_algo.value_or(algo) : algo;
  }
  // Forward and backward are called with different algorithms.
  bool mixed_algos() const { return backward_algo.value_or(algo) != algo; }
  // One algorithm for every phase.
  void set_algo(Algo value) {
    algo = value;
    backward_algo.reset();
  }
  // True when not all sequences have length seq_length.
  bool has_varying_lengths() const;
  // Sum of the sequence lengths: the steps that are not padding.
  std::int64_t used_steps() const;
};

// Bytes of one element: half and bfloat16 2, float 4, double 8.
int element_size(DataType type);

// cuDNN's natural compute precision for a data type: double for double, float for all others.
DataType natural_math_precision(DataType type);

std::string_view to_string(Cell value);
std::string_view to_string(Algo value);
std::string_view to_string(Direction value);
std::string_view to_string(BiasMode value);
std::string_view to_string(InputMode value);
std::string_view to_string(DataType value);
std::string_view to_string(MathType value);
std::string_view to_string(Layout value);
std::string_view to_string(ClipMode value);
std::string_view to_string(Mode value);
std::string_view to_string(Phase value);

// One line for people: "LSTM 2x1024 half B64 T128, persist_static".
std::string summary(const RnnConfig& config);

// All spellings of an enumeration, in the order of its values; specialised for every enumeration
// above.
template <class Enum>
struct Spellings;
#define RNNADVISOR_SPELLINGS(Enum, ...)                                            \
  template <>                                                                      \
  struct Spellings<Enum> {                                                         \
    static constexpr auto values = std::to_array<std::string_view>({__VA_ARGS__}); \
  };
RNNADVISOR_SPELLINGS(Cell, "rnn_relu", "rnn_tanh", "lstm", "gru")
RNNADVISOR_SPELLINGS(Algo, "standard", "persist_static", "persist_dynamic",
                     "persist_static_small_h")
RNNADVISOR_SPELLINGS(Direction, "unidirectional", "bidirectional")
RNNADVISOR_SPELLINGS(BiasMode, "no_bias", "single_inp_bias", "double_bias", "single_rec_bias")
RNNADVISOR_SPELLINGS(InputMode, "linear_input", "skip_input")
RNNADVISOR_SPELLINGS(DataType, "float", "double", "half", "bfloat16")
RNNADVISOR_SPELLINGS(MathType, "default", "tensor_op", "tensor_op_allow_conversion", "fma")
RNNADVISOR_SPELLINGS(Layout, "seq_major_unpacked", "seq_major_packed", "batch_major_unpacked")
RNNADVISOR_SPELLINGS(ClipMode, "none", "minmax")
RNNADVISOR_SPELLINGS(Mode, "inference", "training")
RNNADVISOR_SPELLINGS(Phase, "forward_inference", "forward_training", "backward_data",
                     "backward_weights")
#undef RNNADVISOR_SPELLINGS

// The value spelled so, or nothing.
template <class Enum>
std::optional<Enum> parse_enum(std::string_view text) {
  const auto& values = Spellings<Enum>::values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace rnnadvisor
