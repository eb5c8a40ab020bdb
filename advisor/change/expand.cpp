// What each transform makes of a configuration.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <variant>

#include "advisor/change/transform.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

using Configs = Result<std::vector<RnnConfig>>;

// More calls than this are no suggestion any more, and would only fill the memory.
constexpr std::int64_t most_calls = 65536;

tl::unexpected<Error> does_not_fit(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

// Types and ranges were checked; a real number may be a whole one.
std::int64_t whole(const ParameterValue& given) { return std::get<std::int64_t>(given); }
double number(const ParameterValue& given) {
  const auto* real = std::get_if<double>(&given);
  return real != nullptr ? *real : static_cast<double>(whole(given));
}

Result<int> round_up(int value, const ParameterValue& given) {
  const std::int64_t multiple = whole(given);
  const auto rounded = (static_cast<std::int64_t>(value) + multiple - 1) / multiple * multiple;
  if (rounded > std::numeric_limits<std::int32_t>::max()) {
    return does_not_fit(
        fmt::format("{} rounded up to a multiple of {} is too large", value, multiple));
  }
  if (rounded == value)
    return does_not_fit(fmt::format("{} is a multiple of {} already", value, multiple));
  return static_cast<int>(rounded);
}

template <class T>
Configs with(const RnnConfig& config, T RnnConfig::* member, const T& value) {
  if (config.*member == value) return does_not_fit("the configuration has this value already");
  RnnConfig changed = config;
  changed.*member = value;
  return std::vector{changed};
}

template <class Enum>
Enum enum_value(const ParameterValue& given) {
  return parse_enum<Enum>(std::get<std::string>(given)).value_or(Enum{});  // of its spellings
}

// Without a projection proj_size follows hidden_size.
void set_hidden(RnnConfig& config, int hidden) {
  if (!config.has_projection()) config.proj_size = hidden;
  if (config.input_mode == InputMode::skip_input && config.input_size == config.hidden_size)
    config.input_size = hidden;
  config.hidden_size = hidden;
}

std::vector<int> lengths_of(const RnnConfig& config) {
  if (!config.seq_lengths.empty()) return config.seq_lengths;
  return std::vector<int>(static_cast<std::size_t>(config.batch_size), config.seq_length);
}

// A call over some of the rows. Lengths are kept only where they differ.
RnnConfig rows(const RnnConfig& config, std::span<const int> lengths) {
  RnnConfig part = config;
  part.batch_size = static_cast<int>(lengths.size());
  part.seq_length = std::max(1, *std::max_element(lengths.begin(), lengths.end()));
  part.seq_lengths.assign(lengths.begin(), lengths.end());
  if (!part.has_varying_lengths()) part.seq_lengths.clear();
  return part;
}

Configs pad_hidden(const RnnConfig& config, const ParameterValue& given) {
  const auto size = round_up(config.hidden_size, given);
  if (!size) return fail(size.error());
  RnnConfig changed = config;
  set_hidden(changed, *size);
  return std::vector{changed};
}

Configs pad_input(const RnnConfig& config, const ParameterValue& given) {
  if (config.input_mode == InputMode::skip_input)
    return does_not_fit("skip_input ties the input to the hidden size");
  const auto size = round_up(config.input_size, given);
  if (!size) return fail(size.error());
  return with(config, &RnnConfig::input_size, *size);
}

Configs pad_batch(const RnnConfig& config, const ParameterValue& given) {
  const auto size = round_up(config.batch_size, given);
  if (!size) return fail(size.error());
  RnnConfig changed = config;
  changed.batch_size = *size;
  // The new rows are as short as the shortest, so that packed sequences stay sorted.
  if (!changed.seq_lengths.empty()) {
    const int shortest = *std::min_element(changed.seq_lengths.begin(), changed.seq_lengths.end());
    changed.seq_lengths.resize(static_cast<std::size_t>(*size), shortest);
  }
  return std::vector{changed};
}

Configs set_batch(const RnnConfig& config, const ParameterValue& given) {
  if (config.has_varying_lengths())
    return does_not_fit("the lengths of the sequences of another batch are not known");
  auto changed = with(config, &RnnConfig::batch_size, static_cast<int>(whole(given)));
  if (changed) changed->front().seq_lengths.clear();
  return changed;
}

Configs lower_batch(const RnnConfig& config, const ParameterValue& given) {
  const auto size = whole(given);
  if (size >= config.batch_size)
    return does_not_fit(
        fmt::format("the batch has {} only", plural(config.batch_size, "sequence")));
  if (config.batch_size / size >= most_calls)
    return does_not_fit("the batch would become too many calls");
  const auto lengths = lengths_of(config);
  std::vector<RnnConfig> calls;
  for (std::size_t at = 0; at < lengths.size(); at += static_cast<std::size_t>(size)) {
    const auto count = std::min(static_cast<std::size_t>(size), lengths.size() - at);
    calls.push_back(rows(config, std::span(lengths).subspan(at, count)));
  }
  return calls;
}

Configs chunk_sequence(const RnnConfig& config, const ParameterValue& given) {
  const auto length = whole(given);
  if (length >= config.seq_length)
    return does_not_fit(fmt::format("the sequence has {} only", plural(config.seq_length, "step")));
  if (config.direction == Direction::bidirectional) {
    return does_not_fit(
        "the backward direction begins at the end of the sequence and cannot be cut into chunks");
  }
  if (config.seq_length / length >= most_calls)
    return does_not_fit("the sequence would become too many calls");
  std::vector<RnnConfig> calls;
  for (std::int64_t at = 0; at < config.seq_length; at += length) {
    RnnConfig part = config;
    part.seq_length = static_cast<int>(std::min<std::int64_t>(length, config.seq_length - at));
    if (!config.seq_lengths.empty()) {
      std::vector<int> lengths;
      for (const int all : config.seq_lengths) {
        lengths.push_back(static_cast<int>(std::clamp<std::int64_t>(all - at, 0, part.seq_length)));
      }
      // A packed batch has no rows of length 0: sequences that have ended leave it.
      if (config.packed()) std::erase(lengths, 0);
      if (lengths.empty()) break;
      part = rows(part, lengths);
    }
    calls.push_back(part);
  }
  return calls;
}

Configs split_layers(const RnnConfig& config, const ParameterValue&) {
  if (config.num_layers < 2) return does_not_fit("there is one layer only");
  if (config.num_layers > most_calls) return does_not_fit("the stack would become too many calls");
  std::vector<RnnConfig> calls;
  const std::int64_t between = static_cast<std::int64_t>(config.proj_size) * config.directions();
  if (between > std::numeric_limits<std::int32_t>::max())
    return does_not_fit("the output of a layer is too wide");
  for (int layer = 0; layer < config.num_layers; ++layer) {
    RnnConfig part = config;
    part.num_layers = 1;
    part.dropout = 0;
    if (layer > 0) {
      part.input_size = static_cast<int>(between);
      part.input_mode = InputMode::linear_input;
    }
    calls.push_back(part);
  }
  return calls;
}

Configs split_directions(const RnnConfig& config, const ParameterValue&) {
  if (config.direction != Direction::bidirectional)
    return does_not_fit("there is one direction only");
  std::vector<RnnConfig> layers{config};
  if (config.num_layers > 1) {
    auto split = split_layers(config, false);
    if (!split) return split;
    layers = std::move(*split);
  }
  std::vector<RnnConfig> calls;
  for (auto layer : layers) {
    layer.direction = Direction::unidirectional;
    calls.push_back(layer);
    calls.push_back(layer);
  }
  return calls;
}

Configs unpack_equal_lengths(const RnnConfig& config, const ParameterValue&) {
  if (!config.packed()) return does_not_fit("the layout is not packed");
  if (config.has_varying_lengths()) return does_not_fit("the sequences differ in length");
  RnnConfig changed = config;
  changed.layout = Layout::seq_major_unpacked;
  changed.padded_io = false;  // of no use with equal lengths, and it costs workspace
  changed.seq_lengths.clear();
  return std::vector{changed};
}

Configs sort_lengths(const RnnConfig& config, const ParameterValue&) {
  auto lengths = config.seq_lengths;
  if (std::is_sorted(lengths.rbegin(), lengths.rend()))
    return does_not_fit("the lengths are sorted already");
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  return with(config, &RnnConfig::seq_lengths, lengths);
}

Configs drop_empty_rows(const RnnConfig& config, const ParameterValue&) {
  auto lengths = config.seq_lengths;
  const auto removed = std::erase(lengths, 0);
  if (removed == 0 || lengths.empty())
    return does_not_fit("there is no empty row to take out, or nothing else");
  return std::vector{rows(config, lengths)};
}

Configs bucket_lengths(const RnnConfig& config, const ParameterValue& given) {
  const auto buckets = std::min(static_cast<std::size_t>(whole(given)), config.seq_lengths.size());
  if (!config.has_varying_lengths()) return does_not_fit("the sequences have one length");
  auto lengths = config.seq_lengths;
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  std::vector<RnnConfig> calls;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t begin = lengths.size() * bucket / buckets;
    const std::size_t end = lengths.size() * (bucket + 1) / buckets;
    calls.push_back(rows(config, std::span(lengths).subspan(begin, end - begin)));
  }
  return calls;
}

