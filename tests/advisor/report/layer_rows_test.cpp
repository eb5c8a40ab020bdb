// A layer that ran with many batch sizes and sequence lengths has one row.
#include "advisor/report/layer_rows.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "advisor/judge/judge.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor::advisor {
namespace {

struct Layer {
  int hidden_size;
  std::vector<int> lengths;
  int batch_size = 64;
};

Profile program(const std::vector<Layer>& layers, int calls_of_longest = 1) {
  ProfileBuilder builder;
  builder.add_device(*find_device("h200"));
  for (const auto& layer : layers) {
    const int longest = *std::max_element(layer.lengths.begin(), layer.lengths.end());
    for (const int length : layer.lengths) {
      Configuration one;
      one.origin = Origin::captured;
      one.config.hidden_size = one.config.input_size = layer.hidden_size;
      one.config.seq_length = length;
      one.config.batch_size = layer.batch_size;
      const int configuration = builder.add_configuration(one);
      for (int n = 0; n < (length == longest ? calls_of_longest : 1); ++n) {
        CallRecord record;
        record.call.configuration = configuration;
        record.call.phase = Phase::forward_training;
        record.call.device_duration_ns = 1000;
        builder.add_call(record);
      }
    }
  }
  return builder.finish();
}

TEST(LayerRows, OneRowForAllLengths) {
  const auto profile = program({{512, {10, 30, 20}}, {256, {7}}}, 5);
  const auto judgement = judge(profile, builtin_rules());
  const auto report = make_report(profile, judgement, builtin_rules());
  EXPECT_EQ(report.own_configurations(), 4U);
  EXPECT_EQ(report.shown(), 2U);
  const auto& row = report.row_of(0);
  EXPECT_EQ(row.configuration->config.seq_length, 30) << "that took the most time";
  EXPECT_NE(row.name.find(" T10 to 30,"), std::string::npos) << row.name;
  EXPECT_EQ(row.shapes, (std::vector{0, 2, 1}));
  EXPECT_EQ(&report.row_of(3), &report.configurations[3]);
  EXPECT_NE(report.configurations[3].name.find("T7,"), std::string::npos);
  EXPECT_NE(report.headline.find("2 configurations"), std::string::npos) << report.headline;
  EXPECT_NE(report.headline.find("4 with all their shapes"), std::string::npos);
}

TEST(LayerRows, OneRowForAllBatchSizes) {
  const auto profile = program({{512, {10, 30}, 20}, {512, {30}, 3}});
  const auto report = make_report(profile, Judgement{}, builtin_rules());
  EXPECT_EQ(report.shown(), 1U);
  EXPECT_NE(report.row_of(0).name.find(" B3 to 20 T10 to 30,"), std::string::npos)
      << report.row_of(0).name;
}

// Every configuration has a row, and the row is of a layer that differs in its shape alone.
TEST(LayerRows, RowsArePartsOfAllConfigurations) {
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) {
    std::vector<Layer> layers;
    std::set<int> sizes;
    while (sizes.size() < 1 + random() % 4) sizes.insert(64 * static_cast<int>(1 + random() % 16));
    for (const int size : sizes) {
      std::set<int> lengths;
      for (std::size_t n = 1 + random() % 6; n > 0; --n)
        lengths.insert(static_cast<int>(1 + random() % 40));
      layers.push_back({size, {lengths.begin(), lengths.end()}});
    }
    const auto profile = program(layers, static_cast<int>(1 + random() % 3));
    const auto report = make_report(profile, Judgement{}, builtin_rules());
    ASSERT_EQ(report.shown(), layers.size());
    std::size_t in_rows = 0;
    for (const auto& each : report.configurations) {
      const auto& row = report.row_of(each.index);
      EXPECT_TRUE(row.listed());
      EXPECT_EQ(row.configuration->config.hidden_size, each.configuration->config.hidden_size);
      if (each.listed()) in_rows += std::max<std::size_t>(1, each.shapes.size());
    }
    EXPECT_EQ(in_rows, report.own_configurations());
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
