// Any bytes as TOML: an answer, never a crash; what is accepted keeps the promises of
// read_config.h.
#include "tests/fuzz/config_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto inputs = rnnadvisor::read_toml(text, "fuzz.toml");
  if (inputs) {
    for (const auto& input : *inputs) rnnadvisor::fuzz::check_accepted(input);
  } else {
    rnnadvisor::fuzz::check_errors(inputs.error());
  }
  return 0;
}
