// Any bytes as JSON Lines; and our JSON reader against nlohmann's: both must take and refuse the
// same texts.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/config/json/json_cursor.h"
#include "tests/fuzz/config_checks.h"

namespace {

using rnnadvisor::fuzz::require;

// Numbers beyond double are an error of the value for us, of the syntax for the library; and we
// stop at a depth.
void compare_with_library(std::string_view text) {
  // The library takes a NUL byte for the end of the text; we take it for the stray byte it is.
  if (text.find('\0') != std::string_view::npos) return;
  rnnadvisor::json::JsonCursor cursor(text);
  const bool ours = cursor.skip_value() && cursor.at_end();
  if (!ours && cursor.failure().message.find("nested deeper") != std::string::npos) return;
  bool theirs = true;
  try {
    const auto parsed = nlohmann::json::parse(text.begin(), text.end());
    static_cast<void>(parsed);
  } catch (const nlohmann::json::exception& error) {
    if (error.id == 406) return;
    theirs = false;
  }
  require(ours == theirs, "one JSON for everybody");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto inputs = rnnadvisor::read_jsonl(text, "fuzz.jsonl");
  if (inputs) {
    for (const auto& input : *inputs) rnnadvisor::fuzz::check_accepted(input);
  } else {
    rnnadvisor::fuzz::check_errors(inputs.error());
  }
  compare_with_library(text.substr(0, std::min(text.find('\n'), text.size())));
  return 0;
}
