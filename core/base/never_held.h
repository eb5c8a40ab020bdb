// For variants of strings and trivial types, as their last alternative. libstdc++ 12 takes such a
// variant for one that always has a value; when copying a string then runs out of memory, it
// destroys a value that was never made, and the program crashes instead of reporting it.
#pragma once

namespace rnnadvisor {

struct NeverHeld {
  NeverHeld() = delete;
  NeverHeld(const NeverHeld&) noexcept {}  // not trivial: this is what libstdc++ looks at
  NeverHeld& operator=(const NeverHeld&) noexcept = default;
  ~NeverHeld() = default;
  bool operator==(const NeverHeld&) const = default;
};

}  // namespace rnnadvisor
