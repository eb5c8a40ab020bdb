// How a recorded program ended.
#pragma once

#include "advisor/report/report.h"
#include "profiler/classify/memory_use.h"

namespace rnnadvisor::advisor {

// Nothing where no exception was kept: the program ended well, or in a way that leaves none.
std::optional<ProgramEnd> end_of_program(const Profile& profile);

// In one line that is safe to print: what the exception is known as, else its name and the first
// line of its message.
std::string in_short(const ProgramEnd& end);
// The same as a sentence: "The program ended with an exception: …".
std::string ended_with(const ProgramEnd& end);

// The last `most` lines of a text.
std::string_view last_lines(std::string_view text, std::size_t most);

}  // namespace rnnadvisor::advisor
