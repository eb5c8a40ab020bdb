#include "advisor/change/transform.h"

#include <gmock/gmock.h>

#include <limits>
#include <numeric>
#include <set>

#include "core/config/validate.h"
#include "core/model/cost.h"
#include "core/model/memory.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Transform make(std::string_view kind, std::string_view json = "{}") {
  auto transform = parse_transform(kind, json);
  EXPECT_TRUE(transform) << to_text(transform.error());
  return transform ? *transform : Transform{};
}

RnnConfig lstm() {
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.input_size = config.hidden_size = config.proj_size = 1001;
  config.seq_length = 32;
  config.batch_size = 64;
  return config;
}

std::string refusal(const Transform& transform, const RnnConfig& config) {
  const auto result = expand(transform, config);
  return result ? "accepted" : result.error().message;
}

TEST(Transforms, NamesAreUniqueAndEveryKindIsDescribed) {
  std::set<std::string_view> names;
  for (const auto& kind : transform_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.description.empty()) << kind.name;
    EXPECT_EQ(find_transform_kind(kind.name), &kind);
    for (const auto& parameter : kind.parameters)
      EXPECT_FALSE(parameter.description.empty()) << kind.name;
  }
  EXPECT_EQ(find_transform_kind("pad"), nullptr);
}

TEST(Transforms, TellTheirParameters) {
  EXPECT_EQ(parameter_of(make("pad_batch", R"({ "multiple" : 8 })"), "multiple"),
            ParameterValue(std::int64_t{8}));
  EXPECT_EQ(parameter_of(make("algo", R"({"value":"standard"})"), "value"),
            ParameterValue(std::string("standard")));
  EXPECT_EQ(parameter_of(make("set_dropout", R"({"value":0.5})"), "value"), ParameterValue(0.5));
  EXPECT_EQ(parameter_of(make("padded_io", R"({"value":true})"), "value"), ParameterValue(true));
  EXPECT_FALSE(parameter_of(make("pad_batch", R"({"multiple":8})"), "value"));
  EXPECT_FALSE(parameter_of(make("split_layers"), "value"));
  EXPECT_FALSE(parameter_of(Transform{"pad_batch", "no JSON"}, "multiple"));
}

TEST(Transforms, MistakesNameTheNearestWord) {
  EXPECT_THAT(parse_transform("pad_bach", "{}").error().remedy, HasSubstr("pad_batch"));
  EXPECT_THAT(parse_transform("pad_batch", R"({"multipel":8})").error().remedy,
              HasSubstr("multiple"));
  EXPECT_THAT(parse_transform("pad_batch", "{}").error().message,
              HasSubstr("needs the parameter 'multiple'"));
  EXPECT_THAT(parse_transform("pad_batch", R"({"multiple":0})").error().message,
              HasSubstr("outside 1 to 65536"));
  EXPECT_THAT(parse_transform("pad_batch", R"({"multiple":8.5})").error().message,
              HasSubstr("a whole number"));
  EXPECT_THAT(parse_transform("pad_batch", R"({"multiple":true})").error().message,
              HasSubstr("a whole number"));
  EXPECT_THAT(parse_transform("algo", R"({"value":"persist_statc"})").error().remedy,
              HasSubstr("persist_static"));
  EXPECT_THAT(parse_transform("pad_batch", "[8]").error().message, HasSubstr("JSON object"));
  EXPECT_THAT(parse_transform("pad_batch", R"({"multiple":18446744073709551615})").error().message,
              HasSubstr("too large"));
  EXPECT_THAT(parse_transform("pad_batch", R"({"multiple":{}})").error().message,
              HasSubstr("must be a number"));
}

TEST(Transforms, ParametersMayComeLater) {
  const std::vector<std::string_view> later = {"value"};
  const auto open = make_transform("lower_batch", {}, later);
  ASSERT_TRUE(open);
  const auto complete = with_parameter(*open, "value", std::int64_t{16});
  ASSERT_TRUE(complete);
  EXPECT_EQ(*complete, make("lower_batch", R"({"value":16})"));
  EXPECT_FALSE(with_parameter(*open, "value", std::int64_t{0}));
  EXPECT_FALSE(with_parameter(*open, "valve", std::int64_t{1}));
  EXPECT_FALSE(expand(*open, lstm())) << "a parameter is missing";
}

