// .keras: a ZIP archive with metadata.json and config.json (keras/src/saving/saving_lib.py
// @040582fc160b1080954ddc1f554dd70fbbb1da5a). Layers are objects with class_name and config, at any
// depth: in Sequential, Functional, wrappers and models of one's own
// (keras/src/saving/serialization_lib.py @025887c748c7874e664f41b974607074e247e42f).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/saved_models/readers.h"
#include "advisor/saved_models/zip_entry.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

using KerasJson = nlohmann::json;

constexpr std::size_t largest_description = std::size_t{16} << 20U;
constexpr int deepest_layer = 64;

const KerasJson* json_member(const KerasJson* object, const char* key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(key);
  return found == object->end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(const KerasJson* value) {
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  // A function or a policy of types: {"class_name": "function", "config": "relu"}.
  if (const auto* config = json_member(value, "config")) {
    if (config->is_string()) return config->get<std::string>();
    if (const auto* name = json_member(config, "name"); name != nullptr && name->is_string())
      return name->get<std::string>();
  }
  if (const auto* name = json_member(value, "class_name"); name != nullptr && name->is_string())
    return name->get<std::string>();
  return {};
}

// What a layer has from those around it.
struct Around {
  std::string path;                  // "encoder/"
  const KerasJson* shape = nullptr;  // of the wrapper's input
  bool time_distributed = false;
};

// The first shape among the inputs of a call: {"class_name": "__keras_tensor__", "config":
// {"shape": …}}.
const KerasJson* called_shape(const KerasJson* value, int depth) {
  if (value == nullptr || depth > 8) return nullptr;
  if (text_of(json_member(value, "class_name")) == "__keras_tensor__")
    return json_member(json_member(value, "config"), "shape");
  if (!value->is_structured()) return nullptr;
  for (const auto& each : *value)
    if (const auto* shape = called_shape(&each, depth + 1)) return shape;
  return nullptr;
}

// Batch, time steps, features: keras/src/layers/layer.py, Layer.get_build_config().
const KerasJson* input_shape(const KerasJson* object) {
  const auto* build = json_member(object, "build_config");
  const auto* config = json_member(object, "config");
  for (const KerasJson* shape :
       {json_member(build, "input_shape"),
        json_member(json_member(build, "shapes_dict"), "sequences_shape"),
        called_shape(json_member(object, "inbound_nodes"), 0),
        json_member(config, "batch_input_shape"), json_member(config, "batch_shape")})
    if (shape != nullptr && shape->is_array() && shape->size() >= 3) return shape;
  return nullptr;
}

class KerasReader {
 public:
  explicit KerasReader(SavedModel& model) : model_(model) {}

  bool keras2 = false;
  std::string version;
  bool too_many = false, too_deep = false, masks = false;
  std::optional<bool> jit_compile;
  std::map<std::string, int> classes;

  void walk(const KerasJson& value, const Around& around, int depth) {
    if (too_many || !value.is_structured()) return;
    if (depth > deepest_layer) {
      too_deep = true;
      return;
    }
    const auto* config = json_member(&value, "config");
    const std::string kind = text_of(json_member(&value, "class_name"));
    if (kind.empty() || config == nullptr || !config->is_object()) {
      for (const auto& each : value) walk(each, around, depth + 1);
      return;
    }
    if (kind == "__keras_tensor__") return;
    ++classes[kind];
    const auto* masked = json_member(config, "mask_zero");
    masks = masks || kind == "Masking" || (masked != nullptr && *masked == true);
    const std::string name = text_of(json_member(config, "name"));
    const auto* shape = input_shape(&value);
    if (recurrent(kind) && kind != "RNN") {
      add(kind, *config, around.path + name, shape != nullptr ? shape : around.shape, around);
      return;
    }
    if (kind == "RNN") {
      add_cells(*config, around.path + name, shape != nullptr ? shape : around.shape, around);
      return;
    }
    Around inside = around;
    if (!name.empty() && depth > 0) inside.path += name + "/";
    const bool wrapper = kind == "Bidirectional" || kind == "TimeDistributed";
    inside.shape = !wrapper ? nullptr : shape != nullptr ? shape : around.shape;
    inside.time_distributed = around.time_distributed || kind == "TimeDistributed";
    if (kind == "TimeDistributed") inside.shape = nullptr;
    for (const auto& each : *config) walk(each, inside, depth + 1);
    // Keras 2 writes the backward layer only where it is not a copy of the other one. Layers that
    // are no recurrent ones themselves would double at every level.
    const auto* layer = json_member(config, "layer");
    if (kind == "Bidirectional" && json_member(config, "backward_layer") == nullptr &&
        recurrent(text_of(json_member(layer, "class_name")))) {
      inside.path += "backward of ";
      walk(*layer, inside, depth + 1);
    }
  }

 private:
  static bool recurrent(std::string_view kind) {
    return kind == "LSTM" || kind == "GRU" || kind == "SimpleRNN" || kind == "RNN";
  }

  // One cell or a stack of them, which Keras runs in a loop of its own.
  void add_cells(const KerasJson& config, const std::string& name, const KerasJson* shape,
                 const Around& around) {
    const auto* cell = json_member(&config, "cell");
    const std::string kind = text_of(json_member(cell, "class_name"));
    const auto* inner = json_member(cell, "config");
    const std::string plain = kind.ends_with("Cell") ? kind.substr(0, kind.size() - 4) : "";
    if (inner == nullptr || (plain != "LSTM" && plain != "GRU" && plain != "SimpleRNN")) {
      model_.remarks.push_back(
          fmt::format("'{}' is RNN({}), which Keras runs step by step, without cuDNN's RNN layers",
                      printable(name), printable(kind)));
      return;
    }
    if (!add(plain, *inner, name, shape, around)) return;
    SavedLayer& layer = model_.layers.back();
    layer.input.program.custom_cell = true;
    layer.remarks.push_back(fmt::format(
        "it is RNN({}), which Keras runs step by step: {} can call cuDNN", kind, plain));
  }

  bool add(const std::string& kind, const KerasJson& config, const std::string& name,
           const KerasJson* shape, const Around& around) {
    too_many = too_many || model_.layers.size() >= most_layers;
    if (too_many) return false;
    SavedLayer& layer = model_.layers.emplace_back();
    auto& program = layer.input.program;
    program.name = keras2 ? Framework::keras2 : Framework::keras3;
    if (!version.empty()) program.version = version;
    program.jit_compile = jit_compile;
    set_layer_field(layer, "id", name);
    const auto field = [&](const char* key, std::string_view target) {
      const auto* value = json_member(&config, key);
      if (value == nullptr) return;
      if (value->is_boolean())
        set_layer_field(layer, target, value->get<bool>() ? "true" : "false");
      if (value->is_number()) set_layer_field(layer, target, value->dump());
      if (const auto text = text_of(value); !text.empty()) set_layer_field(layer, target, text);
    };
    const bool relu = kind == "SimpleRNN" && text_of(json_member(&config, "activation")) == "relu";
    set_layer_field(layer, "cell",
                    kind == "LSTM"  ? "lstm"
                    : kind == "GRU" ? "gru"
                    : relu          ? "rnn_relu"
                                    : "rnn_tanh");
    if (const auto* units = json_member(&config, "units"); units != nullptr && units->is_number())
      field("units", "hidden_size");
    else
      leave_open(layer, "hidden_size");
    set_layer_size(layer, "num_layers", 1);
    set_layer_field(layer, "direction", "unidirectional");
    field("dropout", "dropout");
    field("activation", "framework.activation");
    // None is "linear": keras/src/activations/__init__.py, get().
    if (config.contains("activation") && json_member(&config, "activation") == nullptr)
      program.activation = "linear";
    if (kind != "SimpleRNN") field("recurrent_activation", "framework.recurrent_activation");
    field("recurrent_dropout", "framework.recurrent_dropout");
    field("unroll", "framework.unroll");
    field("use_bias", "framework.use_bias");
    if (program.use_bias == false) set_layer_field(layer, "bias_mode", "no_bias");
    if (kind == "GRU") field("reset_after", "framework.reset_after");
    // Keras 3.15 does not save it; what a program sets must be given.
    if (!keras2) field("use_cudnn", "framework.use_cudnn");
    set_type(layer, text_of(json_member(&config, "dtype")));
    set_shape(layer, shape);
    if (around.time_distributed)
      layer.remarks.push_back(
          "it is inside TimeDistributed, which calls it with other batches "
          "or several times a step");
    return true;
  }

  static void set_type(SavedLayer& layer, std::string name) {
    // Policies compute in the type behind "mixed_".
    if (name.starts_with("mixed_")) name.erase(0, 6);
    if (name.empty()) return leave_open(layer, "data_type");
    set_layer_field(layer, "data_type",
                    name == "float32"   ? "float"
                    : name == "float16" ? "half"
                    : name == "float64" ? "double"
                                        : name);
  }

  static void set_shape(SavedLayer& layer, const KerasJson* shape) {
    constexpr std::string_view keys[] = {"batch_size", "seq_length", "input_size"};
    for (std::size_t i = 0; i < 3; ++i) {
      const KerasJson* size = shape == nullptr ? nullptr : &(*shape)[i];
      if (size != nullptr && size->is_number_integer())
        set_layer_size(layer, keys[i], size->get<std::int64_t>());
      else
        leave_open(layer, keys[i]);
    }
  }

  SavedModel& model_;
};

}  // namespace

