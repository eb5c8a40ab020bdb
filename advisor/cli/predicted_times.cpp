#include "advisor/cli/predicted_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/report/terminal.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

using advisor::Cell;
using advisor::Column;
using advisor::Fit;
using advisor::Style;
using advisor::Terminal;
using Json = nlohmann::ordered_json;
using Of = PredictedTimes::Of;

// Longer lists are for the JSON report.
constexpr std::size_t most_lines = 12;

std::string time(const std::optional<model::TimePrediction>& prediction, std::string_view none) {
  return prediction ? format_milliseconds(prediction->seconds * 1e3) : std::string(none);
}

std::string interval(const model::TimePrediction& prediction, std::string_view to) {
  return fmt::format("{} {} {}{}", format_milliseconds(prediction.low_seconds * 1e3), to,
                     format_milliseconds(prediction.high_seconds * 1e3),
                     prediction.extrapolated ? " *" : "");
}

const model::AlgorithmTime* asked_for(const Of& of) {
  for (const auto& algorithm : of.algorithms) {
    // bfloat16 runs the standard kernels whatever is asked for.
    if (algorithm.algo == of.config.algo ||
        (of.config.data_type == DataType::bfloat16 && algorithm.algo == Algo::standard))
      return &algorithm;
  }
  return nullptr;
}

const model::AlgorithmTime* best_of(const Of& of) {
  const auto best = std::find_if(of.algorithms.begin(), of.algorithms.end(),
                                 [](const auto& algorithm) { return algorithm.best; });
  return best == of.algorithms.end() ? nullptr : &*best;
}

std::string name(const model::AlgorithmTime& algorithm, const Of& of) {
  std::string text(to_string(algorithm.algo));
  if (algorithm.algo == of.config.algo) text += " (asked for)";
  return text;
}

std::string_view mark(const model::AlgorithmTime& algorithm) {
  return algorithm.wrong_gradients ? "wrong gradients" : algorithm.best ? "fastest" : "";
}

void one(Terminal& terminal, const Of& of) {
  const std::string_view none = terminal.symbol("–", "-"), to = terminal.symbol("…", "to");
  const bool trains = of.config.mode == Mode::training;
  std::vector<Column> columns = {{"Algorithm"}};
  if (trains) {
    columns.push_back({"Forward", true, Fit::fixed, 0, 3});
    columns.push_back({"Backward data", true, Fit::fixed, 0, 2});
    columns.push_back({"Backward weights", true, Fit::fixed, 0, 1});
  }
  columns.push_back({trains ? "Training" : "Inference", true});
  columns.push_back({"9 in 10 within", false, Fit::fixed, 0, 4});
  columns.push_back({""});
  std::vector<std::vector<Cell>> rows;
  for (const auto& algorithm : of.algorithms) {
    std::vector<Cell> row = {{name(algorithm, of)}};
    if (trains) {
      for (const Phase phase :
           {Phase::forward_training, Phase::backward_data, Phase::backward_weights})
        row.push_back({time(algorithm.phases[static_cast<std::size_t>(phase)], none)});
    }
    row.push_back({time(algorithm.total, none), Style::bold});
    row.push_back(
        {algorithm.total ? interval(*algorithm.total, to) : std::string(none), Style::dim});
    row.push_back({std::string(mark(algorithm)), algorithm.best ? Style::green : Style::plain});
    rows.push_back(std::move(row));
  }
  terminal.table(std::move(columns), std::move(rows));
}

