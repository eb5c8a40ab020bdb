// Any bytes as key=value lines, each given to set_field() as a flag would.
#include <algorithm>

#include "tests/fuzz/config_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ConfigInput input;
  std::vector<std::string_view> set;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string_view key = line.substr(0, equals);
    const ConfigInput before = input;
    const auto result = set_field(input, key, line.substr(std::min(equals + 1, line.size())));
    if (result) {
      set.push_back(key);
    } else {
      fuzz::require(input == before, "a refused value changes nothing");
      fuzz::require(!result.error().message.empty() && !result.error().remedy.empty(),
                    "a refusal helps");
    }
  }
  resolve_defaults(input.config, set);
  fuzz::check_accepted(input);
  return 0;
}
