#include "advisor/report/layer_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "advisor/facts/profile_index.h"

namespace rnnadvisor::advisor {
namespace {

RnnConfig without_lengths(RnnConfig config) {
  config.id.clear();
  config.seq_length = 1;
  config.seq_lengths.clear();
  return config;
}

// Time of all recorded calls, ns: of their kernels, or where none were recorded of their events.
double time_of(const ProfileIndex& index, int configuration) {
  double kernels = 0, events = 0;
  const auto& profile = index.profile();
  for (const int at : index.calls(configuration)) {
    for (const int kernel : index.kernels(at)) {
      const auto k = static_cast<std::size_t>(kernel);
      kernels += static_cast<double>(profile.kernels.end_ns[k] - profile.kernels.start_ns[k]);
    }
    events += static_cast<double>(
        std::max<std::int64_t>(0, profile.calls[static_cast<std::size_t>(at)].device_duration_ns));
  }
  return kernels > 0 ? kernels : events;
}

// " T60 to 81" in the place of " T67".
void name_lengths(std::string& text, int own, int shortest, int longest) {
  const std::string one = fmt::format(" T{},", own);
  const auto at = text.find(one);
  if (at != std::string::npos && shortest != longest)
    text.replace(at, one.size(), fmt::format(" T{} to {},", shortest, longest));
}

void join(std::vector<ConfigurationReport>& all, const std::vector<int>& members,
          const ProfileIndex& index) {
  const auto each = [&](int at) -> ConfigurationReport& {
    return all[static_cast<std::size_t>(at)];
  };
  int first = members.front();
  double most = -1, all_of_step = 0;
  for (const int member : members) {
    const double time = time_of(index, member);
    if (std::pair(each(member).standing, time) > std::pair(each(first).standing, most)) {
      first = member;
      most = time;
    }
    all_of_step += each(member).share_of_step;
  }
  auto& row = each(first);
  int shortest = row.configuration->config.seq_length, longest = shortest;
  double ms = 0, flops = 0, calls = 0;
  for (const int member : members) {
    const auto& one = each(member);
    if (member != first) each(member).shown_in = first;
    shortest = std::min(shortest, one.configuration->config.seq_length);
    longest = std::max(longest, one.configuration->config.seq_length);
    const auto called = static_cast<double>(index.calls(member).size());
    if (one.step_ms() <= 0) continue;
    ms += called * one.step_ms();
    flops += called * one.step_tflops() * one.step_ms();
    calls += called;
  }
  if (calls > 0) row.mean_step = {ms / calls, flops / ms};
  row.share_of_step = std::min(1.0, all_of_step);
  row.lengths = members;
  std::sort(row.lengths.begin(), row.lengths.end(), [&](int a, int b) {
    return std::pair(each(a).configuration->config.seq_length, a) <
           std::pair(each(b).configuration->config.seq_length, b);
  });
  name_lengths(row.name, row.configuration->config.seq_length, shortest, longest);
  name_lengths(row.summary, row.configuration->config.seq_length, shortest, longest);
}

}  // namespace

void join_lengths(std::vector<ConfigurationReport>& all, const ProfileIndex& index) {
  std::vector<std::pair<const ConfigurationReport*, std::vector<int>>> layers;
  std::vector<RnnConfig> keys;
  for (const auto& each : all) {
    const auto& own = *each.configuration;
    if (each.tried || !own.from_program() || !own.described()) continue;
    const RnnConfig key = without_lengths(own.config);
    const auto known = [&] {
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (keys[i] == key && layers[i].first->configuration->device == own.device &&
            layers[i].first->configuration->outcome == own.outcome)
          return i;
      return keys.size();
    }();
    if (known == keys.size()) {
      keys.push_back(key);
      layers.emplace_back(&each, std::vector<int>{});
    }
    layers[known].second.push_back(each.index);
  }
  for (const auto& [first, members] : layers)
    if (members.size() > 1) join(all, members, index);
}

}  // namespace rnnadvisor::advisor
