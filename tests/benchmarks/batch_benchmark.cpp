// check --batch from text to answers: what stands behind sliders and sweeps, on all cores of the
// process (`taskset -c 0` for one). Aims on one core: 50,000 configurations a second that cuDNN
// mostly refuses, 5,000 with findings; 20,000 that run, with predicted times. Beside it the same
// configurations one request each through `serve`: 10,000 a second.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "advisor/cli/batch.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/serving.h"
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

enum class Asked { once, again };

// A request for each of `params`, framed, all sent at once, through the server and back. `once`: by
// a program that was just started, to which no question comes twice. `again`: by one that has
// answered the same before, as to an editor.
void serve(benchmark::State& state, std::string_view method, const std::vector<std::string>& params,
           Asked asked = Asked::once) {
  std::string messages;
  for (std::size_t i = 0; i < params.size(); ++i)
    messages += cli::frame_rpc(fmt::format(
        R"({{"jsonrpc": "2.0", "id": {}, "method": "{}", "params": {}}})", i, method, params[i]));
  const cli::Terminal terminal;
  const auto services = cli::live_services();
  std::ostringstream out;
  const cli::Context context{.out = out, .err = out, .terminal = terminal, .services = services};
  const auto start = [&] {
    cli::JudgingOptions judging;
    judging.fail_on = "never";
    return std::make_unique<cli::Server>(
        context, *cli::prepare_judging(judging, services.predict_for), "nvidia-h200");
  };
  std::string written;  // at last; each copied once, as a pipe does
  std::size_t bytes = 0;
  const auto answer_all = [&](cli::Server& server, std::string* all = nullptr) {
    std::istringstream in(messages);
    bytes = 0;
    benchmark::DoNotOptimize(cli::serve_rpc(
        in,
        [&](std::string_view text, bool) {
          written.assign(text);
          bytes += text.size();
          if (all != nullptr) all->append(text);
          return true;
        },
        [&](std::string_view name, std::string_view given) { return server.call(name, given); }));
  };
  auto server = start();
  if (asked == Asked::again) answer_all(*server);
  for (auto _ : state) {
    if (asked == Asked::once) server = start();
    answer_all(*server);
  }
  std::string all;
  answer_all(*server, &all);
  if (all.find("\"error\": {") != std::string::npos) state.SkipWithError("an error");
  state.counters["bytes_of_answer"] =
      static_cast<double>(bytes) / static_cast<double>(params.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(params.size()));
}

std::vector<std::string> params_of(const std::string& lines, std::string_view more,
                                   std::size_t most = 5000) {
  std::vector<std::string> all;
  std::istringstream stream(lines);
  for (std::string line; all.size() < most && std::getline(stream, line);)
    all.push_back(fmt::format(R"({{"configuration": {}{}}})", line, more));
  return all;
}

void served_check_running_with_times(benchmark::State& state) {
  serve(state, "check", params_of(running(), R"(, "findings": false)"));
}
void served_check_running_with_findings_and_times(benchmark::State& state) {
  serve(state, "check", params_of(running(), ""));
}
void served_check_refused(benchmark::State& state) {
  serve(state, "check", params_of(refused(), R"(, "findings": false)"));
}
void served_fit(benchmark::State& state) { serve(state, "fit", params_of(running(), "", 1000)); }
void served_map(benchmark::State& state) { serve(state, "map", params_of(running(), "", 100)); }
void served_explain_rule(benchmark::State& state) {
  std::vector<std::string> all;
  for (const auto& rule : advisor::builtin_rules().rules)
    all.push_back(fmt::format(R"({{"rule": "{}"}})", rule.id));
  serve(state, "explain", all);
}
void served_explain_error(benchmark::State& state) {
  std::vector<std::string> all;
  for (int i = 0; i < 100; ++i)
    all.push_back(fmt::format(
        R"({{"error": "line {}\nRuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error )"
        R"(may appear if you passed in a non-contiguous input."}})",
        i));
  serve(state, "explain", all);
}
void served_again_check_with_findings_and_times(benchmark::State& state) {
  serve(state, "check", params_of(running(), "", 1000), Asked::again);
}
void served_again_fit(benchmark::State& state) {
  serve(state, "fit", params_of(running(), "", 1000), Asked::again);
}
void served_again_map(benchmark::State& state) {
  serve(state, "map", params_of(running(), "", 100), Asked::again);
}
// The time of all threads, too: on a machine that does other work beside it, what one core does in
// a second of its own.
#define SERVED_BENCHMARK(name) \
  BENCHMARK(name)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime()
SERVED_BENCHMARK(served_check_running_with_times);
SERVED_BENCHMARK(served_check_running_with_findings_and_times);
SERVED_BENCHMARK(served_check_refused);
SERVED_BENCHMARK(served_fit);
SERVED_BENCHMARK(served_map);
SERVED_BENCHMARK(served_explain_rule);
SERVED_BENCHMARK(served_explain_error);
SERVED_BENCHMARK(served_again_check_with_findings_and_times);
SERVED_BENCHMARK(served_again_fit);
SERVED_BENCHMARK(served_again_map);
BENCHMARK(without_findings)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(with_findings)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(running_alone)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(running_with_times)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(running_with_findings)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(running_with_findings_and_times)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
