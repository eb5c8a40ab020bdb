// The tables of docs/models.md: how far predicted times are from those of configurations that were
// held back or left out.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "core/config/read_config.h"
#include "core/model/time_cross_validation.h"
#include "core/model/time_errors.h"

namespace rnnadvisor::test {

inline std::string percent(double share) {
  const double value = 100 * share;
  return value >= 10 || value == 0 ? fmt::format("{:.0f} %", value)
                                   : fmt::format("{:.2g} %", value);
}

inline std::string time_error_table(const model::TimeJudgement& judged) {
  std::string out =
      "| kernels | phase | times | median error | 95th percentile | in the interval |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  model::TimeErrors all;
  const auto row = [&](const std::string& name, std::string_view phase,
                       const model::TimeErrors& errors) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", name, phase, errors.count(),
                       percent(model::quantile(errors.relative, 0.5)),
                       percent(model::quantile(errors.relative, 0.95)),
                       percent(static_cast<double>(errors.covered) / errors.count()));
  };
  for (const auto& [group, phases] : judged.errors) {
    for (const auto& [phase, errors] : phases) {
      row(group, to_string(phase), errors);
      all.relative.insert(all.relative.end(), errors.relative.begin(), errors.relative.end());
      all.covered += errors.covered;
    }
  }
  row("**all**", "", all);
  return out;
}

inline std::string choice_table(const model::TimeJudgement& judged) {
  std::string out =
      "| choice by | configurations | best algorithm named | time lost: median | 95th percentile | "
      "most |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [name, errors] :
       {std::pair{"inference: forward", &judged.inference},
        {"training: forward, backward data, backward weights", &judged.training}}) {
    out += fmt::format("| {} | {} | {} ({}) | {} | {} | {} |\n", name, errors->configurations,
                       errors->right,
                       percent(static_cast<double>(errors->right) / errors->configurations),
                       percent(model::quantile(errors->regret, 0.5)),
                       percent(model::quantile(errors->regret, 0.95)),
                       percent(model::quantile(errors->regret, 1)));
  }
  return out;
}

inline void add(model::TimeErrors& all, const model::TimeErrors& part) {
  all.covered += part.covered;
  all.relative.insert(all.relative.end(), part.relative.begin(), part.relative.end());
}

inline std::string covered(const model::TimeErrors& errors) {
  return errors.count() == 0 ? "" : percent(static_cast<double>(errors.covered) / errors.count());
}

// A row for each split: errors, intervals and choices.
inline std::string split_table(const MeasuredTimes& times, const DeviceSpec& device,
                               const std::vector<model::LeftOutTime>& left_out) {
  std::string out =
      "| left out together | times | median error | 95th percentile | in the interval | choices | "
      "time lost in inference: 95th percentile | in training |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const model::Split split : model::all_splits) {
    const auto judged = model::judge(times, device, left_out, split);
    model::TimeErrors all;
    for (const auto& [group, phases] : judged.errors) {
      for (const auto& [phase, errors] : phases) add(all, errors);
    }
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", to_string(split), all.count(),
                       percent(model::quantile(all.relative, 0.5)),
                       percent(model::quantile(all.relative, 0.95)), covered(all),
                       judged.training.configurations,
                       percent(model::quantile(judged.inference.regret, 0.95)),
                       percent(model::quantile(judged.training.regret, 0.95)));
  }
  return out;
}

// Median error and share in the interval of each kind of kernels, by split.
inline std::string kernel_table(const MeasuredTimes& times, const DeviceSpec& device,
                                const std::vector<model::LeftOutTime>& left_out) {
  std::string out = "| kernels |", line = "| --- |";
  std::map<std::string, std::map<model::Split, model::TimeErrors>> groups;
  for (const model::Split split : model::all_splits) {
    out += fmt::format(" {} |", to_string(split));
    line += " --- |";
    for (const auto& [group, phases] : model::judge(times, device, left_out, split).errors) {
      for (const auto& [phase, errors] : phases) add(groups[group][split], errors);
    }
  }
  out += "\n" + line + "\n";
  for (auto& [group, splits] : groups) {
    out += fmt::format("| {} |", group);
    for (const model::Split split : model::all_splits) {
      const model::TimeErrors& errors = splits[split];
      out += errors.count() == 0
                 ? " |"
                 : fmt::format(" {} / {} of {} |", percent(model::quantile(errors.relative, 0.5)),
                               covered(errors), errors.count());
    }
    out += "\n";
  }
  return out;
}

// How much times of the same configuration differ that was measured more than once: no model can be
// nearer than half of that.
inline std::string repeat_line(const MeasuredTimes& times) {
  std::map<std::string, std::vector<std::size_t>> equal;
  for (std::size_t i = 0; i < times.rows.size(); ++i) {
    RnnConfig config = times.rows[i].config;
    config.id.clear();
    equal[to_json_line(config)].push_back(i);
  }
  std::string out;
  for (const bool standard : {true, false}) {
    std::vector<double> ratios;
    std::size_t configurations = 0;
    for (const auto& [key, rows] : equal) {
      if (rows.size() < 2 || (times.rows[rows[0]].config.algo == Algo::standard) != standard)
        continue;
      ++configurations;
      for (const Phase phase : all_phases) {
        const double one = times.rows[rows[0]].at(phase), other = times.rows[rows[1]].at(phase);
        if (one > 0 && other > 0) ratios.push_back(std::max(one, other) / std::min(one, other) - 1);
      }
    }
    out += fmt::format(
        "- {}: {} configurations were measured twice; the slower of two times took "
        "{} longer in the median and {} at most.\n",
        standard ? "Standard" : "Persistent", configurations, percent(model::quantile(ratios, 0.5)),
        percent(model::quantile(ratios, 1)));
  }
  return out;
}

// That docs/models.md has `table` between its marks; with RNNADVISOR_UPDATE_GOLDEN=1 writes it.
inline void expect_written(const std::string& name, const std::string& table) {
  const std::string path = RNNADVISOR_SOURCE_DIR "/docs/models.md";
  std::ostringstream read;
  read << std::ifstream(path, std::ios::binary).rdbuf();
  std::string text = read.str();
  const std::string begin = "<!-- " + name + " -->\n";
  const auto from = text.find(begin);
  ASSERT_NE(from, std::string::npos) << begin;
  const auto start = from + begin.size();
  auto to = text.find("<!-- end -->", start);
  ASSERT_NE(to, std::string::npos) << begin;
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN") != nullptr) {
    text.replace(start, to - start, table);
    std::ofstream(path, std::ios::binary) << text;
    to = start + table.size();
  }
  EXPECT_EQ(text.substr(start, to - start), table) << "RNNADVISOR_UPDATE_GOLDEN=1 writes " << path;
}

}  // namespace rnnadvisor::test
