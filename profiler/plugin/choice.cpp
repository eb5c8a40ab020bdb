#include "profiler/plugin/choice.h"

namespace rnnadvisor::plugin {
namespace {

// Before an algorithm is called slower or faster.
constexpr std::uint32_t fewest = 6;
// Enough of each for a median that differs by a percent to be told from noise of ten.
constexpr std::uint32_t first_samples = 24;
// Twice as many, and once more, where that does not decide: what Samples keeps.
constexpr std::uint32_t most_doublings = 2;
// A forward call so many times slower than the program's own ends the trial at once.
constexpr float hopeless = 3.0F;

float square_root(float value) { return __builtin_sqrtf(value); }

}  // namespace

void Samples::add(float ns) {
  kept_[count_ % most] = ns;
  ++count_;
}

Samples::Interval Samples::interval() const {
  const std::uint32_t n = count_ < most ? count_ : most;
  if (n == 0) return {0, 0, 0};
  float sorted[most];
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t at = i;
    for (; at > 0 && sorted[at - 1] > kept_[i]; --at) sorted[at] = sorted[at - 1];
    sorted[at] = kept_[i];
  }
  const float count = static_cast<float>(n);
  const float rank = (count - 1 - 1.96F * square_root(count)) / 2;
  const std::uint32_t outside = rank < 0 ? 0 : static_cast<std::uint32_t>(rank);
  const float median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  return {sorted[outside], median, sorted[n - 1 - outside]};
}

std::uint32_t Choice::enough() const { return first_samples << doubled_; }

std::uint32_t Choice::next() const {
  std::uint32_t best = 0;
  for (std::uint32_t v = 1; v < most; ++v)
    if (in_[v] && started_[v] < enough() && started_[v] < started_[best]) best = v;
  return best;
}

float Choice::excess_ns(std::uint32_t variant, std::size_t phase, float ns) const {
  if (variant == 0) return 0;
  const float own = samples_[0][phase].interval().median;
  return ns > own ? ns - own : 0;
}

void Choice::add(std::uint32_t variant, std::size_t phase, float ns) {
  samples_[variant][phase].add(ns);
  const auto own = samples_[0][0].interval();
  if (variant != 0 && phase == 0 && own.high > 0 && ns > hopeless * own.high) drop(variant);
}

bool Choice::total(std::uint32_t variant, Samples::Interval& sum) const {
  sum = {0, 0, 0};
  for (std::size_t phase = 0; phase < spool::choice_phases; ++phase) {
    if (called_[phase] == 0) continue;
    const Samples& samples = samples_[variant][phase];
    if (samples.count() < fewest) return false;
    const auto one = samples.interval();
    const float share = called_[0] == 0 ? 1.0F
                                        : static_cast<float>(static_cast<double>(called_[phase]) /
                                                             static_cast<double>(called_[0]));
    sum.low += share * one.low;
    sum.median += share * one.median;
    sum.high += share * one.high;
  }
  return sum.median > 0;
}

bool Choice::decide(bool now, std::uint32_t& chosen) {
  chosen = 0;
  Samples::Interval sums[most] = {};
  bool known[most] = {};
  for (std::uint32_t v = 0; v < most; ++v) known[v] = (v == 0 || in_[v]) && total(v, sums[v]);
  for (std::uint32_t v = 1; v < most && known[0]; ++v)
    if (in_[v] && known[v] && sums[v].low > sums[0].high) drop(v);
  std::uint32_t best = 0;
  bool all_known = known[0], all_enough = started_[0] >= enough();
  for (std::uint32_t v = 1; v < most; ++v) {
    if (!in_[v]) continue;
    all_known = all_known && known[v];
    all_enough = all_enough && samples_[v][0].count() >= enough();
    if (known[v] && sums[v].median < sums[best].median) best = v;
  }
  const bool seems_faster =
      known[0] && best != 0 && sums[best].median <= (1 - spool::least_saving) * sums[0].median;
  if (seems_faster && sums[best].high < sums[0].low) chosen = best;
  bool rivals = false;
  for (std::uint32_t v = 1; v < most; ++v) {
    if (!in_[v] || v == best) continue;
    rivals = rivals || !known[v] || sums[v].low <= sums[best].high;
  }
  bool any = false;
  for (std::uint32_t v = 1; v < most; ++v) any = any || in_[v];
  if (now || !any) return true;
  if (!all_known) return false;
  if (chosen != 0 && !rivals) return true;
  if (all_enough && seems_faster && chosen == 0 && doubled_ < most_doublings) {
    ++doubled_;
    return false;
  }
  // Too alike to be told apart: the faster median, or what the program asked for.
  return all_enough;
}

}  // namespace rnnadvisor::plugin
