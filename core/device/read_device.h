// Reading a device description from a file; find_device() uses it for names that end in .toml.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/device/device_spec.h"

namespace rnnadvisor {

Result<DeviceSpec> read_device_file(const std::string& path);

}  // namespace rnnadvisor
