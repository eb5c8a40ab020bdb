#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advisor/facts/fact.h"
#include "advisor/facts/framework_call.h"
#include "advisor/facts/profile_index.h"
#include "advisor/judge/judge.h"
#include "advisor/report/figures.h"
#include "advisor/report/selection.h"
#include "advisor/report/words.h"
#include "advisor/rules/evaluate.h"
#include "core/config/read_config.h"
#include "profiler/kernels/classify.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/file.h"
#include "tests/advisor/report/fixture.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const ConfigurationReport& named(const Report& report, std::string_view name) {
  for (const auto& each : report.configurations) {
    if (each.name == name) return each;
  }
  throw std::runtime_error("no such configuration in the fixture");
}

TEST(MakeReport, CountsAndGroupsFindings) {
  const auto judged = fixture::rich();
  const Report report = judged->report();
  EXPECT_EQ(report.errors, 2);
  EXPECT_EQ(report.warnings, 3);
  EXPECT_EQ(report.findings.size(), 5U);
  ASSERT_EQ(report.actions.size(), 4U);  // the batch rule fired twice
  EXPECT_EQ(report.actions[3].findings.size(), 2U);
  EXPECT_EQ(report.actions[3].first().configuration, 1);
  EXPECT_EQ(report.findings[0]->rule_id,
            "persistence/hidden-limit");  // the order of the judgement is kept
}

TEST(MakeReport, StandingIsTheWorstOfFateAndFindings) {
  const auto judged = fixture::rich();
  const Report report = judged->report();
  EXPECT_EQ(named(report, "gnmt-layer").standing, Standing::fine);
  EXPECT_EQ(named(report, "batch-33").standing, Standing::warning);
  EXPECT_EQ(named(report, "too-wide").standing, Standing::error);
  EXPECT_EQ(named(report, "too-large").standing, Standing::error);
  EXPECT_EQ(named(report, "decoder").standing, Standing::unjudged);
  EXPECT_EQ(report.standing_count(Standing::error), 2);
}

TEST(MakeReport, VerdictsSayWhatHappened) {
  const auto judged = fixture::rich();
  const Report report = judged->report();
  EXPECT_THAT(named(report, "gnmt-layer").verdict,
              HasSubstr("takes 3.03 ms with persistent kernels; nothing to do"));
  EXPECT_THAT(named(report, "batch-33").verdict,
              HasSubstr("1 warning, 1.44× to gain (1.40 to 1.48) with the persist_static "
                        "algorithm (measured here)"));
  EXPECT_THAT(
      named(report, "too-wide").verdict,
      HasSubstr(
          "refuses this configuration at temp_space with CUDNN_STATUS_NOT_SUPPORTED: hidden size"));
  EXPECT_THAT(named(report, "too-large").verdict,
              HasSubstr("It would not fit: it needs 55.5 TiB and 139 GiB were free"));
  EXPECT_THAT(named(report, "bf16").verdict,
              HasSubstr("persist_static was asked for, standard kernels ran"));
  EXPECT_THAT(named(report, "decoder").verdict, HasSubstr("ended before"));
  EXPECT_THAT(
      report.headline,
      StartsWith("7 configurations on NVIDIA H200: 2 do not work, 3 should be changed, 1 is "
                 "fine, 1 could not be judged. "));
  // What comes first, and what has the first gain.
  EXPECT_THAT(report.headline, HasSubstr(named(report, "too-wide").findings.front()->title));
  EXPECT_THAT(report.headline,
              HasSubstr(named(report, "bf16").findings.front()->title +
                        "; about 2.30× to gain with half precision (estimate from a similar "
                        "layer); 2 more"));
}

