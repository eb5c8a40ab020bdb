// tests/data/saved_models has files of onnx and PyTorch, and one in Keras's format
// (make_models.py); drawn layers and damaged files are written in memory.
#include "advisor/saved_models/saved_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "advisor/saved_models/readers.h"
#include "core/config/fields.h"
#include "tests/advisor/saved_models/writers.h"
#include "tests/effort.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::filesystem::path models = RNNADVISOR_SOURCE_DIR "/tests/data/saved_models";

SavedModel read(const std::string& name) {
  auto model = read_saved_model((models / name).string());
  EXPECT_TRUE(model) << to_text(model.error());
  return model ? std::move(*model) : SavedModel{};
}

std::vector<std::string> ids(const SavedModel& model) {
  std::vector<std::string> names;
  for (const auto& layer : model.layers) names.push_back(layer.input.config.id);
  return names;
}

std::vector<std::string> open_keys(const SavedLayer& layer) {
  std::vector<std::string> keys;
  for (const auto& field : layer.open) keys.push_back(field.key);
  return keys;
}

RnnConfig resolved(const SavedLayer& layer) {
  ConfigInput input = layer.input;
  resolve_defaults(input);
  return input.config;
}

TEST(Onnx, ABidirectionalLayerWhoseWeightsAreElsewhere) {
  const auto model = read("lstm_external.onnx");
  EXPECT_EQ(model.producer, "make_models 1");
  ASSERT_THAT(ids(model), ElementsAre("encoder"));
  const auto config = resolved(model.layers[0]);
  EXPECT_EQ(config.cell, Cell::lstm);
  EXPECT_EQ(config.direction, Direction::bidirectional);
  EXPECT_EQ(config.input_size, 24);
  EXPECT_EQ(config.hidden_size, 8);
  EXPECT_EQ(config.seq_length, 20);
  EXPECT_EQ(config.batch_size, 4);
  EXPECT_EQ(config.bias_mode, BiasMode::double_bias);
  EXPECT_EQ(config.mode, Mode::inference);
  EXPECT_THAT(model.layers[0].open, IsEmpty());
  const auto& program = model.layers[0].input.program;
  EXPECT_EQ(program.name, Framework::onnxruntime);
  EXPECT_EQ(program.default_activations, true);
  EXPECT_EQ(program.clip_attribute, false);
  EXPECT_EQ(program.peephole, false);
  EXPECT_EQ(program.input_forget, false);
}

TEST(Onnx, SymbolsAreOpenAndAreNamed) {
  const auto model = read("gru_reset_before.onnx");
  ASSERT_THAT(ids(model), ElementsAre("gru"));
  const auto& layer = model.layers[0];
  EXPECT_THAT(layer.open,
              UnorderedElementsAre(OpenField{"batch_size", "N"}, OpenField{"seq_length", "T"}));
  EXPECT_EQ(layer.input.config.bias_mode, BiasMode::no_bias);
  EXPECT_EQ(layer.input.config.direction, Direction::unidirectional);
  EXPECT_EQ(layer.input.program.linear_before_reset, false);
}

TEST(Onnx, BatchFirstIsALayoutOfItsOwn) {
  const auto config = resolved(read("lstm_layout.onnx").layers.at(0));
  EXPECT_EQ(config.layout, Layout::batch_major_unpacked);
  EXPECT_EQ(config.seq_length, 50);
  EXPECT_EQ(config.input_size, 10);
}

TEST(Onnx, ActivationsAndClip) {
  const auto model = read("rnn_activations.onnx");
  ASSERT_THAT(ids(model), ElementsAre("mixed", "relu", "clipped"));
  EXPECT_EQ(model.layers[0].input.program.default_activations, false);
  EXPECT_EQ(model.layers[0].input.config.cell, Cell::rnn_tanh);
  EXPECT_THAT(model.layers[0].remarks, Contains(HasSubstr("Tanh, Relu")));
  EXPECT_EQ(model.layers[1].input.config.cell, Cell::rnn_relu);
  EXPECT_EQ(model.layers[2].input.program.clip_attribute, true);
  EXPECT_EQ(model.layers[2].input.program.input_forget, true);
}

