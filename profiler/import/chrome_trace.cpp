#include "profiler/import/chrome_trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "profiler/import/json_text.h"

namespace rnnadvisor::import_trace {
namespace {

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
  module,
  details,
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

struct Name {
  std::string_view text;
  Key key = Key::other;
};
constexpr std::array<Name, 46> heads = {{{"traceEvents", Key::events},
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
                                         {"correlation_id", Key::correlation},
                                         {"hlo_module", Key::module},
                                         {"kernel_details", Key::details},
                                         {"memcpy_details", Key::details},
                                         {"Memset_details", Key::details},
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
                                         {"regsPerMultiprocessor", Key::registers_per_sm}}};

// Where a name is looked for first: a trace has millions of them.
constexpr std::size_t slots = 256;
constexpr std::size_t slot_of(std::string_view text) {
  const auto at = [&](std::size_t i) -> std::size_t { return static_cast<unsigned char>(text[i]); };
  return (text.size() * 37 + at(0) * 11 + at(text.size() - 1) * 5 + at(text.size() / 2)) % slots;
}
constexpr std::array<Name, slots> make_table() {
  std::array<Name, slots> table{};
  for (const auto& name : heads) {
    std::size_t slot = slot_of(name.text);
    while (!table[slot].text.empty()) slot = (slot + 1) % slots;
    table[slot] = name;
  }
  return table;
}

Key key_of(std::string_view text) {
  static constexpr auto table = make_table();
  if (text.empty()) return Key::other;
  for (std::size_t slot = slot_of(text); !table[slot].text.empty(); slot = (slot + 1) % slots)
    if (table[slot].text == text) return table[slot].key;
  return Key::other;
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

bool is_number(char first) { return first == '-' || (first >= '0' && first <= '9'); }

class TraceReader {
 public:
  TraceReader(const TraceReading& reading, TraceRead& read)
      : reading_(reading), read_(read), json_(reading.read, reading.buffer_bytes) {}

  void run() {
    const char first = json_.next();
    bool done = false;
    if (first == '{') {
      json_.advance();
      done = members();
    } else if (first == '[') {
      done = events();
    } else {
      done = json_.pass_over();
    }
    if (!done && !read_.stopped) read_.cut_off = json_.problem();
  }

 private:
  using K = import_trace::Key;

  // Of the whole file. What lies beside the events may be longer than what fits into memory.
  bool members() {
    if (json_.next() == '}') return true;
    for (;;) {
      K key = K::other;
      if (json_.next() != '"') return json_.mistake("the name of a value is missing");
      const bool named = json_.whole([&] {
        std::string_view name;
        if (!json_.text(name)) return false;
        key = key_of(name);
        return true;
      });
      if (!named) return false;
      if (json_.next() != ':') return json_.mistake("a colon is missing");
      json_.advance();
      if (!member(key)) return false;
      const char after = json_.next();
      if (after != ',' && after != '}') return json_.mistake("a comma or } is missing");
      json_.advance();
      if (after == '}') return true;
    }
  }

  bool member(K key) {
    const char first = json_.next();
    if (first == '[' && key == K::events) return events();
    if (first == '[' && key == K::devices) {
      read_.header.by_kineto = true;
      return json_.whole([this] { return devices(); });
    }
    if (first == '{' && key == K::distributed) return json_.whole([this] { return distributed(); });
    if (!is_number(first)) return json_.pass_over();
    return json_.whole([&] {
      std::string_view number;
      if (!json_.number(number)) return false;
      number_of_header(key, number);
      return true;
    });
  }

  bool events() {
    json_.advance();
    if (json_.next() == ']') return json_.advance(), true;
    for (;;) {
      const bool object = json_.next() == '{';
      if (object ? !json_.whole([this] { return event(); }) : !json_.pass_over()) return false;
      if (object) {
        ++read_.events;
        if (wanted_ != Wanted::no) read_.stopped = !reading_.event(event_, read_.header);
        if (read_.stopped) return false;
      }
      const char after = json_.next();
      if (after != ',' && after != ']') return json_.mistake("a comma or ] is missing");
      json_.advance();
      if (after == ']') return true;
    }
  }

  bool event() {
    event_.clear();
    wanted_ = Wanted::all;
    bool rest = false;
    const bool read = json_.object([&](std::string_view name) {
      const K key = key_of(name);
      const char first = json_.token();
      if (first == '{' && key == K::args && wanted_ == Wanted::all) return args();
      std::string_view value;
      if (first == '"') {
        if (!json_.text(value)) return false;
        text_of_event(key, value);
      } else if (is_number(first)) {
        if (!json_.number(value)) return false;
        number_of_event(key, value);
      } else {
        return json_.skip();
      }
      rest = wanted_ == Wanted::no;
      return !rest;
    });
    return read || (rest && json_.skip_rest());
  }

  void text_of_event(K key, std::string_view value) {
    if (key == K::phase) event_.phase = value.empty() ? '\0' : value.front();
    if (key == K::category) event_.category = value;
    if (key == K::name) event_.name = value;
    if (key == K::phase || key == K::category || key == K::name) {
      if (reading_.wanted) wanted_ = reading_.wanted(event_);
      return;
    }
    // Some writers have numbers in quotes.
    if ((key == K::process || key == K::thread || key == K::start) && !value.empty() &&
        value.find_first_not_of("0123456789.") == std::string_view::npos)
      number_of_event(key, value);
  }

  void number_of_event(K key, std::string_view value) {
    if (key == K::start) event_.start_ns = whole(value, 1000);
    if (key == K::duration) event_.duration_ns = whole(value, 1000);
    if (key == K::process) event_.process = whole(value, 1);
    if (key == K::thread) event_.thread = whole(value, 1);
  }

  bool args() {
    return json_.object([this](std::string_view name) {
      const K key = key_of(name);
      const char first = json_.token();
      std::string_view value;
      if (first == '[') {
        if (key == K::inputs) return texts(event_.inputs);
        if (key == K::types) return texts(event_.types);
        if (key == K::grid) return numbers(event_.grid);
        if (key == K::block) return numbers(event_.block);
        return key == K::dims ? arguments() : json_.skip();
      }
      if (first == '"' && is_text_of_args(key)) {
        if (!json_.text(value)) return false;
        text_of_args(key, value);
        return true;
      }
      std::int64_t* const field = is_number(first) ? field_of_args(key) : nullptr;
      if (field == nullptr) return json_.skip();
      if (!json_.number(value)) return false;
      *field = whole(value, 1);
      return true;
    });
  }

  static bool is_text_of_args(K key) {
    return key == K::name || key == K::module || key == K::details || key == K::correlation;
  }
  void text_of_args(K key, std::string_view value) {
    if (key == K::name) event_.argument_name = value;
    if (key == K::module) event_.module = value;
    if (key == K::details) event_.details = value;
    if (key == K::correlation) event_.correlation = whole(value, 1);  // XLA has it in quotes
  }

  // Numbers in place of their texts as well.
  bool texts(std::vector<std::string>& into) {
    return json_.array([&] {
      std::string_view value;
      const char first = json_.token();
      const bool text = first == '"';
      if (!text && !is_number(first)) return json_.skip();
      if (text ? !json_.text(value) : !json_.number(value)) return false;
      into.emplace_back(value);
      return true;
    });
  }

  bool numbers(std::array<std::int64_t, 3>& into) {
    std::size_t count = 0;
    return json_.array([&] {
      std::string_view value;
      if (!is_number(json_.token())) return json_.skip();
      if (!json_.number(value)) return false;
      if (count < into.size()) into[count++] = whole(value, 1);
      return true;
    });
  }

  bool arguments() {
    return json_.array([this] {
      if (json_.token() != '[') return json_.skip();
      auto& argument = event_.arguments.emplace_back();
      return json_.array([&] {
        std::string_view value;
        const char first = json_.token();
        argument.tensors += first == '[' ? 1 : 0;
        if (!is_number(first)) return json_.skip();
        if (!json_.number(value)) return false;
        argument.dims.push_back(whole(value, 1));
        return true;
      });
    });
  }

  bool devices() {
    auto& all = read_.header.devices;
    all.clear();
    return json_.array([&] {
      if (json_.token() != '{') return json_.skip();
      auto& device = all.emplace_back();
      return json_.object([&](std::string_view name) {
        const K key = key_of(name);
        const char first = json_.token();
        std::string_view value;
        std::int64_t* const field = is_number(first) ? field_of(device, key) : nullptr;
        if (first == '"' && key == K::name) {
          if (!json_.text(value)) return false;
          device.name = value;
          return true;
        }
        if (field == nullptr) return json_.skip();
        if (!json_.number(value)) return false;
        *field = whole(value, 1);
        return true;
      });
    });
  }

  bool distributed() {
    return json_.object([this](std::string_view name) {
      const K key = key_of(name);
      if (!is_number(json_.token())) return json_.skip();
      std::string_view value;
      if (!json_.number(value)) return false;
      if (key == K::rank) read_.header.rank = whole(value, 1);
      if (key == K::world_size) read_.header.world_size = whole(value, 1);
      return true;
    });
  }

  void number_of_header(K key, std::string_view value) {
    auto& header = read_.header;
    const std::int64_t number = whole(value, 1);
    if (key == K::base && read_.events == 0) header.base_ns = std::max<std::int64_t>(number, 0);
    if (key == K::driver) header.driver_version = number;
    if (key == K::runtime) header.runtime_version = number;
    if (key == K::cupti) header.cupti_version = number;
    if (key == K::record_shapes) header.record_shapes = number == 1;
    if (key == K::with_stack) header.with_stack = number == 1;
    if (key == K::base || key == K::record_shapes) header.by_kineto = true;
  }

  std::int64_t* field_of_args(K key) {
    switch (key) {
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

  static std::int64_t* field_of(TraceDevice& device, K key) {
    switch (key) {
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
  JsonText json_;
  TraceEvent event_;
  Wanted wanted_ = Wanted::all;
};

}  // namespace

void TraceEvent::clear() {
  phase = '\0';
  for (auto* text : {&category, &name, &argument_name, &module, &details}) text->clear();
  for (auto* number : {&start_ns, &duration_ns, &process, &thread, &external_id, &correlation,
                       &sequence_number, &device, &stream, &bytes, &registers, &shared_memory})
    *number = -1;
  grid = block = {};
  inputs.clear();
  types.clear();
  arguments.clear();
}

TraceRead read_chrome_trace(const TraceReading& reading) {
  TraceRead read;
  TraceReader(reading, read).run();
  return read;
}

}  // namespace rnnadvisor::import_trace
