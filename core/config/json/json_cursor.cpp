#include "core/config/json/json_cursor.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace rnnadvisor::json {
namespace {

using fields::Value;

constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, unsigned code) {
  const auto byte = [&](unsigned value) {
    out += static_cast<char>(static_cast<unsigned char>(value));
  };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    byte(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    byte(0xE0U | (code >> 12U));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xF0U | (code >> 18U));
    byte(0x80U | ((code >> 12U) & 0x3FU));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? at the start of `text`; its length, 0 when there
// is none.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > begin;
  };
  if (i < text.size() && text[i] == '-') ++i;
  if (i < text.size() && text[i] == '0') {
    ++i;
  } else if (!digits()) {
    return 0;
  }
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return 0;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return 0;
  }
  return i;
}

}  // namespace

JsonCursor::JsonCursor(std::string_view text, std::size_t start) : text_(text), at_(start) {
  if (at_ == 0 && text_.starts_with("\xEF\xBB\xBF"))
    at_ = 3;  // a byte order mark, as some editors write
}

char JsonCursor::peek() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonCursor::at_end() {
  peek();
  return at_ == text_.size();
}

bool JsonCursor::accept(char punctuation) {
  if (failed() || peek() != punctuation || at_ == text_.size()) return false;
  ++at_;
  return true;
}

bool JsonCursor::expect(char punctuation) {
  if (accept(punctuation)) return true;
  if (failed()) return false;
  switch (punctuation) {
    case '{':
      return fail_unexpected("an object in braces { }");
    case '}':
      return fail_unexpected("a comma or }");
    case ']':
      return fail_unexpected("a comma or ]");
    case ':':
      return fail_unexpected("a colon after the key");
    default:
      return fail_unexpected(std::string_view(&punctuation, 1));
  }
}

bool JsonCursor::fail(std::string message) {
  if (!failed()) failure_ = {std::move(message), at_};
  return false;
}

bool JsonCursor::fail_unexpected(std::string_view wanted) {
  peek();
  if (at_ == text_.size()) return fail(fmt::format("expected {}, but the text ends", wanted));
  const std::string_view rest = text_.substr(at_);
  // As much as reads as one thing: a word or number, else one character.
  std::size_t length = 0;
  while (length < rest.size() && !is_space(rest[length]) &&
         std::string_view(",:{}[]\"").find(rest[length]) == std::string_view::npos) {
    ++length;
  }
  return fail(fmt::format("expected {}, found '{}'", wanted,
                          fields::shown(rest.substr(0, length == 0 ? 1 : length))));
}

bool JsonCursor::read_string(std::string_view& out) {
  if (failed()) return false;
  if (peek() != '"') return fail_unexpected("a string in double quotes");
  const std::size_t begin = ++at_;
  bool ascii = true;
  for (; at_ < text_.size(); ++at_) {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte == '"') break;
    if (byte == '\\') return read_escaped_string(begin, out);
    if (byte < 0x20)
      return fail("a string must not contain a line break or another control character");
    if (byte >= 0x80) ascii = false;
  }
  if (at_ == text_.size()) return fail("a string without its closing quote");
  out = text_.substr(begin, at_ - begin);
  if (!ascii && to_valid_utf8(out) != out) {
    at_ = begin;
    return fail("a string that is not valid UTF-8");
  }
  ++at_;
  return true;
}

// at_ stands on the first backslash.
bool JsonCursor::read_escaped_string(std::size_t begin, std::string_view& out) {
  unescaped_.assign(text_.substr(begin, at_ - begin));
  while (at_ < text_.size()) {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte == '"') {
      // Escapes make whole characters only, so what is broken was broken in the text.
      if (to_valid_utf8(unescaped_) != unescaped_) {
        at_ = begin;
        return fail("a string that is not valid UTF-8");
      }
      ++at_;
      out = unescaped_;
      return true;
    }
    if (byte < 0x20)
      return fail("a string must not contain a line break or another control character");
    if (byte == '\\') {
      if (!read_escape()) return false;
    } else {
      unescaped_ += text_[at_++];
    }
  }
  return fail("a string without its closing quote");
}

