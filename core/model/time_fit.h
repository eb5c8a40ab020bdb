// The fit behind one group and phase of a TimeModel. Private to it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/model/matern_sum.h"
#include "core/model/time_features.h"

namespace rnnadvisor::model {

using Work = std::array<double, work_terms>;

// How alike two calls are, in as few numbers as the measured points can decide on. Lengths divide
// distances along entries of Place; several entries share one.
struct Likeness {
  enum Entry {
    hidden,
    batch,
    steps,
    input,
    stack,  // layers
    cell,
    type,
    hidden_alignment,
    other_alignment,
    deviation,  // of the process, in natural logarithms of time
    noise,      // of a measurement, and of what no feature tells
    direction,  // cuDNN has kernels of its own for both directions: no more layers are like them
    entries
  };
  // Files of times of before 2026-11-22 have the entries before `direction`.
  static constexpr std::size_t old_entries = direction;
  std::array<double, entries> values = {1.5, 1.5, 3.0, 4.0, 3.0,  2.0,
                                        2.0, 4.0, 6.0, 0.2, 0.03, 1.5};

  double length(std::size_t place_entry) const;
};

// Factors of the terms that no step, FLOP or byte enters.
using Overhead = std::array<double, overhead_terms>;

// In units of the lengths over which times are alike.
Place scaled(const Place& place, const Likeness& likeness);

struct TimePoints {
  std::vector<Work> works;
  std::vector<Place> places;
  std::vector<double> seconds;  // positive
  // Where all points have few lengths, they cannot tell a call's overhead from its steps; it is
  // then taken from elsewhere.
  std::optional<Overhead> overhead;

  bool tells_overhead() const;
};

// All that a fit found out, next to the places of its points: what is kept of it in a file.
struct FitResult {
  Likeness likeness;
  Work factors{};
  std::vector<double> weights;  // one a point
  double conformal = 0;         // half the interval, in deviations of the process
};

class TimeFit {
 public:
  // At least two points.
  TimeFit(const TimePoints& points, const Likeness& likeness);
  // A fit that was made before; `places` are those of its points, as many as it has weights. Its
  // at() and inside() are the same; it has no left_out() and no score().
  TimeFit(std::span<const Place> places, FitResult result);

  struct Estimate {
    double log_seconds = 0;
    double log_radius = 0;  // of the interval that holds nine in ten
  };
  Estimate at(const Work& work, const Place& place) const;
  // Of each point, from all others.
  const std::vector<Estimate>& left_out() const { return left_out_; }
  // Mean logarithmic density of points left out, higher is better: what a likeness is chosen by.
  double score() const { return score_; }
  bool inside(const Place& place) const;  // of the sizes that were measured
  // What the latency_terms are of the first order, 0 … 1: the time that more multiprocessors do
  // not shorten.
  double latency_share(const Work& work) const;
  const FitResult& result() const { return result_; }

 private:
  std::vector<Place> take_places(std::span<const Place> places);  // scaled
  double first_order(const Work& work) const;

  FitResult result_;  // its weights are the inverse covariance times the residual
  MaternSum sum_;     // over the points, divided by the lengths
  Place least_{}, most_{};
  double score_ = 0;
  std::vector<Estimate> left_out_;
};

// Factors a ≥ 0 that make a·work / seconds nearest to 1 in the sense of least squares.
Work fit_first_order(const TimePoints& points);

// The likeness with the best score that a search from `start` finds, one entry after the other. A
// weak prior holds it near the start where points decide nothing. Takes seconds for some hundred
// points.
Likeness choose_likeness(const TimePoints& points, const Likeness& start = {});

}  // namespace rnnadvisor::model
