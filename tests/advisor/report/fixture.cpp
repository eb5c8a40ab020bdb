#include "tests/advisor/report/fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace rnnadvisor::advisor::fixture {

const char* const hostile =
    "<script>alert(1)</script> \"q\" 'a' `t` |p| *b* ]]> --> </script> \x1b[31mred\x07 \x01 "
    "\xff\xfe \xc3( \xe2\x80\xae"
    "rtl & =cmd() \\ ${x} {{y}}\r\nline two\ttab";

namespace {

DeviceSpec h200() {
  DeviceSpec d;
  d.id = "nvidia-h200";
  d.name = "NVIDIA H200";
  d.architecture = "Hopper";
  d.compute_major = 9;
  d.sm_count = 132;
  d.memory_bytes = 150'000'000'000;
  d.l2_bytes = 62'914'560;
  d.shared_memory_per_sm = 233'472;
  d.shared_memory_per_block = 232'448;
  d.registers_per_sm = 65'536;
  d.memory_bandwidth = 4.8e12;
  d.fp64_flops = 67e12;
  d.fp32_flops = 67e12;
  d.tf32_tensor_flops = 494e12;
  d.fp16_flops = 134e12;
  d.fp16_tensor_flops = 989e12;
  d.bf16_tensor_flops = 989e12;
  d.source = "fixture";
  return d;
}

Environment environment() {
  Environment e;
  e.rnnadvisor_version = "0.1.0";
  e.command_line = "rnnadvisor run configurations.toml";
  e.host = "gpu-node";
  e.operating_system = "Debian GNU/Linux 12";
  e.cpu = "AMD EPYC 9654";
  e.created = "2025-06-01T12:00:00Z";
  e.driver_version = "580.159.04";
  e.cuda_driver_version = "13.0";
  e.cuda_runtime_version = "12.9";
  e.cudnn_version = "9.19.0";
  e.cupti_version = "12.9";
  e.tracing = true;
  e.clocks = {{"start", 0, 1980, 3201, 41, 118000}, {"end", 0, 1935, 3201, 58, 402500}};
  return e;
}

Configuration lstm(std::string id, Algo algo, int hidden, int batch, int steps = 256) {
  Configuration c;
  c.config.id = std::move(id);
  c.config.algo = algo;
  c.config.data_type = DataType::half;
  c.config.math_type = MathType::tensor_op;
  c.config.input_size = c.config.hidden_size = c.config.proj_size = hidden;
  c.config.batch_size = batch;
  c.config.seq_length = steps;
  c.origin = Origin::run;
  return c;
}

PhaseTiming timing(Phase phase, double ms) {
  PhaseTiming t;
  t.phase = phase;
  t.ms = {ms, ms * 0.992, ms * 1.011, 0.957, 21};
  t.converged = true;
  return t;
}

void timed(Configuration& c, double forward, double data, double weights) {
  c.outcome = Outcome::completed;
  c.timings = {timing(Phase::forward_training, forward), timing(Phase::backward_data, data),
               timing(Phase::backward_weights, weights)};
  c.memory_free_before = 149'000'000'000;
  c.memory_peak_used = 420'000'000;
}

int intern(Profile& p, const std::string& text) {
  const auto found = std::find(p.strings.begin(), p.strings.end(), text);
  if (found != p.strings.end()) return static_cast<int>(found - p.strings.begin());
  p.strings.push_back(text);
  return static_cast<int>(p.strings.size()) - 1;
}

void kernel(Profile& p, int call, std::int64_t start, std::int64_t us, const std::string& name,
            model::Implementation family, KernelRole role) {
  auto& k = p.kernels;
  k.start_ns.push_back(start);
  k.end_ns.push_back(start + us * 1000);
  k.name.push_back(intern(p, name));
  k.call.push_back(call);
  k.device.push_back(0);
  k.stream.push_back(7);
  k.process.push_back(0);
  k.correlation.push_back(static_cast<std::int64_t>(k.start_ns.size()));
  k.grid.push_back({132, 1, 1});
  k.block.push_back({256, 1, 1});
  k.registers.push_back(128);
  k.shared_static.push_back(0);
  k.shared_dynamic.push_back(98'304);
  k.family.push_back(family);
  k.role.push_back(role);
}

constexpr const char* persistent_forward =
    "void RNN_persist_fp<__half, __half, float, (cudnnRNNMode_t)2, true, 1024, 1, 28, 28, 8, 0, 8, "
    "1>(persist_fp_args)";
constexpr const char* gemm = "nvjet_sm90_hsh_64x8_64x16_2x4_h_bz_TNT";
constexpr const char* cell =
    "void elemWiseRNNcell<__half, __half, float, (cudnnRNNMode_t)2, (cudnnRNNBiasMode_t)2>(int, "
    "int, int, int, int, bool, __half const*)";

// One traced call of forward training: standard kernels (a product and a cell per step, with gaps)
// or one persistent kernel.
void traced(Profile& p, int configuration, bool persistent) {
  RnnCall call;
  call.configuration = configuration;
  call.phase = Phase::forward_training;
  call.host_start_ns = 1'000'000'000 + 50'000'000LL * configuration;
  call.host_end_ns = call.host_start_ns + 3'000'000;
  call.process = 0;
  if (p.processes.empty()) p.processes.emplace_back();
  p.calls.push_back(call);
  const int index = static_cast<int>(p.calls.size()) - 1;
  std::int64_t at = call.host_start_ns + 20'000;
  if (persistent) {
    kernel(p, index, at, 1100, persistent_forward, model::Implementation::persistent,
           KernelRole::persistent);
    return;
  }
  for (int step = 0; step < 16; ++step, at += 14'000) {
    kernel(p, index, at, 5, gemm, model::Implementation::standard, KernelRole::recurrent_gemm);
    kernel(p, index, at + 7'000, 3, cell, model::Implementation::standard, KernelRole::pointwise);
  }
}

Citation guide(std::string section, std::string quote = {}) {
  return {"NVIDIA, Optimizing Recurrent Layers User's Guide",
          std::move(section),
          "2023",
          "https://docs.nvidia.com/deeplearning/performance/dl-performance-recurrent/index.html",
          std::move(quote),
          'S'};
}

Rule rule(std::string id, std::string title, std::string passed, Severity severity) {
  Rule r;
  r.id = std::move(id);
  r.title = std::move(title);
  r.title_passed = std::move(passed);
  r.severity = severity;
  r.consequence = "slower";
  r.explanation = "Why this matters, *before and after*, and where the rule ends.";
  r.citations = {guide("Quick Start Checklist")};
  SuggestionTemplate suggestion;
  suggestion.text = "Change the size.";
  r.suggestions = {suggestion};
  return r;
}

RuleSet rules() {
  return {
      {rule("alignment/batch-multiple-of-8", "Batch size is not a multiple of 8",
            "Batch size is a multiple of 8", Severity::warning),
       rule("memory/fits", "It does not fit into the device's memory",
            "It fits into the device's memory", Severity::error),
       rule("persistence/hidden-limit", "Hidden size is above the limit of the persistent kernels",
            "Hidden size is within the limit", Severity::error),
       rule("persistence/silent-fallback", "Another implementation ran than was asked for",
            "What was asked for ran", Severity::warning),
       rule("precision/half", "Half precision is not used", "Half precision is used",
            Severity::opportunity),
       rule("pytorch/flat-weights", "The weights are not one flat buffer", "The weights are flat",
            Severity::opportunity)}};
}

Finding finding(const RuleSet& set, const std::string& id, int configuration) {
  const auto found =
      std::find_if(set.rules.begin(), set.rules.end(), [&](const Rule& r) { return r.id == id; });
  Finding f;
  f.rule_id = found->id;
  f.title = found->title;
  f.severity = found->severity;
  f.citations = found->citations;
  f.configuration = configuration;
  return f;
}

Comparison comparison(std::string fact, std::string op, std::string threshold, std::string observed,
                      Provenance provenance = Provenance::configured) {
  return {std::move(fact), std::move(op), std::move(threshold), std::move(observed), "",
          provenance,      true};
}

Finding batch_finding(const RuleSet& set, int configuration, const std::string& batch) {
  Finding f = finding(set, "alignment/batch-multiple-of-8", configuration);
  f.criterion = "ALIGN-STD-8";
  f.message = fmt::format(
      "Batch size {} is not a multiple of 8, so the products of this layer do not fill whole "
      "Tensor Core tiles.",
      batch);
  f.comparisons = {comparison("call.batch_size", "not_multiple_of", "8", batch)};
  f.context = {comparison("call.data_type", "is", "half", "half")};
  f.suggestions = {{"Pad the batch to 40, or drop it to 32.",
                    Transform{"pad_batch", R"({"multiple":8})", Meaning::padded},
                    {},
                    "x = torch.nn.functional.pad(x, (0, 0, 0, 7))\ny, _ = lstm(x)\ny = y[:, :33]",
                    "pytorch"},
                   {"Collect batches whose size is a multiple of 8.", std::nullopt, {}, "", ""}};
  f.citations = {guide("Quick Start Checklist", "Choose batch sizes that are multiples of 8"),
                 {"cuDNN 7.6 Developer Guide", "Tensor Core operations", "7.6", "", "", 'S'}};
  f.validity = {{"nvidia-h200", "9.19.0", "2025-06-01", "1.9 to 5 times slower kernels",
                 "tests/data/h200", 12, 1}};
  f.gain = Gain{1.44, 1.40, 1.48, 0, GainBasis::measured_here, "training step", "gnmt-layer"};
  f.gain->change = "the persist_static algorithm";
  return f;
}

void verdicts(Judged& j, int configuration) {
  for (const auto& r : j.rules.rules) {
    Verdict v;
    v.rule_id = r.id;
    v.configuration = configuration;
    const bool fired = std::any_of(
        j.judgement.findings.begin(), j.judgement.findings.end(),
        [&](const Finding& f) { return f.rule_id == r.id && f.configuration == configuration; });
    v.kind = fired                            ? VerdictKind::fired
             : r.id.starts_with("pytorch/")   ? VerdictKind::unknown
             : r.id.starts_with("precision/") ? VerdictKind::not_applicable
                                              : VerdictKind::passed;
    if (v.kind == VerdictKind::unknown) v.missing = {"framework.flat_weights"};
    j.judgement.verdicts.push_back(v);
  }
}

std::unique_ptr<Judged> start() {
  auto j = std::make_unique<Judged>();
  j->profile.environment = environment();
  j->profile.devices = {h200()};
  j->rules = rules();
  return j;
}

Finding fallback_finding(const RuleSet& set, int configuration) {
  Finding f = finding(set, "persistence/silent-fallback", configuration);
  f.message =
      "PERSIST_STATIC was asked for in bfloat16; cuDNN accepted it and ran the standard kernels.";
  f.confidence = Confidence::measured;
  f.comparisons = {
      comparison("trace.implementation", "is_not", "persistent", "standard", Provenance::measured)};
  f.calls = {1};
  f.kernels = {1, 2, 3};
  f.suggestions = {{"Use half instead of bfloat16.",
                    Transform{"set_data_type", R"({"data_type":"half"})", Meaning::numerics},
                    {},
                    "",
                    ""}};
  f.citations = {
      {"Measurements on an NVIDIA H200 with cuDNN 9.19", "bfloat16", "2025", "", "", 'M'}};
  f.gain =
      Gain{2.3, 0, 0, 0, GainBasis::measured_elsewhere, "training step", "kernels.jsonl, row 212"};
  f.gain->change = "half precision";
  return f;
}

}  // namespace

std::unique_ptr<Judged> rich() {
  auto j = start();
  auto& all = j->profile.configurations;
  all.push_back(lstm("gnmt-layer", Algo::persist_static, 1024, 32));
  timed(all.back(), 1.1381, 1.5911, 0.2988);
  all.push_back(lstm("batch-33", Algo::standard, 1024, 33));
  timed(all.back(), 3.42, 4.31, 0.35);
  all.back().program.name = Framework::pytorch;
  all.back().program.version = "2.11.0";
  all.push_back(lstm("too-wide", Algo::persist_static, 2048, 64));
  all.back().outcome = Outcome::refused;
  all.back().stages = {{model::Stage::set_descriptor, true, 0, "CUDNN_STATUS_SUCCESS", ""},
                       {model::Stage::temp_space, true, 3000, "CUDNN_STATUS_NOT_SUPPORTED",
                        "hidden size is too large for the persistent algorithm"}};
  all.push_back(lstm("too-large", Algo::standard, 8192, 65536, 4096));
  all.back().outcome = Outcome::out_of_memory_predicted;
  all.back().memory_predicted = 61'000'000'000'000;
  all.back().memory_free_before = 149'000'000'000;
  all.push_back(lstm("bf16", Algo::persist_static, 1024, 64));
  all.back().config.data_type = DataType::bfloat16;
  timed(all.back(), 3.03, 3.83, 0.49);
  all.push_back(lstm(std::string(hostile) + std::string(400, 'n'), Algo::standard, 512, 64));
  timed(all.back(), 2.81, 2.94, 0.16);
  all.back().message = hostile;
  all.back().program.version = hostile;
  all.push_back(lstm("decoder", Algo::standard, 256, 1, 64));
  all.back().config.cell = Cell::gru;
  all.back().config.mode = Mode::inference;
  all.back().outcome = Outcome::interrupted;
  traced(j->profile, 0, true);
  traced(j->profile, 4, false);
  j->profile.strings.push_back(hostile);
  j->profile.notes = {{NoteSeverity::warning, "records-dropped",
                       "CUPTI dropped kernel records; sums of kernel times are too small.", 128},
                      {NoteSeverity::info, "counters",
                       "Hardware counters were not permitted, so Tensor Core use is inferred.", 1},
                      {NoteSeverity::error, "hostile", hostile, 1}};

  auto& findings = j->judgement.findings;
  Finding limit = finding(j->rules, "persistence/hidden-limit", 2);
  limit.message =
      "Hidden size 2048 is above 1536, the largest that the persistent LSTM kernels accept here.";
  limit.comparisons = {comparison("call.hidden_size", "above", "1536", "2048")};
  limit.suggestions = {{"Use the standard algorithm.",
                        Transform{"set_algo", R"({"algo":"standard"})", Meaning::exact},
                        {},
                        "",
                        ""}};
  findings.push_back(limit);
  Finding memory = finding(j->rules, "memory/fits", 3);
  memory.message = "It needs 55.5 TiB; the device has 140 GiB.";
  memory.comparisons = {
      comparison("memory.total", "above", "140 GiB", "55.5 TiB", Provenance::modelled)};
  memory.gain = Gain{1, 0, 0, 60'850'000'000'000, GainBasis::modelled, "", ""};
  memory.gain->change = "inference mode";
  findings.push_back(memory);
  findings.push_back(fallback_finding(j->rules, 4));
  findings.push_back(batch_finding(j->rules, 1, "33"));
  Finding bad = batch_finding(j->rules, 5, hostile);
  bad.title = hostile;
  bad.message = hostile;
  bad.suggestions.front().text = hostile;
  bad.suggestions.front().code = hostile;
  bad.suggestions.front().framework = hostile;
  bad.citations.front() = {hostile, hostile, hostile, "javascript:alert(1)", hostile, 'S'};
  bad.validity.front().effect = hostile;
  bad.gain->speedup = 1.1;
  bad.gain->scope = hostile;
  bad.gain->source = hostile;
  bad.gain->change = hostile;
  findings.push_back(bad);
  for (int i = 0; i < 7; ++i) verdicts(*j, i);
  j->judgement.verdicts.push_back({"user/broken", 0, VerdictKind::error, {}, hostile});
  j->judgement.ignored = {"tiles/"};
  return j;
}

std::unique_ptr<Judged> single() {
  auto j = start();
  j->profile.configurations.push_back(lstm("gnmt-encoder", Algo::standard, 1024, 33));
  timed(j->profile.configurations.back(), 3.42, 4.31, 0.35);
  j->profile.configurations.back().correctness = {{"y", 3.1e-4, 2e-3, true},
                                                  {"dw", 8.2e-4, 2e-3, true}};
  traced(j->profile, 0, false);
  j->judgement.findings = {batch_finding(j->rules, 0, "33")};
  verdicts(*j, 0);
  return j;
}

std::unique_ptr<Judged> refuted_here() {
  auto judged = single();
  auto& finding = judged->judgement.findings.at(0);
  finding.severity = Severity::info;
  finding.gain.reset();
  TrialOutcome trial;
  trial.verdict = ExperimentVerdict::refuted;
  trial.scope = "training step";
  trial.speedup = 0.5;
  trial.low = 0.45;
  trial.high = 0.55;
  finding.trial = finding.suggestions.at(0).trial = trial;
  finding.refuted_here = true;
  return judged;
}

std::unique_ptr<Judged> fine() {
  auto j = start();
  j->profile.configurations.push_back(lstm("gnmt-layer", Algo::persist_static, 1024, 32));
  timed(j->profile.configurations.back(), 1.1381, 1.5911, 0.2988);
  traced(j->profile, 0, true);
  verdicts(*j, 0);
  return j;
}

std::unique_ptr<Judged> empty() { return std::make_unique<Judged>(); }

std::unique_ptr<Judged> bare() {
  auto j = std::make_unique<Judged>();
  j->profile.configurations.push_back(lstm("", Algo::persist_static, 1024, 64));
  j->profile.configurations.back().origin = Origin::checked;
  j->profile.configurations.back().device = -1;
  return j;
}

std::unique_ptr<Judged> checked() {
  auto j = start();
  j->profile.environment = {};
  j->profile.environment.rnnadvisor_version = "0.1.0";
  j->profile.configurations.push_back(lstm("", Algo::persist_static, 1000, 64));
  j->profile.configurations.back().origin = Origin::checked;
  verdicts(*j, 0);
  return j;
}

std::unique_ptr<Judged> sweep() {
  auto j = start();
  std::ifstream file(std::string(RNNADVISOR_SOURCE_DIR) +
                     "/tests/data/h200/guide-figures-9-10.jsonl");
  std::map<std::string, std::vector<std::string>> ids;
  std::map<std::pair<std::string, std::string>, bool> seen;
  for (std::string line; std::getline(file, line);) {
    const auto row = nlohmann::json::parse(line);
    const auto id = row["id"].get<std::string>();
    const auto algo = row["algo"].get<std::string>();
    if (!seen.emplace(std::pair(id, algo), true).second) continue;
    Configuration c = lstm(id, parse_enum<Algo>(algo).value(), row["hidden_size"].get<int>(),
                           row["batch_size"].get<int>(), row["seq_length"].get<int>());
    if (row["status"]["temp_space"].get<int>() != 0) {
      c.outcome = Outcome::refused;
      c.stages = {{model::Stage::temp_space, true, row["status"]["temp_space"].get<int>(),
                   "CUDNN_STATUS_NOT_SUPPORTED", ""}};
    } else {
      timed(c, row["ms"]["forward_training"].get<double>(),
            row["ms"]["backward_data"].get<double>(), row["ms"]["backward_weights"].get<double>());
    }
    ids[id.substr(0, id.find('_'))].push_back(id);
    j->profile.configurations.push_back(std::move(c));
  }
  j->profile.figures = {
      {"guide-figure-9", "Training step over hidden size", "hidden_size", "algo", "training_ms",
       "On an A100 the persistent implementation is the faster one up to a hidden size of about "
       "1024.",
       "NVIDIA, Optimizing Recurrent Layers User's Guide, Figure 9", ids["D9"]},
      {"guide-figure-10a", "Training step over batch size", "batch_size", "algo", "training_ms",
       "With 1024 units the persistent implementation is significantly faster below a batch of 256 "
       "on an A100; above, the standard one is as fast or faster.",
       "NVIDIA, Optimizing Recurrent Layers User's Guide, Figure 10", ids["D10"]}};
  for (std::size_t i = 0; i < j->profile.configurations.size(); ++i)
    verdicts(*j, static_cast<int>(i));
  return j;
}

std::unique_ptr<Judged> many(int count) {
  auto j = start();
  for (int i = 0; i < count; ++i) {
    Configuration c =
        lstm(fmt::format("sweep-{:03}", i), i % 3 == 0 ? Algo::standard : Algo::persist_static,
             256 + 32 * (i % 40), 8 + i % 57);
    timed(c, 1.0 + 0.01 * i, 1.5 + 0.012 * i, 0.2 + 0.001 * i);
    j->profile.configurations.push_back(std::move(c));
    traced(j->profile, i, i % 3 != 0);
    if (const int batch = 8 + i % 57; batch % 8 != 0) {
      j->judgement.findings.push_back(batch_finding(j->rules, i, std::to_string(batch)));
      j->judgement.findings.back().gain->speedup = 1.1 + 0.001 * (count - i);
      j->judgement.findings.back().gain->low = j->judgement.findings.back().gain->high = 0;
    }
    verdicts(*j, i);
  }
  return j;
}

}  // namespace rnnadvisor::advisor::fixture
