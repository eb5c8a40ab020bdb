#include "core/device/measured_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/embedded.h"
#include "core/base/text.h"
#include "core/config/read_config.h"

namespace rnnadvisor {
namespace embedded {
std::span<const EmbeddedFile> device_times();
std::span<const EmbeddedFile> device_fits();
}  // namespace embedded

namespace {

using Json = nlohmann::ordered_json;

constexpr int known_version = 1;
constexpr std::string_view times_ending = ".times.jsonl";
constexpr std::string_view fits_ending = ".fits.txt";
constexpr double longest_ms = 1e9;  // eleven days: no call of cuDNN's

tl::unexpected<Error> fail_at(std::string_view file, int line, std::string message,
                              std::string remedy, ErrorCode code = ErrorCode::parse) {
  return fail(Error{code,
                    std::move(message),
                    std::move(remedy),
                    SourcePosition{to_valid_utf8(file), line, 0},
                    {}});
}

Result<void> read_header(const Json& json, std::string_view file, int line, MeasuredTimes& into) {
  const auto version = json.find("times_version");
  if (version == json.end() || !version->is_number_integer()) {
    return fail_at(file, line, "the first line of a file of times must have times_version",
                   "let `rnnadvisor calibrate` write the file");
  }
  if (*version != known_version) {
    return fail_at(file, line,
                   fmt::format("times_version is {}, but this rnnadvisor knows {}", version->dump(),
                               known_version),
                   "measure again with `rnnadvisor calibrate`, or use a newer rnnadvisor",
                   ErrorCode::newer_version);
  }
  for (const auto& [key, text] : {std::pair{"device", &into.device},
                                  {"cudnn", &into.cudnn_version},
                                  {"driver", &into.driver_version},
                                  {"cpu", &into.cpu},
                                  {"date", &into.date},
                                  {"command", &into.command},
                                  {"adapts", &into.adapts}}) {
    const auto found = json.find(key);
    if (found == json.end()) continue;
    if (!found->is_string()) {
      return fail_at(file, line, fmt::format("{} must be a text", key), "put it in quotes");
    }
    *text = to_valid_utf8(found->get<std::string>());
  }
  const auto choices = json.find("choices");
  if (choices != json.end()) {
    if (!choices->is_object())
      return fail_at(file, line, "choices must be an object", "leave it out");
    for (const auto& [key, numbers] : choices->items()) {
      std::vector<double>& list = into.choices[to_valid_utf8(key)];
      for (const auto& number : numbers) {
        if (!number.is_number())
          return fail_at(file, line, "choices must be lists of numbers", "leave them out");
        list.push_back(number.get<double>());
      }
    }
  }
  if (into.device.empty())
    return fail_at(file, line, "times need the device they were measured on",
                   "add \"device\": \"NVIDIA …\"");
  return {};
}

Result<void> read_ms(const Json& json, std::string_view file, int line, MeasuredRow& row) {
  const auto ms = json.find("ms");
  if (ms == json.end() || !ms->is_object()) {
    return fail_at(file, line, "this configuration has no times",
                   "add \"ms\": {\"forward_training\": …}");
  }
  for (const auto& [key, value] : ms->items()) {
    const auto phase = parse_enum<Phase>(key);
    if (!phase) {
      return fail_at(file, line, fmt::format("'{}' is no phase", to_valid_utf8(key)),
                     fmt::format("use one of: {}", fmt::join(Spellings<Phase>::values, ", ")));
    }
    const double number = value.is_number() ? value.get<double>() : 0;
    if (!(number > 0 && number < longest_ms)) {
      return fail_at(file, line, fmt::format("the time of {} is no positive number", key),
                     "leave a phase out that did not run");
    }
    row.seconds[static_cast<std::size_t>(*phase)] = number * 1e-3;
  }
  return {};
}

// What a reader of the file looks for first.
constexpr std::array<std::string_view, 6> told = {"cell",        "algo",       "data_type",
                                                  "hidden_size", "batch_size", "seq_length"};

// Only what differs from the defaults, so that a thousand rows stay small.
Json short_config(const RnnConfig& config) {
  const Json whole = Json::parse(to_json_line(config));
  RnnConfig plain;
  plain.input_size = plain.proj_size = plain.hidden_size = config.hidden_size;
  plain.math_precision = natural_math_precision(config.data_type);
  plain.padded_io = !config.packed();
  const Json defaults = Json::parse(to_json_line(plain));
  Json kept = Json::object();
  for (const auto& [key, value] : whole.items()) {
    const auto same = defaults.find(key);
    const bool always = std::find(told.begin(), told.end(), key) != told.end();
    if (always || same == defaults.end() || *same != value) kept[key] = value;
  }
  return kept;
}

// The text of a file that travels in the program for a device; empty where there is none.
std::string_view embedded_for(std::span<const EmbeddedFile> files, const DeviceSpec& device,
                              std::string_view ending) {
  // A slice of a GPU (MIG) has its name and fewer multiprocessors: another machine for times.
  const auto shipped = find_device(device.id);
  if (shipped && shipped->sm_count != device.sm_count) return {};
  for (const EmbeddedFile& file : files)
    if (file.name == device.id + std::string(ending)) return file.text;
  return {};
}

}  // namespace

Result<MeasuredTimes> read_measured_times(std::string_view text, std::string_view file) {
  MeasuredTimes times;
  bool header = false;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    if (!header) {
      const Json json = Json::parse(line, nullptr, false);
      if (!json.is_object())
        return fail_at(file, number, "this is no file of times", "its first line must be JSON");
      if (auto read = read_header(json, file, number, times); !read) return fail(read.error());
      header = true;
      continue;
    }
    // The reader of configurations first: it knows every way in which a line can be wrong.
    auto input = read_json_line(line, file, number);
    if (!input) return fail(std::move(input.error()));
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object())
      return fail_at(file, number, "this line is no JSON object", "write one object a line");
    MeasuredRow row;
    row.config = std::move(input->config);
    if (auto read = read_ms(json, file, number, row); !read) return fail(read.error());
    times.rows.push_back(std::move(row));
  }
  if (!header)
    return fail_at(file, 0, "the file of times is empty", "measure with `rnnadvisor calibrate`");
  return times;
}