Configs data_type(const RnnConfig& config, const ParameterValue& given) {
  auto changed = with(config, &RnnConfig::data_type, enum_value<DataType>(given));
  if (changed) changed->front().math_precision = natural_math_precision(changed->front().data_type);
  return changed;
}

// Of every phase: forward and backward may have had different ones.
Configs change_algo(const RnnConfig& config, const ParameterValue& given) {
  const auto value = enum_value<Algo>(given);
  if (config.algo == value && !config.mixed_algos())
    return does_not_fit("the configuration has this value already");
  RnnConfig changed = config;
  changed.set_algo(value);
  return std::vector{std::move(changed)};
}

Configs layout(const RnnConfig& config, const ParameterValue& given) {
  auto changed = with(config, &RnnConfig::layout, enum_value<Layout>(given));
  if (changed) changed->front().padded_io = !changed->front().packed();
  return changed;
}

Configs set_hidden_to(const RnnConfig& config, const ParameterValue& given) {
  const int size = static_cast<int>(whole(given));
  if (size == config.hidden_size) return does_not_fit("the configuration has this value already");
  if (config.has_projection() && config.proj_size > size)
    return does_not_fit("the projection would be wider");
  RnnConfig changed = config;
  set_hidden(changed, size);
  return std::vector{changed};
}

