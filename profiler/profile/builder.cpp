#include "profiler/profile/builder.h"

#include <algorithm>
#include <utility>

#include "profiler/kernels/classify.h"
#include "profiler/profile/devices.h"
#include "profiler/profile/tables.h"

namespace rnnadvisor {
namespace {

// Unsigned numbers that fit are signed ones: see NvtxPayload.
NvtxPayload normal(const NvtxPayload& payload) {
  const auto* number = std::get_if<std::uint64_t>(&payload);
  if (number != nullptr && std::in_range<std::int64_t>(*number))
    return static_cast<std::int64_t>(*number);
  return payload;
}

}  // namespace

int ProfileBuilder::intern(std::string_view text) {
  const auto found = strings_.find(text);
  if (found != strings_.end()) return found->second;
  const int id = static_cast<int>(profile_.strings.size());
  profile_.strings.emplace_back(text);
  strings_.emplace(std::string(text), id);
  return id;
}

int ProfileBuilder::intern_kernel(std::string_view name) {
  if (!name.starts_with("_Z")) return intern(name);
  const auto found = mangled_.find(name);
  if (found != mangled_.end()) return found->second;
  const int id = intern(demangle_kernel(name));
  mangled_.emplace(std::string(name), id);
  return id;
}

int ProfileBuilder::add_device(const DeviceSpec& device) {
  return rnnadvisor::add_device(profile_, device);
}

int ProfileBuilder::add_configuration(Configuration configuration) {
  profile_.configurations.push_back(std::move(configuration));
  return static_cast<int>(profile_.configurations.size()) - 1;
}

int ProfileBuilder::add_process(const Process& process) {
  auto& all = profile_.processes;
  const auto known = std::find_if(all.begin(), all.end(),
                                  [&](const Process& p) { return p.same_process(process); });
  if (known == all.end()) {
    all.push_back(process);
    return static_cast<int>(all.size()) - 1;
  }
  const auto learn = [](auto& into, const auto& from, const auto& unknown) {
    if (into == unknown) into = from;
  };
  learn(known->parent_pid, process.parent_pid, -1);
  learn(known->rank, process.rank, -1);
  learn(known->local_rank, process.local_rank, -1);
  learn(known->world_size, process.world_size, -1);
  learn(known->memory_free_bytes, process.memory_free_bytes, -1);
  learn(known->cuda_status, process.cuda_status, 0);
  learn(known->variables, process.variables, decltype(process.variables)());
  for (const auto text : {&Process::executable, &Process::command_line, &Process::cudnn_version,
                          &Process::framework, &Process::framework_version, &Process::mode}) {
    learn((*known).*text, process.*text, std::string());
  }
  // How it ended is one statement: taken as a whole from the record that has most of it.
  const bool still_open = known->end == ProcessEnd::unknown || known->end == ProcessEnd::running;
  const bool says_more = process.end > ProcessEnd::running ||
                         (process.end == ProcessEnd::running && known->end == ProcessEnd::unknown);
  if (still_open && says_more) {
    known->end = process.end;
    known->exit_status = process.exit_status;
    known->signal = process.signal;
  }
  known->end_ns = std::max(known->end_ns, process.end_ns);
  return static_cast<int>(known - all.begin());
}

int ProfileBuilder::add_arguments(const CallArguments& arguments) {
  const auto [at, is_new] =
      arguments_.try_emplace(arguments, static_cast<int>(profile_.call_arguments.size()));
  if (is_new) profile_.call_arguments.push_back(arguments);
  return at->second;
}

int ProfileBuilder::add_site(const CallSite& site) {
  const auto [at, is_new] = sites_.try_emplace(site, static_cast<int>(profile_.call_sites.size()));
  if (is_new) profile_.call_sites.push_back(site);
  return at->second;
}

int ProfileBuilder::add_frame(const CallRecord::Frame& frame, int inner) {
  if (frame.file.empty()) return inner;
  return add_site({intern(frame.file), frame.line, intern_optional(frame.function), inner});
}

int ProfileBuilder::add_call(const RnnCall& call) {
  profile_.calls.push_back(call);
  return static_cast<int>(profile_.calls.size()) - 1;
}

int ProfileBuilder::add_call(const CallRecord& record) {
  RnnCall call = record.call;
  call.reason = intern_optional(record.reason);
  call.nvtx_path = intern_optional(record.nvtx_path);
  call.site = add_frame(record.site, add_frame(record.inner, -1));
  call.arguments = record.arguments ? add_arguments(*record.arguments) : -1;
  return add_call(call);
}

void ProfileBuilder::add_setup(const SetupRecord& record) {
  SetupCall call = record.call;
  call.function = intern(record.function);
  call.reason = intern_optional(record.reason);
  profile_.setup_calls.push_back(call);
}

// A row of a table of columns: what the record has, and nothing yet where finish() finds it out.
template <class Table, class Record, class Intern>
void ProfileBuilder::add_record(const Table& table, const Record& record, const Intern& intern) {
  auto& rows = table.of(profile_);
  for_each(table.columns, [&](const auto& column) {
    using Kind = std::decay_t<decltype(column.kind)>;
    auto& values = column.of(rows);
    if constexpr (!requires { column.of(record); }) {
      values.emplace_back();
    } else if constexpr (columns::is_text_id<Kind>) {
      const std::string& text = column.of(record);
      const bool none = std::is_same_v<Kind, columns::OptionalText> && text.empty();
      values.push_back(none ? -1 : intern(text));
    } else if constexpr (std::is_same_v<Kind, columns::Payload>) {
      values.push_back(normal(column.of(record)));
    } else {
      values.push_back(column.of(record));
    }
  });
}

void ProfileBuilder::add_kernel(const KernelRecord& record) {
  add_record(columns::kernels, record, [this](const auto& name) { return intern_kernel(name); });
}
void ProfileBuilder::add_transfer(const TransferRecord& record) {
  add_record(columns::transfers, record, [this](const auto& text) { return intern(text); });
}
void ProfileBuilder::add_api(const ApiRecord& record) {
  add_record(columns::api, record, [this](const auto& text) { return intern(text); });
}
void ProfileBuilder::add_allocation(const AllocationRecord& record) {
  add_record(columns::allocations, record, [this](const auto& text) { return intern(text); });
}
void ProfileBuilder::add_nvtx(const NvtxRecord& record) {
  add_record(columns::nvtx, record, [this](const auto& text) { return intern(text); });
}
void ProfileBuilder::add_overhead(const OverheadRecord& record) {
  add_record(columns::overhead, record, [this](const auto& text) { return intern(text); });
}
void ProfileBuilder::add_counter(const CounterRecord& record) {
  add_record(columns::counters, record, [this](const auto& text) { return intern(text); });
}

void ProfileBuilder::add_thread_name(int process, std::int64_t thread, std::string_view name) {
  const int index = intern(name);
  for (auto& known : profile_.thread_names) {
    if (known.process != process || known.thread != thread) continue;
    known.name = index;
    return;
  }
  profile_.thread_names.push_back({process, thread, index});
}

void ProfileBuilder::add_resource_name(int process, int device, int stream, std::string_view name) {
  const int index = intern(name);
  for (auto& known : profile_.resource_names) {
    if (known.process != process || known.device != device || known.stream != stream) continue;
    known.name = index;
    return;
  }
  profile_.resource_names.push_back({process, device, stream, index});
}

void ProfileBuilder::add_note(Note note) {
  for (auto& known : profile_.notes) {
    if (known.severity == note.severity && known.code == note.code && known.text == note.text) {
      known.count += note.count;
      return;
    }
  }
  profile_.notes.push_back(std::move(note));
}

void ProfileBuilder::attribute(std::int64_t correlation, int call, int process) {
  attributions_.push_back({process, call, correlation});
}

void ProfileBuilder::attribute_search(std::int64_t correlation, int process) {
  attributions_.push_back({process, search_call, correlation});
}

}  // namespace rnnadvisor
