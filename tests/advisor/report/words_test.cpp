// The parts that reports are written from: words, code between backticks, the checksums of a page.
#include "advisor/report/words.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "advisor/report/inline_code.h"
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Words, EvidenceCountsAllAndSaysWhatIsKept) {
  Finding finding;
  EXPECT_EQ(words::evidence(finding), "");
  finding.calls = {0, 1};
  finding.kernels = {0, 1, 2};
  EXPECT_EQ(words::evidence(finding), "3 kernels in 2 RNN calls");
  finding.all_kernels = 10800;
  finding.all_calls = 30;
  EXPECT_EQ(words::evidence(finding), "the 3 longest of 10,800 kernels in 30 RNN calls");
}

TEST(Words, CleanTakesWhatDrivesATerminal) {
  EXPECT_EQ(words::clean("a\x1b[31mb\x07"), "a\xEF\xBF\xBD[31mb\xEF\xBF\xBD");
  EXPECT_EQ(words::clean("a\xC2\x9B"
                         "31mb"),
            "a\xEF\xBF\xBD"
            "31mb");  // the eight-bit escape
  EXPECT_EQ(words::clean("x\r\ny\tz"), "x  y z");
  EXPECT_EQ(words::clean_lines("x\r\ny\tz"), "x\ny  z");
  EXPECT_EQ(words::clean("\xff"), "\xEF\xBF\xBD");
  EXPECT_THAT(words::clean("\xE2\x80\xAEgnp"), Not(HasSubstr("\xE2\x80\xAE")));
  EXPECT_EQ(words::clean("Größe 大きさ"), "Größe 大きさ");
}

TEST(Words, ShortenCutsInTheMiddleByColumns) {
  EXPECT_EQ(words::shorten("abc", 3), "abc");
  EXPECT_EQ(words::shorten("abcdefghij", 7), "abcd…ij");
  EXPECT_LE(words::display_width(words::shorten("大きさ大きさ大きさ", 8)), 8U);
  EXPECT_EQ(words::display_width(words::shorten(std::string(1000, 'x'), 20)), 20U);
  EXPECT_EQ(words::shorten("abcdef", 1), "…");
}

TEST(Words, GainsSayHowTheyAreKnown) {
  Gain gain{1.44, 1.40, 1.48, 0, GainBasis::measured_here, "training step", ""};
  EXPECT_EQ(words::gain_in_full(gain), "1.44× (1.40 to 1.48), training step of the layer");
  ValidityRecord record{
      "nvidia-h200", "9.19.0", "", "median 2.09x (0.66x to 67.06x), cuDNN 7.x", "", 12, 1};
  EXPECT_EQ(words::validity(record),
            "12 agree, 1 refute on nvidia-h200, cuDNN 9.19.0: median 2.09× (0.66× to 67.06×), "
            "cuDNN 7.x");
  EXPECT_EQ(in_words(GainBasis::modelled), "estimate");
  gain = {1, 0, 0, 1 << 30, GainBasis::modelled, "", ""};
  EXPECT_EQ(words::gain(gain), "saves 1.00 GiB");
  EXPECT_EQ(words::gain(std::nullopt), "");
  gain.saved_bytes = 0;
  EXPECT_EQ(words::gain(gain), "");
}

TEST(Words, PercentNeverRoundsSomethingToNothing) {
  EXPECT_EQ(words::percent(0), "0 %");
  EXPECT_EQ(words::percent(0.001), "< 1 %");
  EXPECT_EQ(words::percent(0.614), "61 %");
  EXPECT_EQ(words::percent(0.9999), "> 99 %");
  EXPECT_EQ(words::percent(1), "100 %");
}

TEST(InlineCode, IsWhatStandsBetweenTwoBackticks) {
  using Runs = std::vector<TextRun>;
  EXPECT_EQ(inline_code(""), Runs{});
  EXPECT_EQ(inline_code("plain"), (Runs{{"plain", false}}));
  EXPECT_EQ(inline_code("run `a b` then `c`"),
            (Runs{{"run ", false}, {"a b", true}, {" then ", false}, {"c", true}}));
  EXPECT_EQ(inline_code("`a``b`"), (Runs{{"a", true}, {"b", true}}));
  // Without a partner, or with nothing between them, they are signs like others.
  EXPECT_EQ(inline_code("`"), (Runs{{"`", false}}));
  EXPECT_EQ(inline_code("5` wide"), (Runs{{"5` wide", false}}));
  EXPECT_EQ(inline_code("`a` and `b"), (Runs{{"a", true}, {" and `b", false}}));
  EXPECT_EQ(inline_code("a `` b"), (Runs{{"a `` b", false}}));
  EXPECT_EQ(without_code_marks("`rnnadvisor run` takes both; 5` stays"),
            "rnnadvisor run takes both; 5` stays");
}

}  // namespace
}  // namespace rnnadvisor::advisor
