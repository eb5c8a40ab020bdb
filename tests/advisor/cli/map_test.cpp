// rnnadvisor map.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "advisor/facts/predicted_change.h"
#include "core/model/time_for_device.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/core/model/cliff_times.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

const std::vector<std::string> here = {"--hidden-size", "1001",       "--batch-size", "33",
                                       "--data-type",   "half",       "--math-type",  "tensor_op",
                                       "--device",      "nvidia-h200"};

std::vector<std::string> map_with(std::initializer_list<std::string> more) {
  std::vector<std::string> arguments = {"map"};
  arguments.insert(arguments.end(), here.begin(), here.end());
  arguments.insert(arguments.end(), more);
  return arguments;
}

Services predicting(FakeMachine& machine) {
  auto services = machine.services();
  services.predict_for = model::test::cliff_times;
  return services;
}

TEST(MapCommand, SaysWhatRunsAndThatNoTimeIsKnown) {
  FakeMachine machine;
  auto services = machine.services();
  for (const bool real : {false, true}) {
    services.predict_for =
        real ? advisor::PredictFor(model::predict_time_for) : advisor::PredictFor();
    // No H100 has been measured.
    auto arguments = map_with({});
    arguments[arguments.size() - 1] = "nvidia-h100-sxm5-80gb";
    const auto called = call(arguments, services);
    EXPECT_EQ(called.status, 0);
    EXPECT_THAT(called.out, HasSubstr("hidden size x batch: implementation, NVIDIA H100"));
    EXPECT_THAT(called.out, HasSubstr("[S/P]"));
    EXPECT_THAT(called.out, HasSubstr("No times: nothing comparable was measured"));
    EXPECT_THAT(called.out, Not(HasSubstr(" ms")));
  }
}

// What does not run is one answer.
TEST(MapCommand, WhatDoesNotRunIsExitStatusOneAsInCheckAndFit) {
  FakeMachine machine;
  struct Case {
    std::vector<std::string> flags;
    std::string why;
  };
  const std::vector<Case> cases = {
      {{"--hidden-size", "512", "--batch-size", "4", "--seq-lengths", "1,2,3"}, "3 lengths"},
      {{"--hidden-size", "1088", "--algo", "persist_static", "--data-type", "half"},
       "is above 1024"},
      {{"--framework", "jax", "--cell", "gru"}, "stops with an error"}};
  for (const auto& [flags, why] : cases) {
    for (const char* command : {"check", "fit", "map"}) {
      std::vector<std::string> arguments = {command, "--device", "nvidia-a100-sxm4-80gb"};
      arguments.insert(arguments.end(), flags.begin(), flags.end());
      const auto called = call(arguments, machine.services());
      EXPECT_EQ(called.status, 1) << command << " " << why;
      EXPECT_THAT(called.out, HasSubstr(why)) << command;
    }
  }
}

TEST(MapCommand, ShowsTimesAndTheNearestBetter) {
  FakeMachine machine;
  const auto called = call(map_with({"--axes", "all"}), predicting(machine));
  EXPECT_EQ(called.status, 0);
  for (const char* title : {"hidden size x batch: time in ms", "hidden size x type: time in ms",
                            "length x batch: time in ms"})
    EXPECT_THAT(called.out, HasSubstr(title));
  EXPECT_THAT(called.out, HasSubstr("Nearest better: hidden size 1000 and batch 32 instead of "
                                    "1001 and 33"));
  EXPECT_THAT(called.out, HasSubstr("estimate"));
  EXPECT_THAT(call(map_with({"--layer", "speedup"}), predicting(machine)).out,
              HasSubstr("speedup over standard"));
}

TEST(MapCommand, ColourOnlyWhereItIsWanted) {
  FakeMachine machine;
  Terminal terminal;
  terminal.output_is_terminal = true;
  EXPECT_THAT(call(map_with({}), predicting(machine), terminal).out, HasSubstr("\x1b[48;5;"));
  EXPECT_THAT(call(map_with({"--no-color"}), predicting(machine), terminal).out,
              Not(HasSubstr("\x1b")));
  terminal.color = false;  // NO_COLOR
  EXPECT_THAT(call(map_with({}), predicting(machine), terminal).out, Not(HasSubstr("\x1b")));
}

