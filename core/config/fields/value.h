// Value: what a reader found behind a key, before it is known to fit the field. TOML, JSON and
// flags all become Values, so that each field has one rule for what it takes and one wording for
// what it refuses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rnnadvisor::fields {

struct Value {
  enum class Kind {
    null,
    boolean,
    integer,
    real,
    string,
    list,
    table,
    text,   // from a flag: its type is whatever the field wants
    other,  // a TOML date or time
  };

  Kind kind = Kind::null;
  bool boolean = false;
  bool negative = false;        // of an integer
  bool out_of_range = false;    // a number that fits neither uint64_t nor double
  std::uint64_t magnitude = 0;  // of an integer
  double real = 0;
  std::string_view string;   // string and text; valid as long as its source
  std::string_view written;  // as it stands in the file, for messages; may be empty
  std::vector<Value> list;

  static Value of_text(std::string_view text);
  static Value of_integer(std::int64_t number);
};

// A number in JSON's or a flag's notation, from its first to its last character. Kind::null when it
// is none.
Value parse_number(std::string_view text);

// For messages: "'lstmm'", "-3", "a list". Never longer than a line, never with control characters
// or broken UTF-8.
std::string describe(const Value& value);

// Text a user wrote, cut to a readable length, with control characters and broken UTF-8 made
// visible.
std::string shown(std::string_view text);

}  // namespace rnnadvisor::fields
