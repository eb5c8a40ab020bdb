// Each documented constraint breaks where it should and holds on its near side; all are found at
// once.
#include "core/config/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/config/read_config.h"

namespace rnnadvisor {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> ids_of(const RnnConfig& config) {
  std::vector<std::string> ids;
  for (const auto& violation : validate(config)) ids.push_back(violation.id);
  return ids;
}

const Violation& find(const std::vector<Violation>& violations, std::string_view id) {
  const auto at =
      std::find_if(violations.begin(), violations.end(), [&](const auto& v) { return v.id == id; });
  EXPECT_NE(at, violations.end()) << id;
  return *at;
}

struct Case {
  const char* id;
  std::function<void(RnnConfig&)> breaks;
  std::function<void(RnnConfig&)> holds;  // the nearest configuration that keeps the constraint
  const char* message;
  Enforcement enforcement;
  const char* status;
};

constexpr auto rejected = Enforcement::rejected_by_set_descriptor;
constexpr const char* bad = "CUDNN_STATUS_BAD_PARAM";
constexpr const char* unsupported = "CUDNN_STATUS_NOT_SUPPORTED";

void lengths(RnnConfig& c, std::vector<int> values, int longest) {
  c.layout = Layout::seq_major_packed;
  c.batch_size = static_cast<int>(values.size());
  c.seq_lengths = std::move(values);
  c.seq_length = longest;
}

void clip(RnnConfig& c, double left, double right) {
  c.clip_mode = ClipMode::minmax;
  c.clip_left = left;
  c.clip_right = right;
}

const std::vector<Case>& cases() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<Case> list = {
      {"input-size-min", [](auto& c) { c.input_size = 0; }, [](auto& c) { c.input_size = 1; },
       "input_size 0 is below 1", rejected, bad},
      {"hidden-size-min", [](auto& c) { c.hidden_size = -5; },
       [](auto& c) { c.hidden_size = c.proj_size = 1; }, "hidden_size -5 is below 1", rejected,
       bad},
      {"proj-size-min", [](auto& c) { c.proj_size = 0; }, [](auto& c) { c.proj_size = 1; },
       "proj_size 0 is below 1", rejected, bad},
      {"num-layers-min", [](auto& c) { c.num_layers = 0; }, [](auto& c) { c.num_layers = 1; },
       "num_layers 0 is below 1", rejected, bad},
      {"seq-length-min", [](auto& c) { c.seq_length = 0; }, [](auto& c) { c.seq_length = 1; },
       "seq_length 0 is below 1", rejected, bad},
      {"batch-size-min", [](auto& c) { c.batch_size = 0; }, [](auto& c) { c.batch_size = 1; },
       "batch_size 0 is below 1", rejected, bad},
      {"seq-length-max", [](auto& c) { c.seq_length = 65536; },
       [](auto& c) { c.seq_length = 65535; }, "seq_length 65536 is above 65535", rejected,
       unsupported},
      {"math-precision",
       [](auto& c) { c.data_type = DataType::bfloat16, c.math_precision = DataType::bfloat16; },
       [](auto& c) { c.data_type = DataType::bfloat16; },
       "math_precision bfloat16 with bfloat16 data", rejected, unsupported},
      {"math-type-half", [](auto& c) { c.data_type = DataType::half, c.math_type = MathType::fma; },
       [](auto& c) {
         c.data_type = DataType::half, c.math_type = MathType::tensor_op_allow_conversion;
       },
       "math_type fma with half data, for which default and tensor_op are documented",
       Enforcement::not_caught, ""},
      {"math-type-float", [](auto& c) { c.math_type = MathType::tensor_op; },
       [](auto& c) { c.math_type = MathType::fma; },
       "math_type tensor_op with float data, for which default and tensor_op_allow_conversion are "
       "documented",
       Enforcement::not_caught, ""},
      {"math-type-double",
       [](auto& c) {
         c.data_type = c.math_precision = DataType::float64, c.math_type = MathType::fma;
       },
       [](auto& c) { c.data_type = c.math_precision = DataType::float64; },
       "math_type fma with double data, for which only default is documented",
       Enforcement::not_caught, ""},
      {"persist-double",
       [](auto& c) {
         c.data_type = c.math_precision = DataType::float64, c.algo = Algo::persist_static;
       },
       [](auto& c) {
         c.data_type = c.math_precision = DataType::float64, c.algo = Algo::persist_dynamic;
       },
       "algo persist_static with double data", rejected, unsupported},
      {"persist-half-math",
       [](auto& c) {
         c.data_type = c.math_precision = DataType::half, c.algo = Algo::persist_dynamic;
       },
       [](auto& c) { c.data_type = c.math_precision = DataType::half; },
       "algo persist_dynamic with math_precision half", rejected, unsupported},
      {"persist-double-bias",
       [](auto& c) { c.algo = Algo::persist_static, c.bias_mode = BiasMode::no_bias; },
       [](auto& c) { c.bias_mode = BiasMode::no_bias; },
       "algo persist_static with bias_mode no_bias", rejected, unsupported},
      {"persist-no-projection", [](auto& c) { c.algo = Algo::persist_dynamic, c.proj_size = 256; },
       [](auto& c) { c.proj_size = 256; },
       "algo persist_dynamic with proj_size 256 and hidden_size 512", rejected, unsupported},
      {"persist-equal-lengths",
       [](auto& c) { c.algo = Algo::persist_static, lengths(c, {9, 8}, 9); },
       [](auto& c) { c.algo = Algo::persist_static, lengths(c, {9, 9}, 9); },
       "algo persist_static with sequences that differ from seq_length 9", Enforcement::unknown,
       unsupported},
      {"small-h-hidden-size",
       [](auto& c) { c.algo = Algo::persist_static_small_h, c.hidden_size = c.proj_size = 129; },
       [](auto& c) { c.algo = Algo::persist_static_small_h, c.hidden_size = c.proj_size = 128; },
       "hidden_size 129 with algo persist_static_small_h is above 128 for lstm in training",
       Enforcement::unknown, unsupported},
      {"proj-size-max", [](auto& c) { c.proj_size = 513; }, [](auto& c) { c.proj_size = 512; },
       "proj_size 513 is above hidden_size 512", rejected, unsupported},
      {"proj-lstm-only", [](auto& c) { c.cell = Cell::gru, c.proj_size = 511; },
       [](auto& c) { c.cell = Cell::gru; }, "proj_size 511 with cell gru and hidden_size 512",
       rejected, unsupported},
      {"skip-input-size", [](auto& c) { c.input_mode = InputMode::skip_input, c.input_size = 511; },
       [](auto& c) { c.input_mode = InputMode::skip_input; },
       "input_mode skip_input with input_size 511 and hidden_size 512", Enforcement::unknown, ""},
      {"clip-lstm-only", [](auto& c) { c.cell = Cell::gru, clip(c, -1, 1); },
       [](auto& c) { clip(c, -1, 1); }, "clip_mode minmax with cell gru, which has no cell state",
       Enforcement::not_caught, ""},
      {"clip-order", [](auto& c) { clip(c, 1, 0.5); }, [](auto& c) { clip(c, 1, 1); },
       "clip_left 1 is above clip_right 0.5", rejected, bad},
      {"clip-nan", [](auto& c) { clip(c, 0, nan); }, [](auto& c) { c.clip_right = nan; },
       "clip bounds 0 and nan are not both numbers", rejected, bad},
      {"dropout-one-layer", [](auto& c) { c.dropout = 0.5; },
       [](auto& c) { c.dropout = 0.5, c.num_layers = 2; },
       "dropout 0.5 with num_layers 1 has no effect", Enforcement::not_caught, ""},
      {"seq-lengths-count", [](auto& c) { lengths(c, {9, 8}, 9), c.batch_size = 3; },
       [](auto& c) { lengths(c, {9, 8}, 9); }, "seq_lengths has 2 lengths for batch_size 3",
       Enforcement::not_caught, ""},
      {"seq-lengths-range",
       [](auto& c) { lengths(c, {9, 8}, 8), c.layout = Layout::seq_major_unpacked; },
       [](auto& c) { lengths(c, {0, 8}, 8), c.layout = Layout::seq_major_unpacked; },
       "seq_lengths[0] is 9, outside 0 to seq_length 8", rejected, bad},
      {"packed-sorted", [](auto& c) { lengths(c, {9, 7, 8}, 9); },
       [](auto& c) { lengths(c, {9, 7, 7}, 9); },
       "seq_lengths[2] is 8 after 7 in the packed layout", rejected, bad},
      {"packed-no-zero-length", [](auto& c) { lengths(c, {9, 0}, 9); },
       [](auto& c) { lengths(c, {9, 1}, 9); }, "seq_lengths[1] is 0 in the packed layout", rejected,
       bad},
      {"packed-longest", [](auto& c) { lengths(c, {9, 8}, 10); },
       [](auto& c) { lengths(c, {9, 8}, 9); },
       "the longest of seq_lengths is 9, but seq_length is 10 in the packed layout", rejected, bad},
      {"unpacked-padded-io",
       [](auto& c) { c.layout = Layout::batch_major_unpacked, c.padded_io = false; },
       [](auto& c) { c.layout = Layout::seq_major_packed, c.padded_io = false; },
       "layout batch_major_unpacked without padded_io; cuDNN 9.19 takes it while all lengths are "
       "equal",
       Enforcement::not_caught, ""},
  };
  return list;
}

