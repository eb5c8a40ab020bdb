#include "profiler/import/chrome_trace.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rnnadvisor::import_trace {
namespace {

namespace json = rapidjson;

// RapidJSON's input: a buffer that is filled again when it is empty.
class ByteStream {
 public:
  using Ch = char;
  explicit ByteStream(const TraceReading& reading)
      : reading_(reading), buffer_(std::max<std::size_t>(reading.buffer_bytes, 1)) {
    fill();
  }
  Ch Peek() const { return at_ < end_ ? buffer_[at_] : '\0'; }
  Ch Take() {
    const Ch taken = Peek();
    if (at_ == end_) return taken;
    ++at_;
    if (at_ == end_) fill();
    return taken;
  }
  std::size_t Tell() const { return before_ + at_; }
  bool at_end() const { return at_ == end_; }
  // For writing in place, which is not done.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  std::size_t PutEnd(Ch*) { return 0; }

 private:
  void fill() {
    before_ += end_;
    at_ = 0;
    end_ = reading_.read(buffer_.data(), buffer_.size());
  }

  const TraceReading& reading_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0, before_ = 0;
};

enum class Key {
  other,
  events,
  devices,
  distributed,
  base,
  driver,
  runtime,
  cupti,
  record_shapes,
  with_stack,
  rank,
  world_size,
  phase,
  category,
  name,
  start,
  duration,
  process,
  thread,
  args,
  external_id,
  correlation,
  sequence,
  device,
  stream,
  bytes,
  registers,
  shared_memory,
  grid,
  block,
  inputs,
  types,
  dims,
  id,
  memory,
  major,
  minor,
  sms,
  shared_per_block,
  shared_per_sm,
  registers_per_sm
};

Key key_of(std::string_view text) {
  static const std::unordered_map<std::string_view, Key> keys = {
      {"traceEvents", Key::events},
      {"deviceProperties", Key::devices},
      {"distributedInfo", Key::distributed},
      {"baseTimeNanoseconds", Key::base},
      {"cuda_driver_version", Key::driver},
      {"cuda_runtime_version", Key::runtime},
      {"cupti_version", Key::cupti},
      {"record_shapes", Key::record_shapes},
      {"with_stack", Key::with_stack},
      {"rank", Key::rank},
      {"world_size", Key::world_size},
      {"ph", Key::phase},
      {"cat", Key::category},
      {"name", Key::name},
      {"ts", Key::start},
      {"dur", Key::duration},
      {"pid", Key::process},
      {"tid", Key::thread},
      {"args", Key::args},
      {"External id", Key::external_id},
      {"external id", Key::external_id},
      {"correlation", Key::correlation},
      {"Sequence number", Key::sequence},
      {"device", Key::device},
      {"stream", Key::stream},
      {"bytes", Key::bytes},
      {"registers per thread", Key::registers},
      {"shared memory", Key::shared_memory},
      {"grid", Key::grid},
      {"block", Key::block},
      {"Concrete Inputs", Key::inputs},
      {"Input type", Key::types},
      {"Input Dims", Key::dims},
      {"id", Key::id},
      {"totalGlobalMem", Key::memory},
      {"computeMajor", Key::major},
      {"computeMinor", Key::minor},
      {"numSms", Key::sms},
      {"sharedMemPerBlockOptin", Key::shared_per_block},
      {"sharedMemPerMultiprocessor", Key::shared_per_sm},
      {"regsPerMultiprocessor", Key::registers_per_sm}};
  const auto found = keys.find(text);
  return found == keys.end() ? Key::other : found->second;
}

// "5047322805172.664" times `scale` (a power of ten) as a whole number, exactly: as a double such a
// time has no room for its nanoseconds. -1: no number, or too large for one.
std::int64_t whole(std::string_view text, std::int64_t scale) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 20;
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  std::int64_t value = 0;
  bool point = false;
  for (const char c : digits) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      if (point && scale == 1) continue;
      if (value > most) return -1;
      value = value * 10 + (c - '0');
      if (point) scale /= 10;
    } else {
      const double real =
          std::strtod(std::string(text).c_str(), nullptr) * static_cast<double>(scale);
      return std::abs(real) < 9e18 ? static_cast<std::int64_t>(real) : -1;
    }
  }
  for (; scale > 1; scale /= 10) {
    if (value > most) return -1;
    value *= 10;
  }
  return digits.size() < text.size() ? -value : value;
}

