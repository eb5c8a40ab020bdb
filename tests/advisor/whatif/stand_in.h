// Experimenters without a GPU: one that answers from a table of costs, one from times that were
// recorded on an H200. Both answer as the contract in core/cudnn/experiment_data.h asks.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "advisor/whatif/experimenter.h"
#include "core/base/statistics.h"

namespace rnnadvisor::advisor::stand_in {

// Time of one variant (the original is one of a single call), ms; below 0: it is not known.
using Cost = std::function<double(const ExperimentVariant&, ExperimentScope)>;

inline ExperimentVariant original(const RnnConfig& before) {
  ExperimentVariant variant;
  variant.calls = {before};
  return variant;
}

// Samples around a median: `spread` of it on both sides, evenly, so that the interval of the median
// is known in closed form.
inline std::vector<double> samples(double ms, double spread, int rounds) {
  std::vector<double> list;
  for (int i = 0; i < rounds; ++i) list.push_back(ms * (1 + spread * (2.0 * i / (rounds - 1) - 1)));
  return list;
}

// Rounds as many as asked for. The interval of the speedup is taken as its median times 1 -+
// spread, that of the control as 1 -+ spread.
inline ExperimentTiming timing(ExperimentScope scope, double before, double after, int rounds,
                               double spread) {
  ExperimentTiming made;
  made.scope = scope;
  made.before_samples_ms = samples(before, spread, rounds);
  made.after_samples_ms = samples(after, spread, rounds);
  made.control_samples_ms = samples(before, spread, rounds);
  made.before_ms = median_interval(made.before_samples_ms);
  made.after_ms = median_interval(made.after_samples_ms);
  made.speedup = before / after;
  made.speedup_low = made.speedup * (1 - spread);
  made.speedup_high = made.speedup * (1 + spread);
  made.control_low = 1 - spread;
  made.control_high = 1 + spread;
  return made;
}

struct StandIn {
  Cost cost;
  double spread = 0.02;
  double seconds_each = 0.5;  // that a variant takes on the clock below
  double now = 0;
  std::vector<ExperimentRequest> requests;
  // Looked at before a variant is timed; may set the outcome and more.
  std::function<void(const ExperimentVariant&, VariantResult&)> before_timing;
  // Looked at before anything is done; an error is the answer.
  std::function<Result<void>(const ExperimentRequest&)> before_request;
  Outcome original_outcome = Outcome::completed;

  std::function<double()> clock() {
    return [this] { return now; };
  }

  Experimenter experimenter() {
    return [this](const ExperimentRequest& request) { return answer(request); };
  }

  Result<ExperimentResult> answer(const ExperimentRequest& request) {
    requests.push_back(request);
    if (before_request) {
      if (auto allowed = before_request(request); !allowed) return fail(allowed.error());
    }
    ExperimentResult result;
    result.outcome = original_outcome;
    result.memory_bytes = 1000;
    bool dead = false;
    for (const auto& variant : request.variants) {
      VariantResult made;
      if (dead) {
        made.message = "the process before it died";
        result.variants.push_back(made);
        continue;
      }
      now += seconds_each;
      made.outcome = Outcome::completed;
      if (before_timing) before_timing(variant, made);
      if (made.outcome == Outcome::crashed) dead = true;
      if (made.outcome == Outcome::completed) time(request, variant, made);
      result.variants.push_back(std::move(made));
    }
    result.seconds = seconds_each * static_cast<double>(request.variants.size());
    result.context_lost = dead;
    return result;
  }

  void time(const ExperimentRequest& request, const ExperimentVariant& variant,
            VariantResult& made) {
    made.memory_bytes = made.memory_bytes < 0 ? 800 : made.memory_bytes;
    if (made.shifts.empty()) made.shifts = {{"y", 1e-4, 2e-4, 2e-4}};
    if (original_outcome != Outcome::completed) return;
    for (const auto scope : {ExperimentScope::inference, ExperimentScope::forward_training,
                             ExperimentScope::training_step}) {
      const bool training = scope != ExperimentScope::inference;
      if (training && request.before.mode == Mode::inference) continue;
      if (!request.scopes.empty() &&
          std::find(request.scopes.begin(), request.scopes.end(), scope) == request.scopes.end())
        continue;
      const double before = cost(original(request.before), scope);
      const double after = cost(variant, scope);
      if (before <= 0 || after <= 0) continue;
      made.timings.push_back(timing(scope, before, after, request.min_rounds, spread));
    }
    if (made.timings.empty()) {
      made.outcome = Outcome::refused;
      made.message = "not recorded";
    }
  }
};

// Times of tests/data/h200, by everything that decides them.
class Recorded {
 public:
  explicit Recorded(const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const auto row = nlohmann::json::parse(line);
      const auto& ms = row.at("ms");
      if (ms.value("forward_training", -1.0) <= 0) continue;
      rows_.try_emplace(
          Key{row.at("cell").get<std::string>() + row.at("data_type").get<std::string>() +
                  row.at("math_type").get<std::string>() + row.at("algo").get<std::string>() +
                  row.at("direction").get<std::string>(),
              row.at("input_size").get<int>(), row.at("hidden_size").get<int>(),
              row.at("num_layers").get<int>(), row.at("seq_length").get<int>(),
              row.at("batch_size").get<int>()},
          std::array{ms.value("forward_inference", -1.0), ms.value("forward_training", -1.0),
                     ms.value("backward_data", -1.0), ms.value("backward_weights", -1.0)});
    }
  }
  std::size_t size() const { return rows_.size(); }

  // Sum over the calls; below 0 when one was not recorded.
  double operator()(const ExperimentVariant& variant, ExperimentScope scope) const {
    if (variant.cuda_graph) return -1;
    double sum = 0;
    for (const auto& c : variant.calls) {
      if (c.layout != Layout::seq_major_unpacked || c.has_projection()) return -1;
      const auto row =
          rows_.find(Key{std::string(to_string(c.cell)) + std::string(to_string(c.data_type)) +
                             std::string(to_string(c.math_type)) + std::string(to_string(c.algo)) +
                             std::string(to_string(c.direction)),
                         c.input_size, c.hidden_size, c.num_layers, c.seq_length, c.batch_size});
      if (row == rows_.end()) return -1;
      const auto& [inference, training, data, weights] = row->second;
      sum += scope == ExperimentScope::inference          ? inference
             : scope == ExperimentScope::forward_training ? training
                                                          : training + data + weights;
    }
    return sum;
  }

 private:
  using Key = std::tuple<std::string, int, int, int, int, int>;
  std::map<Key, std::array<double, 4>> rows_;
};

}  // namespace rnnadvisor::advisor::stand_in
