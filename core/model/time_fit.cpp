#include "core/model/time_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace rnnadvisor::model {
namespace {

using Eigen::Index;

// Deviation of a prediction, looked up by how alike the likest known point is: that of the process
// given this point alone, an upper bound of the one given all.
double deviation_at(double likest, const Likeness& likeness) {
  const double own = likeness.values[Likeness::deviation], noise = likeness.values[Likeness::noise];
  return std::sqrt(own * own * (1.0 - likest * likest) + noise * noise);
}

// Sets of points that are left out together. Each point alone; and all of one hidden size, batch or
// length, because what is asked for lies between the lines of the grid that was measured. The least
// and the largest stay, because beyond them is extrapolation, which says so, and so does a line
// that has half of all points.
std::vector<std::vector<Index>> sets_to_leave_out(const std::vector<Place>& places) {
  std::vector<std::vector<Index>> sets;
  for (std::size_t i = 0; i < places.size(); ++i) sets.push_back({static_cast<Index>(i)});
  constexpr std::array<std::size_t, 3> sizes = {0, 1, 2};  // of Place: hidden size, batch, length
  for (const std::size_t size : sizes) {
    std::map<double, std::vector<Index>> levels;
    for (std::size_t i = 0; i < places.size(); ++i)
      levels[places[i][size]].push_back(static_cast<Index>(i));
    if (levels.size() < 3) continue;
    levels.erase(levels.begin());
    levels.erase(std::prev(levels.end()));
    for (auto& [value, points] : levels) {
      if (2 * points.size() < places.size()) sets.push_back(std::move(points));
    }
  }
  return sets;
}

// Both in place, of lower triangles, by halves: a fit spends its time here, and solving for the
// identity would take three times as long. What is above the diagonal is neither read nor written.
using Triangle = Eigen::Ref<Eigen::MatrixXd>;
constexpr Index undivided = 48;

// l becomes l⁻¹.
void invert_lower(Triangle l) {
  const Index n = l.rows(), top = n / 2, rest = n - top;
  if (n <= undivided) {
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(n, n);
    l.triangularView<Eigen::Lower>().solveInPlace(inverse);
    l.triangularView<Eigen::Lower>() = inverse;
    return;
  }
  auto corner = l.bottomLeftCorner(rest, top);
  invert_lower(l.topLeftCorner(top, top));
  invert_lower(l.bottomRightCorner(rest, rest));
  corner = corner * l.topLeftCorner(top, top).triangularView<Eigen::Lower>();
  corner = -(l.bottomRightCorner(rest, rest).triangularView<Eigen::Lower>() * corner);
}

// l becomes the lower triangle of lᵀl.
void square_lower(Triangle l) {
  const Index n = l.rows(), top = n / 2, rest = n - top;
  if (n <= undivided) {
    const Eigen::MatrixXd whole = l.triangularView<Eigen::Lower>();
    l.triangularView<Eigen::Lower>() = whole.transpose() * whole;
    return;
  }
  auto corner = l.bottomLeftCorner(rest, top);
  square_lower(l.topLeftCorner(top, top));
  l.topLeftCorner(top, top).selfadjointView<Eigen::Lower>().rankUpdate(corner.transpose());
  corner = l.bottomRightCorner(rest, rest).triangularView<Eigen::Lower>().transpose() * corner;
  square_lower(l.bottomRightCorner(rest, rest));
}

Eigen::MatrixXd inverse_of_positive(const Eigen::MatrixXd& matrix) {
  Eigen::MatrixXd lower = matrix.llt().matrixL();
  invert_lower(lower);
  square_lower(lower);
  return lower.selfadjointView<Eigen::Lower>();
}

}  // namespace

Place scaled(const Place& place, const Likeness& likeness) {
  Place result{};
  for (std::size_t k = 0; k < place_size; ++k) result[k] = place[k] / likeness.length(k);
  return result;
}

double Likeness::length(std::size_t place_entry) const {
  constexpr std::array<Entry, place_size> shared = {hidden,
                                                    batch,
                                                    steps,
                                                    input,
                                                    stack,
                                                    direction,
                                                    cell,
                                                    cell,
                                                    cell,
                                                    type,
                                                    type,
                                                    hidden_alignment,
                                                    other_alignment,
                                                    other_alignment};
  return values[shared[place_entry]];
}

bool TimePoints::tells_overhead() const {
  constexpr std::size_t length = 2;  // of Place
  std::set<double> lengths;
  for (const Place& place : places) lengths.insert(place[length]);
  return lengths.size() >= 3;
}

Work fit_first_order(const TimePoints& points) {
  constexpr auto terms = static_cast<Index>(work_terms);
  Eigen::MatrixXd a(static_cast<Index>(points.works.size()), terms);
  Eigen::VectorXd rest = Eigen::VectorXd::Ones(a.rows());  // of each time, to be explained
  for (Index i = 0; i < a.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (Index k = 0; k < terms; ++k)
      a(i, k) = points.works[at][static_cast<std::size_t>(k)] / points.seconds[at];
    if (!points.overhead) continue;
    for (std::size_t k = 0; k < overhead_terms; ++k) {
      rest(i) -= (*points.overhead)[k] * points.works[at][k] / points.seconds[at];
      a(i, static_cast<Index>(k)) = 0;
    }
  }
  const Eigen::VectorXd norms = a.colwise().norm().cwiseMax(1e-300);
  a = a * norms.cwiseInverse().asDiagonal();
  const Eigen::MatrixXd gram = a.transpose() * a;
  const Eigen::VectorXd target = a.transpose() * rest;
  // Coordinate descent with the bound: each step is exact, so the error only falls. Columns have
  // length 1, or 0 where nothing has such work.
  Eigen::VectorXd x = Eigen::VectorXd::Zero(terms);
  for (int sweep = 0; sweep < 2000; ++sweep) {
    double moved = 0;
    for (Index k = 0; k < terms; ++k) {
      if (gram(k, k) < 0.5) continue;
      const double wanted = std::max(0.0, x(k) + (target(k) - gram.row(k).dot(x)) / gram(k, k));
      moved = std::max(moved, std::abs(wanted - x(k)));
      x(k) = wanted;
    }
    if (moved < 1e-9 * (1.0 + x.maxCoeff())) break;
  }
  Work factors{};
  for (Index k = 0; k < terms; ++k) factors[static_cast<std::size_t>(k)] = x(k) / norms(k);
  if (points.overhead) std::copy(points.overhead->begin(), points.overhead->end(), factors.begin());
  return factors;
}

