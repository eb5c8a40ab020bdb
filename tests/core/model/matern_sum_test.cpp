// The sum behind every prediction against the same sum one point at a time.
#include "core/model/matern_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace rnnadvisor::model {
namespace {

TEST(MaternSum, IsTheSumOverItsPoints) {
  std::mt19937_64 engine(1);
  const auto draw = [&](double most) {
    return most * (2 * static_cast<double>(engine() >> 11) * 0x1p-53 - 1);
  };
  for (int count = 1; count <= 70; ++count) {
    std::vector<Place> places(static_cast<std::size_t>(count));
    std::vector<double> weights;
    for (Place& place : places) {
      place.fill(0.5);  // most entries are shared
      for (int k = 0; k < count % 9; ++k) place[static_cast<std::size_t>(k)] = draw(3);
      weights.push_back(draw(100));
    }
    const MaternSum sum(places, weights);
    for (int trial = 0; trial < 50; ++trial) {
      // From a known point to so far away that nothing is alike.
      Place where = places[engine() % places.size()];
      if (trial > 0)
        for (double& entry : where) entry += draw(std::exp2(trial % 12 - 3));
      double weighted = 0, absolute = 0, largest = 0;
      for (std::size_t i = 0; i < places.size(); ++i) {
        const double alike = matern(squared_distance(places[i], where));
        weighted += weights[i] * alike;
        absolute += std::abs(weights[i]) * alike;
        largest = std::max(largest, alike);
      }
      const auto value = sum.at(where);
      EXPECT_NEAR(value.weighted, weighted, 1e-12 * absolute + 1e-290);
      EXPECT_NEAR(value.largest, largest, 1e-12 * largest + 1e-290);
    }
  }
}

// The same bits with every width of vectors and without any: CI builds this with several compilers.
TEST(MaternSum, HasTheSameBitsEverywhere) {
  std::vector<Place> places(21);
  std::vector<double> weights(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = 0; k < 5; ++k)
      places[i][k] = static_cast<double>((i * 7 + k * 3) % 11) / 4;
    weights[i] = static_cast<double>(i % 5) - 1.75;
  }
  const auto value = MaternSum(places, weights).at({0.3, 1.1, 0.7, 2.2, 0.1});
  EXPECT_EQ(value.weighted, 0x1.85468209ff392p-2);
  EXPECT_EQ(value.largest, 0x1.1f4235e139334p-1);
}

}  // namespace
}  // namespace rnnadvisor::model
