#include "advisor/report/selection.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rnnadvisor::advisor {

std::vector<int> most_interesting(const Report& report, std::size_t most) {
  const auto each = [&](int index) -> const ConfigurationReport& {
    return report.configurations[static_cast<std::size_t>(index)];
  };
  const auto worth = [&](int index) {
    return std::tuple(-static_cast<int>(each(index).standing), -each(index).share_of_step,
                      -each(index).best_gain(), -each(index).step_ms(), index);
  };
  // Configurations that tell the same story: one of them is worth more than the tenth.
  const auto story = [&](int index) {
    const auto& c = each(index);
    return std::tuple(c.standing, c.configuration->outcome, c.configuration->config.algo,
                      c.findings.empty() ? std::string_view() : c.findings.front()->rule_id);
  };
  std::vector<int> order;
  for (const auto& own : report.configurations)
    if (own.listed()) order.push_back(own.index);
  if (order.size() <= most) return order;
  std::sort(order.begin(), order.end(), [&](int a, int b) { return worth(a) < worth(b); });
  std::map<decltype(story(0)), int> told;
  std::vector<std::pair<int, int>> ranked;  // how often its story was told before, place in `order`
  for (std::size_t i = 0; i < order.size(); ++i) {
    ranked.emplace_back(told[story(order[i])]++, static_cast<int>(i));
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<int> chosen;
  for (std::size_t i = 0; i < most; ++i) {
    chosen.push_back(order[static_cast<std::size_t>(ranked[i].second)]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace rnnadvisor::advisor