bool JsonCursor::read_escape() {
  static constexpr std::string_view letters = "\"\\/bfnrt";
  static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const std::size_t begin = at_++;
  const char letter = at_ < text_.size() ? text_[at_] : '\0';
  if (const auto index = letters.find(letter); letter != '\0' && index != std::string_view::npos) {
    unescaped_ += meanings[index];
    ++at_;
    return true;
  }
  unsigned code = 0;
  if (letter == 'u') {
    ++at_;
    if (!read_hex4(code)) return false;
    if (code < 0xD800 || code > 0xDFFF) {
      append_utf8(unescaped_, code);
      return true;
    }
    unsigned low = 0;
    if (code <= 0xDBFF && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      if (!read_hex4(low)) return false;
      if (low >= 0xDC00 && low <= 0xDFFF) {
        append_utf8(unescaped_, 0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U));
        return true;
      }
    }
    at_ = begin;
    return fail(
        "half of a surrogate pair: \\ud800 to \\udbff must be followed by \\udc00 to \\udfff");
  }
  at_ = begin;
  return fail("an escape that JSON does not know; write a backslash as \\\\");
}

bool JsonCursor::read_hex4(unsigned& out) {
  out = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    unsigned digit = 0;
    if (is_digit(c)) {
      digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<unsigned>(c - 'A') + 10;
    } else {
      return fail("\\u needs four hexadecimal digits");
    }
    out = out * 16 + digit;
  }
  return true;
}

bool JsonCursor::read_word(std::string_view word) {
  const std::string_view rest = text_.substr(at_);
  if (!rest.starts_with(word)) return fail_unexpected("a value");
  at_ += word.size();
  return true;
}

bool JsonCursor::read_scalar(Value& out) {
  const std::size_t begin = at_;
  switch (peek()) {
    case '"':
      out.kind = Value::Kind::string;
      return read_string(out.string);
    case 't':
    case 'f':
      out.kind = Value::Kind::boolean;
      out.boolean = text_[at_] == 't';
      return read_word(out.boolean ? "true" : "false");
    case 'n':
      out.kind = Value::Kind::null;
      return read_word("null");
    default:
      break;
  }
  const std::size_t length = number_length(text_.substr(begin));
  if (length == 0) return fail_unexpected("a value");
  out = fields::parse_number(text_.substr(begin, length));
  at_ += length;
  return true;
}

bool JsonCursor::read_value(Value& out) {
  if (failed()) return false;
  switch (peek()) {
    case '{':
      out.kind = Value::Kind::table;
      return skip_value();
    case '[':
      break;
    default:
      return read_scalar(out);
  }
  out.kind = Value::Kind::list;
  out.list.clear();
  ++at_;
  if (accept(']')) return true;
  do {
    Value element;
    const char next = peek();
    if (next == '[' || next == '{') {
      element.kind = next == '[' ? Value::Kind::list : Value::Kind::table;
      if (!skip_nested(1)) return false;
    } else if (!read_scalar(element)) {
      return false;
    }
    // A string may live in the buffer that the next one overwrites; no list takes strings, so its
    // words do not matter.
    if (element.kind == Value::Kind::string) element.string = {};
    out.list.push_back(std::move(element));
  } while (accept(','));
  return expect(']');
}

bool JsonCursor::skip_value() { return !failed() && skip_nested(0); }

bool JsonCursor::skip_nested(int depth) {
  const char next = peek();
  if (next != '[' && next != '{') {
    Value ignored;
    return read_scalar(ignored);
  }
  if (depth >= deepest) return fail(fmt::format("nested deeper than {} levels", deepest));
  if (next == '{') {
    return read_object([&](std::string_view, std::size_t) { return skip_nested(depth + 1); });
  }
  ++at_;
  if (accept(']')) return true;
  do {
    if (!skip_nested(depth + 1)) return false;
  } while (accept(','));
  return expect(']');
}

SourcePosition PositionTracker::at(std::size_t offset) {
  if (offset < seen_) {
    seen_ = line_start_ = 0;
    line_ = first_line_;
  }
  for (; seen_ < offset && seen_ < text_.size(); ++seen_) {
    if (text_[seen_] == '\n') {
      ++line_;
      line_start_ = seen_ + 1;
    }
  }
  int column = 1;
  for (std::size_t i = line_start_; i < offset && i < text_.size(); ++i) {
    if ((static_cast<unsigned char>(text_[i]) & 0xC0U) != 0x80U) ++column;  // characters, not bytes
  }
  return {std::string(file_), line_, column};
}

}  // namespace rnnadvisor::json
