#include "core/config/fields/assign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/text.h"

namespace rnnadvisor::fields {
namespace {

using Kind = Value::Kind;
using MaybeProblem = std::optional<Problem>;

constexpr std::uint64_t int_max = std::numeric_limits<int>::max();

// The number in `given`, a flag's text as what it spells (Kind::null, which no field takes, when it
// is none). Its texts live in `given`.
Value as_number(const Value& given) {
  return given.kind == Kind::text ? parse_number(given.string) : given;
}

MaybeProblem refuse(std::string_view key, const Value& value, std::string_view demand,
                    std::string remedy) {
  return Problem{
      fmt::format("{} is {}, but must be {}", key, describe(value), demand), std::move(remedy), {}};
}

// A whole number from `least` to INT32_MAX.
std::optional<int> whole(const Value& given, std::uint64_t least) {
  const Value value = as_number(given);
  if (value.kind != Kind::integer || value.out_of_range || value.negative) return std::nullopt;
  if (value.magnitude < least || value.magnitude > int_max) return std::nullopt;
  return static_cast<int>(value.magnitude);
}

MaybeProblem assign(int& target, std::string_view key, const Value& given) {
  const auto number = whole(given, 1);
  const bool power_of_two = key == "pointer_alignment";
  if (!number || (power_of_two && !std::has_single_bit(static_cast<unsigned>(*number)))) {
    return power_of_two ? refuse(key, given, "a power of two from 1 to 1073741824",
                                 "write it in bytes, as 16")
                        : refuse(key, given, "a whole number from 1 to 2147483647",
                                 "cuDNN takes sizes as positive 32-bit integers");
  }
  target = *number;
  return std::nullopt;
}

MaybeProblem assign(std::uint64_t& target, std::string_view key, const Value& given) {
  const Value value = as_number(given);
  if (value.kind != Kind::integer || value.out_of_range || value.negative) {
    return refuse(key, given, "a whole number from 0 to 18446744073709551615",
                  "write a number such as 1");
  }
  target = value.magnitude;
  return std::nullopt;
}

MaybeProblem assign(double& target, std::string_view key, const Value& given) {
  const bool probability = key.ends_with("dropout");
  const std::string_view demand = probability ? "a number from 0 to below 1" : "a finite number";
  const Value value = as_number(given);
  double number = value.real;
  if (value.kind == Kind::integer) {
    number = static_cast<double>(value.magnitude);
    if (value.negative) number = -number;
  }
  if ((value.kind != Kind::integer && value.kind != Kind::real) || value.out_of_range ||
      !std::isfinite(number)) {
    return refuse(key, given, demand, probability ? "write it as 0.2" : "write it as -5.0");
  }
  if (probability && !(number >= 0 && number < 1)) {
    return refuse(key, given, demand,
                  "it is the probability that a value becomes 0: write 20 % as 0.2");
  }
  target = number == 0 ? 0 : number;  // no -0: it would compare equal and print differently
  return std::nullopt;
}

MaybeProblem assign(bool& target, std::string_view key, const Value& value) {
  if (value.kind == Kind::boolean) {
    target = value.boolean;
  } else if (value.kind == Kind::text && (value.string == "true" || value.string == "false")) {
    target = value.string == "true";
  } else {
    return refuse(
        key, value, "true or false",
        value.kind == Kind::string ? "write true or false without quotes" : "write true or false");
  }
  return std::nullopt;
}

MaybeProblem assign(std::string& target, std::string_view key, const Value& value) {
  if (value.kind != Kind::string && value.kind != Kind::text) {
    return refuse(key, value, "a string", "put it in double quotes");
  }
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::all_of(value.string.begin(), value.string.end(), is_ascii) &&
      to_valid_utf8(value.string) != value.string) {
    return refuse(key, value, "UTF-8 text", "save the text as UTF-8");
  }
  target = value.string;
  return std::nullopt;
}

// What PyTorch, NumPy and people call the types of cuDNN.
template <class Enum>
std::string_view other_name(std::string_view text) {
  struct Name {
    std::string_view other, own;
  };
  constexpr bool types = std::is_same_v<Enum, DataType>;
  static constexpr auto names = std::to_array<Name>({{"fp16", types ? "half" : "float16"},
                                                     {"float16", types ? "half" : "float16"},
                                                     {"half", types ? "half" : "float16"},
                                                     {"bf16", "bfloat16"},
                                                     {"fp32", "float"},
                                                     {"float32", "float"},
                                                     {"fp64", "double"},
                                                     {"float64", "double"}});
  for (const auto& name : names)
    if (name.other == text) return name.own;
  return text;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

template <class Enum>
  requires std::is_enum_v<Enum>
MaybeProblem assign(Enum& target, std::string_view key, const Value& value) {
  std::string_view text = value.string;
  // Spellings "true" and "false" may be written as booleans where the format has them.
  if (value.kind == Kind::boolean) text = value.boolean ? "true" : "false";
  if constexpr (std::is_same_v<Enum, DataType> || std::is_same_v<Enum, Autocast>)
    text = other_name<Enum>(text);
  const bool is_word =
      value.kind == Kind::string || value.kind == Kind::text || value.kind == Kind::boolean;
  if (const auto parsed = parse_enum<Enum>(text); is_word && parsed) {
    target = *parsed;
    return std::nullopt;
  }
  const auto& spellings = Spellings<Enum>::values;
  const std::string lower = in_lower_case(text);
  std::string remedy = is_word ? did_you_mean(lower, spellings) : std::string();
  if constexpr (std::is_same_v<Enum, Framework>) {
    if (lower == "keras")
      remedy = "keras2 is tf.keras up to TensorFlow 2.15 and tf_keras, keras3 is Keras 3 and later";
  }
  if constexpr (std::is_same_v<Enum, Framework> || std::is_same_v<Enum, Cell>) {
    if (lower == "cudnnlstm" || lower == "cudnngru")
      remedy = fmt::format(
          "{} was a layer of TensorFlow 1 and is gone: Keras' {} calls cuDNN by itself; give cell "
          "{} "
          "and framework keras2 or keras3",
          text, lower == "cudnnlstm" ? "LSTM" : "GRU", lower.substr(5));
  }
  if (remedy.empty()) remedy = "use one of these words, in lower case";
  return refuse(key, value, fmt::format("one of {}", fmt::join(spellings, ", ")),
                std::move(remedy));
}

// One sequence length. 0 can be read: whether cuDNN takes it depends on the layout, which
// validate() judges.
MaybeProblem append_length(std::vector<int>& lengths, std::string_view key, const Value& element) {
  const auto length = whole(element, 0);
  if (!length) {
    auto problem = refuse(fmt::format("{}[{}]", key, lengths.size()), element,
                          "a whole number from 0 to 2147483647",
                          "give one length per sequence, in time steps");
    problem->element = lengths.size();
    return problem;
  }
  lengths.push_back(*length);
  return std::nullopt;
}

MaybeProblem assign(std::vector<int>& target, std::string_view key, const Value& value) {
  std::vector<int> lengths;
  if (value.kind == Kind::list) {
    lengths.reserve(value.list.size());
    for (const auto& element : value.list) {
      if (auto problem = append_length(lengths, key, element)) return problem;
    }
  } else if (value.kind == Kind::text) {
    std::string_view rest = value.string;
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      if (auto problem = append_length(lengths, key, Value::of_text(rest.substr(0, comma))))
        return problem;
      if (comma == rest.size() - 1) {
        return refuse(key, value, "a list of lengths between commas",
                      "remove the comma at its end");
      }
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
  } else {
    return refuse(key, value, "a list of whole numbers",
                  "write one length per sequence, as [9, 7, 7]");
  }
  target = std::move(lengths);
  return std::nullopt;
}

template <class T>
MaybeProblem assign(std::optional<T>& target, std::string_view key, const Value& value) {
  T inner{};
  auto problem = assign(inner, key, value);
  if (!problem) target = std::move(inner);
  return problem;
}

std::string nearest_key(std::string_view key, std::span<const std::string_view> keys) {
  if (auto hint = did_you_mean(key, keys); !hint.empty()) return hint;
  return "remove it; docs/configuration.md lists the valid keys";
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

MaybeProblem assign_config(RnnConfig& config, std::size_t index, const Value& value) {
  MaybeProblem problem;
  std::size_t at = 0;
  visit_config_fields([&](std::string_view key, auto member, std::string_view) {
    if (at++ == index) problem = assign(config.*member, key, value);
  });
  return problem;
}

MaybeProblem assign_context(ProgramContext& context, std::size_t index, const Value& value) {
  MaybeProblem problem;
  std::size_t at = 0;
  visit_context_fields([&](std::string_view key, auto member, std::string_view) {
    if (at++ == index) problem = assign(context.*member, key, value);
  });
  return problem;
}

Problem unknown_config_key(std::string_view key) {
  std::string remedy;
  if (key == framework_key) {
    remedy = "give one of its keys, as framework.name";
  } else if (contains(context_keys, key)) {
    remedy =
        fmt::format("it belongs to the program around the RNN: write {}.{}", framework_key, key);
  } else {
    std::vector<std::string_view> keys(config_keys.begin(), config_keys.end());
    keys.push_back(framework_key);
    remedy = nearest_key(key, keys);
  }
  return {fmt::format("unknown key '{}'", shown(key)), std::move(remedy), {}};
}

Problem unknown_context_key(std::string_view key) {
  std::string remedy =
      contains(config_keys, key)
          ? fmt::format("it belongs to the configuration itself: write it outside {}",
                        framework_key)
          : nearest_key(key, context_keys);
  return {fmt::format("unknown key '{}' in {}", shown(key), framework_key), std::move(remedy), {}};
}

Problem duplicate_key(std::string_view key) {
  return {fmt::format("duplicate key '{}'", shown(key)), "keep one of them", {}};
}

}  // namespace rnnadvisor::fields
