// Recurrent nodes of an ONNX file, as ONNX Runtime's CUDA execution provider runs them: LSTM, GRU
// and RNN of docs/Operators.md in github.com/onnx/onnx; W is [directions, gates * hidden, input].
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/saved_models/onnx_graph.h"
#include "advisor/saved_models/readers.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

constexpr int deepest_graph = 32;

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// TensorProto.DataType
std::string_view onnx_data_type(int type) {
  switch (type) {
    case 1:
      return "float";
    case 10:
      return "half";
    case 11:
      return "double";
    case 16:
      return "bfloat16";
    default:
      return {};
  }
}

class OnnxReader {
 public:
  OnnxReader(FileBytes& file, SavedModel& model) : file_(file), model_(model) {}

  std::map<std::string, int> operators;
  bool whole = true, too_many = false, too_deep = false;

  void graph(const WireField& field, bool function, const std::string& path,
             const std::string& repeated_by, const onnx::Scope* around, int depth) {
    if (depth > deepest_graph) {
      too_deep = true;
      return;
    }
    onnx::Scope scope;
    scope.around = around;
    for (const auto& each : onnx::read_scope(file_, field, function, scope, whole)) {
      if (too_many) return;
      const auto node = onnx::read_node(file_, each);
      if (operators.size() < 10'000) ++operators[node.op];
      if (node.standard() && (node.op == "LSTM" || node.op == "GRU" || node.op == "RNN")) {
        too_many = model_.layers.size() >= most_layers;
        if (!too_many) recurrent(node, path, repeated_by, scope);
        continue;
      }
      if (!node.standard() &&
          (node.op.find("LSTM") != std::string::npos || node.op.find("GRU") != std::string::npos) &&
          model_.remarks.size() < 100)
        model_.remarks.push_back(fmt::format("'{}' is {} of {}, which is not judged",
                                             printable(path + node.name), printable(node.op),
                                             printable(node.domain)));
      onnx::pass_on_sizes(file_, node, scope);
      const std::string repeats = node.op == "Loop" || node.op == "Scan" ? node.op : repeated_by;
      for (const auto& part : node.attributes) {
        const auto attribute = onnx::read_attribute(file_, part);
        for (const auto& inner : attribute.graphs)
          graph(inner, false,
                fmt::format("{}{}/{}/", path, node.name.empty() ? node.op : node.name,
                            attribute.name),
                repeats, &scope, depth + 1);
      }
    }
  }

  void function(const WireField& field) {
    std::string name;
    WireReader reader(file_, field);
    for (WireField part; reader.next(part);)
      if (part.number == 1) name = wire_text(file_, part);
    graph(field, true, fmt::format("function {}/", name), {}, nullptr, 0);
  }

 private:
  using Attributes = std::map<std::string, onnx::Attribute, std::less<>>;

  static std::optional<std::int64_t> number(const Attributes& attributes, std::string_view name) {
    const auto found = attributes.find(name);
    if (found == attributes.end() || found->second.refers) return std::nullopt;
    return found->second.number;
  }

  void recurrent(const onnx::Node& node, const std::string& path, const std::string& repeated_by,
                 const onnx::Scope& scope) {
    Attributes attributes;
    for (const auto& part : node.attributes) {
      auto attribute = onnx::read_attribute(file_, part);
      attributes.insert_or_assign(attribute.name, std::move(attribute));
    }
    SavedLayer& layer = model_.layers.emplace_back();
    layer.input.program.name = Framework::onnxruntime;
    const std::string& own = !node.name.empty() ? node.name : node.output;
    set_layer_field(layer, "id", path + (own.empty() ? node.op : own));
    set_layer_field(layer, "cell",
                    node.op == "LSTM"  ? "lstm"
                    : node.op == "GRU" ? "gru"
                                       : "rnn_tanh");
    // It computes no gradients: cudnn_rnn_base.cc calls the forward function for inference alone.
    set_layer_field(layer, "mode", "inference");
    const auto* x = scope.find(node.input(0));
    const auto* w = scope.find(node.input(1));
    const auto* r = scope.find(node.input(2));
    if (w != nullptr && w->shape.size() != 3) w = nullptr;
    if (r != nullptr && r->shape.size() != 3) r = nullptr;
    set_sizes(layer, attributes, x, w, r);
    set_layer_size(layer, "num_layers", 1);
    set_direction(layer, attributes, w);
    set_activations(layer, attributes, node);
    set_layer_field(layer, "bias_mode", node.input(3).empty() ? "no_bias" : "double_bias");
    const int type = w != nullptr && w->type != 0 ? w->type : x != nullptr ? x->type : 0;
    if (const auto key = onnx_data_type(type); !key.empty())
      set_layer_field(layer, "data_type", key);
    else
      leave_open(layer, "data_type");

    // onnxruntime/core/providers/cuda/cuda_execution_provider.cc, RNNNeedFallbackToCPU().
    auto& program = layer.input.program;
    program.clip_attribute = attributes.contains("clip") ||
                             attributes.contains("activation_alpha") ||
                             attributes.contains("activation_beta");
    if (node.op == "LSTM") {
      program.input_forget = number(attributes, "input_forget").value_or(0) != 0;
      program.peephole = !node.input(7).empty();
    }
    if (node.op == "GRU" &&
        (!attributes.contains("linear_before_reset") || number(attributes, "linear_before_reset")))
      program.linear_before_reset = number(attributes, "linear_before_reset").value_or(0) == 1;
    if (!node.input(4).empty())
      layer.remarks.emplace_back(
          "its input sequence_lens gives each sequence a length; --seq-lengths says which");
    if (!repeated_by.empty())
      layer.remarks.push_back(
          fmt::format("it is inside {}, which calls it once for each iteration", repeated_by));
  }

  static void set_sizes(SavedLayer& layer, const Attributes& attributes, const onnx::Tensor* x,
                        const onnx::Tensor* w, const onnx::Tensor* r) {
    const bool batch_major = number(attributes, "layout").value_or(0) == 1;
    if (batch_major) set_layer_field(layer, "layout", "batch_major_unpacked");
    const auto dimension = [](const onnx::Tensor* tensor, std::size_t i) {
      return tensor != nullptr && i < tensor->shape.size() ? tensor->shape[i] : onnx::Dimension{};
    };
    const auto size = [&](std::string_view key, onnx::Dimension known) {
      if (known.size > 0)
        set_layer_size(layer, key, known.size);
      else
        leave_open(layer, key, std::move(known.symbol));
    };
    size("seq_length", dimension(x, batch_major ? 1 : 0));
    size("batch_size", dimension(x, batch_major ? 0 : 1));
    size("input_size", dimension(w, 2).size > 0 ? dimension(w, 2) : dimension(x, 2));
    const auto hidden = number(attributes, "hidden_size");
    size("hidden_size", hidden ? onnx::Dimension{*hidden, {}} : dimension(r, 2));
    if (!attributes.contains("hidden_size"))
      // onnxruntime/core/providers/cuda/rnn/cudnn_rnn_base.h, CudnnRnnBase().
      layer.remarks.emplace_back(
          "it has no attribute hidden_size, without which ONNX Runtime stops with an error");
    const auto rows = dimension(w, 1).size;
    if (rows > 0 && is_given(layer.input, "hidden_size") &&
        rows != std::int64_t{layer.input.config.gates()} * layer.input.config.hidden_size)
      layer.remarks.push_back(
          fmt::format("its weights have {} rows, which does not fit its hidden_size", rows));
  }

  static void set_direction(SavedLayer& layer, const Attributes& attributes,
                            const onnx::Tensor* w) {
    const auto found = attributes.find("direction");
    const bool both = found != attributes.end() && !found->second.refers
                          ? found->second.text == "bidirectional"
                          : w != nullptr && w->shape[0].size == 2;
    set_layer_field(layer, "direction", both ? "bidirectional" : "unidirectional");
  }

  static void set_activations(SavedLayer& layer, const Attributes& attributes,
                              const onnx::Node& node) {
    auto& program = layer.input.program;
    program.default_activations = true;
    const auto found = attributes.find("activations");
    if (found == attributes.end()) return;
    if (found->second.refers) {
      program.default_activations.reset();
      return;
    }
    const std::vector<std::string> defaults =
        node.op == "LSTM"  ? std::vector<std::string>{"sigmoid", "tanh", "tanh"}
        : node.op == "GRU" ? std::vector<std::string>{"sigmoid", "tanh"}
                           : std::vector<std::string>{"tanh"};
    const auto& given = found->second.texts;
    bool relu = node.op == "RNN" && !given.empty();
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto name = lower_case(given[i]);
      program.default_activations =
          *program.default_activations && name == defaults[i % defaults.size()];
      relu = relu && name == "relu";
    }
    if (relu) set_layer_field(layer, "cell", "rnn_relu");
    if (!*program.default_activations && !relu)
      layer.remarks.push_back(
          printable(fmt::format("its activations are {}", fmt::join(given, ", "))));
  }

