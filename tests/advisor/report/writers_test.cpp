// Every format: well-formed, valid by its schema, nothing of a hostile text gets through unescaped,
// and every kind of profile gives something to read.
#include <cstdio>
#include <fstream>
#include <limits>
#include <regex>
#include <set>
#include <sstream>

#include "advisor/report/predicted_times.h"
#include "advisor/report/terminal.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/config/read_config.h"
#include "tests/advisor/report/formats.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::advisor {
namespace {

struct Case {
  const char* name;
  std::unique_ptr<fixture::Judged> (*make)();
};
std::unique_ptr<fixture::Judged> forty() { return fixture::many(40); }
const Case cases[] = {{"rich", fixture::rich},   {"single", fixture::single},
                      {"fine", fixture::fine},   {"empty", fixture::empty},
                      {"bare", fixture::bare},   {"checked", fixture::checked},
                      {"sweep", fixture::sweep}, {"many", forty}};

class Formats : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<fixture::Judged> judged_ = GetParam().make();
  Report report_ = judged_->report();
};
INSTANTIATE_TEST_SUITE_P(Profiles, Formats, ::testing::ValuesIn(cases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(Formats, TextStaysWithinTheTerminal) {
  for (const int width : {60, 80, 100, 160}) {
    TextOptions options;
    options.width = width;
    std::istringstream lines(write_text(report_, options));
    for (std::string line; std::getline(lines, line);) {
      // Tables whose fixed columns alone need more room than a narrow terminal has may stick out;
      // prose never.
      if (width >= 80) {
        ASSERT_LE(words::display_width(line), static_cast<std::size_t>(width)) << line;
      }
      ASSERT_FALSE(line.ends_with(' ')) << "'" << line << "'";
    }
  }
}

TEST_P(Formats, TextHasNoControlCharactersOfOthers) {
  for (const char c : write_text(report_))
    ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  TextOptions options;
  options.color = true;
  const std::string colored =
      std::regex_replace(write_text(report_, options), std::regex("\x1b\\[[0-9;]*m"), "");
  EXPECT_EQ(colored, write_text(report_));  // colour adds nothing but colour
}

TEST_P(Formats, TextInAscii) {
  TextOptions options;
  options.ascii = true;
  options.verbose = true;
  for (const char c : write_text(report_, options)) ASSERT_LT(static_cast<unsigned char>(c), 0x7F);
}

TEST_P(Formats, JsonIsValidByItsSchema) {
  const Json document = json_of(report_);
  EXPECT_EQ(document["schema_version"], "1.11");
  EXPECT_EQ(document["configurations"].size(), report_.configurations.size());
  EXPECT_EQ(document["findings"].size(), report_.findings.size());
}

TEST_P(Formats, SarifIsValidByItsSchema) {
  const Json run = sarif_of(report_);
  for (const auto& result : run["results"]) {
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"],
              result["ruleId"]);
  }
  EXPECT_EQ(run["results"].size(), report_.findings.size());
}

TEST_P(Formats, CsvHasTheSameNumberOfFieldsInEveryLine) {
  const std::string csv = write_csv(report_);
  std::size_t fields = 0;
  std::size_t expected = 0;
  std::size_t lines = 0;
  bool quoted = false;
  for (const char c : csv) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',') ++fields;
    if (c != '\n') continue;
    if (lines++ == 0) expected = fields;
    ASSERT_EQ(fields, expected) << "line " << lines;
    fields = 0;
  }
  EXPECT_FALSE(quoted);
  std::size_t phases = 0;
  for (const auto& each : report_.configurations) phases += each.phases.size();
  EXPECT_EQ(lines, phases + 1);
}

