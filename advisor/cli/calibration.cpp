#include "advisor/cli/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/samples/samples.h"
#include "advisor/sweep/plan.h"
#include "core/model/limits.h"
#include "core/model/time_order.h"

namespace rnnadvisor::cli {
namespace {

// Of each question, in one request: a request costs seconds (a worker, a context), a query
// milliseconds. Three rounds are enough: 8192 / 21^3 < 1.
constexpr int sizes_per_round = 20;

struct Question {
  Algo algo = Algo::persist_static;
  Cell cell = Cell::lstm;
  bool backward = false;
  int accepted = 0;   // the largest size that was taken; 0: none yet
  int rejected = 0;   // the smallest that was not
  bool lost = false;  // an answer did not come, or contradicts another

  bool open() const { return !lost && rejected - accepted > 1; }
};

std::vector<int> sizes_to_ask(const Question& question) {
  std::vector<int> sizes;
  const double step = static_cast<double>(question.rejected - question.accepted) /
                      static_cast<double>(sizes_per_round + 1);
  for (int k = 1; k <= sizes_per_round; ++k) {
    const int size = question.accepted + std::max(k, static_cast<int>(k * step));
    if (size < question.rejected && (sizes.empty() || size > sizes.back())) sizes.push_back(size);
  }
  return sizes;
}

RnnConfig question_config(const Question& question, int hidden) {
  RnnConfig config;
  config.id =
      fmt::format("limit_{}_{}_H{}", to_string(question.algo), to_string(question.cell), hidden);
  config.algo = question.algo;
  config.cell = question.cell;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.hidden_size = config.input_size = config.proj_size = hidden;
  config.seq_length = 4;
  config.batch_size = 8;
  return config;
}

enum class Answer { taken, refused, none };

Answer answer_of(const Configuration& configuration, bool backward) {
  using model::Stage;
  for (const Stage stage : {Stage::set_descriptor, Stage::temp_space}) {
    const StageResult* result = configuration.stage(stage);
    if (result == nullptr || !result->attempted) return Answer::none;
    if (result->status != 0) return Answer::refused;
  }
  if (!backward) return Answer::taken;
  const StageResult* result = configuration.stage(Stage::backward_data);
  if (result != nullptr && result->attempted)
    return result->status == 0 ? Answer::taken : Answer::refused;
  return configuration.outcome == Outcome::refused ? Answer::refused : Answer::none;
}

void learn(Question& question, std::span<const std::pair<int, Answer>> answers) {
  int accepted = question.accepted, rejected = question.rejected;
  for (const auto& [size, answer] : answers) {
    if (answer == Answer::none) question.lost = true;
    if (answer == Answer::taken) accepted = std::max(accepted, size);
    if (answer == Answer::refused) rejected = std::min(rejected, size);
  }
  if (accepted >= rejected) question.lost = true;  // no limit: refused below what is taken
  if (question.lost) return;
  question.accepted = accepted;
  question.rejected = rejected;
}

class Asker {
 public:
  Asker(const CalibrationRun& run, const RunConfigurations& execute)
      : run_(run), execute_(execute) {}

  // Asks until every question is closed, lost, or there is no time.
  Result<void> close(std::vector<Question>& questions) {
    while (!stopped() && std::any_of(questions.begin(), questions.end(),
                                     [](const auto& q) { return q.open(); })) {
      if (auto asked = round(questions); !asked) return fail(std::move(asked.error()));
    }
    for (Question& question : questions) question.lost = question.lost || question.open();
    return {};
  }

 private:
  bool stopped() const {
    return (run_.interrupted != nullptr && run_.interrupted->load()) ||
           std::chrono::steady_clock::now() >= run_.end;
  }