Result<MeasuredTimes> read_measured_times_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) {
    return fail(ErrorCode::io,
                fmt::format("cannot read the measured times '{}'", to_valid_utf8(path)),
                "check the file and its permissions");
  }
  return read_measured_times(text.str(), path);
}

std::string write_measured_times(const MeasuredTimes& times) {
  Json header = {
      {"times_version", known_version}, {"device", times.device}, {"cudnn", times.cudnn_version},
      {"driver", times.driver_version}, {"cpu", times.cpu},       {"date", times.date},
      {"command", times.command}};
  if (!times.adapts.empty()) header["adapts"] = times.adapts;
  for (const auto& [key, numbers] : times.choices) {
    Json& list = header["choices"][key] = Json::array();
    for (const double number : numbers) list.push_back(Json::parse(fmt::format("{:.4g}", number)));
  }
  std::string out = header.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (const MeasuredRow& row : times.rows) {
    Json json = short_config(row.config);
    Json ms = Json::object();
    for (const Phase phase : all_phases) {
      if (row.at(phase) > 0)
        ms[std::string(to_string(phase))] = Json::parse(fmt::format("{:.6g}", row.at(phase) * 1e3));
    }
    json["ms"] = std::move(ms);
    out += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return out;
}

std::string times_path(std::string_view description_path) {
  constexpr std::string_view toml = ".toml";
  if (description_path.ends_with(toml)) description_path.remove_suffix(toml.size());
  return std::string(description_path) + std::string(times_ending);
}

Result<std::optional<MeasuredTimes>> find_measured_times(std::string_view name,
                                                         const DeviceSpec& device) {
  if (name.ends_with(".toml")) {
    const std::string path = times_path(name);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return std::nullopt;
    auto times = read_measured_times_file(path);
    if (!times) return fail(std::move(times.error()));
    return std::optional(std::move(*times));
  }
  const std::string_view text = embedded_for(embedded::device_times(), device, times_ending);
  if (text.empty()) return std::nullopt;
  auto times = read_measured_times(text, device.id + std::string(times_ending));
  if (!times) return fail(std::move(times.error()));
  return std::optional(std::move(*times));
}

std::string_view find_stored_fits(std::string_view name, const DeviceSpec& device) {
  if (name.ends_with(".toml")) return {};
  return embedded_for(embedded::device_fits(), device, fits_ending);
}

}  // namespace rnnadvisor
