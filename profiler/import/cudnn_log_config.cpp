#include "profiler/import/cudnn_log_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/text.h"
#include "core/config/read_config.h"

namespace rnnadvisor::import_trace {
namespace {

// cuDNN's enumerators are rnnadvisor's words with a prefix, in capitals.
template <class Enum>
std::optional<Enum> enum_of(const LogRecord& record, std::string_view path,
                            std::string_view prefix) {
  std::string_view word = record.word(path);
  if (!word.starts_with(prefix)) return std::nullopt;
  std::string text(word.substr(prefix.size()));
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  // CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION is tensor_op_allow_conversion.
  if constexpr (std::is_same_v<Enum, MathType>) {
    if (const auto at = text.find("_math"); at != std::string::npos) text.erase(at, 5);
  }
  return parse_enum<Enum>(text);
}

struct Descriptor {
  std::optional<Cell> cell;
  std::optional<Algo> algo;
  std::optional<Direction> direction;
  std::optional<BiasMode> bias;
  std::optional<InputMode> input_mode;
  std::optional<DataType> data, math;
  std::optional<MathType> math_type;
};

// `at`: "rnnDesc." in a call. The setter has other names for two of them.
Descriptor descriptor_of(const LogRecord& record, const std::string& at) {
  const bool setter = at.empty();
  Descriptor d;
  d.cell = enum_of<Cell>(record, at + "cellMode", "CUDNN_");
  d.algo = enum_of<Algo>(record, at + "algo", "CUDNN_RNN_ALGO_");
  d.direction = enum_of<Direction>(record, at + (setter ? "dirMode" : "bidirectional"), "CUDNN_");
  d.bias = enum_of<BiasMode>(record, at + "biasMode", "CUDNN_RNN_");
  d.input_mode = enum_of<InputMode>(record, at + "inputMode", "CUDNN_");
  d.data = enum_of<DataType>(record, at + "dataType", "CUDNN_DATA_");
  d.math = enum_of<DataType>(record, at + "mathPrec", "CUDNN_DATA_");
  d.math_type = enum_of<MathType>(record, at + (setter ? "mathType" : "mathMode"), "CUDNN_");
  return d;
}

std::optional<Layout> layout_of(const LogRecord& record, const std::string& path) {
  return enum_of<Layout>(record, path, "CUDNN_RNN_DATA_LAYOUT_");
}

bool fits(std::int64_t value) { return value > 0 && value <= std::numeric_limits<int>::max(); }

int size_of(const LogRecord& record, const std::string& path) {
  const auto value = record.number(path);
  return value && fits(*value) ? static_cast<int>(*value) : 0;
}

std::optional<double> real_of(const LogRecord& record, std::string_view path) {
  const std::string_view text = record.field(path);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::uint64_t seed_of(const LogRecord& record) {
  const std::string_view text = record.field("rnnDesc.dropoutDesc.seed");
  std::uint64_t seed = 0;
  std::from_chars(text.data(), text.data() + text.size(), seed);
  return seed;
}

std::int64_t alignment_of(std::string_view address) {
  if (address == "NULL_PTR") return 0;
  if (!address.starts_with("0x")) return -1;
  std::uint64_t value = 0;
  const auto* end = address.data() + address.size();
  if (std::from_chars(address.data() + 2, end, value, 16).ptr != end) return -1;
  constexpr std::uint64_t most = std::uint64_t{1} << 30U;
  const std::uint64_t lowest = value & (~value + 1);
  return value == 0 ? 0 : static_cast<std::int64_t>(std::min(lowest, most));
}

// Nothing: no such tensor, or too little is known of it.
std::optional<bool> packed(const LogRecord& record, const std::string& descriptor) {
  const auto sizes = record.numbers(descriptor + ".dimA");
  const auto strides = record.numbers(descriptor + ".strideA");
  if (sizes.empty() || sizes.size() != strides.size()) return std::nullopt;
  double expected = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && static_cast<double>(strides[i]) != expected) return false;
    expected *= static_cast<double>(sizes[i]);
  }
  return true;
}

// What a profile may hold is what the reader of configurations takes, no more.
Result<void> check(const RnnConfig& config) {
  const auto read = read_json_line(to_json_line(config), "descriptor", 1);
  if (!read) return fail(ErrorCode::unsupported, read.error().message);
  if (read->config != config)
    return fail(ErrorCode::unsupported, "its values contradict each other");
  return {};
}

}  // namespace

