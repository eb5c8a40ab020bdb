#include "advisor/cli/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/cli/progress.h"
#include "advisor/cli/recording_watch.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Targets = std::vector<OutputTarget>;

Targets resolve(std::vector<std::string> formats, std::string output = "",
                std::string prefix = "") {
  auto targets = resolve_outputs({std::move(formats), std::move(output), false, false}, prefix);
  if (!targets) ADD_FAILURE() << to_text(targets.error());
  return targets ? *targets : Targets{};
}
bool refused(std::vector<std::string> formats, std::string output = "") {
  return !resolve_outputs({std::move(formats), std::move(output), false, false});
}

TEST(Outputs, TextOnStandardOutputByDefault) {
  EXPECT_EQ(resolve({}), (Targets{{Format::text, ""}}));
  EXPECT_EQ(resolve({"json"}), (Targets{{Format::json, ""}}));
  EXPECT_EQ(resolve({"json"}, "-"), (Targets{{Format::json, ""}}));
  EXPECT_EQ(resolve({"json:-"}), (Targets{{Format::json, ""}}));
}

TEST(Outputs, JsonFlagIsTheJsonFormat) {
  EXPECT_EQ(*resolve_outputs({{}, "", true, false}), (Targets{{Format::json, ""}}));
}

TEST(Outputs, OneFormatGoesToTheFile) {
  EXPECT_EQ(resolve({"html"}, "a.html"), (Targets{{Format::html, "a.html"}}));
  EXPECT_EQ(resolve({}, "a.txt"), (Targets{{Format::text, "a.txt"}}));
}

TEST(Outputs, EndingOfTheFileChoosesTheFormat) {
  const std::vector<std::pair<std::string, Format>> files = {
      {"a.html", Format::html},         {"a.htm", Format::html},  {"a.md", Format::markdown},
      {"a.markdown", Format::markdown}, {"a.json", Format::json}, {"a.sarif", Format::sarif},
      {"a.sarif.json", Format::sarif},  {"a.xml", Format::junit}, {"a.junit", Format::junit},
      {"a.csv", Format::csv},           {"A.HTML", Format::html}, {"a.txt", Format::text},
      {"a.html.bak", Format::text},     {"html", Format::text},   {"b.html/a", Format::text}};
  for (const auto& [file, format] : files)
    EXPECT_EQ(resolve({}, file), (Targets{{format, file}})) << file;
}

TEST(Outputs, GivenFormatOverridesTheEnding) {
  EXPECT_EQ(resolve({"text"}, "a.html"), (Targets{{Format::text, "a.html"}}));
  EXPECT_EQ(*resolve_outputs({{}, "a.html", true, false}), (Targets{{Format::json, "a.html"}}));
}

TEST(Outputs, SeveralFormatsNeedPlaces) {
  TemporaryFolder folder;
  EXPECT_EQ(resolve({"html:x.html", "text"}),
            (Targets{{Format::html, "x.html"}, {Format::text, ""}}));
  EXPECT_EQ(resolve({"html", "junit"}, "out/"),
            (Targets{{Format::html, "out/report.html"}, {Format::junit, "out/report.xml"}}));
  EXPECT_EQ(
      resolve({"html", "json"}, folder / ""),
      (Targets{{Format::html, folder / "report.html"}, {Format::json, folder / "report.json"}}));
  EXPECT_EQ(resolve({"html", "json"}, "run"),
            (Targets{{Format::html, "run.html"}, {Format::json, "run.json"}}));
  EXPECT_EQ(resolve({"html", "sarif"}, "", "stem"),
            (Targets{{Format::html, "stem.html"}, {Format::sarif, "stem.sarif"}}));
  EXPECT_TRUE(refused({"html", "json"}));
  EXPECT_TRUE(refused({"html", "json"}, "-"));
  EXPECT_TRUE(refused({"html:-", "json:-"}));
  EXPECT_TRUE(refused({"html:x", "json:x"}));
  EXPECT_TRUE(refused({"html", "html"}, "x"));
}

