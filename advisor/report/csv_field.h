// A field of a CSV file.
#pragma once

#include <string>
#include <string_view>

namespace rnnadvisor::advisor {

// Text of others, cleaned of control characters and quoted where it must be. A spreadsheet takes
// text that begins with = + - @ for a formula; a blank in front makes it text again.
std::string csv_field(std::string_view value);

}  // namespace rnnadvisor::advisor
