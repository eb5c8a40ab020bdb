// The one way from TOML text to a table: every reader of TOML calls it. Brings toml++ along, so
// public headers do not include it.
#pragma once

#include <toml++/toml.h>

#include <string_view>

#include "core/base/result.h"

namespace rnnadvisor::toml_text {

// The table, whose nodes know their places in `name`; or the first error of syntax with its line
// and column. Never asserts, throws or runs out of stack, whatever the text is (toml_limits.h).
Result<toml::table> parse_toml(std::string_view text, std::string_view name);

}  // namespace rnnadvisor::toml_text
