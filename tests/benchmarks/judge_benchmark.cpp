// All shipped rules against configurations that were not run: what `check --batch` does for every
// line. The budget with findings is 200 microseconds a configuration (5,000 a second on one core).
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>

#include "advisor/judge/judge.h"
#include "advisor/rules/rule.h"
#include "core/config/read_config.h"

namespace {

using namespace rnnadvisor;

Profile measured_configurations() {
  Profile profile;
  if (auto device = find_device("nvidia-h200")) profile.devices.push_back(*device);
  profile.environment.cudnn_version = "9.19.0";
  const std::string file = RNNADVISOR_SOURCE_DIR "/tests/data/h200/eligibility.jsonl";
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (const auto inputs = read_jsonl(text, file)) {
    for (const auto& input : *inputs) profile.configurations.emplace_back().config = input.config;
  }
  return profile;
}

void judge_all(benchmark::State& state, const advisor::JudgeOptions& options) {
  const Profile profile = measured_configurations();
  const auto& rules = advisor::builtin_rules();
  if (profile.configurations.empty() || rules.rules.empty())
    state.SkipWithError("no configurations or no rules");
  std::size_t findings = 0;
  for (auto _ : state) {
    const auto judgement = advisor::judge(profile, rules, options);
    findings = judgement.findings.size();
    benchmark::DoNotOptimize(findings);
  }
  const auto count = static_cast<double>(profile.configurations.size());
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(profile.configurations.size()));
  state.counters["rules"] = static_cast<double>(rules.rules.size());
  state.counters["findings_per_configuration"] = static_cast<double>(findings) / count;
}

void BM_JudgeFindings(benchmark::State& state) {
  judge_all(state, {.ignore = {}, .keep_verdicts = false});
}
BENCHMARK(BM_JudgeFindings)->Unit(benchmark::kMillisecond);

void BM_JudgeWithVerdicts(benchmark::State& state) {
  judge_all(state, {.ignore = {}, .keep_verdicts = true});
}
BENCHMARK(BM_JudgeWithVerdicts)->Unit(benchmark::kMillisecond);

// One configuration at a time, as a slider asks: the profile and its index are built anew each
// time.
void BM_JudgeOne(benchmark::State& state) {
  const Profile all = measured_configurations();
  if (all.configurations.empty()) state.SkipWithError("no configurations");
  Profile one = all;
  std::size_t at = 0;
  for (auto _ : state) {
    one.configurations.assign(1, all.configurations[at++ % all.configurations.size()]);
    auto judgement =
        advisor::judge(one, advisor::builtin_rules(), {.ignore = {}, .keep_verdicts = false});
    benchmark::DoNotOptimize(judgement);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_JudgeOne)->Unit(benchmark::kMicrosecond);

}  // namespace
