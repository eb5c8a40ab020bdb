// rules validate, with a GPU that tests make up.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "advisor/rules/rule.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/advisor/cli/golden.h"
#include "tests/advisor/whatif/stand_in.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct ValidationBench {
  TemporaryFolder folder;
  FakeMachine machine;
  advisor::stand_in::StandIn gpu;
  std::string profile = folder / "h200.rnnprof";
  int asked = 0;

  ValidationBench() {
    machine.gpu = true;
    gpu.cost = [](const ExperimentVariant& variant, ExperimentScope) {
      return variant.calls.front().batch_size % 8 == 0 ? 1.0 : 2.0;
    };
  }
  Called operator()(std::vector<std::string> more) {
    auto services = machine.services();
    services.inspect_machine = [inspect = services.inspect_machine] {
      auto report = inspect();
      LibraryState cudnn;
      cudnn.name = "cuDNN";
      cudnn.found = true;
      cudnn.version = "9.19.0";
      report.libraries.push_back(cudnn);
      return report;
    };
    services.run_experiment = [this](const ExperimentRequest& request, int,
                                     const std::atomic<bool>*) {
      ++asked;
      return gpu.answer(request);
    };
    std::vector<std::string> arguments = {"rules", "validate"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments, services);
  }
};

const std::vector<std::string> one_rule = {"--rule", "alignment/batch-multiple-of-8", "--pairs",
                                           "4"};

TEST(RulesValidate, MeasuresAndIsReadAgainElsewhere) {
  ValidationBench bench;
  auto arguments = one_rule;
  arguments.insert(arguments.end(), {"-o", bench.profile, "--record", bench.folder / "h200.json"});
  const auto called = bench(arguments);
  ASSERT_EQ(called.status, 0) << called.err;
  EXPECT_EQ(bench.asked, 4);
  EXPECT_THAT(called.out, AllOf(HasSubstr("alignment/batch-multiple-of-8"), HasSubstr("holds"),
                                HasSubstr("median 2.00x")));
  const auto record = nlohmann::json::parse(read_text(bench.folder / "h200.json"));
  EXPECT_EQ(record["rules"]["alignment/batch-multiple-of-8"]["agree"], 4);
  EXPECT_EQ(record["evidence"], bench.profile);

  FakeMachine laptop;
  const auto later = call({"rules", "validate", bench.profile}, laptop.services());
  EXPECT_EQ(later.out, called.out);
  const auto json =
      call({"rules", "validate", bench.profile, "--format", "json"}, laptop.services());
  EXPECT_EQ(violations("docs/schema/rules-validate.schema.json", nlohmann::json::parse(json.out)),
            "");
  const auto page =
      call({"rules", "validate", bench.profile, "--format", "markdown"}, laptop.services());
  EXPECT_THAT(page.out, HasSubstr("# Rules against measurement"));
  // Every card without a pair is listed with its reason, and the measured one is not.
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed["not_measured"].size() + 1, advisor::builtin_rules().rules.size());
  for (const auto& each : parsed["not_measured"]) {
    EXPECT_NE(each["rule"], "alignment/batch-multiple-of-8");
    EXPECT_FALSE(each["reason"].get<std::string>().empty()) << each["rule"];
    EXPECT_THAT(page.out, HasSubstr("`" + each["rule"].get<std::string>() + "`"));
  }
  EXPECT_THAT(page.out, AllOf(HasSubstr("## Not measured"), HasSubstr("it is about tracing")));
  EXPECT_EQ(bench(arguments).status, 2) << "nothing is replaced unasked";
}

// docs/validation.md quotes it.
TEST(RulesValidate, ThePageOfTheH200IsWhatItsCommandWrites) {
  const std::string path = "tests/gpu/results/h200/rules-validate.rnnprof";
  const ShellResult page =
      shell("cd " RNNADVISOR_SOURCE_DIR " && " RNNADVISOR_PROGRAM " rules validate " + path +
            " --format markdown");
  EXPECT_EQ(page.status, 0);
  expect_golden("../../../docs/validation/h200.md", page.out);
}

TEST(RulesValidate, NeedsAGpuAndSaysWhatCanBeDoneWithout) {
  ValidationBench bench;
  bench.machine.gpu = false;
  auto arguments = one_rule;
  arguments.insert(arguments.end(), {"-o", bench.profile});
  auto called = bench(arguments);
  EXPECT_EQ(called.status, 3);
  EXPECT_THAT(called.err, AllOf(HasSubstr("`rules validate` needs"), HasSubstr("--dry-run")));
  EXPECT_FALSE(std::filesystem::exists(bench.profile));
  arguments.push_back("--dry-run");
  called = bench(arguments);
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.out, AllOf(HasSubstr("4 pairs where it fires"),
                                HasSubstr("batch padded to a multiple of")));
  EXPECT_EQ(bench.asked, 0);
}

// What would be measured of all rules is counted: at most a screen.
TEST(RulesValidate, ADryRunOfManyRulesIsCounted) {
  ValidationBench bench;
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  // One with pairs to measure, one with none.
  const std::vector<std::string> some = {"--dry-run", "--rule", "alignment/batch-multiple-of-8",
                                         "--rule", "keras/"};
  const auto called = bench(some);
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_LE(lines(called.out), 24);
  EXPECT_THAT(called.out, AllOf(HasSubstr("alignment"), HasSubstr("--verbose lists each")));
  auto all = some;
  all.emplace_back("--verbose");
  const auto listed = bench(all);
  EXPECT_GT(lines(listed.out), lines(called.out));
  // Both end with the same number of pairs.
  const auto total = called.out.substr(called.out.rfind('\n', called.out.size() - 2) + 1);
  EXPECT_THAT(listed.out, HasSubstr(total.substr(0, total.find(" on "))));
  EXPECT_EQ(bench({"--dry-run", "--format", "json"}).status, 2);
}

TEST(RulesValidate, RefusesWhatItDoesNotKnow) {
  ValidationBench bench;
  EXPECT_EQ(bench({"--rule", "alignment/batch-multiple-of-9"}).status, 2);
  EXPECT_EQ(bench({"--rule", "nothing/"}).status, 2);
  EXPECT_EQ(bench({"--budget", "0"}).status, 2);
  EXPECT_EQ(bench({"some.rnnprof", "--dry-run"}).status, 2);
  EXPECT_EQ(bench({"--format", "yaml"}).status, 2);
  EXPECT_EQ(bench({bench.folder / "none.rnnprof"}).status, 2);
}

}  // namespace
}  // namespace rnnadvisor::cli