TEST(Transforms, PaddingRoundsUp) {
  const auto hidden = apply(make("pad_hidden", R"({"multiple":8})"), lstm());
  ASSERT_TRUE(hidden);
  EXPECT_EQ(hidden->hidden_size, 1008);
  EXPECT_EQ(hidden->proj_size, 1008) << "without a projection proj_size follows";
  EXPECT_EQ(hidden->input_size, 1001);
  EXPECT_THAT(refusal(make("pad_hidden", R"({"multiple":7})"), lstm()),
              HasSubstr("multiple of 7 already"));

  auto projected = lstm();
  projected.proj_size = 500;
  EXPECT_EQ(apply(make("pad_hidden", R"({"multiple":8})"), projected)->proj_size, 500);

  auto skipping = lstm();
  skipping.input_mode = InputMode::skip_input;
  EXPECT_EQ(apply(make("pad_hidden", R"({"multiple":8})"), skipping)->input_size, 1008);
  EXPECT_THAT(refusal(make("pad_input", R"({"multiple":8})"), skipping), HasSubstr("skip_input"));

  auto batch = lstm();
  batch.batch_size = 3;
  batch.seq_lengths = {32, 20, 7};
  const auto padded = apply(make("pad_batch", R"({"multiple":8})"), batch);
  ASSERT_TRUE(padded);
  EXPECT_THAT(padded->seq_lengths, ElementsAre(32, 20, 7, 7, 7, 7, 7, 7));
}

TEST(Transforms, SizesThatWouldOverflowAreRefused) {
  auto config = lstm();
  config.hidden_size = config.proj_size = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(refusal(make("pad_hidden", R"({"multiple":65536})"), config), HasSubstr("too large"));
  config.direction = Direction::bidirectional;
  config.num_layers = 2;
  EXPECT_THAT(refusal(make("split_layers"), config), HasSubstr("too wide"));
  config = lstm();
  config.seq_length = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(refusal(make("chunk_sequence", R"({"length":1})"), config),
              HasSubstr("too many calls"));
  config.batch_size = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(refusal(make("lower_batch", R"({"value":1})"), config), HasSubstr("too many calls"));
}

TEST(Transforms, NothingToChangeIsNoTransform) {
  auto config = lstm();
  config.algo = Algo::standard;
  EXPECT_THAT(refusal(make("algo", R"({"value":"standard"})"), config), HasSubstr("already"));
  EXPECT_THAT(refusal(make("split_layers"), config), HasSubstr("one layer"));
  EXPECT_THAT(refusal(make("split_directions"), config), HasSubstr("one direction"));
  EXPECT_THAT(refusal(make("unpack_equal_lengths"), config), HasSubstr("not packed"));
  EXPECT_THAT(refusal(make("sort_lengths"), config), HasSubstr("sorted"));
  EXPECT_THAT(refusal(make("drop_empty_rows"), config), HasSubstr("no empty row"));
  EXPECT_THAT(refusal(make("bucket_lengths", R"({"buckets":4})"), config), HasSubstr("one length"));
  EXPECT_THAT(refusal(make("lower_batch", R"({"value":64})"), config),
              HasSubstr("64 sequences only"));
}

TEST(Transforms, SimpleFields) {
  EXPECT_EQ(apply(make("algo", R"({"value":"persist_static"})"), lstm())->algo,
            Algo::persist_static);
  EXPECT_EQ(apply(make("math_type", R"({"value":"fma"})"), lstm())->math_type, MathType::fma);
  const auto wide = apply(make("data_type", R"({"value":"double"})"), lstm());
  EXPECT_EQ(wide->data_type, DataType::float64);
  EXPECT_EQ(wide->math_precision, DataType::float64)
      << "the arithmetic natural to the type comes with it";
  const auto packed = apply(make("layout", R"({"value":"seq_major_packed"})"), lstm());
  EXPECT_FALSE(packed->padded_io);
  EXPECT_EQ(apply(make("inference_mode"), lstm())->mode, Mode::inference);
  EXPECT_DOUBLE_EQ(apply(make("set_dropout", R"({"value":0.25})"), lstm())->dropout, 0.25);
  EXPECT_THAT(refusal(make("set_dropout", R"({"value":1})"), lstm()), HasSubstr("leaves nothing"));
}

