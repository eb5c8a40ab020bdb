#include "advisor/report/predicted_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "advisor/change/accelerating.h"
#include "advisor/change/transform.h"
#include "advisor/facts/framework_around.h"
#include "advisor/facts/framework_call.h"
#include "advisor/facts/framework_model.h"
#include "advisor/report/terminal.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/config/key_scope.h"

namespace rnnadvisor::advisor {
namespace {

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

std::string name(const model::AlgorithmTime& algorithm, const Of& of) {
  std::string text(to_string(algorithm.algo));
  if (algorithm.math_type != of.config.math_type)
    return fmt::format("{}, {}", text,
                       algorithm.math_type == MathType::tensor_op_allow_conversion
                           ? "products in half"
                           : to_string(algorithm.math_type));
  if (!algorithm.asked || !of.algo_known) return text;
  if (of.config.mixed_algos())
    text += fmt::format(", backward {}", to_string(*of.config.backward_algo));
  // cuDNN may run another one than it was asked for.
  const bool asked = of.framework.empty() && algorithm.algo == of.config.algo;
  return text + (asked ? " (asked for)" : " (runs)");
}

// Of an algorithm that the framework does not run by itself.
std::string not_asked_for(const Of& of, bool swapped) {
  return swapped ? std::string("with `accelerate`")
                 : fmt::format("not asked for by {}", of.framework);
}

std::string mark(const model::AlgorithmTime& algorithm, const Of& of, bool swapped) {
  if (algorithm.wrong_results != model::WrongResults::none)
    return fmt::format("wrong {}", model::to_string(algorithm.wrong_results));
  if (algorithm.asked && of.algo_known && !algorithm.total) return "not predicted";
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (algorithm.best) add("fastest");
  if (algorithm.may_be_best) add("may be fastest");
  const bool converts = algorithm.math_type == MathType::tensor_op_allow_conversion &&
                        of.config.math_type != MathType::tensor_op_allow_conversion;
  // `accelerate` keeps what runs where another algorithm measures slower.
  const auto* runs = of.asked_for();
  swapped = swapped && runs != nullptr;
  if (swapped && algorithm.total && runs->total &&
      algorithm.total->seconds >= runs->total->seconds) {
    add("slower than what runs");
    return text;
  }
  if (!of.framework.empty() && of.algo_known && (!algorithm.asked || converts))
    add(converts && swapped ? std::string("with `accelerate --allow numerics`")
                            : not_asked_for(of, swapped));
  return text;
}

// The head and a row for each algorithm.
std::vector<std::vector<std::string>> predicted_cells(const Of& of, std::string_view none,
                                                      std::string_view to) {
  const bool trains = of.config.mode == Mode::training;
  std::vector<std::vector<std::string>> rows(1);
  rows[0] = {"Algorithm"};
  if (trains) rows[0].insert(rows[0].end(), {"Forward", "Backward data", "Backward weights"});
  rows[0].insert(rows[0].end(), {trains ? "Training" : "Inference", "9 in 10 within", ""});
  for (std::size_t i = 0; i < of.algorithms.size(); ++i) {
    const auto& algorithm = of.algorithms[i];
    auto& row = rows.emplace_back();
    row.push_back(name(algorithm, of));
    if (trains) {
      for (const Phase phase :
           {Phase::forward_training, Phase::backward_data, Phase::backward_weights})
        row.push_back(time(algorithm.phases[static_cast<std::size_t>(phase)], none));
    }
    row.push_back(time(algorithm.total, none));
    row.push_back(algorithm.total ? interval(*algorithm.total, to) : std::string(none));
    row.emplace_back(mark(algorithm, of, i < of.swapped.size() && of.swapped[i]));
  }
  return rows;
}

void one(Terminal& terminal, const Of& of) {
  auto cells = predicted_cells(of, terminal.symbol("–", "-"), terminal.symbol("…", "to"));
  const bool trains = of.config.mode == Mode::training;
  std::vector<Column> columns = {{cells.front()[0]}};
  // What gives way first where the terminal is narrow.
  if (trains) {
    for (const int keep : {3, 2, 1})
      columns.push_back({cells.front()[columns.size()], true, Fit::fixed, 0, keep});
  }
  columns.push_back({cells.front()[columns.size()], true});
  columns.push_back({cells.front()[columns.size()], false, Fit::fixed, 0, 4});
  columns.push_back({"", false, Fit::wrap, 24});
  const std::size_t total = columns.size() - 3;
  std::vector<std::vector<Cell>> rows;
  for (std::size_t i = 0; i < of.algorithms.size(); ++i) {
    auto& row = rows.emplace_back();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Style style = c == total                                ? Style::bold
                          : c == total + 1                          ? Style::dim
                          : c == total + 2 && of.algorithms[i].best ? Style::green
                                                                    : Style::plain;
      row.push_back({std::move(cells[i + 1][c]), style});
    }
  }
  terminal.table(std::move(columns), std::move(rows));
}

void many(Terminal& terminal, const std::vector<Of>& all) {
  const std::string_view none = terminal.symbol("–", "-"), to = terminal.symbol("…", "to");
  std::vector<std::vector<Cell>> rows;
  std::size_t left_out = 0;
  for (const Of& of : all) {
    const auto* asked = of.asked_for();
    const auto* best = of.fastest();
    if (asked == nullptr && best == nullptr) continue;
    if (rows.size() >= most_lines) {
      ++left_out;
      continue;
    }
    const bool other = best != nullptr && best != asked && best->total;
    rows.push_back(
        {{words::clean(of.config.id.empty() ? summary(of.config) : of.config.id)},
         {std::string(to_string(of.config.algo))},
         {asked != nullptr ? time(asked->total, none) : std::string(none), Style::bold},
         {asked != nullptr && asked->total ? interval(*asked->total, to) : std::string(none),
          Style::dim},
         {other ? fmt::format("{} {}", name(*best, of), time(best->total, none)) : std::string()}});
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

// `accelerate` runs this algorithm and math type in place of the framework's.
bool is_swapped(const model::AlgorithmTime& time, const Configuration& own,
                std::optional<Framework> framework) {
  const auto change = [](std::string_view kind, std::string_view value) {
    const Parameter parameter{"value", std::string(value)};
    return *make_transform(kind, std::span(&parameter, 1));
  };
  const bool other_math = time.math_type != own.config.math_type;
  if ((time.algo == own.config.algo && !other_math) ||
      !accelerates_something(framework, own.config, own.program))
    return false;
  std::vector<Transform> changes = {change("algo", to_string(time.algo))};
  if (other_math) changes.push_back(change("math_type", to_string(time.math_type)));
  return accelerate_does(changes, framework, own.config, own.program);
}

// Of PyTorch the rows with another math type than its own are those that `accelerate` reaches.
bool out_of_reach(const model::AlgorithmTime& time, const Configuration& own,
                  std::optional<Framework> framework) {
  return framework == Framework::pytorch && time.math_type != own.config.math_type &&
         !is_swapped(time, own, framework);
}

std::string why_none(const Configuration& configuration, const FrameworkCall& call,
                     const DeviceSpec& device, bool measured) {
  const auto framework = framework_title(configuration.program.name);
  if (call.stops) return fmt::format("{} stops with an error in place of running it", framework);
  if (!call.happens()) return fmt::format("{} does not call cuDNN for it", framework);
  const RnnConfig& config = configuration.config;
  if (model::refusal(config, device)) return "cuDNN is expected to refuse it";
  if (config.has_varying_lengths()) return "no time is predicted for sequences of unequal lengths";
  if (!measured) {
    return fmt::format(
        "no times of {} are known; `rnnadvisor calibrate` measures what predicting them needs",
        words::clean(device.name));
  }
  return fmt::format("no call like it ({}, {}) is among those measured on {}",
                     to_string(config.cell), to_string(config.data_type),
                     words::clean(device.name));
}

// Each reason once, with how many configurations it is of.
std::vector<std::string> reasons(const std::vector<Of>& all) {
  std::vector<std::pair<std::string_view, std::size_t>> counted;
  for (const Of& of : all) {
    if (of.why_none.empty()) continue;
    const auto found = std::find_if(counted.begin(), counted.end(),
                                    [&](const auto& each) { return each.first == of.why_none; });
    if (found == counted.end())
      counted.emplace_back(of.why_none, 1);
    else
      ++found->second;
  }
  std::vector<std::string> lines;
  for (const auto& [why, count] : counted)
    lines.push_back(count == all.size()
                        ? fmt::format("None: {}.", why)
                        : fmt::format("None for {} of {}: {}.", count, all.size(), why));
  return lines;
}

void append_json(std::string& out, const std::optional<model::TimePrediction>& prediction) {
  if (!prediction) {
    out += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out),
                 R"({{"ms": {}, "low_ms": {}, "high_ms": {}, "extrapolated": {}}})",
                 prediction->seconds * 1e3, prediction->low_seconds * 1e3,
                 prediction->high_seconds * 1e3, prediction->extrapolated);
}

void append_json(std::string& out, const model::AlgorithmTime& algorithm, bool algo_known) {
  const bool wrong = algorithm.wrong_results != model::WrongResults::none;
  fmt::format_to(std::back_inserter(out),
                 R"({{"algo": "{}", "math_type": "{}", "implementation": "{}", "runs": {}, )"
                 R"("fastest": {}, "wrong_gradients": {}, "wrong_results": {}, "total": )",
                 to_string(algorithm.algo), to_string(algorithm.math_type),
                 to_string(algorithm.implementation), algorithm.asked && algo_known, algorithm.best,
                 wrong,
                 wrong ? fmt::format("\"{}\"", model::to_string(algorithm.wrong_results)) : "null");
  append_json(out, algorithm.total);
  out += R"(, "phases": {)";
  std::string_view between;
  for (const Phase phase : all_phases) {
    const auto& prediction = algorithm.phases[static_cast<std::size_t>(phase)];
    if (!prediction) continue;
    fmt::format_to(std::back_inserter(out), R"({}"{}": )", between, to_string(phase));
    append_json(out, prediction);
    between = ", ";
  }
  out += "}}";
}

std::string as_json(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

const model::AlgorithmTime* Of::asked_for() const {
  const auto asked = std::find_if(algorithms.begin(), algorithms.end(),
                                  [](const auto& algorithm) { return algorithm.asked; });
  return asked == algorithms.end() || !algo_known ? nullptr : &*asked;
}

const model::AlgorithmTime* Of::fastest() const {
  const auto best = std::find_if(algorithms.begin(), algorithms.end(),
                                 [](const auto& algorithm) { return algorithm.best; });
  return best == algorithms.end() ? nullptr : &*best;
}

const Of* PredictedTimes::of(int configuration) const {
  const auto at = static_cast<std::size_t>(configuration);
  return configuration >= 0 && at < configurations.size() && !configurations[at].algorithms.empty()
             ? &configurations[at]
             : nullptr;
}

std::string PredictedTimes::basis() const {
  for (const Of& of : configurations) {
    for (const auto& algorithm : of.algorithms) {
      for (const auto& phase : algorithm.phases) {
        if (phase) return phase->basis;
      }
    }
  }
  return {};
}

std::string PredictedTimes::none(int configuration) const {
  const auto at = static_cast<std::size_t>(configuration);
  return configuration >= 0 && at < configurations.size() && !configurations[at].why_none.empty()
             ? fmt::format("None: {}.", configurations[at].why_none)
             : std::string();
}

PredictedTimes predict_times(const Profile& profile, const DeviceSpec& device,
                             const model::TimeModel* model) {
  PredictedTimes times;
  times.device = device.name;
  const model::PredictTime predict = [model](const RnnConfig& config,
                                             Phase phase) -> std::optional<model::TimePrediction> {
    return model != nullptr ? model->predict(config, phase) : std::nullopt;
  };
  for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
    const Configuration& configuration = profile.configurations[i];
    const auto call = framework_call(Subject{&profile, static_cast<int>(i)});
    const auto around = framework_around(profile, static_cast<int>(i));
    Of of;
    of.config = configuration.config;
    of.algo_known = call.algo_known;
    if (call.picks_algo) of.framework = framework_title(configuration.program.name);
    if (call.happens() && !call.cudnn) of.decides = what_decides(call.clause);
    if (call.happens())
      of.algorithms = model::algorithm_times(configuration.config, device, predict, call.picks_algo,
                                             !call.picks_algo || around == Framework::pytorch);
    std::erase_if(of.algorithms, [&](const model::AlgorithmTime& time) {
      return out_of_reach(time, configuration, around);
    });
    for (const auto& time : of.algorithms)
      of.swapped.push_back(is_swapped(time, configuration, around));
    if (of.algorithms.empty())
      of.why_none = why_none(configuration, call, device, model != nullptr);
    times.configurations.push_back(std::move(of));
  }
  return times;
}

std::string predicted_note(const PredictedTimes& times) {
  bool extrapolated = false, unknown = false, close = false;
  for (const Of& of : times.configurations) {
    for (const auto& algorithm : of.algorithms) {
      close = close || algorithm.may_be_best;
      extrapolated = extrapolated || (algorithm.total && algorithm.total->extrapolated);
      unknown = unknown || (algorithm.asked && of.algo_known && !algorithm.total &&
                            algorithm.wrong_results == model::WrongResults::none);
    }
  }
  std::string decides;
  for (const Of& of : times.configurations)
    if (decides.empty() && !of.decides.empty())
      decides = fmt::format(" Where cuDNN is called, which depends on {}.", of.decides);
  return fmt::format(
      "From {}.{}{}{}{}", words::clean(times.basis()), decides,
      close ? " May be fastest: the intervals overlap; only a measurement tells." : "",
      extrapolated ? " *: outside what was measured; it may be further off." : "",
      unknown ? " Not predicted: no call like it is among them, and it may be faster "
                "than all that are shown."
              : "");
}

std::vector<std::vector<std::string>> predicted_table(const Of& of) {
  return predicted_cells(of, "–", "…");
}

std::string predicted_text(const PredictedTimes& times, const TextOptions& options) {
  Terminal terminal(options);
  terminal.heading("Predicted times (an estimate)");
  if (times.configurations.size() != 1) {
    many(terminal, times.configurations);
  } else if (!times.configurations.front().algorithms.empty()) {
    one(terminal, times.configurations.front());
  }
  for (const auto& line : reasons(times.configurations)) terminal.paragraph(line, 0);
  if (times.basis().empty()) return terminal.take();
  terminal.paragraph(predicted_note(times), 0, {}, Style::dim, Style::dim);
  return terminal.take();
}

void append_predicted_json(std::string& out, const PredictedTimes::Of& of) {
  fmt::format_to(std::back_inserter(out), R"("mode": "{}", "why_none": {}, "algorithms": [)",
                 to_string(of.config.mode), of.why_none.empty() ? "null" : as_json(of.why_none));
  std::string_view between;
  for (const auto& algorithm : of.algorithms) {
    out += between;
    append_json(out, algorithm, of.algo_known);
    between = ", ";
  }
  out += "]";
}

std::string predicted_json(const PredictedTimes& times) {
  std::string out =
      fmt::format(R"({{"estimate": true, "device": {}, "basis": {}, "configurations": [)",
                  as_json(times.device), as_json(times.basis()));
  for (std::size_t i = 0; i < times.configurations.size(); ++i) {
    fmt::format_to(std::back_inserter(out), R"({}{{"configuration": {}, )", i > 0 ? ", " : "", i);
    append_predicted_json(out, times.configurations[i]);
    out += "}";
  }
  return out + "]}";
}

}  // namespace rnnadvisor::advisor