// Tags open and close in order; attribute values are quoted. A parser for what our own writers
// make, not for XML at large.
void expect_nested(const std::string& text, const std::vector<std::string>& without_end) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) {
    const std::size_t end = text.find('>', at);
    ASSERT_NE(end, std::string::npos);
    std::string tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with("?") || tag.starts_with("!")) continue;
    ASSERT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    const std::string name = tag.substr(
        tag.starts_with('/') ? 1 : 0, tag.find_first_of(" /", 1) - (tag.starts_with('/') ? 1 : 0));
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ("/" + open.back(), tag) << "near " << text.substr(at > 300 ? at - 300 : 0, 400);
      open.pop_back();
    } else if (!tag.ends_with('/') &&
               std::find(without_end.begin(), without_end.end(), name) == without_end.end()) {
      open.push_back(name);
      if (name == "script" || name == "style") at = text.find("</" + name + ">", at);
    }
  }
  EXPECT_TRUE(open.empty()) << open.back();
}

TEST_P(Formats, JunitIsWellFormed) {
  const std::string xml = write_junit(report_);
  expect_nested(xml, {});
  for (const char c : xml) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
}

TEST_P(Formats, HtmlIsWellFormedAndAsksForNothing) {
  const std::string page = write_html(report_);
  expect_nested(page, {"meta", "link", "input", "br"});
  EXPECT_EQ(page, to_valid_utf8(page));
  EXPECT_THAT(page, Not(HasSubstr(" style=")));
  EXPECT_FALSE(std::regex_search(page, std::regex("<[^>]* on[a-z]+=")));
  EXPECT_FALSE(std::regex_search(page, std::regex("<(img|iframe|object|embed|base|form)\\b")));
  EXPECT_FALSE(std::regex_search(page, std::regex("<link[^>]*href=\"(?!data:)")));
  EXPECT_FALSE(std::regex_search(page, std::regex("url\\(|@import|src=")));
  // Every id once, every link inside the page leads somewhere.
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]*)\"");
  for (auto i = std::sregex_iterator(page.begin(), page.end(), id); i != std::sregex_iterator();
       ++i)
    EXPECT_TRUE(ids.insert((*i)[1]).second) << (*i)[1];
  const std::regex href("href=\"#([^\"]*)\"");
  for (auto i = std::sregex_iterator(page.begin(), page.end(), href); i != std::sregex_iterator();
       ++i)
    EXPECT_TRUE(ids.contains((*i)[1])) << (*i)[1];
  const std::regex labelled("aria-labelledby=\"([^\" ]*)");
  for (auto i = std::sregex_iterator(page.begin(), page.end(), labelled);
       i != std::sregex_iterator(); ++i)
    EXPECT_TRUE(ids.contains((*i)[1])) << (*i)[1];
}

// As coreutils compute it, in base64.
std::string sha256_of(const std::string& text) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("text")) << text;
  const std::string command = "sha256sum <" + folder.file("text") +
                              " | cut -c1-64 | tr a-f A-F | basenc -d --base16 | base64 -w0";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string hash(44, '\0');
  hash.resize(fread(hash.data(), 1, hash.size(), pipe));
  pclose(pipe);
  return hash;
}

TEST(Html, NamesItsOwnStyleAndScript) {
  const auto judged = fixture::rich();
  const std::string page = write_html(judged->report());
  const auto between = [&](std::string_view from, std::string_view to) {
    const std::size_t start = page.find(from) + from.size();
    return page.substr(start, page.find(to, start) - start);
  };
  EXPECT_THAT(page,
              HasSubstr("style-src 'sha256-" + sha256_of(between("<style>", "</style>")) + "'"));
  EXPECT_THAT(page,
              HasSubstr("script-src 'sha256-" + sha256_of(between("<script>", "</script>")) + "'"));
}

