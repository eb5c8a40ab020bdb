#include "core/model/matern_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

// Versions of one function for wider vector instructions; the C library picks one at load time.
// Sanitizers are not set up when it does so.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RNNADVISOR_VECTOR_VERSIONS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define RNNADVISOR_VECTOR_VERSIONS
#endif

namespace rnnadvisor::model {
namespace {

constexpr std::size_t lanes = 8;
// Operations on these are of each lane by itself and in the order that is written: neither their
// width in instructions nor a fused multiplication, which CMakeLists.txt forbids, changes a bit.
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));
using Bits = std::uint64_t __attribute__((vector_size(lanes * sizeof(double))));

RNNADVISOR_VECTOR_VERSIONS
MaternSum::Value sum_over(const double* row, std::size_t blocks, const double* where,
                          std::size_t entries, double shared) {
  Lanes weighted = {}, largest = {}, read;
  for (std::size_t block = 0; block < blocks; ++block) {
    Lanes squared = shared - Lanes{};
    for (std::size_t k = 0; k < entries; ++k, row += lanes) {
      std::memcpy(&read, row, sizeof read);
      const Lanes off = read - where[k];
      squared += off * off;
    }
    squared *= 5.0;
    Lanes r;
    for (std::size_t l = 0; l < lanes; ++l) r[l] = std::sqrt(squared[l]);
    // Beyond that the result is nothing, and must stay a normal number for the exponent below.
    r = r < 700.0 ? r : 700.0 - Lanes{};
    // exp(-r) = 2ⁿ·exp(rest) with |rest| ≤ ln 2 / 2. Added to `shift`, -r·log2(e) loses its
    // fraction and leaves n in the lowest bits. ln 2 is in two parts, so that n times the first
    // is exact. The series is off by less than 1e-14.
    constexpr double shift = 0x1.8p52;
    const Lanes shifted = r * -0x1.71547652b82fep0 + shift;
    const Lanes n = shifted - shift;
    const Lanes rest = (-r - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    Lanes series = rest * (1.0 / 39916800) + 1.0 / 3628800;
    for (const double factor : {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                                1.0 / 24, 1.0 / 6, 1.0 / 2, 1.0, 1.0})
      series = series * rest + factor;
    Bits power;
    std::memcpy(&power, &shifted, sizeof power);
    power = (power + 1023) << 52;
    Lanes scale;
    std::memcpy(&scale, &power, sizeof scale);
    const Lanes alike = (1.0 + r + r * r * (1.0 / 3.0)) * (series * scale);
    std::memcpy(&read, row, sizeof read);
    row += lanes;
    weighted += alike * read;
    largest = largest < alike ? alike : largest;
  }
  MaternSum::Value value;
  for (std::size_t l = 0; l < lanes; ++l) {
    value.weighted += weighted[l];
    value.largest = std::max(value.largest, largest[l]);
  }
  return value;
}

}  // namespace

double matern(double squared) {
  const double r = std::sqrt(5.0 * squared);
  return (1.0 + r + r * r / 3.0) * std::exp(-r);
}

double squared_distance(const Place& a, const Place& b) {
  double sum = 0;
  for (std::size_t k = 0; k < place_size; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

MaternSum::MaternSum(std::span<const Place> places, std::span<const double> weights)
    : shared_(places.front()) {
  for (std::size_t k = 0; k < place_size; ++k) {
    const bool shared = std::all_of(places.begin(), places.end(),
                                    [&](const Place& place) { return place[k] == shared_[k]; });
    (shared ? shared_entries_ : entries_).push_back(k);
  }
  for (std::size_t begin = 0; begin < places.size(); begin += lanes) {
    // The last eight are filled up with the last place, which then weighs nothing.
    const auto add = [&](const auto& value_of) {
      for (std::size_t i = begin; i < begin + lanes; ++i) rows_.push_back(value_of(i));
    };
    for (const std::size_t k : entries_)
      add([&](std::size_t i) { return places[std::min(i, places.size() - 1)][k]; });
    add([&](std::size_t i) { return i < places.size() ? weights[i] : 0.0; });
  }
}

MaternSum::Value MaternSum::at(const Place& place) const {
  double shared = 0;
  for (const std::size_t k : shared_entries_)
    shared += (shared_[k] - place[k]) * (shared_[k] - place[k]);
  Place where{};
  for (std::size_t i = 0; i < entries_.size(); ++i) where[i] = place[entries_[i]];
  return sum_over(rows_.data(), rows_.size() / (lanes * (entries_.size() + 1)), where.data(),
                  entries_.size(), shared);
}

}  // namespace rnnadvisor::model
