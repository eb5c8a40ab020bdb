#include "profiler/import/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace rnnadvisor::import_trace {
namespace {

// What a character ends: a run of a text, of a number or word, of what is between brackets.
enum Ends : unsigned char { in_text = 1, in_word = 2, in_brackets = 4 };

constexpr std::array<unsigned char, 256> make_ends() {
  std::array<unsigned char, 256> ends{};
  for (std::size_t c = 0; c < 0x20; ++c) ends[c] = in_text | in_word;
  for (const char c : {'"', '\\'}) ends[static_cast<unsigned char>(c)] |= in_text;
  for (const char c : {' ', ',', ':', '"', '{', '}', '[', ']'})
    ends[static_cast<unsigned char>(c)] |= in_word;
  for (const char c : {'\0', '"', '{', '}', '[', ']'})
    ends[static_cast<unsigned char>(c)] |= in_brackets;
  return ends;
}
constexpr auto ends = make_ends();
bool is(char c, Ends what) { return (ends[static_cast<unsigned char>(c)] & what) != 0; }
bool digit(char c) { return c >= '0' && c <= '9'; }

// The next quote, backslash or control character: eight at a time, because names of kernels are
// hundreds of characters long. There are eight bytes behind the end of the window.
const char* end_of_run(const char* at) {
  constexpr std::uint64_t each = 0x0101010101010101U, high = 0x80 * each;
  const auto below = [](std::uint64_t bytes, std::uint64_t limit) {  // or a byte before it is
    return (bytes - each * limit) & ~bytes & high;
  };
  for (;; at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    if (below(bytes, 0x20) | below(bytes ^ each * '"', 1) | below(bytes ^ each * '\\', 1)) break;
  }
  while (!is(*at, in_text)) ++at;
  return at;
}

// RFC 8259, and what Python and Kineto write for numbers that are none.
bool is_number_or_word(std::string_view text) {
  constexpr std::array<std::string_view, 9> words = {
      "null", "true", "false", "NaN", "-NaN", "Inf", "-Infinity", "-Inf", "Infinity"};
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto digits = [&] {
    const char* const first = at;
    while (at < end && digit(*at)) ++at;
    return at > first;
  };
  if (at < end && *at == '-') ++at;
  if (at == end || !digit(*at)) return std::find(words.begin(), words.end(), text) != words.end();
  if (*at == '0') {
    ++at;
  } else {
    digits();
  }
  if (at < end && *at == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at < end && (*at == '+' || *at == '-')) ++at;
    if (!digits()) return false;
  }
  return at == end;
}

void append_utf8(std::string& to, unsigned code) {
  const auto add = [&](unsigned byte) { to += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6U), add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12U), add(0x80 | (code >> 6U & 0x3F)), add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | code >> 18U), add(0x80 | (code >> 12U & 0x3F));
    add(0x80 | (code >> 6U & 0x3F)), add(0x80 | (code & 0x3F));
  }
}

// Four hexadecimal digits.
bool hex4(std::string_view text, std::size_t& at, unsigned& value) {
  if (text.size() - at < 4) return false;
  const char* const first = text.data() + at;
  const auto [end, error] = std::from_chars(first, first + 4, value, 16);
  at += 4;
  return error == std::errc() && end == first + 4;
}

}  // namespace

JsonText::JsonText(const Read& read, std::size_t piece)
    : read_(read), piece_(std::max<std::size_t>(piece, 1)), buffer_(piece_ + behind) {
  fill(1);
}

// What is not read yet goes to the front, and at least `wanted` bytes more behind it.
bool JsonText::fill(std::size_t wanted) {
  const std::size_t left = end_ - at_;
  if (at_ > 0) std::memmove(buffer_.data(), buffer_.data() + at_, left);
  before_ += at_;
  at_ = 0;
  end_ = left;
  const std::size_t room = left + std::max(wanted, piece_);
  if (buffer_.size() < room + behind) buffer_.resize(room + behind);
  while (!at_end_ && end_ < left + wanted) {
    const auto got = read_(buffer_.data() + end_, std::min(piece_, buffer_.size() - behind - end_));
    at_end_ = got == 0;
    end_ += got;
  }
  buffer_[end_] = '\0';
  return end_ > left;
}

// Twice as much of the value each time, so that reading it again costs no more than reading it.
bool JsonText::more() {
  short_ = false;
  const std::size_t have = end_ - at_;
  if (have > longest) return mistake(fmt::format("a value of more than {} MiB", longest >> 20U));
  return fill(std::max<std::size_t>(have, 1)) || ends_in_the_middle();
}

bool JsonText::mistake(std::string_view what) {
  if (problem_.empty()) problem_ = fmt::format("byte {}: {}", before_ + at_, what);
  return false;
}

// At the end of the window it may only look so.
bool JsonText::wrong(std::string_view what) { return at_ < end_ ? mistake(what) : ends_early(); }

bool JsonText::ends_early() {
  short_ = true;
  return false;
}