TEST(Hostile, NothingBecomesMarkup) {
  const auto judged = fixture::rich();
  const Report report = judged->report();
  const std::string page = write_html(report);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("href=\"javascript:")));
  EXPECT_EQ(std::regex_replace(page, std::regex("<script>[^<]*"), "").find("<script"),
            std::string::npos);
  const std::string markdown = write_markdown(report);
  EXPECT_THAT(markdown, Not(HasSubstr("<script>alert(1)</script> \"q\" 'a' `t`\n")));
  EXPECT_THAT(markdown, Not(HasSubstr("](javascript:")));
  EXPECT_THAT(markdown, HasSubstr("&lt;script&gt;alert\\(1\\)"));
  EXPECT_THAT(write_junit(report), Not(HasSubstr("<script")));
  const std::string csv = write_csv(report);
  EXPECT_THAT(csv, Not(HasSubstr("\n=")));
  EXPECT_EQ(Json::parse(write_json(report))["configurations"][5]["config"]["id"]
                .get<std::string>()
                .substr(0, 26),
            "<script>alert(1)</script> ");
}

TEST(Hostile, MarkdownCodeBlocksCannotBeClosed) {
  auto judged = fixture::single();
  judged->judgement.findings[0].suggestions[0].code = "a\n```\n# not a heading\n````\n";
  EXPECT_THAT(write_markdown(judged->report()),
              HasSubstr("`````\na\n```\n# not a heading\n````\n`````\n"));
}

TEST(Html, CodeInCardsIsCodeAndNothingElse) {
  auto judged = fixture::single();
  auto& finding = judged->judgement.findings[0];
  finding.title = "A `title`";
  finding.message = "Use `rnnadvisor run`, `<script>alert(2)</script>`, not `this & <b>";
  finding.suggestions[0].text = "Set `a<b` & **go** [on](javascript:x)";
  finding.suggestions[0].cannot = "No `such` thing";
  const std::string page = write_html(judged->report());
  EXPECT_THAT(page, HasSubstr("A <code>title</code></h3>"));
  EXPECT_THAT(page, HasSubstr("Use <code>rnnadvisor run</code>, "
                              "<code>&lt;script&gt;alert(2)&lt;/script&gt;</code>, not `this "
                              "&amp; &lt;b&gt;</p>"));
  EXPECT_THAT(page, HasSubstr("Set <code>a&lt;b</code> &amp; **go** [on](javascript:x)"));
  EXPECT_THAT(page, HasSubstr("No <code>such</code> thing"));
  // What has no look of its own for code keeps the marks.
  EXPECT_THAT(write_text(judged->report()), HasSubstr("`rnnadvisor run`"));
}

TEST(Csv, FormulasStayText) {
  auto judged = fixture::single();
  for (const char* id : {"=1+1", "+1", "-1", "@x"}) {
    judged->profile.configurations[0].config.id = id;
    EXPECT_THAT(write_csv(judged->report()), HasSubstr("\n0, " + std::string(id) + ","));
  }
  judged->profile.configurations[0].config.id = "a,\"b\"";
  EXPECT_THAT(write_csv(judged->report()), HasSubstr("\n0,\"a,\"\"b\"\"\","));
}

TEST(Sarif, NamesThePlaceInTheUsersFile) {
  auto judged = fixture::single();
  Report report = judged->report();
  EXPECT_FALSE(sarif_of(report)["results"][0]["locations"][0].contains("physicalLocation"));
  report.configurations[0].position = SourcePosition{"my configs/a.toml", 12, 3};
  const Json location = sarif_of(report)["results"][0]["locations"][0];
  EXPECT_EQ(location["physicalLocation"]["artifactLocation"]["uri"], "my%20configs/a.toml");
  EXPECT_EQ(location["physicalLocation"]["region"], (Json{{"startLine", 12}, {"startColumn", 3}}));
  EXPECT_EQ(location["logicalLocations"][0]["name"], "gnmt-encoder");
  report.configurations[0].position = SourcePosition{"./configs/../a.toml", 1, 1};
  EXPECT_EQ(
      sarif_of(report)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
      "a.toml");
  report.configurations[0].position = SourcePosition{"/tmp/a.toml", 0, 0};
  EXPECT_EQ(
      sarif_of(report)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
      "file:///tmp/a.toml");
}