// Where in the file the reader is.
enum class In {
  file,
  top,
  events,
  event,
  args,
  texts,      // an array of texts: "Concrete Inputs", "Input type"
  numbers,    // "grid", "block"
  arguments,  // "Input Dims"
  argument,   // one of them
  tensor,     // one of a list of tensors
  devices,
  device,
  distributed,
  skipped
};

class Handler {
 public:
  Handler(const TraceReading& reading, TraceRead& read) : reading_(reading), read_(read) {}

  bool Null() { return true; }
  bool Bool(bool) { return true; }
  // Numbers come as texts (kParseNumbersAsStringsFlag).
  bool Int(int) { return true; }
  bool Uint(unsigned) { return true; }
  bool Int64(std::int64_t) { return true; }
  bool Uint64(std::uint64_t) { return true; }
  bool Double(double) { return true; }

  bool RawNumber(const char* text, json::SizeType size, bool) {
    number({text, size});
    return true;
  }
  bool String(const char* data, json::SizeType size, bool) {
    text({data, size});
    return true;
  }
  bool Key(const char* data, json::SizeType size, bool) {
    key_ = key_of({data, size});
    return true;
  }
  bool StartObject() { return enter(true); }
  bool StartArray() { return enter(false); }
  bool EndObject(json::SizeType) { return leave(); }
  bool EndArray(json::SizeType) { return leave(); }

 private:
  using K = import_trace::Key;
  // Deeper than anything that is kept; JSON may nest without end.
  static constexpr std::size_t deepest = 100;

  In here() const { return places_.empty() ? In::file : places_.back(); }

  In child(bool object) const {
    switch (here()) {
      case In::file:
        return object ? In::top : In::events;
      case In::top:
        if (!object && key_ == K::events) return In::events;
        if (!object && key_ == K::devices) return In::devices;
        if (object && key_ == K::distributed) return In::distributed;
        return In::skipped;
      case In::events:
        return object ? In::event : In::skipped;
      case In::event:
        return object && key_ == K::args ? In::args : In::skipped;
      case In::args:
        if (object) return In::skipped;
        if (key_ == K::inputs || key_ == K::types) return In::texts;
        if (key_ == K::grid || key_ == K::block) return In::numbers;
        return key_ == K::dims ? In::arguments : In::skipped;
      case In::arguments:
        return object ? In::skipped : In::argument;
      case In::argument:
        return object ? In::skipped : In::tensor;
      case In::devices:
        return object ? In::device : In::skipped;
      default:
        return In::skipped;
    }
  }

  bool enter(bool object) {
    if (places_.size() >= deepest) return false;
    const In place = child(object);
    if (place == In::event) clear();
    if (place == In::argument) event_.arguments.emplace_back();
    if (place == In::tensor) ++event_.arguments.back().tensors;
    if (place == In::device) read_.header.devices.emplace_back();
    if (place == In::devices) read_.header.by_kineto = true;
    if (place == In::numbers) number_ = 0;
    places_.push_back(place);
    return true;
  }

  bool leave() {
    const In place = here();
    places_.pop_back();
    if (place != In::event) return true;
    ++read_.events;
    read_.stopped = !reading_.event(event_, read_.header);
    return !read_.stopped;
  }

  // The next event. Texts and arrays keep their memory.
  void clear() {
    auto category = std::move(event_.category), name = std::move(event_.name);
    auto inputs = std::move(event_.inputs), types = std::move(event_.types);
    auto arguments = std::move(event_.arguments);
    event_ = {};
    category.clear();
    name.clear();
    inputs.clear();
    types.clear();
    arguments.clear();
    event_.category = std::move(category);
    event_.name = std::move(name);
    event_.inputs = std::move(inputs);
    event_.types = std::move(types);
    event_.arguments = std::move(arguments);
  }

  void text(std::string_view value) {
    switch (here()) {
      case In::event:
        if (key_ == K::phase) event_.phase = value.empty() ? '\0' : value.front();
        if (key_ == K::category) event_.category = value;
        if (key_ == K::name) event_.name = value;
        // Some writers have numbers in quotes.
        if (key_ == K::process || key_ == K::thread || key_ == K::start) {
          if (!value.empty() && value.find_first_not_of("0123456789.") == std::string_view::npos)
            number(value);
        }
        break;
      case In::args:
        if (key_ == K::name) event_.argument_name = value;
        break;
      case In::texts:
        (key_ == K::inputs ? event_.inputs : event_.types).emplace_back(value);
        break;
      case In::device:
        if (key_ == K::name) read_.header.devices.back().name = value;
        break;
      default:
        break;
    }
  }

