// Times of a GPU that a minute of measuring takes from another one's: here from an H200's
// measurements, made slower as another GPU might be, so that the truth is known. Other GPUs were
// not measured.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/model/time_cross_validation.h"
#include "core/model/time_model.h"
#include "core/model/time_order.h"
#include "tests/core/model/time_errors.h"

namespace rnnadvisor::model {
namespace {

const DeviceSpec& h200() {
  static const DeviceSpec device = *find_device("nvidia-h200");
  return device;
}

MeasuredTimes read(const std::string& file) {
  auto times = read_measured_times_file(RNNADVISOR_SOURCE_DIR "/" + file);
  EXPECT_TRUE(times) << to_text(times.error());
  return times ? std::move(*times) : MeasuredTimes{};
}

// How many times as long it takes there: other kernels by other factors, wide layers and float
// more.
double slower(const RnnConfig& config) {
  const double kernels = config.algo == Algo::standard         ? 1.25
                         : config.algo == Algo::persist_static ? 1.7
                                                               : 1.5;
  const double type = config.data_type == DataType::float32 ? 1.4 : 1;
  return kernels * type * std::pow(config.hidden_size / 512.0, 0.2) *
         std::pow(config.batch_size / 32.0, 0.08);
}

MeasuredTimes on_another_gpu(MeasuredTimes times) {
  times.choices.clear();
  times.device = "Another GPU";
  for (auto& row : times.rows)
    for (double& seconds : row.seconds) seconds *= slower(row.config);
  return times;
}

// What a minute measures of the shipped grid, in its order.
MeasuredTimes of_a_minute(std::size_t rows) {
  MeasuredTimes all = on_another_gpu(read("core/device/devices/nvidia-h200.times.jsonl"));
  std::vector<RnnConfig> grid;
  for (const auto& row : all.rows) grid.push_back(row.config);
  MeasuredTimes some = all;
  some.rows.clear();
  for (const std::size_t index : order_to_measure(grid, h200())) {
    if (some.rows.size() == rows) break;
    some.rows.push_back(all.rows[index]);
  }
  return some;
}

TimeErrors all_of(const TimeJudgement& judged) {
  TimeErrors all;
  for (const auto& [group, phases] : judged.errors)
    for (const auto& [phase, errors] : phases) test::add(all, errors);
  return all;
}

TimeJudgement judged(const TimeModel& model, const MeasuredTimes& asked) {
  return judge_times(asked, h200(), [&](std::size_t row, Phase phase) {
    return model.predict(asked.rows[row].config, phase);
  });
}

TEST(AdaptedTimes, OneFactorForAllIsFound) {
  MeasuredTimes times = of_a_minute(120);
  times.adapts = "nvidia-h200";
  const auto base = shipped_fits("nvidia-h200");
  ASSERT_NE(base, nullptr);
  for (auto& row : times.rows)
    for (const Phase phase : all_phases) {
      const auto known = base->predict(row.config, phase);
      row.seconds[static_cast<std::size_t>(phase)] = known ? 1.7 * known->seconds : 0;
    }
  const TimeModel model(times, h200());
  int predicted = 0;
  for (const auto& row : read("tests/data/h200/held-back.times.jsonl").rows) {
    for (const Phase phase : all_phases) {
      const auto there = model.predict(row.config, phase), here = base->predict(row.config, phase);
      ASSERT_EQ(there.has_value(), here.has_value());
      if (!there) continue;
      ++predicted;
      EXPECT_NEAR(there->seconds / here->seconds, 1.7, 1e-6);
    }
  }
  EXPECT_GT(predicted, 100);
}

TEST(AdaptedTimes, AMinuteTellsMoreThanItDoesAlone) {
  const MeasuredTimes asked = on_another_gpu(read("tests/data/h200/held-back-drawn-fourth.times.jsonl"));
  MeasuredTimes minute = of_a_minute(200);
  const TimeModel alone(minute, h200());
  minute.adapts = "nvidia-h200";
  minute.choices = chosen_for(minute, h200());
  const TimeModel adapted(minute, h200());
  const auto by_itself = judged(alone, asked), corrected = judged(adapted, asked);
  const TimeErrors few = all_of(by_itself), many = all_of(corrected);
  std::printf("alone: %d of %d without, median %.3f, 95th %.3f, inside %.3f\n", by_itself.without,
              few.count(), quantile(few.relative, 0.5), quantile(few.relative, 0.95),
              static_cast<double>(few.covered) / few.count());
  std::printf("adapted: %d of %d without, median %.3f, 95th %.3f, inside %.3f\n", corrected.without,
              many.count(), quantile(many.relative, 0.5), quantile(many.relative, 0.95),
              static_cast<double>(many.covered) / many.count());
  EXPECT_EQ(corrected.without, judged(*shipped_fits("nvidia-h200"), asked).without);
  EXPECT_LT(quantile(many.relative, 0.5), quantile(few.relative, 0.5));
  EXPECT_LT(quantile(many.relative, 0.95), quantile(few.relative, 0.95));
  EXPECT_GE(many.covered, 0.9 * many.count());
}

TEST(AdaptedTimes, OfKernelsThatWereNotMeasuredTheIntervalIsWideEnough) {
  MeasuredTimes minute = of_a_minute(200);
  minute.adapts = "nvidia-h200";
  const auto left_out = cross_validate(minute, h200(), kernel_folds(minute));
  const TimeErrors all = all_of(judge(minute, h200(), left_out, Split::kernels));
  std::printf("kernels left out: %d, median %.3f, 95th %.3f, inside %.3f\n", all.count(),
              quantile(all.relative, 0.5), quantile(all.relative, 0.95),
              static_cast<double>(all.covered) / all.count());
  EXPECT_GE(all.covered, 0.8 * all.count());
  EXPECT_GT(all.count(), 200);
}

}  // namespace
}  // namespace rnnadvisor::model