TEST(MakeReport, AnotherModelIsNoGainOfThisOne) {
  auto judged = fixture::single();
  auto& findings = judged->judgement.findings;
  ASSERT_EQ(findings.size(), 1U);
  const Transform set_batch{"set_batch", R"({"value":66})", Meaning::model};
  Finding larger = findings.front();
  larger.gain = Gain{1.6, 0, 0, 0, GainBasis::measured_elsewhere, "training step", "elsewhere"};
  larger.suggestions = {{"Try batch 66.", set_batch, {}, "", ""}};
  larger.gain->another_model = another_model_only(larger);
  findings.push_back(larger);
  // The padding's 1.44 and not the other model's 1.60.
  const Report both = judged->report();
  EXPECT_THAT(both.headline, HasSubstr("1.44× to gain (1.40 to 1.48)"));
  EXPECT_DOUBLE_EQ(both.configurations.front().best_gain(), 1.44);
  EXPECT_DOUBLE_EQ(both.configurations.front().model_gain(), 1.6);
  EXPECT_EQ(words::gain(both.configurations.front()), "1.44×");
  // Alone: a finding all the same, and nothing to gain.
  findings.erase(findings.begin());
  const Report alone = judged->report();
  EXPECT_THAT(alone.headline, EndsWith(findings.front().title + "."));
  EXPECT_THAT(alone.headline, Not(HasSubstr("to gain")));
  EXPECT_THAT(alone.configurations.front().verdict, Not(HasSubstr("to gain")));
  EXPECT_DOUBLE_EQ(alone.configurations.front().best_gain(), 1);
  EXPECT_EQ(words::gain(alone.configurations.front()), "1.60× with another model");
  EXPECT_EQ(words::gain(findings.front().gain), "1.60× with another model");
  EXPECT_THAT(write_text(alone), HasSubstr("1.60× with another model"));
  EXPECT_THAT(write_markdown(alone), HasSubstr("**1.60× with another model"));
  EXPECT_THAT(write_html(alone), HasSubstr("<strong>1.60×</strong> with another model"));
  EXPECT_THAT(write_sarif(alone), HasSubstr("Gain: 1.60× with another model"));
  EXPECT_THAT(write_csv(alone), HasSubstr(",1.6,,,,,,,\n"));
  EXPECT_THAT(write_json(alone), HasSubstr("\"best_gain\": null"));
  // One suggestion of two that keeps the function is enough; a change that goes with another model
  // is another model.
  findings.front().suggestions.push_back(
      {"Pad.", Transform{"pad_batch", R"({"multiple":8})", Meaning::padded}, {}, "", ""});
  findings.front().gain->another_model = another_model_only(findings.front());
  EXPECT_THAT(judged->report().headline, HasSubstr("about 1.60× to gain"));
  findings.front().suggestions.back().with = {set_batch};
  findings.front().gain->another_model = another_model_only(findings.front());
  EXPECT_THAT(judged->report().headline, Not(HasSubstr("to gain")));
}

TEST(MakeReport, PhaseNumbersAreTheClosedForms) {
  const auto judged = fixture::rich();
  const Report report = judged->report();
  const auto& each = named(report, "gnmt-layer");
  const PhaseRow* forward = each.phase(Phase::forward_training);
  ASSERT_NE(forward, nullptr);
  EXPECT_DOUBLE_EQ(each.step_ms(), 1.1381 + 1.5911 + 0.2988);
  EXPECT_NEAR(forward->tflops, static_cast<double>(forward->cost.flops) / 1.1381e-3 / 1e12, 1e-9);
  EXPECT_DOUBLE_EQ(forward->kernel_ms, 1.1);      // one persistent kernel of 1100 us
  EXPECT_DOUBLE_EQ(forward->busy, 1.1 / 1.1381);  // of the median without tracing
  EXPECT_FALSE(forward->busy_of_traced_call);
  EXPECT_EQ(each.ran, model::Implementation::persistent);
  EXPECT_EQ(each.phase(Phase::forward_inference), nullptr);  // neither wanted nor timed
}

TEST(MakeReport, KernelSumsAreOfOneCall) {
  const auto judged = fixture::single();
  const Report report = judged->report();
  const auto& each = report.configurations.front();
  ASSERT_EQ(each.kernels.size(), 2U);
  EXPECT_EQ(each.kernels[0].count, 16);
  EXPECT_DOUBLE_EQ(each.kernels[0].total_us, 80);
  EXPECT_DOUBLE_EQ(each.kernels[0].share, 0.625);
  EXPECT_DOUBLE_EQ(each.kernels[1].total_us, 48);
  const PhaseRow* forward = each.phase(Phase::forward_training);
  EXPECT_NEAR(forward->kernel_ms, 0.128, 1e-12);
  ASSERT_NE(forward->timing, nullptr);
  EXPECT_NEAR(forward->busy, 0.128 / forward->timing->ms.median, 1e-12);
}

