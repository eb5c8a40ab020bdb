// size_probe IN.jsonl OUT.jsonl: cuDNN's descriptor and size answers for every configuration, one
// JSON object a line with the configuration's keys, "status" and "bytes": the format of
// tests/data/h200/*.jsonl, behind a first line, a remark, that says what answered. Runs no kernels.
// tests/gpu/memory has configurations and a comparison with the model.
#include <cstdio>
#include <fstream>
#include <iostream>

#include "core/config/read_config.h"
#include "core/cudnn/machine.h"
#include "core/cudnn/rnn_runner.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: size_probe IN.jsonl OUT.jsonl\n";
    return 2;
  }
  using namespace rnnadvisor;
  auto runner = RnnRunner::create(0);
  if (!runner) {
    std::cerr << to_text(runner.error()) << "\n";
    return 3;
  }
  std::ifstream in(argv[1]);
  std::ofstream out(argv[2]);
  const auto machine = inspect_machine();
  out << "# cuDNN " << (*runner)->cudnn_version() << ", driver " << machine.driver_version << ", "
      << (machine.gpus.empty() ? "no GPU" : machine.gpus.front().spec.name) << "\n";
  std::string line;
  int number = 0;
  RunOptions options;
  options.sizes_only = true;
  while (std::getline(in, line)) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const auto input = read_json_line(line, argv[1], number);
    if (!input) {
      std::cerr << to_text(input.error()) << "\n";
      return 2;
    }
    RunReport report;
    (*runner)->prepare(input->config, options, report);
    std::string text = to_json_line(input->config);
    text.pop_back();
    int descriptor = 0;
    int sizes = 0;
    std::string reason;
    for (const auto& stage : report.stages) {
      if (stage.stage == model::Stage::set_descriptor) descriptor = stage.status;
      if (stage.stage == model::Stage::temp_space) sizes = stage.status;
      if (!stage.reason.empty()) reason = stage.reason;
    }
    if (descriptor != 0) sizes = descriptor;
    const auto bytes = [](std::int64_t value) { return std::to_string(value < 0 ? 0 : value); };
    out << text << R"(, "status": {"set_descriptor": )" << descriptor << R"(, "temp_space": )"
        << sizes << R"(}, "bytes": {"workspace_inference": )" << bytes(report.workspace_inference)
        << R"(, "workspace_training": )" << bytes(report.workspace_training)
        << R"(, "reserve_training": )" << bytes(report.reserve_training) << R"(, "weights": )"
        << bytes(report.weights) << "}}\n";
  }
  return out.good() ? 0 : 3;
}