// At the end of the window: whether there is more to be read at once.
bool JsonText::keep_on() {
  if (!streaming_) return ends_early();
  return fill(1) || ends_in_the_middle();
}

bool JsonText::ends_in_the_middle() {
  problem_ = fmt::format("it ends in the middle, at byte {}", before_ + end_);
  return false;
}

char JsonText::next() {
  for (;;) {
    const char c = token();
    if (at_ < end_ || !problem_.empty()) return c;
    if (!fill(1)) ends_in_the_middle();
  }
}

bool JsonText::text(std::string_view& out) {
  const std::size_t begin = ++at_;
  const char* at = end_of_run(buffer_.data() + begin);
  at_ = static_cast<std::size_t>(at - buffer_.data());
  if (*at != '"') return escaped(begin, out);
  out = {buffer_.data() + begin, at_ - begin};
  ++at_;
  return true;
}

bool JsonText::escaped(std::size_t begin, std::string_view& out) {
  const std::size_t first = at_;
  if (!string_end()) return false;
  const std::string_view raw(buffer_.data() + begin, at_ - 1 - begin);
  unescaped_.assign(raw, 0, first - begin);
  for (std::size_t at = first - begin; at < raw.size();) {
    if (raw[at] != '\\') {
      unescaped_ += raw[at++];
    } else if (!unescape(raw, at)) {
      return mistake("an escape in a text that is none");
    }
  }
  out = unescaped_;
  return true;
}

bool JsonText::unescape(std::string_view text, std::size_t& at) {
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  const char letter = text[at + 1];  // there is one: string_end() saw it
  at += 2;
  if (const auto found = letters.find(letter); found != std::string_view::npos) {
    unescaped_ += meant[found];
    return true;
  }
  unsigned code = 0, low = 0;
  if (letter != 'u' || !hex4(text, at, code)) return false;
  if (code >= 0xD800 && code < 0xE000) {  // half of a pair; without the other it is no character
    std::size_t after = at + 2;
    const bool pair = code < 0xDC00 && text.substr(at, 2) == "\\u" && hex4(text, after, low) &&
                      low >= 0xDC00 && low < 0xE000;
    if (pair) at = after;
    code = pair ? 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00) : 0xFFFD;
  }
  append_utf8(unescaped_, code);
  return true;
}

// From within a text past its closing quote.
bool JsonText::string_end() {
  for (;;) {
    const char* at = end_of_run(buffer_.data() + at_);
    at_ = static_cast<std::size_t>(at - buffer_.data());
    if (*at == '"') return ++at_, true;
    if (*at == '\\' && at[1] != '\0') {
      at_ += 2;
    } else if (at_ + (*at == '\\' ? 1 : 0) < end_) {
      return mistake("a control character in a text");
    } else if (!keep_on()) {
      return false;
    }
  }
}

bool JsonText::number(std::string_view& out) {
  const std::size_t begin = at_;
  out = {buffer_.data() + begin, scalar()};
  if (at_ == end_) return ends_early();
  if (is_number_or_word(out)) return true;
  at_ = begin;
  return mistake("a value that is none");
}

bool JsonText::skip() {
  const char c = buffer_[at_];
  if (c == '"') return ++at_, string_end();
  if (c == '{' || c == '[') return walk(0);
  return scalar() > 0 || wrong("a value is missing");
}

// Past a number or word: how long it is; 0 as well where the window ends with it.
std::size_t JsonText::scalar() {
  const char* const begin = buffer_.data() + at_;
  const char* at = begin;
  while (!is(*at, in_word)) ++at;
  at_ = static_cast<std::size_t>(at - buffer_.data());
  return at_ < end_ ? static_cast<std::size_t>(at - begin) : 0;
}

bool JsonText::pass_over() {
  const char c = next();
  if (c != '"' && c != '{' && c != '[') return whole([this] { return skip(); });
  streaming_ = true;
  const bool read = skip();
  streaming_ = false;
  return read;
}

// Past values until `depth` brackets that are open are closed. Only brackets and texts are looked
// at.
bool JsonText::walk(std::size_t depth) {
  std::bitset<deepest + 1> objects;
  objects[depth] = true;
  for (;;) {
    const char* at = buffer_.data() + at_;
    while (!is(*at, in_brackets)) ++at;
    at_ = static_cast<std::size_t>(at - buffer_.data());
    const char c = *at;
    if (c == '\0') {
      if (at_ < end_) return mistake("a '\\0'");
      if (!keep_on()) return false;
      continue;
    }
    ++at_;
    if (c == '"') {
      if (!string_end()) return false;
    } else if (c == '{' || c == '[') {
      if (depth == deepest) return mistake("values in values, more than 100 deep");
      objects[++depth] = c == '{';
    } else {
      if (objects[depth] != (c == '}')) return mistake("a bracket that closes another");
      if (--depth == 0) return true;
    }
  }
}

}  // namespace rnnadvisor::import_trace
