#include "advisor/report/layer_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "advisor/facts/profile_index.h"

namespace rnnadvisor::advisor {
namespace {

RnnConfig without_shape(RnnConfig config) {
  config.id.clear();
  config.seq_length = config.batch_size = 1;
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

// "20", "10 to 20".
struct Range {
  int least, most;
  explicit Range(int one) : least(one), most(one) {}
  void add(int one) {
    least = std::min(least, one);
    most = std::max(most, one);
  }
  std::string text() const {
    return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  }
};

// " B10 to 20 T60 to 81" in the place of " B20 T67".
void name_shapes(std::string& text, const RnnConfig& own, const Range& batch, const Range& length) {
  const std::string one = fmt::format(" B{} T{},", own.batch_size, own.seq_length);
  const auto at = text.find(one);
  if (at != std::string::npos)
    text.replace(at, one.size(), fmt::format(" B{} T{},", batch.text(), length.text()));
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
  const auto& own = row.configuration->config;
  Range batch(own.batch_size), length(own.seq_length);
  double ms = 0, flops = 0, calls = 0;
  for (const int member : members) {
    const auto& one = each(member);
    if (member != first) each(member).shown_in = first;
    batch.add(one.configuration->config.batch_size);
    length.add(one.configuration->config.seq_length);
    const auto called = static_cast<double>(index.calls(member).size());
    if (one.step_ms() <= 0) continue;
    ms += called * one.step_ms();
    flops += called * one.step_tflops() * one.step_ms();
    calls += called;
  }
  if (calls > 0) row.mean_step = {ms / calls, flops / ms};
  row.share_of_step = std::min(1.0, all_of_step);
  row.shapes = members;
  std::sort(row.shapes.begin(), row.shapes.end(), [&](int a, int b) {
    const auto& one = each(a).configuration->config;
    const auto& other = each(b).configuration->config;
    return std::tuple(one.batch_size, one.seq_length, a) <
           std::tuple(other.batch_size, other.seq_length, b);
  });
  name_shapes(row.name, own, batch, length);
  name_shapes(row.summary, own, batch, length);
}

}  // namespace

void join_shapes(std::vector<ConfigurationReport>& all, const ProfileIndex& index) {
  std::vector<std::pair<const ConfigurationReport*, std::vector<int>>> layers;
  std::vector<RnnConfig> keys;
  for (const auto& each : all) {
    const auto& own = *each.configuration;
    if (each.tried || !own.from_program() || !own.described()) continue;
    const RnnConfig key = without_shape(own.config);
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
