// `run`, and reports on what was recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "advisor/cli/command_line.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Check, ColourOnlyWhereWanted) {
  FakeMachine machine;
  Terminal terminal;
  const std::vector<std::string> arguments = {"check", "--seq-length", "65536", "--device",
                                              "h200",  "--fail-on",    "never"};
  const auto colored = [&](std::vector<std::string> more = {}) {
    auto all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    return call(all, machine.services(), terminal).out.find('\x1b') != std::string::npos;
  };
  EXPECT_FALSE(colored());
  terminal.output_is_terminal = true;
  EXPECT_TRUE(colored());
  EXPECT_FALSE(colored({"--no-color"}));
  terminal.color = false;
  EXPECT_FALSE(colored());
}

TEST(Run, OptionsReachTheRun) {
  TemporaryFolder folder;
  FakeMachine machine;
  machine.gpu = true;
  const auto called = call({"run",
                            "--cell",
                            "lstm",
                            "-o",
                            folder / "x.rnnprof",
                            "--warmup",
                            "1",
                            "--min-repeats",
                            "2",
                            "--max-repeats",
                            "3",
                            "--budget-seconds",
                            "0.5",
                            "--target-interval",
                            "0.1",
                            "--no-trace",
                            "--no-time",
                            "--counters",
                            "required",
                            "--correctness",
                            "--sizes-only",
                            "--timeout-seconds",
                            "9",
                            "--seed",
                            "5",
                            "--devices",
                            "all",
                            "--fail-on",
                            "never"},
                           machine.services());
  ASSERT_EQ(called.status, 0) << called.err;
  ASSERT_EQ(machine.requests.size(), 1u);
  const auto& request = machine.requests[0];
  RunOptions expected;
  expected.warmup = 1;
  expected.min_repeats = 2;
  expected.max_repeats = 3;
  expected.budget_seconds = 0.5;
  expected.target_interval = 0.1;
  expected.time = false;
  expected.trace = false;
  expected.counters = Counters::required;
  expected.correctness = true;
  expected.sizes_only = true;
  expected.timeout_seconds = 9;
  expected.seed = 5;
  EXPECT_EQ(request.options, expected);
  EXPECT_THAT(request.devices, ElementsAre(0, 1));
  EXPECT_THAT(request.command_line, StartsWith("rnnadvisor run --cell lstm"));
  EXPECT_EQ(request.stop, &machine.interrupted);
  EXPECT_TRUE(read_profile(folder / "x.rnnprof"));
  EXPECT_THAT(called.err, HasSubstr("wrote " + (folder / "x.rnnprof")));
}

TEST(Run, FindingsPointIntoTheFile) {
  TemporaryFolder folder;
  FakeMachine machine;
  const auto toml = folder / "n.toml";
  write_text_file(toml, "[[configuration]]\nid = \"a\"\n[[configuration]]\nid = \"b\"\n");
  const auto called =
      call({"run", toml, "-o", folder / "n.rnnprof", "-f", "json"}, machine.services());
  const auto document = nlohmann::json::parse(called.out);
  ASSERT_EQ(document["configurations"].size(), 2u);
  EXPECT_EQ(document["configurations"][0]["position"]["line"], 1);
  EXPECT_EQ(document["configurations"][1]["position"]["line"], 3);
}

TEST(Run, BadOptionsAreFoundBeforeAnythingRuns) {
  TemporaryFolder folder;
  FakeMachine machine;
  write_text_file(folder / "there.rnnprof", "precious");
  const auto status = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"run", "--cell", "lstm"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments, machine.services()).status;
  };
  const std::string fresh = folder / "new.rnnprof";
  EXPECT_EQ(status({"-o", folder / "there.rnnprof"}), 2);
  EXPECT_EQ(status({"-o", fresh, "--devices", "0,0"}), 2);
  EXPECT_EQ(status({"-o", fresh, "--devices", "x"}), 2);
  EXPECT_EQ(status({"-o", fresh, "--devices", "all"}), 3);  // no GPU
  EXPECT_EQ(status({"-o", fresh, "--counters", "maybe"}), 2);
  EXPECT_EQ(status({"-o", fresh, "--min-repeats", "0"}), 2);
  EXPECT_EQ(status({"-o", fresh, "--budget-seconds", "nan"}), 2);
  EXPECT_EQ(status({"-o", fresh, "--format", "pdf"}), 2);
  EXPECT_EQ(status({"-o", fresh, "--rules", folder / "none"}), 2);
  EXPECT_THAT(machine.requests, IsEmpty());
  EXPECT_EQ(read_text(folder / "there.rnnprof"), "precious");
}

TEST(Run, OutcomesDecideTheStatus) {
  TemporaryFolder folder;
  const auto status = [&](Outcome outcome, const char* fail_on) {
    FakeMachine machine;
    machine.outcome = outcome;
    // An unremarkable configuration, so that the outcome alone decides.
    return call({"run", "--cell", "lstm", "-o", folder / "x.rnnprof", "--force", "--fail-on",
                 fail_on},
                machine.services())
        .status;
  };
  EXPECT_EQ(status(Outcome::crashed, "error"), 1);
  EXPECT_EQ(status(Outcome::crashed, "never"), 0);
  EXPECT_EQ(status(Outcome::completed, "never"), 0);
  EXPECT_EQ(status(Outcome::interrupted, "never"), 130);
  FakeMachine machine;
  machine.refusal =
      Error{ErrorCode::not_found, "cuDNN was not found", "install it", std::nullopt, {}};
  const auto called =
      call({"run", "--cell", "lstm", "-o", folder / "y.rnnprof"}, machine.services());
  EXPECT_EQ(called.status, 3);
  EXPECT_THAT(called.err, HasSubstr("cuDNN was not found"));
  EXPECT_FALSE(std::filesystem::exists(folder / "y.rnnprof"));
}

TEST(Recorded, RefusedAlternativesFailNothing) {
  // cuDNN refused persist_static_small_h for 8 of its batches, where standard runs.
  const auto status = [](const char* command, const char* fail_on) {
    return call({command, "sample:guide-figure-10", "--fail-on", fail_on}).status;
  };
  for (const char* command : {"advise", "report"}) {
    EXPECT_EQ(status(command, "error"), 0) << command;
    EXPECT_EQ(status(command, "warning"), 1) << command;
  }
}

}  // namespace
}  // namespace rnnadvisor::cli
