#include "profiler/import/kineto.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "profiler/profile/check.h"

namespace rnnadvisor::import_trace {
namespace {

int small(std::int64_t value) {
  return value < 0 || value > std::numeric_limits<int>::max() ? 0 : static_cast<int>(value);
}

std::array<int, 3> small(const std::array<std::int64_t, 3>& values) {
  return {small(values[0]), small(values[1]), small(values[2])};
}

// CUpti_ActivityMemcpyKind of "Memcpy HtoD (Pageable -> Device)"; 0: unknown.
int copy_kind(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, int>, 10> kinds = {{{"HtoD", 1},
                                                                       {"DtoH", 2},
                                                                       {"HtoA", 3},
                                                                       {"AtoH", 4},
                                                                       {"AtoA", 5},
                                                                       {"AtoD", 6},
                                                                       {"DtoA", 7},
                                                                       {"DtoD", 8},
                                                                       {"HtoH", 9},
                                                                       {"PtoP", 10}}};
  for (const auto& [word, kind] : kinds)
    if (name.find(word) != std::string_view::npos) return kind;
  return 0;
}

constexpr std::string_view step_prefix = "ProfilerStep#";

enum class Category {
  none,         // not read yet, or an event without one
  passed_over,  // in the file and of no use here
  host_operator,
  kernel,
  copy,
  set,
  runtime,
  driver,
  range,
  frame,
  overhead,
  unknown
};

struct CategoryName {
  std::string_view text;
  Category category;
};
// Names with capitals are those of PyTorch before 2.0. Passed over: the same ranges again on the
// GPU's side, flows between events, memory of PyTorch's own allocator, the profiler's own span.
constexpr auto category_names = std::to_array<CategoryName>(
    {{"cpu_op", Category::host_operator},  {"kernel", Category::kernel},
     {"cuda_runtime", Category::runtime},  {"cuda_driver", Category::driver},
     {"python_function", Category::frame}, {"ac2g", Category::passed_over},
     {"fwdbwd", Category::passed_over},    {"cpu_instant_event", Category::passed_over},
     {"gpu_memcpy", Category::copy},       {"gpu_memset", Category::set},
     {"user_annotation", Category::range}, {"gpu_user_annotation", Category::passed_over},
     {"overhead", Category::overhead},     {"cuda_sync", Category::passed_over},
     {"Trace", Category::passed_over},     {"async_gpu", Category::passed_over},
     {"async_cpu", Category::passed_over}, {"Operator", Category::host_operator},
     {"Kernel", Category::kernel},         {"Runtime", Category::runtime},
     {"Memcpy", Category::copy},           {"Memset", Category::set},
     {"async", Category::passed_over}});

Category category_of(const TraceEvent& event) {
  if (event.category.empty()) return Category::none;
  const auto found = std::ranges::find(category_names, event.category, &CategoryName::text);
  if (found == category_names.end()) return Category::unknown;
  // Steps were operators before there were categories of ranges.
  const bool step =
      found->category == Category::host_operator && event.name.starts_with(step_prefix);
  return step ? Category::range : found->category;
}

bool on_gpu(Category category) {
  return category == Category::kernel || category == Category::copy || category == Category::set;
}

}  // namespace

Wanted Kineto::wanted(const TraceEvent& event) {
  if (event.phase != '\0' && event.phase != 'X') return Wanted::no;
  const std::string_view name = event.name;
  switch (const Category category = category_of(event)) {
    case Category::none:
      return Wanted::all;  // may come yet
    case Category::passed_over:
      return Wanted::no;
    case Category::host_operator:
      return name.empty() || calls_rnn(name) ? Wanted::all : Wanted::without_args;
    case Category::runtime:
    case Category::driver:
      return Wanted::all;
    default:
      return on_gpu(category) ? Wanted::all : Wanted::without_args;
  }
}

void Kineto::take(const TraceEvent& event, const TraceHeader& header) {
  if (event.phase != 'X') return;
  const Category category = category_of(event);
  if (category == Category::none || category == Category::passed_over) return;
  Interval interval{event.start_ns, event.start_ns};
  if (event.start_ns < 0 || event.start_ns > latest_time_ns - header.base_ns) {
    interval = {0, 0};  // refused and counted where it is added
  } else {
    interval.start_ns += header.base_ns;
    const auto longest = latest_time_ns - interval.start_ns;
    interval.end_ns = interval.start_ns + std::clamp<std::int64_t>(event.duration_ns, 0, longest);
  }
  if (category != Category::frame && category != Category::unknown)
    see_process(event, !on_gpu(category) && category != Category::overhead);
  switch (category) {
    case Category::host_operator:
      return take_operator(event, interval);
    case Category::kernel:
      return take_kernel(event, interval, header);
    case Category::copy:
    case Category::set:
      return take_copy(event, interval, header, category == Category::set);
    case Category::runtime:
    case Category::driver:
      return take_api(event, interval, category == Category::driver);
    case Category::range:
      return take_range(event, interval);
    case Category::frame:
      return take_frame(event, interval);
    case Category::overhead: {
      OverheadRecord record;
      record.start_ns = interval.start_ns;
      record.end_ns = interval.end_ns;
      record.kind = to_valid_utf8(event.name);
      record.process = process_;
      profile_.add(record);
      return;
    }
    default:
      break;
  }
  constexpr std::size_t most_categories = 20;  // named
  if (unknown_events_.size() < most_categories || unknown_events_.contains(event.category)) {
    ++unknown_events_[event.category];
  } else {
    ++unknown_events_["others"];
  }
}

// All that the file has is of one process, whose number the first event of the host tells.
void Kineto::see_process(const TraceEvent& event, bool of_host) {
  if (process_ < 0) {
    Process process;
    process.framework = "pytorch";
    process.host = host_;
    process_ = profile_.add_process(process);
  }
  if (pid_ < 0 && of_host && event.process > 0) pid_ = event.process;
}

int Kineto::device_of(std::int64_t ordinal, const TraceHeader& header) {
  const auto [entry, fresh] = devices_.try_emplace(ordinal, -1);
  if (!fresh) return entry->second;
  DeviceSpec spec;
  spec.name = "unknown GPU";
  for (const auto& known : header.devices) {
    if (known.id != ordinal) continue;
    spec.name = to_valid_utf8(known.name);
    spec.compute_major = small(known.compute_major);
    spec.compute_minor = small(known.compute_minor);
    spec.sm_count = small(known.sm_count);
    spec.memory_bytes = std::max<std::int64_t>(known.memory_bytes, 0);
    spec.shared_memory_per_block = small(known.shared_per_block);
    spec.shared_memory_per_sm = small(known.shared_per_sm);
    spec.registers_per_sm = small(known.registers_per_sm);
  }
  entry->second = profile_.add_device(host_ + "/" + std::to_string(ordinal), std::move(spec));
  return entry->second;
}

void Kineto::take_kernel(const TraceEvent& event, Interval interval, const TraceHeader& header) {
  ++gpu_records_;
  KernelRecord record;
  record.start_ns = interval.start_ns;
  record.end_ns = interval.end_ns;
  record.correlation = event.correlation;
  record.name = to_valid_utf8(event.name);
  record.device = device_of(event.device, header);
  record.stream = small(event.stream);
  record.process = process_;
  record.grid = small(event.grid);
  record.block = small(event.block);
  record.registers = small(event.registers);
  record.shared_dynamic = std::max<std::int64_t>(event.shared_memory, 0);  // and static: their sum
  if (devices_.size() > 1) device_of_correlation_[event.correlation] = record.device;
  profile_.add(record);
}

void Kineto::take_copy(const TraceEvent& event, Interval interval, const TraceHeader& header,
                       bool set) {
  ++gpu_records_;
  TransferRecord record;
  record.start_ns = interval.start_ns;
  record.end_ns = interval.end_ns;
  record.correlation = event.correlation;
  record.bytes = std::max<std::int64_t>(event.bytes, 0);
  if (set) {
    record.operation = MemoryOperation::set;
  } else {
    record.kind = copy_kind(event.name);
  }
  record.device = device_of(event.device, header);
  record.stream = small(event.stream);
  record.process = process_;
  profile_.add(record);
}

void Kineto::take_api(const TraceEvent& event, Interval interval, bool driver) {
  ApiRecord record;
  record.start_ns = interval.start_ns;
  record.end_ns = interval.end_ns;
  record.correlation = event.correlation;
  record.thread = event.thread;
  record.name = to_valid_utf8(event.name);
  record.driver = driver;
  record.process = process_;
  profile_.add(record);
  if (event.correlation > 0)
    launches_.push_back({event.thread, interval.start_ns, event.external_id, event.correlation});
}

void Kineto::take_operator(const TraceEvent& event, Interval interval) {
  ++operators_;
  Operator op;
  static_cast<Interval&>(op) = interval;
  op.thread = event.thread;
  op.external_id = event.external_id;
  op.sequence = event.sequence_number;
  if (event.name == forward_operator || event.name == backward_operator) {
    op.kind = event.name == forward_operator ? Operator::Kind::forward : Operator::Kind::backward;
    op.described = describe(event);
  } else if (event.name == backward_node) {
    op.kind = Operator::Kind::node;
  } else if (const int steps = packed_steps(event); steps > 0) {
    op.kind = Operator::Kind::layer;
    op.described = steps;
  } else {
    if (event.name == "aten::zeros") zeros_[event.thread].push_back(interval.start_ns);
    return;
  }
  rnn_.push_back(op);
}

// Operators of equal arguments share a description.
int Kineto::describe(const TraceEvent& event) {
  std::string key = event.name;
  for (const auto& text : event.inputs) key.append(1, '\n').append(text);
  for (const auto& text : event.types) key.append(1, '\t').append(text);
  for (const auto& argument : event.arguments) {
    key += '|';
    for (const auto size : argument.dims) key.append(1, ',').append(std::to_string(size));
  }
  const auto [entry, fresh] = description_of_.try_emplace(std::move(key), -1);
  if (!fresh) return entry->second;
  if (auto op = read_torch_operator(event)) {
    entry->second = static_cast<int>(descriptions_.size());
    descriptions_.push_back(std::move(*op));
  }
  return entry->second;
}

void Kineto::take_range(const TraceEvent& event, Interval interval) {
  NvtxRecord record;
  record.start_ns = interval.start_ns;
  record.end_ns = interval.end_ns;
  record.thread = event.thread;
  record.process = process_;
  record.domain = "torch.profiler";
  record.name = to_valid_utf8(event.name);
  if (event.name.starts_with(step_prefix)) {
    // One name for all steps; which one it is stands beside it.
    const std::string_view number = std::string_view(event.name).substr(step_prefix.size());
    std::int64_t step = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), step);
    if (error == std::errc() && end == number.data() + number.size()) {
      record.name = step_prefix.substr(0, step_prefix.size() - 1);
      record.payload = step;
      steps_.push_back(interval);
    }
  }
  profile_.add(record);
}

// "torch/nn/modules/rnn.py(1162): forward"; functions without a file have no line of the program.
void Kineto::take_frame(const TraceEvent& event, Interval interval) {
  const std::string_view name = event.name;
  const auto open = name.find('('), close = name.find("): ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      open == 0)
    return;
  int line = 0;
  const auto [end, error] = std::from_chars(name.data() + open + 1, name.data() + close, line);
  if (error != std::errc() || end != name.data() + close || line < 0) return;
  const auto [entry, fresh] = place_of_.try_emplace(event.name, static_cast<int>(places_.size()));
  if (fresh)
    places_.push_back(
        {to_valid_utf8(name.substr(0, open)), to_valid_utf8(name.substr(close + 3)), line});
  Frame frame;
  static_cast<Interval&>(frame) = interval;
  frame.place = entry->second;
  frames_[event.thread].push_back(frame);
}

}  // namespace rnnadvisor::import_trace
