// Fields by number: fields.h turned into tables at compile time, so that a reader finds a key in a
// few comparisons and remembers in one word which keys it has met.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "core/config/fields.h"
#include "core/config/fields/field_set.h"

namespace rnnadvisor::fields {

inline constexpr std::size_t config_count = [] {
  std::size_t count = 0;
  visit_config_fields([&](std::string_view, auto, std::string_view) { ++count; });
  return count;
}();

inline constexpr std::size_t context_count = [] {
  std::size_t count = 0;
  visit_context_fields([&](std::string_view, auto, std::string_view) { ++count; });
  return count;
}();

inline constexpr auto config_keys = [] {
  std::array<std::string_view, config_count> keys;
  std::size_t index = 0;
  visit_config_fields([&](std::string_view key, auto, std::string_view) { keys[index++] = key; });
  return keys;
}();

inline constexpr auto context_keys = [] {
  std::array<std::string_view, context_count> keys;
  std::size_t index = 0;
  visit_context_fields([&](std::string_view key, auto, std::string_view) { keys[index++] = key; });
  return keys;
}();

// The key of the table that holds the program context.
inline constexpr std::string_view framework_key = "framework";

static_assert(config_count <= 64 && context_count <= 64, "FieldSet is one word");

// People and programs write keys in an order that repeats: the search starts behind the field found
// last.
inline std::optional<std::size_t> find_key(std::span<const std::string_view> keys,
                                           std::string_view key, std::size_t start) {
  for (std::size_t i = start; i < keys.size(); ++i) {
    if (keys[i] == key) return i;
  }
  for (std::size_t i = 0; i < start && i < keys.size(); ++i) {
    if (keys[i] == key) return i;
  }
  return std::nullopt;
}

}  // namespace rnnadvisor::fields