TEST(Outputs, WrongWordsAreRefusedWithTheNearest) {
  const auto wrong = resolve_outputs({{"htlm"}, "", false, false});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().remedy, HasSubstr("html"));
  EXPECT_TRUE(refused({"html:"}));
  EXPECT_TRUE(refused({""}));
  EXPECT_TRUE(refused({"html:x.html"}, "y.html"));  // nothing is left for -o
}

TEST(Outputs, ExistingFilesAreKeptUnlessForced) {
  TemporaryFolder folder;
  const auto path = folder / "report.html";
  EXPECT_TRUE(check_writable({path}, false, {}));
  write_text_file(path, "precious");
  EXPECT_FALSE(check_writable({path}, false, {}));
  EXPECT_TRUE(check_writable({path}, true, {}));
  EXPECT_FALSE(check_writable({folder / ""}, true, {}));      // a folder
  EXPECT_FALSE(check_writable({path + "/below"}, true, {}));  // a file in the way
  EXPECT_TRUE(check_writable({"/dev/null"}, false, {}));
  EXPECT_FALSE(check_writable({folder / "new/deeper/x"}, false, {}));  // a typo is reported
  EXPECT_TRUE(check_writable({folder / "new/deeper/x"}, false, {}, true));
  EXPECT_FALSE(check_writable({path + "/below/x"}, false, {}, true));
}

TEST(Outputs, FilesAreWrittenWholeOrNotAtAll) {
  TemporaryFolder folder;
  const auto path = folder / "a/b/x.txt";
  EXPECT_FALSE(write_file(path, "hello"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  ASSERT_TRUE(write_file(path, "hello", {.make_folders = true}));
  EXPECT_EQ(read_text(path), "hello");
  ASSERT_TRUE(write_file(path, "again"));
  EXPECT_EQ(read_text(path), "again");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "a/b")) {
    if (entry.is_regular_file()) ++files;
  }
  EXPECT_EQ(files, 1u);  // nothing temporary is left
  EXPECT_FALSE(write_file("/proc/no/such/place", "x"));
  EXPECT_FALSE(write_file("/dev/full", std::string(1 << 20, 'x')));
  EXPECT_TRUE(write_file("/dev/null", "x"));
}

TEST(Progress, LineFitsAndTellsTheTimeLeft) {
  EXPECT_EQ(progress_line(1, 4, 10, "gnmt", 80), "[1/4] gnmt - 30 s left");
  EXPECT_EQ(progress_line(4, 4, 10, "gnmt", 80), "[4/4] gnmt");
  EXPECT_EQ(progress_line(0, 4, 0, "", 80), "[0/4] ");
  for (int width = 20; width < 60; ++width) {
    EXPECT_LT(progress_line(10, 100, 10, "caf\xC3\xA9 with a very long name indeed", width).size(),
              static_cast<std::size_t>(std::max(width, 24)));
  }
  EXPECT_EQ(progress_line(1, 2, 1, "a\nb\x1b[0m", 80), "[1/2] a b [0m - 1 s left");
  EXPECT_EQ(format_duration(12.4), "12 s");
  EXPECT_EQ(format_duration(180), "3 min");
  EXPECT_EQ(format_duration(3900), "1 h 05 min");
  EXPECT_EQ(format_duration(-1), "0 s");
}

TEST(Progress, OnlyOnATerminal) {
  FakeMachine machine;
  TemporaryFolder folder;
  Terminal terminal;
  const std::vector<std::string> arguments = {
      "run", "--cell", "lstm", "--id", "mine", "-o", folder / "x.rnnprof", "--force"};
  EXPECT_EQ(call(arguments, machine.services(), terminal).err.find('\r'), std::string::npos);
  terminal.error_is_terminal = true;
  EXPECT_THAT(call(arguments, machine.services(), terminal).err, HasSubstr("\r\x1b[K[1/1] mine"));
  for (const char* silent : {"--quiet", "--no-progress"}) {
    auto with = arguments;
    with.emplace_back(silent);
    EXPECT_EQ(call(with, machine.services(), terminal).err.find('\r'), std::string::npos) << silent;
  }
}