Result<SavedModel> read_keras(FileBytes& file) {
  const auto text = read_zip_entry(file, "config.json", largest_description);
  if (!text) return fail(text.error());
  // What lies deeper than any model is not kept.
  const auto description = KerasJson::parse(
      *text, [](int depth, auto, auto&) { return depth <= 2 * deepest_layer; }, false);
  if (!description.is_object())
    return fail(ErrorCode::damaged, "its config.json is no JSON object", "save the model again");
  SavedModel model;
  model.format = "Keras";
  KerasReader reader(model);
  if (const auto metadata = read_zip_entry(file, "metadata.json", largest_description)) {
    const auto json = KerasJson::parse(*metadata, nullptr, false);
    reader.version = printable(text_of(json_member(&json, "keras_version")));
    reader.keras2 = reader.version.starts_with("2.");
    if (!reader.version.empty()) model.producer = "Keras " + reader.version;
  }
  const auto* jit = json_member(json_member(&description, "compile_config"), "jit_compile");
  if (jit != nullptr && jit->is_boolean()) reader.jit_compile = jit->get<bool>();
  reader.walk(description, {}, 0);
  if (reader.too_many)
    return fail(ErrorCode::unsupported, "it has more than 10000 recurrent layers", "");
  if (reader.too_deep)
    model.remarks.push_back(
        fmt::format("what is nested deeper than {} levels was not looked at", deepest_layer));
  if (!model.layers.empty()) {
    // keras/src/layers/rnn/bidirectional.py @0036744c2cd4d12156b5cfabd2e5a84c53644680, call().
    if (reader.classes.contains("Bidirectional"))
      model.remarks.push_back(
          "Bidirectional calls two layers of one direction: each is judged by itself");
    if (reader.masks)
      model.remarks.push_back("a mask may reach the layers: --framework.mask says which");
    if (!reader.keras2)
      model.remarks.push_back(
          "the file does not name the backend: TensorFlow, unless "
          "--framework.backend says torch or jax");
  }
  model.holds = most_frequent(reader.classes);
  return model;
}

}  // namespace rnnadvisor::advisor
