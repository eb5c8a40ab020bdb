// Which of several samples stand out.
#pragma once

#include <limits>
#include <span>

namespace rnnadvisor {

// Beyond which a sample is an outlier: the median and three standard deviations to both sides of
// it, as estimated by the median absolute deviation times 1.4826 (Leys et al., Detecting outliers,
// Journal of Experimental Social Psychology 49, 2013, who call three very conservative). Of fewer
// than six samples none is one.
struct OutlierBounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool hold(double sample) const { return sample >= low && sample <= high; }
};
OutlierBounds outlier_bounds(std::span<const double> samples);

}  // namespace rnnadvisor
