// Any text as a line of words: split or refused with a remedy, and what was split is, written for a
// shell, split into the same words again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/shell_words.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  const auto words = split_words({reinterpret_cast<const char*>(data), size});
  if (!words) {
    if (words.error().message.empty() || words.error().remedy.empty()) std::abort();
    return 0;
  }
  const auto again = split_words(shell_words(*words));
  if (!again || *again != *words) std::abort();
  return 0;
}
