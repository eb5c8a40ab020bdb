// check --batch from text to answers: what stands behind sliders and sweeps, on all cores of the
// process (`taskset -c 0` for one). Aims on one core: 50,000 configurations a second that cuDNN
// mostly refuses, 5,000 with findings; 20,000 that run, with predicted times.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "advisor/cli/batch.h"
#include "core/model/time_model.h"

namespace {

using namespace rnnadvisor;

// Measured rows without their results, so that the work is a user's: configurations alone.
std::string lines_of(const std::string& file, std::size_t skipped, std::size_t most,
                     bool half_in_pytorch) {
  std::ifstream stream(RNNADVISOR_SOURCE_DIR "/tests/data/h200/" + file);
  std::string text, row;
  for (std::size_t i = 0; i < skipped; ++i) std::getline(stream, row);
  while (std::getline(stream, row)) text += row + "\n";
  auto inputs = read_jsonl(text, file);
  std::string all;
  for (std::size_t i = 0; i < std::min(most, inputs->size()); ++i) {
    ConfigInput& input = (*inputs)[i];
    if (half_in_pytorch && i % 2 == 1) input.program.name = Framework::pytorch;
    all += to_json_line(input) + "\n";
  }
  return all;
}

// Drawn over sizes, features and what cuDNN refuses.
const std::string& refused() {
  static const std::string text = lines_of("eligibility.jsonl", 0, 500, false);
  return text;
}
// Drawn among what runs and was measured; every other one as a layer of PyTorch.
const std::string& running() {
  static const std::string text = lines_of("held-back-drawn-fourth.times.jsonl", 1, 5000, true);
  return text;
}

const DeviceSpec& device() {
  static const DeviceSpec spec = *find_device("nvidia-h200");
  return spec;
}

enum class Times { none, predicted };

void answer(benchmark::State& state, const std::string& lines, const advisor::RuleSet* rules,
            Times times) {
  cli::BatchOptions options;
  options.device = &device();
  options.rules = rules;
  const auto count = std::count(lines.begin(), lines.end(), '\n');
  for (auto _ : state) {
    // As a command does, which has kept no predictions.
    std::shared_ptr<const model::TimeModel> model;
    if (times == Times::predicted) {
      model = *model::find_time_model("nvidia-h200", device());
      options.times = model.get();
      options.judge.predict_for = [known = model::predictor(model)](const DeviceSpec&) {
        return known;
      };
    }
    std::istringstream in(lines);
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
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(lines.size()));
}

void without_findings(benchmark::State& state) { answer(state, refused(), nullptr, Times::none); }
void with_findings(benchmark::State& state) {
  answer(state, refused(), &advisor::builtin_rules(), Times::none);
}
void running_alone(benchmark::State& state) { answer(state, running(), nullptr, Times::none); }
void running_with_times(benchmark::State& state) {
  answer(state, running(), nullptr, Times::predicted);
}
void running_with_findings(benchmark::State& state) {
  answer(state, running(), &advisor::builtin_rules(), Times::none);
}
void running_with_findings_and_times(benchmark::State& state) {
  answer(state, running(), &advisor::builtin_rules(), Times::predicted);
}
BENCHMARK(without_findings)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(with_findings)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(running_alone)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(running_with_times)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(running_with_findings)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(running_with_findings_and_times)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
