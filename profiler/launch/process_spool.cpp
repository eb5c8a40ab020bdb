#include "profiler/launch/process_spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/secrets.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/cudnn/machine.h"
#include "profiler/spool/settings.h"

namespace rnnadvisor::launch {
namespace {

using spool::Type;

// At most so many bytes, and whole characters.
std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  text.resize(end);
  return text + "…";
}

// Texts of a stranger: whole characters, nothing behind a NUL, and no longer than any name is:
// thousands of records may name one text, and each be written with it.
std::string clean(const std::string& text) {
  constexpr std::size_t most = 1 << 16;
  return cut(to_valid_utf8(text.c_str()), most);
}

int bounded(std::uint64_t value) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  return static_cast<int>(std::min(value, most));
}

// A name that a program gave to a thread, a stream or a GPU: it stands in front of a row.
std::string short_name(const std::string& text) {
  constexpr std::size_t most = 256;
  return cut(text, most);
}

}  // namespace

void ProcessSpool::see(std::int64_t time_ns) {
  if (Plausible::time(time_ns)) last_ns_ = std::max(last_ns_, time_ns);
}

int ProcessSpool::device_of(std::int64_t ordinal) const {
  const auto found = devices_.find(ordinal);
  return found == devices_.end() ? -1 : found->second;
}

bool ProcessSpool::add(Process process) {
  tables_ = reader_.read_tables();
  for (auto& [id, text] : tables_.strings) text = clean(text);
  if (!read_little()) return false;
  describe(process);
  process_ = builder_.add_process(process);
  add_thread_names();
  add_resource_names();
  add_calls();
  add_choices();
  if (!read_much()) return false;
  attribute_launches();
  const std::int64_t moved = counters_.finish(
      tables_, process_, [&](std::int64_t ordinal) { return device_of(ordinal); },
      collection_.plausible, builder_);
  if (moved != 0) {
    note(NoteSeverity::info, "counter-clock",
         fmt::format("the clock of the GPU was {:.3f} ms from the host's: its hardware counters "
                     "were moved by that",
                     static_cast<double>(moved) / 1e6));
  }
  time_replays();
  const std::int64_t end = process.end_ns > 0 ? process.end_ns : last_ns_;
  if (const auto open = nvtx_.finish(tables_, process_, end, collection_.plausible, builder_);
      open > 0) {
    note(NoteSeverity::info, "nvtx-unfinished",
         "NVTX ranges were still open when their process ended; they end there", open);
  }
  if (process.end_ns < 0 && last_ns_ >= process.start_ns)
    builder_.profile().processes[static_cast<std::size_t>(process_)].end_ns = last_ns_;
  add_notes();
  return true;
}

bool ProcessSpool::read_little() {
  reader_.visit([&](const spool::Record& record) {
    switch (record.type()) {
      case Type::call:
        take_call(record.as<spool::Call>());
        break;
      case Type::call_time: {
        const auto time = record.as<spool::CallTime>();
        device_times_.insert_or_assign(time.call, time.device_ns);
        break;
      }
      case Type::step_time: {
        const auto time = record.as<spool::StepTime>();
        step_times_.insert_or_assign(time.call, time.device_ns);
        break;
      }
      case Type::correlation_range:
        ranges_of_calls_.push_back(record.as<spool::CorrelationRange>());
        break;
      case Type::device: {
        const auto device = record.as<spool::Device>();
        const int index = collection_.devices.add(device, reader_.header().host);
        devices_.try_emplace(device.ordinal, index);
        break;
      }
      case Type::graph_node: {
        const auto node = record.as<spool::GraphNode>();
        nodes_.insert_or_assign(node.node, node);
        break;
      }
      case Type::note:
        notes_.push_back(record.as<spool::Note>());
        break;
      case Type::counter_metrics:
        counters_.add(record.as<spool::CounterMetrics>());
        break;
      case Type::counter_clock:
        counters_.add(record.as<spool::CounterClock>());
        break;
      case Type::library:
        take_library(record.as<spool::Library>());
        break;
      case Type::environment:
        take_variable(record.as<spool::Environment>());
        break;
      case Type::thread_name: {
        const auto named = record.as<spool::ThreadName>();
        thread_names_.insert_or_assign(named.thread, named.name);
        break;
      }
      case Type::resource_name: {
        const auto named = record.as<spool::ResourceName>();
        const bool stream = named.resource == spool::Resource::stream;
        if (!stream && named.resource != spool::Resource::device) break;
        resource_names_.insert_or_assign({named.device, stream ? bounded(named.stream) : -1},
                                         named.name);
        break;
      }
      case Type::acceleration: {
        const auto choice = record.as<spool::Acceleration>();
        accelerations_.insert_or_assign(choice.id, choice);
        break;
      }
      case Type::step_block: {
        const auto block = record.as<spool::StepBlock>();
        step_blocks_.insert_or_assign(block.block, block);
        break;
      }
      case Type::nvtx_push:
      case Type::nvtx_start:
      case Type::nvtx_end:
      case Type::nvtx_mark: {
        const auto event = record.as<spool::Nvtx>();
        see(event.time_ns);
        nvtx_.add(record.type(), event);
        break;
      }
      case Type::nvtx_pop: {
        const auto event = record.as<spool::NvtxPop>();
        see(event.time_ns);
        nvtx_.add(event);
        break;
      }
      default:
        break;
    }
    return !collection_.stopped();
  });
  return !collection_.stopped();
}

