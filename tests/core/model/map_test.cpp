#include "core/model/map.h"

#include <gmock/gmock.h>

#include <limits>

#include "core/model/limits.h"
#include "core/model/time_for_device.h"
#include "tests/core/model/cliff_times.h"

namespace rnnadvisor::model {
namespace {

using test::cliff_seconds;
using test::cliff_times;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;

const DeviceSpec& h200() {
  static const DeviceSpec device = find_device("h200").value();
  return device;
}

RnnConfig half_lstm(int hidden, int batch, Algo algo = Algo::standard) {
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.hidden_size = config.input_size = config.proj_size = hidden;
  config.batch_size = batch;
  config.seq_length = 256;
  config.algo = algo;
  return config;
}

ConfigurationMap map_of(const RnnConfig& here, MapAxes axes, const PredictTime& predict = {}) {
  MapRequest request;
  request.here = here;
  request.axes = axes;
  request.predict = predict;
  return build_map(request, h200());
}

std::vector<int> sizes(const MapAxis& axis) {
  std::vector<int> result;
  for (const auto& tick : axis.ticks) result.push_back(tick.size);
  return result;
}

int index_of(const MapAxis& axis, int size) {
  const auto all = sizes(axis);
  const auto found = std::find(all.begin(), all.end(), size);
  EXPECT_NE(found, all.end()) << size;
  return static_cast<int>(found - all.begin());
}

const MapEdge* edge(const ConfigurationMap& map, int row, int column, bool vertical) {
  for (const auto& each : map.edges) {
    if (each.row == row && each.column == column && each.vertical == vertical) return &each;
  }
  return nullptr;
}

TEST(MapTicks, HoldTheOwnSizesAndTheCliffsBesideThem) {
  const auto map = map_of(half_lstm(1001, 33), MapAxes::hidden_batch);
  EXPECT_THAT(sizes(map.rows), IsSupersetOf({512, 768, 992, 1000, 1001, 1008, 1024, 2048}));
  EXPECT_THAT(sizes(map.columns), IsSupersetOf({8, 16, 32, 33, 40, 64, 128}));
  EXPECT_EQ(map.rows.ticks[static_cast<std::size_t>(map.rows.here)].size, 1001);
  EXPECT_EQ(map.columns.ticks[static_cast<std::size_t>(map.columns.here)].size, 33);
  // A size that is on the good side of a cliff has the other side beside it.
  const auto aligned = map_of(half_lstm(1024, 64), MapAxes::hidden_batch);
  EXPECT_THAT(sizes(aligned.rows), Contains(1025));
  EXPECT_THAT(sizes(aligned.columns), Contains(65));
  // 1536 is the last hidden size that PERSIST_STATIC takes for an LSTM on this device.
  ASSERT_EQ(hidden_limit(h200(), Algo::persist_static, Cell::lstm, false).hidden, 1536);
  EXPECT_THAT(sizes(aligned.rows), IsSupersetOf({1536, 1537}));
}

TEST(MapTicks, AreFewAscendAndLegal) {
  for (const int size : {1, 2, 3, 7, 8, 9, 31, 100, 1001, 65535, std::numeric_limits<int>::max()}) {
    RnnConfig config = half_lstm(size, size);
    config.seq_length = size;
    for (const auto axes : all_map_axes) {
      const auto map = map_of(config, axes);
      for (const auto* axis : {&map.rows, &map.columns}) {
        EXPECT_LE(axis->ticks.size(), 15U);
        ASSERT_LT(axis->here, static_cast<int>(axis->ticks.size()));
        if (axis->dimension == MapDimension::type) continue;
        const auto all = sizes(*axis);
        EXPECT_GE(all.front(), 1);
        EXPECT_EQ(all[static_cast<std::size_t>(axis->here)], size);
        EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
        EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
      }
    }
  }
}

TEST(MapTicks, TheOwnTypeIsOneOfThem) {
  RnnConfig config = half_lstm(512, 32);
  config.math_precision = DataType::half;
  const auto map = map_of(config, MapAxes::hidden_type);
  ASSERT_EQ(map.rows.dimension, MapDimension::type);
  EXPECT_EQ(map.rows.ticks[static_cast<std::size_t>(map.rows.here)],
            (MapTick{0, DataType::half, MathType::tensor_op, DataType::half}));
  EXPECT_EQ(map.rows.ticks.size(), 7U);
  EXPECT_EQ(map_of(half_lstm(512, 32), MapAxes::hidden_type).rows.ticks.size(), 6U);
}

TEST(MapConfig, TheOwnCellIsTheConfiguration) {
  RnnConfig config = half_lstm(1001, 33);
  config.id = "mine";
  config.seq_lengths = std::vector<int>(33, 17);
  config.seq_lengths[4] = 256;
  for (const auto axes : all_map_axes) {
    const auto map = map_of(config, axes);
    EXPECT_EQ(config_at(map, map.rows.here, map.columns.here), config);
  }
}

TEST(MapConfig, WhatFollowsTheHiddenSizeFollows) {
  RnnConfig config = half_lstm(512, 32);
  auto map = map_of(config, MapAxes::hidden_batch);
  auto other = config_at(map, index_of(map.rows, 1024), map.columns.here);
  EXPECT_EQ(other.input_size, 1024);
  EXPECT_EQ(other.proj_size, 1024);
  config.input_size = 80;
  config.proj_size = 256;
  map = map_of(config, MapAxes::hidden_batch);
  other = config_at(map, index_of(map.rows, 1024), map.columns.here);
  EXPECT_EQ(other.input_size, 80);
  EXPECT_EQ(other.proj_size, 256);
}

TEST(MapConfig, LengthsKeepTheirDistribution) {
  RnnConfig config = half_lstm(512, 4);
  config.layout = Layout::seq_major_packed;
  config.seq_length = 100;
  config.seq_lengths = {100, 60, 40, 20};
  auto map = map_of(config, MapAxes::length_batch);
  EXPECT_TRUE(map.lengths_adapted);
  const int own = map.rows.here;
  EXPECT_THAT(config_at(map, own, index_of(map.columns, 8)).seq_lengths,
              ElementsAre(100, 100, 60, 60, 40, 40, 20, 20));
  EXPECT_THAT(config_at(map, own, index_of(map.columns, 2)).seq_lengths, ElementsAre(100, 20));
  EXPECT_THAT(config_at(map, own, index_of(map.columns, 1)).seq_lengths, ElementsAre(100));
  const auto shorter = config_at(map, index_of(map.rows, 8), map.columns.here);
  EXPECT_EQ(shorter.seq_length, 8);
  EXPECT_THAT(shorter.seq_lengths, ElementsAre(8, 5, 3, 2));
  // Every cell is one that cuDNN's data descriptor takes.
  for (int row = 0; row < static_cast<int>(map.rows.ticks.size()); ++row) {
    for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column)
      EXPECT_TRUE(map.at(row, column).run(Algo::standard).accepted) << row << ' ' << column;
  }
}

// Each cell against eligibility() and the formula themselves.
TEST(Map, CellsSayWhatTheRulesAndThePredictorSay) {
  const auto predict = cliff_times(h200());
  for (const auto mode : {Mode::training, Mode::inference}) {
    for (const auto axes : all_map_axes) {
      RnnConfig here = half_lstm(1001, 33, Algo::persist_static);
      here.mode = mode;
      const auto map = map_of(here, axes, predict);
      EXPECT_TRUE(map.has_times);
      EXPECT_EQ(map.basis, "a formula of the tests");
      for (int row = 0; row < static_cast<int>(map.rows.ticks.size()); ++row) {
        for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column) {
          const RnnConfig config = config_at(map, row, column);
          const auto& cell = map.at(row, column);
          const auto answer = eligibility(config, h200());
          const bool refused = mode == Mode::training ? !answer.at(Stage::backward_weights)
                                                      : !answer.at(Stage::forward_inference);
          EXPECT_EQ(cell.run().accepted, !refused);
          EXPECT_EQ(cell.run().implementation,
                    refused ? Implementation::none : answer.implementation);
          if (refused) {
            EXPECT_FALSE(cell.run().time.has_value());
            continue;
          }
          double seconds = 0, flops = 0;
          for (const Phase phase : phases_of(mode)) {
            seconds += cliff_seconds(config, phase, answer.implementation);
            flops += static_cast<double>(phase_cost(config, phase).flops);
          }
          ASSERT_TRUE(cell.run().time.has_value());
          EXPECT_NEAR(cell.run().time->seconds, seconds, 1e-12);
          EXPECT_NEAR(cell.run().time->low_seconds, 0.9 * seconds, 1e-12);
          EXPECT_FALSE(cell.run().time->measured);
          EXPECT_DOUBLE_EQ(cell.flops, flops);
        }
      }
    }
  }
}

