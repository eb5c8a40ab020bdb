// torch_errors FILE...: the model of PyTorch's memory against what torch_peak.py measured. Needs no
// GPU. Prints errors by kind and the worst lines; exit status 1 when the 95th percentile of the
// error of the allocated peak is above 3 %.
#include <iostream>

#include "advisor/facts/framework_model.h"
#include "core/model/torch_memory.h"
#include "tests/core/model/size_errors.h"

namespace rnnadvisor {
namespace {

struct Row {
  std::string id, kind;
  double allocated = 0, reserved = 0;  // (model - measured) / measured
};

model::Optimizer optimizer_of(const std::string& word) {
  using model::Optimizer;
  for (const auto each : {Optimizer::sgd, Optimizer::sgd_momentum, Optimizer::adam}) {
    if (model::to_string(each) == word) return each;
  }
  return Optimizer::none;
}

Row compare(const ConfigInput& input, const nlohmann::json& torch) {
  const RnnConfig& config = input.config;
  const advisor::GpuShape gpu = {torch.at("major"), torch.at("minor"), torch.at("sm_count")};
  model::TorchStepOptions options;
  options.forward_algo = advisor::pytorch_algo(config, gpu, false, true).algo;
  options.backward_algo = advisor::pytorch_algo(config, gpu, false, false).algo;
  options.optimizer = optimizer_of(torch.at("optimizer"));
  options.batch_first = input.program.batch_first.value_or(false);
  options.autocast = input.program.autocast.value_or(Autocast::off) != Autocast::off;
  const auto need = model::torch_step_need(config, Mode::training, options);
  const auto error = [](std::int64_t ours, const nlohmann::json& theirs) {
    return (static_cast<double>(ours) - theirs.get<double>()) / theirs.get<double>();
  };
  return {config.id,
          std::string(to_string(config.cell)) + (options.autocast ? ", autocast" : "") +
              (options.batch_first ? ", batch_first" : ""),
          error(need.allocated, torch.at("allocated")), error(need.reserved, torch.at("reserved"))};
}

}  // namespace
}  // namespace rnnadvisor

int main(int argc, char** argv) {
  using namespace rnnadvisor;
  if (argc < 2) {
    std::cerr << "usage: torch_errors FILE.jsonl...\n";
    return 2;
  }
  std::vector<Row> rows;
  int wrong = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i]);
    if (!file) {
      std::cerr << "cannot read " << argv[i] << "\n";
      return 2;
    }
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      auto json = nlohmann::json::parse(line, nullptr, false);
      if (!json.is_object() || json.contains("error") || !json.contains("torch")) {
        ++wrong;
        continue;
      }
      const auto torch = json["torch"];
      json.erase("torch");
      const auto input = read_json_line(json.dump(), argv[i], number);
      if (!input) {
        std::cerr << to_text(input.error()) << "\n";
        ++wrong;
        continue;
      }
      try {
        rows.push_back(compare(*input, torch));
      } catch (const nlohmann::json::exception& problem) {
        std::cerr << argv[i] << ":" << number << ": " << problem.what() << "\n";
        ++wrong;
      }
    }
  }
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> kinds;
  for (const auto& row : rows) {
    for (const auto& kind : {row.kind, std::string("all")}) {
      kinds[kind].first.push_back(std::abs(row.allocated));
      kinds[kind].second.push_back(std::abs(row.reserved));
    }
  }
  std::cout << "Median, 95th percentile, 99th percentile and largest relative error.\n\n"
               "| kind | rows | peak allocated | peak reserved |\n| --- | --- | --- | --- |\n";
  for (const auto& [kind, errors] : kinds) {
    std::cout << fmt::format("| {} | {} | {} | {} |\n", kind, errors.first.size(),
                             test::error_cell(errors.first), test::error_cell(errors.second));
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::abs(a.allocated) > std::abs(b.allocated);
  });
  std::cout << "\nThe worst (model above measured is positive):\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(10, rows.size()); ++i) {
    std::cout << fmt::format("{} ({}): allocated {:+.3g} %, reserved {:+.3g} %\n", rows[i].id,
                             rows[i].kind, 100 * rows[i].allocated, 100 * rows[i].reserved);
  }
  if (wrong > 0) std::cout << wrong << " lines without a measurement\n";
  const auto& all = kinds["all"].first;
  return rows.empty() ? 2 : test::quantile(all, 0.95) > 0.03 ? 1 : 0;
}
