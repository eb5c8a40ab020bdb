#include "core/model/eligibility.h"

#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "tests/core/model/count_allocations.h"
#include "tests/core/model/measured_rows.h"

namespace rnnadvisor::model {
namespace {

using test::measured_rows;
using test::MeasuredRow;

const DeviceSpec& h200() {
  static const DeviceSpec device = find_device("h200").value();
  return device;
}

// Every stage of every row, as far as it was tried.
int count_agreeing(const std::string& file, std::initializer_list<Stage> stages) {
  int rows = 0;
  for (const auto& row : measured_rows(file)) {
    const Eligibility predicted = eligibility(row.config, h200());
    EXPECT_TRUE(predicted.measured_basis);
    for (const Stage stage : stages) {
      EXPECT_EQ(predicted.at(stage), row.at(stage) == 0) << row.where << " " << to_string(stage);
    }
    ++rows;
  }
  return rows;
}

TEST(MeasuredEligibility, AgreesWithEveryStageOfEveryRow) {
  const auto all = {Stage::set_descriptor,   Stage::temp_space,    Stage::forward_inference,
                    Stage::forward_training, Stage::backward_data, Stage::backward_weights};
  EXPECT_EQ(count_agreeing("eligibility.jsonl", all), 500);
  EXPECT_EQ(count_agreeing("kernels.jsonl", all), 428);
  EXPECT_EQ(count_agreeing("guide-figures-9-10.jsonl", all), 144);
  // Nothing was executed for these.
  EXPECT_EQ(count_agreeing("temp-space.jsonl", {Stage::set_descriptor, Stage::temp_space}), 1500);
  EXPECT_EQ(count_agreeing("probe-sizes.jsonl", {Stage::set_descriptor, Stage::temp_space}), 6265);
}

// What the recorded kernels say ran, told by their names as docs/models.md lists them.
Implementation by_kernels(const nlohmann::json& kernels) {
  bool persistent = false, dynamic = false, standard = false;
  for (const auto& [name, use] : kernels.items()) {
    if (name.find("RNN_blockPersist_") != std::string::npos)
      return Implementation::persistent_small_h;
    dynamic |= name.find("persistRNN_init_negZero") != std::string::npos;
    persistent |= name.find("persistRNN_init_negMax") != std::string::npos;
    standard |= name.find("elemWiseRNNcell") != std::string::npos;
  }
  return dynamic      ? Implementation::persistent_dynamic
         : persistent ? Implementation::persistent
         : standard   ? Implementation::standard
                      : Implementation::none;
}

TEST(MeasuredEligibility, NamesTheImplementationWhoseKernelsRan) {
  int rows = 0;
  for (const auto& row : measured_rows("kernels.jsonl")) {
    const Implementation predicted = eligibility(row.config, h200()).implementation;
    if (row.at(Stage::forward_training) != 0) {
      EXPECT_EQ(predicted, Implementation::none) << row.where;
      continue;
    }
    if (!row.kernels.contains("fwd_trn") || row.kernels.at("fwd_trn").empty()) continue;
    EXPECT_EQ(to_string(predicted), to_string(by_kernels(row.kernels.at("fwd_trn")))) << row.where;
    ++rows;
  }
  EXPECT_GT(rows, 250);
}

RnnConfig half_lstm() {
  RnnConfig c;
  c.algo = Algo::persist_static;
  c.data_type = DataType::half;
  c.math_type = MathType::tensor_op;
  c.input_size = c.hidden_size = c.proj_size = 1024;
  c.batch_size = 64;
  return c;
}

TEST(Eligibility, AllocatesNothing) {
  RnnConfig c = half_lstm();
  c.seq_lengths.assign(64, 128);
  h200();
  const long before = test::allocations();
  bool any = false;
  for (int h = 1; h < 4000; ++h) {
    c.hidden_size = c.proj_size = h;
    any |= eligibility(c, h200()).at(Stage::temp_space);
  }
  EXPECT_EQ(test::allocations(), before);
  EXPECT_TRUE(any);
}

TEST(Eligibility, RefusesWhatTheDescriptorsRefuse) {
  const auto accepted = [](auto change) {
    RnnConfig c = half_lstm();
    c.algo = Algo::standard;
    change(c);
    return eligibility(c, h200()).at(Stage::set_descriptor);
  };
  EXPECT_TRUE(accepted([](RnnConfig&) {}));
  EXPECT_FALSE(accepted([](RnnConfig& c) { c.proj_size = 1025; }));
  EXPECT_TRUE(accepted([](RnnConfig& c) { c.proj_size = 1; }));
  EXPECT_FALSE(accepted([](RnnConfig& c) { c.hidden_size = c.proj_size = 0; }));
  EXPECT_FALSE(accepted([](RnnConfig& c) { c.math_precision = DataType::float64; }));
  EXPECT_TRUE(accepted([](RnnConfig& c) { c.seq_length = 65535; }));
  EXPECT_FALSE(accepted([](RnnConfig& c) { c.seq_length = 65536; }));
  EXPECT_FALSE(accepted([](RnnConfig& c) {
    c.clip_mode = ClipMode::minmax;
    c.clip_left = 1;
    c.clip_right = -1;
  }));
  EXPECT_FALSE(accepted([](RnnConfig& c) {
    c.clip_mode = ClipMode::minmax;
    c.clip_left = std::numeric_limits<double>::quiet_NaN();
  }));
}

TEST(Eligibility, PackedLengthsAreSortedAndReachTheMaximum) {
  const auto accepted = [](std::vector<int> lengths, Layout layout) {
    RnnConfig c = half_lstm();
    c.algo = Algo::standard;
    c.layout = layout;
    c.seq_length = 10;
    c.batch_size = 3;
    c.seq_lengths = std::move(lengths);
    return eligibility(c, h200()).at(Stage::set_descriptor);
  };
  EXPECT_TRUE(accepted({10, 5, 1}, Layout::seq_major_packed));
  EXPECT_FALSE(accepted({10, 5, 6}, Layout::seq_major_packed));
  EXPECT_FALSE(accepted({9, 5, 1}, Layout::seq_major_packed));
  EXPECT_FALSE(accepted({10, 5, 0}, Layout::seq_major_packed));
  EXPECT_TRUE(accepted({1, 0, 9}, Layout::seq_major_unpacked));
  EXPECT_FALSE(accepted({11, 0, 9}, Layout::seq_major_unpacked));
  EXPECT_FALSE(accepted({10, 5}, Layout::seq_major_packed));  // one length missing
}

TEST(Eligibility, UnequalLengthsStopPersistentAlgorithmsAtExecution) {
  RnnConfig c = half_lstm();
  c.batch_size = 2;
  c.seq_lengths = {128, 1};
  const Eligibility persistent = eligibility(c, h200());
  EXPECT_TRUE(persistent.at(Stage::temp_space));
  EXPECT_FALSE(persistent.at(Stage::forward_inference));
  EXPECT_EQ(persistent.implementation, Implementation::none);
  c.algo = Algo::standard;
  EXPECT_TRUE(eligibility(c, h200()).at(Stage::backward_weights));
  c.padded_io = false;
  EXPECT_FALSE(eligibility(c, h200()).at(Stage::forward_inference));
  c.layout = Layout::seq_major_packed;
  EXPECT_TRUE(eligibility(c, h200()).at(Stage::forward_inference));
}

TEST(Eligibility, WithoutMeasurementsSaysSo) {
  const DeviceSpec v100 = find_device("v100").value();
  EXPECT_FALSE(eligibility(half_lstm(), v100).measured_basis);
  RnnConfig c = half_lstm();
  c.hidden_size = c.proj_size = 1025;
  EXPECT_FALSE(eligibility(c, v100).at(Stage::temp_space));
  c.algo = Algo::persist_static_small_h;
  c.hidden_size = c.proj_size = 192;
  EXPECT_TRUE(eligibility(c, v100).at(Stage::forward_training));
  EXPECT_FALSE(eligibility(c, v100).at(Stage::backward_data));
}

// --- why not? ---------------------------------------------------------------------------------

const Clause* find_clause(const WhyNot& answer, std::string_view id) {
  for (const auto& clause : answer.clauses) {
    if (clause.id == id) return &clause;
  }
  return nullptr;
}

TEST(WhyNot, AFastConfigurationBreaksNothing) {
  RnnConfig c = half_lstm();
  c.algo = Algo::standard;
  const WhyNot answer = why_not(c, h200(), Algo::persist_static);
  EXPECT_TRUE(answer.eligible);
  EXPECT_TRUE(answer.fast);
  EXPECT_TRUE(answer.has_nearest);
  EXPECT_THAT(answer.changes, testing::ElementsAre("algo standard -> persist_static"));
  c.algo = Algo::persist_static;
  EXPECT_EQ(answer.nearest, c);
}

TEST(WhyNot, StandardHasNoClauses) {
  const WhyNot answer = why_not(half_lstm(), h200(), Algo::standard);
  EXPECT_TRUE(answer.clauses.empty());
  EXPECT_TRUE(answer.fast);
}

struct Broken {
  std::string_view id;
  Algo algo;
  void (*change)(RnnConfig&);
  bool required;
};

class EachClause : public testing::TestWithParam<Broken> {};

TEST_P(EachClause, IsBrokenAloneAndRepaired) {
  const Broken& broken = GetParam();
  RnnConfig c = half_lstm();
  c.algo = broken.algo;
  if (broken.algo == Algo::persist_static_small_h) c.hidden_size = c.proj_size = 64;
  const WhyNot good = why_not(c, h200(), broken.algo);
  ASSERT_TRUE(good.fast);
  broken.change(c);

  const WhyNot answer = why_not(c, h200(), broken.algo);
  const Clause* clause = find_clause(answer, broken.id);
  ASSERT_NE(clause, nullptr);
  EXPECT_EQ(clause->holds, Holds::no);
  EXPECT_EQ(clause->required, broken.required);
  EXPECT_EQ(clause->rule_id, "persistence/" + std::string(broken.id));
  EXPECT_FALSE(clause->observed.empty());
  EXPECT_FALSE(clause->documented_by.empty());
  EXPECT_FALSE(answer.fast);
  EXPECT_EQ(answer.eligible, !broken.required);
  ASSERT_TRUE(answer.has_nearest);
  EXPECT_FALSE(answer.changes.empty());
  EXPECT_TRUE(why_not(answer.nearest, h200(), broken.algo).fast);
}

constexpr auto sizes_to = [](RnnConfig& c, int h) { c.hidden_size = c.proj_size = h; };

INSTANTIATE_TEST_SUITE_P(
    PersistStatic, EachClause,
    testing::Values(
        Broken{"data-type-not-double", Algo::persist_static,
               [](RnnConfig& c) { c.data_type = c.math_precision = DataType::float64; }, true},
        Broken{"data-type-not-bfloat16", Algo::persist_static,
               [](RnnConfig& c) { c.data_type = DataType::bfloat16; }, true},
        Broken{"math-precision-float", Algo::persist_static,
               [](RnnConfig& c) { c.math_precision = DataType::half; }, true},
        Broken{"double-bias", Algo::persist_static,
               [](RnnConfig& c) { c.bias_mode = BiasMode::no_bias; }, true},
        Broken{"no-projection", Algo::persist_static, [](RnnConfig& c) { c.proj_size = 512; },
               true},
        Broken{"equal-lengths", Algo::persist_static,
               [](RnnConfig& c) {
                 c.seq_lengths.assign(64, c.seq_length);
                 c.seq_lengths.back() = 1;
               },
               true},
        Broken{"hidden-limit", Algo::persist_static, [](RnnConfig& c) { sizes_to(c, 2048); }, true},
        Broken{"tensor-core-math", Algo::persist_static,
               [](RnnConfig& c) { c.math_type = MathType::default_math; }, false},
        Broken{"tensor-core-math", Algo::persist_static,
               [](RnnConfig& c) { c.data_type = DataType::float32; }, false},
        Broken{"hidden-multiple-of-32", Algo::persist_static,
               [](RnnConfig& c) { sizes_to(c, 1001); }, false},
        Broken{"input-multiple-of-32", Algo::persist_static,
               [](RnnConfig& c) { c.input_size = 1000; }, false},
        Broken{"batch-multiple-of-8", Algo::persist_static, [](RnnConfig& c) { c.batch_size = 33; },
               false},
        Broken{"hidden-backward-limit", Algo::persist_static,
               [](RnnConfig& c) { sizes_to(c, 1536); }, false},
        Broken{"batch-crossover", Algo::persist_static, [](RnnConfig& c) { c.batch_size = 128; },
               false}));

INSTANTIATE_TEST_SUITE_P(
    SmallH, EachClause,
    testing::Values(Broken{"small-h-hidden-limit", Algo::persist_static_small_h,
                           [](RnnConfig& c) { sizes_to(c, 256); }, true},
                    Broken{"small-h-backward-limit", Algo::persist_static_small_h,
                           [](RnnConfig& c) { sizes_to(c, 160); }, true},
                    Broken{"data-type-not-double", Algo::persist_static_small_h,
                           [](RnnConfig& c) { c.data_type = c.math_precision = DataType::float64; },
                           true}));

INSTANTIATE_TEST_SUITE_P(
    Dynamic, EachClause,
    testing::Values(Broken{"double-bias", Algo::persist_dynamic,
                           [](RnnConfig& c) { c.bias_mode = BiasMode::single_inp_bias; }, true},
                    Broken{"no-projection", Algo::persist_dynamic,
                           [](RnnConfig& c) { c.proj_size = 7; }, true}));

TEST(WhyNot, HalfLstmNeedsOnlyMultiplesOfEight) {
  RnnConfig c = half_lstm();
  sizes_to(c, 1000);
  EXPECT_EQ(find_clause(why_not(c, h200(), Algo::persist_static), "hidden-multiple-of-32")->holds,
            Holds::yes);
  c.cell = Cell::gru;
  const WhyNot gru = why_not(c, h200(), Algo::persist_static);
  EXPECT_EQ(find_clause(gru, "hidden-multiple-of-32")->holds, Holds::no);
  EXPECT_EQ(gru.nearest.hidden_size, 1024);
  EXPECT_EQ(gru.nearest.proj_size, 1024);
}

TEST(WhyNot, AnOldGpuCannotBeRepaired) {
  DeviceSpec old = h200();
  old.compute_major = 5;
  const WhyNot answer = why_not(half_lstm(), old, Algo::persist_static);
  EXPECT_FALSE(answer.eligible);
  EXPECT_FALSE(answer.has_nearest);
  EXPECT_EQ(find_clause(answer, "compute-capability-6")->holds, Holds::no);
}

TEST(WhyNot, NvrtcIsUnknownNotGuessed) {
  const WhyNot answer = why_not(half_lstm(), h200(), Algo::persist_dynamic);
  EXPECT_EQ(find_clause(answer, "linux-nvrtc")->holds, Holds::unknown);
  EXPECT_TRUE(answer.eligible);
}

// Required clauses, and only they, must say what eligibility() says.
TEST(WhyNot, AgreesWithEligibilityOnEveryMeasuredRow) {
  int rows = 0;
  for (const auto& row : test::all_measured_rows()) {
    if (row.config.algo == Algo::standard) continue;
    const Eligibility predicted = eligibility(row.config, h200());
    const bool persistent = predicted.at(Stage::backward_weights) &&
                            predicted.implementation != Implementation::standard;
    RnnConfig c = row.config;
    const WhyNot answer = why_not(c, h200(), c.algo);
    // The one launch failure (5003) is no clause: a single observation without a document.
    const bool launch_failure =
        predicted.at(Stage::temp_space) && !predicted.at(Stage::forward_training);
    if (!launch_failure) {
      EXPECT_EQ(answer.eligible, persistent) << row.where;
    }
    EXPECT_TRUE(answer.has_nearest) << row.where;
    EXPECT_TRUE(why_not(answer.nearest, h200(), c.algo).fast) << row.where;
    ++rows;
  }
  EXPECT_GT(rows, 1500);
}

TEST(WhyNot, UsesExactlyTheClausesItLists) {
  std::set<std::string_view> used;
  for (const Algo algo :
       {Algo::persist_static, Algo::persist_dynamic, Algo::persist_static_small_h}) {
    for (const auto& clause : why_not(half_lstm(), h200(), algo).clauses) used.insert(clause.id);
  }
  const auto ids = clause_ids();
  EXPECT_EQ(used, std::set<std::string_view>(ids.begin(), ids.end()));
  EXPECT_EQ(used.size(), ids.size());
}

TEST(WhyNot, SurvivesAbsurdSizes) {
  RnnConfig c = half_lstm();
  constexpr int huge = std::numeric_limits<int>::max();
  c.input_size = c.hidden_size = c.batch_size = c.seq_length = c.num_layers = huge;
  c.proj_size = huge - 1;
  for (const Algo algo :
       {Algo::persist_static, Algo::persist_dynamic, Algo::persist_static_small_h}) {
    const WhyNot answer = why_not(c, h200(), algo);
    EXPECT_FALSE(answer.eligible);
  }
}

// Every row of cuDNN and of PyTorch that was compared with float64, with the limits of its errors.
TEST(SmallHWrongResults, AgreeWithEveryMeasuredRow) {
  std::ifstream file(RNNADVISOR_SOURCE_DIR "/samples/evidence/small-h-results.json");
  const auto evidence = nlohmann::json::parse(file);
  int wrong = 0;
  for (const auto& row : evidence.at("rows")) {
    if (row.at("outcome") != "completed") continue;
    RnnConfig config;
    test::take(row, "cell", config.cell);
    test::take(row, "data_type", config.data_type);
    test::take(row, "math_type", config.math_type);
    test::take(row, "direction", config.direction);
    test::take(row, "mode", config.mode);
    config.set_algo(Algo::persist_static_small_h);
    config.hidden_size = config.proj_size = row.at("hidden_size");
    config.batch_size = row.at("batch_size");
    const auto predicted = small_h_wrong_results(config);
    const double y = row.at("relative_error").at("y");
    EXPECT_EQ(predicted == WrongResults::outputs, y > 0.05) << row.at("id");
    EXPECT_TRUE(y > 0.05 || y < 0.01) << row.at("id");
    wrong += predicted == WrongResults::outputs ? 1 : 0;
  }
  EXPECT_GT(wrong, 100);
  for (const auto& row : evidence.at("pytorch").at("rows")) {
    RnnConfig config;
    test::take(row, "cell", config.cell);
    const bool half = row.at("dtype") == "float16";
    config.data_type = half ? DataType::half : DataType::float32;
    config.math_type = half ? MathType::tensor_op : MathType::default_math;
    config.hidden_size = config.proj_size = row.at("units");
    config.batch_size = row.at("batch");
    const bool small_h = row.at("how") == "padded";  // a PackedSequence takes standard
    const bool predicted = small_h && small_h_wrong_results(config) == WrongResults::outputs;
    EXPECT_EQ(predicted, row.at("y").get<double>() > 0.05) << row;
    EXPECT_EQ(predicted, row.at("inference_y").get<double>() > 0.05) << row;
  }
}

}  // namespace
}  // namespace rnnadvisor::model
