#include "core/config/rnn_config.h"

#include <fmt/format.h>

#include <algorithm>

namespace rnnadvisor {
namespace {

template <class Enum>
std::string_view spelling(Enum value) {
  const auto index = static_cast<std::size_t>(value);
  const auto& values = Spellings<Enum>::values;
  return index < values.size() ? values[index] : std::string_view("?");
}

}  // namespace

bool RnnConfig::has_varying_lengths() const {
  return std::any_of(seq_lengths.begin(), seq_lengths.end(),
                     [this](int length) { return length != seq_length; });
}

std::int64_t RnnConfig::used_steps() const {
  if (seq_lengths.empty()) return static_cast<std::int64_t>(seq_length) * batch_size;
  std::int64_t sum = 0;
  for (const int length : seq_lengths) sum += length;
  return sum;
}

int element_size(DataType type) {
  switch (type) {
    case DataType::float64:
      return 8;
    case DataType::float32:
      return 4;
    case DataType::half:
    case DataType::bfloat16:
      return 2;
  }
  return 4;
}

DataType natural_math_precision(DataType type) {
  return type == DataType::float64 ? DataType::float64 : DataType::float32;
}

std::string_view to_string(Cell value) { return spelling(value); }
std::string_view to_string(Algo value) { return spelling(value); }
std::string_view to_string(Direction value) { return spelling(value); }
std::string_view to_string(BiasMode value) { return spelling(value); }
std::string_view to_string(InputMode value) { return spelling(value); }
std::string_view to_string(DataType value) { return spelling(value); }
std::string_view to_string(MathType value) { return spelling(value); }
std::string_view to_string(Layout value) { return spelling(value); }
std::string_view to_string(ClipMode value) { return spelling(value); }
std::string_view to_string(Mode value) { return spelling(value); }
std::string_view to_string(Phase value) { return spelling(value); }

std::string summary(const RnnConfig& config) {
  static constexpr std::array<std::string_view, 4> cells = {"RNN relu", "RNN tanh", "LSTM", "GRU"};
  std::string text(cells[static_cast<std::size_t>(config.cell)]);
  text += fmt::format(" {}x{}", config.num_layers, config.hidden_size);
  if (config.input_size != config.hidden_size) text += fmt::format(" in {}", config.input_size);
  if (config.has_projection()) text += fmt::format(" proj {}", config.proj_size);
  if (config.direction == Direction::bidirectional) text += " bidirectional";
  text += fmt::format(" {}", to_string(config.data_type));
  if (config.math_type != MathType::default_math)
    text += fmt::format("/{}", to_string(config.math_type));
  text += fmt::format(" B{} T{}, {}", config.batch_size, config.seq_length, to_string(config.algo));
  if (config.mixed_algos())
    text += fmt::format(" forward and {} backward", to_string(*config.backward_algo));
  if (config.mode == Mode::inference) text += ", inference";
  return text;
}

}  // namespace rnnadvisor
