// The report on a terminal: what is on it, and how it is wrapped.
#include <sstream>

#include "advisor/report/terminal.h"
#include "advisor/report/words.h"
#include "tests/advisor/report/formats.h"

namespace rnnadvisor::advisor {
namespace {

TEST(Text, OneConfigurationFitsOnAScreen) {
  const auto judged = fixture::single();
  const std::string text = write_text(judged->report());
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 50);
}

// Prose in tables goes on in further lines; nothing of a condition is left out.
TEST(Text, TablesOfOneReportHaveTheSameColumns) {
  TextOptions options;
  options.width = 40;
  Terminal terminal(options);
  const auto tables = [&] {
    for (const std::string name : {"a", "a name that leaves no room"}) {
      Column interval{"Interval", false, Fit::fixed, 0, 1};
      terminal.table({{"Name"}, {"Median", true}, interval},
                     {{{name}, {"4.35 ms"}, {"4.30 to 4.40 ms"}}});
    }
  };
  tables();
  terminal.again();
  tables();
  const std::string text = terminal.take();
  EXPECT_EQ(text.find("Interval"), text.find("Interval. In a pipe")) << text;
}

TEST(Text, ConditionsAreWrappedNotCut) {
  const auto judged = fixture::checked();
  const Report report = judged->report();
  for (const int width : {60, 80, 100, 140}) {
    TextOptions options;
    options.width = width;
    options.verbose = true;
    const std::string text = write_text(report, options);
    const auto conditions =
        text.substr(text.find("\n   Condition"), text.find("Memory") - text.find("\n   Condition"));
    EXPECT_THAT(conditions, Not(HasSubstr("…"))) << width;
    std::multiset<std::string> shown;  // words, wherever the lines are broken
    std::istringstream stream(conditions);
    for (std::string word; stream >> word;) shown.insert(word);
    for (const auto& clause : report.configurations[0].why_not[0].clauses) {
      std::istringstream title{std::string(clause.title)};
      for (std::string word; title >> word;) EXPECT_TRUE(shown.contains(word)) << word << width;
    }
  }
}

// A gain is an estimate for three reasons, and a list of them names each.
TEST(FindingsLead, SaysWhereEstimatesAreFrom) {
  const auto lead = words::findings_lead();
  for (const auto* reason : {"calibration", "predicts", "recording", "cost model"})
    EXPECT_THAT(lead, HasSubstr(reason));
  const auto judged = fixture::rich();
  EXPECT_THAT(write_markdown(judged->report()),
              HasSubstr("## What to do first\n\n" + std::string(lead) + "\n\n"));
  EXPECT_THAT(write_html(judged->report()),
              HasSubstr("<p class=\"lead\">" + std::string(lead) + "</p>"));
}

TEST(Text, QuotesEverySourceWhereEverythingIsAskedFor) {
  auto judged = fixture::single();
  judged->judgement.findings.resize(1);
  auto& citations = judged->judgement.findings[0].citations;
  citations.assign(3, Citation{});
  citations[0].source = "First";
  citations[1].source = "Second";
  citations[1].quote = "multiples of eight";
  citations[2].source = "Third";
  citations[2].quote = "or of sixteen";
  TextOptions options;
  options.width = 200;
  const std::string brief = write_text(judged->report(), options);
  EXPECT_THAT(brief, Not(HasSubstr("multiples of eight")));
  EXPECT_THAT(brief, HasSubstr("--verbose: code"));
  options.verbose = true;
  const std::string all = write_text(judged->report(), options);
  EXPECT_THAT(all,
              ContainsRegex("source +First\n +source +Second: \"multiples of eight\"\n +source "
                            "+Third: \"or of sixteen\"\n"));
}

}  // namespace
}  // namespace rnnadvisor::advisor
