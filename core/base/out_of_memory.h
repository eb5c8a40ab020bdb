// What allocation throws, as an error: libraries throw nothing across their interface.
#pragma once

#include <fmt/format.h>

#include <new>
#include <string_view>
#include <type_traits>

#include "core/base/result.h"

namespace rnnadvisor {

inline constexpr std::string_view no_memory_text = "there is not enough memory on this machine";

// The Result of `act`, which works on the file `name`. Where no memory is left for an error
// std::bad_alloc still comes out.
template <class Act>
std::invoke_result_t<Act> or_out_of_memory(std::string_view name, const Act& act) {
  try {
    return act();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::out_of_memory, fmt::format("'{}': {}", name, no_memory_text));
  }
}

// For main(): where std::bad_alloc would end the process, standard error says so and the process
// ends with this status. Destructors of libraries allocate, and so may threads.
void end_without_memory_with(int status);

// Whether an allocation failed since then. Streams and parsers swallow it and go on with less, so
// that nothing made after it is whole: no output takes the place of a file (output_file.h).
bool memory_was_missing();
// Whoever catches std::bad_alloc, gives up what it was at, and goes on.
void missing_memory_is_dealt_with();

}  // namespace rnnadvisor
