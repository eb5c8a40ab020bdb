#include "profiler/import/cudnn_log_records.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "core/base/text.h"

namespace rnnadvisor::import_trace {
namespace {

constexpr std::size_t most_fields = 500;  // cudnnRNNForward of 9.19 has 70
constexpr std::size_t most_depth = 16;

// "… number" at the beginning of `text`, which then begins behind it.
template <class Number>
bool take_number(std::string_view& text, Number& number, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// What stands behind `name`, to the next ';' or the end.
std::string_view part_of(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + name.size());
  return text.substr(0, text.find(';'));
}

// Whose contents a profile can hold.
bool describes_layer(std::string_view function) {
  constexpr std::array<std::string_view, 6> known = {
      "cudnnRNNForward",          "cudnnRNNBackwardData_v8",   "cudnnRNNBackwardWeights_v8",
      "cudnnSetRNNDescriptor_v8", "cudnnSetRNNDataDescriptor", "cudnnGetRNNTempSpaceSizes"};
  return std::find(known.begin(), known.end(), function) != known.end();
}

// https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html, "Deprecated"
// functions of cudnn_adv_infer and cudnn_adv_train.
bool is_legacy(std::string_view function) {
  constexpr std::array<std::string_view, 8> known = {
      "cudnnRNNForwardInference",  "cudnnRNNForwardInferenceEx", "cudnnRNNForwardTraining",
      "cudnnRNNForwardTrainingEx", "cudnnRNNBackwardData",       "cudnnRNNBackwardDataEx",
      "cudnnRNNBackwardWeights",   "cudnnRNNBackwardWeightsEx"};
  return std::find(known.begin(), known.end(), function) != known.end();
}

}  // namespace

std::string_view LogRecord::field(std::string_view path) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == path; });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view LogRecord::word(std::string_view path) const {
  std::string_view text = field(path);
  if (text.size() > 1 && text.front() == '"' && text.back() == '"')
    return text.substr(1, text.size() - 2);
  if (const auto bracket = text.rfind(" ("); bracket != std::string_view::npos)
    text = text.substr(0, bracket);
  return text;
}

std::optional<std::int64_t> LogRecord::number(std::string_view path) const {
  std::string_view text = field(path);
  std::int64_t value = 0;
  if (!take_number(text, value) || !text.empty()) return std::nullopt;
  return value;
}

std::vector<std::int64_t> LogRecord::numbers(std::string_view path) const {
  std::string_view text = field(path);
  std::vector<std::int64_t> values;
  if (!take(text, "[")) return values;
  for (std::int64_t value = 0; take_number(text, value);) {
    values.push_back(value);
    if (!take(text, ",")) break;
  }
  return values;
}

std::optional<std::int64_t> parse_log_time(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!take_number(text, year) || !take(text, "-") || !take_number(text, month) ||
      !take(text, "-") || !take_number(text, day) || !take(text, "T") || !take_number(text, hour) ||
      !take(text, ":") || !take_number(text, minute) || !take(text, ":") ||
      !take_number(text, second))
    return std::nullopt;
  std::int64_t fraction = 0;
  if (take(text, ".")) {
    const std::size_t before = text.size();
    if (!take_number(text, fraction) || fraction < 0) return std::nullopt;
    std::size_t digits = before - text.size();
    if (digits > 9) return std::nullopt;
    for (; digits < 9; ++digits) fraction *= 10;
  }
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year),
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  // To 2100: within what a profile's clock can hold.
  if (!date.ok() || year < 1970 || year > 2100 || hour < 0 || hour > 23 || minute < 0 ||
      minute > 59 || second < 0 || second > 60)
    return std::nullopt;
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
  return seconds * 1'000'000'000 + fraction;
}

void LogRecords::add(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (begin(line)) return;
  if (line.find_first_not_of(" \t") == std::string_view::npos) return;
  const bool ours =
      line.size() > 1 && line[1] == '!' && (line[0] == 'i' || line[0] == 'e' || line[0] == 'w');
  if (!ours) {
    ++foreign_;
    return;
  }
  if (!open_) return;  // of a record whose beginning was cut off
  if (line[0] != letter_) {
    mixed_ = true;
    return;
  }
  const std::string_view text = line.substr(2);
  if (record_.time_ns >= 0) {
    if (add_place(text)) close(true);
    return;
  }
  if (add_time(text) || !wanted_) return;
  if (record_.refusal) {
    add_refusal(text);
  } else {
    add_field(text);
  }
}

void LogRecords::finish() {
  if (open_) close(false);
}