TEST(Formats, TellThePlaceInTheUsersFile) {
  const auto judged = fixture::single();
  Report report = judged->report();
  EXPECT_TRUE(json_of(report)["configurations"][0]["position"].is_null());
  report.configurations[0].position = SourcePosition{"my<configs>/a.toml", 12, 3};
  const Json document = json_of(report);
  EXPECT_EQ(document["configurations"][0]["position"],
            (Json{{"file", "my<configs>/a.toml"}, {"line", 12}, {"column", 3}}));
  EXPECT_THAT(write_text(report), HasSubstr("\n  in my<configs>/a.toml:12:3\n"));
  EXPECT_THAT(write_html(report), HasSubstr("in my&lt;configs&gt;/a.toml:12:3"));
  EXPECT_THAT(write_markdown(report), HasSubstr("in my&lt;configs&gt;/a.toml:12:3\n"));
  report.configurations[0].position = SourcePosition{"-", 7, 0};
  EXPECT_THAT(write_text(report), HasSubstr("in standard input:7\n"));
  EXPECT_FALSE(sarif_of(report)["results"][0]["locations"][0].contains("physicalLocation"));
}

TEST(Sarif, LevelsFollowSeverity) {
  const auto judged = fixture::rich();
  const Json run = sarif_of(judged->report());
  EXPECT_EQ(run["results"][0]["level"], "error");
  EXPECT_EQ(run["results"][2]["level"], "warning");
  bool refused = false;
  for (const auto& n : run["invocations"][0]["toolExecutionNotifications"])
    refused = refused || n["descriptor"]["id"] == "refused";
  EXPECT_TRUE(refused);
}

TEST(Junit, CountsAgreeWithItsCases) {
  const auto judged = fixture::rich();
  const std::string xml = write_junit(judged->report());
  const auto count = [&](const char* what) {
    const std::regex pattern(what);
    return std::distance(std::sregex_iterator(xml.begin(), xml.end(), pattern),
                         std::sregex_iterator());
  };
  std::smatch sums;
  ASSERT_TRUE(
      std::regex_search(xml, sums,
                        std::regex("<testsuites name=\"rnnadvisor\" tests=\"(\\d+)\" "
                                   "failures=\"(\\d+)\" errors=\"(\\d+)\" skipped=\"(\\d+)\"")));
  EXPECT_EQ(std::stol(sums[1]), count("<testcase "));
  EXPECT_EQ(std::stol(sums[2]), count("<failure "));
  EXPECT_EQ(std::stol(sums[3]), count("<error "));
  EXPECT_EQ(std::stol(sums[4]), count("<skipped "));
  EXPECT_EQ(count("<failure "), 5);
  EXPECT_EQ(count("<error "), 3);  // refused, out of memory, a broken rule
}

TEST(Junit, FindingsWithoutVerdictsAreNotLost) {
  auto judged = fixture::single();
  judged->judgement.verdicts.clear();
  EXPECT_THAT(write_junit(judged->report()), HasSubstr("name=\"alignment/batch-multiple-of-8\""));
}

