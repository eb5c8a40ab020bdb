// .keras archives: layers or an error. A first byte of '{' is a config.json, which goes into an
// archive: mutations of an archive seldom have its checksum.
#include "tests/advisor/saved_models/writers.h"
#include "tests/fuzz/saved_model_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  if (size > 0 && data[0] == '{') {
    const auto archive = advisor::zip(
        {{"config.json", std::string(reinterpret_cast<const char*>(data), size), size % 2 == 0}});
    return fuzz::check_saved_model(
        advisor::read_keras, reinterpret_cast<const std::uint8_t*>(archive.data()), archive.size());
  }
  return fuzz::check_saved_model(advisor::read_keras, data, size);
}
