// libstdc++ of GCC 12, linked statically, asks for arc4random(), which glibc has only since 2.36.
// The portable build must start on glibc 2.35 (Ubuntu 22.04), so it brings its own, from the
// kernel's generator.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() {
  std::uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) std::abort();
  return value;
}
