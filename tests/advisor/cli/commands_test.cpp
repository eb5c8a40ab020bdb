// Commands from arguments to exit status, with a machine made up by the test.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "advisor/cli/command_line.h"
#include "advisor/cli/verifying.h"
#include "advisor/rules/rule.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Usage, WrongArgumentsAreStatus2AndNameTheRemedy) {
  EXPECT_EQ(call({}).status, 2);
  EXPECT_THAT(call({}).err, HasSubstr("Usage: rnnadvisor"));
  auto called = call({"chekc"});
  EXPECT_EQ(called.status, 2);
  EXPECT_THAT(called.err, HasSubstr("check"));
  called = call({"check", "--hiden-size", "3"});
  EXPECT_EQ(called.status, 2);
  EXPECT_THAT(called.err, HasSubstr("did you mean '--hidden-size'?"));
  EXPECT_EQ(call({"check"}).status, 2);  // no configuration
  EXPECT_EQ(call({"check", "--cell", "lstm", "--cell", "gru"}).status, 2);
  EXPECT_EQ(call({"check", "--cell"}).status, 2);
  EXPECT_EQ(call({"check", "--no-findings", "--cell", "lstm"}).status, 2);
  EXPECT_EQ(call({"run", "--cell", "lstm", "--warmup", "many"}).status, 2);
  EXPECT_EQ(call({"rnnadvisor\xff"}).status, 2);
}

TEST(Usage, MisspeltCommandsBehindCommandsNameTheNearest) {
  for (const auto& [words, nearest] :
       {std::pair{std::vector<std::string>{"rules", "lst"}, "did you mean 'list'?"},
        {{"rules", "explan", "math/x", "--json"}, "did you mean 'explain'?"},
        {{"samples", "shw", "gnmt"}, "did you mean 'show'?"}}) {
    const auto called = call(words);
    EXPECT_EQ(called.status, 2);
    EXPECT_THAT(called.err, HasSubstr(nearest));
  }
  EXPECT_THAT(call({"rules"}).err, HasSubstr("rules --help"));
}

TEST(Usage, OfTwoProfilesForACommandThatReadsOneNamesThoseThatReadSeveral) {
  for (const char* command : {"advise", "report", "export", "reproduce"}) {
    const auto called = call({command, "sample:gnmt", "sample:deepbench"});
    EXPECT_EQ(called.status, 2);
    EXPECT_THAT(called.err,
                AllOf(HasSubstr("`rnnadvisor compare`"), HasSubstr("`rnnadvisor merge`")));
  }
  EXPECT_THAT(call({"advise", "sample:gnmt", "--no-such-option"}).err, HasSubstr("advise --help"));
}

// Whatever is to be read: a folder in its place is a wrong argument, not a broken machine.
TEST(Usage, AFolderInPlaceOfAFileIsStatus2) {
  const TemporaryFolder folder;
  for (const char* ending : {".toml", ".json", ".jsonl", ".rnnprof"})
    std::filesystem::create_directory(folder / (std::string("x") + ending));
  const auto expect_2 = [](const std::vector<std::string>& words) {
    const auto called = call(words);
    EXPECT_EQ(called.status, 2) << words[0] << called.err;
  };
  for (const char* command :
       {"check", "run", "map", "fit", "sweep", "report", "advise", "export", "merge"}) {
    for (const char* name : {"", "x.toml", "x.json", "x.jsonl", "x.rnnprof"}) {
      std::vector<std::string> words = {command, folder / name};
      if (command == std::string("merge"))
        words.insert(words.end(), {folder / name, "-o", "/dev/null"});
      expect_2(words);
    }
  }
  expect_2({"check", "--cell", "lstm", "--device", folder / "x.toml"});
  expect_2({"check", "--batch", folder / "x.jsonl"});
  expect_2({"accelerate", "--plan", folder / "x.json", "--", "true"});
}

