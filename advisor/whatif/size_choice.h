// The best of many sizes: parts of a batch, other batch sizes, chunks of a sequence. Each is one
// number that could take many values; predicted times choose, so that the budget of trying is not
// spent on all of them.
#pragma once

#include <vector>

#include "advisor/whatif/candidate.h"
#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// Lists of changes, at most one for each way to choose a size: the value of which the predicted
// times expect most, where they expect more
// than 10 %. Of parts of a batch or sequence the whole is
// compared, of another batch size the time per sequence; in each case with the framework's choice
// of algorithm, and without one also with PERSIST_STATIC asked for. Empty without
// `options.predict`. Deterministic; nothing is measured.
std::vector<std::vector<Transform>> chosen_sizes(const Profile& profile, int configuration,
                                                 const DeviceSpec& device,
                                                 const ProposeOptions& options);

// `whole` in the fewest pieces of at most `most`, as even as can be and a multiple of `multiple`
// where that still fits: 100 in pieces of at most 96 is 56 and 44 (multiple 8), not 96 and 4. The
// piece's size; `whole` where it fits; 0 where `most` is below 1.
int even_piece(int whole, int most, int multiple);

}  // namespace rnnadvisor::advisor
