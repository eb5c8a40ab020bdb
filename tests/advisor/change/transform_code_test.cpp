#include "advisor/change/transform_code.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "advisor/change/transform.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Every kind with every value of its enumerated parameter, and one value of the others.
std::vector<Transform> every_transform() {
  std::vector<Transform> all;
  for (const auto& kind : transform_kinds()) {
    std::vector<nlohmann::json> variants = {nlohmann::json::object()};
    for (const auto& parameter : kind.parameters) {
      std::vector<nlohmann::json> values;
      if (parameter.type == ParameterType::text)
        for (const auto value : parameter.values) values.push_back(std::string(value));
      if (parameter.type == ParameterType::boolean) values = {true, false};
      if (parameter.type == ParameterType::integer) values = {16};
      if (parameter.type == ParameterType::real) values = {0.25};
      std::vector<nlohmann::json> more;
      for (const auto& variant : variants) {
        for (const auto& value : values) {
          auto with = variant;
          with[std::string(parameter.name)] = value;
          more.push_back(with);
        }
      }
      variants = more;
    }
    for (const auto& variant : variants) {
      auto transform = parse_transform(kind.name, variant.dump());
      EXPECT_TRUE(transform) << kind.name << variant.dump();
      if (transform) all.push_back(*transform);
    }
  }
  return all;
}

TEST(TransformCode, EveryKindHasItsEntries) {
  const auto checked = check_transform_code(transform_code_text(), "transform_code.toml");
  ASSERT_TRUE(checked) << to_text(checked.error());
  const auto all = every_transform();
  ASSERT_GE(all.size(), transform_kinds().size());
  for (const auto& transform : all) {
    for (const auto& column : code_columns()) {
      const auto made = code_for(transform, column);
      EXPECT_NE(made.code.empty(), made.cannot.empty()) << describe(transform) << column.key;
      if (made.can()) {
        for (const auto* name : {"{value}", "{VALUE}", "{multiple}", "{length}", "{buckets}"})
          EXPECT_THAT(made.code, Not(HasSubstr(name))) << describe(transform) << column.key;
      } else {
        EXPECT_THAT(made.cannot, HasSubstr("cannot be expressed in ")) << describe(transform);
        EXPECT_THAT(made.cannot, Not(HasSubstr("no known change"))) << describe(transform);
      }
    }
    // cuDNN's own API expresses everything that is a change of its calls.
    const bool of_framework =
        transform.kind == "cudnn_enabled" || transform.kind == "flatten_parameters";
    EXPECT_EQ(code_for(transform, Framework::cudnn_api).can(), !of_framework)
        << describe(transform);
    EXPECT_TRUE(!of_framework || code_for(transform, Framework::pytorch).can());
  }
}

// The constants are cuDNN's: what a value is called in cudnn_adv.h.
TEST(TransformCode, ParametersAreFilledIn) {
  const auto code = [](std::string_view kind, std::string_view json, Framework framework) {
    return code_for(*parse_transform(kind, json), framework).code;
  };
  EXPECT_THAT(code("algo", R"({"value":"persist_static_small_h"})", Framework::cudnn_api),
              HasSubstr("CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H"));
  EXPECT_THAT(code("data_type", R"({"value":"bfloat16"})", Framework::cudnn_api),
              HasSubstr("CUDNN_DATA_BFLOAT16"));
  EXPECT_THAT(code("math_type", R"({"value":"tensor_op_allow_conversion"})", Framework::cudnn_api),
              HasSubstr("CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION"));
  EXPECT_THAT(code("layout", R"({"value":"batch_major_unpacked"})", Framework::cudnn_api),
              HasSubstr("CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED"));
  EXPECT_THAT(code("pad_batch", R"({"multiple":64})", Framework::pytorch), HasSubstr("-rows % 64"));
  EXPECT_THAT(code("padded_io", R"({"value":false})", Framework::cudnn_api), HasSubstr("&= ~"));
}

