// advise --verify, with a GPU that tests make up: it answers with times recorded on an H200.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "advisor/facts/experiments.h"
#include "core/base/text.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/advisor/report/plurals.h"
#include "tests/advisor/whatif/stand_in.h"
#include "tests/effort.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct VerifyBench {
  TemporaryFolder folder;
  FakeMachine machine;
  advisor::stand_in::StandIn gpu;
  std::string profile = folder / "run.rnnprof";
  std::vector<int> devices;
  std::function<model::PredictTime(const DeviceSpec&)> predict_for;

  VerifyBench() {
    machine.gpu = true;
    gpu.cost = advisor::stand_in::Recorded(RNNADVISOR_SOURCE_DIR "/tests/data/h200/kernels.jsonl");
    ProfileBuilder builder;
    Configuration configuration;
    configuration.config.id = "small";
    configuration.config.data_type = DataType::half;
    configuration.config.math_type = MathType::tensor_op;
    configuration.config.input_size = configuration.config.hidden_size =
        configuration.config.proj_size = 64;
    configuration.config.seq_length = 32;
    configuration.config.batch_size = 64;
    configuration.program.name = Framework::cudnn_api;
    configuration.origin = Origin::run;
    configuration.outcome = Outcome::completed;
    configuration.device = builder.add_device(*find_device("nvidia-h200"));
    builder.add_configuration(configuration);
    builder.add_note({NoteSeverity::info, "kept", "kept", 1});
    EXPECT_TRUE(write_profile(builder.finish(), profile));
  }

  Called operator()(std::vector<std::string> more, const Terminal& terminal = {}) {
    auto services = machine.services();
    if (predict_for) services.predict_for = predict_for;
    services.run_experiment = [this](const ExperimentRequest& request, int device,
                                     const std::atomic<bool>*) {
      devices.push_back(device);
      return gpu.answer(request);
    };
    std::vector<std::string> arguments = {"advise", profile, "--verify"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments, services, terminal);
  }
};

TEST(Verify, WritesANewProfileAndReportsOnIt) {
  VerifyBench bench;
  const auto before = read_text(bench.profile);
  const auto called = bench({});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_EQ(read_text(bench.profile), before) << "the profile itself stays";
  EXPECT_THAT(called.out, HasSubstr("Tried and measured"));
  EXPECT_THAT(
      called.out,
      AllOf(
          HasSubstr("Best that keeps every result: the persist_static_small_h algorithm, forward"),
          HasSubstr("5.92×")));
  EXPECT_THAT(called.err, HasSubstr("run.verified.rnnprof"));
  const auto verified = read_profile(bench.folder / "run.verified.rnnprof");
  ASSERT_TRUE(verified) << to_text(verified.error());
  EXPECT_FALSE(verified->experiments.empty());
  EXPECT_EQ(verified->notes.size(), 1u);
  EXPECT_EQ(verified->configurations[0].config.id, "small");
  // Afterwards, elsewhere, without a GPU: the same report.
  FakeMachine laptop;
  const auto later = call({"advise", bench.folder / "run.verified.rnnprof"}, laptop.services());
  EXPECT_EQ(later.out, called.out);
}

TEST(Verify, ASecondTimeNothingIsReplacedUnasked) {
  VerifyBench bench;
  ASSERT_EQ(bench({}).status, 0);
  const auto called = bench({});
  EXPECT_EQ(called.status, 2);
  EXPECT_THAT(called.err, HasSubstr("run.verified.rnnprof"));
  EXPECT_EQ(bench({"--force"}).status, 0);
  EXPECT_EQ(bench({"-o", bench.folder / "other.rnnprof"}).status, 0);
  EXPECT_TRUE(read_profile(bench.folder / "other.rnnprof"));
}

TEST(Verify, InPlaceLosesNothing) {
  VerifyBench bench;
  ASSERT_EQ(bench({"--in-place"}).status, 0);
  const auto once = read_profile(bench.profile);
  ASSERT_TRUE(once);
  ASSERT_EQ(bench({"--in-place"}).status, 0);
  const auto twice = read_profile(bench.profile);
  ASSERT_TRUE(twice);
  ASSERT_GT(twice->experiments.size(), once->experiments.size());
  for (std::size_t i = 0; i < once->experiments.size(); ++i)
    EXPECT_EQ(twice->experiments[i], once->experiments[i]);
  EXPECT_EQ(bench({"--in-place", "-o", "x.rnnprof"}).status, 2);
}

TEST(Verify, SaysWhatIsMissing) {
  VerifyBench bench;
  bench.machine.gpu = false;
  auto called = bench({});
  EXPECT_EQ(called.status, 3);
  EXPECT_THAT(called.err, HasSubstr("--verify needs"));
  EXPECT_THAT(called.err, HasSubstr("--dry-run"));
  EXPECT_TRUE(bench.gpu.requests.empty());
  bench.machine.gpu = true;
  called = bench({"--device", "7"});
  EXPECT_EQ(called.status, 3);
  EXPECT_THAT(called.err, HasSubstr("no GPU 7"));
}