Configs set_dropout(const RnnConfig& config, const ParameterValue& given) {
  const double value = number(given);
  if (value >= 1) return does_not_fit("a dropout of 1 leaves nothing");
  return with(config, &RnnConfig::dropout, value);
}

Configs drop_dropout(const RnnConfig& config, const ParameterValue&) {
  if (config.num_layers > 1) return does_not_fit("between layers dropout has an effect");
  return with(config, &RnnConfig::dropout, 0.0);
}

Configs drop_clipping(const RnnConfig& config, const ParameterValue&) {
  auto changed = with(config, &RnnConfig::clip_mode, ClipMode::none);
  if (changed) {
    changed->front().clip_left = changed->front().clip_right = 0;
    changed->front().clip_propagate_nan = false;
  }
  return changed;
}

using Change = Configs (*)(const RnnConfig&, const ParameterValue&);
struct ChangeEntry {
  std::string_view kind;
  Change change;
};

constexpr std::array change_entries = {
    ChangeEntry{"algo", change_algo},
    ChangeEntry{"math_type",
                [](const RnnConfig& c, const ParameterValue& given) {
                  return with(c, &RnnConfig::math_type, enum_value<MathType>(given));
                }},
    ChangeEntry{"data_type", data_type},
    ChangeEntry{"math_precision",
                [](const RnnConfig& c, const ParameterValue& given) {
                  return with(c, &RnnConfig::math_precision, enum_value<DataType>(given));
                }},
    ChangeEntry{"pad_hidden", pad_hidden},
    ChangeEntry{"pad_input", pad_input},
    ChangeEntry{"pad_batch", pad_batch},
    ChangeEntry{"set_batch", set_batch},
    ChangeEntry{"set_hidden", set_hidden_to},
    ChangeEntry{"set_dropout", set_dropout},
    ChangeEntry{"lower_batch", lower_batch},
    ChangeEntry{"chunk_sequence", chunk_sequence},
    ChangeEntry{"split_layers", split_layers},
    ChangeEntry{"split_directions", split_directions},
    ChangeEntry{"unpack_equal_lengths", unpack_equal_lengths},
    ChangeEntry{"sort_lengths", sort_lengths},
    ChangeEntry{"drop_empty_rows", drop_empty_rows},
    ChangeEntry{"bucket_lengths", bucket_lengths},
    ChangeEntry{"layout", layout},
    ChangeEntry{"padded_io",
                [](const RnnConfig& c, const ParameterValue& given) {
                  return with(c, &RnnConfig::padded_io, std::get<bool>(given));
                }},
    ChangeEntry{"bias_mode_double",
                [](const RnnConfig& c, const ParameterValue&) {
                  return with(c, &RnnConfig::bias_mode, BiasMode::double_bias);
                }},
    ChangeEntry{"linear_input",
                [](const RnnConfig& c, const ParameterValue&) {
                  return with(c, &RnnConfig::input_mode, InputMode::linear_input);
                }},
    ChangeEntry{"drop_projection",
                [](const RnnConfig& c, const ParameterValue&) {
                  return with(c, &RnnConfig::proj_size, c.hidden_size);
                }},
    ChangeEntry{"drop_clipping", drop_clipping},
    ChangeEntry{"drop_dropout", drop_dropout},
    ChangeEntry{"inference_mode",
                [](const RnnConfig& c, const ParameterValue&) {
                  return with(c, &RnnConfig::mode, Mode::inference);
                }},
};

}  // namespace

Result<std::vector<RnnConfig>> expand(const Transform& transform, const RnnConfig& config) {
  // Whatever the transform came from, its parameters are checked again: the changes below rely on
  // it.
  const auto given = checked_parameter(transform);
  if (!given) return fail(given.error());
  const auto* kind = find_transform_kind(transform.kind);
  const auto* entry = std::find_if(change_entries.begin(), change_entries.end(),
                                   [&](const auto& e) { return e.kind == transform.kind; });
  if (!kind->configurations || entry == change_entries.end()) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("'{}' changes how the calls are made, not their configuration", transform.kind),
        "it can only be tried by running it");
  }
  return entry->change(config, given->value_or(false));
}

Result<RnnConfig> apply(const Transform& transform, const RnnConfig& config) {
  auto calls = expand(transform, config);
  if (!calls) return fail(std::move(calls).error());
  if (calls->size() != 1) {
    return fail(ErrorCode::unsupported,
                fmt::format("'{}' makes {} calls of this one", transform.kind, calls->size()),
                "use expand() and add up the calls");
  }
  return std::move(calls->front());
}

}  // namespace rnnadvisor::advisor
