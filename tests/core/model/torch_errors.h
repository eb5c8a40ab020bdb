// How far the model of PyTorch's memory is from what PyTorch said of its own (tests/gpu/memory/
// torch_peak.py), row by row: for tests, for docs/models.md and for rows measured anew.
#pragma once

#include "advisor/facts/framework_model.h"
#include "core/model/torch_memory.h"
#include "tests/core/model/size_errors.h"

namespace rnnadvisor::test {

struct TorchRow {
  std::string id;
  std::vector<std::string> kinds;                        // all that it is of
  std::int64_t allocated = 0, reserved = 0;              // measured, bytes
  std::int64_t model_allocated = 0, model_reserved = 0;  // bytes

  // (model - measured) / measured
  double allocated_error() const { return error(model_allocated, allocated); }
  double reserved_error() const { return error(model_reserved, reserved); }
  static double error(std::int64_t model, std::int64_t measured) {
    return (static_cast<double>(model) - static_cast<double>(measured)) /
           static_cast<double>(measured);
  }
};

inline model::Optimizer optimizer_of(const std::string& word) {
  using model::Optimizer;
  for (const auto each : {Optimizer::sgd, Optimizer::sgd_momentum, Optimizer::adam}) {
    if (model::to_string(each) == word) return each;
  }
  return Optimizer::none;
}

// `torch`: the key of that name of a row. Throws what nlohmann::json throws for keys that it lacks.
inline TorchRow torch_row(const ConfigInput& input, const nlohmann::json& torch) {
  const RnnConfig& config = input.config;
  const advisor::GpuShape gpu = {torch.at("major"), torch.at("minor"), torch.at("sm_count")};
  model::TorchStepOptions options;
  options.forward_algo = advisor::pytorch_algo(config, gpu, false, true).algo;
  options.backward_algo = advisor::pytorch_algo(config, gpu, false, false).algo;
  options.optimizer = optimizer_of(torch.at("optimizer"));
  options.batch_first = input.program.batch_first.value_or(false);
  options.autocast = input.program.autocast.value_or(Autocast::off) != Autocast::off;
  options.sm_count = gpu.sm_count;
  // The first rows do not say it, because there was no choice.
  options.flattened = torch.value("flattened", 2);
  options.emptied_cache = torch.value("emptied_cache", true);
  const auto need = model::torch_step_need(config, Mode::training, options);
  TorchRow row;
  row.id = config.id;
  row.kinds = {"all", std::string(to_string(config.cell))};
  const auto kind = [&](bool is, const char* name) {
    if (is) row.kinds.emplace_back(name);
  };
  kind(config.data_type == DataType::bfloat16, "bfloat16");
  kind(options.autocast, "autocast");
  kind(options.batch_first, "batch_first");
  kind(config.bias_mode == BiasMode::no_bias, "no_bias");
  kind(config.dropout > 0, "dropout");
  kind(config.has_projection(), "projection");
  kind(options.optimizer == model::Optimizer::adam, "adam");
  row.allocated = torch.at("allocated");
  row.reserved = torch.at("reserved");
  row.model_allocated = need.allocated;
  row.model_reserved = need.reserved;
  return row;
}

// Adds the rows of a file of torch_peak.py. Lines without a measurement go into `unmeasured`, those
// that cannot be read into `wrong`.
inline void add_torch_rows(const std::string& path, std::vector<TorchRow>& rows, int& unmeasured,
                           std::vector<std::string>& wrong) {
  std::ifstream file(path);
  if (!file) wrong.push_back("cannot read " + path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object() && json.contains("error")) {
      ++unmeasured;
      continue;
    }
    if (!json.is_object() || !json.contains("torch")) {
      wrong.push_back(fmt::format("{}:{}: no object with \"torch\"", path, number));
      continue;
    }
    const auto torch = json["torch"];
    json.erase("torch");
    const auto input = read_json_line(json.dump(), path, number);
    if (!input) {
      wrong.push_back(to_text(input.error()));
      continue;
    }
    try {
      rows.push_back(torch_row(*input, torch));
    } catch (const nlohmann::json::exception& problem) {
      wrong.push_back(fmt::format("{}:{}: {}", path, number, problem.what()));
    }
  }
}

inline std::vector<double> allocated_errors(const std::vector<TorchRow>& rows) {
  std::vector<double> errors;
  for (const auto& row : rows) errors.push_back(std::abs(row.allocated_error()));
  return errors;
}

inline std::string torch_error_table(const std::vector<TorchRow>& rows) {
  struct Errors {
    int equal = 0;
    std::vector<double> allocated, reserved;
  };
  std::map<std::string, Errors> kinds;
  for (const auto& row : rows) {
    for (const auto& kind : row.kinds) {
      Errors& errors = kinds[kind];
      errors.equal +=
          row.allocated == row.model_allocated && row.reserved == row.model_reserved ? 1 : 0;
      errors.allocated.push_back(std::abs(row.allocated_error()));
      errors.reserved.push_back(std::abs(row.reserved_error()));
    }
  }
  std::string out =
      "| kind | rows | equal to the byte | peak allocated | peak reserved |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const auto& [kind, errors] : kinds) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", kind, errors.allocated.size(), errors.equal,
                       error_cell(errors.allocated), error_cell(errors.reserved));
  }
  return out;
}

}  // namespace rnnadvisor::test
