#include "profiler/merge/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/base/statistics.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/tables.h"

namespace rnnadvisor {
namespace {

// Keeps the rows of a column for which `keep` holds.
template <class T>
void filter(std::vector<T>& column, const std::vector<bool>& keep) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < column.size() && i < keep.size(); ++i) {
    if (keep[i]) {
      if (next != i) column[next] = column[i];
      ++next;
    }
  }
  column.resize(next);
}

// Which rows stay, and their calls renumbered: a row without a call stays, a row of a call that is
// gone goes.
std::vector<bool> renumber(std::vector<int>& calls, const std::vector<int>& new_call) {
  std::vector<bool> keep(calls.size(), true);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i] < 0) continue;
    calls[i] = new_call[static_cast<std::size_t>(calls[i])];
    keep[i] = calls[i] >= 0;
  }
  return keep;
}

// The rows of a table of columns whose calls are still there.
template <class Table>
void filter_rows(const Table& table, Profile& profile, const std::vector<int>& new_call) {
  auto& rows = table.of(profile);
  const auto keep = renumber(rows.call, new_call);
  for_each(table.columns, [&](const auto& column) { filter(column.of(rows), keep); });
}

// More say nothing more of a median; evenly spread.
constexpr std::size_t most_samples = 1000;

void add_timings(Configuration& into, const Configuration& from) {
  for (const auto& timing : from.timings) {
    const auto known = std::find_if(into.timings.begin(), into.timings.end(),
                                    [&](const auto& t) { return t.phase == timing.phase; });
    if (known == into.timings.end()) {
      into.timings.push_back(timing);
      continue;
    }
    std::vector<double> all = known->samples_ms;
    all.insert(all.end(), timing.samples_ms.begin(), timing.samples_ms.end());
    if (all.empty()) continue;
    const std::size_t kept = std::min(all.size(), most_samples);
    known->samples_ms.clear();
    for (std::size_t i = 0; i < kept; ++i) known->samples_ms.push_back(all[i * all.size() / kept]);
    known->ms = median_interval(known->samples_ms);
  }
}

// What the same configuration did in another process of the program.
void fold(Configuration& into, const Configuration& from) {
  add_timings(into, from);
  for (const auto& stage : from.stages)
    if (into.stage(stage.stage) == nullptr) into.stages.push_back(stage);
  if (from.outcome == Outcome::completed && into.outcome != Outcome::completed) {
    into.outcome = from.outcome;
    into.message.clear();
  }
}

// Calls of configuration i become calls of into[i].
void redirect(Profile& profile, const std::vector<int>& into) {
  columns::for_each_id(profile, [&](columns::Target target, int& id) {
    if (target == columns::Target::configurations && id >= 0)
      id = into[static_cast<std::size_t>(id)];
  });
}

// Nearer times are the noise of any two runs.
constexpr double worth_telling = 1.1;

std::optional<Merged::Apart> furthest_apart(std::span<const Profile> profiles) {
  struct Times {
    std::string call;
    const PhaseTiming *least = nullptr, *most = nullptr;
    std::size_t least_in = 0, most_in = 0;
  };
  std::map<std::string, Times> known;
  for (std::size_t file = 0; file < profiles.size(); ++file) {
    for (const auto& each : profiles[file].configurations) {
      const auto device = static_cast<std::size_t>(std::max(each.device, 0));
      if (!each.described() || device >= profiles[file].devices.size()) continue;
      RnnConfig config = each.config;
      config.id.clear();
      for (const auto& timing : each.timings) {
        if (!(timing.ms.median > 0)) continue;
        const auto phase = to_string(timing.phase);
        auto& times = known[fmt::format("{}{}{}", to_json_line(ConfigInput{config, {}, {}, {}}),
                                        phase, profiles[file].devices[device].name)];
        times.call = fmt::format("{}, {}", summary(config), phase);
        if (times.least == nullptr || timing.ms.median < times.least->ms.median) {
          times.least = &timing;
          times.least_in = file;
        }
        if (times.most == nullptr || timing.ms.median > times.most->ms.median) {
          times.most = &timing;
          times.most_in = file;
        }
      }
    }
  }
  std::optional<Merged::Apart> furthest;
  int calls = 0;
  for (const auto& [key, times] : known) {
    const auto &least = times.least->ms, &most = times.most->ms;
    if (times.least_in == times.most_in || most.low <= least.high ||
        most.median < worth_telling * least.median)
      continue;
    ++calls;
    if (furthest && most.median * furthest->least_ms <= furthest->most_ms * least.median) continue;
    furthest =
        Merged::Apart{times.call, least.median, most.median, times.least_in, times.most_in, 0};
  }
  if (furthest) furthest->calls = calls;
  return furthest;
}

}  // namespace