// shown_code_test.py runs such code.
TEST(TransformCode, SeveralChangesCallTheLayerOnce) {
  const auto count = [](const std::string& text, std::string_view part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  const std::vector<Transform> padded = {*parse_transform("pad_hidden", R"({"multiple":128})"),
                                         *parse_transform("pad_batch", R"({"multiple":8})")};
  const std::string torch = code_for(padded, Framework::pytorch).code;
  EXPECT_EQ(count(torch, "rnn(x)"), 1) << torch;
  EXPECT_LT(torch.find("rnn = widened"), torch.find("x = torch.nn.functional.pad"));
  EXPECT_LT(torch.find("y = rnn(x)[0]\n"), torch.find("y = y[..., :hidden_size]\n"));
  EXPECT_TRUE(torch.ends_with("y = y.narrow(batch, 0, rows)")) << torch;
  EXPECT_EQ(count(code_for(padded, Framework::keras3).code, "layer(x)"), 1);
  EXPECT_EQ(count(code_for(padded, Framework::jax).code, "rnn.lstm("), 1);
  // The first reason of those that cannot be written; the code of one change is that of the change.
  EXPECT_EQ(code_for(padded, Framework::onnxruntime).cannot,
            code_for(padded.front(), Framework::onnxruntime).cannot);
  for (const auto& one : every_transform())
    for (const auto framework : {Framework::cudnn_api, Framework::pytorch, Framework::keras3,
                                 Framework::jax, Framework::onnxruntime})
      EXPECT_EQ(code_for(std::vector{one}, framework).code, code_for(one, framework).code)
          << describe(one);
  for (const auto& one : every_transform())
    for (const auto& other : every_transform())
      // That of inference_mode is a block around the evaluation.
      if (one.kind != other.kind && one.kind != "inference_mode" &&
          other.kind != "inference_mode") {
        EXPECT_LE(count(code_for(std::vector{one, other}, Framework::pytorch).code, "= rnn(x)"), 1)
            << describe(one) << ", then " << describe(other);
      }
}

TEST(TransformCode, WhatAFrameworkDecidesItselfIsReported) {
  const auto algo = *parse_transform("algo", R"({"value":"persist_static"})");
  EXPECT_THAT(code_for(algo, Framework::pytorch).cannot, HasSubstr("PyTorch picks"));
  EXPECT_THAT(code_for(algo, Framework::jax).cannot, HasSubstr("standard algorithm"));
  EXPECT_THAT(code_for(algo, Framework::onnxruntime).cannot, HasSubstr("ONNX Runtime"));
  // The caller of ONNX Runtime makes the batch; the model file fixes the layer.
  for (const auto& [kind, json] : std::initializer_list<std::pair<const char*, const char*>>{
           {"pad_batch", R"({"multiple":8})"},
           {"set_batch", R"({"value":64})"},
           {"lower_batch", R"({"value":64})"},
           {"sort_lengths", "{}"},
           {"bucket_lengths", R"({"buckets":4})"}})
    EXPECT_TRUE(code_for(*parse_transform(kind, json), Framework::onnxruntime).can()) << kind;
  EXPECT_FALSE(
      code_for(*parse_transform("pad_hidden", R"({"multiple":8})"), Framework::onnxruntime).can());
  const auto half = *parse_transform("data_type", R"({"value":"half"})");
  EXPECT_THAT(code_for(half, Framework::jax).cannot, HasSubstr("float32 only"));
  EXPECT_TRUE(code_for(half, Framework::keras2).can());
  EXPECT_THAT(code_for(Transform{"nonsense", "{}", Meaning::exact}, Framework::pytorch).cannot,
              HasSubstr("no known change"));
}

TEST(TransformCode, MistakesInTheDataAreFound) {
  const std::string good(transform_code_text());
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto checked = check_transform_code(text, "t");
    return checked ? std::string("accepted") : to_text(checked.error());
  };
  EXPECT_THAT(changed("[pad_batch]", "[pad_bach]"), HasSubstr("nothing for 'pad_batch'"));
  EXPECT_THAT(changed("cudnn.fma.code", "cudnn.fmaa.code"), HasSubstr("nothing for 'fma'"));
  EXPECT_THAT(changed("jax.cannot = \"JAX always asks", "jaxx.cannot = \"JAX always asks"),
              HasSubstr("nothing for 'algo' in JAX"));
  EXPECT_THAT(changed("batch_size={value}", "batch_size={valeu}"), HasSubstr("no parameter valeu"));
  EXPECT_THAT(changed("keras.cannot = \"TensorFlow picks", "keras.cant = \"TensorFlow picks"),
              AnyOf(HasSubstr("nothing for"), HasSubstr("no code and no reason")));
  EXPECT_THAT(check_transform_code(good + "\n[more]\nx.code = 'y'\n", "t").error().message,
              HasSubstr("no kind of change"));
}

}  // namespace
}  // namespace rnnadvisor::advisor
