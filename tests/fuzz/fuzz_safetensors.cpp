// safetensors files: layers or an error.
#include "tests/fuzz/saved_model_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return rnnadvisor::fuzz::check_saved_model(rnnadvisor::advisor::read_safetensors, data, size);
}
