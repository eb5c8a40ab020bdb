// What stands behind sliders and sweeps: acceptance and sizes of one configuration.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "core/device/device_spec.h"
#include "core/model/cost.h"
#include "core/model/eligibility.h"
#include "core/model/matern_sum.h"
#include "core/model/memory.h"
#include "core/model/time_for_device.h"

namespace rnnadvisor::model {
namespace {

RnnConfig configuration(benchmark::IterationCount i) {
  RnnConfig c;
  c.data_type = DataType::half;
  c.math_type = MathType::tensor_op;
  c.algo = static_cast<Algo>(i % 4);
  c.cell = static_cast<Cell>(i / 4 % 4);
  c.input_size = c.hidden_size = c.proj_size = static_cast<int>(i % 2048) + 1;
  return c;
}

// A set, so that branches are not predicted from one configuration.
std::vector<RnnConfig> configurations() {
  std::vector<RnnConfig> list;
  for (benchmark::IterationCount i = 0; i < 4096; ++i) list.push_back(configuration(i));
  return list;
}

const DeviceSpec& device() {
  static const DeviceSpec spec = find_device("h200").value();
  return spec;
}

template <class Work>
void run(benchmark::State& state, Work&& work) {
  const auto list = configurations();
  const DeviceSpec& spec = device();
  std::size_t i = 0;
  for (auto _ : state) {
    work(list[i], spec);
    i = (i + 1) % list.size();
  }
  state.SetItemsProcessed(state.iterations());
}

void eligibility_and_sizes(benchmark::State& state) {
  run(state, [](const RnnConfig& c, const DeviceSpec& spec) {
    benchmark::DoNotOptimize(eligibility(c, spec));
    benchmark::DoNotOptimize(space_sizes(c));
  });
}
BENCHMARK(eligibility_and_sizes);

void eligibility_alone(benchmark::State& state) {
  run(state, [](const RnnConfig& c, const DeviceSpec& spec) {
    benchmark::DoNotOptimize(eligibility(c, spec));
  });
}
BENCHMARK(eligibility_alone);

void why_not_static(benchmark::State& state) {
  run(state, [](const RnnConfig& c, const DeviceSpec& spec) {
    benchmark::DoNotOptimize(why_not(c, spec, Algo::persist_static));
  });
}
BENCHMARK(why_not_static);

// What a cell of a map and a bar of the window's explorer take; the fit is made before.
void predicted_time(benchmark::State& state) {
  const PredictTime predict = predict_time_for(*find_device("h200"));
  run(state, [&](const RnnConfig& c, const DeviceSpec&) {
    benchmark::DoNotOptimize(predict(c, Phase::forward_training));
  });
}
BENCHMARK(predicted_time);

// The sum of such a prediction, eight points at a time and, as it was before, one: the ratio of
// the two is what vector instructions gain.
std::vector<Place> places() {
  std::vector<Place> all;
  for (const RnnConfig& c : configurations())
    if (all.size() < 1112) all.push_back(place(c));
  return all;
}

void sum_of_points(benchmark::State& state) {
  const auto points = places();
  const MaternSum sum(points, std::vector<double>(points.size(), 0.5));
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(sum.at(points[++i % points.size()]));
}
BENCHMARK(sum_of_points);

void sum_of_points_one_by_one(benchmark::State& state) {
  const auto points = places();
  std::size_t i = 0;
  for (auto _ : state) {
    const Place& where = points[++i % points.size()];
    double weighted = 0, largest = 0;
    for (const Place& point : points) {
      const double alike = matern(squared_distance(point, where));
      weighted += 0.5 * alike;
      largest = std::max(largest, alike);
    }
    benchmark::DoNotOptimize(weighted);
    benchmark::DoNotOptimize(largest);
  }
}
BENCHMARK(sum_of_points_one_by_one);

void roofline(benchmark::State& state) {
  run(state, [](const RnnConfig& c, const DeviceSpec& spec) {
    benchmark::DoNotOptimize(lower_bound(c, Phase::forward_training, spec));
  });
}
BENCHMARK(roofline);

}  // namespace
}  // namespace rnnadvisor::model