TEST(Map, WithoutAPredictorItSaysWhatRunsAndNoTime) {
  DeviceSpec unmeasured = h200();
  unmeasured.id = "another-gpu";
  for (const PredictTime& predict : {PredictTime(), predict_time_for(unmeasured)}) {
    const auto map =
        map_of(half_lstm(1024, 64, Algo::persist_static), MapAxes::hidden_batch, predict);
    EXPECT_FALSE(map.has_times);
    EXPECT_EQ(map.own().run().implementation, Implementation::persistent);
    for (const auto& cell : map.cells) {
      EXPECT_FALSE(cell.best.has_value());
      EXPECT_FALSE(cell.speedup.has_value());
      for (const auto& run : cell.runs) EXPECT_FALSE(run.time.has_value());
    }
    // 1536 is taken, 1537 refused: that is an edge without any time.
    const int last = index_of(map.rows, 1536);
    const auto* end = edge(map, last, map.columns.here, true);
    ASSERT_NE(end, nullptr);
    EXPECT_TRUE(end->implementation);
    EXPECT_EQ(end->factor, 0);
  }
}

TEST(Map, CliffsAreEdgesAndGrowthIsNone) {
  const auto map = map_of(half_lstm(1024, 33), MapAxes::hidden_batch, cliff_times(h200()));
  const int row = map.rows.here;
  const int at_32 = index_of(map.columns, 32), at_33 = index_of(map.columns, 33);
  ASSERT_EQ(at_33, at_32 + 1);
  const auto* cliff = edge(map, row, at_32, false);
  ASSERT_NE(cliff, nullptr);
  EXPECT_TRUE(cliff->worse_is_next);
  EXPECT_FALSE(cliff->implementation);
  // By hand: the training step has 3 phases of T * 8 us, and flops / rate.
  const double flops_32 = map.at(row, at_32).flops, flops_33 = map.at(row, at_33).flops;
  const double steps = 3 * 256 * 8e-6;
  const double expected =
      (steps + flops_33 / 20e12) / (steps + flops_32 / 200e12) / (flops_33 / flops_32);
  ASSERT_GT(expected, 1.1 / 0.9);
  EXPECT_NEAR(cliff->factor, expected, 1e-9);
  // From 33 on to 40 it is worse on this side.
  const auto* back = edge(map, row, at_33, false);
  ASSERT_NE(back, nullptr);
  EXPECT_FALSE(back->worse_is_next);
  // Twice the batch, less than twice the time, and no less time: no cliff.
  const int at_64 = index_of(map.columns, 64);
  EXPECT_EQ(edge(map, row, at_64, false), nullptr);
}