// A phase that was not timed has nothing but its traced call, and says so.
TEST(MakeReport, BusyIsOfTheTracedCallOnlyWhereNothingElseIsKnown) {
  auto judged = fixture::single();
  judged->profile.configurations[0].timings.clear();
  const Report report = judged->report();
  const PhaseRow* forward = report.configurations[0].phase(Phase::forward_training);
  ASSERT_NE(forward, nullptr);
  EXPECT_NEAR(forward->busy, 128.0 / 220.0,
              1e-12);  // from the first start to the last end: 15 steps of 14 us, then 10 us
  EXPECT_TRUE(forward->busy_of_traced_call);
  EXPECT_THAT(words::busy_note(report.configurations[0]), HasSubstr("share of the traced call"));
  EXPECT_THAT(words::busy_note(fixture::single()->report().configurations[0]),
              HasSubstr("share of the median"));
}

// One number wherever a reader meets it: the phases of a report and the facts that rules compare.
TEST(MakeReport, BusyIsWhatRulesCompare) {
  const auto judged = fixture::rich();
  const Report report = judged->report();
  const ProfileIndex index(judged->profile);
  FactMemo facts(index);
  int compared = 0;
  for (const auto& each : report.configurations) {
    facts.begin(each.index);
    for (const auto& row : each.phases) {
      const Fact* fact =
          facts.get(find_fact("trace." + std::string(to_string(row.phase)) + "_busy"));
      ASSERT_EQ(fact != nullptr, row.busy >= 0) << each.name;
      if (fact == nullptr) continue;
      EXPECT_DOUBLE_EQ(std::get<double>(fact->value), 100 * row.busy) << each.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1);
}

TEST(MakeReport, NamesSayWhatSetsConfigurationsOfOneIdApart) {
  auto judged = fixture::single();
  auto& all = judged->profile.configurations;
  all.resize(1);
  all[0].config.id = "a";
  all.resize(5, all[0]);
  all[1].config.algo = Algo::persist_static;
  all[2].config.batch_size = 8;
  all[2].config.padded_io = !all[2].config.padded_io;
  all[3].config.id = all[4].config.id = "alone";
  all[4].config.seq_length += 1;
  all[4].config.hidden_size += 1;
  all[4].config.num_layers += 1;
  all[4].config.input_size += 1;  // too much for a name
  const Report report = judged->report();
  const std::string padded = all[0].config.padded_io ? "true" : "false";
  const std::string not_padded = all[0].config.padded_io ? "false" : "true";
  EXPECT_EQ(report.configurations[0].name, "a, standard, padded_io " + padded + ", batch_size 33");
  EXPECT_EQ(report.configurations[1].name,
            "a, persist_static, padded_io " + padded + ", batch_size 33");
  EXPECT_EQ(report.configurations[2].name,
            "a, standard, padded_io " + not_padded + ", batch_size 8");
  EXPECT_EQ(report.configurations[3].name, "alone, " + report.configurations[3].summary);
}

FigureReport figure_of(const Figure& figure, std::vector<std::vector<double>> series) {
  FigureReport report;
  report.figure = &figure;
  for (std::size_t i = 0; i < series.size(); ++i) {
    auto& each = report.series.emplace_back();
    each.name = std::string(1, static_cast<char>('a' + i));
    for (std::size_t n = 0; n < series[i].size(); ++n) {
      const double y = series[i][n];
      if (y > 0) each.points.push_back({static_cast<double>(n), y, y, y, 0});
    }
  }
  return report;
}

TEST(Figures, SeriesThatOthersDwarfAreFound) {
  Figure figure;
  figure.measure = "training_ms";
  const auto dwarfed = [&](std::vector<std::vector<double>> series) {
    return dwarfed_series(figure_of(figure, std::move(series)));
  };
  EXPECT_THAT(dwarfed({{1, 2}, {3, 50}, {2, 5}}), ElementsAre(0, 2));
  EXPECT_THAT(dwarfed({{100, 400}, {1, 2}, {2, 5}, {3, 50}}),
              ElementsAre(1, 2));                      // 10 times, not 8
  EXPECT_THAT(dwarfed({{1, 2}, {3, 50}}), IsEmpty());  // one line is no comparison
  EXPECT_THAT(dwarfed({{1, 2}, {2, 7}, {2, 20}}), IsEmpty());
  EXPECT_THAT(dwarfed({{}, {1, 2}, {2, 5}, {3, 50}}), ElementsAre(1, 2));
  EXPECT_THAT(dwarfed({}), IsEmpty());
}

TEST(Figures, RowsHaveTheBestOfEach) {
  Figure figure;
  figure.measure = "training_ms";
  auto report = figure_of(figure, {{4, 2, 0}, {3, 0, 0}, {5, 9, 1}});
  auto rows = figure_rows(report);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ((*rows)[1].points[1], nullptr);
  EXPECT_EQ(best_of(report, (*rows)[0])->y, 3);  // the least time
  EXPECT_EQ(best_of(report, (*rows)[1])->y, 2);
  figure.measure = "tflops";
  EXPECT_EQ(best_of(report, (*rows)[0])->y, 5);  // the most work
  report.series[0].points.push_back(report.series[0].points[0]);
  EXPECT_FALSE(figure_rows(report));
}

// A comparison of algorithms of which one is refused: no defect of the whole.
TEST(MakeReport, RefusedAlternativesAreCountedApart) {
  auto judged = fixture::single();
  auto& all = judged->profile.configurations;
  all.push_back(all[0]);
  all[1].config.algo = Algo::persist_static_small_h;
  all[1].outcome = Outcome::refused;
  all[1].timings.clear();
  Report report = judged->report();
  EXPECT_EQ(report.configurations[1].standing, Standing::refused);
  EXPECT_EQ(report.worst(), report.configurations[0].standing);
  EXPECT_THAT(report.headline, HasSubstr("1 is refused where another algorithm runs"));
  EXPECT_THAT(report.headline, Not(HasSubstr("not work")));

  all[0].outcome = Outcome::failed;  // nothing runs any more: both do not work
  report = judged->report();
  EXPECT_EQ(report.configurations[1].standing, Standing::error);
  EXPECT_EQ(report.worst(), Standing::error);
  EXPECT_THAT(report.headline, HasSubstr("2 do not work"));
}

TEST(MakeReport, CountersDecideTensorCoreUse) {
  auto judged = fixture::single();
  EXPECT_EQ(judged->report().configurations[0].phases[0].tensor_cores,
            "yes (inferred from kernel names)");
  auto& counters = judged->profile.configurations[0].counters;
  counters = {{Phase::forward_training, "sm__inst_executed_pipe_tensor.sum", 0}};
  EXPECT_EQ(judged->report().configurations[0].phases[0].tensor_cores, "no (counters)");
  counters[0].value = 12;
  EXPECT_EQ(judged->report().configurations[0].phases[0].tensor_cores, "yes (counters)");
  EXPECT_EQ(judged->report().configurations[0].phases[1].tensor_cores,
            "unknown");  // no kernels, no counters
}

TEST(MakeReport, TensorCoresAreThoseOfTheRecurrence) {
  auto judged = fixture::single();
  auto& counters = judged->profile.configurations[0].counters;
  auto& kernels = judged->profile.kernels;
  const auto words_of = [&] { return judged->report().configurations[0].phases[0].tensor_cores; };
  const std::string product = "nvjet_sm90_hsh_64x8_64x16_2x4_h_bz_TNT";
  ASSERT_EQ(classify_kernel(product).tensor_cores, TensorCoreHint::yes);
  // The persistent kernel says with its fifth argument that it uses none; products beside it do.
  auto& strings = judged->profile.strings;
  const auto name = [&](const std::string& text) {
    strings.push_back(text);
    return static_cast<int>(strings.size()) - 1;
  };
  const auto persist = [&](const char* flag) {
    return name(
        fmt::format("void RNN_persist_fp<float, float, float, (cudnnRNNMode_t)2, {}, 512, "
                    "1, 28, 28, 8, 0, 8, 1>(persist_fp_args)",
                    flag));
  };
  const auto fill = [&](int recurrence, int rest) {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      kernels.name[k] = k % 2 == 0 ? recurrence : rest;
      kernels.role[k] = k % 2 == 0 ? KernelRole::persistent : KernelRole::layer_gemm;
    }
  };
  fill(persist("false"), name(product));
  EXPECT_EQ(words_of(), "in products only (inferred from kernel names)");
  EXPECT_EQ(words::tensor_cores(words_of()), "products only (inferred)");
  // Counters count the products too.
  counters = {{Phase::forward_training, "sm__inst_executed_pipe_tensor.sum", 12}};
  EXPECT_EQ(words_of(), "in products only (counters and kernel names)");
  EXPECT_EQ(words::tensor_cores(words_of()), "products only");
  fill(persist("true"), name(product));
  EXPECT_EQ(words_of(), "yes (counters)");
  counters.clear();
  EXPECT_EQ(words_of(), "yes (inferred from kernel names)");
  fill(persist("false"), persist("false"));
  EXPECT_EQ(words_of(), "no (inferred from kernel names)");
}

