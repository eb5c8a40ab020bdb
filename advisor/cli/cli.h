// The command line as a library: main() is two lines, tests call run() with strings and streams.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "advisor/cli/services.h"

namespace rnnadvisor::cli {

// Runs one command. `arguments` are without the program's name. Never throws. The return value is
// the exit status (exit_status.h). Results go to `out`; everything else goes to `err`.
int run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err,
        const Terminal& terminal, const Services& services);

// For main(): arguments, streams, terminal and services of this process.
int run_main(int argc, const char* const* argv);

}  // namespace rnnadvisor::cli