TEST(Map, AJumpWithinTheIntervalsIsNoCliff) {
  const auto sharp = cliff_times(h200());
  const PredictTime vague = [sharp](const RnnConfig& config, Phase phase) {
    auto time = sharp(config, phase);
    if (time) {
      time->low_seconds = time->seconds / 100;
      time->high_seconds = time->seconds * 100;
    }
    return time;
  };
  const auto map = map_of(half_lstm(1001, 33), MapAxes::hidden_batch, vague);
  for (const auto& each : map.edges) EXPECT_EQ(each.factor, 0);
  EXPECT_TRUE(map.better.empty());
}

TEST(Map, NamesTheNearestBetterBatch) {
  const auto map = map_of(half_lstm(1024, 33), MapAxes::hidden_batch, cliff_times(h200()));
  ASSERT_EQ(map.better.size(), 1U);
  const auto& better = map.better.front();
  EXPECT_EQ(better.reason, BetterNeighbour::Reason::time);
  EXPECT_EQ(config_at(map, better.row, better.column).batch_size, 32);
  EXPECT_EQ(better.row, map.rows.here);
  EXPECT_FALSE(better.other_model);
  EXPECT_TRUE(better.estimate);
  const double own = map.own().run().time->seconds / 33;
  const double there = map.at(better.row, better.column).run().time->seconds / 32;
  EXPECT_NEAR(better.factor.value, own / there, 1e-9);
  EXPECT_NEAR(better.factor.low, own / there * 0.9 / 1.1, 1e-9);
}

