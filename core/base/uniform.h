// Uniform random numbers that are the same everywhere, and any of which can be had without those
// before it, so that several threads can make one sequence.
#pragma once

#include <cstdint>

namespace rnnadvisor {

// SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014): one
// addition and a few shifts a number, where a tensor has a hundred million.
class Uniform {
 public:
  // Begins behind the first `skipped` numbers of the sequence.
  explicit Uniform(std::uint64_t seed, std::uint64_t skipped = 0) : state_(seed + skipped * step) {}

  // Between -amplitude and amplitude.
  double operator()(double amplitude) {
    state_ += step;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    z ^= z >> 31U;
    return amplitude * (static_cast<double>(z >> 11U) * 0x1p-52 - 1);
  }

 private:
  static constexpr std::uint64_t step = 0x9E3779B97F4A7C15U;
  std::uint64_t state_;
};

}  // namespace rnnadvisor