TEST(Onnx, LayersInsideOtherGraphsAndFunctions) {
  const auto model = read("nested.onnx");
  ASSERT_THAT(ids(model),
              UnorderedElementsAre("choose/then_branch/lstm_then", "choose/else_branch/gru_else",
                                   "repeat/body/lstm_loop", "function Wrapped/gru_inside"));
  for (const auto& layer : model.layers) {
    EXPECT_EQ(layer.input.config.hidden_size, 8);
    const bool inside = layer.input.config.id.starts_with("function");
    if (inside) {
      EXPECT_THAT(open_keys(layer),
                  UnorderedElementsAre("seq_length", "batch_size", "input_size", "data_type"));
    } else {
      EXPECT_THAT(layer.open, IsEmpty()) << layer.input.config.id;
      EXPECT_EQ(layer.input.config.input_size, 6);
      EXPECT_EQ(layer.input.config.seq_length, 5);
    }
    if (layer.input.config.cell == Cell::gru) {
      EXPECT_EQ(layer.input.program.linear_before_reset, true);
    }
    EXPECT_EQ(layer.remarks.empty(), !layer.input.config.id.starts_with("repeat"));
  }
}

// PyTorch's exporter writes a node for each layer, behind a Transpose of batch_first.
TEST(Onnx, APyTorchExport) {
  const auto model = read("torch_lstm.onnx");
  EXPECT_THAT(model.producer, HasSubstr("pytorch 1.13"));
  ASSERT_EQ(model.layers.size(), 2U);
  EXPECT_EQ(model.layers[0].input.config.input_size, 6);
  EXPECT_EQ(model.layers[1].input.config.input_size, 16);
  EXPECT_THAT(model.layers[0].open, UnorderedElementsAre(OpenField{"batch_size", "batch"},
                                                         OpenField{"seq_length", "time"}));
  for (const auto& layer : model.layers)
    EXPECT_EQ(layer.input.config.direction, Direction::bidirectional);
}

TEST(Safetensors, AStateDictOfPyTorch) {
  const auto model = read("torch_projection.safetensors");
  ASSERT_THAT(ids(model), ElementsAre("decoder", "encoder", "middle"));
  const auto encoder = resolved(model.layers[1]);
  EXPECT_EQ(encoder.cell, Cell::lstm);
  EXPECT_EQ(encoder.num_layers, 2);
  EXPECT_EQ(encoder.direction, Direction::bidirectional);
  EXPECT_EQ(encoder.input_size, 6);
  EXPECT_EQ(encoder.hidden_size, 16);
  EXPECT_EQ(encoder.proj_size, 4);
  EXPECT_EQ(encoder.data_type, DataType::float32);
  EXPECT_THAT(open_keys(model.layers[1]), ElementsAre("batch_size", "seq_length"));
  const auto middle = resolved(model.layers[2]);
  EXPECT_EQ(middle.cell, Cell::gru);
  EXPECT_EQ(middle.bias_mode, BiasMode::double_bias) << "PyTorch has them of zeros";
  EXPECT_EQ(middle.data_type, DataType::half);
  EXPECT_FALSE(middle.has_projection());
  // Weights do not say which activation an RNN has.
  const auto decoder = resolved(model.layers[0]);
  EXPECT_EQ(decoder.data_type, DataType::float64);
  EXPECT_THAT(open_keys(model.layers[0]), ElementsAre("cell", "batch_size", "seq_length"));
  EXPECT_THAT(model.remarks, Contains(HasSubstr("step.weight_ih")));
}

TEST(Safetensors, WithoutRecurrentWeightsSaysWhatItHolds) {
  const auto model = read("no_recurrence.safetensors");
  EXPECT_THAT(model.layers, IsEmpty());
  EXPECT_THAT(model.holds, ElementsAre("2 other tensors", "bias", "weight"));
}

TEST(Safetensors, WeightsThatDoNotFitAreNoLayer) {
  const auto tensor = [](int rows, int columns) {
    return nlohmann::json{{"dtype", "F32"}, {"shape", {rows, columns}}};
  };
  FileBytes odd(safetensors({{"a.weight_ih_l0", tensor(10, 3)},
                             {"a.weight_hh_l0", tensor(10, 5)},
                             {"b.weight_ih_l1", tensor(8, 3)},
                             {"b.weight_hh_l1", tensor(8, 2)},
                             {"c.weight_ih_l0", tensor(8, 3)},
                             {"c.weight_hh_l0", tensor(8, 2)},
                             {"c.weight_ih_l1", tensor(8, 3)},
                             {"c.weight_hh_l1", tensor(8, 2)},
                             {"d.weight_ih_l0", tensor(0, 0)},
                             {"d.weight_hh_l0", tensor(0, 0)}}));
  const auto model = read_safetensors(odd);
  ASSERT_TRUE(model);
  EXPECT_THAT(model->layers, IsEmpty());
  EXPECT_EQ(model->remarks.size(), 4U);
}