void ProcessSpool::add_thread_names() {
  // A view has room for few; a note says where a program named more, such as a million short
  // threads.
  constexpr std::size_t most = 4096;
  std::size_t added = 0;
  for (const auto& [thread, name] : thread_names_) {
    const auto& text = tables_.text(name);
    if (text.empty()) continue;
    if (++added <= most) builder_.add_thread_name(process_, thread, short_name(text));
  }
  if (added > most) {
    note(NoteSeverity::info, "thread-names",
         fmt::format("the program named more than {} threads; other names were left out", most),
         static_cast<std::int64_t>(added - most));
  }
}

void ProcessSpool::add_resource_names() {
  constexpr std::size_t most = 4096;
  std::size_t added = 0;
  for (const auto& [place, name] : resource_names_) {
    const auto& text = tables_.text(name);
    // A GPU that nothing ran on is not in the profile.
    const int device = device_of(place.first);
    if (text.empty() || device < 0) continue;
    if (++added <= most)
      builder_.add_resource_name(process_, device, static_cast<int>(place.second),
                                 short_name(text));
  }
  if (added > most) {
    note(NoteSeverity::info, "resource-names",
         fmt::format("the program named more than {} streams; other names were left out", most),
         static_cast<std::int64_t>(added - most));
  }
}

void ProcessSpool::take_library(const spool::Library& library) {
  if (library.kind == spool::LibraryKind::cudnn) {
    // The first that the program called; others are as a rule parts of another framework.
    if (!cudnn_ || library.index < cudnn_->index) cudnn_ = library;
  } else if (library.kind == spool::LibraryKind::cupti) {
    cupti_ = library;
  } else if (const auto& path = tables_.text(library.path);
             path.find("/h5py/") != std::string::npos ||
             path.find("/optree/") != std::string::npos) {
    keras_imports_.push_back(path);
  } else if (auto framework = framework_of(path)) {
    // Several libraries of one framework count once; the version may stand beside any of them.
    const auto known = std::find_if(frameworks_.begin(), frameworks_.end(),
                                    [&](const auto& f) { return f.name == framework->name; });
    if (known == frameworks_.end()) {
      frameworks_.push_back(std::move(*framework));
    } else if (known->version.empty()) {
      known->version = std::move(framework->version);
    }
  }
}

void ProcessSpool::take_variable(const spool::Environment& variable) {
  const auto& name = tables_.text(variable.name);
  const auto& value = tables_.text(variable.value);
  constexpr std::size_t most = 4096;
  if (name.empty() || variable_names_.size() >= most ||
      !variable_names_.insert(variable.name).second)
    return;
  if (name.front() >= 'a' && name.front() <= 'z') {
    versions_.try_emplace(name, value);
  } else {
    variables_.emplace_back(name, without_secret(name, value));
  }
}

void ProcessSpool::describe(Process& process) const {
  const auto& header = reader_.header();
  process.executable = clean(header.executable);
  process.command_line = to_valid_utf8(shell_words(without_secrets(header.command_line)));
  process.rank = std::max(header.rank, -1);
  process.local_rank = std::max(header.local_rank, -1);
  process.world_size = std::max(header.world_size, -1);
  process.mode = spool::mode_words[static_cast<std::size_t>(header.mode)];
  process.variables = variables_;
  if (cudnn_) process.cudnn_version = cudnn_release(cudnn_->version);
  if (frameworks_.size() == 1) {
    const auto framework = with_keras(frameworks_.front());
    process.framework = Spellings<Framework>::values[static_cast<std::size_t>(framework.name)];
    process.framework_version = framework.version;
  }
}

