#include "profiler/import/xplane.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/base/protobuf_wire.h"
#include "core/base/text.h"
#include "profiler/import/xla_timeline.h"
#include "profiler/profile/check.h"

namespace rnnadvisor::import_trace {
namespace {

constexpr std::size_t most_text = 65536;  // bytes; names of kernels may have thousands
constexpr std::string_view gpu_prefix = "/device:GPU:";

// Stats of events that are of use here.
enum class Stat : std::uint8_t {
  other,
  correlation,
  scope,
  kernel,
  copy,
  set,
  module,
  op,
  program,
  step
};

Stat stat_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Stat> stats = {
      {"correlation_id", Stat::correlation}, {"scope_range_id", Stat::scope},
      {"kernel_details", Stat::kernel},      {"memcpy_details", Stat::copy},
      {"Memset_details", Stat::set},         {"memset_details", Stat::set},
      {"hlo_module", Stat::module},          {"hlo_op", Stat::op},
      {"program_id", Stat::program},         {"step_num", Stat::step}};
  const auto found = stats.find(name);
  return found == stats.end() ? Stat::other : found->second;
}

struct Value {
  std::uint64_t id = 0;
  std::int64_t number = -1;     // -1: none
  std::string text;             // of its own
  std::uint64_t reference = 0;  // a text that is the name of this stat; 0: none
};

// Any map entry: a number and a message.
struct Entry {
  std::uint64_t key = 0;
  WireField message;
};

// What stands behind the events of a plane.
struct Plane {
  WireField field;
  std::string name;
  std::unordered_map<std::uint64_t, std::string> stats, events;  // names by id
  std::unordered_map<std::uint64_t, Stat> wanted;
  std::vector<Value> own;  // stats of the plane itself

  const std::string& stat(std::uint64_t id) const { return text_of(stats, id); }
  const std::string& event(std::uint64_t id) const { return text_of(events, id); }
  const std::string& text(const Value& value) const {
    return value.reference == 0 ? value.text : stat(value.reference);
  }
  Stat kind(std::uint64_t id) const {
    const auto found = wanted.find(id);
    return found == wanted.end() ? Stat::other : found->second;
  }
  // A stat of the plane; null: not there.
  const Value* own_stat(std::string_view wanted_name) const {
    const auto found = std::find_if(
        own.begin(), own.end(), [&](const Value& value) { return stat(value.id) == wanted_name; });
    return found == own.end() ? nullptr : &*found;
  }

