#include "advisor/facts/experiments.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace rnnadvisor::advisor {
namespace {

using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

ExperimentTiming numbers(double low, double speedup, double high, double control_low,
                         double control_high) {
  ExperimentTiming timing;
  timing.speedup = speedup;
  timing.speedup_low = low;
  timing.speedup_high = high;
  timing.control_low = control_low;
  timing.control_high = control_high;
  return timing;
}

struct Case {
  const char* what;
  double low, speedup, high, control_low, control_high;
  ExperimentVerdict verdict;
};

TEST(Verdict, FollowsTheIntervals) {
  using enum ExperimentVerdict;
  const Case cases[] = {
      {"clearly faster", 1.40, 1.44, 1.48, 0.99, 1.01, confirmed},
      {"clearly slower", 0.50, 0.52, 0.55, 0.99, 1.01, refuted},
      {"identical", 1, 1, 1, 1, 1, inconclusive},
      {"identical but for noise", 0.98, 1.0, 1.02, 0.98, 1.02, inconclusive},
      {"begins at 1", 1.0, 1.02, 1.04, 0.999, 0.9995, inconclusive},
      {"just above", 1.0001, 1.02, 1.04, 0.999, 1.0, confirmed},
      {"ends at 1", 0.96, 0.98, 1.0, 1.001, 1.002, inconclusive},
      {"just below", 0.96, 0.98, 0.9999, 1.0, 1.001, refuted},
      // The original against itself came out at 1.03 to 1.06: this much drift proves nothing.
      {"drift as large as the gain", 1.03, 1.06, 1.10, 1.03, 1.06, inconclusive},
      {"gain above the drift", 1.08, 1.10, 1.12, 1.03, 1.06, confirmed},
      {"slower than a drift downwards", 0.90, 0.92, 0.94, 0.95, 0.98, refuted},
      {"within a drift downwards", 0.94, 0.96, 0.99, 0.95, 0.98, inconclusive},
      // Noise on one side: the interval is long above and short below.
      {"one-sided noise, low end above", 1.05, 1.1, 3.0, 0.99, 1.04, confirmed},
      {"one-sided noise in the control", 1.05, 1.1, 1.2, 0.99, 1.5, inconclusive},
      {"one-sided noise, high end above", 0.5, 0.9, 1.3, 0.99, 1.01, inconclusive},
      {"interval around both", 0.8, 1.5, 2.0, 0.99, 1.01, inconclusive},
      {"turned around", 1.5, 1.4, 1.3, 0.99, 1.01, inconclusive},
      {"nothing measured", 0, 0, 0, 0, 0, inconclusive},
      {"no control", 1.4, 1.5, 1.6, 0, 0, inconclusive},
      {"not a number", nan, 1.5, 1.6, 0.99, 1.01, inconclusive},
      {"infinite", 1.4, 1.5, std::numeric_limits<double>::infinity(), 0.99, 1.01, inconclusive},
  };
  for (const auto& c : cases) {
    const auto verdict =
        verdict_of(numbers(c.low, c.speedup, c.high, c.control_low, c.control_high));
    EXPECT_EQ(verdict, c.verdict) << c.what << ": " << to_string(verdict);
  }
}

// What is confirmed of a comparison is refuted of the same the other way round.
TEST(Verdict, IsSymmetric) {
  for (const double low : {0.5, 0.9, 0.99, 1.01, 1.2, 2.0}) {
    for (const double width : {0.0, 0.05, 0.5}) {
      const double high = low + width;
      const auto there = verdict_of(numbers(low, low, high, 0.98, 1.02));
      const auto back = verdict_of(numbers(1 / high, 1 / low, 1 / low, 1 / 1.02, 1 / 0.98));
      const auto mirrored = there == ExperimentVerdict::confirmed ? ExperimentVerdict::refuted
                            : there == ExperimentVerdict::refuted ? ExperimentVerdict::confirmed
                                                                  : there;
      EXPECT_EQ(back, mirrored) << low << " to " << high;
    }
  }
}

TEST(Verdict, DecidesByTheMode) {
  std::vector<ExperimentTiming> timings(3);
  timings[0].scope = ExperimentScope::inference;
  timings[1].scope = ExperimentScope::forward_training;
  timings[2].scope = ExperimentScope::training_step;
  EXPECT_EQ(deciding_timing(timings, Mode::training), &timings[2]);
  EXPECT_EQ(deciding_timing(timings, Mode::inference), &timings[0]);
  timings.pop_back();
  EXPECT_EQ(deciding_timing(timings, Mode::training), &timings[1]);
  EXPECT_EQ(deciding_timing({}, Mode::training), nullptr);
}

RnnConfig config(DataType type, MathType math = MathType::default_math, Cell cell = Cell::lstm) {
  RnnConfig made;
  made.data_type = type;
  made.math_type = math;
  made.cell = cell;
  made.math_precision = natural_math_precision(type);
  return made;
}

TEST(Shift, ToleranceIsTheSumOfBothErrors) {
  const auto half = config(DataType::half);
  const auto fma = config(DataType::float32, MathType::fma);
  EXPECT_DOUBLE_EQ(shift_tolerance(Meaning::exact, half, half, "y"), 2e-2);
  EXPECT_DOUBLE_EQ(shift_tolerance(Meaning::padded, fma, fma, "y"), 2e-5);
  EXPECT_DOUBLE_EQ(shift_tolerance(Meaning::numerics, fma, half, "y"), 1e-2 + 1e-5);
  EXPECT_TRUE(std::isinf(shift_tolerance(Meaning::model, half, half, "y")));
  const auto relu = config(DataType::half, MathType::tensor_op, Cell::rnn_relu);
  EXPECT_DOUBLE_EQ(shift_tolerance(Meaning::exact, relu, relu, "dx"), 2 * std::sqrt(1e-2));
  EXPECT_DOUBLE_EQ(shift_tolerance(Meaning::exact, relu, relu, "y"), 2e-2);
}

TEST(Shift, FarResultsAreNamed) {
  const auto half = config(DataType::half);
  const auto moved = [&](std::vector<TensorShift> shifts, Meaning meaning = Meaning::exact) {
    return moved_too_far(shifts, meaning, half, half);
  };
  EXPECT_FALSE(moved({}));
  EXPECT_FALSE(moved({{"y", 0.02, -1, -1}})) << "the bound itself is allowed";
  // The wrong gradients of persist_static_small_h: 9 % (samples/evidence/small-h-gradients.json).
  const auto wrong = moved({{"y", 0.0004, -1, -1}, {"dx", 0.0953, -1, -1}});
  ASSERT_TRUE(wrong);
  EXPECT_THAT(*wrong, HasSubstr("dx moved by 0.095"));
  EXPECT_THAT(*wrong, HasSubstr("called exact"));
  EXPECT_TRUE(moved({{"y", nan, -1, -1}}));
  EXPECT_FALSE(moved({{"y", -1, -1, -1}})) << "not compared";
  EXPECT_FALSE(moved({{"y", 0.5, -1, -1}}, Meaning::model)) << "another function";
  // The original was the wrong one: the changed results agree with the reference.
  EXPECT_FALSE(moved({{"dx", 0.09, 0.09, 0.0006}}));
  EXPECT_TRUE(moved({{"dx", 0.09, 0.0006, 0.09}}));
  EXPECT_TRUE(moved({{"dx", 0.09, 0.0006, nan}}));
}

TEST(Shift, LargestIsFound) {
  EXPECT_EQ(largest_shift({}), nullptr);
  const std::vector<TensorShift> shifts = {
      {"y", 0.1, -1, -1}, {"dx", 0.3, -1, -1}, {"dw", -1, -1, -1}};
  EXPECT_EQ(largest_shift(shifts), &shifts[1]);
  const std::vector<TensorShift> broken = {{"y", 0.1, -1, -1}, {"dw", nan, -1, -1}};
  EXPECT_EQ(largest_shift(broken), &broken[1]);
}

}  // namespace
}  // namespace rnnadvisor::advisor
