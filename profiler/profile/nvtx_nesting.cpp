#include "profiler/profile/nvtx_nesting.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

namespace rnnadvisor {
namespace {

using Thread = std::pair<int, std::int64_t>;  // process and thread

}  // namespace

void compute_depths(NvtxTable& nvtx) {
  nvtx.depth.assign(nvtx.size(), 0);
  using Ends = std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>>;
  std::map<Thread, Ends> open;
  for (std::size_t i = 0; i < nvtx.size(); ++i) {
    auto& ends = open[{nvtx.process[i], nvtx.thread[i]}];
    while (!ends.empty() && ends.top() <= nvtx.start_ns[i]) ends.pop();
    nvtx.depth[i] = static_cast<int>(ends.size());
    if (nvtx.end_ns[i] > nvtx.start_ns[i]) ends.push(nvtx.end_ns[i]);
  }
}

std::vector<std::vector<std::size_t>> enclosing_ranges(const NvtxTable& nvtx,
                                                       const std::vector<RnnCall>& calls) {
  std::vector<std::vector<std::size_t>> around(calls.size());
  if (nvtx.size() == 0) return around;
  std::vector<std::size_t> order(calls.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return calls[a].host_start_ns < calls[b].host_start_ns;
  });
  std::map<Thread, std::vector<std::size_t>> open;  // ranges, in the order of their start
  std::size_t next = 0;
  for (const std::size_t i : order) {
    const RnnCall& call = calls[i];
    for (; next < nvtx.size() && nvtx.start_ns[next] <= call.host_start_ns; ++next) {
      if (nvtx.end_ns[next] > nvtx.start_ns[next])
        open[{nvtx.process[next], nvtx.thread[next]}].push_back(next);
    }
    const auto found = open.find({call.process, call.thread});
    if (found == open.end()) continue;
    std::erase_if(found->second,
                  [&](std::size_t range) { return nvtx.end_ns[range] < call.host_start_ns; });
    for (const std::size_t range : found->second) {
      if (around[i].size() == most_around) break;
      if (nvtx.end_ns[range] >= call.host_end_ns) around[i].push_back(range);
    }
  }
  return around;
}

}  // namespace rnnadvisor