 private:
  static const std::string& text_of(const std::unordered_map<std::uint64_t, std::string>& texts,
                                    std::uint64_t id) {
    static const std::string none;
    const auto found = texts.find(id);
    return found == texts.end() ? none : found->second;
  }
};

std::int64_t number_of(const Plane& plane, const Value& value) {
  if (value.number >= 0) return value.number;
  const auto& text = plane.text(value);
  std::int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "13.0" of "13000".
std::string cuda_version_of(std::int64_t version) {
  return version <= 0 ? std::string() : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

class XplaneReader {
 public:
  XplaneReader(FileBytes& file, const std::string& host, ImportedProfile& profile)
      : file_(file), host_(host), profile_(profile) {}

  XplaneRead run() {
    read_planes();
    XlaTimeline timeline(profile_, host_);
    timeline.know(std::move(known_), jax_version());
    describe_environment(timeline);
    for (const auto& plane : planes_) {
      read_lines(plane, timeline);
    }
    timeline.finish();
    add_notes();
    result_.gpu_records = timeline.gpu_records();
    result_.unknown_calls = timeline.unknown_calls();
    return result_;
  }

 private:
  // The fields of a message in turn; a message that is cut off ends the file.
  template <class Take>
  void each(const WireField& message, const Take& take) {
    WireReader reader(file_, message);
    WireField field;
    while (reader.next(field)) take(field);
    result_.whole = result_.whole && !reader.damaged();
  }

  void read_planes() {
    WireField all;
    all.end = file_.size();
    std::uint64_t at = 0;
    WireReader reader(file_, all);
    // The end of a compressed file is where nothing more comes.
    for (WireField field; !file_.view(at, 1).empty();) {
      if (!reader.next(field)) {
        result_.whole = false;
        break;
      }
      at = reader.at();
      if (field.type != WireType::bytes) continue;
      if (field.number == 1) planes_.push_back(read_plane(field));
      if (field.number == 4 && field.end > field.begin)
        host_ = to_valid_utf8(wire_text(file_, field, 256));
    }
    result_.any_plane = !planes_.empty();
  }

  Plane read_plane(const WireField& field) {
    Plane plane;
    plane.field = field;
    each(field, [&](const WireField& part) {
      if (part.number == 2) plane.name = wire_text(file_, part);
      if (part.type != WireType::bytes) return;
      if (part.number == 4) read_event_metadata(part, plane);
      if (part.number == 5) {
        const auto entry = read_entry(part);
        auto name = name_of(entry.message);
        if (const Stat stat = stat_of(name); stat != Stat::other)
          plane.wanted.emplace(entry.key, stat);
        plane.stats.emplace(entry.key, std::move(name));
      }
      if (part.number == 6) plane.own.push_back(read_value(part));
    });
    return plane;
  }

  Entry read_entry(const WireField& field) {
    Entry entry;
    each(field, [&](const WireField& part) {
      if (part.number == 1) entry.key = part.value;
      if (part.number == 2 && part.type == WireType::bytes) entry.message = part;
    });
    return entry;
  }

  std::string name_of(const WireField& metadata) {
    std::string name;
    each(metadata, [&](const WireField& part) {
      if (part.number == 2) name = wire_text(file_, part, most_text);
    });
    return name;
  }

  // Of the metadata plane: a program that XLA compiled, "jit_train(3976)" with its number.
  void read_event_metadata(const WireField& field, Plane& plane) {
    const bool program = plane.name == "/host:metadata";
    const auto entry = read_entry(field);
    const auto known_before = known_.size();
    std::string name;
    each(entry.message, [&](const WireField& part) {
      if (part.number == 2) name = wire_text(file_, part, most_text);
      if (program && part.number == 5 && part.type == WireType::bytes)
        each(part, [&](const WireField& value) {
          if (value.number == 6 && value.type == WireType::bytes)
            read_xla_module(file_, value, known_);
        });
    });
    const auto number = name.rfind('(');
    for (auto i = known_before; i < known_.size() && number != std::string::npos; ++i)
      std::from_chars(name.data() + number + 1, name.data() + name.size(), known_[i].program);
    plane.events.emplace(entry.key, std::move(name));
  }

  Value read_value(const WireField& field) {
    Value value;
    each(field, [&](const WireField& part) {
      switch (part.number) {
        case 1:
          value.id = part.value;
          break;
        case 3:
        case 4:
          value.number = part.value <= static_cast<std::uint64_t>(latest_time_ns)
                             ? static_cast<std::int64_t>(part.value)
                             : static_cast<std::int64_t>(part.value >> 1U);
          break;
        case 5:
          value.text = wire_text(file_, part, most_text);
          break;
        case 7:
          value.reference = part.value;
          break;
        default:
          break;
      }
    });
    return value;
  }

  const Plane* plane_named(std::string_view name) const {
    const auto found = std::find_if(planes_.begin(), planes_.end(),
                                    [&](const Plane& plane) { return plane.name == name; });
    return found == planes_.end() ? nullptr : &*found;
  }

  std::string metadata_text(std::string_view name) const {
    const auto* plane = plane_named("/host:metadata");
    const auto* value = plane == nullptr ? nullptr : plane->own_stat(name);
    return value == nullptr ? std::string() : plane->text(*value);
  }

  std::string jax_version() const {
    const auto version = metadata_text("jax_version");
    return version == "unknown" ? std::string() : to_valid_utf8(version);
  }

  void describe_environment(XlaTimeline& timeline) {
    auto& environment = profile_.environment();
    environment.host = host_;
    const auto version = [&](std::string_view name) {
      const auto text = metadata_text(name);
      std::int64_t number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      return cuda_version_of(number);
    };
    environment.cuda_driver_version = version("cuda_driver_version");
    environment.cuda_runtime_version = version("cuda_runtime_version");
    if (const auto* metadata = plane_named("/host:metadata"))
      if (const auto* pid = metadata->own_stat("process_id")) timeline.set_pid(pid->number);
    if (const auto* task = plane_named("Task Environment")) {
      if (const auto* start = task->own_stat("profile_start_time"))
        base_ns_ = std::clamp<std::int64_t>(start->number, 0, latest_time_ns / 2);
    }
  }

  DeviceSpec device_of(const Plane& plane) const {
    DeviceSpec spec;
    const auto number = [&](std::string_view name, std::int64_t most) {
      const auto* value = plane.own_stat(name);
      const auto found = value == nullptr ? 0 : number_of(plane, *value);
      return found > 0 && found <= most ? found : 0;
    };
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    spec.name = "unknown GPU";
    if (const auto* name = plane.own_stat("gpu_device_name"); name != nullptr)
      if (const auto& text = plane.text(*name); !text.empty())
        spec.name = to_valid_utf8(text.substr(0, 200));
    spec.compute_major = static_cast<int>(number("compute_cap_major", most));
    spec.compute_minor = static_cast<int>(number("compute_cap_minor", most));
    spec.sm_count = static_cast<int>(number("core_count", most));
    spec.memory_bytes = number("memory_size", std::int64_t{1} << 50U);
    return spec;
  }

  void read_lines(const Plane& plane, XlaTimeline& timeline) {
    if (plane.name.starts_with(gpu_prefix)) {
      std::int64_t number = -1;
      const std::string_view text = std::string_view(plane.name).substr(gpu_prefix.size());
      std::from_chars(text.data(), text.data() + text.size(), number);
      const int device = timeline.add_device(number, device_of(plane));
      lines_of(plane, [&](const Plane& of, std::int64_t stream, std::int64_t start_ns,
                          const WireField& event) {
        read_event(of, start_ns, event, [&](XlaEvent& read) {
          read.device = device;
          read.stream = stream;
          timeline.take_gpu(read);
        });
      });
    } else if (plane.name == "/host:CPU" || plane.name == "/host:CUPTI") {
      lines_of(plane, [&](const Plane& of, std::int64_t thread, std::int64_t start_ns,
                          const WireField& event) {
        read_event(of, start_ns, event, [&](XlaEvent& read) {
          read.thread = thread;
          timeline.take_host(read);
        });
      });
    } else if (!plane.name.empty() && plane.name != "Task Environment" &&
               !plane.name.starts_with("/host:")) {
      other_planes_.push_back(to_valid_utf8(plane.name));
    }
  }

  // Lines of a GPU that XLA derives from the others ("XLA Modules", "Steps") repeat them.
  template <class Take>
  void lines_of(const Plane& plane, const Take& take) {
    const bool gpu = plane.name.starts_with(gpu_prefix);
    each(plane.field, [&](const WireField& line) {
      if (line.number != 3 || line.type != WireType::bytes) return;
      std::int64_t id = -1, start_ns = 0;
      bool of_use = true;
      each(line, [&](const WireField& part) {
        // The low half, as viewers show it: threads of the host have hashes for numbers.
        if (part.number == 1) id = static_cast<std::int64_t>(part.value & 0xffffffffU);
        if (part.number == 2 && gpu) of_use = wire_text(file_, part).starts_with("Stream #");
        if (part.number == 3)
          start_ns = static_cast<std::int64_t>(std::min(part.value, std::uint64_t{latest_time_ns}));
        if (part.number == 4 && part.type == WireType::bytes && of_use)
          take(plane, id, start_ns, part);
      });
    });
  }

  template <class Take>
  void read_event(const Plane& plane, std::int64_t start_ns, const WireField& field,
                  const Take& take) {
    constexpr std::uint64_t ps = 1000;
    std::uint64_t id = 0, offset_ps = 0, duration_ps = 0;
    bool python = false;  // a function of Python, which are most of all events
    XlaEvent event;
    values_.clear();
    each(field, [&](const WireField& part) {
      if (python) return;
      if (part.number == 1) {
        id = part.value;
        python = plane.event(id).starts_with('$');
      }
      if (part.number == 2) offset_ps = part.value;
      if (part.number == 3) duration_ps = part.value;
      if (part.number == 4 && part.type == WireType::bytes) values_.push_back(read_value(part));
    });
    if (python) return;
    const auto name = plane.events.find(id);
    if (name == plane.events.end()) {
      ++nameless_;
      return;
    }
    event.name = name->second;
    for (const auto& value : values_) {
      const Stat stat = plane.kind(value.id);
      if (stat == Stat::other) continue;
      const std::string_view text = plane.text(value);
      switch (stat) {
        case Stat::correlation:
          event.correlation = number_of(plane, value);
          break;
        case Stat::scope:
          event.scope = std::max<std::int64_t>(number_of(plane, value), 0);
          break;
        case Stat::kernel:
          event.kernel = text;
          break;
        case Stat::copy:
          event.copy = text;
          break;
        case Stat::set:
          event.set = text;
          break;
        case Stat::module:
          event.module = text;
          break;
        case Stat::op:
          event.op = text;
          break;
        case Stat::program:
          event.program =
              static_cast<std::uint64_t>(std::max<std::int64_t>(number_of(plane, value), 0));
          break;
        case Stat::step:
          event.step = number_of(plane, value);
          break;
        case Stat::other:
          break;
      }
    }
    // Lines count from the beginning of the recording, or from 1970 where it is not told apart.
    const std::int64_t base = start_ns < base_ns_ ? start_ns + base_ns_ : start_ns;
    const auto bounded = [&](std::uint64_t value) {
      return static_cast<std::int64_t>(
          std::min(value / ps, static_cast<std::uint64_t>(latest_time_ns / 4)));
    };
    event.start_ns = base + bounded(offset_ps);
    event.end_ns = event.start_ns + bounded(duration_ps);
    take(event);
  }

  void add_notes() {
    profile_.note(NoteSeverity::info, "events-unknown",
                  "events have no name in the file: they were passed over", nameless_);
    for (const auto& name : other_planes_)
      profile_.note(NoteSeverity::info, "planes-unknown",
                    fmt::format("the plane '{}' is of a kind that rnnadvisor does not read",
                                printable(name)));
  }

  FileBytes& file_;
  std::string host_;
  ImportedProfile& profile_;
  XplaneRead result_;
  std::vector<Plane> planes_;
  std::vector<XlaRnnCall> known_;
  std::vector<Value> values_;  // of the event that is read
  std::vector<std::string> other_planes_;
  std::int64_t nameless_ = 0, base_ns_ = 0;
};

}  // namespace

XplaneRead read_xplane(FileBytes& file, const std::string& host, ImportedProfile& profile) {
  return XplaneReader(file, host, profile).run();
}

// A plane as the first field, which begins with its number and its name or with the name alone.
bool is_xplane(std::string_view head) {
  if (!head.starts_with('\n')) return false;
  // How long the plane is does not matter: more of it than these bytes.
  std::size_t at = 1;
  while (at < head.size() && (static_cast<unsigned char>(head[at]) & 0x80U) != 0) ++at;
  FileBytes bytes{std::string(head)};
  WireReader reader(bytes, at + 1, bytes.size());
  WireField part;
  for (int i = 0; i < 2 && reader.next(part); ++i) {
    if (part.number != 2) continue;
    const auto name = wire_text(bytes, part);
    return name.starts_with("/host:") || name.starts_with("/device:") || name == "Task Environment";
  }
  return false;
}

}  // namespace rnnadvisor::import_trace
