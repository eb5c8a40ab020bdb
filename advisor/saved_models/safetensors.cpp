// safetensors: 8 bytes with the length of a JSON header, the header, the tensors. Layers are found
// by the names that PyTorch gives to the parameters of nn.RNN, nn.LSTM and nn.GRU
// (torch/nn/modules/rnn.py, RNNBase.__init__()).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "advisor/saved_models/readers.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

// The format's own limit: safetensors/src/tensor.rs, MAX_HEADER_SIZE.
constexpr std::uint64_t largest_header = 100'000'000;
constexpr int most_stacked = 1000;

using Rows = std::pair<std::int64_t, std::int64_t>;  // rows, columns; 0 columns: a vector

struct TorchParameter {
  std::string_view layer, kind;  // "encoder.lstm", "weight_ih"
  int level = 0;
  bool reverse = false;
};

// "encoder.lstm.weight_ih_l0_reverse"
std::optional<TorchParameter> parse_parameter(std::string_view name) {
  TorchParameter found;
  const auto dot = name.rfind('.');
  if (dot != std::string_view::npos) found.layer = name.substr(0, dot);
  auto rest = dot == std::string_view::npos ? name : name.substr(dot + 1);
  constexpr std::string_view reversed = "_reverse";
  found.reverse = rest.ends_with(reversed);
  if (found.reverse) rest.remove_suffix(reversed.size());
  for (const std::string_view kind :
       {"weight_ih", "weight_hh", "weight_hr", "bias_ih", "bias_hh"}) {
    if (!rest.starts_with(kind) || !rest.substr(kind.size()).starts_with("_l")) continue;
    const auto digits = rest.substr(kind.size() + 2);
    if (digits.empty() || digits.size() > 4 ||
        !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return std::nullopt;
    found.kind = kind;
    found.level = std::stoi(std::string(digits));
    return found.level < most_stacked ? std::optional(found) : std::nullopt;
  }
  return std::nullopt;
}

struct FoundTensors {
  std::map<std::string, Rows, std::less<>> shapes;  // "weight_ih0", "weight_ih0r"
  std::string type;
  int levels = 0;
  bool reverse = false, mixed = false;

  std::optional<Rows> shape(std::string_view kind, int level = 0, bool reversed = false) const {
    const auto at = shapes.find(fmt::format("{}{}{}", kind, level, reversed ? "r" : ""));
    return at == shapes.end() ? std::nullopt : std::optional(at->second);
  }
};

std::optional<Rows> rows_of(const nlohmann::json& tensor) {
  const auto shape = tensor.find("shape");
  if (shape == tensor.end() || !shape->is_array() || shape->empty() || shape->size() > 2)
    return std::nullopt;
  Rows rows = {0, 0};
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const auto& size = (*shape)[i];
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > 0x7fffffffU) return std::nullopt;
    (i == 0 ? rows.first : rows.second) = size.get<std::int64_t>();
  }
  return rows;
}

// What does not fit the shapes that RNNBase gives its parameters; empty: everything fits.
std::string misfit(const FoundTensors& found, std::int64_t gates, std::int64_t hidden,
                   std::int64_t state) {
  const std::int64_t directions = found.reverse ? 2 : 1;
  for (int level = 0; level < found.levels; ++level) {
    for (const bool reversed : {false, true}) {
      if (reversed && !found.reverse) continue;
      const auto input = found.shape("weight_ih", level, reversed);
      const auto recurrent = found.shape("weight_hh", level, reversed);
      const auto name = fmt::format("l{}{}", level, reversed ? "_reverse" : "");
      if (!input || !recurrent) return fmt::format("weight_ih or weight_hh of {} is missing", name);
      const auto width = level == 0 ? found.shape("weight_ih")->second : state * directions;
      if (*input != Rows{gates * hidden, width} || *recurrent != Rows{gates * hidden, state})
        return fmt::format("the weights of {} have other sizes than those before them", name);
    }
  }
  return {};
}

std::string_view data_type_of(std::string_view type) {
  constexpr std::pair<std::string_view, std::string_view> types[] = {
      {"F32", "float"}, {"F64", "double"}, {"F16", "half"}, {"BF16", "bfloat16"}};
  for (const auto& [name, key] : types)
    if (name == type) return key;
  return {};
}

