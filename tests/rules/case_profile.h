// From the keys of a case to a small Profile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advisor/rules/card_reader.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor::testing {

// The keys of a case that describe its profile.
std::vector<std::string_view> profile_keys();

// `defaults` under `given`: tables are merged key by key, everything else is replaced.
toml::table merged(const toml::table& defaults, const toml::table& given);

// Configuration 0 is the case, the others its siblings. Mistakes go to `reader`.
Profile make_profile(CardReader& reader, const toml::table& table, const std::string& path);

}  // namespace rnnadvisor::advisor::testing
