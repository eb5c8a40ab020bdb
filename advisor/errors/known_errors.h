// Errors and warnings that programs with recurrent layers end with or print, as known_errors.toml
// describes them, looked for in a traceback or a log.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace rnnadvisor::advisor {

// Literals and names in turn: literals[0], names[0], literals[1], …
struct TextWithNames {
  std::vector<std::string> literals, names;
};

struct KnownError {
  std::string id, title;
  std::vector<std::string> frameworks;
  std::vector<std::string> patterns;
  std::vector<TextWithNames> cut;  // the patterns
  // One of these stands before the match, in its traceback where it has one; empty: nothing must.
  std::vector<std::string> needs;
  std::vector<std::string> log;  // one of these stands anywhere; empty: nothing must
  bool short_of_memory = false;  // or the recording shows that little memory of the GPU was free
  bool lacks_memory = false;     // so that a recording can show what else held it
  std::string cause;
  std::vector<std::string> fixes;  // the best first
  std::string code;                // of the fix; empty: none
  bool warning = false;            // the program goes on
  std::string rule;                // the card that judges the same in a recording; empty: none
  std::string source;              // a web address
};

// An error that stands in a text. The texts of `error` hold {names}; those here have the values.
struct ExplainedError {
  const KnownError* error = nullptr;  // lives as long as the table it was looked for in
  int line = 0;                       // of its last occurrence, from 1
  std::string text;                   // that line, one line that is safe to print
  std::map<std::string, std::string> values;
  std::string cause;
  std::vector<std::string> fixes;
  std::string code;
};

// The table in the program, in the order of certainty.
std::span<const KnownError> known_errors();

// All mistakes of a card are an error with its place: also a text that uses a name which one of the
// patterns does not keep.
Result<std::vector<KnownError>> read_known_errors(std::string_view toml, std::string_view file);

// What of `table` stands in a text of any size and encoding: errors before warnings, each once, in
// the order of the table. Linear in the text for each pattern. `short_of_memory`: little memory of
// the GPU was free when it was written.
std::vector<ExplainedError> explain_errors(std::string_view text,
                                           std::span<const KnownError> table = known_errors(),
                                           bool short_of_memory = false);

}  // namespace rnnadvisor::advisor
