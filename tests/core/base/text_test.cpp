#include "core/base/text.h"

#include <gtest/gtest.h>

#include <array>

namespace rnnadvisor {
namespace {

constexpr auto keys = std::to_array<std::string_view>({"hidden_size", "input_size", "batch_size"});

TEST(NearestMatch, FindsATypingError) {
  EXPECT_EQ(nearest_match("hiden_size", keys), "hidden_size");
  EXPECT_EQ(did_you_mean("batchsize", keys), "did you mean 'batch_size'?");
}

TEST(NearestMatch, TwoLettersInTheWrongOrderAreOneMistake) {
  const auto cells = std::to_array<std::string_view>({"rnn_relu", "rnn_tanh", "lstm", "gru"});
  EXPECT_EQ(nearest_match("lsmt", cells), "lstm");
  EXPECT_EQ(nearest_match("gur", cells), "gru");
  EXPECT_FALSE(nearest_match("mtls", cells));
}

TEST(NearestMatch, StaysSilentWhenNothingIsNear) {
  EXPECT_FALSE(nearest_match("colour", keys));
  EXPECT_FALSE(nearest_match("", keys));
  EXPECT_FALSE(nearest_match(std::string(100000, 'h'), keys));
}

TEST(Format, BytesHaveBinaryUnits) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(8.0 * 1024 * 1024), "8.00 MiB");
  EXPECT_EQ(format_bytes(139.8 * 1024 * 1024 * 1024), "140 GiB");
}

TEST(Format, TimesChooseTheirUnit) {
  EXPECT_EQ(format_milliseconds(2.0712), "2.07 ms");
  EXPECT_EQ(format_milliseconds(0.0352), "35.2 us");
  EXPECT_EQ(format_milliseconds(1204), "1.20 s");
  EXPECT_EQ(format_milliseconds(0), "0.00 ms");
}

TEST(Format, CountsHaveSeparators) {
  EXPECT_EQ(format_count(16793600), "16,793,600");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count(-100), "-100");
  EXPECT_EQ(format_count(999), "999");
}

TEST(Utf8, KeepsGoodTextAndReplacesBadBytes) {
  EXPECT_EQ(to_valid_utf8("LSTM \xC3\xA4 \xE2\x86\x92"), "LSTM \xC3\xA4 \xE2\x86\x92");
  EXPECT_EQ(to_valid_utf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(to_valid_utf8("\xE2\x86"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(to_valid_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong
  EXPECT_EQ(to_valid_utf8("\xED\xA0\x80").size(), 9U);               // surrogate
}

}  // namespace
}  // namespace rnnadvisor
