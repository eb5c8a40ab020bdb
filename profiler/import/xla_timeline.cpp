#include "profiler/import/xla_timeline.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include "core/base/text.h"
#include "core/config/read_config.h"

namespace rnnadvisor::import_trace {
namespace {

// "value" of " key:value" in details as XLA writes them: "regs:16 grid:1,1,1", with a space or a
// line's end between.
std::string_view detail(std::string_view details, std::string_view key) {
  for (std::size_t at = 0; (at = details.find(key, at)) != std::string_view::npos; ++at) {
    if (at > 0 && details[at - 1] != ' ' && details[at - 1] != '\n') continue;
    const auto value = details.substr(at + key.size());
    return value.substr(0, value.find_first_of(" \n"));
  }
  return {};
}

std::int64_t number_of(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::clamp<std::int64_t>(value, 0, std::int64_t{1} << 50U);
}

int small_number(std::string_view text) {
  const auto value = number_of(text);
  return value <= std::numeric_limits<int>::max() ? static_cast<int>(value) : 0;
}

std::array<int, 3> three_of(std::string_view text) {
  std::array<int, 3> numbers{};
  for (auto& number : numbers) {
    const auto comma = std::min(text.find(','), text.size());
    number = small_number(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return numbers;
}

// CUpti_ActivityMemcpyKind of "kind_src:pinned kind_dst:device"; 0: not known. As the kinds of
// memory are not known to the call itself, the name of the event tells where they are missing.
int copy_kind_of(const XlaEvent& event) {
  const auto letter = [&](std::string_view key) {
    const auto kind = detail(event.copy, key);
    if (kind == "device" || kind == "managed" || kind == "device_static") return 'D';
    if (kind == "pageable" || kind == "pinned") return 'H';
    return kind == "array" ? 'A' : '?';
  };
  const char pair[] = {letter("kind_src:"), letter("kind_dst:")};
  const std::string_view both(pair, 2);
  constexpr std::array<std::string_view, 9> kinds = {"HD", "DH", "HA", "AH", "AA",
                                                     "AD", "DA", "DD", "HH"};
  if (const auto at = std::find(kinds.begin(), kinds.end(), both); at != kinds.end())
    return static_cast<int>(at - kinds.begin()) + 1;
  if (event.name == "MemcpyH2D") return 1;
  if (event.name == "MemcpyD2H") return 2;
  return event.name == "MemcpyD2D" ? 8 : event.name == "MemcpyP2P" ? 10 : 0;
}

// XLA names a launch by its kernel, all other calls of the driver by their function or by what
// they do ("cuStreamSynchronize", "MemcpyD2H").
std::string api_name(std::string_view name) {
  const bool upper = name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z';
  if ((name.starts_with("cu") && upper) || name.starts_with("Mem")) return to_valid_utf8(name);
  return "cuLaunchKernel";
}

}  // namespace

void XlaTimeline::know(std::vector<XlaRnnCall> calls, std::string jax_version) {
  known_ = std::move(calls);
  jax_version_ = std::move(jax_version);
  jax_ = !known_.empty() || !jax_version_.empty();
  std::map<std::string, int> layers;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    known_by_name_[known_[i].name].push_back(static_cast<int>(i));
    const std::string layer = known_[i].config ? to_json_line(*known_[i].config) : std::string();
    layer_of_.push_back(layers.try_emplace(layer, static_cast<int>(layers.size())).first->second);
  }
}

int XlaTimeline::add_device(std::int64_t number, DeviceSpec known) {
  const int index = profile_.add_device(host_ + "/" + std::to_string(number), std::move(known));
  devices_[number] = index;
  return index;
}

int XlaTimeline::process() {
  if (process_ < 0) {
    Process process;
    process.host = host_;
    process.pid = pid_;
    process_ = profile_.add_process(process);
  }
  return process_;
}

// Programs of one name are told apart by their number, where the file has it.
int XlaTimeline::known_of(const XlaEvent& event) const {
  if (event.op.empty()) return -1;
  const auto named = known_by_name_.find(event.op);
  if (named == known_by_name_.end()) return -1;
  int found = -1;
  for (const int each : named->second) {
    const auto& call = known_[static_cast<std::size_t>(each)];
    if (!event.module.empty() && call.module != event.module) continue;
    if (call.program == event.program && event.program != 0) return each;
    if (call.program == 0 || event.program == 0) found = each;
  }
  return found;
}

void XlaTimeline::take_part(const XlaEvent& event, int device) {
  const int known = known_of(event);
  if (known < 0) return;
  Part part;
  part.known = known;
  part.device = device;
  part.correlation = event.correlation;
  part.execution = event.scope;
  part.kernel = !event.kernel.empty();
  part.launch = {0, event.start_ns, event.end_ns};
  const auto has = [&](std::string_view word) {
    return event.name.find(word) != std::string_view::npos;
  };
  if (has("OutputRearrangement")) part.mark = Part::Mark::output;
  if (has("InputRearrangement") || has("CopySeqLength")) part.mark = Part::Mark::input;
  part.unequal = has("CopySeqLength");
  if (has("_bp2")) part.mark = Part::Mark::weights;
  parts_.push_back(part);
}

void XlaTimeline::take_gpu(const XlaEvent& event) {
  jax_ = jax_ || event.module.starts_with("jit_") || event.module.starts_with("pmap_");
  const auto fill = [&](auto& record) {
    record.start_ns = event.start_ns;
    record.end_ns = event.end_ns;
    record.correlation = std::max<std::int64_t>(event.correlation, 0);
    record.device = event.device;
    record.stream = event.stream < 0 || event.stream > std::numeric_limits<int>::max()
                        ? 0
                        : static_cast<int>(event.stream);
    record.process = process();
  };
  if (!event.kernel.empty()) {
    KernelRecord record;
    fill(record);
    record.name = to_valid_utf8(event.name);
    record.grid = three_of(detail(event.kernel, "grid:"));
    record.block = three_of(detail(event.kernel, "block:"));
    record.registers = small_number(detail(event.kernel, "regs:"));
    record.shared_static = number_of(detail(event.kernel, "static_shared:"));
    record.shared_dynamic = number_of(detail(event.kernel, "dynamic_shared:"));
    profile_.add(record);
  } else if (!event.copy.empty() || !event.set.empty()) {
    TransferRecord record;
    fill(record);
    if (event.copy.empty()) {
      record.operation = MemoryOperation::set;
      record.bytes = number_of(detail(event.set, "num_bytes:"));
    } else {
      record.kind = copy_kind_of(event);
      record.bytes = number_of(detail(event.copy, "size:"));
    }
    profile_.add(record);
  } else {
    ++other_events_;
    return;
  }
  ++gpu_records_;
  take_part(event, event.device);
}

void XlaTimeline::take_host(const XlaEvent& event) {
  if (event.correlation > 0) {
    ApiRecord record;
    record.start_ns = event.start_ns;
    record.end_ns = event.end_ns;
    record.correlation = event.correlation;
    record.thread = event.thread;
    record.name = api_name(event.name);
    record.driver = true;
    record.process = process();
    profile_.add(record);
    if (!known_.empty())
      launches_[event.correlation] = {event.thread, event.start_ns, event.end_ns};
  } else if (event.step >= 0) {
    NvtxRecord record;
    record.start_ns = event.start_ns;
    record.end_ns = event.end_ns;
    record.thread = event.thread;
    record.process = process();
    record.domain = "jax.profiler";
    record.name = to_valid_utf8(event.name);
    record.payload = event.step;
    profile_.add(record);
    steps_.push_back({event.start_ns, event.end_ns});
  } else if (known_by_name_.find(event.name) != known_by_name_.end()) {
    executed_[{event.thread, std::string(event.name)}].push_back({event.start_ns, event.end_ns});
  }
}

const XlaTimeline::Range* XlaTimeline::around(const Part& part) const {
  const auto& name = known_[static_cast<std::size_t>(part.known)].name;
  const auto found = executed_.find({part.launch.thread, name});
  if (found == executed_.end()) return nullptr;
  const auto& ranges = found->second;
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), part.launch.start_ns,
                       [](std::int64_t time, const Range& each) { return time < each.start_ns; });
  if (after == ranges.begin()) return nullptr;
  const Range& before = *std::prev(after);
  return part.launch.start_ns <= before.end_ns ? &before : nullptr;
}

