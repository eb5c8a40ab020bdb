// Configurations from JSON: one object, JSON Lines, or an array of objects.
#include "core/config/read_json.h"

#include <algorithm>
#include <array>

#include "core/config/fields/assign.h"
#include "core/config/json/json_cursor.h"
#include "core/config/read_config.h"

namespace rnnadvisor {
namespace {

using fields::FieldSet;
using fields::Problem;
using fields::Value;
using json::JsonCursor;
using json::PositionTracker;

// What a file of measurements carries beside each configuration.
constexpr auto result_keys = std::to_array<std::string_view>({"status", "bytes", "ms", "kernels"});

// Reads one object, and goes on after a wrong key or value to find the others. Only broken syntax
// ends it.
class ObjectReader {
 public:
  ObjectReader(JsonCursor& cursor, PositionTracker& positions, const ReadOptions& options,
               std::vector<Error>& errors)
      : cursor_(cursor), positions_(positions), options_(options), errors_(errors) {}

  // False when the syntax is broken and the cursor cannot go on.
  bool read(ConfigInput& input) {
    cursor_.peek();
    input.position = positions_.at(cursor_.offset());
    const bool whole = cursor_.read_object([&](std::string_view key, std::size_t offset) {
      return on_config_key(input, key, offset);
    });
    if (whole) {
      fields::resolve(input.config, config_set_);
      input.given = config_set_;
      return true;
    }
    const auto& failure = cursor_.failure();
    errors_.push_back({ErrorCode::parse,
                       failure.message,
                       "correct the JSON there",
                       positions_.at(failure.offset),
                       {}});
    return false;
  }

 private:
  bool on_config_key(ConfigInput& input, std::string_view key, std::size_t offset) {
    if (const auto index = fields::find_key(fields::config_keys, key, next_config_)) {
      next_config_ = *index + 1;
      if (!config_set_.insert(*index)) report(fields::duplicate_key(key), offset);
      return read_field(
          [&](const Value& value) { return fields::assign_config(input.config, *index, value); });
    }
    if (key == fields::framework_key) {
      if (framework_met_) report(fields::duplicate_key(key), offset);
      framework_met_ = true;
      return read_framework(input.program);
    }
    if (options_.pass_over_results) {
      const auto found = std::find(result_keys.begin(), result_keys.end(), key);
      if (found != result_keys.end()) {
        if (!result_set_.insert(static_cast<std::size_t>(found - result_keys.begin()))) {
          report(fields::duplicate_key(key), offset);
        }
        return cursor_.skip_value();
      }
    }
    report(fields::unknown_config_key(key), offset);
    return cursor_.skip_value();
  }

  bool read_framework(ProgramContext& program) {
    if (cursor_.peek() != '{') {
      const std::size_t offset = cursor_.offset();
      Value value;
      if (!cursor_.read_value(value)) return false;
      report({"framework is " + fields::describe(value) + ", but must be an object",
              "write it as \"framework\": {\"name\": \"pytorch\"}",
              {}},
             offset);
      return true;
    }
    FieldSet met;
    std::size_t next = 0;
    return cursor_.read_object([&](std::string_view key, std::size_t offset) {
      const auto index = fields::find_key(fields::context_keys, key, next);
      if (!index) {
        report(fields::unknown_context_key(key), offset);
        return cursor_.skip_value();
      }
      next = *index + 1;
      if (!met.insert(*index)) report(fields::duplicate_key(key), offset);
      return read_field(
          [&](const Value& value) { return fields::assign_context(program, *index, value); });
    });
  }

  template <class Assign>
  bool read_field(Assign&& assign) {
    value_ = Value{};
    cursor_.peek();
    const std::size_t offset = cursor_.offset();
    if (!cursor_.read_value(value_)) return false;
    if (auto problem = assign(value_)) {
      if (value_.kind == Value::Kind::null)
        problem->remedy = "leave the key out when its value is not known";
      report(std::move(*problem), offset);
    }
    return true;
  }

  void report(Problem problem, std::size_t offset) {
    errors_.push_back(fields::to_error(std::move(problem), positions_.at(offset)));
  }

  JsonCursor& cursor_;
  PositionTracker& positions_;
  const ReadOptions& options_;
  std::vector<Error>& errors_;
  FieldSet config_set_;
  FieldSet result_set_;
  bool framework_met_ = false;
  std::size_t next_config_ = 0;
  Value value_;
};

void read_line(std::string_view text, std::string_view file, int line, const ReadOptions& options,
               ConfigInput& input, std::vector<Error>& errors) {
  JsonCursor cursor(text);
  PositionTracker positions(text, file, line);
  if (!ObjectReader(cursor, positions, options, errors).read(input)) return;
  if (!cursor.at_end()) {
    errors.push_back({ErrorCode::parse,
                      "text after the end of the object",
                      "write one object a line",
                      positions.at(cursor.offset()),
                      {}});
  }
}

}  // namespace

Result<ConfigInput> read_json_line(std::string_view text, std::string_view file, int line,
                                   const ReadOptions& options) {
  Result<ConfigInput> input;
  std::vector<Error> errors;
  read_line(text, file, line, options, *input, errors);
  if (errors.empty()) return input;
  Error first = std::move(errors.front());
  for (std::size_t i = 1; i < errors.size(); ++i)
    first.notes.push_back("also: " + to_text(errors[i]));
  return fail(std::move(first));
}

ConfigList read_jsonl(std::string_view text, std::string_view file, const ReadOptions& options) {
  std::vector<ConfigInput> inputs;
  std::vector<Error> errors;
  int line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view whole = text.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    JsonCursor blank(whole);
    if (const char first = blank.peek(); blank.at_end() || first == '#') continue;
    ConfigInput input;
    read_line(whole, file, line, options, input, errors);
    inputs.push_back(std::move(input));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return inputs;
}

ConfigList read_json(std::string_view text, std::string_view file, const ReadOptions& options) {
  std::vector<ConfigInput> inputs;
  std::vector<Error> errors;
  JsonCursor cursor(text);
  PositionTracker positions(text, file);
  const auto read_one = [&] {
    return ObjectReader(cursor, positions, options, errors).read(inputs.emplace_back());
  };
  bool whole = true;
  if (!cursor.accept('[')) {
    whole = read_one();
  } else if (!cursor.accept(']')) {
    do {
      whole = read_one();
    } while (whole && cursor.accept(','));
    if (whole && !cursor.expect(']')) {
      whole = false;
      errors.push_back({ErrorCode::parse,
                        cursor.failure().message,
                        "correct the JSON there",
                        positions.at(cursor.failure().offset),
                        {}});
    }
  }
  if (whole && !cursor.at_end()) {
    errors.push_back({ErrorCode::parse,
                      "text after the end of the JSON value",
                      "write one object or one array; a file with one object a line ends in .jsonl",
                      positions.at(cursor.offset()),
                      {}});
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return inputs;
}

}  // namespace rnnadvisor
