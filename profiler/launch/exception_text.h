// The exception that ended a Python program, as a profile keeps it.
#pragma once

#include <string>
#include <string_view>

namespace rnnadvisor::launch {

// A traceback of any encoding as valid UTF-8 of at most spool::exception_bytes, the last ones,
// without the passwords, tokens and keys that without_secrets() finds in command lines, and without
// control characters but line ends.
std::string exception_text(std::string_view traceback);

}  // namespace rnnadvisor::launch
