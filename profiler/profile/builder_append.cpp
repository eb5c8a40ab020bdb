// ProfileBuilder::append(): everything of another profile, renumbered.
#include <algorithm>
#include <map>
#include <set>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

template <class T>
void extend(std::vector<T>& into, const std::vector<T>& from) {
  into.insert(into.end(), from.begin(), from.end());
}

// Appends `from` with every index looked up in `map`; what is no index there stays "none".
void extend_mapped(std::vector<int>& into, const std::vector<int>& from,
                   const std::vector<int>& map) {
  for (const int index : from) {
    const auto at = static_cast<std::size_t>(index);
    into.push_back(index >= 0 && at < map.size() ? map[at] : -1);
  }
}

void extend_shifted(std::vector<int>& into, const std::vector<int>& from, int first) {
  for (const int index : from) into.push_back(index < 0 ? -1 : first + index);
}

template <class Visitor>
void visit_processes(const Profile& profile, Visitor visit) {
  for (const auto& call : profile.calls) visit(call.process);
  for (const auto* column :
       {&profile.kernels.process, &profile.transfers.process, &profile.api.process,
        &profile.allocations.process, &profile.nvtx.process}) {
    for (const int process : *column) visit(process);
  }
}

// New ids for the processes of `other`: its own where they are free.
std::map<int, int> renumber_processes(const Profile& other, const std::set<int>& taken) {
  std::map<int, int> ids;
  int last = 0;
  visit_processes(other, [&](int process) {
    if (!ids.empty() && process == last) return;  // long runs of one id
    ids.emplace(process, process);
    last = process;
  });
  int next = 1;
  for (auto& [old_id, new_id] : ids) {
    if (!taken.contains(old_id)) continue;
    while (taken.contains(next) || ids.contains(next)) ++next;
    new_id = next++;
  }
  return ids;
}

void append_clocks(std::vector<ClockSample>& into, const std::vector<ClockSample>& from,
                   const std::vector<int>& devices) {
  for (ClockSample sample : from) {
    const auto at = static_cast<std::size_t>(sample.device);
    sample.device = sample.device >= 0 && at < devices.size() ? devices[at] : -1;
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

void ProfileBuilder::append(const Profile& other, bool same_processes) {
  const bool first =
      profile_.environment.created.empty() && profile_.environment.rnnadvisor_version.empty();
  std::vector<int> devices;
  for (const auto& device : other.devices) devices.push_back(add_device(device));
  auto clocks = std::move(profile_.environment.clocks);
  const bool tracing = profile_.environment.tracing || other.environment.tracing;
  const bool counters = profile_.environment.counters || other.environment.counters;
  if (first) profile_.environment = other.environment;
  append_clocks(clocks, other.environment.clocks, devices);
  profile_.environment.clocks = std::move(clocks);
  profile_.environment.tracing = tracing;
  profile_.environment.counters = counters;

  std::vector<int> strings;
  strings.reserve(other.strings.size());
  for (const auto& text : other.strings) strings.push_back(intern(text));

  const int first_configuration = static_cast<int>(profile_.configurations.size());
  for (Configuration configuration : other.configurations) {
    const auto at = static_cast<std::size_t>(configuration.device);
    configuration.device = configuration.device >= 0 && at < devices.size() ? devices[at] : -1;
    profile_.configurations.push_back(std::move(configuration));
  }
  const int first_call = static_cast<int>(profile_.calls.size());
  append_tables(other, strings, devices, first_call, same_processes);
  for (std::size_t i = static_cast<std::size_t>(first_call); i < profile_.calls.size(); ++i) {
    auto& call = profile_.calls[i];
    if (call.configuration >= 0) call.configuration += first_configuration;
  }
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
    if (experiment.configuration >= 0) experiment.configuration += first_configuration;
    if (experiment.changed >= 0) experiment.changed += first_configuration;
    profile_.experiments.push_back(std::move(experiment));
  }
}

void ProfileBuilder::append_tables(const Profile& other, const std::vector<int>& strings,
                                   const std::vector<int>& devices, int first_call,
                                   bool same_processes) {
  const auto processes = renumber_processes(other, same_processes ? std::set<int>() : processes_);
  for (const auto& [old_id, new_id] : processes) see_process(new_id);
  const auto extend_processes = [&](std::vector<int>& into, const std::vector<int>& from) {
    auto known = processes.end();
    for (const int id : from) {
      if (known == processes.end() || known->first != id) known = processes.find(id);
      into.push_back(known->second);
    }
  };

  for (RnnCall call : other.calls) {
    const auto at = static_cast<std::size_t>(call.device);
    call.device = call.device >= 0 && at < devices.size() ? devices[at] : -1;
    call.process = processes.at(call.process);
    profile_.calls.push_back(call);
  }

  auto& k = profile_.kernels;
  extend(k.start_ns, other.kernels.start_ns);
  extend(k.end_ns, other.kernels.end_ns);
  extend_mapped(k.name, other.kernels.name, strings);
  extend_shifted(k.call, other.kernels.call, first_call);
  extend_mapped(k.device, other.kernels.device, devices);
  extend(k.stream, other.kernels.stream);
  extend_processes(k.process, other.kernels.process);
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
  extend_processes(t.process, other.transfers.process);

  auto& a = profile_.api;
  extend(a.start_ns, other.api.start_ns);
  extend(a.end_ns, other.api.end_ns);
  extend(a.correlation, other.api.correlation);
  extend(a.thread, other.api.thread);
  extend_mapped(a.name, other.api.name, strings);
  extend_shifted(a.call, other.api.call, first_call);
  extend_processes(a.process, other.api.process);
  extend(a.driver, other.api.driver);
  extend(a.result, other.api.result);

  auto& m = profile_.allocations;
  extend(m.time_ns, other.allocations.time_ns);
  extend(m.bytes, other.allocations.bytes);
  extend(m.address, other.allocations.address);
  extend(m.release, other.allocations.release);
  extend_mapped(m.device, other.allocations.device, devices);
  extend_processes(m.process, other.allocations.process);

  auto& n = profile_.nvtx;
  extend(n.start_ns, other.nvtx.start_ns);
  extend(n.end_ns, other.nvtx.end_ns);
  extend(n.thread, other.nvtx.thread);
  extend_mapped(n.name, other.nvtx.name, strings);
  extend_mapped(n.domain, other.nvtx.domain, strings);
  extend(n.color, other.nvtx.color);
  extend_processes(n.process, other.nvtx.process);

  extend(profile_.overhead.start_ns, other.overhead.start_ns);
  extend(profile_.overhead.end_ns, other.overhead.end_ns);
  extend_mapped(profile_.overhead.kind, other.overhead.kind, strings);
}

}  // namespace rnnadvisor