// "I! CuDNN (v91900 56) function cudnnRNNForward() called:", also behind what a program printed
// without ending its line.
bool LogRecords::begin(std::string_view line) {
  constexpr std::string_view opening = "! CuDNN (v";
  const auto at = line.find(opening);
  if (at == std::string_view::npos || at == 0) return false;
  const char letter = line[at - 1];
  if (letter != 'I' && letter != 'E' && letter != 'W') return false;
  std::string_view rest = line.substr(at + opening.size());
  LogRecord record;
  record.refusal = letter != 'I';
  if (!take_number(rest, record.version) || record.version <= 0) return false;
  const auto name = rest.find(") function ");
  const auto end = rest.find("() called:");
  if (name == std::string_view::npos || end == std::string_view::npos || end < name) return false;
  record.function =
      to_valid_utf8(rest.substr(name + 11, std::min<std::size_t>(end - name - 11, 100)));
  if (at > 1) ++foreign_;
  if (open_) close(false);
  record_ = std::move(record);
  open_structs_.clear();
  open_ = true;
  mixed_ = false;
  letter_ = static_cast<char>(letter - 'A' + 'a');
  wanted_ = record_.refusal ? record_.function.find("RNN") != std::string::npos
                            : describes_layer(record_.function);
  ++records_;
  legacy_ += !record_.refusal && is_legacy(record_.function) ? 1 : 0;
  return true;
}

// "        algo: type=cudnnRNNAlgo_t; val=CUDNN_RNN_ALGO_STANDARD (0);",
// "    x: location=dev; addr=0x7ff876000000;" or "    rnnDesc: type=cudnnRNNDescriptor_t:".
void LogRecords::add_field(std::string_view text) {
  const auto depth = text.find_first_not_of(' ');
  const auto colon = text.find(": ");
  if (depth == std::string_view::npos || colon == std::string_view::npos || colon < depth) return;
  while (!open_structs_.empty() && open_structs_.back().first >= depth) open_structs_.pop_back();
  std::string path = open_structs_.empty() ? "" : open_structs_.back().second + ".";
  path += text.substr(depth, std::min<std::size_t>(colon - depth, 60));
  std::string_view rest = text.substr(colon + 2);
  while (!rest.empty() && rest.back() == ' ') rest.remove_suffix(1);
  if (!rest.empty() && rest.back() == ':') {
    if (open_structs_.size() < most_depth) open_structs_.emplace_back(depth, std::move(path));
    return;
  }
  auto at = rest.find("; val=");
  if (at == std::string_view::npos) at = rest.find("; addr=");
  if (at == std::string_view::npos) return;
  std::string_view value = rest.substr(rest.find('=', at) + 1);
  if (!value.empty() && value.back() == ';') {
    value.remove_suffix(1);
  } else if (value != "NULL") {  // "paddingFill: type=INVALID_DATA_TYPE; val=NULL" of bfloat16
    mixed_ = true;               // another line was written into this one, or its end was cut off
  }
  // No structure has a name twice.
  if (!record_.field(path).empty() || record_.fields.size() >= most_fields) {
    mixed_ = true;
    return;
  }
  record_.fields.emplace_back(std::move(path), value);
}

// "        Error: CUDNN_STATUS_BAD_PARAM; Reason: currentSeqLength < 0 || …". The first is where it
// was refused, the others are who had called that.
void LogRecords::add_refusal(std::string_view text) {
  const auto at = text.find("CUDNN_STATUS_");
  if (at == std::string_view::npos || !record_.status.empty()) return;
  record_.status = text.substr(at, text.find(';', at) - at);
  const auto reason = text.find("Reason: ");
  if (reason == std::string_view::npos) return;
  text = text.substr(reason + 8);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  record_.reason = to_valid_utf8(text.substr(0, 500));
}

// " Time: 2026-11-28T22:19:52.550466 (0d+0h+0m+6s since start)"
bool LogRecords::add_time(std::string_view text) {
  if (!take(text, " Time: ")) return false;
  if (const auto time = parse_log_time(text)) {
    record_.time_ns = *time;
  } else {
    mixed_ = true;
  }
  return true;
}

// " Process=2804; Thread=2866; GPU=0; Handle=0x7ff81e3730f0; StreamId=(nil) (defaultStream)."
bool LogRecords::add_place(std::string_view text) {
  const auto number = [&](std::string_view name, std::int64_t most) -> std::int64_t {
    std::string_view part = part_of(text, name);
    std::int64_t value = 0;
    return take_number(part, value) && value >= 0 && value <= most ? value : -1;
  };
  record_.process = number("Process=", std::int64_t{1} << 40);
  if (record_.process < 0) return false;
  record_.thread = number("Thread=", std::int64_t{1} << 62);
  record_.gpu = static_cast<int>(number("GPU=", 1024));
  std::string_view stream = part_of(text, "StreamId=");
  if (stream.starts_with("0x")) {
    stream = stream.substr(0, stream.find_first_of(" ."));
    record_.stream = to_valid_utf8(stream.substr(0, 20));
  }
  return true;
}

void LogRecords::close(bool whole) {
  open_ = false;
  if (!wanted_) return;
  record_.whole = whole && !mixed_;
  damaged_ += record_.whole ? 0 : 1;
  take_(record_);
}

}  // namespace rnnadvisor::import_trace
