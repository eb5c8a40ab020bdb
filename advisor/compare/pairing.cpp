#include "advisor/compare/pairing.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "core/config/read_config.h"

namespace rnnadvisor::compare {
namespace {

// Pairs by keys, in order of appearance; what is paired leaves both lists. An empty key pairs
// nothing.
template <class OldKey, class NewKey>
void pair_by(std::vector<int>& left, std::vector<int>& right,
             std::vector<std::pair<int, int>>& pairs, OldKey old_key, NewKey new_key) {
  std::map<std::string, std::vector<int>> free;
  for (const int i : right) {
    const auto k = new_key(i);
    if (!k.empty()) free[k].push_back(i);
  }
  std::vector<int> rest;
  for (const int i : left) {
    const auto found = free.find(old_key(i));
    if (found == free.end() || found->second.empty()) {
      rest.push_back(i);
      continue;
    }
    pairs.emplace_back(i, found->second.front());
    std::erase(right, found->second.front());
    found->second.erase(found->second.begin());
  }
  left = rest;
}

template <class Key>
void pair_by(const Profile& before, const Profile& after, std::vector<int>& left,
             std::vector<int>& right, std::vector<std::pair<int, int>>& pairs, Key key) {
  const auto of = [&](const Profile& profile) {
    return [&](int i) { return key(profile.configurations[static_cast<std::size_t>(i)]); };
  };
  pair_by(left, right, pairs, of(before), of(after));
}

// The line of the program that calls a configuration, of the first call whose line is known.
std::map<int, std::string> places_of(const Profile& profile) {
  std::map<int, std::string> places;
  for (const auto& call : profile.calls) {
    if (call.configuration < 0 || call.site < 0 || !is_forward(call.phase)) continue;
    const auto& site = profile.call_sites[static_cast<std::size_t>(call.site)];
    if (site.file >= 0)
      places.try_emplace(call.configuration,
                         fmt::format("{}:{}", profile.text(site.file), site.line));
  }
  return places;
}

std::string place(const std::map<int, std::string>& places, int configuration) {
  const auto found = places.find(configuration);
  return found == places.end() ? std::string() : found->second;
}

// Stacks of `wholes` that `parts` of the other profile make in calls of one layer.
template <class Add>
void pair_stacks(const Profile& of, std::vector<int>& wholes, const Profile& profile,
                 std::vector<int>& parts, Add add) {
  std::erase_if(wholes, [&](int whole) {
    const auto found = parts_of_stack(of, whole, profile, parts);
    for (const auto& [part, calls] : found) std::erase(parts, part);
    if (!found.empty()) add(CallSet{{whole, 1}}, found);
    return !found.empty();
  });
}

}  // namespace

std::vector<ConfigurationPair> pair_configurations(const Profile& before, const Profile& after) {
  std::vector<int> left(before.configurations.size());
  std::vector<int> right(after.configurations.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = static_cast<int>(i);
  std::vector<std::pair<int, int>> pairs;
  const auto same = [](const Configuration& c) {
    RnnConfig plain = c.config;
    plain.id.clear();
    return c.described() ? to_json_line(plain) : std::string();
  };
  const auto id_and_parameters = [&](const Configuration& c) {
    return c.config.id.empty() ? std::string() : c.config.id + '\n' + same(c);
  };
  const auto id = [](const Configuration& c) { return c.config.id; };
  // The same layer under another algorithm, type or batch is still the same layer.
  const auto shape = [](const Configuration& c) {
    if (!c.described()) return std::string();
    RnnConfig plain;
    plain.cell = c.config.cell;
    plain.hidden_size = c.config.hidden_size;
    plain.num_layers = c.config.num_layers;
    plain.direction = c.config.direction;
    return to_json_line(plain);
  };
  pair_by(before, after, left, right, pairs, id_and_parameters);
  pair_by(before, after, left, right, pairs, same);
  pair_by(before, after, left, right, pairs, id);
  pair_by(before, after, left, right, pairs, shape);
  std::vector<ConfigurationPair> result;
  pair_stacks(before, left, after, right, [&](const CallSet& whole, const CallSet& parts) {
    result.push_back({whole, parts});
  });
  pair_stacks(after, right, before, left, [&](const CallSet& whole, const CallSet& parts) {
    result.push_back({parts, whole});
  });
  // What a line calls is the same layer with other sizes, or another cell.
  const std::map<int, std::string> old_places = places_of(before), new_places = places_of(after);
  pair_by(
      left, right, pairs, [&](int i) { return place(old_places, i); },
      [&](int i) { return place(new_places, i); });
  for (const auto& [b, a] : pairs) result.push_back({{{b, 1}}, {{a, 1}}});
  for (const int i : left) result.push_back({{{i, 1}}, {}});
  for (const int i : right) result.push_back({{}, {{i, 1}}});
  return result;
}

}  // namespace rnnadvisor::compare
