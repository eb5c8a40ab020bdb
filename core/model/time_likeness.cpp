#include <cmath>

#include "core/model/time_fit.h"

namespace rnnadvisor::model {
namespace {

// Lengths below half an octave would make every line of a usual grid an island, and longer ones
// than these change nothing any more.
constexpr double least_length = 0.4, most_length = 40;
constexpr double least_deviation = 0.02, most_deviation = 2;
constexpr double least_noise = 0.005, most_noise = 0.3;

bool allowed(std::size_t entry, double value) {
  if (entry == Likeness::deviation) return value >= least_deviation && value <= most_deviation;
  if (entry == Likeness::noise) return value >= least_noise && value <= most_noise;
  return value >= least_length && value <= most_length;
}

// The score of a likeness, less what its distance from the start costs: as if each entry were known
// within a factor of three beforehand.
double rate(const TimePoints& points, const Likeness& likeness, const Likeness& start) {
  double distance = 0;
  for (std::size_t k = 0; k < Likeness::entries; ++k) {
    const double factors = std::log(likeness.values[k] / start.values[k]) / std::log(3.0);
    distance += factors * factors;
  }
  return TimeFit(points, likeness).score() -
         0.5 * distance / static_cast<double>(points.works.size());
}

}  // namespace

Likeness choose_likeness(const TimePoints& points, const Likeness& start) {
  Likeness best = start;
  double best_rate = rate(points, best, start);
  for (const double step : {2.0, 1.5, 1.25}) {
    for (std::size_t k = 0; k < Likeness::entries; ++k) {
      for (const double factor : {step, 1.0 / step}) {
        while (true) {
          Likeness tried = best;
          tried.values[k] *= factor;
          if (!allowed(k, tried.values[k])) break;
          const double rated = rate(points, tried, start);
          if (!(rated > best_rate + 1e-4)) break;
          best = tried;
          best_rate = rated;
        }
      }
    }
  }
  return best;
}

}  // namespace rnnadvisor::model
