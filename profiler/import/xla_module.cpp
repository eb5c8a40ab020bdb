#include "profiler/import/xla_module.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor::import_trace {
namespace {

constexpr std::string_view forward_target = "cudnn_rnn", backward_target = "cudnn_rnn_bwd";
constexpr std::size_t most_calls = 100'000;  // of one file
constexpr std::size_t most_operands = 16;
constexpr std::uint64_t most_config = 65536;  // bytes of a backend_config, and of a constant

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

// The bytes of a text as MLIR prints it: \n, \t, \\, \" and two hexadecimal digits after a
// backslash (llvm::printEscapedString).
std::optional<std::string> unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return bytes;
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    if (++i >= text.size()) break;
    if (text[i] == '\\' || text[i] == '"') {
      bytes += text[i];
    } else if (text[i] == 'n' || text[i] == 't') {
      bytes += text[i] == 'n' ? '\n' : '\t';
    } else {
      constexpr std::string_view digits = "0123456789ABCDEF";
      const auto digit = [&](std::size_t at) {
        const char c = at < text.size() ? text[at] : '\0';
        return digits.find(c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c);
      };
      const auto high = digit(i), low = digit(i + 1);
      if (high == std::string_view::npos || low == std::string_view::npos) break;
      bytes += static_cast<char>(high * 16 + low);
      ++i;
    }
  }
  return std::nullopt;
}

// What a custom call is given as `opaque`: an attribute of calls of XLA's FFI, "{opaque = "…"}",
// and all of the configuration of those before.
std::string opaque_of(const std::string& config) {
  constexpr std::string_view key = "opaque";
  const auto at = config.find(key);
  if (at == std::string::npos) return config;
  const auto open = config.find_first_not_of(" =", at + key.size());
  if (open == std::string::npos || config[open] != '"') return config;
  return unescaped(std::string_view(config).substr(open + 1)).value_or(config);
}

struct Frames {
  std::vector<std::string> files, functions;
  struct Location {
    std::uint64_t file = 0, function = 0, line = 0;
  };
  std::vector<Location> locations;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> frames;  // location and parent, from 1
};

struct Metadata {
  std::string file;
  std::uint64_t line = 0, frame = 0;
};

int line_of(std::uint64_t line) {
  return line <= std::numeric_limits<int>::max() ? static_cast<int>(line) : 0;
}

// In the library, not in the program.
bool in_jax(std::string_view file) {
  return file.find("/jax/") != std::string_view::npos ||
         file.find("/jaxlib/") != std::string_view::npos;
}

CallRecord::Frame site_of(const Metadata& metadata, const Frames& known) {
  const auto text = [](const std::vector<std::string>& texts, std::uint64_t id) {
    return id > 0 && id <= texts.size() ? to_valid_utf8(texts[id - 1]) : std::string();
  };
  constexpr int deepest = 100;  // the parents of damaged frames may be a circle
  std::uint64_t id = metadata.frame;
  for (int i = 0; i < deepest && id > 0 && id <= known.frames.size(); ++i) {
    const auto [location, parent] = known.frames[id - 1];
    id = parent;
    if (location == 0 || location > known.locations.size()) continue;
    const auto& place = known.locations[location - 1];
    auto file = text(known.files, place.file);
    if (!file.empty() && !in_jax(file))
      return {std::move(file), text(known.functions, place.function), line_of(place.line)};
  }
  return {to_valid_utf8(metadata.file), {}, line_of(metadata.line)};
}

class ModuleReader {
 public:
  ModuleReader(FileBytes& file, std::vector<XlaRnnCall>& calls)
      : file_(file), calls_(calls), first_(calls.size()) {}

  void module(const WireField& field) {
    Frames frames;
    WireReader reader(file_, field);
    for (WireField part; reader.next(part);) {
      if (part.number == 1) name_ = wire_text(file_, part);
      if (part.type != WireType::bytes) continue;
      if (part.number == 3) computation(part);
      if (part.number == 17) read_frames(part, frames);
    }
    for (std::size_t i = first_; i < calls_.size(); ++i) {
      calls_[i].module = name_;
      calls_[i].site = site_of(metadata_[i - first_], frames);
    }
  }

 private:
  void computation(const WireField& field) {
    constants_.clear();
    WireReader reader(file_, field);
    for (WireField part; reader.next(part);)
      if (part.number == 2 && part.type == WireType::bytes && calls_.size() < most_calls)
        instruction(part);
  }

  void instruction(const WireField& field) {
    XlaRnnCall call;
    std::string target;
    WireField config, metadata, literal;
    std::uint64_t id = 0;
    std::vector<std::int64_t> operands;
    WireReader reader(file_, field);
    for (WireField part; reader.next(part);) {
      if (part.number == 35) id = part.value;
      if (part.number == 36) append_wire_numbers(file_, part, operands, most_operands);
      if (part.type != WireType::bytes) continue;
      if (part.number == 1) call.name = wire_text(file_, part);
      if (part.number == 8) literal = part;
      if (part.number == 7) metadata = part;
      if (part.number == 28) target = wire_text(file_, part);
      if (part.number == 43) config = part;
    }
    if (literal.end > literal.begin && literal.end - literal.begin <= most_config)
      constants_[id] = file_.read(literal.begin, literal.end);
    // "cudnn_rnn_ffi" since jaxlib 0.4.37.
    if (!target.starts_with(forward_target)) return;
    call.forward = !target.starts_with(backward_target);
    if (config.end - config.begin <= most_config)
      read_rnn_descriptor(opaque_of(file_.read(config.begin, config.end)), call);
    read_lengths(operands, call);
    calls_.push_back(std::move(call));
    metadata_.push_back(read_metadata(metadata));
  }

