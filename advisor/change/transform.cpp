// The kinds of transform and their parameters; what they do to a configuration is in expand.cpp.
#include "advisor/change/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

constexpr double most_size = std::numeric_limits<std::int32_t>::max();

constexpr TransformParameter size_parameter(std::string_view name, std::string_view description) {
  return {name, ParameterType::integer, 1, most_size, {}, description};
}

template <class Enum>
constexpr TransformParameter enum_parameter(std::string_view description) {
  return {"value", ParameterType::text, 0, 0, Spellings<Enum>::values, description};
}

constexpr std::array algo_parameters = {enum_parameter<Algo>("the algorithm")};
constexpr std::array math_type_parameters = {enum_parameter<MathType>("the math type")};
constexpr std::array data_type_parameters = {enum_parameter<DataType>("the data type")};
constexpr std::array math_precision_parameters = {enum_parameter<DataType>("the arithmetic")};
constexpr std::array layout_parameters = {enum_parameter<Layout>("the layout of x and y")};
constexpr std::array multiple_parameters = {TransformParameter{
    "multiple", ParameterType::integer, 1, 65536, {}, "round up to a multiple of this"}};
constexpr std::array batch_parameters = {size_parameter("value", "sequences per batch")};
constexpr std::array hidden_parameters = {size_parameter("value", "units per layer")};
constexpr std::array rows_parameters = {size_parameter("value", "sequences per call")};
constexpr std::array length_parameters = {size_parameter("length", "time steps per chunk")};
constexpr std::array bucket_parameters = {
    TransformParameter{"buckets", ParameterType::integer, 2, 1024, {}, "number of buckets"}};
constexpr std::array dropout_parameters = {
    TransformParameter{"value", ParameterType::real, 0, 1, {}, "dropout probability, below 1"}};
constexpr std::array flag_parameters = {
    TransformParameter{"value", ParameterType::boolean, 0, 0, {}, "on or off"}};

using enum Meaning;
constexpr std::array kinds = {
    TransformKind{"algo", exact, algo_parameters, "ask cuDNN for another algorithm"},
    TransformKind{"math_type", numerics, math_type_parameters,
                  "permit or forbid Tensor Core arithmetic"},
    TransformKind{"data_type", numerics, data_type_parameters,
                  "store weights and activations in another type, with its natural arithmetic"},
    TransformKind{"math_precision", numerics, math_precision_parameters,
                  "compute in another precision"},
    TransformKind{"pad_hidden", padded, multiple_parameters,
                  "more hidden units, the new ones with weights and state of zero"},
    TransformKind{"pad_input", padded, multiple_parameters, "wider input, the new columns zero"},
    TransformKind{"pad_batch", padded, multiple_parameters, "more sequences, the new ones ignored"},
    TransformKind{"set_batch", model, batch_parameters,
                  "another batch size: training then takes other steps"},
    TransformKind{"set_hidden", model, hidden_parameters, "another hidden size"},
    TransformKind{"set_dropout", model, dropout_parameters, "another dropout probability"},
    TransformKind{"lower_batch", exact, rows_parameters,
                  "the same batch in several calls, gradients added up"},
    TransformKind{
        "chunk_sequence", model, length_parameters,
        "the sequence in several calls that hand h and c on; training then stops gradients at the "
        "chunks, inference in one direction is unchanged"},
    TransformKind{
        "split_layers", exact, {}, "one call per layer; the caller applies dropout in between"},
    TransformKind{"split_directions", exact, {}, "one call per layer and direction"},
    TransformKind{
        "unpack_equal_lengths", exact, {}, "packed sequences of one length as a plain tensor"},
    TransformKind{"sort_lengths", exact, {}, "sequences of the batch sorted by falling length"},
    TransformKind{"drop_empty_rows", exact, {}, "sequences of length 0 taken out of the batch"},
    TransformKind{"bucket_lengths", exact, bucket_parameters,
                  "sequences of similar length together, one call per bucket"},
    TransformKind{"layout", exact, layout_parameters, "another memory layout of x and y"},
    TransformKind{"padded_io", exact, flag_parameters, "set or clear CUDNN_RNN_PADDED_IO_ENABLED"},
    TransformKind{
        "bias_mode_double", exact, {}, "both bias vectors, those that were missing fixed at zero"},
    TransformKind{"linear_input", model, {}, "an input matrix where skip_input had none"},
    TransformKind{"drop_projection", model, {}, "no recurrent projection"},
    TransformKind{"drop_clipping", model, {}, "no clipping of the cell state"},
    TransformKind{"drop_dropout", exact, {}, "no dropout where it has no effect: a single layer"},
    TransformKind{"inference_mode", exact, {}, "forward only, nothing kept for a backward pass"},
    TransformKind{
        "cuda_graph", exact, {}, "the launches recorded once and replayed as a CUDA graph", false},
    TransformKind{"cudnn_enabled", numerics, flag_parameters,
                  "the framework's switch for cuDNN: without it PyTorch runs its own cells", false},
    TransformKind{
        "flatten_parameters",
        exact,
        {},
        "weights that something moved as one buffer again, so that the framework need not "
        "copy them at every call",
        false},
};