// Every report of check has predicted times or says in a line why not.
TEST(Check, SaysWhyNoTimeIsPredicted) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--device", "rtx-3090"}, "calibrate"},
      {{"--device", "h200", "--data-type", "double"}, "double"},
      {{"--device", "h200", "--framework", "jax", "--data-type", "half"}, "JAX stops"},
      {{"--device", "h200", "--framework", "pytorch", "--framework.cudnn-enabled", "false"},
       "PyTorch does not call cuDNN"},
      {{"--device", "h200", "--seq-length", "8", "--batch-size", "2", "--seq-lengths", "8,4"},
       "unequal lengths"}};
  for (const auto& [more, why] : cases) {
    for (const char* format : {"text", "markdown", "html", "json"}) {
      std::vector<std::string> words = {"check", "--cell", "lstm", "--format", format};
      words.insert(words.end(), more.begin(), more.end());
      const auto called = call(words);
      const auto at = called.out.rfind(format == std::string("json") ? "why_none" : "None: ");
      ASSERT_NE(at, std::string::npos) << why << " " << format << called.err;
      EXPECT_THAT(called.out.substr(at, 300), HasSubstr(why)) << format;
    }
  }
}

// A typo in a path makes no folders.
TEST(Usage, AnOutputInAFolderThatIsMissingIsRefusedBeforeTheWork) {
  const TemporaryFolder folder;
  const std::string file = folder / "new/folder/x.toml";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"check", "--cell", "lstm", "-o", file},
           {"check", "--cell", "lstm", "--format", "html:" + file},
           {"check", "--cell", "lstm", "--save", file},
           {"check", "--batch", "/dev/null", "-o", file},
           {"map", "--cell", "lstm", "-o", file},
           {"report", "sample:gnmt", "-o", file},
           {"export", "sample:gnmt", "--format", "calls-csv", "-o", file},
           {"merge", "sample:gnmt", "sample:gnmt", "-o", file},
           {"run", "--cell", "lstm", "-o", file},
           {"profile", "-o", file, "--", "true"},
           {"accelerate", "-o", file, "--", "true"},
           {"accelerate", "--report", file, "--", "true"},
           {"accelerate", "--plan", file, "--", "true"}}) {
    FakeMachine machine;
    machine.gpu = true;
    auto services = machine.services();
    services.find_plugin = [] { return std::string(RNNADVISOR_FAKE_PLUGIN); };
    const auto called = call(words, services);
    EXPECT_EQ(called.status, 2) << words[0] << " " << words[words.size() - 1] << called.err;
    EXPECT_THAT(called.err, HasSubstr("there is no folder '" + (folder / "new/folder")));
    EXPECT_TRUE(machine.requests.empty());
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
}

TEST(Usage, WrongValuesNameTheFlag) {
  auto called = call({"check", "--hidden-size", "0"});
  EXPECT_EQ(called.status, 2);
  EXPECT_THAT(called.err, HasSubstr("--hidden-size"));
  called = call({"check", "--cell", "lstmm", "--batch-size", "x"});
  EXPECT_THAT(called.err, HasSubstr("--cell"));
  EXPECT_THAT(called.err, HasSubstr("--batch-size"));
}

TEST(Usage, HelpAndVersionAreStatus0OnStandardOutput) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"check", "--help"},
                                                    {"--version"},
                                                    {"run", "-h"},
                                                    {"version"},
                                                    {"version", "--json"}}) {
    const auto called = call(arguments);
    EXPECT_EQ(called.status, 0) << arguments.front();
    EXPECT_THAT(called.out, Not(IsEmpty()));
    EXPECT_THAT(called.err, IsEmpty());
  }
  EXPECT_TRUE(nlohmann::json::parse(call({"version", "--json"}).out).contains("profile_schema"));
}

TEST(Check, FlagsBecomeAConfiguration) {
  TemporaryFolder folder;
  const auto path = folder / "c.rnnprof";
  const auto called =
      call({"check", "--cell", "gru", "--hidden-size", "1000", "--data-type", "half", "--padded-io",
            "false", "--framework", "pytorch", "--framework.allow-tf32", "true", "--device", "a100",
            "--save", path, "--fail-on", "never"});
  ASSERT_EQ(called.status, 0) << called.err;
  const auto profile = read_profile(path);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->configurations.size(), 1u);
  const auto& configuration = profile->configurations[0];
  EXPECT_EQ(configuration.config.cell, Cell::gru);
  EXPECT_EQ(configuration.config.input_size, 1000);  // follows hidden_size
  EXPECT_EQ(configuration.config.proj_size, 1000);
  EXPECT_FALSE(configuration.config.padded_io);
  EXPECT_EQ(configuration.program.name, Framework::pytorch);
  EXPECT_EQ(configuration.program.allow_tf32, true);
  EXPECT_EQ(configuration.origin, Origin::checked);
  EXPECT_EQ(configuration.outcome, Outcome::not_run);
  EXPECT_THAT(profile->devices[0].id, HasSubstr("a100"));
  EXPECT_GT(configuration.memory_predicted, 0);
}