TEST(Validate, DefaultsBreakNothing) { EXPECT_THAT(validate(RnnConfig{}), IsEmpty()); }

TEST(Validate, EachConstraintBreaksAndHolds) {
  for (const auto& test : cases()) {
    RnnConfig broken;
    test.breaks(broken);
    const auto violations = validate(broken);
    ASSERT_THAT(ids_of(broken), Contains(test.id));
    const auto& violation = find(violations, test.id);
    EXPECT_EQ(violation.message, test.message);
    EXPECT_EQ(violation.enforcement, test.enforcement) << test.id;
    EXPECT_EQ(violation.status, test.status) << test.id;
    EXPECT_FALSE(violation.remedy.empty()) << test.id;
    RnnConfig whole;
    test.holds(whole);
    EXPECT_THAT(ids_of(whole), Not(Contains(test.id)));
  }
}

TEST(Validate, EveryConstraintHasACase) {
  std::set<std::string_view> tested;
  for (const auto& test : cases()) tested.insert(test.id);
  std::set<std::string_view> documented;
  for (const auto& info : documented_constraints())
    EXPECT_TRUE(documented.insert(info.id).second) << info.id;
  EXPECT_EQ(tested, documented);
}

TEST(Validate, EveryConstraintNamesItsSourceAndRealKeys) {
  const auto keys = all_config_keys();
  for (const auto& info : documented_constraints()) {
    EXPECT_FALSE(info.title.empty());
    EXPECT_FALSE(info.citation.source.empty()) << info.id;
    EXPECT_FALSE(info.citation.version.empty()) << info.id;
    EXPECT_NE(std::string_view("SCO").find(info.citation.tag), std::string_view::npos) << info.id;
  }
  for (const auto& test : cases()) {
    RnnConfig broken;
    test.breaks(broken);
    for (const auto& violation : validate(broken)) {
      EXPECT_THAT(violation.keys, Not(IsEmpty()));
      for (const auto& key : violation.keys)
        EXPECT_THAT(keys, Contains(std::string_view(key))) << violation.id;
    }
  }
}