  // The operand of sequence lengths (jaxlib/gpu/rnn_kernels.cc), where it is a constant. In a
  // computation operands stand before what uses them.
  void read_lengths(const std::vector<std::int64_t>& operands, XlaRnnCall& call) {
    const std::size_t index = call.forward ? 4 : 10;
    if (!call.config || operands.size() <= index) return;
    const auto constant = constants_.find(static_cast<std::uint64_t>(operands[index]));
    if (constant == constants_.end()) return;
    RnnConfig& config = *call.config;
    const auto count = static_cast<std::size_t>(config.batch_size);
    std::vector<std::int64_t> lengths;
    FileBytes literal(constant->second);
    WireReader reader(literal, 0, literal.size());
    for (WireField part; reader.next(part);)
      if (part.number == 4) append_wire_numbers(literal, part, lengths, count + 1);
    const auto fits = [&](std::int64_t length) {
      return length > 0 && length <= config.seq_length;
    };
    if (lengths.size() != count || !std::all_of(lengths.begin(), lengths.end(), fits)) return;
    call.lengths_known = true;
    if (std::all_of(lengths.begin(), lengths.end(),
                    [&](std::int64_t length) { return length == config.seq_length; }))
      return;
    for (const auto length : lengths) config.seq_lengths.push_back(static_cast<int>(length));
  }

  Metadata read_metadata(const WireField& field) {
    Metadata metadata;
    WireReader reader(file_, field);
    for (WireField part; reader.next(part);) {
      if (part.number == 3) metadata.file = wire_text(file_, part);
      if (part.number == 4) metadata.line = part.value;
      if (part.number == 15) metadata.frame = part.value;
    }
    return metadata;
  }

  // The two numbers, or three, with which a message begins.
  Frames::Location numbers_of(const WireField& field) {
    Frames::Location numbers;
    WireReader reader(file_, field);
    for (WireField part; reader.next(part);) {
      if (part.number == 1) numbers.file = part.value;
      if (part.number == 2) numbers.function = part.value;
      if (part.number == 3) numbers.line = part.value;
    }
    return numbers;
  }

  void read_frames(const WireField& field, Frames& frames) {
    if (calls_.size() == first_) return;
    WireReader reader(file_, field);
    for (WireField part; reader.next(part);) {
      if (part.type != WireType::bytes) continue;
      if (part.number == 1) frames.files.push_back(wire_text(file_, part));
      if (part.number == 2) frames.functions.push_back(wire_text(file_, part));
      if (part.number == 3) frames.locations.push_back(numbers_of(part));
      if (part.number == 4) {
        const auto numbers = numbers_of(part);
        frames.frames.emplace_back(numbers.file, numbers.function);
      }
    }
  }

  FileBytes& file_;
  std::vector<XlaRnnCall>& calls_;
  std::size_t first_;
  std::string name_;
  std::vector<Metadata> metadata_;  // of each call
  // Of the computation, by instruction; small ones. Held, as the file may only be read forwards.
  std::unordered_map<std::uint64_t, std::string> constants_;
};

}  // namespace

bool read_rnn_descriptor(std::string_view bytes, XlaRnnCall& call) {
  constexpr std::size_t narrow = 40, wide = 48;
  if (bytes.size() != narrow && bytes.size() != wide) return false;
  const auto number = [&](std::size_t index) {
    return static_cast<std::int32_t>(
        static_cast<std::uint32_t>(little_endian(bytes, 4 * index, 4)));
  };
  RnnConfig config;
  config.input_size = number(0);
  config.hidden_size = config.proj_size = number(1);
  config.num_layers = number(2);
  config.batch_size = number(3);
  config.seq_length = number(4);
  const auto dropout =
      std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(bytes, 20, 4)));
  const bool sizes = config.input_size > 0 && config.hidden_size > 0 && config.num_layers > 0 &&
                     config.batch_size > 0 && config.seq_length > 0 &&
                     config.seq_length <= longest_sequence;
  if (!sizes || !(dropout >= 0 && dropout < 1)) return false;
  // jaxlib/gpu/rnn_kernels.cc: what every call asks cuDNN for.
  config.layout = Layout::batch_major_unpacked;
  config.direction = number(6) != 0 ? Direction::bidirectional : Direction::unidirectional;
  config.math_type = number(7) != 0 ? MathType::default_math : MathType::fma;
  if (dropout > 0) {
    config.dropout = std::round(static_cast<double>(dropout) * 1e6) / 1e6;  // 0.2, not as a float
    config.dropout_seed = 123;
  }
  call.config = config;
  const std::size_t width = bytes.size() == wide ? 8 : 4;
  const auto size_at = [&](std::size_t at) {
    const auto size = little_endian(bytes, at, width);
    return size <= static_cast<std::uint64_t>(std::int64_t{1} << 50U)
               ? static_cast<std::int64_t>(size)
               : -1;
  };
  call.workspace_bytes = size_at(32);
  call.reserve_bytes = size_at(32 + width);
  return true;
}

void read_xla_module(FileBytes& file, const WireField& hlo, std::vector<XlaRnnCall>& calls) {
  WireReader reader(file, hlo);
  for (WireField part; reader.next(part);)
    if (part.number == 1 && part.type == WireType::bytes) ModuleReader(file, calls).module(part);
}

}  // namespace rnnadvisor::import_trace