// Says why not.
tl::expected<SavedLayer, std::string> to_layer(const std::string& name, const FoundTensors& found) {
  const auto input = found.shape("weight_ih");
  const auto recurrent = found.shape("weight_hh");
  const auto projected = found.shape("weight_hr");
  if (!input || !recurrent)
    return tl::unexpected(std::string("weight_ih_l0 or weight_hh_l0 is missing"));
  const std::int64_t hidden = projected ? projected->second : recurrent->second;
  const std::int64_t state = projected ? projected->first : recurrent->second;
  const std::int64_t gates =
      hidden > 0 && recurrent->first % hidden == 0 ? recurrent->first / hidden : 0;
  if (gates != 1 && gates != 3 && gates != 4)
    return tl::unexpected(fmt::format("weight_hh_l0 has {} rows for {} units, not 1, 3 or 4 times",
                                      recurrent->first, hidden));
  if (auto why = misfit(found, gates, hidden, state); !why.empty())
    return tl::unexpected(std::move(why));
  SavedLayer layer;
  layer.input.program.name = Framework::pytorch;
  set_layer_field(layer, "id", name);
  set_layer_field(layer, "cell", gates == 4 ? "lstm" : gates == 3 ? "gru" : "rnn_tanh");
  if (gates == 1) {
    forget_given(layer.input, "cell");
    leave_open(layer, "cell");
  }
  set_layer_size(layer, "input_size", input->second);
  set_layer_size(layer, "hidden_size", hidden);
  if (projected && state != hidden) set_layer_size(layer, "proj_size", state);
  set_layer_size(layer, "num_layers", found.levels);
  // PyTorch asks for biases in any case (framework_call()): the file's are no choice.
  set_layer_field(layer, "direction", found.reverse ? "bidirectional" : "unidirectional");
  const auto type = data_type_of(found.type);
  if (type.empty() || found.mixed) {
    leave_open(layer, "data_type");
    layer.remarks.push_back(
        found.mixed ? std::string("its weights have several types")
                    : fmt::format("its weights are {}, which is no type of cuDNN's RNN layers",
                                  printable(found.type)));
  } else {
    set_layer_field(layer, "data_type", type);
  }
  leave_open(layer, "batch_size");
  leave_open(layer, "seq_length");
  return layer;
}

}  // namespace

Result<SavedModel> read_safetensors(FileBytes& file) {
  const auto damaged = [](std::string what) {
    return fail(ErrorCode::damaged, std::move(what), "save the file again, or copy it again");
  };
  const auto length = file.number(0, 8);
  if (file.size() < 8 || length > file.size() - 8)
    return damaged("it is no safetensors file: its header is longer than the file");
  if (length > largest_header)
    return damaged("its header is larger than 100 MB, which the format forbids");
  const std::string text = file.read(8, 8 + length);
  // Tensors are two levels deep; what lies deeper is passed over.
  const auto header =
      nlohmann::json::parse(text, [](int depth, auto, auto&) { return depth <= 4; }, false);
  if (!header.is_object()) return damaged("its header is no JSON object");

  SavedModel model;
  model.format = "safetensors";
  std::map<std::string, FoundTensors> layers;
  std::map<std::string, int> others;
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__" || !tensor.is_object()) continue;
    const auto parameter = parse_parameter(name);
    const auto rows = rows_of(tensor);
    if (!parameter || !rows) {
      ++others[name];
      if (name.ends_with("weight_ih"))
        model.remarks.push_back(
            fmt::format("'{}' is of a cell, nn.LSTMCell, nn.GRUCell or "
                        "nn.RNNCell, which does not call cuDNN's RNN layers",
                        printable(name)));
      continue;
    }
    if (layers.size() >= most_layers)
      return fail(ErrorCode::unsupported, "it has more than 10000 recurrent layers", "");
    FoundTensors& found = layers[std::string(parameter->layer)];
    found.shapes[fmt::format("{}{}{}", parameter->kind, parameter->level,
                             parameter->reverse ? "r" : "")] = *rows;
    found.levels = std::max(found.levels, parameter->level + 1);
    found.reverse = found.reverse || parameter->reverse;
    const auto type = tensor.find("dtype");
    if (type != tensor.end() && type->is_string()) {
      const auto& word = type->template get_ref<const std::string&>();
      found.mixed = found.mixed || (!found.type.empty() && found.type != word);
      found.type = word;
    }
  }
  for (const auto& [name, found] : layers) {
    if (auto layer = to_layer(name, found); layer)
      model.layers.push_back(std::move(*layer));
    else
      model.remarks.push_back(
          fmt::format("'{}' is passed over: {}", printable(name), layer.error()));
  }
  model.holds.push_back(plural(static_cast<long long>(others.size()), "other tensor"));
  for (const auto& [name, count] : others) {
    if (model.holds.size() > 8) break;
    model.holds.push_back(printable(name));
  }
  return model;
}

}  // namespace rnnadvisor::advisor
