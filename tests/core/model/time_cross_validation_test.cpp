#include "core/model/time_cross_validation.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/model/time_features.h"
#include "core/model/time_intervals.h"
#include "core/model/time_model.h"

namespace rnnadvisor::model {
namespace {

const DeviceSpec& h200() {
  static const DeviceSpec device = *find_device("nvidia-h200");
  return device;
}

// Any fixed sequence will do: SplitMix64's increments. Uniform between -1 and 1.
struct Noise {
  std::uint64_t state = 1;
  double next() {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11U) * 0x1p-52 - 1;
  }
};

// Times of a device that takes 20 us for a call and 10 us for a step, 3 us where it is persistent;
// each off by up to `noise`, as a logarithm.
MeasuredTimes made_up_times(double noise) {
  Noise random;
  MeasuredTimes times;
  times.device = "made up";
  for (const Algo algo : {Algo::standard, Algo::persist_static}) {
    for (const int hidden : {64, 128, 256, 512, 1024}) {
      for (const int batch : {8, 32, 64, 128, 512}) {
        for (const int steps : {8, 32, 128}) {
          MeasuredRow row;
          row.config.algo = algo;
          row.config.data_type = DataType::half;
          row.config.math_type = MathType::tensor_op;
          row.config.hidden_size = row.config.input_size = row.config.proj_size = hidden;
          row.config.batch_size = batch;
          row.config.seq_length = steps;
          const double step = algo == Algo::standard ? 10e-6 : 3e-6;
          for (const Phase phase : all_phases) {
            row.seconds[static_cast<std::size_t>(phase)] =
                (20e-6 + steps * step) * std::exp(noise * random.next());
          }
          times.rows.push_back(std::move(row));
        }
      }
    }
  }
  return times;
}

TEST(Folds, LeaveOutWhatIsAskedAndAllAlgorithmsOfAShape) {
  const MeasuredTimes times = made_up_times(0);
  std::map<Split, std::multiset<std::size_t>> asked;
  for (const Fold& fold : folds(times)) {
    EXPECT_TRUE(std::is_sorted(fold.left_out.begin(), fold.left_out.end()));
    EXPECT_FALSE(fold.asked.empty());
    EXPECT_LT(fold.left_out.size(), times.rows.size());
    const std::set<std::size_t> out(fold.left_out.begin(), fold.left_out.end());
    for (const std::size_t row : fold.asked) EXPECT_TRUE(out.contains(row));
    for (const std::size_t row : fold.left_out) {
      const std::size_t other = (row + times.rows.size() / 2) % times.rows.size();
      EXPECT_TRUE(out.contains(other)) << "the same shape with the other algorithm";
    }
    if (fold.split == Split::cross) {
      for (std::size_t i = 0; i < times.rows.size(); ++i) {
        const RnnConfig &one = times.rows[i].config, &of = times.rows[fold.asked.front()].config;
        EXPECT_EQ(out.contains(i),
                  one.hidden_size == of.hidden_size || one.batch_size == of.batch_size);
      }
    }
    asked[fold.split].insert(fold.asked.begin(), fold.asked.end());
  }
  for (std::size_t i = 0; i < times.rows.size(); ++i) {
    const RnnConfig& config = times.rows[i].config;
    EXPECT_EQ(asked[Split::shape].count(i), 1U);
    EXPECT_EQ(asked[Split::hidden].count(i),
              config.hidden_size > 64 && config.hidden_size < 1024 ? 1U : 0U);
    EXPECT_EQ(asked[Split::batch].count(i),
              config.batch_size > 8 && config.batch_size < 512 ? 1U : 0U);
    EXPECT_EQ(asked[Split::cut].count(i) > 0, config.seq_length != times.rows[0].config.seq_length);
  }
  EXPECT_FALSE(asked[Split::cross].empty());
  EXPECT_TRUE(folds({}).empty());
}

TEST(CrossValidation, KnowsNothingOfWhatIsLeftOut) {
  // One shape takes a hundred times as long as every other one: only a model that has seen it can
  // predict that.
  MeasuredTimes times = made_up_times(0.05);
  std::set<std::size_t> strange;
  for (std::size_t i = 0; i < times.rows.size(); ++i) {
    const RnnConfig& config = times.rows[i].config;
    if (config.hidden_size != 256 || config.batch_size != 64 || config.seq_length != 32) continue;
    for (double& seconds : times.rows[i].seconds) seconds *= 100;
    strange.insert(i);
  }
  ASSERT_EQ(strange.size(), 2U);
  std::size_t seen = 0;
  for (const LeftOutTime& time : cross_validate(times, h200())) {
    if (!strange.contains(time.row)) continue;
    ++seen;
    EXPECT_LT(time.predicted.seconds, 0.1 * times.rows[time.row].at(time.phase));
  }
  EXPECT_GE(seen, 2 * all_phases.size()) << "by shape and by line at least";
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(cross_validate(times, h200(), &stop).empty());
  EXPECT_TRUE(cross_validate({}, h200()).empty());
}

TEST(IntervalFactors, WidenUntilNineInTenAreInside) {
  const MeasuredTimes times = made_up_times(0.3);
  std::vector<LeftOutTime> left_out = cross_validate(times, h200());
  // Intervals that are four times too narrow, of one phase: as if the fit had known the noise less.
  for (LeftOutTime& time : left_out)
    widen(time.predicted, time.phase == Phase::backward_data ? 0.25 : 1.0);
  const auto coverage = [&](Split split, Phase phase) {
    TimeErrors all;
    for (const auto& [group, phases] : judge(times, h200(), left_out, split).errors) {
      all.covered += phases.at(phase).covered;
      all.relative.insert(all.relative.end(), phases.at(phase).relative.begin(),
                          phases.at(phase).relative.end());
    }
    return static_cast<double>(all.covered) / all.count();
  };
  EXPECT_LT(coverage(Split::shape, Phase::backward_data), 0.5);
  widen_across_halves(times, h200(), left_out);
  for (const Phase phase : all_phases) {
    EXPECT_GT(coverage(Split::shape, phase), 0.85) << to_string(phase);
    EXPECT_GT(coverage(Split::hidden, phase), 0.85) << to_string(phase);
  }
}

TEST(IntervalFactors, AreKeptAndUsed) {
  MeasuredTimes times = made_up_times(0.1);
  const RnnConfig asked = times.rows[40].config;
  const auto width = [&] {
    const auto predicted = TimeModel(times, h200()).predict(asked, Phase::backward_data);
    return std::log(predicted->high_seconds / predicted->low_seconds);
  };
  const double before = width();
  const auto group = time_group(asked, h200(), Phase::backward_data);
  ASSERT_TRUE(group);
  const std::string key = "interval of " + to_string(*group) + ": backward_data";
  times.choices[key] = {3};
  EXPECT_NEAR(width(), 3 * before, 1e-9);
  for (const std::vector<double>& senseless :
       {std::vector<double>{}, {0.5}, {std::nan("")}, {1e9}, {2, 3}}) {
    times.choices[key] = senseless;
    EXPECT_NEAR(width(), before, 1e-9);
  }
  const auto chosen = chosen_for(times, h200());
  ASSERT_TRUE(chosen.contains(key));
  EXPECT_EQ(chosen.at(key).size(), 1U);
  EXPECT_GE(chosen.at(key).front(), 1);
  EXPECT_LT(without_interval_factors(chosen).size(), chosen.size());
  EXPECT_FALSE(without_interval_factors(chosen).contains(key));
}

TEST(ChoiceErrors, CountAnAlgorithmOnceThatWasMeasuredTwice) {
  MeasuredTimes times = made_up_times(0);
  times.rows.resize(1);
  times.rows.push_back(times.rows.front());
  times.rows.back().seconds[0] *= 1.3;
  const auto judged = judge_times(times, h200(), [&](std::size_t row, Phase phase) {
    TimePrediction predicted;
    predicted.seconds = times.rows[row].at(phase);
    return std::optional(predicted);
  });
  EXPECT_EQ(judged.inference.configurations, 0) << "there is nothing to choose";
}

}  // namespace
}  // namespace rnnadvisor::model
