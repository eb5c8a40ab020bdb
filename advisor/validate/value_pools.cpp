#include "advisor/validate/value_pools.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace rnnadvisor::advisor {
namespace {

constexpr std::string_view prefix = "call.";

std::string field_of(const Condition& condition) {
  const auto& name = fact_catalogue()[static_cast<std::size_t>(condition.fact)].name;
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string();
}

std::optional<std::int64_t> whole(const FactValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return std::nullopt;
}

bool holds_for(const Condition& condition, std::int64_t value) {
  if (condition.values.empty()) return true;
  const auto first = whole(condition.values.front());
  if (!first) return true;
  const auto listed = [&] {
    return std::any_of(condition.values.begin(), condition.values.end(),
                       [&](const FactValue& v) { return whole(v) == value; });
  };
  switch (condition.op) {
    case Operator::is:
    case Operator::in:
      return listed();
    case Operator::is_not:
    case Operator::not_in:
      return !listed();
    case Operator::at_least:
      return value >= *first;
    case Operator::at_most:
      return value <= *first;
    case Operator::above:
      return value > *first;
    case Operator::below:
      return value < *first;
    case Operator::multiple_of:
      return *first != 0 && value % *first == 0;
    case Operator::not_multiple_of:
      return *first != 0 && value % *first != 0;
  }
  return true;
}

bool holds_for(const Condition& condition, std::string_view word) {
  const bool listed =
      std::any_of(condition.values.begin(), condition.values.end(), [&](const FactValue& v) {
        const auto* text = std::get_if<std::string>(&v);
        return text != nullptr && *text == word;
      });
  switch (condition.op) {
    case Operator::is:
    case Operator::in:
      return listed;
    case Operator::is_not:
    case Operator::not_in:
      return !listed;
    default:
      return true;
  }
}

using ConditionsOfField = std::span<const Condition* const>;

ConditionsOfField conditions_of(const FieldConditions& conditions, const std::string& field) {
  const auto found = conditions.find(field);
  return found == conditions.end() ? ConditionsOfField() : ConditionsOfField(found->second);
}

template <class Value>
bool all_hold(ConditionsOfField conditions, const Value& value) {
  for (const auto* condition : conditions)
    if (!holds_for(*condition, value)) return false;
  return true;
}

template <class T>
const T& pick(std::span<const T> values, std::mt19937_64& random) {
  return values[random() % values.size()];
}

bool chance(double share, std::mt19937_64& random) {
  return static_cast<double>(random() % 1'000'000) < share * 1e6;
}

// A value of an enumeration that the conditions allow; `usual` where there is a choice, mostly.
template <class Enum>
Enum draw_word(ConditionsOfField conditions, std::span<const Enum> usual, std::mt19937_64& random) {
  std::vector<Enum> allowed, usual_allowed;
  const auto& words = Spellings<Enum>::values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!all_hold(conditions, words[i])) continue;
    const auto value = static_cast<Enum>(i);
    allowed.push_back(value);
    if (std::find(usual.begin(), usual.end(), value) != usual.end()) usual_allowed.push_back(value);
  }
  if (!usual_allowed.empty() && !chance(0.1, random)) return pick<Enum>(usual_allowed, random);
  return allowed.empty() ? usual.front() : pick<Enum>(allowed, random);
}

// Sizes that people use, with some that are not round.
constexpr std::array hidden_sizes = {64,   96,   100,  128,  200,  256,  300, 320, 400,
                                     500,  512,  600,  640,  650,  700,  768, 800, 896,
                                     1000, 1024, 1100, 1280, 1500, 1536, 2048};
constexpr std::array input_sizes = {40,  80,  100, 128, 161,  240, 256,
                                    300, 512, 620, 700, 1000, 1024};
constexpr std::array batch_sizes = {1,  4,  8,  16,  20,  24,  30,  32,  33,  40,  48, 60,
                                    64, 80, 96, 100, 128, 160, 192, 250, 256, 384, 512};
constexpr std::array seq_lengths = {8, 16, 20, 25, 32, 40, 50, 64, 100, 128};
constexpr std::array layer_counts = {1, 1, 1, 2, 2, 3, 4};

void add_near(std::vector<int>& values, std::int64_t threshold, bool step) {
  const auto add = [&](std::int64_t v) {
    if (v >= 1 && v <= 1'000'000) values.push_back(static_cast<int>(v));
  };
  if (step) {  // a multiple: the multiples themselves, and what is just beside them
    for (const int k : {1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 64, 100, 128}) {
      if (threshold * k > 2048) break;
      for (const int d : {-3, -1, 0, 0, 1, 2, 4}) add(threshold * k + d);
    }
    return;
  }
  for (const int d : {-8, -1, 0, 1, 8, 32}) add(threshold + d);
  add(threshold / 2);
  add(threshold * 3 / 4);
  add(threshold * 5 / 4);
  add(threshold * 2);
}

}  // namespace