TEST(Validate, AllViolationsAtOnce) {
  RnnConfig c;
  c.cell = Cell::gru;
  c.algo = Algo::persist_static;
  c.bias_mode = BiasMode::single_inp_bias;
  c.data_type = DataType::float64;
  c.proj_size = 600;
  c.seq_length = 70000;
  c.dropout = 0.1;
  c.padded_io = false;
  EXPECT_THAT(ids_of(c), testing::UnorderedElementsAre(
                             "seq-length-max", "math-precision", "persist-double",
                             "persist-double-bias", "persist-no-projection", "proj-size-max",
                             "proj-lstm-only", "dropout-one-layer", "unpacked-padded-io"));
}

TEST(Validate, LegalTypePairs) {
  using enum DataType;
  const std::set<std::pair<DataType, DataType>> legal = {
      {float32, float32}, {float64, float64}, {half, float32}, {half, half}, {bfloat16, float32}};
  for (const auto data : {float32, float64, half, bfloat16}) {
    for (const auto math : {float32, float64, half, bfloat16}) {
      RnnConfig c;
      c.data_type = data;
      c.math_precision = math;
      EXPECT_EQ(validate(c).empty(), legal.contains({data, math}))
          << to_string(data) << "/" << to_string(math);
    }
  }
}

TEST(Validate, SmallHLimitsFollowCellAndMode) {
  const std::map<std::pair<Cell, Mode>, int> limits = {
      {{Cell::lstm, Mode::inference}, 192},     {{Cell::gru, Mode::inference}, 192},
      {{Cell::rnn_relu, Mode::inference}, 384}, {{Cell::rnn_tanh, Mode::inference}, 384},
      {{Cell::lstm, Mode::training}, 128},      {{Cell::gru, Mode::training}, 128},
      {{Cell::rnn_relu, Mode::training}, 256},  {{Cell::rnn_tanh, Mode::training}, 256}};
  for (const auto& [key, limit] : limits) {
    RnnConfig c;
    c.algo = Algo::persist_static_small_h;
    std::tie(c.cell, c.mode) = key;
    c.hidden_size = c.proj_size = c.input_size = limit;
    EXPECT_THAT(validate(c), IsEmpty());
    c.hidden_size = c.proj_size = limit + 1;
    EXPECT_THAT(ids_of(c), testing::ElementsAre("small-h-hidden-size"));
    c.hidden_size = c.proj_size = 397;
    EXPECT_EQ(validate(c).at(0).enforcement, Enforcement::rejected_by_temp_space);
  }
}

