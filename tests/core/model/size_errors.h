// How far the memory model is from cuDNN's answers, by class of configuration: for tests, for
// docs/models.md and for rows measured anew (tests/gpu/memory).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/config/read_config.h"
#include "core/model/memory.h"

namespace rnnadvisor::test {

struct SizeErrors {
  int rows = 0;           // with sizes
  int stated = 0;         // of them, those that the model calls exact
  int differ = 0;         // of them, those in which a size differs
  int stated_differ = 0;  // called exact, and differ: the model says something false
  // Relative errors, as shares of cuDNN's answer.
  std::vector<double> weights, reserve, inference, training;
};

inline std::string size_class(const RnnConfig& c) {
  const bool converts =
      c.data_type == DataType::float32 && c.math_type == MathType::tensor_op_allow_conversion;
  std::string name = c.data_type == DataType::bfloat16 ? "bfloat16, any algorithm"
                                                       : std::string(to_string(c.algo));
  if (converts) name += ", allow_conversion";
  if (model::weight_query_wraps(c)) return "2^31 weight elements and more: a defect of cuDNN";
  if (c.has_varying_lengths()) name += ", unequal lengths";
  if (model::space_sizes(c).workspace_training.exactness != model::Exactness::exact)
    name += " (estimate)";
  return name;
}

// Values at or below which the share `q` of them lies (nearest rank).
inline double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

// Adds the rows of a file in the format of tests/data/h200. Lines that cannot be read go into
// `wrong`. Rows whose sizes cuDNN refused have no errors.
inline void add_size_errors(const std::string& path, std::map<std::string, SizeErrors>& classes,
                            std::vector<std::string>& wrong) {
  std::ifstream file(path);
  if (!file) wrong.push_back("cannot read " + path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const auto input = read_json_line(line, path, number);
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!input || !json.is_object() || !json.contains("status") || !json.contains("bytes")) {
      wrong.push_back(fmt::format("{}:{}: {}", path, number,
                                  input ? "no status or bytes" : to_text(input.error())));
      continue;
    }
    if (json["status"].value("set_descriptor", -1) != 0 ||
        json["status"].value("temp_space", -1) != 0)
      continue;
    SizeErrors& errors = classes[size_class(input->config)];
    const auto sizes = model::space_sizes(input->config);
    bool differs = false, exact = true;
    const auto compare = [&](const char* key, const model::Bytes& bytes,
                             std::vector<double>& into) {
      const auto measured = json["bytes"].value(key, std::int64_t{-1});
      const double difference = static_cast<double>(bytes.value) - static_cast<double>(measured);
      into.push_back(difference == 0 ? 0 : std::abs(difference) / static_cast<double>(measured));
      differs = differs || bytes.value != measured;
      exact = exact && bytes.exactness == model::Exactness::exact;
    };
    compare("weights", sizes.weights, errors.weights);
    compare("reserve_training", sizes.reserve_training, errors.reserve);
    compare("workspace_inference", sizes.workspace_inference, errors.inference);
    compare("workspace_training", sizes.workspace_training, errors.training);
    ++errors.rows;
    errors.stated += exact ? 1 : 0;
    errors.differ += differs ? 1 : 0;
    errors.stated_differ += exact && differs ? 1 : 0;
  }
}

// "0 / 0 / 0 / 0.3 %": median, 95th and 99th percentile, largest.
inline std::string error_cell(const std::vector<double>& errors) {
  const auto percent = [](double value) {
    if (std::isinf(value)) return std::string("∞");  // cuDNN answered 0
    return value == 0 ? std::string("0") : fmt::format("{:.3g}", 100 * value);
  };
  return fmt::format("{} / {} / {} / {} %", percent(quantile(errors, 0.5)),
                     percent(quantile(errors, 0.95)), percent(quantile(errors, 0.99)),
                     percent(quantile(errors, 1)));
}

inline std::string size_error_table(const std::map<std::string, SizeErrors>& classes) {
  std::string out =
      "| class | rows | called exact | not equal | weights | reserve | inference workspace | "
      "training workspace |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [name, errors] : classes) {
    out +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", name, errors.rows, errors.stated,
                    errors.differ, error_cell(errors.weights), error_cell(errors.reserve),
                    error_cell(errors.inference), error_cell(errors.training));
  }
  return out;
}

}  // namespace rnnadvisor::test
