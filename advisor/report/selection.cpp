#include "advisor/report/selection.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace rnnadvisor::advisor {

std::vector<int> most_interesting(const Report& report, std::size_t most) {
  const auto key = [&](int index) {
    const auto& each = report.configurations[static_cast<std::size_t>(index)];
    return std::tuple(-static_cast<int>(each.standing), -each.best_gain(), -each.step_ms(), index);
  };
  std::vector<int> order(report.configurations.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() > most) {
    std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    order.resize(most);
    std::sort(order.begin(), order.end());
  }
  return order;
}

}  // namespace rnnadvisor::advisor