std::vector<Place> TimeFit::take_places(std::span<const Place> places) {
  least_ = most_ = places.front();
  std::vector<Place> all;
  all.reserve(places.size());
  for (const Place& place : places) {
    for (std::size_t k = 0; k < place_size; ++k) {
      least_[k] = std::min(least_[k], place[k]);
      most_[k] = std::max(most_[k], place[k]);
    }
    all.push_back(scaled(place, result_.likeness));
  }
  return all;
}

TimeFit::TimeFit(std::span<const Place> places, FitResult result) : result_(std::move(result)) {
  sum_ = MaternSum(take_places(places), result_.weights);
}

TimeFit::TimeFit(const TimePoints& points, const Likeness& likeness) {
  result_.likeness = likeness;
  result_.factors = fit_first_order(points);
  const std::vector<Place> scaled_places = take_places(points.places);
  const auto n = static_cast<Index>(points.works.size());
  Eigen::VectorXd residual(n);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    residual(i) = std::log(points.seconds[at] / first_order(points.works[at]));
  }
  Eigen::MatrixXd alike(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      alike(i, j) = alike(j, i) = matern(squared_distance(
          scaled_places[static_cast<std::size_t>(i)], scaled_places[static_cast<std::size_t>(j)]));
    }
  }
  const double own = likeness.values[Likeness::deviation];
  const double noise = likeness.values[Likeness::noise];
  Eigen::MatrixXd covariance = own * own * alike;
  covariance.diagonal().array() += noise * noise;
  const Eigen::MatrixXd inverse = inverse_of_positive(covariance);
  const Eigen::VectorXd weights = inverse * residual;
  result_.weights.assign(weights.begin(), weights.end());
  sum_ = MaternSum(scaled_places, result_.weights);

  // Leaving points out in closed form (Rasmussen and Williams, equations 5.10 to 5.12, for blocks):
  // what is predicted of a set without it is off by P⁻¹w, with covariance P⁻¹, where P is the set's
  // block of the inverse and w its part of the weights.
  std::vector<double> off;
  double density = 0;
  left_out_.resize(static_cast<std::size_t>(n));
  for (const auto& set : sets_to_leave_out(points.places)) {
    const auto size = static_cast<Index>(set.size());
    const Eigen::MatrixXd block = inverse(set, set);
    const Eigen::MatrixXd spread = block.llt().solve(Eigen::MatrixXd::Identity(size, size));
    const Eigen::VectorXd error = spread * weights(set);
    std::vector<bool> out(static_cast<std::size_t>(n), false);
    for (const Index i : set) out[static_cast<std::size_t>(i)] = true;
    for (Index k = 0; k < size; ++k) {
      const Index i = set[static_cast<std::size_t>(k)];
      double likest = 0;
      for (Index j = 0; j < n; ++j) {
        if (!out[static_cast<std::size_t>(j)]) likest = std::max(likest, alike(i, j));
      }
      const double variance = spread(k, k);
      density -= 0.5 * (std::log(variance) + error(k) * error(k) / variance);
      const double unit = deviation_at(likest, likeness);
      off.push_back(std::abs(error(k)) / unit);
      if (size == 1) {
        const auto at = static_cast<std::size_t>(i);
        left_out_[at] = {std::log(points.seconds[at]) - error(k), unit};
      }
    }
  }
  score_ = density / static_cast<double>(off.size());
  // The order statistic that holds nine in ten of one more than there are.
  const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(off.size() + 1)));
  std::sort(off.begin(), off.end());
  result_.conformal = off[std::min(rank, off.size()) - 1];
  for (Estimate& estimate : left_out_) estimate.log_radius *= result_.conformal;
}

double TimeFit::first_order(const Work& work) const {
  double sum = 0;
  for (std::size_t k = 0; k < work_terms; ++k) sum += result_.factors[k] * work[k];
  return std::max(sum, 1e-9);
}

TimeFit::Estimate TimeFit::at(const Work& work, const Place& place) const {
  const auto [miss, likest] = sum_.at(scaled(place, result_.likeness));
  const double own = result_.likeness.values[Likeness::deviation];
  return {std::log(first_order(work)) + own * own * miss,
          result_.conformal * deviation_at(likest, result_.likeness)};
}

double TimeFit::latency_share(const Work& work) const {
  double latency = 0, all = 0;
  for (std::size_t k = 0; k < work_terms; ++k) {
    all += result_.factors[k] * work[k];
    if (k + 1 == latency_terms) latency = all;
  }
  return all > 0 ? latency / all : 1;
}

bool TimeFit::inside(const Place& place) const {
  // Every entry but alignments, which no range describes.
  constexpr std::size_t ranged = 11;
  for (std::size_t k = 0; k < ranged; ++k) {
    constexpr double rounding = 1e-9;
    if (place[k] < least_[k] - rounding || place[k] > most_[k] + rounding) return false;
  }
  return true;
}

}  // namespace rnnadvisor::model
