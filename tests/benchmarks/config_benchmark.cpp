// Reading and writing configurations one line at a time, as `check --batch` does. Its budget is 20
// microseconds a line for everything (50,000 lines a second), of which reading and writing should
// be a small part.
#include <benchmark/benchmark.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/read_config.h"
#include "core/config/validate.h"

namespace {

using namespace rnnadvisor;

// The configurations of the measured rows, with the results that read_json_line() passes over or
// without.
std::vector<std::string> lines(bool with_results) {
  std::ifstream in(std::string(RNNADVISOR_SOURCE_DIR) + "/tests/data/h200/eligibility.jsonl");
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) {
    const auto status = line.find(", \"status\"");
    all.push_back(with_results ? line : line.substr(0, status) + "}");
  }
  return all;
}

void read_lines(benchmark::State& state, const std::vector<std::string>& all) {
  std::size_t at = 0;
  std::int64_t bytes = 0;
  if (all.empty()) state.SkipWithError("tests/data/h200/eligibility.jsonl is missing");
  for (auto _ : state) {
    const auto& line = all[at++ % all.size()];
    auto input = read_json_line(line, "eligibility.jsonl", 1);
    if (!input) state.SkipWithError("a line does not read");
    benchmark::DoNotOptimize(input);
    bytes += static_cast<std::int64_t>(line.size());
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(state.iterations());
}

void BM_ReadJsonLine(benchmark::State& state) { read_lines(state, lines(false)); }
BENCHMARK(BM_ReadJsonLine);

void BM_ReadJsonLineWithResults(benchmark::State& state) { read_lines(state, lines(true)); }
BENCHMARK(BM_ReadJsonLineWithResults);

void BM_ToJsonLine(benchmark::State& state) {
  std::vector<ConfigInput> inputs;
  for (const auto& line : lines(false))
    inputs.push_back(*read_json_line(line, "eligibility.jsonl", 1));
  std::size_t at = 0;
  for (auto _ : state) {
    auto line = to_json_line(inputs[at++ % inputs.size()]);
    benchmark::DoNotOptimize(line);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_ToJsonLine);

void BM_RejectedBySetDescriptor(benchmark::State& state) {
  std::vector<ConfigInput> inputs;
  for (const auto& line : lines(false))
    inputs.push_back(*read_json_line(line, "eligibility.jsonl", 1));
  std::size_t at = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(rejected_by_set_descriptor(inputs[at++ % inputs.size()].config));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_RejectedBySetDescriptor);

}  // namespace
