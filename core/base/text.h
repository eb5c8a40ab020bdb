// Small text helpers that several readers and writers share.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnnadvisor {

// The candidate nearest to a mistyped word by edit distance, if one is near enough to be meant
// (at most a third of its letters differ).
std::optional<std::string_view> nearest_match(std::string_view word,
                                              std::span<const std::string_view> candidates);

// "did you mean 'hidden_size'?" or an empty string.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

// "2.07", "35.2", "160": three significant digits below 1000.
std::string three_digits(double value);

// "1.50 GiB", "160 MiB", "512 B": powers of two, three significant digits.
std::string format_bytes(double bytes);

// "2.07 ms", "35.2 us", "1.20 s": three significant digits.
std::string format_milliseconds(double ms);

// "16,793,600"
std::string format_count(long long value);

// "1 warning", "3 warnings", "1 entry"/"2 entries": the only way to write a count with its noun.
std::string plural(long long count, std::string_view singular, std::string_view many = {});

// Bytes that are not valid UTF-8 become U+FFFD, so that any text can stand in JSON, XML and HTML.
std::string to_valid_utf8(std::string_view text);

// One code point of valid UTF-8; `at` moves behind it.
char32_t next_code_point(std::string_view text, std::size_t& at);

// Text of others made safe to show on one line: valid UTF-8, control characters (also those that
// drive a terminal) and bidirectional overrides replaced by U+FFFD, line breaks and tabs by a
// blank.
std::string printable(std::string_view text);
// The same for text of several lines: line breaks stay, tabs become two blanks.
std::string printable_lines(std::string_view text);

// A basic string of TOML, in quotes; reading it gives `text` where that is UTF-8.
std::string toml_quoted(std::string_view text);

}  // namespace rnnadvisor
