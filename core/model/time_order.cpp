#include "core/model/time_order.h"

#include <algorithm>
#include <limits>

#include "core/model/time_fit.h"

namespace rnnadvisor::model {
namespace {

struct Candidate {
  std::size_t index = 0;
  TimeGroup group;
  Place place{};
  double distance = std::numeric_limits<double>::infinity();  // squared, to the nearest chosen
};

}  // namespace

std::vector<std::size_t> order_to_measure(std::span<const RnnConfig> configurations,
                                          const DeviceSpec& device) {
  const Likeness likeness;
  std::vector<Candidate> left;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    // Of all phases this one tells the most kernels apart.
    if (const auto group = time_group(configurations[i], device, Phase::backward_data))
      left.push_back({i, *group, scaled(place(configurations[i]), likeness)});
  }
  std::vector<std::size_t> order;
  while (!left.empty()) {
    const auto farthest = std::max_element(
        left.begin(), left.end(),
        [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
    const Candidate chosen = *farthest;
    left.erase(farthest);
    order.push_back(chosen.index);
    for (Candidate& other : left) {
      if (other.group != chosen.group) continue;
      other.distance = std::min(other.distance, squared_distance(other.place, chosen.place));
    }
  }
  return order;
}

}  // namespace rnnadvisor::model