// A rule that measuring refuted on this GPU: every format shows the counts, and none has the
// change as something to do, or its code.
TEST(Refuted, IsShownAndNotOffered) {
  auto judged = fixture::single();
  auto& finding = judged->judgement.findings.at(0);
  finding.severity = Severity::info;
  finding.gain.reset();
  finding.refuted_by = ValidityRecord{"nvidia-h200", "9.19.0", "2026-11-22", "", "", 3, 17};
  ASSERT_TRUE(refuted(finding));
  ASSERT_FALSE(finding.suggestions.at(0).code.empty());
  const Report report = judged->report();
  constexpr auto* why = "Measuring refuted it: 17 of 20 pairs on nvidia-h200, cuDNN 9.19.0";
  TextOptions wide;
  wide.width = 200;
  for (const std::string& written :
       {write_markdown(report), write_html(report), write_sarif(report), write_json(report),
        write_junit(report)}) {
    EXPECT_THAT(written, HasSubstr(std::string(why).substr(0, 36)));
    EXPECT_THAT(written, Not(HasSubstr("torch.nn.functional.pad")));
    EXPECT_THAT(written, HasSubstr("not fill whole")) << "what the document says stays";
  }
  for (const std::string& written :
       {write_text(report, wide), write_markdown(report), write_html(report), write_junit(report)})
    EXPECT_THAT(written, Not(HasSubstr("Pad the batch to 40")));
  EXPECT_THAT(write_text(report, wide), Not(HasSubstr("● Batch size is not a multiple of 8\n")))
      << "a brief report leaves it out";
  const Json result = sarif_of(report)["results"][0];
  EXPECT_THAT(result["message"]["text"].get<std::string>(), Not(HasSubstr("Pad the batch to 40")));
  EXPECT_EQ(result["properties"]["refuted"]["refute"], 17);
  const Json json = json_of(report);
  EXPECT_EQ(json["findings"][0]["suggestions"][0]["refuted"], true);
  EXPECT_THAT(json["findings"][0]["refuted"].get<std::string>(), HasSubstr(why));
  // Asked for everything, what the source suggests is shown, named as what it is not.
  wide.verbose = true;
  const std::string all = write_text(report, wide);
  EXPECT_THAT(all, HasSubstr(why));
  EXPECT_THAT(all, HasSubstr("     not      Pad the batch to 40"));
  EXPECT_THAT(all, Not(HasSubstr("     do       Pad the batch to 40")));
}

// A suggestion that was tried here and refuted has its numbers; the other one stays.
TEST(Refuted, OfSuggestionsOnlyThoseThatWereTried) {
  const auto judged = fixture::refuted_here();
  const Report report = judged->report();
  TextOptions options;
  options.verbose = true;
  const std::string text = write_text(report, options);
  EXPECT_THAT(text, HasSubstr("     not      Pad the batch to 40"));
  EXPECT_THAT(text, HasSubstr("refuted, 0.50× (0.45 to 0.55), training step"));
  EXPECT_THAT(text, HasSubstr("     option   Collect batches"));
  EXPECT_THAT(write_markdown(report), HasSubstr("- **Not:** Pad the batch to 40"));
  const std::string page = write_html(report);
  EXPECT_THAT(page, HasSubstr("<dt>Refuted</dt>"));
  EXPECT_THAT(page, HasSubstr("Collect batches"));
  EXPECT_THAT(page, Not(HasSubstr("torch.nn.functional.pad")));
}

