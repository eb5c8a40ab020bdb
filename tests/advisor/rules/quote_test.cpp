// Every shipped card shows the words that its condition rests on (docs/writing-rules.md,
// "Citations"). That a quotation has at most 25 words is checked where a card is read.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {
namespace {

bool quotes(const Rule& rule) {
  return std::any_of(rule.citations.begin(), rule.citations.end(),
                     [](const Citation& each) { return !each.quote.empty(); });
}

// Cards of confidence `documented` that quote nothing, and why there is nothing to quote. A card
// leaves this list as soon as it has a quotation; the tests below insist on it.
const std::map<std::string_view, std::string_view>& without_quotation() {
  static const std::map<std::string_view, std::string_view> reasons = {
      {"keras/keras3-simple-rnn",
       "rests on what is not there: simple_rnn.py never asks for cuDNN, and cudnn_ok judges the "
       "arguments of LSTM and GRU only"},
  };
  return reasons;
}

TEST(Quotations, EveryDocumentedCardShowsItsCriterion) {
  int quoted = 0;
  for (const auto& rule : builtin_rules().rules) {
    if (rule.confidence != Confidence::documented) continue;
    if (without_quotation().contains(rule.id)) continue;
    EXPECT_TRUE(quotes(rule))
        << rule.file << ": no citation has a 'quote'; quote the sentence, condition or error text "
        << "that the card rests on, or say in without_quotation() why that cannot be had";
    // A text report has room for one citation of a finding, the first.
    if (quotes(rule)) {
      EXPECT_FALSE(rule.citations.front().quote.empty())
          << rule.file << ": put the citation with the quotation first";
    }
    ++quoted;
  }
  EXPECT_GT(quoted, 100);
}

// What was read in source code or in cuDNN's log is at hand, whatever else the card rests on.
TEST(Quotations, CodeAndLogsAreQuotedBySomeCitation) {
  for (const auto& rule : builtin_rules().rules) {
    const bool read =
        std::any_of(rule.citations.begin(), rule.citations.end(),
                    [](const Citation& each) { return each.tag == 'C' || each.tag == 'O'; });
    if (!read || without_quotation().contains(rule.id)) continue;
    EXPECT_TRUE(quotes(rule)) << rule.file;
  }
}

TEST(Quotations, TheListOfExceptionsIsTrue) {
  for (const auto& [id, reason] : without_quotation()) {
    const auto* rule = builtin_rules().find(id);
    ASSERT_NE(rule, nullptr) << id;
    EXPECT_EQ(rule->confidence, Confidence::documented) << id;
    EXPECT_FALSE(quotes(*rule)) << id << " has a quotation now: take it off the list";
    EXPECT_GT(reason.size(), 20U) << id;
  }
}

// A quotation is one line of text, shown between quotation marks.
TEST(Quotations, AreOneLineOfText) {
  for (const auto& rule : builtin_rules().rules) {
    for (const auto& each : rule.citations) {
      EXPECT_EQ(std::count_if(each.quote.begin(), each.quote.end(),
                              [](unsigned char c) { return c < 0x20 || c == 0x7f; }),
                0)
          << rule.file << ": " << each.quote;
      EXPECT_EQ(each.quote.find("  "), std::string::npos) << rule.file << ": " << each.quote;
      EXPECT_FALSE(each.quote.starts_with(' ') || each.quote.ends_with(' '))
          << rule.file << ": " << each.quote;
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