TEST(Map, SaysWhenTheNearestBetterIsAnotherModel) {
  // Nothing but the hidden size is wrong: the batch can only be larger.
  const auto map = map_of(half_lstm(1001, 64), MapAxes::hidden_batch, cliff_times(h200()));
  ASSERT_EQ(map.better.size(), 1U);
  const auto& better = map.better.front();
  EXPECT_TRUE(better.other_model);
  EXPECT_EQ(config_at(map, better.row, better.column).hidden_size, 1000);
  EXPECT_TRUE(better.per_flop);  // it is smaller, which takes less time anyway
  // A type is no other model, but other numerics.
  RnnConfig in_float = half_lstm(1024, 64);
  in_float.data_type = DataType::float32;
  in_float.math_type = MathType::default_math;
  const auto types = map_of(in_float, MapAxes::hidden_type, cliff_times(h200()));
  ASSERT_FALSE(types.better.empty());
  EXPECT_TRUE(types.better.back().other_numerics);
  EXPECT_FALSE(types.better.back().other_model);
}

// A larger model is better only where it takes less time, not where it is used better.
TEST(Map, ALargerModelIsBetterOnlyWhereItTakesLessTime) {
  const PredictTime constant = [](const RnnConfig&, Phase) {
    return std::optional(TimePrediction{1e-3, 0.99e-3, 1.01e-3, false, "constant"});
  };
  const auto map = map_of(half_lstm(1024, 64), MapAxes::hidden_batch, constant);
  for (const auto& better : map.better) EXPECT_FALSE(better.other_model);
  ASSERT_EQ(map.better.size(), 1U);
  EXPECT_GT(config_at(map, map.better[0].row, map.better[0].column).batch_size, 64);
}

TEST(Map, WhereItIsRefusedTheNearestThatIsTakenIsNamed) {
  const auto map =
      map_of(half_lstm(1537, 64, Algo::persist_static), MapAxes::hidden_batch, cliff_times(h200()));
  ASSERT_FALSE(map.better.empty());
  EXPECT_EQ(map.better[0].reason, BetterNeighbour::Reason::accepted);
  EXPECT_EQ(config_at(map, map.better[0].row, map.better[0].column).hidden_size, 1536);
  // Where the own configuration is bfloat16, the persistent algorithm runs standard kernels.
  RnnConfig bf16 = half_lstm(512, 64, Algo::persist_static);
  bf16.data_type = DataType::bfloat16;
  const auto types = map_of(bf16, MapAxes::hidden_type);
  ASSERT_FALSE(types.better.empty());
  EXPECT_EQ(types.better[0].reason, BetterNeighbour::Reason::implementation);
  EXPECT_TRUE(types.better[0].other_numerics);
}

TEST(Map, TheBestAlgorithmIsTheFastestThatIsRight) {
  const auto map = map_of(half_lstm(1024, 64), MapAxes::hidden_batch, cliff_times(h200()));
  const auto& own = map.own();
  ASSERT_TRUE(own.best.has_value());
  EXPECT_EQ(*own.best, Algo::persist_static);
  ASSERT_TRUE(own.speedup.has_value());
  EXPECT_NEAR(own.speedup->value,
              own.run(Algo::standard).time->seconds / own.run(*own.best).time->seconds, 1e-12);
  const auto better = better_algorithm(map);
  ASSERT_TRUE(better.has_value());
  EXPECT_EQ(better->algo, Algo::persist_static);
  EXPECT_TRUE(better->estimate);
  // Gradients of this one are wrong (small_h_wrong_results): it is never the best.
  RnnConfig defect = half_lstm(64, 64);
  defect.cell = Cell::rnn_tanh;
  defect.direction = Direction::bidirectional;
  ASSERT_EQ(small_h_wrong_results(defect), WrongResults::gradients);
  const PredictTime favours = [](const RnnConfig& config, Phase) {
    const double seconds = config.algo == Algo::persist_static_small_h ? 1e-6 : 1e-3;
    return std::optional(TimePrediction{seconds, seconds, seconds, false, "x"});
  };
  MapRequest request;
  request.here = defect;
  request.predict = favours;
  const auto wrong = build_map(request, h200());
  ASSERT_TRUE(wrong.own().run(Algo::persist_static_small_h).time.has_value());
  EXPECT_NE(*wrong.own().best, Algo::persist_static_small_h);
  // Of those that are clearly faster than the asked one, that with the least time.
  const auto two =
      map_of(half_lstm(1024, 64), MapAxes::hidden_batch, [](const RnnConfig& config, Phase) {
        const double s = config.algo == Algo::standard         ? 10e-3
                         : config.algo == Algo::persist_static ? 5e-3
                                                               : 4e-3;
        return std::optional(TimePrediction{s, s * 0.8, s * 1.2, false, "x"});
      });
  EXPECT_EQ(*two.own().best, Algo::persist_dynamic);
  // Equal within the intervals: the asked one stays.
  const auto vague =
      map_of(half_lstm(1024, 64), MapAxes::hidden_batch, [](const RnnConfig& config, Phase) {
        const double s = config.algo == Algo::standard ? 1.1e-3 : 1e-3;
        return std::optional(TimePrediction{s, s / 2, s * 2, false, "x"});
      });
  EXPECT_EQ(*vague.own().best, Algo::standard);
  EXPECT_FALSE(better_algorithm(vague).has_value());
}