// PyTorch asks for small-H here, of which no float calls were timed.
TEST(Check, AnAlgorithmThatRunsWithoutAPredictedTimeMayBeFasterThanThoseThatAreShown) {
  const std::vector<std::string> layer = {
      "check",    "--framework",  "pytorch", "--device",      "nvidia-h200", "--input-size",
      "16",       "--num-layers", "2",       "--hidden-size", "64",          "-f",
      "markdown", "--seq-length", "50",      "--batch-size",  "32",          "--data-type"};
  const auto of = [&](const std::string& type) {
    auto arguments = layer;
    arguments.push_back(type);
    return call(arguments).out;
  };
  EXPECT_THAT(of("float"), HasSubstr("it may be faster than all that are shown"));
  EXPECT_THAT(of("half"), Not(HasSubstr("it may be faster")));
}

TEST(Check, FlagsLaidOverAFileReplaceAndDefaultsFollow) {
  TemporaryFolder folder;
  const auto file = folder / "c.toml";
  write_text_file(file,
                  "hidden_size = 256\ninput_size = 100\n[[configuration]]\nid = \"a\"\n"
                  "[[configuration]]\nid = \"b\"\nproj_size = 64\n");
  ConfigurationOptions options;
  options.files = {file};
  options.flags = {{"hidden_size", "512"}, {"data_type", "double"}};
  const auto inputs = read_configurations(options);
  ASSERT_TRUE(inputs) << to_text(inputs.error().front());
  ASSERT_EQ(inputs->size(), 2u);
  const auto& a = (*inputs)[0].config;
  EXPECT_EQ(a.hidden_size, 512);
  EXPECT_EQ(a.input_size, 100);
  EXPECT_EQ(a.proj_size, 512);  // there was no projection; there is none now
  EXPECT_EQ(a.math_precision, DataType::float64);
  EXPECT_EQ((*inputs)[1].config.proj_size, 64);
}

TEST(Check, LengthsThatAreNotOneForEachSequenceAreAFinding) {
  const auto called = call({"check", "--hidden-size", "512", "--batch-size", "4", "--seq-lengths",
                            "1,2,3", "--device", "h200"});
  EXPECT_EQ(called.status, 1);
  EXPECT_THAT(called.out, HasSubstr("seq_lengths has 3 lengths for batch_size 4"));
}

TEST(Check, KeysThatWereGivenStayAndTheOthersFollow) {
  TemporaryFolder folder;
  const auto file = folder / "c.toml";
  write_text_file(file, "hidden_size = 256\ndata_type = \"half\"\nmath_precision = \"float\"\n");
  ConfigurationOptions options;
  options.files = {file};
  options.flags = {{"hidden_size", "512"}, {"data_type", "double"}};
  const auto inputs = read_configurations(options);
  ASSERT_TRUE(inputs) << to_text(inputs.error().front());
  const auto& config = inputs->front().config;
  EXPECT_EQ(config.input_size, 512) << "the file did not give it";
  EXPECT_EQ(config.math_precision, DataType::float32) << "the file did";
  EXPECT_TRUE(is_given(inputs->front(), "data_type"));
  EXPECT_FALSE(is_given(inputs->front(), "input_size"));
  // The contradiction is reported, not computed.
  const auto called = call({"check", file, "--data-type", "double", "--device", "a100"});
  EXPECT_EQ(called.status, 1);
  EXPECT_THAT(called.out, HasSubstr("math_precision"));
}

TEST(Check, AChosenDeviceIsReported) {
  FakeMachine machine;
  const std::vector<std::string> arguments = {"check", "--cell", "lstm", "--fail-on", "never"};
  EXPECT_THAT(call(arguments, machine.services()).err, HasSubstr("no GPU here: judging for"));
  machine.gpu = true;
  EXPECT_THAT(call(arguments, machine.services()).err, HasSubstr("A100"));
  auto quiet = arguments;
  quiet.emplace_back("--quiet");
  EXPECT_THAT(call(quiet, machine.services()).err, IsEmpty());
  EXPECT_EQ(call({"check", "--cell", "lstm", "--device", "h2000"}).status, 2);
}

