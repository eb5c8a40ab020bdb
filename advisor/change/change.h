// A change of a configuration as data, what it does to the results and what it takes to make it.
// What kinds of change there are, and what they make of a configuration: transform.h; of several
// changes: compose.h; in words: in_words.h; in code: transform_code.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rnnadvisor::advisor {

// What a transform does to the function that is computed.
enum class Meaning { exact, padded, numerics, model };
std::string_view to_string(Meaning value);
std::optional<Meaning> parse_meaning(std::string_view text);

// What it takes to follow a suggestion: a command and no code; a line of code; another module or
// code around the layer; another precision of the results; another model. Ascending.
enum class Effort { command, line, module, precision, model };
std::string_view to_string(Effort value);

// A machine-applicable change of configuration. `kind` is one of the kinds in
// transform.h.
struct Transform {
  std::string kind;  // "pad_batch"
  std::string json;  // its parameters as a JSON object: {"multiple":8}
  Meaning meaning = Meaning::exact;

  bool operator==(const Transform&) const = default;
};

// The meaning that goes furthest, in the order of their declaration; exact without changes.
Meaning widest_meaning(std::span<const Transform> changes);

// `by_command`: `rnnadvisor accelerate` makes these changes below the program.
Effort effort_of(std::span<const Transform> changes, bool by_command);

}  // namespace rnnadvisor::advisor
