// ProcessSpool: the RNN calls of a process, their configurations, and launches of graphs that had
// captured one.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/launch/cudnn_numbers.h"
#include "profiler/launch/process_spool.h"
#include "profiler/profile/devices.h"
#include "profiler/spool/settings.h"

namespace rnnadvisor::launch {
namespace {

bool is_execution(spool::Entry entry) {
  return entry == spool::Entry::forward || entry == spool::Entry::backward_data ||
         entry == spool::Entry::backward_weights;
}

Phase phase_of(const spool::Call& call) {
  if (call.entry == spool::Entry::backward_data) return Phase::backward_data;
  if (call.entry == spool::Entry::backward_weights) return Phase::backward_weights;
  return call.training != 0 ? Phase::forward_training : Phase::forward_inference;
}

// Which argument a hook kept under each name. Backward data has the gradients of the states where
// the forward pass has the states.
CallPointer pointer_of(spool::Pointer pointer, bool backward_data) {
  switch (pointer) {
    case spool::Pointer::x:
      return CallPointer::x;
    case spool::Pointer::y:
      return CallPointer::y;
    case spool::Pointer::hx:
      return CallPointer::hx;
    case spool::Pointer::hy:
      return backward_data ? CallPointer::dhy : CallPointer::hy;
    case spool::Pointer::cx:
      return CallPointer::cx;
    case spool::Pointer::cy:
      return backward_data ? CallPointer::dcy : CallPointer::cy;
    case spool::Pointer::weights:
      return CallPointer::weights;
    case spool::Pointer::workspace:
      return CallPointer::workspace;
    case spool::Pointer::reserve:
      return CallPointer::reserve;
    case spool::Pointer::dy:
      return CallPointer::dy;
    case spool::Pointer::dx:
      return CallPointer::dx;
    case spool::Pointer::dw:
    case spool::Pointer::count:
      break;
  }
  return CallPointer::weight_gradients;
}

CallArguments arguments_of(const spool::Call& call) {
  CallArguments arguments;
  const bool backward_data = call.entry == spool::Entry::backward_data;
  for (std::size_t i = 0; i < static_cast<std::size_t>(spool::Pointer::count); ++i) {
    // 255 is null or no such argument, which look the same: not known.
    if (call.alignment[i] > 30) continue;
    const auto pointer = pointer_of(static_cast<spool::Pointer>(i), backward_data);
    arguments.alignment[static_cast<std::size_t>(pointer)] = std::int64_t{1} << call.alignment[i];
  }
  arguments.contiguous = (call.flags & (spool::call_h_not_packed | spool::call_c_not_packed)) == 0;
  return arguments;
}

std::int64_t size_or_none(std::uint64_t bytes) {
  return bytes > static_cast<std::uint64_t>(latest_time_ns) ? -1 : static_cast<std::int64_t>(bytes);
}

// As TensorFlow reads a variable for a switch (tsl/util/env_var.cc); nothing where it is not set,
// or holds what TensorFlow would refuse.
std::optional<bool> flag_of(const std::string* value) {
  if (value == nullptr) return std::nullopt;
  std::string lower = *value;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (lower == "1" || lower == "true") return true;
  if (lower == "0" || lower == "false") return false;
  return std::nullopt;
}

bool is_keras(Framework framework) {
  return framework == Framework::keras2 || framework == Framework::keras3;
}

// What a layer of Keras must be for cuDNN to have been called for it: keras2_cudnn() and
// keras3_cudnn() in advisor/facts/framework_model.h have the sources.
void add_keras_conditions(ProgramContext& program, const RnnConfig& config) {
  program.activation = "tanh";
  program.recurrent_activation = "sigmoid";
  program.recurrent_dropout = 0;
  program.unroll = false;
  program.use_bias = true;
  if (config.cell == Cell::gru) program.reset_after = true;
  program.jit_compile = false;
}

bool runs_python(const spool::Header& header) {
  const auto& path = header.executable;
  return path.compare(path.rfind('/') + 1, 6, "python") == 0;
}

}  // namespace

std::optional<FrameworkLibrary> ProcessSpool::framework_of_call(const spool::Call& call) {
  // A process can have several frameworks; the innermost frame says which one this call is of.
  if (const auto site = tables_.call_sites.find(call.call_site);
      site != tables_.call_sites.end() && site->second.framework_file != 0) {
    const auto file = site->second.framework_file;
    auto known = framework_files_.find(file);
    if (known == framework_files_.end())
      known = framework_files_.emplace(file, framework_of(tables_.text(file))).first;
    if (known->second) return known->second;
  }
  if (frameworks_.size() == 1) return with_keras(frameworks_.front());
  return std::nullopt;
}

const std::string* ProcessSpool::variable(std::string_view name) const {
  const auto found = std::find_if(variables_.begin(), variables_.end(),
                                  [&](const auto& v) { return v.first == name; });
  return found == variables_.end() ? nullptr : &found->second;
}

FrameworkLibrary ProcessSpool::with_keras(const FrameworkLibrary& framework) const {
  if (framework.name != Framework::tensorflow) return framework;
  const bool legacy = flag_of(variable("TF_USE_LEGACY_KERAS")).value_or(false);
  for (const auto& library : keras_imports_)
    if (const auto keras = keras_beside(library, legacy)) return *keras;
  return framework;
}

std::optional<KerasBackend> ProcessSpool::keras_backend() const {
  if (const auto* asked = variable("KERAS_BACKEND")) return parse_enum<KerasBackend>(*asked);
  std::optional<KerasBackend> only;
  for (const auto& library : frameworks_) {
    const auto backend = library.name == Framework::tensorflow ? KerasBackend::tensorflow
                         : library.name == Framework::pytorch  ? KerasBackend::torch
                                                               : KerasBackend::jax;
    if (only && *only != backend) return std::nullopt;
    only = backend;
  }
  return only;
}

ProgramContext ProcessSpool::context_of(const spool::Call& call, const RnnConfig& config) {
  ProgramContext program;
  if (const auto framework = framework_of_call(call)) {
    program.name = framework->name;
    if (!framework->version.empty()) program.version = framework->version;
    program.cudnn_enabled = true;  // or cuDNN would not have been called
    if (framework->name == Framework::pytorch) {
      // ATen/native/cudnn/RNN.cpp: packed sequences get the packed layout, and float data FMA where
      // TF32 is not allowed.
      program.packed_sequence = config.packed();
      if (config.data_type == DataType::float32)
        program.allow_tf32 = config.math_type != MathType::fma;
    }
  } else if (frameworks_.empty() && !runs_python(reader_.header())) {
    program.name = Framework::cudnn_api;
  }
  program.cublas_workspace_set = variable("CUBLAS_WORKSPACE_CONFIG") != nullptr;
  if (program.name && is_keras(*program.name)) {
    add_keras_conditions(program, config);
    if (program.name == Framework::keras3) program.backend = keras_backend();
  }
  const bool tensorflow =
      program.name == Framework::tensorflow || program.name == Framework::keras2 ||
      (program.name == Framework::keras3 && program.backend == KerasBackend::tensorflow);
  // Not set it is on (tensorflow/core/util/use_cudnn.cc), which is nothing that anybody said.
  if (tensorflow) {
    program.rnn_autotune = flag_of(variable("TF_CUDNN_RNN_USE_AUTOTUNE"));
    if (flag_of(variable("TF_DEBUG_CUDNN_RNN")) == true) program.rnn_autotune = false;
  }
  program.uses_removed_api =
      reader_.header().entries[static_cast<std::size_t>(spool::Entry::legacy)] > 0;
  return program;
}

const ProcessSpool::KnownConfiguration& ProcessSpool::configuration_of(const spool::Call& call,
                                                                       int device) {
  const auto framework = framework_of_call(call);
  const ConfigurationKey key = {call.configuration, device,
                                framework ? std::optional(framework->name) : std::nullopt};
  const auto [entry, fresh] = configurations_.try_emplace(key);
  if (!fresh) return entry->second;
  const auto config = describe_call(call);
  if (!config) return entry->second;
  auto& table = collection_.configurations;
  const int index =
      table.find(*config, context_of(call, *config), first_of_kind(builder_.profile(), device));
  entry->second = {index, table.own_lengths(index, *config)};
  return entry->second;
}

std::optional<RnnConfig> ProcessSpool::describe_call(const spool::Call& call) {
  const auto shape = tables_.configurations.find(call.configuration);
  if (shape == tables_.configurations.end()) {
    note(NoteSeverity::warning, "configuration-unknown",
         "RNN calls whose configuration was not kept: it is not known what they ran");
    return std::nullopt;
  }
  const auto config = to_config(shape->second.configuration, shape->second.lengths);
  if (!config) {
    note(NoteSeverity::warning, "configuration-unknown",
         fmt::format("RNN calls whose configuration is not known: {}", config.error().message));
    return std::nullopt;
  }
  return *config;
}

const ProcessSpool::KnownConfiguration& ProcessSpool::configuration_behind(const spool::Call& call,
                                                                           int device,
                                                                           int forward) {
  auto& calls = builder_.profile().calls;
  const int before = calls[static_cast<std::size_t>(forward)].configuration;
  if (before < 0) return configuration_of(call, device);
  const auto [entry, fresh] = behind_.try_emplace({call.configuration, before});
  auto& known = entry->second;
  if (fresh) {
    auto& table = collection_.configurations;
    const auto config = describe_call(call);
    const auto joined = config ? table.join(before, *config) : std::nullopt;
    if (joined) {
      known = {{*joined, table.own_lengths(*joined, *config)}, true};
    } else {
      known = {configuration_of(call, device), false};
      if (known.configuration.index >= 0) table.join_others(before, known.configuration.index);
    }
  }
  if (known.joined)
    calls[static_cast<std::size_t>(forward)].configuration = known.configuration.index;
  return known.configuration;
}

void ProcessSpool::take_call(const spool::Call& call) {
  // A graph may be launched later than what it consists of was captured.
  if (call.start_ns < collection_.since_ns && (call.flags & spool::call_captured_in_graph) == 0) {
    earlier_ += is_execution(call.entry) ? 1 : 0;
  } else {
    calls_.push_back(call);
  }
}

void ProcessSpool::add_calls() {
  std::erase_if(calls_, [&](const spool::Call& call) {
    const auto sum = is_execution(call.entry) ? Plausible::Sum::calls : Plausible::Sum::setup;
    const bool known = call.entry < spool::Entry::count;
    if (!known) collection_.plausible.refuse();
    return !known || !collection_.plausible.interval(sum, call.start_ns, call.end_ns);
  });
  std::stable_sort(calls_.begin(), calls_.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  for (const auto& call : calls_) {
    see(call.end_ns);
    if (is_execution(call.entry)) {
      add_execution(call);
    } else if ((call.flags & spool::call_search) == 0) {
      add_setup(call);
    }
  }
  add_searches();
  for (const auto& range : ranges_of_calls_) {
    const auto add = [&](int call) {
      ranges_.add_range(range.first, range.last, range.stream, range.thread, call);
    };
    const auto found = call_index_.find(range.call);
    const bool searches = searches_.contains(range.call);
    if (found != call_index_.end()) add(found->second);
    if (searches) add(of_a_search);
    if (found == call_index_.end() && !searches) add(of_an_outsider);
  }
  ranges_of_calls_ = {};
}

void ProcessSpool::attribute_launches() {
  const auto untold = ranges_.resolve([&](std::uint32_t correlation, int call) {
    if (call == of_a_search) {
      builder_.attribute_search(correlation, process_);
    } else if (call != of_an_outsider) {
      builder_.attribute(correlation, call, process_);
    }
  });
  ranges_ = {};
  if (untold == 0) return;
  note(NoteSeverity::info, "kernels-untold",
       "kernels were launched while RNN calls were under way on several threads or streams, and "
       "it is not known which of them belong to an RNN call; they are counted for none",
       untold);
}

void ProcessSpool::add_execution(const spool::Call& call) {
  ++executions_;
  CallRecord record;
  RnnCall& c = record.call;
  c.phase = phase_of(call);
  c.process = process_;
  c.thread = call.thread;
  c.device = device_of(call.device);
  c.host_start_ns = call.start_ns;
  c.host_end_ns = call.end_ns;
  c.status = call.status;
  c.weights_bytes = size_or_none(call.weight_bytes);
  c.workspace_bytes = size_or_none(call.workspace_bytes);
  c.reserve_bytes = size_or_none(call.reserve_bytes);
  c.memory_free_bytes = call.free_bytes > 0 ? size_or_none(call.free_bytes) : -1;
  c.source = CallSource::hook;
  const bool captured = (call.flags & spool::call_captured_in_graph) != 0;
  c.graph = captured ? GraphState::captured : GraphState::none;
  if (const auto time = device_times_.find(call.id);
      time != device_times_.end() &&
      collection_.plausible.amount(Plausible::Sum::device_time, time->second))
    c.device_duration_ns = time->second;
  c.untraced = (call.flags & spool::call_untraced) != 0;
  untraced_ += c.untraced ? 1 : 0;
  c.begins_step = (call.flags & spool::call_begins_step) != 0;
  if (const auto time = step_times_.find(call.id);
      time != step_times_.end() && c.begins_step &&
      collection_.plausible.amount(Plausible::Sum::device_time, time->second))
    c.step_duration_ns = time->second;
  record.reason = tables_.text(call.reason);
  if (const auto site = tables_.call_sites.find(call.call_site); site != tables_.call_sites.end()) {
    const auto& s = site->second;
    record.site = {tables_.text(s.file), tables_.text(s.function), std::max(s.line, 0)};
    record.inner = {tables_.text(s.framework_file), tables_.text(s.framework_function),
                    std::max(s.framework_line, 0)};
  }
  c.forward = forward_of(call);
  if (c.forward >= 0) take_site_of(c.forward, record);
  const auto& known = c.forward >= 0 ? configuration_behind(call, c.device, c.forward)
                                     : configuration_of(call, c.device);
  c.configuration = known.index;
  record.arguments = arguments_of(call);
  record.arguments->seq_lengths = known.own_lengths;

  const int index = builder_.add_call(record);
  if (known.index >= 0) {
    ConfigurationTable::Execution execution;
    execution.call = index;
    execution.least_alignment = record.arguments->least_alignment();
    execution.device_lengths = (call.flags & spool::call_dev_lengths) != 0;
    // Under CUPTI a call takes longer, so only what was timed without it is a timing.
    if ((c.untraced || reader_.header().asked_mode == spool::Mode::calls) &&
        c.device_duration_ns >= 0)
      execution.device_ms = static_cast<double>(c.device_duration_ns) / 1e6;
    collection_.configurations.add(execution);
  }
  call_index_.try_emplace(call.id, index);
  if (captured) captured_.insert(index);
  if (c.phase == Phase::forward_training && call.reserve_address != 0 && c.status == 0)
    last_forward_.insert_or_assign(call.reserve_address, index);
}

// The backward pass reads the reserve that its forward pass wrote.
int ProcessSpool::forward_of(const spool::Call& call) const {
  if (call.entry == spool::Entry::forward || call.reserve_address == 0) return -1;
  const auto forward = last_forward_.find(call.reserve_address);
  return forward == last_forward_.end() ? -1 : forward->second;
}

// The backward pass runs on a thread of the framework, as a rule, where the line of the program is
// not to be seen: it is the forward pass's.
void ProcessSpool::take_site_of(int forward, CallRecord& record) const {
  const auto& profile = builder_.profile();
  const auto& joined = profile.calls[static_cast<std::size_t>(forward)];
  if (!record.site.file.empty() || joined.site < 0) return;
  const auto frame = [&](const CallSite& site) {
    return CallRecord::Frame{profile.text(site.file),
                             site.function < 0 ? std::string() : profile.text(site.function),
                             site.line};
  };
  const auto& site = profile.call_sites[static_cast<std::size_t>(joined.site)];
  record.site = frame(site);
  if (site.inner >= 0)
    record.inner = frame(profile.call_sites[static_cast<std::size_t>(site.inner)]);
}

// Named as the plugin named it.
SetupRecord ProcessSpool::setup_record(const spool::Call& call) const {
  SetupRecord record;
  record.function = tables_.text(call.function);
  record.reason = tables_.text(call.reason);
  record.call.process = process_;
  record.call.thread = call.thread;
  record.call.host_start_ns = call.start_ns;
  record.call.host_end_ns = call.end_ns;
  record.call.status = call.status;
  return record;
}

void ProcessSpool::add_setup(const spool::Call& call) {
  auto record = setup_record(call);
  if (call.entry != spool::Entry::legacy || call.function == 0)
    record.function = function_name(call.entry);
  const auto shape = tables_.configurations.find(call.configuration);
  if (shape != tables_.configurations.end()) {
    constexpr auto whole = spool::known_descriptor | spool::known_data;
    if ((shape->second.configuration.known & whole) == whole) {
      record.call.configuration = configuration_of(call, device_of(call.device)).index;
    } else if (call.status != 0) {
      note_refused(record, shape->second.configuration);
    }
    if (record.call.configuration >= 0 && call.status != 0 &&
        call.entry == spool::Entry::get_temp_space_sizes) {
      collection_.configurations.refuse(record.call.configuration, model::Stage::temp_space,
                                        call.status, record.reason);
    }
  }
  builder_.add_setup(record);
}

// Only what the program then ran is a configuration of its; what it searched for and left alone is
// none.
void ProcessSpool::add_searches() {
  for (const auto& call : calls_) {
    if (is_execution(call.entry) || (call.flags & spool::call_search) == 0) continue;
    searches_.insert(call.id);
    auto record = setup_record(call);
    const auto known = std::find_if(
        configurations_.begin(), configurations_.end(),
        [&](const auto& entry) { return entry.first.configuration == call.configuration; });
    const auto behind = std::find_if(behind_.begin(), behind_.end(), [&](const auto& entry) {
      return entry.first.first == call.configuration;
    });
    if (known != configurations_.end()) {
      record.call.configuration = known->second.index;
    } else if (behind != behind_.end()) {
      record.call.configuration = behind->second.configuration.index;
    }
    builder_.add_setup(record);
  }
}

void ProcessSpool::note_refused(const SetupRecord& record, const spool::Configuration& asked) {
  builder_.add_note(
      refusals_.note(record.function, record.call.status, record.reason, asked_descriptor(asked)));
}

int ProcessSpool::captured_call(std::uint64_t node) const {
  // A graph is cloned when it is instantiated, and may be cloned again: a short chain.
  for (int step = 0; node != 0 && step < 16; ++step) {
    const auto found = nodes_.find(node);
    if (found == nodes_.end()) return -1;
    if (found->second.call != 0) {
      const auto call = call_index_.find(found->second.call);
      return call == call_index_.end() ? -1 : call->second;
    }
    node = found->second.original;
  }
  return -1;
}

int ProcessSpool::replayed_call(std::uint64_t node, std::uint32_t correlation,
                                std::int64_t start_ns) {
  const int original = captured_call(node);
  if (!captured_.contains(original)) return original;
  const auto [entry, fresh] = replays_.try_emplace({correlation, original}, -1);
  if (fresh) {
    RnnCall replay = builder_.profile().calls[static_cast<std::size_t>(original)];
    replay.graph = GraphState::replayed;
    replay.host_start_ns = replay.host_end_ns = start_ns;
    replay.thread = -1;
    replay.device_duration_ns = -1;
    replay.forward = -1;
    entry->second = builder_.add_call(replay);
  }
  auto& call = builder_.profile().calls[static_cast<std::size_t>(entry->second)];
  call.host_start_ns = call.host_end_ns = std::min(call.host_start_ns, start_ns);
  return entry->second;
}

// A launch of the whole graph is the host's part of each of its calls. Where the API was not
// recorded there is no such time: the interval is empty and lies where the GPU began.
void ProcessSpool::time_replays() {
  auto& calls = builder_.profile().calls;
  for (const auto& [key, index] : replays_) {
    auto& call = calls[static_cast<std::size_t>(index)];
    if (const auto launch = graph_launches_.find(key.first);
        launch != graph_launches_.end() &&
        collection_.plausible.interval(Plausible::Sum::calls, launch->second.start_ns,
                                       launch->second.end_ns)) {
      call.host_start_ns = launch->second.start_ns;
      call.host_end_ns = std::max(launch->second.end_ns, launch->second.start_ns);
      call.thread = launch->second.thread;
    }
    const auto& original = calls[static_cast<std::size_t>(key.second)];
    if (const auto forward = replays_.find({key.first, original.forward});
        original.forward >= 0 && forward != replays_.end())
      call.forward = forward->second;
  }
}

}  // namespace rnnadvisor::launch
