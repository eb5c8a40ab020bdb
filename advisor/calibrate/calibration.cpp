#include "advisor/calibrate/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "advisor/facts/measured_times.h"
#include "core/model/limits.h"
#include "core/model/time_order.h"

namespace rnnadvisor::advisor {
namespace {

// Of each question, in one request: a request costs seconds (a worker, a context), a query
// milliseconds. Three rounds are enough: 8192 / 21^3 < 1.
constexpr int sizes_per_round = 20;

struct Question {
  Algo algo = Algo::persist_static;
  rnnadvisor::Cell cell = rnnadvisor::Cell::lstm;
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
  Asker(const CalibrationRun& run, std::chrono::steady_clock::time_point end,
        const RunConfigurations& execute)
      : run_(run), end_(end), execute_(execute) {}

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
           std::chrono::steady_clock::now() >= end_;
  }

  Result<void> round(std::vector<Question>& questions) {
    RunRequest request;
    request.devices = {run_.gpu};
    request.command_line = run_.machine.command_line;
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
  std::chrono::steady_clock::time_point end_;
  const RunConfigurations& execute_;
};

Result<std::vector<HiddenLimit>> find_hidden_limits(const CalibrationRun& run,
                                                    const RunConfigurations& execute) {
  // What is not known to the unit when a third of the time is over stays open.
  const auto now = std::chrono::steady_clock::now();
  const auto end = std::min(run.end, now + (run.end - now) / 3);
  const auto source =
      fmt::format("rnnadvisor calibrate, {}: one {}, cuDNN {}, driver {}", run.machine.created,
                  run.device.name, run.machine.cudnn_version, run.machine.driver_version);
  std::vector<Question> sizes, backward;
  for (const Algo algo :
       {Algo::persist_static, Algo::persist_static_small_h, Algo::persist_dynamic}) {
    for (const auto cell : {rnnadvisor::Cell::lstm, rnnadvisor::Cell::gru,
                            rnnadvisor::Cell::rnn_tanh, rnnadvisor::Cell::rnn_relu})
      sizes.push_back({algo, cell, false, 0, most_hidden + 1, false});
  }
  Asker asker(run, end, execute);
  if (auto asked = asker.close(sizes); !asked) return fail(std::move(asked.error()));
  std::vector<HiddenLimit> limits;
  const auto note = [&](const Question& question) {
    // Every size was taken, or none: that is no limit between two sizes.
    if (question.lost || question.rejected > most_hidden || question.accepted == 0) return;
    limits.push_back({question.algo, question.cell, question.backward, question.accepted,
                      question.rejected, source});
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

// Of a training step in which a GPU of shipped times takes so long, others are measured first.
constexpr double slow_seconds = 0.04;

bool is_slow(const model::TimeModel& of_another, const RnnConfig& config) {
  double seconds = 0;
  for (const Phase phase : {Phase::forward_training, Phase::backward_data, Phase::backward_weights})
    if (const auto predicted = of_another.predict(config, phase)) seconds += predicted->seconds;
  return seconds > slow_seconds;
}

Result<Profile> measure_times(const CalibrationRun& run, const DeviceSpec& device,
                              std::span<const RnnConfig> grid, const RunConfigurations& execute) {
  RunRequest request;
  request.devices = {run.gpu};
  request.command_line = run.machine.command_line;
  request.options.trace = false;
  request.options.counters = Counters::off;
  request.options.max_repeats = 50;
  request.options.budget_seconds = 0.2;
  std::vector<std::size_t> order = model::order_to_measure(grid, device);
  if (const auto known = model::shipped_fits(run.adapts)) {
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t index) { return !is_slow(*known, grid[index]); });
    request.options.warmup = 2;
    request.options.min_repeats = 5;
    request.options.max_repeats = 12;
    request.options.budget_seconds = 0.06;
  }
  request.options.timeout_seconds = 60;
  for (const std::size_t index : order) request.configurations.push_back({grid[index], {}, {}});
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

}  // namespace

Result<Calibration> calibrate(const CalibrationRun& run, std::span<const RnnConfig> grid,
                              const RunConfigurations& execute) {
  const auto limits = find_hidden_limits(run, execute);
  if (!limits) return fail(limits.error());
  Calibration result;
  result.device = kept_description(run.device, *limits, run.machine.cudnn_version);
  const auto profile = measure_times(run, result.device, grid, execute);
  if (!profile) return fail(profile.error());
  result.times = measured_times_of_runs(*profile);
  result.times.device = result.device.name;
  result.times.cudnn_version = run.machine.cudnn_version;
  result.times.driver_version = run.machine.driver_version;
  result.times.cpu = run.machine.cpu;
  result.times.date = run.machine.created;
  result.times.command = run.machine.command_line;
  result.times.adapts = run.adapts;
  return result;
}

Result<void> add_recorded_times(Calibration& calibration, const Profile& profile,
                                std::string_view name) {
  auto& times = calibration.times;
  MeasuredTimes part = measured_times_of_runs(profile);
  if (part.rows.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' has no configuration that was timed", name),
                "record one with `rnnadvisor sweep sample:calibration`");
  }
  if (times.rows.empty()) {
    for (const DeviceSpec& spec : profile.devices) {
      if (spec.name == part.device)
        calibration.device = kept_description(spec, {}, part.cudnn_version);
    }
    times = std::move(part);
    return {};
  }
  if (part.device != times.device || part.cudnn_version != times.cudnn_version) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is of {} with cuDNN {}, the others of {} with {}", name,
                            part.device, part.cudnn_version, times.device, times.cudnn_version),
                "make one file of times for each");
  }
  times.rows.insert(times.rows.end(), part.rows.begin(), part.rows.end());
  return {};
}

