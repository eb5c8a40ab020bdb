// Where the keys of one configuration stand in the text it was read from.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rnnadvisor {

// By key; those of the program around it as "framework.key". `configuration` is where it begins
// (ConfigInput::position), its file decides the format: .toml, else JSON. Of [[configuration]]
// tables the keys above them count where a table does not replace them. Text that was not read as
// configurations gives an empty map.
std::map<std::string, SourcePosition> key_positions(std::string_view text,
                                                    const SourcePosition& configuration);

}  // namespace rnnadvisor
