// What belongs together across tracks: the call of cuDNN, the API calls that launched its kernels,
// and the kernels.
#pragma once

#include <vector>

#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

struct Flow {
  Item from, to;  // in the order of cause
};

// Arrows to show while `item` is selected: of a call to its kernels, of a kernel from the API call
// that launched it and from its RNN call. Of more than `most` kernels of a call, the first and the
// last, and between them evenly chosen ones. Among a backward call and its forward call too.
std::vector<Flow> flows_of(const Timeline& timeline, Item item, std::size_t most = 48);

// How many there would be if none were left out.
std::int64_t flow_count(const Timeline& timeline, Item item);

// All kernels of a call, in the order of time.
std::vector<int> kernels_of(const Timeline& timeline, int call);
// The item a step further along the flow (by = 1: from call to kernel) or back; none at the ends.
Item along_flow(const Timeline& timeline, Item item, int by);

// The next (by = 1) or previous kernel of the same RNN call; of a call its first or last one. None
// at the ends and for what belongs to no call.
Item kernel_of_same_call(const Timeline& timeline, Item item, int by);

}  // namespace rnnadvisor::gui::timeline