// Splitting a stack changes neither the products nor the weights.
TEST(Transforms, SplitsKeepWorkAndWeights) {
  auto config = lstm();
  config.num_layers = 3;
  config.direction = Direction::bidirectional;
  config.dropout = 0.3;
  for (const auto kind : {"split_layers", "split_directions"}) {
    SCOPED_TRACE(kind);
    const auto calls = expand(make(kind), config);
    ASSERT_TRUE(calls);
    EXPECT_EQ(calls->size(), std::string_view(kind) == "split_layers" ? 3U : 6U);
    std::int64_t flops = 0, weights = 0;
    for (const auto& call : *calls) {
      EXPECT_TRUE(validate(call).empty());
      EXPECT_EQ(call.num_layers, 1);
      EXPECT_EQ(call.dropout, 0);
      flops += model::phase_cost(call, Phase::forward_training).gemm_flops;
      weights += model::space_sizes(call).weights.value;
    }
    EXPECT_EQ(flops, model::phase_cost(config, Phase::forward_training).gemm_flops);
    EXPECT_EQ(weights, model::space_sizes(config).weights.value);
    EXPECT_THAT(apply(make(kind), config).error().message, HasSubstr("calls of this one"));
  }
}

TEST(Transforms, RowsAndStepsAreNeitherLostNorDoubled) {
  auto config = lstm();
  config.batch_size = 7;
  config.seq_lengths = {32, 31, 20, 20, 9, 3, 1};
  const auto steps = config.used_steps();
  for (const auto& transform :
       {make("lower_batch", R"({"value":3})"), make("bucket_lengths", R"({"buckets":3})")}) {
    SCOPED_TRACE(describe(transform));
    const auto calls = expand(transform, config);
    ASSERT_TRUE(calls);
    ASSERT_EQ(calls->size(), 3U);
    std::int64_t sum = 0;
    int rows = 0;
    for (const auto& call : *calls) {
      sum += call.used_steps();
      rows += call.batch_size;
    }
    EXPECT_EQ(sum, steps);
    EXPECT_EQ(rows, 7);
  }
  const auto chunks = expand(make("chunk_sequence", R"({"length":10})"), config);
  ASSERT_TRUE(chunks);
  ASSERT_EQ(chunks->size(), 4U);
  EXPECT_EQ(std::accumulate(
                chunks->begin(), chunks->end(), std::int64_t{0},
                [](std::int64_t sum, const RnnConfig& call) { return sum + call.used_steps(); }),
            steps);
  EXPECT_EQ(chunks->back().seq_length, 2);
}

TEST(Transforms, ChunksOfAPackedBatchStayLegal) {
  auto config = lstm();
  config.layout = Layout::seq_major_packed;
  config.padded_io = false;
  config.batch_size = 3;
  config.seq_lengths = {32, 20, 5};
  const auto chunks = expand(make("chunk_sequence", R"({"length":8})"), config);
  ASSERT_TRUE(chunks);
  std::int64_t steps = 0;
  for (const auto& call : *chunks) {
    EXPECT_TRUE(validate(call).empty()) << validate(call).front().message;
    steps += call.used_steps();
  }
  EXPECT_EQ(steps, 57);
  EXPECT_EQ(chunks->back().batch_size, 1) << "sequences that have ended leave the batch";
  config.direction = Direction::bidirectional;
  EXPECT_THAT(refusal(make("chunk_sequence", R"({"length":8})"), config),
              HasSubstr("backward direction"));
}

TEST(Transforms, LengthRepairs) {
  auto config = lstm();
  config.layout = Layout::seq_major_packed;
  config.batch_size = 4;
  config.seq_lengths = {5, 32, 0, 9};
  const auto dropped = apply(make("drop_empty_rows"), config);
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->batch_size, 3);
  const auto sorted = apply(make("sort_lengths"), *dropped);
  ASSERT_TRUE(sorted);
  EXPECT_THAT(sorted->seq_lengths, ElementsAre(32, 9, 5));

  config.seq_lengths = {32, 32, 32, 32};
  const auto unpacked = apply(make("unpack_equal_lengths"), config);
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(unpacked->layout, Layout::seq_major_unpacked);
  EXPECT_TRUE(unpacked->seq_lengths.empty());
}

TEST(Transforms, AGraphIsNoConfiguration) {
  const auto result = apply(make("cuda_graph"), lstm());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::unsupported);
  EXPECT_THAT(result.error().message, HasSubstr("how the calls are made"));
}

TEST(Transforms, DescribedForPeople) {
  EXPECT_EQ(describe(make("pad_batch", R"({"multiple":8})")), "pad_batch (multiple 8)");
  EXPECT_EQ(describe(make("algo", R"({"value":"standard"})")), "algo (value standard)");
  EXPECT_EQ(describe(make("cuda_graph")), "cuda_graph");
}

}  // namespace
}  // namespace rnnadvisor::advisor
