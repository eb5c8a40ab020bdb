// How much a test does: all of it in an optimised build, less where that would take minutes. Found
// when it runs, so that a test is compiled once for builds with and without the address sanitizer.
#pragma once
#include <cstddef>
#include <cstdlib>

// Defined where the sanitizer's runtime is linked.
extern "C" __attribute__((weak)) void __asan_init();  // NOLINT(bugprone-reserved-identifier)
extern "C" __attribute__((weak)) void __tsan_init();  // NOLINT(bugprone-reserved-identifier)

namespace rnnadvisor::test {

inline bool thread_sanitized() { return __tsan_init != nullptr; }
inline bool sanitized() { return __asan_init != nullptr || thread_sanitized(); }

// Of many inputs that run the same code, a sanitizer sees every `every`-th: it is three times as
// slow, and all of them run in another build.
inline bool left_out(std::size_t index, std::size_t every) {
  return sanitized() && index % every != 0;
}

// How many configurations a property draws: RNNADVISOR_DRAWS where it is set, as in the stage of CI
// whose build is optimised.
constexpr int all_draws = 5000;
inline int draws() {
  const int few = sanitized() ? 60 : 300;
  const char* asked = std::getenv("RNNADVISOR_DRAWS");
  return asked != nullptr ? std::atoi(asked) : few;
}

// Of many inputs that run the same code, that stage of CI sees all and other builds every
// `every`-th. For tests with one of its labels (test.sh).
inline bool left_to_all_draws(std::size_t index, std::size_t every) {
  return draws() < all_draws && index % every != 0;
}

}  // namespace rnnadvisor::test
