// The range of time that a timeline opens on.
#pragma once

#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

// Where the RNN calls lie, else where the kernels do, with a margin; of groups of them with a pause
// between that is longer than all the rest the one that has most work, so that a recording is not
// opened on slivers at both ends. Everything, where that is most of it or there are neither.
// Takes time in proportion to the kernels.
TimeRange first_range(const Timeline& timeline);

}  // namespace rnnadvisor::gui::timeline