FieldConditions field_conditions(std::span<const Condition* const> conditions) {
  FieldConditions by_field;
  for (const auto* condition : conditions) {
    if (condition->other_fact >= 0) continue;
    if (auto field = field_of(*condition); !field.empty()) by_field[field].push_back(condition);
  }
  return by_field;
}

ValuePools::ValuePools(std::span<const Condition* const> thresholds) {
  sizes_["hidden_size"].assign(hidden_sizes.begin(), hidden_sizes.end());
  sizes_["input_size"].assign(input_sizes.begin(), input_sizes.end());
  sizes_["batch_size"].assign(batch_sizes.begin(), batch_sizes.end());
  sizes_["seq_length"].assign(seq_lengths.begin(), seq_lengths.end());
  sizes_["num_layers"].assign(layer_counts.begin(), layer_counts.end());
  for (const auto* condition : thresholds) {
    const auto pool = sizes_.find(field_of(*condition));
    if (pool == sizes_.end() || condition->values.empty()) continue;
    const bool step =
        condition->op == Operator::multiple_of || condition->op == Operator::not_multiple_of;
    for (const auto& value : condition->values)
      if (const auto number = whole(value)) add_near(pool->second, *number, step);
  }
}

RnnConfig ValuePools::draw(const FieldConditions& conditions, std::mt19937_64& random) const {
  const auto size = [&](const std::string& field) {
    const std::vector<int>& all = sizes_.at(field);
    const ConditionsOfField wanted = conditions_of(conditions, field);
    if (wanted.empty()) return pick<int>(all, random);
    std::vector<int> allowed;
    for (const int value : all)
      if (all_hold(wanted, std::int64_t{value})) allowed.push_back(value);
    return allowed.empty() ? pick<int>(all, random) : pick<int>(allowed, random);
  };
  const auto word = [&]<class Enum>(const std::string& field, std::initializer_list<Enum> usual) {
    return draw_word<Enum>(conditions_of(conditions, field), std::span(usual.begin(), usual.size()),
                           random);
  };
  const auto flag = [&](const std::string& field, double share) {
    const auto found = conditions.find(field);
    if (found == conditions.end()) return chance(share, random);
    for (const auto* condition : found->second) {
      if (condition->values.empty()) continue;
      if (const auto* value = std::get_if<bool>(&condition->values.front()))
        return (condition->op == Operator::is) == *value;
    }
    return chance(share, random);
  };

  RnnConfig c;
  c.cell = word("cell", {Cell::lstm, Cell::lstm, Cell::gru, Cell::rnn_tanh, Cell::rnn_relu});
  c.data_type = word("data_type", {DataType::half, DataType::half, DataType::float32});
  c.math_precision = natural_math_precision(c.data_type);
  if (conditions.contains("math_precision"))
    c.math_precision = word("math_precision", {DataType::half, DataType::float32});
  c.math_type = c.data_type == DataType::half
                    ? word("math_type", {MathType::tensor_op})
                    : word("math_type", {MathType::default_math, MathType::fma,
                                         MathType::tensor_op_allow_conversion});
  c.algo = flag("persistent_algo", 0.5)
               ? word("algo", {Algo::persist_static, Algo::persist_static, Algo::persist_dynamic,
                               Algo::persist_static_small_h})
               : word("algo", {Algo::standard});
  c.direction = word("direction", {Direction::unidirectional, Direction::unidirectional,
                                   Direction::bidirectional});
  c.bias_mode = word("bias_mode", {BiasMode::double_bias});
  c.input_mode = word("input_mode", {InputMode::linear_input});
  c.mode = word("mode", {Mode::training, Mode::training, Mode::inference});
  c.num_layers = size("num_layers");
  c.hidden_size = size("hidden_size");
  c.proj_size = c.hidden_size;
  c.input_size =
      conditions.contains("input_size") || chance(0.4, random) ? size("input_size") : c.hidden_size;
  c.batch_size = size("batch_size");
  c.seq_length = size("seq_length");
  c.layout = word("layout", {Layout::seq_major_unpacked});
  c.padded_io = flag("padded_io", c.packed() ? 0.0 : 1.0);
  if (flag("has_projection", 0.03) && c.hidden_size >= 2)
    c.proj_size = std::max(1, c.hidden_size / 2);
  if (flag("varying_lengths", 0.05) && c.seq_length > 1) {
    for (int i = 0; i < c.batch_size; ++i)
      c.seq_lengths.push_back(1 + static_cast<int>(random() % static_cast<unsigned>(c.seq_length)));
    std::sort(c.seq_lengths.begin(), c.seq_lengths.end(), std::greater<>());
    c.seq_lengths.front() = c.seq_length;
    if (conditions.contains("zero_lengths") && c.batch_size > 1) c.seq_lengths.back() = 0;
    if (conditions.contains("lengths_descending"))
      std::reverse(c.seq_lengths.begin(), c.seq_lengths.end());
  }
  if (conditions.contains("dropout")) c.dropout = 0.25;
  return c;
}

}  // namespace rnnadvisor::advisor