TEST(Check, FailOnDecidesTheStatus) {
  // T = 65536 is refused by cuDNN: an error by the cards.
  const auto status = [](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"check", "--seq-length", "65536", "--device",
                                          "nvidia-h200"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments).status;
  };
  EXPECT_EQ(status({}), 1);
  EXPECT_EQ(status({"--fail-on", "error"}), 1);
  EXPECT_EQ(status({"--fail-on", "never"}), 0);
  EXPECT_EQ(status({"--fail-on", "fatal"}), 2);
  EXPECT_EQ(status({"--ignore", "no/such-rule"}), 2);
  std::vector<std::string> ignore_all;
  for (const auto& rule : advisor::builtin_rules().rules) {
    ignore_all.emplace_back("--ignore");
    ignore_all.push_back(rule.id);
  }
  EXPECT_EQ(status(ignore_all), 0);
}

TEST(Check, VariablesStandForOptionsButNotForKeys) {
  setenv("RNNADVISOR_FAIL_ON", "never", 1);
  setenv("RNNADVISOR_SEQ_LENGTH", "7", 1);
  setenv("RNNADVISOR_DEVICE", "nvidia-h200", 1);
  const auto called = call({"check", "--seq-length", "65536"});
  const auto other = call({"version"});
  const auto none = call({"check"});
  unsetenv("RNNADVISOR_FAIL_ON");
  unsetenv("RNNADVISOR_SEQ_LENGTH");
  unsetenv("RNNADVISOR_DEVICE");
  EXPECT_EQ(called.status, 0);
  EXPECT_THAT(called.err, IsEmpty());  // the device was given
  EXPECT_EQ(other.status, 0);
  EXPECT_EQ(none.status, 2);  // no configuration came from a variable
}

TEST(Check, FormatsGoWhereTheyAreSent) {
  TemporaryFolder folder;
  const std::vector<std::string> base = {"check", "--cell",    "lstm",  "--device",
                                         "h200",  "--fail-on", "never", "--quiet"};
  const auto with = [&](std::vector<std::string> more) {
    auto arguments = base;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments);
  };
  EXPECT_TRUE(nlohmann::json::accept(with({"--json"}).out));
  auto called = with(
      {"-f", "text", "-f", "json:" + (folder / "r.json"), "-f", "html:" + (folder / "r.html")});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.out, Not(IsEmpty()));
  EXPECT_TRUE(nlohmann::json::accept(read_text(folder / "r.json")));
  EXPECT_THAT(read_text(folder / "r.html"), StartsWith("<!"));
  EXPECT_EQ(with({"-f", "json", "-o", folder / "r.json"}).status, 2);
  EXPECT_EQ(with({"-f", "json", "-o", folder / "r.json", "--force"}).status, 0);
  EXPECT_EQ(with({"-f", "jsonn"}).status, 2);
}

// Findings of configurations in files point to the key that they are about, or to where their
// configuration begins, line and column as a person counts them.
TEST(Check, FindingsPointIntoTheFile) {
  TemporaryFolder folder;
  const auto toml = folder / "two networks.toml";
  write_text_file(toml,
                  "# T = 65536 is refused by cuDNN\n"
                  "seq_length = 65536\n"
                  "\n"
                  "[[configuration]]\n"
                  "id = \"first\"\n"
                  "\n"
                  "  [[configuration]]\n"
                  "  id = \"second\"\n");
  const auto jsonl = folder / "more.jsonl";
  write_text_file(jsonl, "\n{\"id\": \"third\", \"seq_length\": 65536}\n");
  const auto called = call({"check", toml, jsonl, "--device", "h200", "-f", "sarif", "--quiet"});
  EXPECT_EQ(called.status, 1);
  const auto document = nlohmann::json::parse(called.out);
  EXPECT_EQ(sarif_violations(document), "");
  std::map<std::string, std::set<std::string>> places;  // of the findings, by configuration
  for (const auto& result : document["runs"][0]["results"]) {
    const auto& location = result["locations"][0];
    ASSERT_TRUE(location.contains("physicalLocation")) << result;
    const auto& physical = location["physicalLocation"];
    places[location["logicalLocations"][0]["name"]].insert(fmt::format(
        "{}:{}:{}", physical["artifactLocation"]["uri"].get<std::string>(),
        physical["region"]["startLine"].get<int>(), physical["region"]["startColumn"].get<int>()));
  }
  const auto uri = [&](const std::string& path) {
    return "file://" + std::regex_replace(path, std::regex(" "), "%20");
  };
  // The key that they are about, also where it stands above the tables.
  EXPECT_THAT(places["first"], ::testing::Contains(uri(toml) + ":2:1"));
  EXPECT_THAT(places["second"], ::testing::Contains(uri(toml) + ":2:1"));
  EXPECT_THAT(places["third"], ::testing::Contains(uri(jsonl) + ":2:17"));
  EXPECT_EQ(places.size(), 3u);
  EXPECT_THAT(call({"check", toml, "--device", "h200", "--quiet"}).out, HasSubstr(toml + ":7:3"));
}

