// A configuration for which changes were tried. The medians are those of tests/data/h200 (LSTM,
// half, H 64, T 32, B 64, training step by algorithm) where there are any; intervals, the graph,
// the wrong results and everything else are made up.
#include <fmt/format.h>

#include "advisor/facts/profile_index.h"
#include "advisor/judge/trials.h"
#include "tests/advisor/report/fixture.h"
#include "tests/advisor/whatif/stand_in.h"

namespace rnnadvisor::advisor::fixture {
namespace {

constexpr double standard = 0.6691 + 0.792 + 0.0737;
constexpr double small_h = 0.0764 + 0.0916 + 0.0913;
constexpr double persistent = 0.2094 + 0.1504 + 0.083;
constexpr double dynamic = 1.456 + 2.3278 + 0.0913;

struct Change {
  const char* transforms;
  const char* meaning;
  double ms;
  ExperimentVerdict verdict;
  const char* rule = "";
  const char* message = "";
  double moved = 2.1e-4;
  const char* where = "cudnn";
};

Experiment experiment(const Change& change) {
  Experiment e;
  e.configuration = 0;
  e.where = change.where;
  e.device = 0;
  e.transforms = change.transforms;
  e.meaning = change.meaning;
  e.verdict = change.verdict;
  e.rule = change.rule;
  e.message = change.message;
  if (change.ms <= 0) return e;
  e.memory_before = 11'495'424;
  e.memory_after = change.verdict == ExperimentVerdict::confirmed ? 9'437'184 : 13'631'488;
  e.seconds = 1.2;
  if (std::string_view(change.where) == "cudnn") {
    e.clocks_before = {1980, 3201, 41, 118'000, 0};
    e.clocks_after = {1965, 3201, 45, 402'000, 0};
  }
  e.shifts = {{"y", 1.2e-4, 3.1e-4, 3.2e-4}, {"dw", change.moved, -1, -1}};
  e.timings = {
      stand_in::timing(ExperimentScope::inference, 0.8204, 0.8204 * change.ms / standard, 21, 0.02),
      stand_in::timing(ExperimentScope::training_step, standard, change.ms, 21, 0.025)};
  return e;
}

}  // namespace

std::unique_ptr<Judged> tried() {
  auto judged = single();
  Profile& p = judged->profile;
  Configuration& own = p.configurations.front();
  own.config.id = "encoder";
  own.config.algo = Algo::standard;
  own.config.input_size = own.config.hidden_size = own.config.proj_size = 64;
  own.config.seq_length = 32;
  own.config.batch_size = 60;
  own.correctness.clear();
  Configuration other = own;
  other.config.algo = Algo::persist_static_small_h;
  p.configurations.push_back(other);
  using enum ExperimentVerdict;
  const Change changes[] = {
      {R"([{"kind":"pad_batch","parameters":{"multiple":8}}])", "padded", standard * 1.004,
       inconclusive, "alignment/batch-multiple-of-8"},
      {R"([{"kind":"algo","parameters":{"value":"persist_static"}}])", "exact", persistent,
       confirmed},
      {R"([{"kind":"algo","parameters":{"value":"persist_static_small_h"}}])", "exact", small_h,
       confirmed},
      {R"([{"kind":"algo","parameters":{"value":"persist_dynamic"}}])", "exact", dynamic, refuted,
       "", "short round only"},
      {R"([{"kind":"data_type","parameters":{"value":"bfloat16"}}])", "numerics", standard * 0.93,
       refuted, "precision/half",
       "not the same results: dw moved by 0.21, and a change that is called numerics may move it "
       "by "
       "0.05",
       0.21},
      {R"([{"kind":"pad_batch","parameters":{"multiple":8}},)"
       R"({"kind":"algo","parameters":{"value":"persist_static_small_h"}}])",
       "padded", small_h * 0.97, confirmed},
      {R"([{"kind":"cuda_graph","parameters":{}}])", "exact", standard / 2.4, confirmed},
      {R"([{"kind":"lower_batch","parameters":{"value":8}}])", "exact", 0, not_run, "",
       "the process that ran it died: signal 11"},
      {R"([{"kind":"cuda_graph","parameters":{}}])", "exact", standard / 7, confirmed, "",
       "GPU 1.50 ms, then 0.20 ms; host 0.10 ms, then 0.02 ms", 2.1e-4, "pytorch"}};
  for (const auto& change : changes) p.experiments.push_back(experiment(change));
  p.experiments[2].changed = {1};
  p.experiments[1].clocks_after = {1755, 3201, 66, 699'000, 0x4};  // a power cap
  p.experiments[2].code = {{"small_h.cpp", "cpp",
                            "cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H, "
                            "...);\n"}};
  p.experiments.back().code = {
      {"rnn_graph.py", "python", "class GraphLSTM(torch.nn.LSTM):\n    ways = 1 << 2\n"},
      {"train.py.diff", "diff", "-rnn = nn.LSTM(64, 64)\n+rnn = GraphLSTM(64, 64)\n"}};
  // Without a time: the original did not run.
  Experiment runs;
  runs.configuration = 0;
  runs.where = "cudnn";
  runs.device = 0;
  runs.transforms = R"([{"kind":"data_type","parameters":{"value":"half"}}])";
  runs.meaning = "numerics";
  runs.verdict = confirmed;
  runs.message = "this ran; the original did not: out of memory";
  p.experiments.push_back(runs);
  // The findings of `single`, each with a suggestion that was tried.
  auto& findings = judged->judgement.findings;
  const char* const more[][2] = {{"precision/half", "Half precision is not used"},
                                 {"user/dynamic", "The dynamic algorithm is not used"}};
  for (const auto& [id, title] : more) {
    Finding another = findings.front();
    another.rule_id = id;
    another.title = title;
    another.severity = Severity::opportunity;
    findings.push_back(another);
  }
  for (auto& finding : findings) finding.suggestions.clear();
  const auto suggest = [&](std::size_t at, const char* text, const char* kind, const char* json,
                           Meaning meaning) {
    if (at >= findings.size()) return;
    Suggestion suggestion;
    suggestion.text = text;
    suggestion.transform = Transform{kind, json, meaning};
    findings[at].suggestions.push_back(suggestion);
  };
  suggest(0, "Use the algorithm for small layers.", "algo", R"({"value":"persist_static_small_h"})",
          Meaning::exact);
  suggest(1, "Pad the batch to 64.", "pad_batch", R"({"multiple":8})", Meaning::padded);
  suggest(2, "Ask for the dynamic algorithm.", "algo", R"({"value":"persist_dynamic"})",
          Meaning::exact);
  if (findings.size() > 1) {
    findings[1].suggestions[0].cannot =
        "cannot be expressed in JAX: made up to see how it is shown";
  }
  const ProfileIndex index(p);
  Rule slower;
  slower.consequence = "slower";
  for (auto& finding : findings) apply_trials(finding, slower, index);
  return judged;
}

}  // namespace rnnadvisor::advisor::fixture
