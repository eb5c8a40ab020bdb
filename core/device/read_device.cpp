// DeviceSpec from TOML. Strict: a description with a mistyped key would silently judge with a zero.
#include "core/device/read_device.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "core/base/text.h"
#include "core/config/toml/parse_toml.h"
#include "core/device/device_spec.h"

namespace rnnadvisor {
namespace {

constexpr std::array<std::string_view, 15> spec_keys = {"id",
                                                        "name",
                                                        "aliases",
                                                        "architecture",
                                                        "compute_capability",
                                                        "sm_count",
                                                        "source",
                                                        "memory_bytes",
                                                        "l2_bytes",
                                                        "shared_memory_per_sm",
                                                        "registers_per_sm",
                                                        "boost_clock_hz",
                                                        "memory_bandwidth",
                                                        "shared_memory_per_block",
                                                        "peak"};
constexpr std::array<std::string_view, 3> other_keys = {"measured", "hidden_limit", "crossover"};
constexpr std::array<std::string_view, 6> peak_keys = {"fp64", "fp32",        "tf32_tensor",
                                                       "fp16", "fp16_tensor", "bf16_tensor"};
constexpr std::array<std::string_view, 6> measured_keys = {
    "cudnn_version",         "bandwidth",         "fp16_tensor",
    "kernel_launch_seconds", "grid_sync_seconds", "persist_backward_hidden"};
constexpr std::array<std::string_view, 2> value_keys = {"value", "source"};
constexpr std::array<std::string_view, 6> limit_keys = {"algo",     "cell",     "backward",
                                                        "accepted", "rejected", "source"};
constexpr std::array<std::string_view, 6> crossover_keys = {
    "cell", "data_type", "hidden_size", "batch_forward", "batch_training", "source"};

// Reads one table; keeps the first problem and does nothing after it.
class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  const std::optional<Error>& error() const { return error_; }

  void fail_at(const toml::source_region& region, std::string message, std::string remedy) {
    if (error_) return;
    error_ = Error{ErrorCode::parse,
                   std::move(message),
                   std::move(remedy),
                   SourcePosition{file_, static_cast<int>(region.begin.line),
                                  static_cast<int>(region.begin.column)},
                   {}};
  }

  template <class Keys>
  void check_keys(const toml::table& table, const Keys& keys) {
    for (const auto& [key, node] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
      std::string remedy = did_you_mean(key.str(), keys);
      if (remedy.empty()) remedy = fmt::format("use one of: {}", fmt::join(keys, ", "));
      fail_at(key.source(),
              fmt::format("unknown key '{}' in a device description", to_valid_utf8(key.str())),
              std::move(remedy));
    }
  }

  void text(const toml::table& table, std::string_view key, std::string& into, bool required) {
    const toml::node* node = find(table, key, required);
    if (node == nullptr) return;
    const auto* value = node->as_string();
    if (value == nullptr || value->get().empty()) {
      fail_at(node->source(), fmt::format("{} must be a text that is not empty", key),
              "put it in quotes");
      return;
    }
    into = to_valid_utf8(value->get());
  }

  // A finite number in [least, most].
  void number(const toml::table& table, std::string_view key, double& into, bool required,
              double least = 0, double most = 1e18) {
    const toml::node* node = find(table, key, required);
    if (node == nullptr) return;
    std::optional<double> value;
    if (const auto* integer = node->as_integer()) value = static_cast<double>(integer->get());
    if (const auto* real = node->as_floating_point()) value = real->get();
    if (!value || !(*value >= least && *value <= most)) {  // NaN fails both comparisons
      fail_at(node->source(),
              fmt::format("{} must be a number from {:g} to {:g}", key, least, most),
              "correct the value");
      return;
    }
    into = *value;
  }

  template <class Integer>
  void integer(const toml::table& table, std::string_view key, Integer& into, bool required,
               std::int64_t least = 1, std::int64_t most = std::numeric_limits<Integer>::max()) {
    const toml::node* node = find(table, key, required);
    if (node == nullptr) return;
    const auto* value = node->as_integer();
    if (value == nullptr || value->get() < least || value->get() > most) {
      fail_at(node->source(),
              fmt::format("{} must be a whole number from {} to {}", key, least, most),
              "correct the value");
      return;
    }
    into = static_cast<Integer>(value->get());
  }

  void boolean(const toml::table& table, std::string_view key, bool& into) {
    const toml::node* node = find(table, key, false);
    if (node == nullptr) return;
    const auto* value = node->as_boolean();
    if (value == nullptr) {
      fail_at(node->source(), fmt::format("{} must be true or false", key), "remove the quotes");
      return;
    }
    into = value->get();
  }

