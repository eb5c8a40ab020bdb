// Taking profiles apart and putting them together: what resuming a sweep and merging its parts
// need. Pure: the profiles that are given stay as they are, and the results refer to none of them.
// Nothing fails.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/config/read_config.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// The profile with the configurations of `order` only, in that order (indices into
// profile.configurations, each at most once). Calls, and kernels, transfers, API records and
// experiments that belong to a configuration left out go with it; what belongs to none stays, and
// so does all memory: it may be given back by another call.
Profile select_configurations(const Profile& profile, std::span<const int> order);

// Everything of all profiles, in the order given. Figures of equal id are kept once, notes are
// added up.
Profile join_profiles(std::span<const Profile* const> profiles);

// What makes two configurations the same one: every field, the name and the program around it.
std::string configuration_key(const ConfigInput& input);
std::string configuration_key(const Configuration& configuration);

// join_profiles() for the parts of a sweep: of equal configurations on devices of one name, the
// first that reached a final outcome stays, or the first of all when none did. What was read out of
// a program is never left out: its ranks run equal configurations, whose calls and samples come
// together under the first.
struct Merged {
  Profile profile;
  int left_out = 0;
  // The call whose times in two of the profiles are furthest apart: beyond both intervals, and by
  // more than a tenth. Nothing where all agree.
  struct Apart {
    std::string call;  // "LSTM 1x512 …, forward training"
    double least_ms = 0, most_ms = 0;
    std::size_t least_in = 0, most_in = 0;  // which profiles
    int calls = 0;                          // that are so far apart
  };
  std::optional<Apart> apart;
};
Merged merge_profiles(std::span<const Profile> profiles);

// True when running the configuration again would tell nothing new: it completed, cuDNN refused it,
// or it cannot fit.
bool is_final(Outcome outcome);

}  // namespace rnnadvisor