TEST(MakeReport, VerdictAndConditionsFollowTheFramework) {
  auto judged = fixture::checked();
  judged->profile.devices = {*find_device("a100")};
  auto& configuration = judged->profile.configurations[0];
  auto& config = configuration.config;
  config = RnnConfig();  // the file of docs/guide.md
  config.cell = Cell::lstm;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.algo = Algo::persist_static;
  config.hidden_size = config.input_size = config.proj_size = 1000;
  config.num_layers = 2;
  config.seq_length = 256;
  config.batch_size = 60;
  judged->judgement = {};
  const auto table = [](const ConfigurationReport& each) -> const model::WhyNot& {
    return each.why_not.front();  // of persist_static
  };
  Report report = judged->report();
  EXPECT_THAT(report.configurations[0].verdict, HasSubstr("persistent kernels are expected"));
  EXPECT_NE(table(report.configurations[0]).clauses.front().id, "framework-asks");

  configuration.program.name = Framework::pytorch;
  report = judged->report();
  const auto& each = report.configurations[0];
  EXPECT_THAT(each.verdict, HasSubstr("standard kernels are expected, for PyTorch takes standard "
                                      "(several layers)"));
  EXPECT_EQ(each.expected, model::Implementation::standard);
  EXPECT_EQ(each.predicted.implementation, model::Implementation::standard);
  EXPECT_EQ(table(each).clauses.front().id, "framework-asks");
  EXPECT_EQ(table(each).clauses.front().holds, model::Holds::no);
  EXPECT_EQ(table(each).clauses.front().observed, "PyTorch takes standard (several layers)");
  EXPECT_FALSE(table(each).eligible);
  EXPECT_TRUE(table(each).changes.empty());  // what suits cuDNN would not suit PyTorch

  // What PyTorch takes itself has cuDNN's conditions alone.
  config.num_layers = 1;
  config.hidden_size = config.input_size = config.proj_size = 1024;
  config.batch_size = 64;
  report = judged->report();
  EXPECT_THAT(report.configurations[0].verdict, HasSubstr("persistent kernels are expected"));
  EXPECT_TRUE(table(report.configurations[0]).fast);
  EXPECT_NE(table(report.configurations[0]).clauses.front().id, "framework-asks");
}