Profile select_configurations(const Profile& profile, std::span<const int> order) {
  Profile part = profile;
  part.configurations.clear();
  std::vector<int> new_configuration(profile.configurations.size(), -1);
  for (const int index : order) {
    new_configuration[static_cast<std::size_t>(index)] =
        static_cast<int>(part.configurations.size());
    part.configurations.push_back(profile.configurations[static_cast<std::size_t>(index)]);
  }
  const auto renumbered = [&](int configuration) {
    return configuration < 0 ? -1 : new_configuration[static_cast<std::size_t>(configuration)];
  };

  part.calls.clear();
  std::vector<int> new_call(profile.calls.size(), -1);
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    RnnCall call = profile.calls[i];
    const bool lost = call.configuration >= 0 && renumbered(call.configuration) < 0;
    if (lost) continue;
    call.configuration = renumbered(call.configuration);
    new_call[i] = static_cast<int>(part.calls.size());
    part.calls.push_back(call);
  }
  const auto renumbered_call = [&](int call) {
    return call < 0 ? -1 : new_call[static_cast<std::size_t>(call)];
  };
  for (auto& call : part.calls) call.forward = renumbered_call(call.forward);
  part.setup_calls.clear();
  for (SetupCall call : profile.setup_calls) {
    const bool lost = call.configuration >= 0 && renumbered(call.configuration) < 0;
    call.configuration = renumbered(call.configuration);
    if (!lost) part.setup_calls.push_back(call);
  }

  filter_rows(columns::kernels, part, new_call);
  filter_rows(columns::transfers, part, new_call);
  filter_rows(columns::api, part, new_call);
  // Memory outlives the call that took it.
  for (int& call : part.allocations.call) call = renumbered_call(call);

  part.experiments.clear();
  for (Experiment experiment : profile.experiments) {
    experiment.configuration = renumbered(experiment.configuration);
    for (int& changed : experiment.changed) changed = renumbered(changed);
    std::erase(experiment.changed, -1);
    if (experiment.configuration >= 0) part.experiments.push_back(std::move(experiment));
  }
  return part;
}

Profile join_profiles(std::span<const Profile* const> profiles) {
  ProfileBuilder builder;
  for (const Profile* profile : profiles) builder.append(*profile);
  Profile joined = builder.finish();
  joined.figures.clear();
  std::set<std::string> seen;
  for (const Profile* profile : profiles) {
    for (const auto& figure : profile->figures) {
      if (seen.insert(figure.id).second) joined.figures.push_back(figure);
    }
  }
  return joined;
}

Merged merge_profiles(std::span<const Profile> profiles) {
  std::vector<const Profile*> pointers;
  for (const auto& profile : profiles) pointers.push_back(&profile);
  Profile joined = join_profiles(pointers);
  std::map<std::string, std::size_t> place;  // of a configuration in `order`
  std::vector<int> order, into(joined.configurations.size());
  std::iota(into.begin(), into.end(), 0);
  int left_out = 0;
  for (std::size_t i = 0; i < joined.configurations.size(); ++i) {
    const auto& configuration = joined.configurations[i];
    const auto device = static_cast<std::size_t>(std::max(configuration.device, 0));
    std::string key = configuration_key(configuration);
    if (device < joined.devices.size()) key += joined.devices[device].name;
    const auto [entry, fresh] = place.try_emplace(std::move(key), order.size());
    if (fresh) {
      order.push_back(static_cast<int>(i));
      continue;
    }
    ++left_out;
    if (const int first = order[entry->second];
        configuration.from_program() &&
        joined.configurations[static_cast<std::size_t>(first)].origin == configuration.origin) {
      fold(joined.configurations[static_cast<std::size_t>(first)], configuration);
      into[i] = first;
      --left_out;
    } else if (int& present = order[entry->second];
               is_final(configuration.outcome) &&
               !is_final(joined.configurations[static_cast<std::size_t>(present)].outcome)) {
      present = static_cast<int>(i);
    }
  }
  redirect(joined, into);
  return {select_configurations(joined, order), left_out, furthest_apart(profiles)};
}

std::string configuration_key(const ConfigInput& input) { return to_json_line(input); }

std::string configuration_key(const Configuration& configuration) {
  return to_json_line(ConfigInput{configuration.config, configuration.program, {}});
}

bool is_final(Outcome outcome) {
  return outcome == Outcome::completed || outcome == Outcome::refused ||
         outcome == Outcome::out_of_memory_predicted;
}

}  // namespace rnnadvisor
