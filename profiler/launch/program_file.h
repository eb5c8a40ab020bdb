// What a program's file tells beforehand: whether the plugin can be loaded into it.
#pragma once

#include <string>

#include "core/base/result.h"

namespace rnnadvisor::launch {

// `program` as a shell would find it in `path`, the value of PATH; a script is its interpreter. A
// remark where the program runs and cannot be recorded (statically linked, 32 bits); empty where
// nothing speaks against it or the file cannot be read. Error unsupported: the program would not
// even start, because its loader (musl) refuses the plugin.
Result<std::string> check_program(const std::string& program, const std::string& path);

}  // namespace rnnadvisor::launch
