#include "profiler/launch/whole_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace rnnadvisor::launch {
namespace {

constexpr std::uint64_t seed = 16;
constexpr std::int64_t longest_ns = std::int64_t{1} << 53;
constexpr std::uint32_t most_blocks = 1024;  // more are no recording of ours

bool usable(const spool::StepBlock& block) {
  return block.steps > 0 && block.median_ns > 0 && block.median_ns <= longest_ns &&
         block.block < most_blocks && block.arm < spool::StepArm::count;
}

}  // namespace

std::vector<WholeStep> whole_steps(const std::map<std::uint32_t, spool::StepBlock>& blocks) {
  using spool::StepArm;
  const auto ms_of = [&](std::uint32_t number, StepArm arm) -> std::optional<double> {
    const auto found = blocks.find(number);
    if (found == blocks.end() || !usable(found->second) || found->second.arm != arm)
      return std::nullopt;
    return static_cast<double>(found->second.median_ns) / 1e6;
  };
  std::vector<double> own;
  WholeStep common;
  for (const auto& [number, block] : blocks) {
    if (!usable(block)) continue;
    common.source = std::min(block.source, spool::StepSource::range);
    common.withdrawn = common.withdrawn || block.withdrawn != 0;
    const auto steps = static_cast<int>(std::min(block.steps, 1U << 16));
    common.steps += steps;
    if (const auto ms = ms_of(number, StepArm::own)) {
      own.push_back(*ms);
      common.own_steps += steps;
    }
  }
  // Each block with `inner` between two with `outer`, and the geometric mean of those.
  struct Neighbours {
    std::vector<double> inner, outer;
  };
  const auto between = [&](StepArm inner, StepArm outer) {
    Neighbours found;
    for (const auto& [number, block] : blocks) {
      if (number == 0) continue;
      const auto ms = ms_of(number, inner), before = ms_of(number - 1, outer),
                 after = ms_of(number + 1, outer);
      if (!ms || !before || !after) continue;
      found.inner.push_back(*ms);
      found.outer.push_back(std::sqrt(*before * *after));
    }
    return found;
  };
  std::vector<WholeStep> made;
  if (own.size() < 2) return made;
  common.own_ms = median_interval(own);
  common.control =
      bootstrap_median_ratio(std::span(own).first(own.size() - 1), std::span(own).subspan(1), seed);
  for (const StepArm arm : {StepArm::algorithms, StepArm::change, StepArm::both}) {
    const auto inside = between(arm, StepArm::own), outside = between(StepArm::own, arm);
    if (std::max(inside.inner.size(), outside.inner.size()) < 2) continue;
    std::vector<double> all;
    for (const auto& [number, block] : blocks)
      if (const auto ms = ms_of(number, arm)) all.push_back(*ms);
    auto& step = made.emplace_back(common);
    step.arm = arm;
    step.changed_ms = median_interval(all);
    step.speedup = outside.inner.size() > inside.inner.size()
                       ? bootstrap_median_ratio(outside.inner, outside.outer, seed)
                       : bootstrap_median_ratio(inside.outer, inside.inner, seed);
  }
  return made;
}

std::string describe(spool::StepSource source) {
  switch (source) {
    case spool::StepSource::training:
      return "a step: from its first RNN forward pass to that of the next step";
    case spool::StepSource::inference:
      return "a step: from one forward pass of the first layer to the next";
    case spool::StepSource::range:
      return "a step: from the first RNN call in a range to that in the next";
  }
  return {};
}

}  // namespace rnnadvisor::launch
