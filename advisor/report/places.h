// Where the recorded calls of a configuration come from in the program.
#pragma once

#include "advisor/facts/profile_index.h"
#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// Fills recorded_calls, call_sites and nvtx_ranges of `report`, whose `index` is set. Ranges that
// differ in numbers only ("step 1", "step 2", …) are one place where there are many.
void add_places(ConfigurationReport& report, const Profile& profile, const ProfileIndex& index);

// The line of Profile::call_sites, by its name; nothing is counted.
PlaceRow place_of(const Profile& profile, int site);

namespace words {

// "20 of 30 calls, 12.3 ms on the GPU".
std::string place_use(const PlaceRow& place, std::int64_t all_calls);

}  // namespace words
}  // namespace rnnadvisor::advisor
