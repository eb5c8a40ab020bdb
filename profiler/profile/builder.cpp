#include "profiler/profile/builder.h"

#include <algorithm>
#include <utility>

#include "profiler/classify/classify.h"

namespace rnnadvisor {

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

void ProfileBuilder::see_process(int process) {
  if (process == last_process_ && !processes_.empty()) return;
  processes_.insert(process);
  last_process_ = process;
}

int ProfileBuilder::add_device(const DeviceSpec& device) {
  const auto found = std::find(profile_.devices.begin(), profile_.devices.end(), device);
  if (found != profile_.devices.end()) return static_cast<int>(found - profile_.devices.begin());
  profile_.devices.push_back(device);
  return static_cast<int>(profile_.devices.size()) - 1;
}

int ProfileBuilder::add_configuration(Configuration configuration) {
  profile_.configurations.push_back(std::move(configuration));
  return static_cast<int>(profile_.configurations.size()) - 1;
}

int ProfileBuilder::add_call(const RnnCall& call) {
  see_process(call.process);
  profile_.calls.push_back(call);
  return static_cast<int>(profile_.calls.size()) - 1;
}

void ProfileBuilder::add_kernel(const KernelRecord& record) {
  see_process(record.process);
  auto& t = profile_.kernels;
  t.start_ns.push_back(record.start_ns);
  t.end_ns.push_back(record.end_ns);
  t.name.push_back(intern_kernel(record.name));
  t.call.push_back(record.call);
  t.device.push_back(record.device);
  t.stream.push_back(record.stream);
  t.process.push_back(record.process);
  t.correlation.push_back(record.correlation);
  t.grid.push_back(record.grid);
  t.block.push_back(record.block);
  t.registers.push_back(record.registers);
  t.shared_static.push_back(record.shared_static);
  t.shared_dynamic.push_back(record.shared_dynamic);
}

void ProfileBuilder::add_transfer(const TransferRecord& record) {
  see_process(record.process);
  auto& t = profile_.transfers;
  t.start_ns.push_back(record.start_ns);
  t.end_ns.push_back(record.end_ns);
  t.bytes.push_back(record.bytes);
  t.correlation.push_back(record.correlation);
  t.operation.push_back(record.operation);
  t.kind.push_back(record.kind);
  t.call.push_back(record.call);
  t.device.push_back(record.device);
  t.stream.push_back(record.stream);
  t.process.push_back(record.process);
}

void ProfileBuilder::add_api(const ApiRecord& record) {
  see_process(record.process);
  auto& t = profile_.api;
  t.start_ns.push_back(record.start_ns);
  t.end_ns.push_back(record.end_ns);
  t.correlation.push_back(record.correlation);
  t.thread.push_back(record.thread);
  t.name.push_back(intern(record.name));
  t.call.push_back(record.call);
  t.process.push_back(record.process);
  t.driver.push_back(record.driver);
  t.result.push_back(record.result);
}

void ProfileBuilder::add_allocation(const AllocationRecord& record) {
  see_process(record.process);
  auto& t = profile_.allocations;
  t.time_ns.push_back(record.time_ns);
  t.bytes.push_back(record.bytes);
  t.address.push_back(record.address);
  t.release.push_back(record.release);
  t.device.push_back(record.device);
  t.process.push_back(record.process);
}

void ProfileBuilder::add_nvtx(const NvtxRecord& record) {
  see_process(record.process);
  auto& t = profile_.nvtx;
  t.start_ns.push_back(record.start_ns);
  t.end_ns.push_back(record.end_ns);
  t.thread.push_back(record.thread);
  t.name.push_back(intern(record.name));
  t.domain.push_back(intern(record.domain));
  t.color.push_back(record.color);
  t.process.push_back(record.process);
}

void ProfileBuilder::add_overhead(const OverheadRecord& record) {
  profile_.overhead.start_ns.push_back(record.start_ns);
  profile_.overhead.end_ns.push_back(record.end_ns);
  profile_.overhead.kind.push_back(intern(record.kind));
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

}  // namespace rnnadvisor
