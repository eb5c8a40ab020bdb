// What read_config_file() needs of the JSON reader beyond the public read_config.h.
#pragma once

#include "core/config/read_config.h"

namespace rnnadvisor {

using ConfigList = tl::expected<std::vector<ConfigInput>, std::vector<Error>>;

// One JSON value over any number of lines: an object, or an array of objects.
ConfigList read_json(std::string_view text, std::string_view file, const ReadOptions& options = {});

}  // namespace rnnadvisor
