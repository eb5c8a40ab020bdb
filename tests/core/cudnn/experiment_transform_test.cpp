// What the transforms of a suggestion make of a configuration is what an experiment understands:
// every kind that keeps the function computes the original's numbers, every other is told apart.
#include <gmock/gmock.h>

#include "advisor/change/transform.h"
#include "tests/core/cudnn/experiment_cases.h"

namespace rnnadvisor::experiment {
namespace {

struct Case {
  const char* kind;
  const char* parameters;
  Composition composition = Composition::single;
  void (*prepare)(RnnConfig&) = [](RnnConfig&) {};
};

void two_directions(RnnConfig& config) { config.direction = Direction::bidirectional; }
void unsorted(RnnConfig& config) { config.seq_lengths = {2, 5, 1, 4, 3, 5}; }
void with_empty(RnnConfig& config) { config.seq_lengths = {2, 5, 0, 4, 0, 5}; }
void packed(RnnConfig& config) {
  config.layout = Layout::seq_major_packed;
  config.seq_lengths = {5, 5, 4, 2, 1, 1};
}
void packed_equal(RnnConfig& config) { config.layout = Layout::seq_major_packed; }
void one_bias(RnnConfig& config) { config.bias_mode = BiasMode::single_rec_bias; }
void batch_major(RnnConfig& config) { config.layout = Layout::batch_major_unpacked; }
void skip_input(RnnConfig& config) {
  config.input_size = config.hidden_size;
  config.input_mode = InputMode::skip_input;
}
void one_layer_dropout(RnnConfig& config) {
  config.num_layers = 1;
  config.dropout = 0.5;
}

constexpr auto same = std::to_array<Case>({
    {"algo", R"({"value": "persist_static"})"},
    {"math_type", R"({"value": "tensor_op"})"},
    {"data_type", R"({"value": "half"})"},
    {"math_precision", R"({"value": "float"})"},
    {"pad_hidden", R"({"multiple": 8})"},
    {"pad_hidden", R"({"multiple": 8})", Composition::single, skip_input},
    {"pad_hidden", R"({"multiple": 8})", Composition::single, two_directions},
    {"pad_input", R"({"multiple": 8})"},
    {"pad_batch", R"({"multiple": 8})"},
    {"pad_batch", R"({"multiple": 8})", Composition::single, packed},
    {"pad_batch", R"({"multiple": 8})", Composition::single, unsorted},
    {"set_dropout", R"({"value": 0.25})"},
    {"lower_batch", R"({"value": 4})", Composition::rows},
    {"lower_batch", R"({"value": 4})", Composition::rows, unsorted},
    {"lower_batch", R"({"value": 1})", Composition::rows, two_directions},
    {"chunk_sequence", R"({"length": 2})", Composition::steps},
    {"chunk_sequence", R"({"length": 2})", Composition::steps, unsorted},
    {"chunk_sequence", R"({"length": 2})", Composition::steps, packed},
    {"chunk_sequence", R"({"length": 2})", Composition::steps, packed_equal},
    {"chunk_sequence", R"({"length": 2})", Composition::steps, batch_major},
    {"split_layers", "{}", Composition::layers},
    {"split_layers", "{}", Composition::layers, two_directions},
    {"split_layers", "{}", Composition::layers, skip_input},
    {"split_layers", "{}", Composition::layers, packed},
    {"split_directions", "{}", Composition::directions, two_directions},
    {"unpack_equal_lengths", "{}", Composition::single, packed_equal},
    {"sort_lengths", "{}", Composition::single, unsorted},
    {"drop_empty_rows", "{}", Composition::single, with_empty},
    {"bucket_lengths", R"({"buckets": 3})", Composition::rows, unsorted},
    {"bucket_lengths", R"({"buckets": 2})", Composition::rows, packed},
    {"layout", R"({"value": "batch_major_unpacked"})"},
    {"padded_io", R"({"value": false})"},
    {"bias_mode_double", "{}", Composition::single, one_bias},
    {"linear_input", "{}", Composition::single, skip_input},
    {"drop_dropout", "{}", Composition::single, one_layer_dropout},
    {"inference_mode", "{}"},
});

RnnConfig prepared(const Case& each, Cell cell) {
  RnnConfig config = small_config(cell, 5, 6, 3, 4);
  config.num_layers = 2;
  each.prepare(config);
  return config;
}

Result<ExperimentVariant> variant_of(const Case& each, const RnnConfig& config) {
  const auto transform = advisor::parse_transform(each.kind, each.parameters);
  if (!transform) return fail(transform.error());
  auto calls = advisor::expand(*transform, config);
  if (!calls) return fail(calls.error());
  return several(each.composition, std::move(*calls));
}

TEST(ExperimentOfTransform, KeepsTheFunction) {
  for (const Case& each : same) {
    for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn_tanh}) {
      const RnnConfig config = prepared(each, cell);
      SCOPED_TRACE(std::string(each.kind) + " " + each.parameters + " of " + summary(config));
      const auto variant = variant_of(each, config);
      ASSERT_TRUE(variant) << to_text(variant.error());
      expect_same(config, *variant);
    }
  }
}

TEST(ExperimentOfTransform, AnotherModelIsReported) {
  const auto others = std::to_array<Case>({
      {"set_batch", R"({"value": 3})"},
      {"set_hidden", R"({"value": 3})"},
      {"drop_projection", "{}", Composition::single, [](RnnConfig& c) { c.proj_size = 2; }},
      {"drop_clipping", "{}", Composition::single,
       [](RnnConfig& c) {
         c.clip_mode = ClipMode::minmax;
         c.clip_left = -1;
         c.clip_right = 1;
       }},
  });
  for (const Case& each : others) {
    const RnnConfig config = prepared(each, Cell::lstm);
    const auto variant = variant_of(each, config);
    ASSERT_TRUE(variant) << each.kind << ": " << to_text(variant.error());
    EXPECT_NE(refusal(config, *variant), "") << each.kind;
  }
}

// Whatever new kind is added must be thought of here.
TEST(ExperimentOfTransform, EveryKindIsTried) {
  const auto known = [](std::string_view name) {
    for (const Case& each : same)
      if (name == each.kind) return true;
    for (const auto* other : {"set_batch", "set_hidden", "drop_projection", "drop_clipping",
                              "cuda_graph", "cudnn_enabled", "flatten_parameters"})
      if (name == other) return true;
    return false;
  };
  for (const auto& kind : advisor::transform_kinds()) EXPECT_TRUE(known(kind.name)) << kind.name;
}

}  // namespace
}  // namespace rnnadvisor::experiment
