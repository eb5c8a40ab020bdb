#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace rnnadvisor {
namespace {

// Two neighbouring letters in the wrong order are one mistake, as each wrong letter is.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

// Characters that would drive a terminal, reorder a line, or cannot stand in XML.
bool dangerous(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x200E || c == 0x200F || c == 0x061C ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF ||
         c == 0xFFFE || c == 0xFFFF;
}

// Most text is, and needs no look at its code points.
bool printable_ascii(std::string_view text) {
  for (const char c : text)
    if (c < ' ' || c > '~') return false;
  return true;
}

std::string made_printable(std::string_view raw, bool keep_lines) {
  if (printable_ascii(raw)) return std::string(raw);
  const std::string text = to_valid_utf8(raw);
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    const char32_t c = next_code_point(text, at);
    if (c == '\n') {
      out += keep_lines ? '\n' : ' ';
    } else if (c == '\t') {
      out += keep_lines ? "  " : " ";
    } else if (c == '\r') {
      if (!keep_lines) out += ' ';
    } else if (dangerous(c)) {
      out += "\xEF\xBF\xBD";
    } else {
      out.append(text, start, at - start);
    }
  }
  return out;
}

}  // namespace

std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  return size >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

std::optional<std::string_view> nearest_match(std::string_view word,
                                              std::span<const std::string_view> candidates) {
  // A word far longer than any name cannot be a typing error, and would only cost time.
  if (word.empty() || word.size() > 128) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const auto candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (!best || best_distance * 3 > std::max<std::size_t>(best->size(), 3)) return std::nullopt;
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const auto match = nearest_match(word, candidates);
  return match ? fmt::format("did you mean '{}'?", *match) : std::string();
}

std::string format_bytes(double bytes) {
  static constexpr std::array<std::string_view, 6> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (std::fabs(bytes) >= 1024.0 && unit + 1 < units.size()) {
    bytes /= 1024.0;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes)
                   : three_digits(bytes) + " " + std::string(units[unit]);
}

std::string format_milliseconds(double ms) {
  if (std::fabs(ms) >= 1000.0) return three_digits(ms / 1000.0) + " s";
  if (std::fabs(ms) >= 0.1 || ms == 0.0) return three_digits(ms) + " ms";
  return three_digits(ms * 1000.0) + " us";
}

std::string format_count(long long value) {
  std::string digits = std::to_string(value);
  for (auto position = static_cast<std::ptrdiff_t>(digits.size()) - 3;
       position > (value < 0 ? 1 : 0); position -= 3) {
    digits.insert(static_cast<std::size_t>(position), 1, ',');
  }
  return digits;
}

std::string plural(long long count, std::string_view singular, std::string_view many) {
  std::string text = format_count(count) + " ";
  if (count == 1) return text.append(singular);
  return many.empty() ? text.append(singular) + "s" : text.append(many);
}

std::string to_valid_utf8(std::string_view text) {
  if (printable_ascii(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    std::size_t length = lead < 0x80   ? 1
                         : lead < 0xC2 ? 0
                         : lead < 0xE0 ? 2
                         : lead < 0xF0 ? 3
                         : lead < 0xF5 ? 4
                                       : 0;
    bool good = length > 0 && i + length <= text.size();
    for (std::size_t k = 1; good && k < length; ++k) {
      good = (static_cast<unsigned char>(text[i + k]) & 0xC0U) == 0x80U;
    }
    if (good && length > 2) {
      // Overlong forms, surrogates and code points past U+10FFFF are not UTF-8 either.
      const auto second = static_cast<unsigned char>(text[i + 1]);
      good = !(lead == 0xE0 && second < 0xA0) && !(lead == 0xED && second > 0x9F) &&
             !(lead == 0xF0 && second < 0x90) && !(lead == 0xF4 && second > 0x8F);
    }
    if (good) {
      out.append(text.substr(i, length));
      i += length;
    } else {
      out += "\xEF\xBF\xBD";
      ++i;
    }
  }
  return out;
}

// One code point of valid UTF-8; `at` moves behind it.
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(i < text.size() ? text[i] : '\0'));
  };
  const char32_t lead = byte(at);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t value = length == 1   ? lead
                   : length == 2 ? lead & 0x1FU
                   : length == 3 ? lead & 0x0FU
                                 : lead & 0x07U;
  for (std::size_t k = 1; k < length; ++k) value = (value << 6U) | (byte(at + k) & 0x3FU);
  at = std::min(at + length, text.size());
  return value;
}

std::string printable(std::string_view text) { return made_printable(text, false); }
std::string printable_lines(std::string_view text) { return made_printable(text, true); }

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace rnnadvisor
