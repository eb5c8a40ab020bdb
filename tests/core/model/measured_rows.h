// The raw measurements in tests/data/h200: what cuDNN 9.19 answered on one H200.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/config/rnn_config.h"
#include "core/model/eligibility.h"

namespace rnnadvisor::test {

struct MeasuredRow {
  std::string where;  // file and line, for messages
  RnnConfig config;
  std::array<int, 6> status{};  // by Stage; -1: the stage was not run
  std::int64_t weights = 0, workspace_inference = 0, workspace_training = 0, reserve_training = 0;
  nlohmann::json kernels;

  int at(model::Stage stage) const { return status[static_cast<std::size_t>(stage)]; }
};

template <class Enum>
void take(const nlohmann::json& row, const char* key, Enum& into) {
  if (!row.contains(key)) return;
  const auto word = row.at(key).get<std::string>();
  const auto value = parse_enum<Enum>(word);
  ASSERT_TRUE(value.has_value()) << key << " " << word;
  into = *value;
}

inline RnnConfig measured_config(const nlohmann::json& row) {
  RnnConfig c;
  take(row, "algo", c.algo);
  take(row, "cell", c.cell);
  take(row, "data_type", c.data_type);
  take(row, "math_precision", c.math_precision);
  take(row, "math_type", c.math_type);
  take(row, "direction", c.direction);
  take(row, "layout", c.layout);
  take(row, "bias_mode", c.bias_mode);
  take(row, "input_mode", c.input_mode);
  c.input_size = row.at("input_size");
  c.hidden_size = row.at("hidden_size");
  c.proj_size = row.at("proj_size");
  c.num_layers = row.at("num_layers");
  c.seq_length = row.at("seq_length");
  c.batch_size = row.at("batch_size");
  c.padded_io = row.at("padded_io");
  c.dropout = row.value("dropout", 0.0);
  if (row.contains("seq_lengths")) c.seq_lengths = row.at("seq_lengths").get<std::vector<int>>();
  return c;
}

inline std::vector<MeasuredRow> measured_rows(const std::string& name) {
  std::vector<MeasuredRow> rows;
  std::ifstream file(std::string(RNNADVISOR_SOURCE_DIR) + "/tests/data/h200/" + name);
  EXPECT_TRUE(file) << name;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;  // which libraries answered
    const auto json = nlohmann::json::parse(line);
    MeasuredRow row;
    row.where = name + ":" + std::to_string(rows.size() + 1) + " " +
                json.value("id", std::string()) + " " + json.value("algo", std::string());
    row.config = measured_config(json);
    for (const auto stage : model::all_stages) {
      row.status[static_cast<std::size_t>(stage)] =
          json.at("status").value(std::string(to_string(stage)), -1);
    }
    const auto& bytes = json.at("bytes");
    row.weights = bytes.at("weights");
    row.workspace_inference = bytes.at("workspace_inference");
    row.workspace_training = bytes.at("workspace_training");
    row.reserve_training = bytes.at("reserve_training");
    if (json.contains("kernels")) row.kernels = json.at("kernels");
    rows.push_back(std::move(row));
  }
  return rows;
}

inline std::vector<MeasuredRow> all_measured_rows() {
  std::vector<MeasuredRow> rows;
  for (const char* name :
       {"temp-space.jsonl", "eligibility.jsonl", "kernels.jsonl", "guide-figures-9-10.jsonl"}) {
    auto more = measured_rows(name);
    rows.insert(rows.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  }
  return rows;
}

}  // namespace rnnadvisor::test
