#include "profiler/launch/cudnn_numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "core/config/read_config.h"

namespace rnnadvisor::launch {
namespace {

// Enumerations that follow cuDNN's numbers from 0.
template <class Enum>
std::optional<Enum> same_number(std::int32_t value) {
  if (value < 0 || static_cast<std::size_t>(value) >= Spellings<Enum>::values.size())
    return std::nullopt;
  return static_cast<Enum>(value);
}

std::optional<DataType> data_type(std::int32_t value) {
  switch (value) {
    case 0:
      return DataType::float32;
    case 1:
      return DataType::float64;
    case 2:
      return DataType::half;
    case 9:
      return DataType::bfloat16;
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<RnnConfig> to_config(const spool::Configuration& captured,
                            std::span<const std::int32_t> lengths) {
  const auto unreadable = [](std::string what) {
    return fail(ErrorCode::unsupported, std::move(what));
  };
  if ((captured.known & spool::known_descriptor) == 0)
    return unreadable("cuDNN did not return the contents of the RNN descriptor");
  if ((captured.known & spool::known_data) == 0)
    return unreadable("cuDNN did not return the contents of the RNN data descriptor");
  RnnConfig config;
  const auto cell = same_number<Cell>(captured.cell);
  const auto algo = same_number<Algo>(captured.algo);
  const auto direction = same_number<Direction>(captured.direction);
  const auto bias = same_number<BiasMode>(captured.bias);
  const auto input_mode = same_number<InputMode>(captured.input_mode);
  const auto math_type = same_number<MathType>(captured.math_type);
  const auto layout = same_number<Layout>(captured.layout);
  const auto data = data_type(captured.data_type);
  const auto math = data_type(captured.math_precision);
  if (!cell || !algo || !direction || !bias || !input_mode || !math_type || !layout || !data ||
      !math)
    return unreadable("an enumerator of the RNN descriptor is none that rnnadvisor knows");
  config.cell = *cell;
  config.algo = *algo;
  config.direction = *direction;
  config.bias_mode = *bias;
  config.input_mode = *input_mode;
  config.math_type = *math_type;
  config.layout = *layout;
  config.data_type = *data;
  config.math_precision = *math;
  config.input_size = captured.input_size;
  config.hidden_size = captured.hidden_size;
  config.proj_size = captured.projection_size;
  config.num_layers = captured.layers;
  config.padded_io = (captured.aux_flags & 1U) != 0;  // CUDNN_RNN_PADDED_IO_ENABLED
  config.seq_length = captured.max_seq_length;
  config.batch_size = captured.batch;
  config.mode = captured.training != 0 ? Mode::training : Mode::inference;
  if ((captured.known & spool::known_dropout) != 0 && captured.dropout != 0) {
    // The nearest short decimal: 0.2 rather than 0.2 as a float.
    config.dropout = std::round(static_cast<double>(captured.dropout) * 1e6) / 1e6;
    config.dropout_seed = captured.dropout_seed;
  }
  if ((captured.known & spool::known_clip) != 0 && captured.clip_mode == 1) {
    config.clip_mode = ClipMode::minmax;
    config.clip_left = captured.clip_low;
    config.clip_right = captured.clip_high;
    config.clip_propagate_nan = captured.clip_nan != 0;
  }
  config.seq_lengths.assign(lengths.begin(), lengths.end());
  // What a profile may hold is what the reader of configurations takes, no more.
  if (!std::isfinite(config.clip_left) || !std::isfinite(config.clip_right) ||
      !std::isfinite(config.dropout))
    return unreadable("a number of the RNN descriptor is not finite");
  const auto read = read_json_line(to_json_line(config), "descriptor", 1);
  if (!read) return unreadable(read.error().message);
  if (read->config != config) return unreadable("its values contradict each other");
  return config;
}

AskedDescriptor asked_descriptor(const spool::Configuration& captured) {
  AskedDescriptor asked;
  asked.descriptor = (captured.known & spool::known_descriptor) != 0;
  asked.cell = same_number<Cell>(captured.cell);
  asked.algo = same_number<Algo>(captured.algo);
  asked.num_layers = captured.layers;
  asked.hidden_size = captured.hidden_size;
  asked.input_size = captured.input_size;
  asked.proj_size = captured.projection_size;
  asked.data_type = data_type(captured.data_type);
  asked.math_type = same_number<MathType>(captured.math_type);
  asked.data = (captured.known & spool::known_data) != 0;
  asked.layout = same_number<Layout>(captured.layout);
  asked.seq_length = captured.max_seq_length;
  asked.batch_size = captured.batch;
  asked.vector_size = captured.vector_size;
  return asked;
}

std::string function_name(spool::Entry entry) {
  switch (entry) {
    case spool::Entry::set_rnn_descriptor:
      return "cudnnSetRNNDescriptor_v8";
    case spool::Entry::set_rnn_data_descriptor:
      return "cudnnSetRNNDataDescriptor";
    case spool::Entry::get_temp_space_sizes:
      return "cudnnGetRNNTempSpaceSizes";
    case spool::Entry::build_dynamic:
      return "cudnnBuildRNNDynamic";
    case spool::Entry::forward:
      return "cudnnRNNForward";
    case spool::Entry::backward_data:
      return "cudnnRNNBackwardData_v8";
    case spool::Entry::backward_weights:
      return "cudnnRNNBackwardWeights_v8";
    case spool::Entry::set_clip:
      return "cudnnRNNSetClip";
    case spool::Entry::legacy:
      return "an RNN function of cuDNN 8";
    case spool::Entry::set_dropout:
      return "cudnnSetDropoutDescriptor";
    case spool::Entry::restore_dropout:
      return "cudnnRestoreDropoutDescriptor";
    case spool::Entry::destroy_dropout:
      return "cudnnDestroyDropoutDescriptor";
    case spool::Entry::destroy_rnn_descriptor:
      return "cudnnDestroyRNNDescriptor";
    case spool::Entry::destroy_rnn_data_descriptor:
      return "cudnnDestroyRNNDataDescriptor";
    case spool::Entry::count:
      break;
  }
  return "unknown";
}

}  // namespace rnnadvisor::launch