void many(Terminal& terminal, const std::vector<Of>& all) {
  const std::string_view none = terminal.symbol("–", "-"), to = terminal.symbol("…", "to");
  std::vector<std::vector<Cell>> rows;
  std::size_t left_out = 0;
  for (const Of& of : all) {
    const auto* asked = asked_for(of);
    const auto* best = best_of(of);
    if (asked == nullptr && best == nullptr) continue;
    if (rows.size() >= most_lines) {
      ++left_out;
      continue;
    }
    const bool other = best != nullptr && best != asked && best->total;
    rows.push_back(
        {{advisor::words::clean(of.config.id.empty() ? summary(of.config) : of.config.id)},
         {std::string(to_string(of.config.algo))},
         {asked != nullptr ? time(asked->total, none) : std::string(none), Style::bold},
         {asked != nullptr && asked->total ? interval(*asked->total, to) : std::string(none),
          Style::dim},
         {other ? fmt::format("{} {}", to_string(best->algo), time(best->total, none))
                : std::string()}});
  }
  if (rows.empty()) return;
  terminal.table({{"Configuration", false, Fit::clip},
                  {"Algorithm"},
                  {"Time", true},
                  {"9 in 10 within", false, Fit::fixed, 0, 1},
                  {"Faster"}},
                 std::move(rows));
  if (left_out > 0)
    terminal.paragraph(fmt::format("and {} more; --json has all", left_out), 0, {}, Style::dim,
                       Style::dim);
}

Json json_of(const std::optional<model::TimePrediction>& prediction) {
  if (!prediction) return nullptr;
  return {{"ms", prediction->seconds * 1e3},
          {"low_ms", prediction->low_seconds * 1e3},
          {"high_ms", prediction->high_seconds * 1e3},
          {"extrapolated", prediction->extrapolated}};
}

std::string basis_of(const PredictedTimes& times) {
  for (const Of& of : times.configurations) {
    for (const auto& algorithm : of.algorithms) {
      for (const auto& phase : algorithm.phases) {
        if (phase) return phase->basis;
      }
    }
  }
  return {};
}

}  // namespace

PredictedTimes predict_times(const Profile& profile, const DeviceSpec& device,
                             const model::TimeModel& model) {
  PredictedTimes times;
  const model::PredictTime predict = [&model](const RnnConfig& config, Phase phase) {
    return model.predict(config, phase);
  };
  for (const Configuration& configuration : profile.configurations) {
    times.configurations.push_back(
        {configuration.config, model::algorithm_times(configuration.config, device, predict)});
  }
  return times;
}

std::string predicted_text(const PredictedTimes& times, const advisor::TextOptions& options) {
  const std::string basis = basis_of(times);
  if (basis.empty()) return {};
  Terminal terminal(options);
  terminal.heading("Predicted times (an estimate)");
  if (times.configurations.size() == 1) {
    one(terminal, times.configurations.front());
  } else {
    many(terminal, times.configurations);
  }
  bool extrapolated = false;
  for (const Of& of : times.configurations) {
    for (const auto& algorithm : of.algorithms)
      extrapolated = extrapolated || (algorithm.total && algorithm.total->extrapolated);
  }
  terminal.paragraph(
      fmt::format("From {}.{}", advisor::words::clean(basis),
                  extrapolated ? " *: outside what was measured; it may be further off." : ""),
      0, {}, Style::dim, Style::dim);
  return terminal.take();
}

std::string with_predicted_times(const std::string& report, const PredictedTimes& times) {
  Json json = Json::parse(report, nullptr, false);
  if (!json.is_object()) return report;
  Json list = Json::array();
  for (const Of& of : times.configurations) {
    Json algorithms = Json::array();
    for (const auto& algorithm : of.algorithms) {
      Json phases = Json::object();
      for (const Phase phase : all_phases) {
        if (const auto& prediction = algorithm.phases[static_cast<std::size_t>(phase)])
          phases[std::string(to_string(phase))] = json_of(prediction);
      }
      algorithms.push_back({{"algo", to_string(algorithm.algo)},
                            {"implementation", to_string(algorithm.implementation)},
                            {"fastest", algorithm.best},
                            {"wrong_gradients", algorithm.wrong_gradients},
                            {"total", json_of(algorithm.total)},
                            {"phases", std::move(phases)}});
    }
    list.push_back({{"configuration", list.size()},
                    {"mode", to_string(of.config.mode)},
                    {"algorithms", std::move(algorithms)}});
  }
  json["predicted_times"] = {{"estimate", true},
                             {"basis", to_valid_utf8(basis_of(times))},
                             {"configurations", std::move(list)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rnnadvisor::cli