TEST(Validate, PaddedIoMattersWhereLengthsDiffer) {
  RnnConfig c;
  c.padded_io = false;
  c.batch_size = 2;
  c.seq_lengths = {128, 100};
  EXPECT_EQ(validate(c).at(0).enforcement, Enforcement::unknown);
  c.seq_lengths = {128, 128};
  EXPECT_EQ(validate(c).at(0).enforcement, Enforcement::not_caught);
}

TEST(Validate, AgreesWithTheMeasuredDescriptors) {
  // 2072 measured rows that say whether cudnnSetRNNDescriptor_v8 took them.
  int rejected_rows = 0;
  for (const char* file :
       {"eligibility.jsonl", "guide-figures-9-10.jsonl", "kernels.jsonl", "temp-space.jsonl"}) {
    const auto path = std::string(RNNADVISOR_SOURCE_DIR) + "/tests/data/h200/" + file;
    const auto inputs = read_config_file(path);
    ASSERT_TRUE(inputs);
    std::ifstream in(path);
    std::string line;
    for (const auto& input : *inputs) {
      ASSERT_TRUE(std::getline(in, line));
      const bool accepted = line.find("\"set_descriptor\": 0") != std::string::npos;
      if (!accepted) ++rejected_rows;
      EXPECT_EQ(rejected_by_set_descriptor(input.config), !accepted) << line;
    }
  }
  EXPECT_GT(rejected_rows, 300);
}

}  // namespace
}  // namespace rnnadvisor
