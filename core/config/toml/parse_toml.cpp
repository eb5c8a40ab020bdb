#include "core/config/toml/parse_toml.h"

#include <new>

#include "core/base/out_of_memory.h"
#include "core/base/text.h"
#include "core/config/json/json_cursor.h"
#include "core/config/toml/toml_limits.h"

namespace rnnadvisor::toml_text {
namespace {

// The parser's descriptions quote keys, which can be a megabyte long; an error is there to be read.
std::string readable(std::string_view description) {
  constexpr std::size_t longest = 300;
  if (description.size() <= longest) return to_valid_utf8(description);
  return to_valid_utf8(description.substr(0, longest)) + " …";
}

}  // namespace

Result<toml::table> parse_toml(std::string_view text, std::string_view name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (const auto obstacle = find_obstacle(text)) {
    return fail(Error{ErrorCode::parse,
                      std::string(obstacle->message),
                      std::string(obstacle->remedy),
                      json::PositionTracker(text, name).at(obstacle->offset),
                      {}});
  }
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    // What the parser cannot make room for it takes for an error of the text.
    if (memory_was_missing()) throw std::bad_alloc();
    // The parser stops at the first error of syntax; what follows cannot be told apart from it.
    const auto& begin = error.source().begin;
    return fail(Error{ErrorCode::parse,
                      readable(error.description()),
                      "correct the TOML there",
                      SourcePosition{std::string(name), static_cast<int>(begin.line),
                                     static_cast<int>(begin.column)},
                      {}});
  }
}

}  // namespace rnnadvisor::toml_text
