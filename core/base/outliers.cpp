#include "core/base/outliers.h"

#include <cmath>
#include <vector>

#include "core/base/statistics.h"

namespace rnnadvisor {

OutlierBounds outlier_bounds(std::span<const double> samples) {
  if (samples.size() < 6) return {};
  const double middle = median_interval(samples).median;
  std::vector<double> away;
  for (const double sample : samples) away.push_back(std::abs(sample - middle));
  const double room = 3 * 1.4826 * median_interval(away).median;
  return {middle - room, middle + room};
}

}  // namespace rnnadvisor