void XlaTimeline::sort_parts() {
  for (auto& [place, ranges] : executed_)
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.start_ns < b.start_ns; });
  for (auto& part : parts_) {
    if (const auto launch = launches_.find(part.correlation); launch != launches_.end())
      part.launch = launch->second;
    if (part.execution != 0) continue;
    if (const auto* range = around(part)) part.execution = range->start_ns;
  }
  launches_ = {};
  std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
    return std::tuple(a.device, a.launch.thread, a.launch.start_ns) <
           std::tuple(b.device, b.launch.thread, b.launch.start_ns);
  });
}

int XlaTimeline::add_call(const Part& part, Phase phase, Range host, int forward) {
  const auto& known = known_[static_cast<std::size_t>(part.known)];
  ImportedProfile::Call call;
  RnnCall& c = call.record.call;
  c.phase = phase;
  c.process = process();
  c.thread = part.launch.thread;
  c.device = part.device;
  c.host_start_ns = host.start_ns;
  c.host_end_ns = std::max(host.end_ns, host.start_ns);
  c.workspace_bytes = known.workspace_bytes;
  c.reserve_bytes = known.reserve_bytes;
  c.forward = forward;
  call.record.site = known.site;
  if (known.config) call.config = &*known.config;
  call.program.name = Framework::jax;
  if (!jax_version_.empty()) call.program.version = jax_version_;
  call.program.cudnn_enabled = true;
  call.device_lengths = true;
  const int index = profile_.add_call(std::move(call));
  if (index < 0) return -1;
  if (!known.config) ++unknown_calls_;
  return index;
}