  FileBytes& file_;
  SavedModel& model_;
};

}  // namespace

Result<SavedModel> read_onnx(FileBytes& file) {
  SavedModel model;
  model.format = "ONNX";
  OnnxReader reader(file, model);
  // ModelProto
  std::string version;
  bool has_graph = false;
  WireReader fields(file, 0, file.size());
  for (WireField field; fields.next(field) && reader.whole;) {
    if (field.number == 2) model.producer = printable(wire_text(file, field));
    if (field.number == 3) version = printable(wire_text(file, field));
    if (field.type != WireType::bytes) continue;
    if (field.number == 7) reader.graph(field, false, {}, {}, nullptr, 0);
    if (field.number == 25) reader.function(field);
    has_graph = has_graph || field.number == 7;
  }
  if (!has_graph || fields.damaged() || !reader.whole)
    return fail(
        ErrorCode::damaged,
        fmt::format("it is no whole ONNX model: it ends or breaks off at byte {}", fields.at()),
        "check it with onnx.checker.check_model(), or copy it again");
  if (reader.too_many)
    return fail(ErrorCode::unsupported, "it has more than 10000 recurrent layers", "");
  if (reader.too_deep)
    model.remarks.push_back(
        fmt::format("graphs nested deeper than {} were not looked at", deepest_graph));
  if (!model.producer.empty() && !version.empty()) model.producer += " " + version;
  model.holds = most_frequent(reader.operators);
  return model;
}

}  // namespace rnnadvisor::advisor