Result<LoggedConfig> config_of(const LogRecord& record) {
  const auto unreadable = [](std::string what) {
    return fail(ErrorCode::unsupported, std::move(what));
  };
  if (record.field("rnnDesc.algo").empty()) return unreadable("it has no RNN descriptor");
  if (record.field("xDesc.dimA").empty()) return unreadable("it has no RNN data descriptor for x");
  LoggedConfig result;
  RnnConfig& config = result.config;
  const auto d = descriptor_of(record, "rnnDesc.");
  const auto layout = layout_of(record, "xDesc.layout");
  if (!d.cell || !d.algo || !d.direction || !d.bias || !d.input_mode || !d.data || !d.math ||
      !d.math_type || !layout)
    return unreadable("an enumerator of the RNN descriptor is none that rnnadvisor knows");
  config.cell = *d.cell;
  config.algo = *d.algo;
  config.direction = *d.direction;
  config.bias_mode = *d.bias;
  config.input_mode = *d.input_mode;
  config.data_type = *d.data;
  config.math_precision = *d.math;
  config.math_type = *d.math_type;
  config.layout = *layout;
  config.input_size = size_of(record, "rnnDesc.inputSize");
  config.hidden_size = size_of(record, "rnnDesc.hiddenSize");
  config.proj_size = size_of(record, "rnnDesc.projSize");
  config.num_layers = size_of(record, "rnnDesc.numLayers");
  config.padded_io =
      record.field("rnnDesc.auxFlags").find("PADDED_IO_ENABLED") != std::string::npos;
  const auto sizes = record.numbers("xDesc.dimA");  // time steps, batch, values, in any layout
  if (sizes.size() != 3 || !fits(sizes[0]) || !fits(sizes[1]))
    return unreadable("the sizes of x are none");
  config.seq_length = static_cast<int>(sizes[0]);
  config.batch_size = static_cast<int>(sizes[1]);
  config.mode =
      record.word("fwdMode") == "CUDNN_FWD_MODE_INFERENCE" ? Mode::inference : Mode::training;
  if (const auto dropout = real_of(record, "rnnDesc.dropoutDesc.dropout");
      dropout && *dropout != 0) {
    config.dropout = std::round(*dropout * 1e6) / 1e6;  // 0.2 rather than 0.2 as a float
    config.dropout_seed = seed_of(record);
  }
  if (record.word("rnnDesc.clipMode") == "CUDNN_RNN_CLIP_MINMAX") {
    const auto left = real_of(record, "rnnDesc.lclip");
    const auto right = real_of(record, "rnnDesc.rclip");
    if (!left || !right) return unreadable("a limit of clipping is not a finite number");
    config.clip_mode = ClipMode::minmax;
    config.clip_left = *left;
    config.clip_right = *right;
    config.clip_propagate_nan = record.word("rnnDesc.clipNanOpt") == "CUDNN_PROPAGATE_NAN";
  }
  const auto lengths = record.numbers("xDesc.seqLengthArray");
  result.lengths_cut = lengths.size() != static_cast<std::size_t>(sizes[1]);
  const bool varied = std::any_of(lengths.begin(), lengths.end(),
                                  [&](std::int64_t length) { return length != sizes[0]; });
  if (!result.lengths_cut && varied) {
    for (const std::int64_t length : lengths) {
      if (length < 0 || length > sizes[0]) return unreadable("a sequence length is out of range");
      config.seq_lengths.push_back(static_cast<int>(length));
    }
  }
  if (auto checked = check(config); !checked) return fail(std::move(checked.error()));
  return result;
}

AskedDescriptor asked_of(const LogRecord& record) {
  AskedDescriptor asked;
  if (record.function == "cudnnSetRNNDescriptor_v8") {
    const auto d = descriptor_of(record, "");
    asked.descriptor = true;
    asked.cell = d.cell;
    asked.algo = d.algo;
    asked.num_layers = size_of(record, "numLayers");
    asked.hidden_size = size_of(record, "hiddenSize");
    asked.input_size = size_of(record, "inputSize");
    asked.proj_size = size_of(record, "projSize");
    asked.data_type = d.data;
    asked.math_type = d.math_type;
  } else if (record.function == "cudnnSetRNNDataDescriptor") {
    asked.data = true;
    asked.layout = layout_of(record, "layout");
    asked.seq_length = size_of(record, "maxSeqLength");
    asked.batch_size = size_of(record, "batchSize");
    asked.vector_size = size_of(record, "vectorSize");
  }
  return asked;
}

CallArguments arguments_of(const LogRecord& record) {
  CallArguments arguments;
  const auto put = [&](CallPointer pointer, std::string_view name) {
    const std::string_view address = record.field(name);
    if (!address.empty())
      arguments.alignment[static_cast<std::size_t>(pointer)] = alignment_of(address);
  };
  for (std::size_t i = 0; i <= static_cast<std::size_t>(CallPointer::dcy); ++i)
    put(static_cast<CallPointer>(i), to_string(static_cast<CallPointer>(i)));
  put(CallPointer::weights, "weightSpace");
  put(CallPointer::weight_gradients, "dweightSpace");
  put(CallPointer::workspace, "workSpace");
  put(CallPointer::reserve, "reserveSpace");
  const auto h = packed(record, "hDesc");
  const auto c = packed(record, "cDesc");
  if (h || c) arguments.contiguous = h.value_or(true) && c.value_or(true);
  return arguments;
}

DeviceSpec device_of(const LogRecord& record) {
  const std::string at = "handle.deviceProp.";
  DeviceSpec device;
  device.name = to_valid_utf8(record.word(at + "deviceName").substr(0, 200));
  const int version = size_of(record, at + "deviceVer");  // 900 for compute capability 9.0
  device.compute_major = version / 100;
  device.compute_minor = version % 100 / 10;
  device.sm_count = size_of(record, at + "multiProcessorCount");
  device.memory_bytes = std::clamp<std::int64_t>(record.number(at + "totalGlobalMem").value_or(0),
                                                 0, std::int64_t{1} << 50);
  device.shared_memory_per_block = size_of(record, at + "maxSharedMemoryPerBlockOptin");
  return device;
}

}  // namespace rnnadvisor::import_trace