// One configuration with made-up predictions: in every format, as an estimate with its interval and
// what it rests on.
TEST(Predicted, TimesAreInEveryFormatThatHasTimes) {
  const auto judged = fixture::single();
  Report report = judged->report();
  const auto& config = report.configurations.at(0).configuration->config;
  PredictedTimes times;
  times.device = "NVIDIA <H200>";
  times.configurations.emplace_back().config = config;
  report.predicted = &times;
  EXPECT_EQ(write_markdown(report), write_markdown(judged->report())) << "nothing is predicted";
  auto& algorithms = times.configurations[0].algorithms;
  const auto prediction = [](double ms, bool outside) {
    model::TimePrediction made;
    made.seconds = ms / 1e3;
    made.low_seconds = 0.5 * ms / 1e3;
    made.high_seconds = 2 * ms / 1e3;
    made.extrapolated = outside;
    made.basis = "7 configurations of the <tests>";
    return made;
  };
  for (const Algo algo : {Algo::standard, Algo::persist_static}) {
    model::AlgorithmTime each;
    each.algo = algo;
    each.asked = algo == config.algo;
    each.best = !each.asked;
    const double factor = each.best ? 1 : 10;
    for (const Phase phase :
         {Phase::forward_training, Phase::backward_data, Phase::backward_weights})
      each.phases[static_cast<std::size_t>(phase)] = prediction(1.25 * factor, false);
    each.total = prediction(3.75 * factor, !each.best);
    algorithms.push_back(each);
  }
  const std::string markdown = write_markdown(report);
  EXPECT_THAT(markdown, HasSubstr("### Predicted times on NVIDIA &lt;H200&gt; (an estimate)"));
  EXPECT_THAT(markdown,
              HasSubstr("| 12.5 ms | 12.5 ms | 12.5 ms | 37.5 ms | 18.8 ms … 75.0 ms \\* |"));
  EXPECT_THAT(markdown, HasSubstr("| 3.75 ms | 1.88 ms … 7.50 ms | fastest |"));
  EXPECT_THAT(markdown, HasSubstr("From 7 configurations of the &lt;tests&gt;"));
  const std::string page = write_html(report);
  EXPECT_THAT(page, HasSubstr("Predicted times on NVIDIA &lt;H200&gt;"));
  EXPECT_THAT(page, HasSubstr("<td>18.8 ms … 75.0 ms *</td>"));
  expect_nested(
      page.substr(page.find("<body>"), page.find("<footer>") - page.find("<body>")) + "</body>",
      {"meta", "input", "br", "img", "hr", "link"});
  const Json sarif = sarif_of(report);
  const Json& time = sarif["results"][0]["properties"]["predictedTime"];
  EXPECT_EQ(time["estimate"], true);
  EXPECT_EQ(time["device"], "NVIDIA <H200>");
  EXPECT_EQ(time["askedFor"]["algo"], std::string(to_string(config.algo)));
  EXPECT_NEAR(time["askedFor"]["lowMs"].get<double>(), 18.75, 1e-9);
  EXPECT_NEAR(time["fastest"]["ms"].get<double>(), 3.75, 1e-9);
  EXPECT_EQ(sarif["properties"]["predictedTimes"]["configurations"].size(), 1U);
  const Json json = json_of(report);
  EXPECT_EQ(json["predicted_times"]["device"], "NVIDIA <H200>");
  EXPECT_THAT(write_csv(report), HasSubstr(",12.5,6.25,25,false,,,\n"));
  EXPECT_THAT(write_text(report), HasSubstr("Predicted times (an estimate)"));
}

TEST(Text, SaysWhatIsAnEstimate) {
  auto judged = fixture::single();
  judged->judgement.findings[0].gain->basis = GainBasis::modelled;
  EXPECT_THAT(write_text(judged->report()), HasSubstr("(estimate)"));
  EXPECT_THAT(write_html(judged->report()),
              HasSubstr("<span class=\"basis modelled\">estimate</span>"));
  EXPECT_THAT(write_markdown(judged->report()), HasSubstr("(estimate"));
}

TEST(Html, FiveHundredConfigurationsStayUnderFiveMegabytes) {
  const auto judged = fixture::many(500);
  const std::string page = write_html(judged->report());
  EXPECT_LT(page.size(), 5U << 20U);
  EXPECT_THAT(page, HasSubstr("Details follow for the 24 configurations with the most to say"));
  const std::regex row("<tr[^>]*><td data-v");
  EXPECT_EQ(
      std::distance(std::sregex_iterator(page.begin(), page.end(), row), std::sregex_iterator()),
      500);
}

