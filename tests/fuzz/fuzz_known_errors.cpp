// Tracebacks and logs: looked through for known errors. A first byte of 1: a table
// of errors.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "advisor/errors/known_errors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 1) {
    if (const auto table = rnnadvisor::advisor::read_known_errors(text, "fuzz.toml"))
      rnnadvisor::advisor::explain_errors(text, *table);
    return 0;
  }
  for (const auto& found : rnnadvisor::advisor::explain_errors(text))
    if (found.error == nullptr || found.line < 1 || found.cause.empty()) __builtin_trap();
  return 0;
}