  Result<void> round(std::vector<Question>& questions) {
    RunRequest request;
    request.devices = {run_.gpu};
    request.command_line = run_.command_line;
    request.stop = run_.interrupted;
    request.options.time = request.options.trace = false;
    request.options.counters = Counters::off;
    request.options.sizes_only = !questions.front().backward;
    request.options.timeout_seconds = 60;
    std::vector<std::pair<std::size_t, int>> asked;  // question, size
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (!questions[i].open()) continue;
      for (const int size : sizes_to_ask(questions[i])) {
        asked.emplace_back(i, size);
        request.configurations.push_back({question_config(questions[i], size), {}, {}});
      }
    }
    if (run_.on_progress) {
      request.on_progress = [this](const RunProgress& progress) {
        run_.on_progress(progress.finished, progress.total, "hidden-size limits");
      };
    }
    auto profile = execute_(request);
    if (!profile) return fail(std::move(profile.error()));
    std::vector<std::vector<std::pair<int, Answer>>> answers(questions.size());
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const auto& [question, size] = asked[k];
      const Answer answer =
          k < profile->configurations.size()
              ? answer_of(profile->configurations[k], questions[question].backward)
              : Answer::none;
      answers[question].emplace_back(size, answer);
    }
    for (std::size_t i = 0; i < questions.size(); ++i) learn(questions[i], answers[i]);
    return {};
  }

  const CalibrationRun& run_;
  const RunConfigurations& execute_;
};

}  // namespace

Result<std::vector<RnnConfig>> calibration_grid() {
  const auto plan = advisor::load_sweep("sample:calibration");
  if (!plan) return fail(plan.error().front());
  std::vector<RnnConfig> grid;
  for (const ConfigInput& input : plan->configurations) grid.push_back(input.config);
  return grid;
}

Result<std::vector<HiddenLimit>> find_hidden_limits(const CalibrationRun& run,
                                                    const RunConfigurations& execute) {
  std::vector<Question> sizes, backward;
  for (const Algo algo :
       {Algo::persist_static, Algo::persist_static_small_h, Algo::persist_dynamic}) {
    for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn_tanh, Cell::rnn_relu})
      sizes.push_back({algo, cell, false, 0, most_hidden + 1, false});
  }
  Asker asker(run, execute);
  if (auto asked = asker.close(sizes); !asked) return fail(std::move(asked.error()));
  std::vector<HiddenLimit> limits;
  const auto note = [&](const Question& question) {
    // Every size was taken, or none: that is no limit between two sizes.
    if (question.lost || question.rejected > most_hidden || question.accepted == 0) return;
    limits.push_back({question.algo, question.cell, question.backward, question.accepted,
                      question.rejected, run.source});
  };
  for (const Question& question : sizes) {
    note(question);
    const bool runs = !question.lost && question.accepted > 0 && question.rejected <= most_hidden;
    if (runs && question.algo != Algo::persist_dynamic) {
      backward.push_back({question.algo, question.cell, true, 0, question.rejected, false});
    }
  }
  if (!backward.empty()) {
    if (auto asked = asker.close(backward); !asked) return fail(std::move(asked.error()));
  }
  for (const Question& question : backward) {
    const auto forward = std::find_if(limits.begin(), limits.end(), [&](const HiddenLimit& limit) {
      return limit.algo == question.algo && limit.cell == question.cell && !limit.backward;
    });
    // Where backward goes as far as the size query lets it, there is no limit of its own.
    if (forward != limits.end() && question.accepted < forward->accepted) note(question);
  }
  return limits;
}

Result<Profile> measure_times(const CalibrationRun& run, std::span<const RnnConfig> grid,
                              const RunConfigurations& execute) {
  RunRequest request;
  request.devices = {run.gpu};
  request.command_line = run.command_line;
  request.options.trace = false;
  request.options.counters = Counters::off;
  request.options.max_repeats = 50;
  request.options.budget_seconds = 0.2;
  request.options.timeout_seconds = 60;
  for (const std::size_t index : model::order_to_measure(grid, run.device))
    request.configurations.push_back({grid[index], {}, {}});
  std::atomic<bool> stop = run.interrupted != nullptr && run.interrupted->load();
  request.stop = &stop;
  request.on_progress = [&](const RunProgress& progress) {
    const bool newest = progress.newest != nullptr && !progress.newest->configurations.empty();
    if (run.on_progress) {
      run.on_progress(progress.finished, progress.total,
                      newest ? progress.newest->configurations.front().config.id : std::string());
    }
    if (std::chrono::steady_clock::now() >= run.end ||
        (run.interrupted != nullptr && run.interrupted->load())) {
      stop = true;
    }
  };
  return execute(request);
}

}  // namespace rnnadvisor::cli
