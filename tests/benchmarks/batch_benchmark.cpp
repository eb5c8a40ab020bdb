// check --batch from text to answers: what stands behind sliders and sweeps. Aims on one core:
// 50,000 configurations a second without findings, 5,000 with them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "advisor/cli/batch.h"

namespace {

using namespace rnnadvisor;

// The measured rows without their results, so that the work is a user's: configurations alone.
const std::string& lines() {
  static const std::string text = [] {
    std::ifstream stream(RNNADVISOR_SOURCE_DIR "/tests/data/h200/eligibility.jsonl");
    std::ostringstream read;
    read << stream.rdbuf();
    auto inputs = read_jsonl(read.str(), "eligibility.jsonl");
    std::string all;
    for (const auto& input : *inputs) all += to_json_line(input) + "\n";
    return all;
  }();
  return text;
}

void answer(benchmark::State& state, const advisor::RuleSet* rules) {
  const DeviceSpec device = *find_device("nvidia-h200");
  cli::BatchOptions options;
  options.device = &device;
  options.rules = rules;
  const auto count = std::count(lines().begin(), lines().end(), '\n');
  for (auto _ : state) {
    std::istringstream in(lines());
    std::string out;
    benchmark::DoNotOptimize(cli::answer_batch(
        in, "lines",
        [&](std::string_view answers, bool) {
          out += answers;
          return true;
        },
        options));
    benchmark::DoNotOptimize(out.size());
  }
  state.SetItemsProcessed(state.iterations() * count);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(lines().size()));
}

void without_findings(benchmark::State& state) { answer(state, nullptr); }
void with_findings(benchmark::State& state) { answer(state, &advisor::builtin_rules()); }
BENCHMARK(without_findings)->Unit(benchmark::kMillisecond);
BENCHMARK(with_findings)->Unit(benchmark::kMillisecond);

}  // namespace