  template <class Enum>
  void word(const toml::table& table, std::string_view key, Enum& into) {
    const toml::node* node = find(table, key, true);
    if (node == nullptr) return;
    const auto* value = node->as_string();
    const auto parsed = value != nullptr ? parse_enum<Enum>(value->get()) : std::nullopt;
    if (!parsed) {
      const auto& words = Spellings<Enum>::values;
      std::string remedy = value != nullptr ? did_you_mean(value->get(), words) : std::string();
      if (remedy.empty()) remedy = fmt::format("use one of: {}", fmt::join(words, ", "));
      fail_at(node->source(), fmt::format("{} has no such value", key), std::move(remedy));
      return;
    }
    into = *parsed;
  }

  void texts(const toml::table& table, std::string_view key, std::vector<std::string>& into) {
    const toml::node* node = find(table, key, false);
    if (node == nullptr) return;
    const auto* list = node->as_array();
    if (list == nullptr)
      return fail_at(node->source(), fmt::format("{} must be a list of texts", key), "use [\"…\"]");
    for (const auto& element : *list) {
      const auto* value = element.as_string();
      if (value == nullptr)
        return fail_at(element.source(), fmt::format("{} must contain texts only", key),
                       "use quotes");
      into.push_back(to_valid_utf8(value->get()));
    }
  }

  void compute_capability(const toml::table& table, DeviceSpec& device) {
    const toml::node* node = find(table, "compute_capability", true);
    if (node == nullptr) return;
    const auto* value = node->as_string();
    const std::string_view text =
        value != nullptr ? std::string_view(value->get()) : std::string_view();
    const auto dot = text.find('.');
    const auto number = [](std::string_view digits) {
      int result = -1;
      if (digits.empty() || digits.size() > 3) return result;
      for (const char c : digits) {
        if (c < '0' || c > '9') return -1;
        result = (result < 0 ? 0 : result * 10) + (c - '0');
      }
      return result;
    };
    const int major = dot == std::string_view::npos ? -1 : number(text.substr(0, dot));
    const int minor = dot == std::string_view::npos ? -1 : number(text.substr(dot + 1));
    if (major < 1 || minor < 0) {
      return fail_at(node->source(), "compute_capability must be a text such as \"9.0\"",
                     "put it in quotes, with a dot");
    }
    device.compute_major = major;
    device.compute_minor = minor;
  }

  void measured(const toml::table& table, std::string_view key,
                std::optional<MeasuredValue>& into) {
    const toml::node* node = find(table, key, false);
    if (node == nullptr) return;
    const auto* inner = node->as_table();
    if (inner == nullptr) {
      return fail_at(node->source(), fmt::format("{} must be a table with value and source", key),
                     "say where the value was measured");
    }
    check_keys(*inner, value_keys);
    MeasuredValue value;
    number(*inner, "value", value.value, true, std::numeric_limits<double>::min());
    text(*inner, "source", value.source, true);
    into = std::move(value);
  }

  // Calls read(table) for each [[key]].
  template <class Read>
  void each(const toml::table& root, std::string_view key, Read&& read) {
    const toml::node* node = find(root, key, false);
    if (node == nullptr) return;
    const auto* list = node->as_array();
    if (list == nullptr)
      return fail_at(node->source(), fmt::format("{} must be a list of tables", key),
                     "write [[…]]");
    for (const auto& element : *list) {
      const auto* table = element.as_table();
      if (table == nullptr)
        return fail_at(element.source(), fmt::format("{} must contain tables only", key),
                       "write [[…]]");
      read(*table);
    }
  }

  const toml::node* find(const toml::table& table, std::string_view key, bool required) {
    if (error_) return nullptr;
    const toml::node* node = table.get(key);
    if (node == nullptr && required) {
      fail_at(table.source(), fmt::format("a device description needs '{}'", key),
              fmt::format("add {} = …", key));
    }
    return node;
  }