TEST(Keras, LayersOfNestedModels) {
  for (const char* file : {"bidirectional.keras", "bidirectional_deflated.keras"}) {
    const auto model = read(file);
    EXPECT_EQ(model.producer, "Keras 3.15.0");
    ASSERT_THAT(ids(model),
                UnorderedElementsAre("bidirectional/forward_lstm", "bidirectional/backward_lstm",
                                     "gru", "head/dropped", "head/simple", "head/loop"));
    std::map<std::string, SavedLayer> layers;
    for (const auto& layer : model.layers) {
      layers[layer.input.config.id] = layer;
      const bool loop = layer.input.config.id == "head/loop";  // its cell has no type
      EXPECT_THAT(layer.open, Contains(OpenField{"batch_size", ""}));
      EXPECT_EQ(layer.open.size(), loop ? 2U : 1U) << layer.input.config.id;
      EXPECT_EQ(layer.input.config.seq_length, 100);
      EXPECT_EQ(layer.input.program.name, Framework::keras3);
      EXPECT_EQ(layer.input.program.version, "3.15.0");
      EXPECT_EQ(layer.input.program.jit_compile, false);
      EXPECT_EQ(layer.input.config.direction, Direction::unidirectional);
    }
    const auto forward = resolved(layers["bidirectional/forward_lstm"]);
    EXPECT_EQ(forward.cell, Cell::lstm);
    EXPECT_EQ(forward.input_size, 40);
    EXPECT_EQ(forward.hidden_size, 64);
    EXPECT_EQ(forward.data_type, DataType::half);
    EXPECT_EQ(layers["gru"].input.program.reset_after, false);
    EXPECT_EQ(layers["gru"].input.config.input_size, 128);
    EXPECT_EQ(layers["gru"].input.config.cell, Cell::gru);
    EXPECT_EQ(layers["head/dropped"].input.program.recurrent_dropout, 0.2);
    EXPECT_EQ(layers["head/dropped"].input.config.input_size, 32);
    EXPECT_EQ(layers["head/simple"].input.config.cell, Cell::rnn_relu);
    EXPECT_EQ(layers["head/loop"].input.program.custom_cell, true);
  }
}

TEST(Keras, Keras2WritesTheBackwardLayerOnlyWhereItDiffers) {
  const nlohmann::json lstm = {{"class_name", "LSTM"},
                               {"config", {{"name", "lstm"}, {"units", 8}, {"dtype", "float32"}}}};
  const nlohmann::json both = {
      {"class_name", "Bidirectional"},
      {"config", {{"name", "both"}, {"layer", lstm}, {"batch_input_shape", {nullptr, 7, 3}}}}};
  FileBytes file(
      zip({{"metadata.json", R"({"keras_version": "2.15.0"})"}, {"config.json", both.dump()}}));
  const auto model = read_keras(file);
  ASSERT_TRUE(model) << to_text(model.error());
  ASSERT_EQ(model->layers.size(), 2U);
  for (const auto& layer : model->layers) {
    EXPECT_EQ(layer.input.program.name, Framework::keras2);
    EXPECT_EQ(layer.input.config.input_size, 3);
    EXPECT_EQ(layer.input.config.seq_length, 7);
  }
}

// --- drawn layers ---

struct Draw {
  std::mt19937 random;
  int size(int most) { return std::uniform_int_distribution<>(1, most)(random); }
  bool coin() { return size(2) == 1; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[size(static_cast<int>(values.size())) - 1];
  }
};

void put(ConfigInput& input, std::string_view key, const std::string& value) {
  ASSERT_TRUE(set_field(input, key, value)) << key << " " << value;
}
void put(ConfigInput& input, std::string_view key, int value) {
  put(input, key, std::to_string(value));
}

void expect_read_back(FileBytes file, Result<SavedModel> (*reader)(FileBytes&),
                      const ConfigInput& written) {
  const auto model = reader(file);
  ASSERT_TRUE(model) << to_text(model.error());
  ASSERT_EQ(model->layers.size(), 1U);
  ConfigInput expected = written;
  resolve_defaults(expected);
  const auto& layer = model->layers[0];
  EXPECT_EQ(to_json_line(resolved(layer)), to_json_line(expected.config));
  EXPECT_EQ(layer.input.given, written.given);
}

