// The sum over the points of a fit that every prediction is, eight points at a time. Private to the
// time model.
#pragma once

#include <span>
#include <vector>

#include "core/model/time_features.h"

namespace rnnadvisor::model {

// Matérn with ν = 5/2 (Rasmussen and Williams, equation 4.17) of a squared distance.
double matern(double squared);
double squared_distance(const Place& a, const Place& b);

class MaternSum {
 public:
  MaternSum() = default;
  // One weight for each place; at least one.
  MaternSum(std::span<const Place> places, std::span<const double> weights);

  struct Value {
    double weighted = 0;  // Σ weight · matern(squared_distance(its place, place))
    double largest = 0;   // of these matern()s
  };
  // The same bits on every machine, whichever instructions it has.
  Value at(const Place& place) const;

 private:
  // Of eight places one entry after the other, then their weights; then the next eight. Entries
  // that all places share are in `shared_` alone.
  std::vector<double> rows_;
  std::vector<std::size_t> entries_;  // those that differ
  std::vector<std::size_t> shared_entries_;
  Place shared_{};
};

}  // namespace rnnadvisor::model