// jaxlib/gpu/rnn_kernels.cc: one call of cudnnRNNForward, or of cudnnRNNBackwardData_v8 and then of
// cudnnRNNBackwardWeights_v8. Before it the lengths are copied to the host, which is no part of it.
void XlaTimeline::add_execution(Parts::const_iterator first, Parts::const_iterator last) {
  const auto* operation = around(*first);
  first = std::find_if(first, last, [](const Part& part) { return part.kernel; });
  if (first == last) return;
  const auto& known = known_[static_cast<std::size_t>(first->known)];
  if (!known.lengths_known &&
      std::any_of(first, last, [](const Part& part) { return part.unequal; }))
    ++unknown_lengths_;
  const std::int64_t end =
      std::max(operation != nullptr ? operation->end_ns : 0, std::prev(last)->launch.end_ns);
  const auto attribute = [&](Parts::const_iterator from, Parts::const_iterator to, int call) {
    for (auto part = from; call >= 0 && part != to; ++part)
      profile_.attribute(part->correlation, call, process());
  };
  auto& open = open_[{layer_of_[static_cast<std::size_t>(first->known)], first->device}];
  if (known.forward) {
    // Always for training (CUDNN_FWD_MODE_TRAINING).
    const int made = add_call(*first, Phase::forward_training, {first->launch.start_ns, end}, -1);
    if (made < 0) return;
    attribute(first, last, made);
    open.push_back(made);
    forwards_.emplace_back(first->launch.start_ns, made);
    return;
  }
  int forward = -1;
  if (!open.empty()) {
    forward = open.back();
    open.pop_back();
  }
  // Backward data writes its result in the layout of the program before backward weights reads its
  // input from there.
  const auto written =
      std::find_if(first, last, [](const Part& part) { return part.mark == Part::Mark::output; });
  auto weights =
      std::find_if(written, last, [](const Part& part) { return part.mark == Part::Mark::input; });
  if (weights == last)
    weights = std::find_if(first, last,
                           [](const Part& part) { return part.mark == Part::Mark::weights; });
  const std::int64_t boundary = weights == last ? end : weights->launch.start_ns;
  attribute(first, weights,
            add_call(*first, Phase::backward_data, {first->launch.start_ns, boundary}, forward));
  attribute(weights, last, add_call(*first, Phase::backward_weights, {boundary, end}, forward));
}

// A step begins with the first forward pass in it.
void XlaTimeline::mark_steps() {
  std::sort(forwards_.begin(), forwards_.end());
  for (const auto& step : steps_) {
    const auto first =
        std::lower_bound(forwards_.begin(), forwards_.end(), std::pair(step.start_ns, -1));
    if (first != forwards_.end() && first->first <= step.end_ns)
      profile_.begins_step(first->second);
  }
}

void XlaTimeline::finish() {
  if (process_ >= 0 && jax_) {
    Process& process = profile_.process(process_);
    process.framework = "jax";
    process.framework_version = jax_version_;
  }
  sort_parts();
  struct Execution {
    std::int64_t start_ns = 0;
    Parts::const_iterator first, last;
  };
  std::vector<Execution> executions;
  for (auto first = parts_.cbegin(); first != parts_.cend();) {
    const auto last = std::find_if(first, parts_.cend(), [&](const Part& part) {
      return std::tie(part.device, part.launch.thread, part.known, part.execution) !=
             std::tie(first->device, first->launch.thread, first->known, first->execution);
    });
    executions.push_back({first->launch.start_ns, first, last});
    first = last;
  }
  std::stable_sort(executions.begin(), executions.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  for (const auto& execution : executions) add_execution(execution.first, execution.last);
  mark_steps();
  profile_.note(NoteSeverity::info, "lengths-not-recorded",
                "RNN operations had sequences of unequal lengths, which a profile of XLA does not "
                "have where they are not constants: they are taken to be of full length",
                unknown_lengths_);
  profile_.note(NoteSeverity::info, "events-unknown",
                "events of a GPU are neither a kernel nor a copy nor a memset: they were passed "
                "over",
                other_events_);
}

}  // namespace rnnadvisor::import_trace