TEST(Map, WhatAFrameworkPicksRuns) {
  MapRequest request;
  request.here = half_lstm(1024, 64);
  request.predict = cliff_times(h200());
  request.call = [](RnnConfig config) {
    config.set_algo(config.batch_size % 8 == 0 ? Algo::persist_static : Algo::standard);
    return config;
  };
  const auto map = build_map(request, h200());
  EXPECT_TRUE(map.framework_picks);
  EXPECT_EQ(map.own().asked, Algo::persist_static);
  EXPECT_EQ(map.at(map.rows.here, index_of(map.columns, 65)).asked, Algo::standard);
  EXPECT_EQ(config_at(map, map.rows.here, index_of(map.columns, 65)).algo, Algo::standard);
  EXPECT_FALSE(better_algorithm(map).has_value());
  // No other algorithm's speedup is shown of a call that runs this one.
  for (const auto& cell : map.cells) {
    if (!cell.best) continue;
    EXPECT_EQ(cell.run(*cell.best).implementation, cell.run().implementation);
    ASSERT_TRUE(cell.speedup);
    EXPECT_DOUBLE_EQ(cell.speedup->value,
                     cell.run(Algo::standard).time->seconds / cell.run(*cell.best).time->seconds);
  }
}

TEST(Map, MeasuredTimesComeBeforePredictedOnes) {
  RnnConfig here = half_lstm(1024, 64);
  std::vector<MeasuredTime> rows;
  for (const Phase phase : phases_of(Mode::training))
    rows.push_back({here, phase, 2e-3, 1.9e-3, 2.1e-3});
  rows[0].config.id = "another name";
  MapRequest request;
  request.here = here;
  request.predict = cliff_times(h200());
  request.measured = rows;
  const auto map = build_map(request, h200());
  ASSERT_TRUE(map.own().run().time.has_value());
  EXPECT_TRUE(map.own().run().time->measured);
  EXPECT_NEAR(map.own().run().time->seconds, 6e-3, 1e-12);
  EXPECT_NEAR(map.own().run().time->high_seconds, 6.3e-3, 1e-12);
  const int next = map.columns.here + 1;
  EXPECT_FALSE(map.at(map.rows.here, next).run().time->measured);
  // One phase alone is no measured step.
  request.measured = std::span(rows).first(1);
  EXPECT_FALSE(build_map(request, h200()).own().run().time->measured);
}

TEST(Map, SaysWhatDoesNotFit) {
  RnnConfig config = half_lstm(4096, 4096);
  config.num_layers = 8;
  config.seq_length = 2048;
  const auto map = map_of(config, MapAxes::length_batch);
  EXPECT_FALSE(map.cells.back().fits);
  EXPECT_TRUE(map.cells.front().fits);
}

TEST(Map, CanBeEnded) {
  int asked = 0;
  MapRequest request;
  request.here = half_lstm(1024, 64);
  request.keep_going = [&] { return ++asked < 10; };
  EXPECT_TRUE(build_map(request, h200()).cells.empty());
  EXPECT_EQ(asked, 10);
}

TEST(Map, NamesOfAxesAreReadBack) {
  for (const auto axes : all_map_axes) EXPECT_EQ(parse_map_axes(to_string(axes)), axes);
  EXPECT_FALSE(parse_map_axes("hidden").has_value());
}

}  // namespace
}  // namespace rnnadvisor::model