TEST(Check, FlagsHaveNoPlace) {
  const auto called = call({"check", "--seq-length", "65536", "--device", "h200", "-f", "sarif"});
  const auto document = nlohmann::json::parse(called.out);
  ASSERT_FALSE(document["runs"][0]["results"].empty());
  for (const auto& result : document["runs"][0]["results"])
    EXPECT_FALSE(result["locations"][0].contains("physicalLocation"));
}

TEST(Recorded, AdviseAndReportReadAProfile) {
  TemporaryFolder folder;
  const auto path = folder / "x.rnnprof";
  FakeMachine machine;
  ASSERT_EQ(call({"run", "--seq-length", "65535", "--hidden-size", "999", "-o", path, "--fail-on",
                  "never"},
                 machine.services())
                .status,
            0);
  EXPECT_EQ(call({"advise", path}).status, 0);
  EXPECT_EQ(call({"report", path, "-o", folder / "x.html"}).status, 0);
  EXPECT_THAT(read_text(folder / "x.html"), StartsWith("<!"));
  EXPECT_EQ(call({"advise", path, "--verify"}).status, 3) << "there is no GPU";
  EXPECT_EQ(call({"advise", folder / "missing.rnnprof"}).status, 2);
  write_text_file(folder / "text", "no profile");
  EXPECT_EQ(call({"report", folder / "text"}).status, 2);
  EXPECT_EQ(call({"report", "sample:nothing-of-that-name"}).status, 2);
  EXPECT_EQ(call({"report"}).status, 2);
}

TEST(Doctor, SaysWhatWorksInTextAndJson) {
  FakeMachine machine;
  EXPECT_EQ(call({"doctor"}, machine.services()).status, 0);
  EXPECT_THAT(call({"doctor"}, machine.services()).out, HasSubstr("no driver"));
  const auto document = nlohmann::json::parse(call({"doctor", "--json"}, machine.services()).out);
  EXPECT_EQ(document["schema"], 1);
  EXPECT_EQ(document["works"][0]["works"], "yes");
  EXPECT_EQ(document["works"][1]["works"], "no");
}

// What setup.sh asks, in the spelling with which it asks.
TEST(Doctor, SaysToScriptsWhetherConfigurationsCanBeRun) {
  const std::string setup = read_text(RNNADVISOR_SOURCE_DIR "/setup.sh");
  std::smatch pattern;
  ASSERT_TRUE(
      std::regex_search(setup, pattern, std::regex("grep -q '([^']*)' <<<.*doctor --json")));
  const std::regex asked(pattern[1].str());
  FakeMachine machine;
  EXPECT_FALSE(std::regex_search(call({"doctor", "--json"}, machine.services()).out, asked));
  machine.gpu = true;
  auto services = machine.services();
  services.inspect_machine = [&] {
    auto report = machine.services().inspect_machine();
    report.built_with_cuda = true;
    report.libraries = {{"cuDNN", true, "", "9.19.0", 0, "", {}, ""}};
    return report;
  };
  EXPECT_TRUE(std::regex_search(call({"doctor", "--json"}, services).out, asked));
}

TEST(Doctor, NamesTheReleaseOfCuptiAndItsOwnNumber) {
  FakeMachine machine;
  auto services = machine.services();
  services.inspect_machine = [] {
    MachineReport report;
    LibraryState cupti;
    cupti.name = "CUPTI";
    cupti.found = true;
    cupti.version = cupti_release(130001);
    cupti.api_version = 130001;
    report.libraries = {cupti, {"cuDNN", true, "", "9.19.0", 0, "", {}, ""}};
    return report;
  };
  EXPECT_THAT(call({"doctor"}, services).out, HasSubstr("13.0 (API version 130001)"));
  const auto document = nlohmann::json::parse(call({"doctor", "--json"}, services).out);
  EXPECT_EQ(document["libraries"][0]["version"], "13.0");
  EXPECT_EQ(document["libraries"][0]["api_version"], 130001);
  EXPECT_EQ(document["libraries"][1]["version"], "9.19.0");
  EXPECT_TRUE(document["libraries"][1]["api_version"].is_null());
}

