// What compare names as the cause of a change, over drawn changes; and baselines of several runs.
#include "advisor/compare/causes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "advisor/compare/history.h"
#include "core/device/device_spec.h"
#include "profiler/profile/builder.h"
#include "tests/advisor/compare/judged.h"
#include "tests/effort.h"

namespace rnnadvisor::compare {
namespace {

// A program that calls one layer a few times from one line.
Profile program(const RnnConfig& config) {
  ProfileBuilder builder;
  const int device = builder.add_device(find_device("h200").value());
  Configuration configuration;
  configuration.config = config;
  configuration.origin = Origin::captured;
  configuration.device = device;
  const int index = builder.add_configuration(configuration);
  Process process;
  process.pid = 1;
  process.start_ns = 0;
  const int of = builder.add_process(process);
  std::int64_t time = 1'000'000;
  for (int i = 0; i < 3; ++i) {
    CallRecord record;
    record.site = {"train.py", "forward", 31};
    RnnCall& call = record.call;
    call.configuration = index;
    call.process = of;
    call.device = device;
    call.phase = Phase::forward_training;
    call.host_start_ns = time;
    call.host_end_ns = time + 1000;
    KernelRecord kernel;
    kernel.call = builder.add_call(record);
    kernel.name = "elemWiseRNNcell";
    kernel.start_ns = time + 2000;
    kernel.end_ns = time + 90'000;
    kernel.process = of;
    kernel.device = device;
    builder.add_kernel(kernel);
    time += 10'000'000;
  }
  return builder.finish();
}

std::vector<std::string> keys(const RnnConfig& before, const RnnConfig& after) {
  const Judged left(program(before)), right(program(after));
  std::vector<std::string> found;
  for (const auto& cause : compare(left.report, right.report).causes) found.push_back(cause.key);
  return found;
}

TEST(Causes, EachKeyThatDiffersIsNamedAndNoOther) {
  std::mt19937 random(20261128);
  const auto below = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(random); };
  const int draws = std::min(test::draws(), 200);
  for (int i = 0; i < draws; ++i) {
    RnnConfig before;
    before.cell = below(2) == 0 ? Cell::lstm : Cell::gru;
    before.hidden_size = before.proj_size = 64 * (1 + below(16));
    before.input_size = 32 * (1 + below(16));
    before.num_layers = 1 + below(3);
    before.batch_size = 1 + below(128);
    before.seq_length = 1 + below(200);
    ASSERT_EQ(keys(before, before), std::vector<std::string>{});
    RnnConfig after = before;
    std::string changed;
    switch (below(8)) {
      case 0:
        after.batch_size += 1 + below(64);
        changed = "batch_size";
        break;
      case 1:
        after.seq_length += 1 + below(64);
        changed = "seq_length";
        break;
      case 2:
        after.hidden_size = after.proj_size = before.hidden_size + 8;
        changed = "hidden_size";
        break;
      case 3:
        after.num_layers += 1;
        changed = "num_layers";
        break;
      case 4:
        after.cell = before.cell == Cell::lstm ? Cell::gru : Cell::lstm;
        changed = "cell";
        break;
      case 5:
        after.direction = Direction::bidirectional;
        changed = "direction";
        break;
      case 6:
        after.data_type = DataType::half;
        changed = "data_type";
        break;
      default:
        after.math_type = MathType::fma;
        changed = "math_type";
    }
    ASSERT_EQ(keys(before, after), std::vector<std::string>{changed});
  }
}

// A baseline of several runs reaches from the least to the greatest end of their intervals.
TEST(History, ARunWithinItsBaselinesIsNoChange) {
  const Judged same(program(RnnConfig{}));
  const auto row = [](double median) {
    Recorded recorded;
    recorded.step_ms = {.median = median,
                        .low = median - 0.1,
                        .high = median + 0.1,
                        .confidence = 0.95,
                        .count = 9};
    return recorded;
  };
  const auto against = [&](double after) {
    const std::vector<Recorded> rows = {row(10), row(12), row(11), row(after)};
    Comparison comparison;
    comparison.step = StepComparison{};
    comparison.step->before_ms = rows[2].step_ms;
    comparison.step->after_ms = rows[3].step_ms;
    widen_baseline(comparison, rows, same.report, same.report);
    EXPECT_DOUBLE_EQ(comparison.step->before_ms.median, 11);
    EXPECT_DOUBLE_EQ(comparison.step->before_ms.low, 9.9);
    EXPECT_DOUBLE_EQ(comparison.step->before_ms.high, 12.1);
    return comparison.step->change;
  };
  EXPECT_EQ(against(12.15), Change::no_difference);
  EXPECT_EQ(against(9.85), Change::no_difference);
  EXPECT_EQ(against(12.5), Change::slower);
  EXPECT_EQ(against(9.5), Change::faster);
}

// A baseline with other layers, data types or another GPU says nothing about the runs of this one.
TEST(History, BaselinesHaveTheLayersOfTheLastOne) {
  RnnConfig half;
  half.data_type = DataType::half;
  RnnConfig longer;
  longer.seq_length = 77;
  const Judged plain(program(RnnConfig{})), other(program(half)), length(program(longer));
  std::vector<Recorded> rows = {recorded("half", other.report), recorded("longer", length.report),
                                recorded("last", plain.report), recorded("now", other.report)};
  tell_changes(rows, std::vector<Environment>(rows.size()));
  EXPECT_FALSE(rows[0].baseline);
  EXPECT_TRUE(rows[1].baseline);
  EXPECT_TRUE(rows[2].baseline);
  double median = 5;
  for (auto& row : rows) {
    median += 5;
    row.step_ms = {.median = median, .low = median, .high = median, .confidence = 0.95, .count = 9};
  }
  Comparison comparison;
  comparison.step = StepComparison{};
  comparison.step->before_ms = rows[2].step_ms;
  comparison.step->after_ms = rows[3].step_ms;
  widen_baseline(comparison, rows, plain.report, other.report);
  EXPECT_DOUBLE_EQ(comparison.step->before_ms.low, 15);
}

}  // namespace
}  // namespace rnnadvisor::compare