TEST(DrawnLayers, ComeBackFromOnnx) {
  Draw draw{std::mt19937(1)};
  for (int i = 0; i < test::draws(); ++i) {
    const auto op = draw.one_of<std::string>({"LSTM", "GRU", "RNN"});
    const int gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
    const int type = draw.one_of({1, 10, 11, 16});
    const int hidden = draw.size(5000), inputs = draw.size(5000);
    const int batch = draw.coin() ? draw.size(500) : -1, length = draw.size(500);
    const bool both = draw.coin(), bias = draw.coin(), batch_first = draw.coin();
    const int directions = both ? 2 : 1;
    ConfigInput input;
    put(input, "id", "layer");
    put(input, "cell", op == "LSTM" ? "lstm" : op == "GRU" ? "gru" : "rnn_tanh");
    put(input, "mode", "inference");
    put(input, "num_layers", 1);
    put(input, "direction", both ? "bidirectional" : "unidirectional");
    put(input, "bias_mode", bias ? "double_bias" : "no_bias");
    put(input, "data_type",
        type == 1    ? "float"
        : type == 10 ? "half"
        : type == 11 ? "double"
                     : "bfloat16");
    put(input, "hidden_size", hidden);
    put(input, "input_size", inputs);
    put(input, "seq_length", length);
    if (batch > 0) put(input, "batch_size", batch);
    if (batch_first) put(input, "layout", "batch_major_unpacked");

    std::string attributes = onnx_number("hidden_size", hidden);
    if (both || draw.coin())
      attributes += onnx_text(
          "direction", both ? "bidirectional" : draw.one_of<std::string>({"forward", "reverse"}));
    if (batch_first || draw.coin()) attributes += onnx_number("layout", batch_first ? 1 : 0);
    std::vector<std::string> parts = {
        bytes_field(1, onnx_node(op, "layer", {"x", "w", "r", bias ? "b" : ""}, attributes)),
        bytes_field(5, onnx_tensor("w", type, {directions, gates * hidden, inputs}, draw.coin())),
        bytes_field(5, onnx_tensor("r", type, {directions, gates * hidden, hidden}, draw.coin())),
        bytes_field(11,
                    onnx_value("x", type,
                               batch_first ? std::vector<std::int64_t>{batch, length, inputs}
                                           : std::vector<std::int64_t>{length, batch, inputs}))};
    std::shuffle(parts.begin(), parts.end(), draw.random);
    std::string graph;
    for (const auto& part : parts) graph += part;
    expect_read_back(FileBytes(onnx_model(graph)), read_onnx, input);
  }
}

TEST(DrawnLayers, ComeBackFromSafetensors) {
  Draw draw{std::mt19937(2)};
  for (int i = 0; i < test::draws(); ++i) {
    const int gates = draw.one_of({1, 3, 4}), levels = draw.size(4), inputs = draw.size(3000);
    const int hidden = 2 + draw.size(3000);
    const bool both = draw.coin(), bias = draw.coin();
    const int projected = gates == 4 && draw.coin() ? draw.size(hidden - 1) : 0;
    const auto type = draw.one_of<std::pair<std::string, std::string>>(
        {{"F32", "float"}, {"F16", "half"}, {"F64", "double"}, {"BF16", "bfloat16"}});
    ConfigInput input;
    const std::string name = draw.coin() ? "model.encoder" : "";
    put(input, "id", name);
    if (gates != 1) put(input, "cell", gates == 4 ? "lstm" : "gru");
    if (gates == 1) input.config.cell = Cell::rnn_tanh;
    put(input, "input_size", inputs);
    put(input, "hidden_size", hidden);
    if (projected > 0) put(input, "proj_size", projected);
    put(input, "num_layers", levels);
    put(input, "direction", both ? "bidirectional" : "unidirectional");
    put(input, "data_type", type.second);

    nlohmann::json header = {{"__metadata__", {{"format", "pt"}}}};
    const int state = projected > 0 ? projected : hidden;
    for (int level = 0; level < levels; ++level) {
      for (int direction = 0; direction < (both ? 2 : 1); ++direction) {
        const auto add = [&](const std::string& kind, const std::vector<int>& shape) {
          header[(name.empty() ? "" : name + ".") + kind + "_l" + std::to_string(level) +
                 (direction == 1 ? "_reverse" : "")] = {
              {"dtype", type.first}, {"shape", shape}, {"data_offsets", {0, 0}}};
        };
        add("weight_ih", {gates * hidden, level == 0 ? inputs : state * (both ? 2 : 1)});
        add("weight_hh", {gates * hidden, state});
        if (projected > 0) add("weight_hr", {projected, hidden});
        if (bias) add("bias_ih", {gates * hidden});
        if (bias) add("bias_hh", {gates * hidden});
      }
    }
    expect_read_back(FileBytes(safetensors(header)), read_safetensors, input);
  }
}

