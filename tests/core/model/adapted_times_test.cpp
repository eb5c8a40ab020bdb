// Times of a GPU that a minute of measuring takes from another one's: here from an H200's
// measurements, made slower as another GPU might be, so that the truth is known. Other GPUs were
// not measured.
#include <fmt/format.h>
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

std::string error_row(const std::string& name, const TimeJudgement& judged) {
  const TimeErrors all = all_of(judged);
  return fmt::format("| {} | {} | {} | {} | {} |\n", name, all.count(),
                     test::percent(quantile(all.relative, 0.5)),
                     test::percent(quantile(all.relative, 0.95)), test::covered(all));
}

// With its intervals, as calibrate writes it.
MeasuredTimes adapting(MeasuredTimes minute) {
  minute.adapts = "nvidia-h200";
  minute.choices = chosen_for(minute, h200());
  return minute;
}

void expect_better(const TimeJudgement& corrected, const TimeJudgement& alone) {
  const TimeErrors few = all_of(alone), many = all_of(corrected);
  EXPECT_GE(many.count(), few.count());
  EXPECT_LT(quantile(many.relative, 0.5), quantile(few.relative, 0.5));
  EXPECT_LT(quantile(many.relative, 0.95), quantile(few.relative, 0.95));
  EXPECT_GE(many.covered, 0.9 * many.count());
}

constexpr const char* heading =
    "| times from | times | median error | 95th percentile | in the interval |\n"
    "| --- | --- | --- | --- | --- |\n";

TEST(AdaptedTimes, AMinuteTellsMoreThanItDoesAlone) {
  const MeasuredTimes asked =
      on_another_gpu(read("tests/data/h200/held-back-drawn-fourth.times.jsonl"));
  const MeasuredTimes minute = of_a_minute(200);
  const TimeModel alone(minute, h200()), adapted(adapting(minute), h200());
  const auto by_itself = judged(alone, asked), corrected = judged(adapted, asked);
  EXPECT_EQ(corrected.without, judged(*shipped_fits("nvidia-h200"), asked).without);
  expect_better(corrected, by_itself);
  test::expect_written("adapted to a formula",
                       heading +
                           error_row("the H200", judged(*shipped_fits("nvidia-h200"), asked)) +
                           error_row("200 rows alone", by_itself) +
                           error_row("the H200, corrected by 200 rows", corrected));
}

// The same H200 with 52 of its 132 multiprocessors (CUDA MPS): persistent kernels take layers of a
// third of the size there, and wide ones take longer than narrow ones. tests/data/h200/README.md.
TEST(AdaptedTimes, HoldOnFewerMultiprocessors) {
  const std::string folder = "tests/data/h200/52-multiprocessors/";
  const auto device = find_device(RNNADVISOR_SOURCE_DIR "/" + folder + "gpu.toml");
  ASSERT_TRUE(device) << to_text(device.error());
  MeasuredTimes longer = read(folder + "longer.times.jsonl");
  const TimeModel minute_corrects(read(folder + "minute.times.jsonl"), *device);
  const TimeModel longer_corrects(longer, *device);
  ASSERT_EQ(longer.adapts, "nvidia-h200");
  longer.adapts.clear();
  longer.choices.clear();
  longer.choices = chosen_for(longer, *device);
  const TimeModel longer_alone(longer, *device);
  const auto table = [&](const std::string& name) {
    const MeasuredTimes asked = read(folder + name);
    const auto judged_there = [&](const TimeModel& model) {
      return judge_times(asked, *device, [&](std::size_t row, Phase phase) {
        return model.predict(asked.rows[row].config, phase);
      });
    };
    const auto h200_there = judged_there(*shipped_fits("nvidia-h200"));
    const auto minute = judged_there(minute_corrects), more = judged_there(longer_corrects);
    EXPECT_EQ(minute.without, h200_there.without) << name;
    EXPECT_LT(all_of(h200_there).covered, 0.7 * all_of(h200_there).count()) << name;
    EXPECT_GE(all_of(minute).covered, 0.9 * all_of(minute).count()) << name;
    return heading + error_row("the H200", h200_there) +
           error_row("the H200, corrected by 30 rows", minute) +
           error_row("558 rows alone", judged_there(longer_alone)) +
           error_row("the H200, corrected by them", more);
  };
  test::expect_written("adapted to 52 multiprocessors", table("held-back.times.jsonl"));
  test::expect_written("adapted to 52 multiprocessors, another host",
                       table("held-back-second.times.jsonl"));
}

TEST(AdaptedTimes, OfKernelsThatWereNotMeasuredTheIntervalIsWideEnough) {
  const MeasuredTimes minute = adapting(of_a_minute(200));
  const auto left_out = cross_validate(minute, h200(), kernel_folds(minute));
  const auto judged = judge(minute, h200(), left_out, Split::kernels);
  const TimeErrors all = all_of(judged);
  EXPECT_GE(all.covered, 0.8 * all.count());
  EXPECT_GT(all.count(), 200);
  test::expect_written("adapted without the kernels",
                       heading + error_row("kernels left out", judged));
}

}  // namespace
}  // namespace rnnadvisor::model