DeviceSpec kept_description(DeviceSpec device, const std::vector<HiddenLimit>& limits,
                            const std::string& cudnn) {
  device.id = device_id_of(device.id);
  device.live = false;
  device.uuid.clear();
  if (device.cudnn_version != cudnn) {
    // Of another version: what was seen with it says nothing of this one.
    device.crossovers.clear();
    device.persist_backward_hidden.reset();
    device.hidden_limits.clear();
  }
  for (const HiddenLimit& limit : limits) {
    std::erase_if(device.hidden_limits, [&](const HiddenLimit& other) {
      return other.algo == limit.algo && other.cell == limit.cell &&
             other.backward == limit.backward;
    });
  }
  device.hidden_limits.insert(device.hidden_limits.end(), limits.begin(), limits.end());
  device.cudnn_version = cudnn;
  return device;
}

std::string device_id_of(std::string_view name) {
  std::string word;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper || plain)
      word += upper ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!word.empty() && word.back() != '-')
      word += '-';
  }
  while (word.ends_with('-')) word.pop_back();
  return word.empty() ? "gpu" : word;
}

LeftOutErrors left_out_errors(const model::TimeModel& model) {
  std::array<std::vector<std::optional<model::TimePrediction>>, 4> left_out;
  for (const Phase phase : all_phases)
    left_out[static_cast<std::size_t>(phase)] = model.left_out(phase);
  auto judged = model::judge_times(
      model.times(), model.device(),
      [&](std::size_t row, Phase phase) { return left_out[static_cast<std::size_t>(phase)][row]; });
  LeftOutErrors errors{{}, std::move(judged.inference), std::move(judged.training)};
  for (const auto& [group, phases] : judged.errors) {
    for (const auto& [phase, of_phase] : phases) {
      auto& all = errors.times;
      all.relative.insert(all.relative.end(), of_phase.relative.begin(), of_phase.relative.end());
      all.covered += of_phase.covered;
    }
  }
  return errors;
}

}  // namespace rnnadvisor::advisor