TEST(MakeReport, EqualDevicesAreListedOnceWithTheirNumber) {
  auto judged = fixture::single();
  const auto one = judged->profile.devices.front();
  EXPECT_THAT(words::devices(judged->profile, false), ElementsAre(one.name));
  judged->profile.devices.push_back(one);
  judged->profile.devices.push_back(*find_device("a100"));
  // As of two merged runs: it may have been one GPU.
  EXPECT_THAT(words::devices(judged->profile, false),
              ElementsAre(one.name, find_device("a100")->name));
  for (const int device : {0, 1}) judged->profile.calls.emplace_back().device = device;
  EXPECT_THAT(words::devices(judged->profile, false),
              ElementsAre("2 x " + one.name, find_device("a100")->name));
  EXPECT_THAT(write_text(judged->report()), HasSubstr("2 x " + one.name));
}

// Recorded in one run and tried in another: the GPU may have been the same.
TEST(MakeReport, AGpuThatOnlyATrialRanOnIsNoSecondOne) {
  auto judged = fixture::single();
  auto again = judged->profile.devices.front();
  again.uuid = "another";
  judged->profile.devices.push_back(again);
  Experiment tried;
  tried.configuration = 0;
  tried.device = 1;
  judged->profile.experiments.push_back(tried);
  EXPECT_THAT(words::devices(judged->profile, false), ElementsAre(again.name));
}