TEST(Verify, AMachineThatFailsIsTheEnvironment) {
  VerifyBench bench;
  bench.gpu.before_request = [](const ExperimentRequest&) -> Result<void> {
    return fail(ErrorCode::unsupported, "this build cannot try changes on a GPU yet");
  };
  const auto called = bench({});
  EXPECT_EQ(called.status, 3);
  EXPECT_THAT(called.err, HasSubstr("cannot try changes"));
  EXPECT_FALSE(std::filesystem::exists(bench.folder / "run.verified.rnnprof"));
}

TEST(Verify, CtrlCKeepsWhatWasMeasured) {
  VerifyBench bench;
  bench.gpu.before_request = [&](const ExperimentRequest&) -> Result<void> {
    bench.machine.interrupted = true;
    return {};
  };
  const auto called = bench({});
  EXPECT_EQ(called.status, 130);
  const auto verified = read_profile(bench.folder / "run.verified.rnnprof");
  ASSERT_TRUE(verified);
  EXPECT_FALSE(verified->experiments.empty());
  EXPECT_EQ(bench.gpu.requests.size(), 1u);
}

TEST(Verify, DryRunNeedsNoGpu) {
  VerifyBench bench;
  bench.machine.gpu = false;
  const auto called = bench({"--dry-run"});
  EXPECT_EQ(called.status, 0);
  EXPECT_THAT(called.out, HasSubstr("  try   the persist_static"));
  EXPECT_THAT(called.out, HasSubstr("estimate"));
  EXPECT_THAT(called.out, HasSubstr("  not   batch size 128: another model"));
  EXPECT_TRUE(bench.gpu.requests.empty());
  EXPECT_FALSE(std::filesystem::exists(bench.folder / "run.verified.rnnprof"));
  Terminal narrow;
  narrow.width = 60;
  std::istringstream lines(bench({"--dry-run"}, narrow).out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(Verify, TimesOfAnotherCudnnOrderNothing) {
  VerifyBench bench;
  bench.machine.gpu = false;
  bench.predict_for = [](const DeviceSpec&) -> model::PredictTime {
    return [](const RnnConfig& config, Phase) -> std::optional<model::TimePrediction> {
      const double seconds = config.algo == Algo::standard ? 1e-3 : 0.5e-3;
      return model::TimePrediction{seconds, 0.9 * seconds, 1.1 * seconds,
                                   false,   "made up",     "9.19.0"};
    };
  };
  const auto of_cudnn = [&](const char* version) {
    auto profile = read_profile(bench.profile).value();
    profile.environment.cudnn_version = version;
    EXPECT_TRUE(write_profile(profile, bench.profile, true));
    return bench({"--dry-run"}).out;
  };
  EXPECT_THAT(of_cudnn("9.19.3"), HasSubstr("ratio of predicted times"));
  const auto other = of_cudnn("9.10.2");
  EXPECT_THAT(other, Not(HasSubstr("predicted times")));
  EXPECT_THAT(other, HasSubstr("ratio of the lower bounds"));
}

// What a program reads of --dry-run --json it can ask for with --change.
TEST(Verify, EveryChangeOfADryRunCanBeAskedFor) {
  VerifyBench bench;
  const auto called = bench({"--dry-run", "--json"});
  ASSERT_EQ(called.status, 0) << called.err;
  const auto plan = nlohmann::json::parse(called.out);
  EXPECT_EQ(violations("docs/schema/candidates.schema.json", plan), "");
  const auto& tried = plan["configurations"][0]["try"];
  ASSERT_FALSE(tried.empty());
  for (const auto& change : tried) {
    const std::string option = change["change"];
    const auto one = bench({"--dry-run", "--json", "--change", option});
    ASSERT_EQ(one.status, 0) << option << one.err;
    EXPECT_EQ(nlohmann::json::parse(one.out)["configurations"][0]["try"][0]["transforms"],
              change["transforms"]);
  }
}

// A profile of many configurations is counted by change: at most a screen or two.
TEST(Verify, ADryRunOfManyConfigurationsIsCounted) {
  FakeMachine laptop;
  const auto dry = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"advise", "sample:deepbench", "--verify", "--dry-run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments, laptop.services());
  };
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto called = dry({});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_LE(lines(called.out), 60);
  EXPECT_THAT(called.out, HasSubstr("--verbose lists each"));
  EXPECT_THAT(called.out, HasSubstr("the standard algorithm"));
  // The counts are those of the list.
  const auto all = dry({"--verbose"});
  EXPECT_GT(lines(all.out), 1000);
  const std::string word = "\n  try   ";
  long long tried = 0;
  for (auto at = all.out.find(word); at != std::string::npos; at = all.out.find(word, at + 1))
    ++tried;
  EXPECT_THAT(called.out, ::testing::StartsWith(plural(tried, "change") + " would be tried for"));
}

// No command writes "1 configurations".
TEST(Plurals, OfEveryCommandThatCounts) {
  FakeMachine laptop;
  std::vector<std::vector<std::string>> commands = {
      {"samples", "list"},
      {"version"},
      {"doctor"},
      {"rules", "list"},
      {"sweep", "sample:calibration", "--dry-run"},
      {"map", "--hidden-size", "64", "--device", "h200"},
      {"fit", "--hidden-size", "64", "--device", "h200"},
      {"rules", "validate", "--dry-run", "--rule", "versions/"}};
  const std::filesystem::path folder = RNNADVISOR_SOURCE_DIR "/samples/recorded";
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.path().extension() == ".rnnprof")
      commands.push_back({"advise", file.path().string(), "--verify", "--dry-run"});
  for (std::size_t index = 0; const auto& command : commands) {
    if (test::left_out(index++, 4)) continue;
    const auto called = call(command, laptop.services());
    std::string words;
    for (const auto& word : command) words += word + " ";
    advisor::expect_plurals(called.out, words);
    advisor::expect_plurals(called.err, words);
  }
}