template <class Items>
std::vector<std::string_view> names(const Items& items) {
  std::vector<std::string_view> list;
  for (const auto& item : items) list.push_back(item.name);
  return list;
}

std::string quoted_list(std::span<const std::string_view> words) {
  std::string text;
  for (const auto word : words) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", word);
  return text;
}

nlohmann::json to_json(const ParameterValue& value) {
  return std::visit(
      [](const auto& v) {
        if constexpr (std::is_same_v<decltype(v), const NeverHeld&>) {
          return nlohmann::json();
        } else {
          return nlohmann::json(v);
        }
      },
      value);
}

}  // namespace

std::string_view to_string(ParameterType type) {
  constexpr std::array<std::string_view, 4> words = {"integer", "real", "text", "boolean"};
  const auto index = static_cast<std::size_t>(type);
  return index < words.size() ? words[index] : std::string_view("?");
}

std::span<const TransformKind> transform_kinds() { return kinds; }

const TransformKind* find_transform_kind(std::string_view name) {
  const auto* found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : found;
}

Result<void> check_parameter(const TransformParameter& parameter, const ParameterValue& value) {
  const auto wrong_type = [&] {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' must be {}", parameter.name,
                            parameter.type == ParameterType::integer ? "a whole number"
                            : parameter.type == ParameterType::real  ? "a number"
                            : parameter.type == ParameterType::text  ? "a string"
                                                                     : "true or false"));
  };
  if (parameter.type == ParameterType::boolean) {
    if (!std::holds_alternative<bool>(value)) return wrong_type();
    return {};
  }
  if (parameter.type == ParameterType::text) {
    const auto* text = std::get_if<std::string>(&value);
    if (!text) return wrong_type();
    if (std::find(parameter.values.begin(), parameter.values.end(), *text) !=
        parameter.values.end())
      return {};
    const auto hint = did_you_mean(*text, parameter.values);
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' cannot be '{}'", parameter.name, to_valid_utf8(*text)),
                hint.empty() ? "one of " + quoted_list(parameter.values) : hint);
  }
  double number = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*whole);
  } else if (const auto* real = std::get_if<double>(&value);
             real && parameter.type == ParameterType::real) {
    number = *real;
  } else {
    return wrong_type();
  }
  if (!(number >= parameter.least && number <= parameter.most)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is {}, outside {} to {}", parameter.name, number, parameter.least,
                            parameter.most));
  }
  return {};
}

namespace {

// So that their JSON has no order to keep.
static_assert(std::all_of(kinds.begin(), kinds.end(),
                          [](const TransformKind& kind) { return kind.parameters.size() <= 1; }));

// The kind of this name, where these are its parameters.
Result<const TransformKind*> check(std::string_view kind_name,
                                   std::span<const Parameter> parameters,
                                   std::span<const std::string_view> deferred) {
  const auto* kind = find_transform_kind(kind_name);
  if (!kind) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("no transform is called '{}'", to_valid_utf8(kind_name)),
                did_you_mean(kind_name, names(kinds)));
  }
  for (const auto& given : parameters) {
    const auto known =
        std::find_if(kind->parameters.begin(), kind->parameters.end(),
                     [&](const auto& parameter) { return parameter.name == given.name; });
    if (known == kind->parameters.end()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("transform '{}' has no parameter '{}'", kind->name,
                              to_valid_utf8(given.name)),
                  did_you_mean(given.name, names(kind->parameters)));
    }
    if (auto checked = check_parameter(*known, given.value); !checked)
      return fail(std::move(checked).error());
    if (&given != &parameters.front()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("parameter '{}' is given twice", given.name));
    }
  }
  for (const auto& parameter : kind->parameters) {
    const bool later =
        std::find(deferred.begin(), deferred.end(), parameter.name) != deferred.end();
    if (!later && parameters.empty()) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("transform '{}' needs the parameter '{}'", kind->name, parameter.name),
          fmt::format("{}: {}", parameter.name, parameter.description));
    }
  }
  return kind;
}