TEST(MapCommand, WritesEveryFormat) {
  FakeMachine machine;
  TemporaryFolder folder;
  const auto services = predicting(machine);
  const Json document =
      Json::parse(call(map_with({"--json", "--axes", "length-batch"}), services).out);
  EXPECT_EQ(violations("docs/schema/map.schema.json", document), "");
  EXPECT_EQ(document["maps"][0]["axes"], "length-batch");
  EXPECT_EQ(document["maps"][0]["configuration"]["hidden_size"], 1001);
  EXPECT_EQ(call(map_with({"-o", folder / "maps.html"}), services).status, 0);
  EXPECT_THAT(read_text(folder / "maps.html"), HasSubstr("you are here"));
  EXPECT_EQ(call(map_with({"--format", "html", "-o", folder / "maps.html"}), services).status, 2);
  EXPECT_THAT(call(map_with({"--format", "csv"}), services).out,
              HasSubstr("axes,device,configuration"));
}

TEST(MapCommand, NamesIgnoredKeysInEveryFormat) {
  FakeMachine machine;
  const auto services = predicting(machine);
  const auto with = [&](const char* format) {
    return call(
               map_with({"--framework", "pytorch", "--algo", "persist_static", "--format", format}),
               services)
        .out;
  };
  const Json map = Json::parse(with("json"))["maps"][0];
  ASSERT_EQ(map["remarks"].size(), 1U);
  const auto remark = map["remarks"][0].get<std::string>();
  EXPECT_THAT(remark, HasSubstr("algo"));
  EXPECT_THAT(with("text"), HasSubstr(remark));
  EXPECT_THAT(with("html"), HasSubstr(remark));
}

TEST(MapCommand, ReadsFilesAndProfiles) {
  FakeMachine machine;
  TemporaryFolder folder;
  write_text_file(folder / "two.jsonl",
                  "{\"id\": \"a\", \"hidden_size\": 256}\n{\"id\": \"b\", \"hidden_size\": 512}\n");
  const auto two = call({"map", folder / "two.jsonl", "--device", "h200"}, predicting(machine));
  EXPECT_THAT(two.out, HasSubstr("a: LSTM 1x256"));
  EXPECT_THAT(two.out, HasSubstr("b: LSTM 1x512"));
  // What was measured is shown as measured, on the device that it was measured on.
  auto without = machine.services();
  without.predict_for = {};
  const auto sample = call({"map", "sample:guide-figure-10", "--json"}, without);
  ASSERT_EQ(sample.status, 0) << sample.err;
  const Json document = Json::parse(sample.out);
  int measured = 0;
  for (const auto& map : document["maps"]) {
    for (const auto& cell : map["cells"]) {
      if (cell["time"].is_null()) continue;
      EXPECT_EQ(cell["time"]["basis"], "measured");
      ++measured;
    }
  }
  EXPECT_GT(measured, 0);
  EXPECT_EQ(call({"map", "sample:guide-figure-10", "--hidden-size", "3"}).status, 2);
}

TEST(MapCommand, SaysWhatIsWrong) {
  for (const auto& arguments : {map_with({"--axes", "hidden"}), map_with({"--layer", "colour"}),
                                map_with({"--format", "sarif"}), std::vector<std::string>{"map"},
                                std::vector<std::string>{"map", "--hidden-size", "0"}}) {
    const auto called = call(arguments);
    EXPECT_EQ(called.status, 2);
    EXPECT_EQ(called.out, "");
    EXPECT_NE(called.err, "");
  }
}

TEST(MapCommand, AWrongWordIsNoMisspeltOption) {
  FakeMachine machine;
  const auto called = call(map_with({"--axes", "x"}), machine.services());
  EXPECT_EQ(called.status, 2);
  EXPECT_THAT(called.err, HasSubstr("'x' is unknown: use hidden-batch"));
  EXPECT_THAT(called.err, HasSubstr("see `rnnadvisor map --help`"));
  EXPECT_THAT(called.err, Not(HasSubstr("did you mean")));
  EXPECT_THAT(call(map_with({"--axis", "x"}), machine.services()).err,
              HasSubstr("did you mean '--axes'"));
}

TEST(Commands, ARemedyNamesTheCommandWithAllOfItsWords) {
  EXPECT_THAT(call({"rules", "docs"}).err, HasSubstr("see `rnnadvisor rules docs --help`"));
  EXPECT_THAT(call({"fit", "--nothing"}).err, HasSubstr("see `rnnadvisor fit --help`"));
}

TEST(CheckHtml, HasMapsWithThePredictorOfTheMachine) {
  FakeMachine machine;
  const std::vector<std::string> check = {"check", "--hidden-size", "1001", "--data-type",
                                          "half",  "--device",      "h200", "--format",
                                          "html",  "--fail-on",     "never"};
  const auto page = call(check, predicting(machine)).out;
  EXPECT_THAT(page, HasSubstr("Maps around this configuration"));
  EXPECT_THAT(page, HasSubstr("a formula of the tests"));
  EXPECT_THAT(call(check, machine.services()).out, Not(HasSubstr("a formula of the tests")));
}

}  // namespace
}  // namespace rnnadvisor::cli