TEST(DrawnLayers, ComeBackFromKeras) {
  Draw draw{std::mt19937(3)};
  for (int i = 0; i < test::draws(); ++i) {
    const auto kind = draw.one_of<std::string>({"LSTM", "GRU", "SimpleRNN"});
    const bool relu = draw.coin();
    const auto type =
        draw.one_of<std::pair<std::string, std::string>>({{"float32", "float"},
                                                          {"mixed_float16", "half"},
                                                          {"mixed_bfloat16", "bfloat16"},
                                                          {"float64", "double"}});
    const int hidden = draw.size(3000), inputs = draw.size(3000), length = draw.size(500);
    const bool known_batch = draw.coin(), bias = draw.coin();
    const double dropout = draw.size(9) / 10.0;
    ConfigInput input;
    put(input, "id", "layer");
    put(input, "cell",
        kind == "LSTM"  ? "lstm"
        : kind == "GRU" ? "gru"
        : relu          ? "rnn_relu"
                        : "rnn_tanh");
    put(input, "hidden_size", hidden);
    put(input, "num_layers", 1);
    put(input, "direction", "unidirectional");
    put(input, "dropout", nlohmann::json(dropout).dump());
    put(input, "data_type", type.second);
    if (!bias) put(input, "bias_mode", "no_bias");
    if (known_batch) put(input, "batch_size", 12);
    put(input, "seq_length", length);
    put(input, "input_size", inputs);
    nlohmann::json shape = {nullptr, length, inputs};
    if (known_batch) shape[0] = 12;
    nlohmann::json layer = {
        {"module", "keras.layers"},
        {"class_name", kind},
        {"config",
         {{"name", "layer"},
          {"units", hidden},
          {"use_bias", bias},
          {"dropout", dropout},
          {"activation", relu ? "relu" : "tanh"},
          {"dtype", {{"class_name", "DTypePolicy"}, {"config", {{"name", type.first}}}}}}},
        {"build_config", {{"input_shape", shape}}}};
    for (int outer = draw.size(4); outer > 1; --outer)
      layer = {{"class_name", "Sequential"}, {"config", {{"layers", {layer}}}}};
    expect_read_back(FileBytes(keras_archive(layer, draw.coin())), read_keras, input);
  }
}

// --- files that are not what they say ---

using Reader = Result<SavedModel> (*)(FileBytes&);
Reader reader_of(const std::string& name) {
  return name.ends_with(".onnx")    ? read_onnx
         : name.ends_with(".keras") ? read_keras
                                    : read_safetensors;
}

TEST(DamagedModels, EndInAnErrorOrInLayers) {
  std::mt19937 random(4);
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    const auto name = entry.path().string();
    if (!names_saved_model(name)) continue;
    std::ifstream stream(name, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    const std::size_t step = test::sanitized() ? 97 : 13;
    for (std::size_t cut = 0; cut < bytes.size(); cut += step) {
      FileBytes file(bytes.substr(0, cut));
      const auto model = reader_of(name)(file);
      // Only data may be missing without anyone noticing.
      if (!model) {
        EXPECT_FALSE(model.error().message.empty());
      }
    }
    for (int i = 0; i < test::draws(); ++i) {
      auto changed = bytes;
      for (int j = 0; j < 4; ++j) changed[random() % changed.size()] = static_cast<char>(random());
      FileBytes file(changed);
      const auto model = reader_of(name)(file);
      if (!model) continue;
      for (const auto& layer : model->layers) EXPECT_GE(layer.input.config.hidden_size, 1);
    }
  }
}