// What make_transform() writes, nearly all that is read, without a JSON document in between: {} or
// {"name":value} with a whole number, a truth value or a word. Nothing for all else.
std::optional<std::vector<Parameter>> read_own_form(std::string_view text) {
  const auto take = [&](std::string_view expected) {
    if (!text.starts_with(expected)) return false;
    text.remove_prefix(expected.size());
    return true;
  };
  const auto word = [&] {
    const auto end = std::find_if_not(text.begin(), text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    const auto found = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(found.size());
    return found;
  };
  if (text == "{}") return std::vector<Parameter>();
  if (!take("{\"")) return std::nullopt;
  Parameter parameter{std::string(word()), {}};
  if (!take("\":")) return std::nullopt;
  if (take("\"")) {
    parameter.value = std::string(word());
    if (!take("\"")) return std::nullopt;
  } else {
    const auto value = word();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (value == "true" || value == "false") {
      parameter.value = value == "true";
    } else if (error == std::errc() && end == value.data() + value.size() &&
               !(value.starts_with('0') && value.size() > 1)) {
      parameter.value = number;
    } else {
      return std::nullopt;
    }
  }
  if (text != "}") return std::nullopt;
  return std::vector{std::move(parameter)};
}

Result<std::vector<Parameter>> read_parameters(std::string_view text) {
  if (auto own = read_own_form(text)) return std::move(*own);
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    return fail(ErrorCode::parse, "the parameters of a transform must be a JSON object");
  std::vector<Parameter> parameters;
  for (const auto& [name, value] : json.items()) {
    Parameter parameter{name, {}};
    if (value.is_boolean()) {
      parameter.value = value.get<bool>();
    } else if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("'{}' is too large", to_valid_utf8(name)));
      }
      parameter.value = static_cast<std::int64_t>(number);
    } else if (value.is_number_integer()) {
      parameter.value = value.get<std::int64_t>();
    } else if (value.is_number_float()) {
      parameter.value = value.get<double>();
    } else if (value.is_string()) {
      parameter.value = value.get<std::string>();
    } else {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("'{}' must be a number, a string, true or false", to_valid_utf8(name)));
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace

Result<Transform> make_transform(std::string_view kind_name, std::span<const Parameter> parameters,
                                 std::span<const std::string_view> deferred) {
  const auto kind = check(kind_name, parameters, deferred);
  if (!kind) return fail(kind.error());
  std::string json = "{";
  for (const auto& [name, value] : parameters) {
    if (const auto* word = std::get_if<std::string>(&value)) {
      json += fmt::format(R"("{}":"{}")", name, *word);  // it is one of the spellings
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      json += fmt::format(R"("{}":{})", name, *whole);
    } else {
      json += fmt::format(R"("{}":{})", name, to_json(value).dump());
    }
  }
  return Transform{std::string((*kind)->name), json + "}", (*kind)->meaning};
}

Result<Transform> parse_transform(std::string_view kind, std::string_view json) {
  const auto parameters = read_parameters(json);
  if (!parameters) return fail(parameters.error());
  return make_transform(kind, *parameters);
}

Result<std::optional<ParameterValue>> checked_parameter(const Transform& transform) {
  auto parameters = read_parameters(transform.json);
  if (!parameters) return fail(parameters.error());
  if (const auto kind = check(transform.kind, *parameters, {}); !kind) return fail(kind.error());
  if (parameters->empty()) return std::optional<ParameterValue>();
  return std::optional(std::move(parameters->front().value));
}

Result<Transform> with_parameter(const Transform& transform, std::string_view name,
                                 const ParameterValue& value) {
  auto parameters = read_parameters(transform.json);
  if (!parameters) return fail(parameters.error());
  std::erase_if(*parameters, [&](const auto& parameter) { return parameter.name == name; });
  parameters->push_back({std::string(name), value});
  const auto* kind = find_transform_kind(transform.kind);
  // The others may still be missing: they are set one after the other.
  return make_transform(transform.kind, *parameters,
                        kind ? names(kind->parameters) : std::vector<std::string_view>{});
}

std::optional<ParameterValue> parameter_of(const Transform& transform, std::string_view name) {
  const auto parameters = read_parameters(transform.json);
  if (!parameters) return std::nullopt;
  const auto found = std::find_if(parameters->begin(), parameters->end(),
                                  [&](const auto& parameter) { return parameter.name == name; });
  return found == parameters->end() ? std::nullopt : std::optional(found->value);
}

std::string describe(const Transform& transform) {
  const auto parameters = read_parameters(transform.json);
  if (!parameters || parameters->empty()) return transform.kind;
  std::string text;
  for (const auto& parameter : *parameters) {
    const auto json = to_json(parameter.value);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", parameter.name,
                        json.is_string() ? json.get<std::string>() : json.dump());
  }
  return fmt::format("{} ({})", transform.kind, text);
}

}  // namespace rnnadvisor::advisor
