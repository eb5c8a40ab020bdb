// Reading configurations: from TOML, from JSON Lines, from single key=value pairs (flags). All
// readers share the field list in fields.h and the same rules: an unknown key, a duplicate key, a
// value of the wrong type, NaN, infinity, a size below 1 or above INT32_MAX is an error with file,
// line, column and the nearest valid key. Nothing overflows and nothing throws.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/fields/field_set.h"
#include "core/config/program_context.h"
#include "core/config/rnn_config.h"

namespace rnnadvisor {

// A configuration with the program around it, as the user wrote it down.
struct ConfigInput {
  RnnConfig config;
  ProgramContext program;
  SourcePosition position;  // where it begins in its file
  // The keys of `config` that the user gave; the others follow from these (resolve_defaults()).
  // Set by the readers and by set_field().
  fields::FieldSet given = {};

  bool operator==(const ConfigInput& other) const {
    return config == other.config && program == other.program && position == other.position;
  }
};

// Keys that results files carry beside a configuration ("status", "bytes", "ms", "kernels"): passed
// over on request, so that a file of measurements can be read as a list of configurations.
struct ReadOptions {
  bool pass_over_results = true;
};

// TOML: either one configuration at top level, or [[configuration]] tables, with top-level keys as
// their defaults. `file` is the name used in errors. All errors are reported, not only the first.
tl::expected<std::vector<ConfigInput>, std::vector<Error>> read_toml(std::string_view text,
                                                                     std::string_view file);

// JSON Lines: one object a line; empty lines and lines that start with # are passed over.
tl::expected<std::vector<ConfigInput>, std::vector<Error>> read_jsonl(
    std::string_view text, std::string_view file, const ReadOptions& options = {});

// One JSON object. The position in errors is (file, line).
Result<ConfigInput> read_json_line(std::string_view text, std::string_view file, int line,
                                   const ReadOptions& options = {});

// Reads a file by its ending: .toml, .jsonl, .json (an object or an array). "-" is standard input
// as JSON Lines.
tl::expected<std::vector<ConfigInput>, std::vector<Error>> read_config_file(
    const std::string& path);

// Sets one field from text, as a flag does: set_field(input, "hidden_size", "1000"). Keys of the
// program context are written "framework.key"; seq_lengths is a comma-separated list. Defaults that
// depend on other fields are NOT applied: call resolve_defaults() when all are in.
Result<void> set_field(ConfigInput& input, std::string_view key, std::string_view value);

// Fills the fields that default to others: input_size and proj_size from hidden_size,
// math_precision from data_type, padded_io from layout, seq_length from seq_lengths, batch_size
// from the number of seq_lengths. `set` names the keys the user gave.
void resolve_defaults(RnnConfig& config, std::span<const std::string_view> set);
// The same by ConfigInput::given.
void resolve_defaults(ConfigInput& input);

// Whether the user gave this key of `config`, and that it no longer counts as given.
bool is_given(const ConfigInput& input, std::string_view key);
void forget_given(ConfigInput& input, std::string_view key);

// The configuration as one JSON object on one line; read_json_line() of it gives an equal
// configuration. Fields equal to their default are written too, except empty seq_lengths, id and
// framework.
std::string to_json_line(const ConfigInput& input);
std::string to_json_line(const RnnConfig& config);
// These keys alone: read_json_line() of it gives the same keys, with what follows from them.
std::string to_json_line(const RnnConfig& config, const fields::FieldSet& given);

// Every valid key, framework keys with their "framework." prefix: for help, completion and
// near-miss suggestions.
std::vector<std::string_view> all_config_keys();

}  // namespace rnnadvisor