TEST(DamagedModels, ArchivesThatBecomeTooLarge) {
  const std::string large(std::size_t{20} << 20U, ' ');
  for (const std::int64_t stated : {std::int64_t{-1}, std::int64_t{10}}) {
    FileBytes file(zip({{"config.json", large, true}}, stated));
    EXPECT_LT(file.size(), 100'000U);
    const auto model = read_keras(file);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::unsupported);
    EXPECT_THAT(model.error().message, HasSubstr("larger than 16.0 MiB"));
  }
  FileBytes other(zip({{"config.json", "{}"}}));
  EXPECT_TRUE(read_keras(other));
  auto bytes = zip({{"config.json", "{\"a\": 1}"}});
  bytes[bytes.find("\"a\"") + 1] = 'b';
  FileBytes changed(bytes);
  EXPECT_THAT(read_keras(changed).error().message, HasSubstr("checksum"));
}

TEST(DamagedModels, DeepNesting) {
  std::string graph = bytes_field(1, onnx_node("LSTM", "deep", {}, onnx_number("hidden_size", 4)));
  for (int i = 0; i < 2000; ++i)
    graph = bytes_field(1, onnx_node("If", "if", {}, onnx_graph_attribute("then_branch", graph)));
  FileBytes file(onnx_model(graph));
  const auto model = read_onnx(file);
  ASSERT_TRUE(model) << to_text(model.error());
  EXPECT_THAT(model->layers, IsEmpty());
  EXPECT_THAT(model->remarks, Contains(HasSubstr("nested deeper")));

  const std::string brackets(1'000'000, '[');
  FileBytes keras(zip({{"config.json", "{\"config\": " + brackets}}));
  EXPECT_FALSE(read_keras(keras));
  FileBytes tensors(little_endian(brackets.size(), 8) + brackets);
  EXPECT_FALSE(read_safetensors(tensors));
  nlohmann::json layer = {{"class_name", "LSTM"}, {"config", {{"units", 3}}}};
  for (int i = 0; i < 50; ++i) layer = {{"class_name", "Wrapper"}, {"config", {{"layer", layer}}}};
  FileBytes wrapped(keras_archive(layer));
  EXPECT_TRUE(read_keras(wrapped));
  // Each Bidirectional is two layers, but not two to the power of their number.
  layer = {{"class_name", "Dense"}, {"config", {{"units", 3}}}};
  for (int i = 0; i < 50; ++i)
    layer = {{"class_name", "Bidirectional"}, {"config", {{"layer", layer}}}};
  FileBytes doubled(keras_archive(layer));
  EXPECT_TRUE(read_keras(doubled));
}

TEST(DamagedModels, SizesThatNoLayerHas) {
  for (const std::int64_t size : {std::int64_t{-5}, std::int64_t{0}, std::int64_t{1} << 40}) {
    FileBytes file(onnx_model(
        bytes_field(1, onnx_node("LSTM", "layer", {"x"}, onnx_number("hidden_size", size)))));
    const auto model = read_onnx(file);
    ASSERT_TRUE(model);
    EXPECT_THAT(open_keys(model->layers.at(0)), Contains("hidden_size"));
  }
  FileBytes header(little_endian(~std::uint64_t{0}, 8) + "{}");
  EXPECT_FALSE(read_safetensors(header));
}

TEST(SavedModel, FilesAreReadWhereTheyAre) {
  EXPECT_TRUE(names_saved_model("a/b.onnx"));
  EXPECT_FALSE(names_saved_model("a/b.toml"));
  EXPECT_EQ(read_saved_model("missing.onnx").error().code, ErrorCode::not_found);
  EXPECT_FALSE(read_saved_model("model.pt"));
  TemporaryFolder folder;
  // Weights of more than one window of the reader, before the sizes.
  const std::string weights(std::size_t{3} << 16U, 'w');
  const auto graph =
      bytes_field(5, bytes_field(9, weights) + onnx_tensor("w", 1, {1, 32, 5}, true)) +
      bytes_field(1, onnx_node("LSTM", "layer", {"x", "w"}, onnx_number("hidden_size", 8)));
  const auto path = folder.file("large.onnx");
  std::ofstream(path, std::ios::binary) << onnx_model(graph);
  const auto model = read_saved_model(path);
  ASSERT_TRUE(model) << to_text(model.error());
  ASSERT_EQ(model->layers.size(), 1U);
  EXPECT_EQ(model->layers[0].input.config.input_size, 5);
  EXPECT_EQ(model->layers[0].input.position.file, path);
}

}  // namespace
}  // namespace rnnadvisor::advisor
