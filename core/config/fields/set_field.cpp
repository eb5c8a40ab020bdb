// Single fields: from flags, and the defaults that depend on other fields.
#include <algorithm>
#include <limits>
#include <string>

#include "core/config/fields/assign.h"
#include "core/config/read_config.h"

namespace rnnadvisor {
namespace fields {

void resolve(RnnConfig& config, const FieldSet& set) {
  // Constant strings: the compiler turns each into a bit.
  static constexpr auto index_of = [](std::string_view key) {
    return static_cast<std::size_t>(std::find(config_keys.begin(), config_keys.end(), key) -
                                    config_keys.begin());
  };
  constexpr std::size_t input_size = index_of("input_size");
  constexpr std::size_t proj_size = index_of("proj_size");
  constexpr std::size_t math_precision = index_of("math_precision");
  constexpr std::size_t padded_io = index_of("padded_io");
  constexpr std::size_t seq_length = index_of("seq_length");
  constexpr std::size_t batch_size = index_of("batch_size");
  static_assert(std::max({input_size, proj_size, math_precision, padded_io, seq_length,
                          batch_size}) < config_count);

  if (!set.has(input_size)) config.input_size = config.hidden_size;
  if (!set.has(proj_size)) config.proj_size = config.hidden_size;
  if (!set.has(math_precision)) config.math_precision = natural_math_precision(config.data_type);
  if (!set.has(padded_io)) config.padded_io = !config.packed();
  if (config.backward_algo == config.algo) config.backward_algo.reset();
  if (config.seq_lengths.empty()) return;
  if (!set.has(seq_length)) {
    // All lengths 0 leaves no time step, which cuDNN does not know: 1 is the smallest it takes.
    config.seq_length =
        std::max(1, *std::max_element(config.seq_lengths.begin(), config.seq_lengths.end()));
  }
  if (!set.has(batch_size)) {
    constexpr std::size_t most = std::numeric_limits<int>::max();
    config.batch_size = static_cast<int>(std::min(config.seq_lengths.size(), most));
  }
}

}  // namespace fields

Result<void> set_field(ConfigInput& input, std::string_view key, std::string_view value) {
  using namespace fields;
  const auto given = Value::of_text(value);
  std::optional<Problem> problem;
  if (const auto prefix = framework_key.size() + 1;
      key.starts_with(framework_key) && key.substr(framework_key.size()).starts_with('.')) {
    const auto index = find_key(context_keys, key.substr(prefix), 0);
    problem = index ? assign_context(input.program, *index, given)
                    : unknown_context_key(key.substr(prefix));
  } else {
    const auto index = find_key(config_keys, key, 0);
    problem = index ? assign_config(input.config, *index, given) : unknown_config_key(key);
    if (index && !problem) input.given.insert(*index);
  }
  if (problem)
    return fail(ErrorCode::invalid_argument, std::move(problem->message),
                std::move(problem->remedy));
  return {};
}

void resolve_defaults(RnnConfig& config, std::span<const std::string_view> set) {
  fields::FieldSet known;
  for (const auto key : set) {
    if (const auto index = fields::find_key(fields::config_keys, key, 0)) known.insert(*index);
  }
  fields::resolve(config, known);
}

void resolve_defaults(ConfigInput& input) { fields::resolve(input.config, input.given); }

bool is_given(const ConfigInput& input, std::string_view key) {
  const auto index = fields::find_key(fields::config_keys, key, 0);
  return index && input.given.has(*index);
}

void forget_given(ConfigInput& input, std::string_view key) {
  if (const auto index = fields::find_key(fields::config_keys, key, 0)) input.given.erase(*index);
}

std::vector<std::string_view> all_config_keys() {
  static const std::vector<std::string> prefixed = [] {
    std::vector<std::string> keys;
    for (const auto key : fields::context_keys)
      keys.push_back(std::string(fields::framework_key) + "." + std::string(key));
    return keys;
  }();
  std::vector<std::string_view> keys(fields::config_keys.begin(), fields::config_keys.end());
  keys.insert(keys.end(), prefixed.begin(), prefixed.end());
  return keys;
}

}  // namespace rnnadvisor