// samples/programs/pytorch: a module in training mode that never runs backward.
TEST(MakeReport, AProgramHasThePhasesThatItCalled) {
  const auto profile =
      read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-evaluation.rnnprof");
  ASSERT_TRUE(profile);
  const auto judgement = judge(*profile, builtin_rules());
  const Report report = make_report(*profile, judgement, builtin_rules());
  ASSERT_EQ(report.configurations.front().phases.size(), 1U);
  EXPECT_EQ(report.configurations.front().phases.front().phase, Phase::forward_training);
}

// The card about waiting for launches cites PyTorch, JAX and Keras.
TEST(MakeReport, FindingsCiteTheProgramsOwnFramework) {
  const auto profile = read_profile(RNNADVISOR_SOURCE_DIR
                                    "/samples/recorded/programs/pytorch-native-fallback.rnnprof");
  ASSERT_TRUE(profile);
  const auto judgement = judge(*profile, builtin_rules());
  bool own = false;
  for (const auto& finding : judgement.findings) {
    for (const auto& citation : finding.citations) {
      own = own || citation.source.starts_with("pytorch/");
      for (const auto* other : {"jax-ml/", "keras-team/", "microsoft/onnxruntime"})
        EXPECT_FALSE(citation.source.starts_with(other)) << finding.rule_id << citation.source;
    }
  }
  EXPECT_TRUE(own);
}

// PyTorch hands bfloat16 to cuDNN from 9.13 on: predicted times and advice are of one version,
// that of the measurements where none is named, and the report says so with what else was not
// given.
TEST(MakeReport, SaysWhatIsAssumedBecauseItWasNotGiven) {
  const auto checked = [](const char* version) {
    ConfigInput input;
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, const char*>>{
             {"hidden_size", "1000"}, {"data_type", "bfloat16"}, {"framework.name", "pytorch"}})
      EXPECT_TRUE(set_field(input, key, value));
    if (version != nullptr) {
      EXPECT_TRUE(set_field(input, "framework.cudnn_version", version));
    }
    resolve_defaults(input);
    ProfileBuilder builder;
    const auto device = *find_device("h200");
    auto configuration = configuration_to_check(input, device);
    configuration.device = builder.add_device(device);
    builder.add_configuration(std::move(configuration));
    return builder.finish();
  };
  const auto report_on = [](const Profile& profile) {
    return make_report(profile, Judgement{}, builtin_rules());
  };
  const Profile open = checked(nullptr), old = checked("9.10");
  const Report assumed = report_on(open), given = report_on(old);
  EXPECT_THAT(assumed.assumption, HasSubstr("num_layers 1, seq_length 128, batch_size 64"));
  EXPECT_THAT(assumed.assumption, HasSubstr("cuDNN 9.19"));
  EXPECT_THAT(assumed.assumption, Not(HasSubstr("hidden_size")));
  EXPECT_EQ(assumed.configurations.front().calls_cudnn, true);
  EXPECT_THAT(given.assumption, Not(HasSubstr("cuDNN")));
  EXPECT_EQ(given.configurations.front().calls_cudnn, false);
}

// A card of several configurations has the sign of the most severe one, wherever its first stands.
TEST(MakeReport, AnActionIsAsSevereAsItsWorstFinding) {
  auto judged = fixture::single();
  auto& findings = judged->judgement.findings;
  findings.push_back(findings.front());
  findings.front().severity = Severity::opportunity;
  const Report report = judged->report();
  ASSERT_EQ(report.actions.size(), 1U);
  EXPECT_EQ(report.actions.front().severity(), Severity::warning);
}