  void number(std::string_view value) {
    switch (here()) {
      case In::top:
        number_of_header(value);
        break;
      case In::event:
        if (key_ == K::start) event_.start_ns = whole(value, 1000);
        if (key_ == K::duration) event_.duration_ns = whole(value, 1000);
        if (key_ == K::process) event_.process = whole(value, 1);
        if (key_ == K::thread) event_.thread = whole(value, 1);
        break;
      case In::args:
        if (auto* field = field_of_args()) *field = whole(value, 1);
        break;
      case In::numbers:
        if (number_ < 3)
          (key_ == K::grid ? event_.grid : event_.block)[number_++] = whole(value, 1);
        break;
      case In::texts:  // a number in place of its text
        (key_ == K::inputs ? event_.inputs : event_.types).emplace_back(value);
        break;
      case In::argument:
        event_.arguments.back().dims.push_back(whole(value, 1));
        break;
      case In::device:
        if (auto* field = field_of_device()) *field = whole(value, 1);
        break;
      case In::distributed:
        if (key_ == K::rank) read_.header.rank = whole(value, 1);
        if (key_ == K::world_size) read_.header.world_size = whole(value, 1);
        break;
      default:
        break;
    }
  }

  void number_of_header(std::string_view value) {
    auto& header = read_.header;
    const std::int64_t number = whole(value, 1);
    if (key_ == K::base && read_.events == 0) header.base_ns = std::max<std::int64_t>(number, 0);
    if (key_ == K::driver) header.driver_version = number;
    if (key_ == K::runtime) header.runtime_version = number;
    if (key_ == K::cupti) header.cupti_version = number;
    if (key_ == K::record_shapes) header.record_shapes = number == 1;
    if (key_ == K::with_stack) header.with_stack = number == 1;
    if (key_ == K::base || key_ == K::record_shapes) header.by_kineto = true;
  }

  std::int64_t* field_of_args() {
    switch (key_) {
      case K::external_id:
        return &event_.external_id;
      case K::correlation:
        return &event_.correlation;
      case K::sequence:
        return &event_.sequence_number;
      case K::device:
        return &event_.device;
      case K::stream:
        return &event_.stream;
      case K::bytes:
        return &event_.bytes;
      case K::registers:
        return &event_.registers;
      case K::shared_memory:
        return &event_.shared_memory;
      default:
        return nullptr;
    }
  }

  std::int64_t* field_of_device() {
    auto& device = read_.header.devices.back();
    switch (key_) {
      case K::id:
        return &device.id;
      case K::memory:
        return &device.memory_bytes;
      case K::major:
        return &device.compute_major;
      case K::minor:
        return &device.compute_minor;
      case K::sms:
        return &device.sm_count;
      case K::shared_per_block:
        return &device.shared_per_block;
      case K::shared_per_sm:
        return &device.shared_per_sm;
      case K::registers_per_sm:
        return &device.registers_per_sm;
      default:
        return nullptr;
    }
  }

  const TraceReading& reading_;
  TraceRead& read_;
  std::vector<In> places_;
  K key_ = K::other;
  std::size_t number_ = 0;
  TraceEvent event_;
};

}  // namespace

TraceRead read_chrome_trace(const TraceReading& reading) {
  TraceRead read;
  ByteStream stream(reading);
  Handler handler(reading, read);
  json::Reader parser;
  // Iterative: nesting costs no stack.
  constexpr unsigned flags = json::kParseNumbersAsStringsFlag | json::kParseIterativeFlag |
                             json::kParseNanAndInfFlag | json::kParseStopWhenDoneFlag;
  const auto result = parser.Parse<flags>(stream, handler);
  if (result.IsError() && !read.stopped) {
    read.cut_off =
        stream.at_end()
            ? fmt::format("it ends in the middle, at byte {}", result.Offset())
            : fmt::format("byte {}: {}", result.Offset(), json::GetParseError_En(result.Code()));
  }
  return read;
}

}  // namespace rnnadvisor::import_trace
