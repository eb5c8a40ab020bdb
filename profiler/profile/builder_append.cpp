// ProfileBuilder::append(): everything of another profile, renumbered.
#include <algorithm>

#include "profiler/profile/builder.h"
#include "profiler/profile/devices.h"

namespace rnnadvisor {
namespace {

template <class T>
void extend(std::vector<T>& into, const std::vector<T>& from) {
  into.insert(into.end(), from.begin(), from.end());
}

// An index looked up in `map`; what is no index there stays "none".
int mapped(int index, const std::vector<int>& map) {
  const auto at = static_cast<std::size_t>(index);
  return index >= 0 && at < map.size() ? map[at] : -1;
}

void extend_mapped(std::vector<int>& into, const std::vector<int>& from,
                   const std::vector<int>& map) {
  for (const int index : from) into.push_back(mapped(index, map));
}

int shifted(int index, int first) { return index < 0 ? -1 : first + index; }

void extend_shifted(std::vector<int>& into, const std::vector<int>& from, int first) {
  for (const int index : from) into.push_back(shifted(index, first));
}

void append_clocks(std::vector<ClockSample>& into, const std::vector<ClockSample>& from,
                   const std::vector<int>& devices) {
  for (ClockSample sample : from) {
    sample.device = mapped(sample.device, devices);
    const auto known = std::find_if(into.begin(), into.end(), [&](const ClockSample& other) {
      return other.device == sample.device && other.when == sample.when;
    });
    if (known == into.end()) {
      into.push_back(std::move(sample));
    } else if (sample.when != "start") {
      *known = std::move(sample);
    }
  }
}

}  // namespace

void ProfileBuilder::append(const Profile& other) {
  // What nobody described: a part that never ran, say, describes nothing and takes nothing away.
  const Environment& own = profile_.environment;
  const bool first = own.created.empty() && own.rnnadvisor_version.empty() &&
                     own.command_line.empty() && own.cudnn_version.empty() &&
                     own.driver_version.empty() && own.host.empty();
  std::vector<int> devices;
  for (const auto& device : other.devices)
    devices.push_back(rnnadvisor::add_device(profile_, device, devices));
  auto clocks = std::move(profile_.environment.clocks);
  const bool tracing = profile_.environment.tracing || other.environment.tracing;
  const bool counters = profile_.environment.counters || other.environment.counters;
  if (first) profile_.environment = other.environment;
  append_clocks(clocks, other.environment.clocks, devices);
  profile_.environment.clocks = std::move(clocks);
  profile_.environment.tracing = tracing;
  profile_.environment.counters = counters;

  std::vector<int> processes;
  for (const auto& process : other.processes) processes.push_back(add_process(process));
  std::vector<int> strings;
  strings.reserve(other.strings.size());
  for (const auto& text : other.strings) strings.push_back(intern(text));

  const int first_configuration = static_cast<int>(profile_.configurations.size());
  for (Configuration configuration : other.configurations) {
    configuration.device = mapped(configuration.device, devices);
    profile_.configurations.push_back(std::move(configuration));
  }
  const int first_call = static_cast<int>(profile_.calls.size());
  append_calls(other, strings, devices, processes, first_configuration);
  append_tables(other, strings, devices, processes, first_call);
  for (const auto& note : other.notes) add_note(note);
  for (const auto& figure : other.figures) {
    const auto known = std::find_if(profile_.figures.begin(), profile_.figures.end(),
                                    [&](const Figure& f) { return f.id == figure.id; });
    if (known == profile_.figures.end()) {
      profile_.figures.push_back(figure);
      continue;
    }
    // An empty list means all configurations and stays so.
    if (known->configuration_ids.empty() || figure.configuration_ids.empty()) {
      known->configuration_ids.clear();
      continue;
    }
    for (const auto& id : figure.configuration_ids) {
      auto& ids = known->configuration_ids;
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
  }
  for (Experiment experiment : other.experiments) {
    experiment.configuration = shifted(experiment.configuration, first_configuration);
    for (int& changed : experiment.changed) changed = shifted(changed, first_configuration);
    experiment.device = mapped(experiment.device, devices);
    profile_.experiments.push_back(std::move(experiment));
  }
}

void ProfileBuilder::append_calls(const Profile& other, const std::vector<int>& strings,
                                  const std::vector<int>& devices,
                                  const std::vector<int>& processes, int first_configuration) {
  const int first_call = static_cast<int>(profile_.calls.size());
  std::vector<int> arguments, sites(other.call_sites.size(), -1);
  for (const auto& given : other.call_arguments) arguments.push_back(add_arguments(given));
  // An inner frame stands before the sites that name it; see check.h.
  for (std::size_t i = 0; i < other.call_sites.size(); ++i) {
    const CallSite& site = other.call_sites[i];
    sites[i] = add_site({mapped(site.file, strings), site.line, mapped(site.function, strings),
                         mapped(site.inner, sites)});
  }
  for (RnnCall call : other.calls) {
    call.configuration = shifted(call.configuration, first_configuration);
    call.device = mapped(call.device, devices);
    call.process = mapped(call.process, processes);
    call.reason = mapped(call.reason, strings);
    call.arguments = mapped(call.arguments, arguments);
    call.site = mapped(call.site, sites);
    call.nvtx_path = mapped(call.nvtx_path, strings);
    call.forward = shifted(call.forward, first_call);
    profile_.calls.push_back(call);
  }
  for (SetupCall call : other.setup_calls) {
    call.configuration = shifted(call.configuration, first_configuration);
    call.function = mapped(call.function, strings);
    call.process = mapped(call.process, processes);
    call.reason = mapped(call.reason, strings);
    profile_.setup_calls.push_back(call);
  }
}

void ProfileBuilder::append_tables(const Profile& other, const std::vector<int>& strings,
                                   const std::vector<int>& devices,
                                   const std::vector<int>& processes, int first_call) {
  auto& k = profile_.kernels;
  searches_.resize(k.size(), 0);
  for (const auto role : other.kernels.role)
    searches_.push_back(role == KernelRole::algorithm_search ? 1 : 0);
  extend(k.start_ns, other.kernels.start_ns);
  extend(k.end_ns, other.kernels.end_ns);
  extend_mapped(k.name, other.kernels.name, strings);
  extend_shifted(k.call, other.kernels.call, first_call);
  extend_mapped(k.device, other.kernels.device, devices);
  extend(k.stream, other.kernels.stream);
  extend_mapped(k.process, other.kernels.process, processes);
  extend(k.correlation, other.kernels.correlation);
  extend(k.grid, other.kernels.grid);
  extend(k.block, other.kernels.block);
  extend(k.registers, other.kernels.registers);
  extend(k.shared_static, other.kernels.shared_static);
  extend(k.shared_dynamic, other.kernels.shared_dynamic);

  auto& t = profile_.transfers;
  extend(t.start_ns, other.transfers.start_ns);
  extend(t.end_ns, other.transfers.end_ns);
  extend(t.bytes, other.transfers.bytes);
  extend(t.correlation, other.transfers.correlation);
  extend(t.operation, other.transfers.operation);
  extend(t.kind, other.transfers.kind);
  extend_shifted(t.call, other.transfers.call, first_call);
  extend_mapped(t.device, other.transfers.device, devices);
  extend(t.stream, other.transfers.stream);
  extend_mapped(t.process, other.transfers.process, processes);

  auto& a = profile_.api;
  extend(a.start_ns, other.api.start_ns);
  extend(a.end_ns, other.api.end_ns);
  extend(a.correlation, other.api.correlation);
  extend(a.thread, other.api.thread);
  extend_mapped(a.name, other.api.name, strings);
  extend_shifted(a.call, other.api.call, first_call);
  extend_mapped(a.process, other.api.process, processes);
  extend(a.driver, other.api.driver);
  extend(a.result, other.api.result);

  auto& m = profile_.allocations;
  extend(m.time_ns, other.allocations.time_ns);
  extend(m.bytes, other.allocations.bytes);
  extend(m.address, other.allocations.address);
  extend(m.correlation, other.allocations.correlation);
  extend(m.release, other.allocations.release);
  extend_shifted(m.call, other.allocations.call, first_call);
  extend_mapped(m.device, other.allocations.device, devices);
  extend_mapped(m.process, other.allocations.process, processes);

  auto& n = profile_.nvtx;
  extend(n.start_ns, other.nvtx.start_ns);
  extend(n.end_ns, other.nvtx.end_ns);
  extend(n.thread, other.nvtx.thread);
  extend_mapped(n.name, other.nvtx.name, strings);
  extend_mapped(n.domain, other.nvtx.domain, strings);
  extend_mapped(n.category, other.nvtx.category, strings);
  extend(n.color, other.nvtx.color);
  extend(n.payload, other.nvtx.payload);
  extend_mapped(n.process, other.nvtx.process, processes);

  extend(profile_.overhead.start_ns, other.overhead.start_ns);
  extend(profile_.overhead.end_ns, other.overhead.end_ns);
  extend_mapped(profile_.overhead.kind, other.overhead.kind, strings);
  extend_mapped(profile_.overhead.process, other.overhead.process, processes);

  auto& c = profile_.counters;
  extend(c.start_ns, other.counters.start_ns);
  extend(c.end_ns, other.counters.end_ns);
  extend_mapped(c.device, other.counters.device, devices);
  extend_mapped(c.process, other.counters.process, processes);
  extend_mapped(c.metric, other.counters.metric, strings);
  extend(c.value, other.counters.value);
  for (ThreadName name : other.thread_names) {
    name.process = mapped(name.process, processes);
    name.name = mapped(name.name, strings);
    profile_.thread_names.push_back(name);
  }
  for (ResourceName name : other.resource_names) {
    name.process = mapped(name.process, processes);
    name.device = mapped(name.device, devices);
    name.name = mapped(name.name, strings);
    if (name.device >= 0) profile_.resource_names.push_back(name);
  }
}

}  // namespace rnnadvisor