 private:
  std::string file_;
  std::optional<Error> error_;
};

void read_limits(Reader& reader, const toml::table& root, DeviceSpec& device) {
  reader.each(root, "hidden_limit", [&](const toml::table& table) {
    reader.check_keys(table, limit_keys);
    HiddenLimit limit;
    reader.word(table, "algo", limit.algo);
    reader.word(table, "cell", limit.cell);
    reader.boolean(table, "backward", limit.backward);
    reader.integer(table, "accepted", limit.accepted, true);
    reader.integer(table, "rejected", limit.rejected, false);
    reader.text(table, "source", limit.source, true);
    if (limit.rejected != 0 && limit.rejected <= limit.accepted) {
      reader.fail_at(table.source(), "rejected must be larger than accepted",
                     "accepted is the largest size that ran, rejected the smallest that did not");
    }
    device.hidden_limits.push_back(std::move(limit));
  });
}

void read_crossovers(Reader& reader, const toml::table& root, DeviceSpec& device) {
  reader.each(root, "crossover", [&](const toml::table& table) {
    reader.check_keys(table, crossover_keys);
    PersistCrossover crossover;
    reader.word(table, "cell", crossover.cell);
    reader.word(table, "data_type", crossover.data_type);
    reader.integer(table, "hidden_size", crossover.hidden_size, true);
    reader.number(table, "batch_forward", crossover.batch_forward, false);
    reader.number(table, "batch_training", crossover.batch_training, false);
    reader.text(table, "source", crossover.source, true);
    device.crossovers.push_back(std::move(crossover));
  });
}

void read_peak(Reader& reader, const toml::table& root, DeviceSpec& device) {
  const toml::node* node = reader.find(root, "peak", false);
  if (node == nullptr) return;
  const auto* peak = node->as_table();
  if (peak == nullptr)
    return reader.fail_at(node->source(), "peak must be a table", "write [peak]");
  reader.check_keys(*peak, peak_keys);
  reader.number(*peak, "fp64", device.fp64_flops, false);
  reader.number(*peak, "fp32", device.fp32_flops, true, 1);
  reader.number(*peak, "tf32_tensor", device.tf32_tensor_flops, false);
  reader.number(*peak, "fp16", device.fp16_flops, false);
  reader.number(*peak, "fp16_tensor", device.fp16_tensor_flops, false);
  reader.number(*peak, "bf16_tensor", device.bf16_tensor_flops, false);
}

void read_measured(Reader& reader, const toml::table& root, DeviceSpec& device) {
  const toml::node* node = reader.find(root, "measured", false);
  if (node == nullptr) return;
  const auto* table = node->as_table();
  if (table == nullptr)
    return reader.fail_at(node->source(), "measured must be a table", "write [measured]");
  reader.check_keys(*table, measured_keys);
  reader.text(*table, "cudnn_version", device.cudnn_version, false);
  reader.measured(*table, "bandwidth", device.measured_bandwidth);
  reader.measured(*table, "fp16_tensor", device.measured_fp16_tensor_flops);
  reader.measured(*table, "kernel_launch_seconds", device.kernel_launch_seconds);
  reader.measured(*table, "grid_sync_seconds", device.grid_sync_seconds);
  reader.measured(*table, "persist_backward_hidden", device.persist_backward_hidden);
}

}  // namespace

Result<DeviceSpec> read_device_toml(std::string_view text, std::string_view file) {
  const auto parsed = toml_text::parse_toml(text, file);
  if (!parsed) return fail(parsed.error());
  const toml::table& root = *parsed;
  Reader reader(file);
  std::vector<std::string_view> keys(spec_keys.begin(), spec_keys.end());
  keys.insert(keys.end(), other_keys.begin(), other_keys.end());
  reader.check_keys(root, keys);

  DeviceSpec device;
  reader.text(root, "id", device.id, true);
  reader.text(root, "name", device.name, true);
  reader.texts(root, "aliases", device.aliases);
  reader.text(root, "architecture", device.architecture, false);
  reader.compute_capability(root, device);
  reader.integer(root, "sm_count", device.sm_count, true, 1, 100000);
  constexpr std::int64_t most_bytes = std::int64_t{1} << 50;
  reader.integer(root, "memory_bytes", device.memory_bytes, true, 1, most_bytes);
  reader.integer(root, "l2_bytes", device.l2_bytes, false, 0, most_bytes);
  reader.integer(root, "shared_memory_per_sm", device.shared_memory_per_sm, true, 1, most_bytes);
  reader.integer(root, "shared_memory_per_block", device.shared_memory_per_block, true, 1,
                 most_bytes);
  reader.integer(root, "registers_per_sm", device.registers_per_sm, true, 1, most_bytes);
  reader.number(root, "memory_bandwidth", device.memory_bandwidth, false, 1);
  reader.number(root, "boost_clock_hz", device.boost_clock_hz, true, 1);
  reader.text(root, "source", device.source, true);
  read_peak(reader, root, device);
  read_measured(reader, root, device);
  read_limits(reader, root, device);
  read_crossovers(reader, root, device);
  if (reader.error()) return fail(*reader.error());
  return device;
}

Result<DeviceSpec> read_device_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return fail(ErrorCode::io,
                fmt::format("cannot open the device description '{}'", to_valid_utf8(path)),
                "check the path; shipped devices are named without .toml");
  }
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad())
    return fail(ErrorCode::io, fmt::format("cannot read '{}'", to_valid_utf8(path)),
                "check the file");
  return read_device_toml(text.str(), path);
}

}  // namespace rnnadvisor
