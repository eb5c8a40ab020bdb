// Where the plugin lies.
#pragma once

#include <string>

#include "core/base/result.h"

namespace rnnadvisor::launch {

// The absolute path of the plugin: the file that the variable RNNADVISOR_PLUGIN names, else the one
// that belongs to the running program, beside it as installed or as built. Error not_found: what
// the variable names is not there; unsupported: this build has no plugin.
Result<std::string> find_plugin();

}  // namespace rnnadvisor::launch
