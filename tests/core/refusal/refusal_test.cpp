// The message and remedy for each condition that cuDNN does not accept. Not in tests/core/model:
// what is there counts as an input of the cross-validation of times, which takes minutes.
#include <gmock/gmock.h>

#include <limits>

#include "core/model/eligibility.h"

namespace rnnadvisor::model {
namespace {

using Cause = RefusalCause;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const DeviceSpec& h200() {
  static const DeviceSpec device = find_device("h200").value();
  return device;
}
// Of which nothing was measured.
DeviceSpec unmeasured() {
  DeviceSpec device = h200();
  device.hidden_limits.clear();
  return device;
}
DeviceSpec old() {
  DeviceSpec device = h200();
  device.compute_major = 5;
  return device;
}

struct Case {
  const char* name;
  Cause cause;
  Stage stage;
  const char* rule;  // the card about it
  const char* key;   // one that it is about; empty: none
  void (*change)(RnnConfig&);
  DeviceSpec (*device)() = [] { return h200(); };
};

void sized(RnnConfig& c, int hidden) { c.input_size = c.hidden_size = c.proj_size = hidden; }

const Case cases[] = {
    {"SizeBelowOne", Cause::size_below_one, Stage::set_descriptor, "", "",
     [](RnnConfig& c) { c.num_layers = 0; }},
    {"NoStep", Cause::size_below_one, Stage::set_descriptor, "", "",
     [](RnnConfig& c) { c.seq_length = 0; }},
    {"ProjectionAboveHidden", Cause::projection_above_hidden, Stage::set_descriptor,
     "descriptor/projection-size", "proj_size", [](RnnConfig& c) { c.proj_size = 1000; }},
    {"ProjectionOfAGru", Cause::projection_of_another_cell, Stage::set_descriptor,
     "descriptor/projection-lstm-only", "proj_size",
     [](RnnConfig& c) { c.cell = Cell::gru, c.proj_size = 64; }},
    {"ProjectionWithPersistent", Cause::projection_with_persistent, Stage::set_descriptor,
     "persistence/no-projection", "proj_size",
     [](RnnConfig& c) { c.set_algo(Algo::persist_static), c.proj_size = 64; }},
    {"TypePair", Cause::type_pair, Stage::set_descriptor, "math/type-pair", "math_precision",
     [](RnnConfig& c) { c.math_precision = DataType::half; }},
    {"ClipOrder", Cause::clip_bounds, Stage::set_descriptor, "descriptor/clip-bounds", "clip_left",
     [](RnnConfig& c) { c.clip_mode = ClipMode::minmax, c.clip_left = 1; }},
    {"ClipLeftNan", Cause::clip_bounds, Stage::set_descriptor, "descriptor/clip-bounds", "",
     [](RnnConfig& c) {
       c.clip_mode = ClipMode::minmax, c.clip_left = std::numeric_limits<double>::quiet_NaN();
     }},
    {"ClipRightNan", Cause::clip_bounds, Stage::set_descriptor, "descriptor/clip-bounds", "",
     [](RnnConfig& c) {
       c.clip_mode = ClipMode::minmax, c.clip_right = std::numeric_limits<double>::quiet_NaN();
     }},
    {"BiasMode", Cause::bias_mode, Stage::set_descriptor, "persistence/double-bias", "bias_mode",
     [](RnnConfig& c) { c.set_algo(Algo::persist_static), c.bias_mode = BiasMode::no_bias; }},
    {"HalfArithmetic", Cause::half_arithmetic, Stage::set_descriptor,
     "persistence/math-precision-float", "math_precision",
     [](RnnConfig& c) {
       c.set_algo(Algo::persist_static), c.data_type = c.math_precision = DataType::half;
     }},
    {"DoubleWithPersistent", Cause::double_with_persistent, Stage::set_descriptor,
     "persistence/data-type-not-double", "data_type",
     [](RnnConfig& c) {
       c.set_algo(Algo::persist_static), c.data_type = c.math_precision = DataType::float64;
     }},
    {"SequenceTooLong", Cause::sequence_too_long, Stage::set_descriptor, "lengths/seq-length-65535",
     "seq_length", [](RnnConfig& c) { c.seq_length = 65536; }},
    {"LengthsCount", Cause::lengths_count, Stage::set_descriptor, "", "seq_lengths",
     [](RnnConfig& c) { c.seq_lengths = {1}; }},
    {"LengthTooLong", Cause::length_out_of_range, Stage::set_descriptor, "", "seq_lengths",
     [](RnnConfig& c) { c.seq_lengths = {129, 1}; }},
    {"LengthBelowZero", Cause::length_out_of_range, Stage::set_descriptor, "", "seq_lengths",
     [](RnnConfig& c) { c.seq_lengths = {128, -1}; }},
    {"PackedZeroLength", Cause::packed_zero_length, Stage::set_descriptor, "lengths/packed-no-zero",
     "seq_lengths",
     [](RnnConfig& c) { c.layout = Layout::seq_major_packed, c.seq_lengths = {128, 0}; }},
    {"PackedNotSorted", Cause::packed_not_sorted, Stage::set_descriptor, "lengths/packed-sorted",
     "seq_lengths",
     [](RnnConfig& c) { c.layout = Layout::seq_major_packed, c.seq_lengths = {64, 128}; }},
    {"PackedLongest", Cause::packed_longest, Stage::set_descriptor, "lengths/packed-longest",
     "seq_lengths",
     [](RnnConfig& c) { c.layout = Layout::seq_major_packed, c.seq_lengths = {64, 64}; }},
    {"ComputeCapability", Cause::compute_capability, Stage::temp_space,
     "persistence/compute-capability-6", "algo",
     [](RnnConfig& c) { c.set_algo(Algo::persist_static); }, old},
    {"HiddenLimit", Cause::hidden_limit, Stage::temp_space, "persistence/hidden-limit",
     "hidden_size", [](RnnConfig& c) { c.set_algo(Algo::persist_static), sized(c, 4096); }},
    {"HiddenLimitNotMeasured", Cause::hidden_limit, Stage::temp_space, "persistence/hidden-limit",
     "hidden_size", [](RnnConfig& c) { c.set_algo(Algo::persist_static), sized(c, 4096); },
     unmeasured},
    {"HiddenLimitOfSmallH", Cause::hidden_limit, Stage::temp_space,
     "persistence/small-h-hidden-limit", "hidden_size",
     [](RnnConfig& c) { c.set_algo(Algo::persist_static_small_h), sized(c, 4096); }},
    {"SkipInput", Cause::skip_input_size, Stage::forward_inference, "descriptor/skip-input-size",
     "input_size", [](RnnConfig& c) { c.input_mode = InputMode::skip_input, c.input_size = 64; }},
    {"UnequalLengths", Cause::unequal_lengths, Stage::forward_inference,
     "persistence/equal-lengths", "seq_lengths",
     [](RnnConfig& c) { c.set_algo(Algo::persist_static), c.seq_lengths = {128, 64}; }},
    {"PaddedIo", Cause::padded_io, Stage::forward_inference, "lengths/padded-io-flag", "padded_io",
     [](RnnConfig& c) { c.padded_io = false, c.seq_lengths = {128, 64}; }},
    {"SmallHConversion", Cause::small_h_conversion, Stage::forward_inference, "", "math_type",
     [](RnnConfig& c) {
       c.set_algo(Algo::persist_static_small_h), sized(c, 192);
       c.math_type = MathType::tensor_op_allow_conversion;
     }},
    {"BackwardOfAnotherAlgorithm", Cause::bias_mode, Stage::backward_data,
     "persistence/double-bias", "bias_mode",
     [](RnnConfig& c) { c.backward_algo = Algo::persist_static, c.bias_mode = BiasMode::no_bias; }},
};

class Refused : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(, Refused, ::testing::ValuesIn(cases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(Refused, IsSaidWithItsCauseItsKeysAndWhatToDo) {
  RnnConfig config;
  config.batch_size = 2;
  ASSERT_FALSE(refusal(config, h200()));
  GetParam().change(config);
  const auto found = refusal(config, GetParam().device());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cause, GetParam().cause);
  EXPECT_EQ(found->stage, GetParam().stage) << to_string(found->stage);
  EXPECT_EQ(found->rule_id, GetParam().rule);
  EXPECT_THAT(found->reason, Not(IsEmpty()));
  EXPECT_THAT(found->remedy, Not(IsEmpty()));
  if (*GetParam().key != 0) {
    EXPECT_THAT(found->keys, Contains(GetParam().key));
  }
}

// The limit that is named is the one that holds: as many units are accepted, and 32 more are not.
TEST(RefusedSize, ALayerOfTheSizeThatIsNamedRuns) {
  for (const Algo algo : {Algo::persist_static, Algo::persist_static_small_h}) {
    for (const Cell cell : {Cell::rnn_relu, Cell::rnn_tanh, Cell::lstm, Cell::gru}) {
      for (const bool measured : {true, false}) {
        for (const Mode mode : {Mode::inference, Mode::training}) {
          const DeviceSpec device = measured ? h200() : unmeasured();
          RnnConfig config;
          config.cell = cell;
          config.mode = mode;
          config.set_algo(algo);
          int most = 0;
          for (int hidden = 32; hidden <= 4096; hidden += 32) {
            sized(config, hidden);
            const auto found = refusal(config, device);
            if (!found) {
              most = hidden;
              continue;
            }
            EXPECT_THAT(found->reason, HasSubstr("above " + std::to_string(most)))
                << to_string(algo) << " " << to_string(cell) << " " << hidden;
            EXPECT_THAT(found->keys, Contains("hidden_size"));
            EXPECT_EQ(found->stage, found->cause == Cause::hidden_backward_limit
                                        ? Stage::backward_data
                                        : Stage::temp_space);
            EXPECT_EQ(found->reason.find("documented") == std::string::npos, measured);
            break;
          }
          EXPECT_GT(most, 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::model
