// What the stand-in for libcudnn has beside cuDNN's own interface: what it saw, and what it shall
// do.
#pragma once

#include <cstdint>
#include <type_traits>

// What a function of the stand-in received, folded into one number: every argument in its place.
template <typename... Arguments>
std::uint64_t fold_arguments(Arguments... arguments) {
  std::uint64_t sum = 14695981039346656037u;
  const auto add = [&](auto value) {
    std::uint64_t bits = 0;
    if constexpr (std::is_pointer_v<decltype(value)>) {
      bits = reinterpret_cast<std::uintptr_t>(value);
    } else if constexpr (std::is_floating_point_v<decltype(value)>) {
      __builtin_memcpy(&bits, &value, sizeof value);
    } else {
      bits = static_cast<std::uint64_t>(value);
    }
    sum = (sum ^ bits) * 1099511628211u;
  };
  (add(arguments), ...);
  return sum;
}

extern "C" {
// Calls that arrived at the stand-in's hooked functions, and what the last of this thread received.
std::uint64_t standin_calls();
std::uint64_t standin_arguments();
// Run inside the next call of cudnnRNNForward on this thread.
void standin_during_next(void (*action)(void*), void* user);
// The next execution call on this thread fails with `status`, and the log does not say why.
void standin_fail_next(int status);
}