// The guide's figure 10 from the measurements: what is compared stands before what follows from it.
TEST(Sweep, TheFigureComesFirst) {
  const auto judged = fixture::sweep();
  const Report report = judged->report();
  const std::string text = write_text(report);
  // Rows of tests/data/h200/guide-figures-9-10.jsonl: persist_static wins up to a batch of 64.
  EXPECT_THAT(text, ContainsRegex("\n +64 +7\\.35 +5\\.61 .*persist_static\n"));
  EXPECT_THAT(text, ContainsRegex("\n +256 +12\\.2 +21\\.4 .*standard\n"));
  const std::string markdown = write_markdown(report);
  EXPECT_THAT(markdown, ContainsRegex("\\| 64 \\| 7\\.35 \\| \\*\\*5\\.61\\*\\* \\|"));
  const std::string page = write_html(report);
  EXPECT_LT(page.find("id=\"figures\""), page.find("id=\"actions\""));
}

TEST(Sweep, WhatDwarfsTheRestIsDrawnOnALogarithmicAxisAndLeftOutOfASecondChart) {
  const auto judged = fixture::sweep();
  Report report = judged->report();
  report.figures.resize(1);
  auto& series = report.figures[0].series;
  ASSERT_GE(series.size(), 2U);
  if (series.size() == 2) series.push_back({"persist_dynamic", series[0].points, {}});
  for (auto& p : series[2].points) p = {p.x, p.y * 50, p.low * 50, p.high * 50, p.configuration};
  const std::string page = write_html(report);
  EXPECT_THAT(page, HasSubstr("All, logarithmic axis"));
  EXPECT_THAT(page, HasSubstr("Without " + series[2].name + ", linear axis"));
  series.resize(2);
  EXPECT_THAT(write_html(report), Not(HasSubstr("linear axis")));
}

TEST(Json, NumbersThatAreNotNumbersBecomeNull) {
  auto judged = fixture::single();
  judged->judgement.findings[0].gain->speedup = std::numeric_limits<double>::quiet_NaN();
  const Json document = Json::parse(write_json(judged->report()));
  EXPECT_TRUE(document["findings"][0]["gain"]["speedup"].is_null());
}

// A program that reads JSON tells "no cuDNN call" from "refused" and from "not known".
TEST(WriteJson, SaysWhetherCudnnIsCalledAndWhatIsNotKnown) {
  auto judged = fixture::checked();
  auto& configuration = judged->profile.configurations[0];
  judged->judgement = {};
  const auto json_of_layer = [&](std::optional<Framework> framework, bool custom) {
    configuration.config = RnnConfig();
    configuration.program = {};
    configuration.program.name = framework;
    if (custom) configuration.program.custom_cell = true;
    return json_of(judged->report())["configurations"][0];
  };
  Json layer = json_of_layer(Framework::pytorch, true);
  EXPECT_EQ(layer["calls_cudnn"], false);
  EXPECT_EQ(layer["expected"], "none");
  layer = json_of_layer(Framework::pytorch, false);
  EXPECT_EQ(layer["calls_cudnn"], true);
  EXPECT_EQ(layer["expected"], "standard");
  // TensorFlow chooses the algorithm; how is not known.
  layer = json_of_layer(Framework::tensorflow, false);
  EXPECT_EQ(layer["calls_cudnn"], true);
  EXPECT_TRUE(layer["expected"].is_null());
  configuration.config.data_type = DataType::float64;  // persist_static refuses it
  configuration.program = {};
  configuration.config.algo = Algo::persist_static;
  layer = json_of(judged->report())["configurations"][0];
  EXPECT_EQ(layer["calls_cudnn"], true);
  EXPECT_EQ(layer["expected"], "none");
  EXPECT_TRUE(layer["given"].is_null());
  const auto given = read_json_line(R"({"hidden_size":96,"algo":"persist_static"})", "user", 1);
  configuration.given = given->given;
  configuration.written = given->config;
  EXPECT_EQ(json_of(judged->report())["configurations"][0]["given"],
            (Json{{"hidden_size", 96}, {"algo", "persist_static"}}));
  configuration.outcome = Outcome::completed;
  configuration.program.custom_cell = true;
  EXPECT_EQ(json_of(judged->report())["configurations"][0]["calls_cudnn"], true);
}

}  // namespace
}  // namespace rnnadvisor::advisor