TEST(Verify, OneChangeInWords) {
  VerifyBench bench;
  const auto called = bench({"--dry-run", "--change", "pad_batch 128, then algo persist_static"});
  EXPECT_EQ(called.status, 0);
  EXPECT_THAT(
      called.out,
      HasSubstr("try   batch padded to a multiple of 128 and the persist_static algorithm"));
  EXPECT_THAT(called.out, Not(HasSubstr("CUDA graph")));
  const auto wrong = bench({"--dry-run", "--change", "padbatch 64"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("pad_batch"));
  EXPECT_EQ(bench({"--change", "algo persist_static"}).status, 0);
  ASSERT_FALSE(bench.gpu.requests.empty());
  EXPECT_EQ(bench.gpu.requests.front().variants.size(), 1u);
}

TEST(Verify, OptionsChooseWhatIsTried) {
  VerifyBench bench;
  EXPECT_THAT(bench({"--dry-run", "--allow", "model"}).out, HasSubstr("try   batch size 128"));
  EXPECT_THAT(bench({"--dry-run", "--allow", "exact"}).out, Not(HasSubstr("(numerics)")));
  auto called = bench({"--dry-run", "--allow", "numerix"});
  EXPECT_EQ(called.status, 2);
  EXPECT_THAT(called.err, HasSubstr("numerics"));
  called = bench({"--dry-run", "--rule", "algorithm/use-small-h"});
  EXPECT_THAT(called.out, HasSubstr("suggested by"));
  EXPECT_THAT(called.out, Not(HasSubstr("CUDA graph")));
  EXPECT_EQ(bench({"--dry-run", "--rule", "algorithm/use-smal-h"}).status, 2);
  EXPECT_EQ(bench({"--dry-run", "--configuration", "small"}).status, 0);
  EXPECT_EQ(bench({"--dry-run", "--configuration", "#0"}).status, 0);
  EXPECT_EQ(bench({"--dry-run", "--configuration", "#9"}).status, 2);
  called = bench({"--dry-run", "--configuration", "smal"});
  EXPECT_EQ(called.status, 2);
  EXPECT_THAT(called.err, HasSubstr("small"));
  EXPECT_EQ(bench({"--budget", "0"}).status, 2);
  EXPECT_EQ(bench({"--budget", "5", "--device", "1"}).status, 0);
  ASSERT_FALSE(bench.devices.empty());
  EXPECT_EQ(bench.devices.back(), 1);
  for (const auto& request : bench.gpu.requests) EXPECT_LE(request.budget_seconds, 5);
  // Without --verify they are mistakes, not wishes.
  EXPECT_EQ(call({"advise", bench.profile, "--dry-run"}).status, 2);
}

// A change that is not right says nothing of the program: a remark with what it moved.
TEST(Verify, WrongResultsOfAChangeAreARemark) {
  VerifyBench bench;
  bench.gpu.before_timing = [](const ExperimentVariant& variant, VariantResult& made) {
    if (variant.calls[0].algo == Algo::persist_static_small_h)
      made.shifts = {{"dx", 0.0953, -1, -1}};
  };
  const auto called = bench({"--json"});
  ASSERT_EQ(called.status, 0) << called.err;
  const auto report = nlohmann::json::parse(called.out);
  bool found = false;
  for (const auto& finding : report.at("findings")) {
    if (finding.at("rule") != "experiments/wrong-results") continue;
    found = true;
    EXPECT_EQ(finding.at("severity"), "info");
    EXPECT_THAT(finding.at("message").get<std::string>(), HasSubstr("dx moved by 0.095"));
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(bench({"--json", "--force", "--fail-on", "error"}).status, 0);
}

TEST(Verify, ConfirmedSuggestionsAreMeasuredHere) {
  VerifyBench bench;
  const auto called = bench({"--json"});
  const auto report = nlohmann::json::parse(called.out);
  ASSERT_FALSE(report.at("findings").empty());
  bool measured = false;
  for (const auto& finding : report.at("findings")) {
    if (finding.at("trial").is_null() || finding.at("trial").at("verdict") != "confirmed") continue;
    measured = true;
    EXPECT_EQ(finding.at("gain").at("basis"), "measured_here") << finding.at("rule");
  }
  EXPECT_TRUE(measured);
  EXPECT_EQ(report.at("counts").at("configurations"), 1);
}

}  // namespace
}  // namespace rnnadvisor::cli
