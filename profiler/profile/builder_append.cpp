// ProfileBuilder::append(): everything of another profile, renumbered.
#include <algorithm>
#include <numeric>
#include <utility>

#include "profiler/profile/builder.h"
#include "profiler/profile/devices.h"
#include "profiler/profile/tables.h"

namespace rnnadvisor {
namespace {

using columns::Target;

// An index looked up in `map`; what is no index there stays "none".
int mapped(int index, const std::vector<int>& map) {
  const auto at = static_cast<std::size_t>(index);
  return index >= 0 && at < map.size() ? map[at] : -1;
}

// `count` ids from `first` on.
std::vector<int> numbers(std::size_t first, std::size_t count) {
  std::vector<int> ids(count);
  std::iota(ids.begin(), ids.end(), static_cast<int>(first));
  return ids;
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

int ProfileBuilder::Renumbering::of(Target target, int id) const {
  return mapped(id, ids[static_cast<std::size_t>(target)]);
}

// The rows of a table behind those that are here.
template <class Table>
void ProfileBuilder::append_rows(const Table& table, const Profile& other, const Renumbering& now) {
  auto& rows = table.of(profile_);
  const auto& more = table.of(other);
  const std::size_t first = rows.size();
  const auto extend = [](auto& into, const auto& from) {
    into.insert(into.end(), from.begin(), from.end());
  };
  if constexpr (columns::is_vector<std::decay_t<decltype(rows)>>) {
    extend(rows, more);
  } else {
    for_each(table.columns, [&](const auto& column) { extend(column.of(rows), column.of(more)); });
  }
  for_each_id(table.columns, rows, first, [&](Target target, int& id) { id = now.of(target, id); });
}

void ProfileBuilder::append(const Profile& other) {
  Renumbering now;
  auto& devices = now[Target::devices];
  for (const auto& device : other.devices)
    devices.push_back(rnnadvisor::add_device(profile_, device, devices));
  append_environment(other.environment, now);
  for (const auto& process : other.processes)
    now[Target::processes].push_back(add_process(process));
  now[Target::strings].reserve(other.strings.size());
  for (const auto& text : other.strings) now[Target::strings].push_back(intern(text));
  now[Target::configurations] =
      numbers(profile_.configurations.size(), other.configurations.size());
  now[Target::calls] = numbers(profile_.calls.size(), other.calls.size());
  for (const auto& given : other.call_arguments)
    now[Target::call_arguments].push_back(add_arguments(given));
  // An inner frame stands before the sites that name it; see check.h.
  for (CallSite site : other.call_sites) {
    site.file = now.of(Target::strings, site.file);
    site.function = now.of(Target::strings, site.function);
    site.inner = now.of(Target::call_sites, site.inner);
    now[Target::call_sites].push_back(add_site(site));
  }

  const std::size_t first_experiment = profile_.experiments.size();
  const auto rows = [&](const auto& table) { append_rows(table, other, now); };
  columns::with_table_of<Configuration>(rows);
  columns::with_table_of<RnnCall>(rows);
  columns::with_table_of<SetupCall>(rows);
  columns::with_table_of<ThreadName>(rows);
  columns::with_table_of<ResourceName>(rows);
  columns::with_table_of<Experiment>(rows);
  std::erase_if(profile_.resource_names, [](const auto& named) { return named.device < 0; });
  for (std::size_t i = first_experiment; i < profile_.experiments.size(); ++i)
    for (int& changed : profile_.experiments[i].changed)
      changed = now.of(Target::configurations, changed);

  searches_.resize(profile_.kernels.size(), 0);
  for (const auto role : other.kernels.role)
    searches_.push_back(role == KernelRole::algorithm_search ? 1 : 0);
  for_each(columns::record_tables, rows);
  for (const auto& note : other.notes) add_note(note);
  for (const auto& figure : other.figures) append_figure(figure);
}

void ProfileBuilder::append_environment(const Environment& other, const Renumbering& now) {
  // What was not described: a part that never ran, say, describes nothing and takes nothing away.
  Environment& own = profile_.environment;
  const bool first = own.created.empty() && own.rnnadvisor_version.empty() &&
                     own.command_line.empty() && own.cudnn_version.empty() &&
                     own.driver_version.empty() && own.host.empty();
  auto clocks = std::move(own.clocks);
  const bool tracing = own.tracing || other.tracing, counters = own.counters || other.counters;
  if (first) own = other;
  own.tracing = tracing;
  own.counters = counters;
  append_clocks(clocks, other.clocks, now[Target::devices]);
  own.clocks = std::move(clocks);
}

void ProfileBuilder::append_figure(const Figure& figure) {
  const auto known = std::find_if(profile_.figures.begin(), profile_.figures.end(),
                                  [&](const Figure& f) { return f.id == figure.id; });
  if (known == profile_.figures.end()) {
    profile_.figures.push_back(figure);
    return;
  }
  // An empty list means all configurations and stays so.
  auto& ids = known->configuration_ids;
  if (ids.empty() || figure.configuration_ids.empty()) return ids.clear();
  for (const auto& id : figure.configuration_ids)
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
}

}  // namespace rnnadvisor
