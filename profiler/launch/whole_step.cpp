#include "profiler/launch/whole_step.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rnnadvisor::launch {
namespace {

constexpr std::uint64_t seed = 16;
constexpr std::int64_t longest_ns = std::int64_t{1} << 53;
constexpr std::uint32_t most_blocks = 1024;  // more are no recording of ours

bool usable(const spool::StepBlock& block) {
  return block.steps > 0 && block.median_ns > 0 && block.median_ns <= longest_ns &&
         block.block < most_blocks;
}

}  // namespace

std::optional<WholeStep> whole_step(const std::map<std::uint32_t, spool::StepBlock>& blocks) {
  WholeStep made;
  std::vector<double> own, chosen, of_each, neighbours;
  const auto ms_of = [&](std::uint32_t number, bool with_chosen) -> std::optional<double> {
    const auto found = blocks.find(number);
    if (found == blocks.end() || !usable(found->second) ||
        (found->second.chosen != 0) != with_chosen)
      return std::nullopt;
    return static_cast<double>(found->second.median_ns) / 1e6;
  };
  for (const auto& [number, block] : blocks) {
    const auto ms = ms_of(number, block.chosen != 0);
    if (!ms) continue;
    made.source = std::min(block.source, spool::StepSource::range);
    made.withdrawn = made.withdrawn || block.withdrawn != 0;
    made.steps += static_cast<int>(std::min(block.steps, 1U << 16));
    (block.chosen != 0 ? chosen : own).push_back(*ms);
    if (block.chosen != 0 || number == 0) continue;
    const auto before = ms_of(number - 1, true), after = ms_of(number + 1, true);
    if (!before || !after) continue;
    of_each.push_back(*ms);
    neighbours.push_back(std::sqrt(*before * *after));
  }
  if (of_each.size() < 2) return std::nullopt;
  made.own_ms = median_interval(own);
  made.chosen_ms = median_interval(chosen);
  made.speedup = bootstrap_median_ratio(of_each, neighbours, seed);
  made.control =
      bootstrap_median_ratio(std::span(own).first(own.size() - 1), std::span(own).subspan(1), seed);
  return made;
}

std::string describe(spool::StepSource source) {
  switch (source) {
    case spool::StepSource::training:
      return "a step: from the first forward pass after a backward pass to the next such";
    case spool::StepSource::inference:
      return "a step: from one forward pass of the first layer to the next";
    case spool::StepSource::range:
      return "a step: from the first RNN call in a range to that in the next";
  }
  return {};
}

}  // namespace rnnadvisor::launch
