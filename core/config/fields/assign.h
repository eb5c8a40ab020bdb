// Puts a Value into a field, or says why it does not fit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/config/fields/field_index.h"
#include "core/config/fields/value.h"
#include "core/config/read_config.h"

namespace rnnadvisor::fields {

// What is wrong with a value. The reader adds where.
struct Problem {
  std::string message;
  std::string remedy;
  std::optional<std::size_t> element;  // of a list
};

// `index` counts in fields.h's order. The field keeps its old value when there is a problem.
std::optional<Problem> assign_config(RnnConfig& config, std::size_t index, const Value& value);
std::optional<Problem> assign_context(ProgramContext& context, std::size_t index,
                                      const Value& value);

// For a key that neither table has, or the wrong one: names the nearest valid key, or the table it
// belongs to.
Problem unknown_config_key(std::string_view key);
Problem unknown_context_key(std::string_view key);
Problem duplicate_key(std::string_view key);

// resolve_defaults() for readers, which know the keys that were met as a set.
void resolve(RnnConfig& config, const FieldSet& set);

inline Error to_error(Problem problem, SourcePosition where) {
  return Error{ErrorCode::invalid_argument,
               std::move(problem.message),
               std::move(problem.remedy),
               std::move(where),
               {}};
}

}  // namespace rnnadvisor::fields