TEST(MakeReport, AnEstimateOfTheStepSaysItsInterval) {
  auto judged = fixture::single();
  auto& finding = judged->judgement.findings.front();
  finding.gain = Gain{3.71, 3.1, 4.5, 0, GainBasis::modelled, "program step", "program.gpu_busy"};
  EXPECT_THAT(judged->report().headline, HasSubstr("about 3.71× to gain (3.10 to 4.50)"));
  // The headline has the first finding with its interval: it may be a loss.
  Finding measured = finding;
  measured.gain =
      Gain{3.2, 0.96, 5, 0, GainBasis::measured_elsewhere, "training step", "elsewhere"};
  measured.gain->change = "padding";
  judged->judgement.findings.push_back(measured);
  EXPECT_THAT(judged->report().headline, HasSubstr("about 3.71× to gain (3.10 to 4.50)"));
  std::swap(judged->judgement.findings.front(), judged->judgement.findings.back());
  EXPECT_THAT(
      judged->report().headline,
      HasSubstr(
          "perhaps 3.20× to gain (0.96 to 5.00) with padding (estimate from a similar layer)"));
}

TEST(MakeReport, WithoutConfigurations) {
  const auto judged = fixture::empty();
  const Report report = judged->report();
  EXPECT_TRUE(report.configurations.empty());
  EXPECT_THAT(report.headline, HasSubstr("no configurations"));
}

TEST(MakeReport, WithoutDeviceTimingsOrVerdicts) {
  const auto judged = fixture::bare();
  const Report report = judged->report();
  const auto& each = report.configurations.front();
  EXPECT_FALSE(each.has_device);
  EXPECT_EQ(each.standing, Standing::unjudged);
  EXPECT_EQ(each.verdict, "Checked without a device; not judged.");
  EXPECT_EQ(each.step_ms(), -1);
  EXPECT_TRUE(each.why_not.empty());
  EXPECT_EQ(each.phases.size(), 3U);  // what it would compute is known all the same
}

TEST(MakeReport, FindingsAboutNothingAreDropped) {
  auto judged = fixture::single();
  judged->judgement.findings.push_back(judged->judgement.findings.front());
  judged->judgement.findings.back().configuration = 99;
  judged->judgement.verdicts.push_back({"x/y", -1, VerdictKind::passed, {}, {}});
  const Report report = judged->report();
  EXPECT_EQ(report.findings.size(), 1U);
}

TEST(MakeReport, FiguresHoldTheMeasuredValues) {
  const auto judged = fixture::sweep();
  const Report report = judged->report();
  ASSERT_EQ(report.figures.size(), 2U);
  const auto& batch = report.figures[1];
  EXPECT_EQ(batch.x_label, "batch_size");
  const FigureSeries* persistent = nullptr;
  for (const auto& series : batch.series) {
    if (series.name == "persist_static") persistent = &series;
  }
  ASSERT_NE(persistent, nullptr);
  ASSERT_EQ(persistent->points.size(), 8U);
  EXPECT_EQ(persistent->points.front().x, 8);
  EXPECT_NEAR(persistent->points.front().y, 0.776 + 1.2615 + 0.0935, 1e-9);
  EXPECT_LT(persistent->points.front().low, persistent->points.front().y);
  const auto& small_h = batch.series.back();
  EXPECT_TRUE(small_h.points.empty());
  ASSERT_FALSE(small_h.missing.empty());
  EXPECT_THAT(small_h.missing.front(), HasSubstr(": refused"));
}

TEST(MakeReport, FiguresWithUnknownKeysAreLeftOut) {
  auto judged = fixture::sweep();
  judged->profile.figures[0].x_key = "colour";
  judged->profile.figures[1].measure = "happiness";
  EXPECT_TRUE(judged->report().figures.empty());
}

TEST(Selection, TakesTheWorstAndKeepsProfileOrder) {
  const auto judged = fixture::rich();
  const Report report = judged->report();
  EXPECT_EQ(most_interesting(report, 3),
            (std::vector<int>{2, 3, 4}));  // two errors, and the warning with the largest gain
  EXPECT_EQ(most_interesting(report, 100).size(), 7U);
  EXPECT_TRUE(most_interesting(report, 0).empty());
}

}  // namespace
}  // namespace rnnadvisor::advisor