// A watching program reads JSON Lines, from standard error or from a file, terminal or not.
TEST(RecordingSize, IsReportedAtAGibibyteAndAfterEachDoubling) {
  constexpr std::int64_t gibi = std::int64_t{1} << 30;
  RecordingSize size;
  EXPECT_FALSE(size.look(10, gibi - 1, 1000 * gibi));
  const auto first = size.look(20, gibi + 10 * (1 << 20), 1000 * gibi);
  ASSERT_TRUE(first);
  EXPECT_THAT(*first, ::testing::AllOf(HasSubstr("recorded 1.0 GiB so far, 1 MiB a second"),
                                       HasSubstr("1000.0 GiB are free"), HasSubstr("--max-size")));
  EXPECT_FALSE(size.look(30, 2 * gibi - 1, 1000 * gibi));
  EXPECT_TRUE(size.look(40, 5 * gibi, 1000 * gibi));
  EXPECT_FALSE(size.look(50, 7 * gibi, 1000 * gibi));
  EXPECT_TRUE(size.look(60, 8 * gibi, -1));
}

TEST(RecordingSize, WarnsOnceOfADiskThatWillBeFull) {
  constexpr std::int64_t mebi = 1 << 20;
  RecordingSize size;
  EXPECT_FALSE(size.look(10, 100 * mebi, 6001 * mebi));  // at 10 MiB a second more than ten minutes
  const auto warning = size.look(20, 200 * mebi, 3000 * mebi);
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning, HasSubstr("full in 5 min"));
  EXPECT_FALSE(size.look(30, 300 * mebi, 2900 * mebi));
  EXPECT_FALSE(size.look(30, 300 * mebi, 2900 * mebi)) << "no time has passed";
}

TEST(Progress, AsJsonForAProgramThatWatches) {
  FakeMachine machine;
  TemporaryFolder folder;
  write_text_file(folder / "two.jsonl", "{\"id\": \"first\"}\n{\"id\": \"second\"}\n");
  const std::vector<std::string> arguments = {"run", folder / "two.jsonl", "-o",
                                              folder / "x.rnnprof", "--force"};
  const auto with = [&](const std::string& value) {
    auto all = arguments;
    all.insert(all.end(), {"--progress", value});
    return call(all, machine.services());
  };
  const auto reports = [](const std::string& text) {
    std::vector<nlohmann::json> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("{\"progress\"")) continue;
      found.push_back(nlohmann::json::parse(line));
      EXPECT_EQ(violations("docs/schema/progress.schema.json", found.back()), "");
    }
    return found;
  };
  const std::string file = folder / "progress";
  ASSERT_EQ(with("json:" + file).err.find("progress"), std::string::npos);
  for (const auto& each : {reports(with("json").err), reports(read_text(file))}) {
    ASSERT_EQ(each.size(), 3U);
    for (std::size_t i = 0; i < each.size(); ++i) {
      EXPECT_EQ(each[i]["progress"]["doing"], "running");
      EXPECT_EQ(each[i]["progress"]["finished"], i);
      EXPECT_EQ(each[i]["progress"]["total"], 2);
    }
    EXPECT_THAT(each[2]["progress"]["what"].get<std::string>(), HasSubstr("second"));
  }
  EXPECT_TRUE(reports(with("none").err).empty());
  EXPECT_EQ(with("xml").status, exit_bad_input);
  EXPECT_EQ(with("json:").status, exit_bad_input);
  const auto nowhere = with("json:" + (folder / "no/such/file"));
  EXPECT_EQ(nowhere.status, call(arguments, machine.services()).status);
  EXPECT_THAT(nowhere.err, HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace rnnadvisor::cli
