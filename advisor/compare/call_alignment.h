// Which call of one profile is which call of another: the calls of each process in the order of
// time, matched along the longest common sequence of what they are. A call that only one of them
// has (a warm-up step, an evaluation) leaves the others in their places. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "profiler/profile/profile.h"

namespace rnnadvisor::compare {

// Indices into two sequences; -1: the other has no such element.
using Alignment = std::vector<std::pair<int, int>>;

// A longest common subsequence, found by Myers' O(ND) algorithm ("An O(ND) Difference Algorithm and
// Its Variations", Algorithmica 1986). Every element of both is in it once, in order. Beyond
// `most_edits` insertions and removals, the n-th element of a symbol is matched with the n-th: that
// takes linear time, and is no longer in one order.
inline constexpr int most_edits = 3000;
Alignment align(std::span<const std::int64_t> before, std::span<const std::int64_t> after,
                int edits = most_edits);

// Calls of both profiles, by index into Profile::calls. A symbol for each call of either says what
// it is: equal ones are of one kind; calls with a negative one are left out. Processes are matched
// by rank, else by their order.
Alignment align_calls(const Profile& before, const Profile& after,
                      std::span<const std::int64_t> before_symbols,
                      std::span<const std::int64_t> after_symbols);

}  // namespace rnnadvisor::compare