TEST(Samples, ListShowExport) {
  TemporaryFolder folder;
  const auto list = call({"samples", "list"});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("guide-figure-10"));
  const auto sweep = read_text(RNNADVISOR_SOURCE_DIR "/samples/sweeps/guide-figure-10.toml");
  EXPECT_EQ(call({"samples", "show", "guide-figure-10", "--sweep"}).out, sweep);
  const auto report = call({"samples", "show", "guide-figure-10"});
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_NE(report.out, sweep);
  EXPECT_THAT(report.out, HasSubstr("NVIDIA H200"));
  // Only a sweep has this name.
  EXPECT_EQ(call({"samples", "show", "precision"}).out,
            read_text(RNNADVISOR_SOURCE_DIR "/samples/sweeps/precision.toml"));
  EXPECT_EQ(call({"samples", "show", "precisionn", "--sweep"}).status, 2);
  EXPECT_EQ(call({"samples", "show", "guide-figure-99"}).status, 2);
  EXPECT_EQ(call({"samples", "export", folder / "s"}).status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "s/sweeps/gnmt.toml"));
  EXPECT_EQ(call({"samples", "export", folder / "s"}).status, 2);
  EXPECT_EQ(call({"samples"}).status, 2);
}

// A program's recording by its whole name, and without the folder, wherever a profile is taken.
TEST(Samples, RecordedProgramsByEitherName) {
  const auto list = call({"samples", "list"}).out;
  EXPECT_THAT(list, HasSubstr("programs/pytorch-two-layers"));
  const auto whole = call({"report", "sample:programs/pytorch-two-layers"});
  EXPECT_EQ(whole.status, 0) << whole.err;
  const auto last = call({"report", "sample:pytorch-two-layers"});
  EXPECT_EQ(last.status, 0) << last.err;
  EXPECT_EQ(last.out, whole.out);
  EXPECT_EQ(verified_path("sample:programs/pytorch-gru"), "pytorch-gru.verified.rnnprof");
  EXPECT_EQ(verified_path("sample:gnmt"), "gnmt.verified.rnnprof");
  EXPECT_EQ(verified_path("a/b.rnnprof"), "a/b.verified.rnnprof");
}

TEST(Help, IsAlsoACommand) {
  EXPECT_EQ(call({"help"}).out, call({"--help"}).out);
  EXPECT_EQ(call({"help", "advise"}).out, call({"advise", "--help"}).out);
  EXPECT_EQ(call({"help", "samples", "show"}).out, call({"samples", "show", "--help"}).out);
  const auto unknown = call({"help", "advize"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("advise"));
}

TEST(Worker, IsHandedToTheService) {
  EXPECT_EQ(call({"worker", "--device", "2", "--directory", "/tmp"}).status, 42);
}

TEST(CommandLine, IsQuotedForAShell) {
  const std::vector<std::string> arguments = {"check", "a b", "it's", "", "x=1"};
  EXPECT_EQ(shell_line("rnnadvisor", arguments), "rnnadvisor check 'a b' 'it'\\''s' '' x=1");
}

TEST(Devices, ListsAreRead) {
  EXPECT_THAT(*parse_devices("0,2", 0), ElementsAre(0, 2));
  EXPECT_THAT(*parse_devices("all", 3), ElementsAre(0, 1, 2));
  for (const char* text : {"", ",", "0,", "-1", "1,1", "0 1", "99999999999"}) {
    EXPECT_FALSE(parse_devices(text, 4)) << text;
  }
}

TEST(ExitStatus, EveryErrorHasOne) {
  EXPECT_EQ(exit_status(Error{ErrorCode::parse, "", "", {}, {}}), 2);
  EXPECT_EQ(exit_status(Error{ErrorCode::damaged, "", "", {}, {}}), 2);
  EXPECT_EQ(exit_status(Error{ErrorCode::io, "", "", {}, {}}), 3);
  EXPECT_EQ(exit_status(Error{ErrorCode::cudnn, "", "", {}, {}}), 3);
  EXPECT_EQ(exit_status(Error{ErrorCode::interrupted, "", "", {}, {}}), 130);
}

}  // namespace
}  // namespace rnnadvisor::cli