bool ProcessSpool::read_much() {
  reader_.visit([&](const spool::Record& record) {
    switch (record.type()) {
      case Type::kernel:
        add_kernel(record.as<spool::Kernel>());
        break;
      case Type::transfer:
        add_transfer(record.as<spool::Transfer>());
        break;
      case Type::api:
        add_api(record.as<spool::Api>());
        break;
      case Type::memory:
        add_memory(record.as<spool::Memory>());
        break;
      case Type::counter_sample:
        counters_.add(record.as<spool::CounterSample>());
        break;
      case Type::overhead: {
        const auto overhead = record.as<spool::Overhead>();
        if (overhead.start_ns < collection_.since_ns) break;
        if (collection_.plausible.interval(Plausible::Sum::overhead, overhead.start_ns,
                                           overhead.end_ns)) {
          builder_.add_overhead(
              {overhead.start_ns, overhead.end_ns, tables_.text(overhead.kind), process_});
        }
        break;
      }
      default:
        break;
    }
    return !collection_.stopped();
  });
  return !collection_.stopped();
}

void ProcessSpool::add_kernel(const spool::Kernel& kernel) {
  if (kernel.start_ns < collection_.since_ns) return;
  const auto negative = [](std::int32_t size) { return size < 0; };
  if (std::any_of(kernel.grid, kernel.grid + 3, negative) ||
      std::any_of(kernel.block, kernel.block + 3, negative)) {
    collection_.plausible.refuse();
    return;
  }
  if (!collection_.plausible.interval(Plausible::Sum::kernels, kernel.start_ns, kernel.end_ns))
    return;
  see(kernel.end_ns);
  KernelRecord record;
  record.start_ns = kernel.start_ns;
  record.end_ns = kernel.end_ns;
  record.correlation = kernel.correlation;
  record.name = tables_.text(kernel.name);
  record.device = device_of(kernel.device);
  record.stream = bounded(kernel.stream);
  record.process = process_;
  record.grid = {kernel.grid[0], kernel.grid[1], kernel.grid[2]};
  record.block = {kernel.block[0], kernel.block[1], kernel.block[2]};
  record.registers = bounded(kernel.registers);
  record.shared_static = kernel.shared_static;
  record.shared_dynamic = kernel.shared_dynamic;
  if (kernel.graph_node != 0) {
    record.call = replayed_call(kernel.graph_node, kernel.correlation, kernel.start_ns);
  } else {
    ranges_.add_kernel(kernel.correlation, kernel.stream);
  }
  builder_.add_kernel(record);
  ++kernels_;
}

void ProcessSpool::add_transfer(const spool::Transfer& transfer) {
  if (transfer.start_ns < collection_.since_ns) return;
  auto& plausible = collection_.plausible;
  if (!plausible.interval(Plausible::Sum::transfers, transfer.start_ns, transfer.end_ns) ||
      !plausible.bytes(Plausible::Sum::transfer_bytes, transfer.bytes))
    return;
  see(transfer.end_ns);
  TransferRecord record;
  record.start_ns = transfer.start_ns;
  record.end_ns = transfer.end_ns;
  record.bytes = static_cast<std::int64_t>(transfer.bytes);
  record.correlation = transfer.correlation;
  record.operation = transfer.copy_kind == 0 ? MemoryOperation::set : MemoryOperation::copy;
  record.kind = bounded(transfer.copy_kind);
  record.device = device_of(transfer.device);
  record.stream = bounded(transfer.stream);
  record.process = process_;
  if (transfer.graph_node != 0) {
    record.call = replayed_call(transfer.graph_node, transfer.correlation, transfer.start_ns);
  } else {
    ranges_.add_transfer(transfer.correlation, transfer.stream);
  }
  builder_.add_transfer(record);
}

void ProcessSpool::add_api(const spool::Api& api) {
  if (api.start_ns < collection_.since_ns) return;
  if (!collection_.plausible.interval(Plausible::Sum::api, api.start_ns, api.end_ns)) return;
  see(api.end_ns);
  ApiRecord record;
  record.start_ns = api.start_ns;
  record.end_ns = api.end_ns;
  record.correlation = api.correlation;
  record.thread = api.thread;
  record.name = tables_.text(api.name);
  record.driver = api.driver != 0;
  record.result = api.result;
  record.process = process_;
  if (record.name.find("GraphLaunch") != std::string::npos)
    graph_launches_.try_emplace(api.correlation,
                                GraphLaunch{api.start_ns, api.end_ns, std::int64_t{api.thread}});
  ranges_.add_api(api.correlation, api.thread);
  builder_.add_api(record);
}

void ProcessSpool::add_memory(const spool::Memory& memory) {
  if (!Plausible::time(memory.time_ns)) {
    collection_.plausible.refuse();
    return;
  }
  if (!collection_.plausible.bytes(Plausible::Sum::allocation_bytes, memory.bytes)) return;
  see(memory.time_ns);
  AllocationRecord record;
  record.time_ns = memory.time_ns;
  record.bytes = static_cast<std::int64_t>(memory.bytes);
  record.address = static_cast<std::int64_t>(memory.address);
  record.release = memory.release != 0;
  record.device = device_of(memory.device);
  record.process = process_;
  builder_.add_allocation(record);
}

}  // namespace rnnadvisor::launch
