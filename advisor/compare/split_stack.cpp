#include "advisor/compare/split_stack.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace rnnadvisor::compare {
namespace {

bool called(const Profile& profile, int configuration) {
  return std::any_of(profile.calls.begin(), profile.calls.end(),
                     [&](const RnnCall& call) { return call.configuration == configuration; });
}

}  // namespace

int ConfigurationPair::calls(const CallSet& set) {
  return std::accumulate(set.begin(), set.end(), 0,
                         [](int sum, const auto& each) { return sum + each.second; });
}

CallSet parts_of_stack(const Profile& of, int whole, const Profile& profile,
                       const std::vector<int>& parts) {
  const auto& stack = of.configurations[static_cast<std::size_t>(whole)];
  const RnnConfig& all = stack.config;
  if (!stack.described() || all.num_layers < 2 || !called(of, whole)) return {};
  const int width = all.proj_size * (all.direction == Direction::bidirectional ? 2 : 1);
  // The one with that many inputs.
  const auto find = [&](int inputs) {
    const auto found = std::find_if(parts.begin(), parts.end(), [&](int i) {
      const auto& candidate = profile.configurations[static_cast<std::size_t>(i)];
      const RnnConfig& one = candidate.config;
      return candidate.described() && one.num_layers == 1 && one.input_size == inputs &&
             one.cell == all.cell && one.hidden_size == all.hidden_size &&
             one.proj_size == all.proj_size && one.direction == all.direction &&
             one.data_type == all.data_type && one.batch_size == all.batch_size &&
             one.seq_length == all.seq_length && called(profile, i);
    });
    return found == parts.end() ? -1 : *found;
  };
  const int first = find(all.input_size), other = find(width);
  if (first < 0 || other < 0) return {};
  if (first == other) return {{first, all.num_layers}};
  return {{first, 1}, {other, all.num_layers - 1}};
}

CallUnits units_of(const Profile& profile, const std::vector<int>& size,
                   const std::vector<int>& group, const std::vector<int>& step) {
  CallUnits result;
  result.calls.resize(profile.calls.size());
  result.whole.assign(profile.calls.size(), 1);
  std::vector<int> order(profile.calls.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return profile.calls[static_cast<std::size_t>(a)].host_start_ns <
           profile.calls[static_cast<std::size_t>(b)].host_start_ns;
  });
  // What a unit is gathered by, and its first call. Backward data and weights of layers alternate,
  // so that several are gathered at a time.
  std::map<std::tuple<int, int, Phase>, int> open;
  for (const int i : order) {
    const auto& call = profile.calls[static_cast<std::size_t>(i)];
    const auto c = static_cast<std::size_t>(call.configuration);
    const int wanted = call.configuration < 0 ? 1 : size[c];
    auto& own = result.calls[static_cast<std::size_t>(i)];
    if (wanted <= 1) {
      own = {i};
      continue;
    }
    const auto key = std::tuple(call.process, group[c], call.phase);
    const auto found = open.find(key);
    if (found != open.end() &&
        step[static_cast<std::size_t>(found->second)] == step[static_cast<std::size_t>(i)]) {
      const auto first = static_cast<std::size_t>(found->second);
      result.calls[first].push_back(i);
      if (static_cast<int>(result.calls[first].size()) == wanted) {
        result.whole[first] = 1;
        open.erase(found);
      }
    } else {
      own = {i};
      result.whole[static_cast<std::size_t>(i)] = 0;
      open[key] = i;
    }
  }
  return result;
}

}  // namespace rnnadvisor::compare
