#include "core/config/toml/toml_limits.h"

#include <algorithm>
#include <array>
#include <regex>

namespace rnnadvisor::toml_text {
namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Letters, digits, - and _, or the quote of a quoted key.
bool begins_key(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
         c == '"' || c == '\'';
}

// What ends a number: white space, a closing bracket, a comma or a comment.
bool ends_word(char c) {
  return std::string_view(" \t\n\v\f\r]},#").find(c) != std::string_view::npos;
}

bool matches(std::string_view word, const std::regex& pattern) {
  // std::regex recurses with the length of the text.
  return word.size() <= longest_word && std::regex_match(word.begin(), word.end(), pattern);
}

bool is_date(std::string_view word) {
  static const std::regex date("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  return matches(word, date);
}

// The grammar of TOML 1.0 without its ranges: months up to 12, integers of 64 bits.
bool is_value(std::string_view word) {
  static const std::regex value(
      "[+-]?(0|[1-9](_?[0-9])*)(\\.[0-9](_?[0-9])*)?([eE][+-]?[0-9](_?[0-9])*)?"
      "|0x[0-9A-Fa-f](_?[0-9A-Fa-f])*|0o[0-7](_?[0-7])*|0b[01](_?[01])*"
      "|[+-]?(inf|nan)|true|false"
      "|[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?"
      "([Zz]|[+-][0-9]{2}:[0-9]{2})?)?"
      "|[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?",
      std::regex::ECMAScript | std::regex::optimize | std::regex::nosubs);
  return matches(word, value);
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<Obstacle> find() {
    while (at_ < text_.size() && !found_) step();
    return found_;
  }

 private:
  void refuse(std::size_t offset, std::string_view message, std::string_view remedy) {
    if (!found_) found_ = Obstacle{offset, message, remedy};
  }

  // The byte at an offset; past the end a NUL, which begins and continues nothing.
  char byte(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  void step() {
    const char c = text_[at_];
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
        ++at_;
        return;
      case '\n':
        if (in(header) || in('{')) return leave_to_the_parser();  // they stand on one line
        dots_ = 0;
        line_begins_ = true;
        ++at_;
        return;
      case '#':
        at_ = std::min(text_.find('\n', at_), text_.size());
        return;
      case '"':
      case '\'':
        skip_string();
        break;
      default:
        if (expects_value() && c != '[' && c != '{' && !ends_word(c)) {
          skip_word();
        } else {
          look_at(c);
          ++at_;
        }
        break;
    }
    before_ = c;
    line_begins_ = false;
  }

  void look_at(char c) {
    switch (c) {
      case '[':
      case '{':
        open(c);
        dots_ = 0;
        break;
      case ']':
      case '}':
        close(c);
        dots_ = 0;
        break;
      case '.':
        if (++dots_ >= longest_key) refuse_depth();
        break;
      case ',':
      case '=':
        dots_ = 0;
        break;
      default:
        if (!is_ascii(c)) refuse_character(at_);
        break;
    }
  }

  void open(char c) {
    const bool begins_header = c == '[' && line_begins_ && depth_ == 0;
    if (begins_header) check_header();
    if (depth_ == deepest_brackets) return refuse_depth();
    open_[depth_++] = begins_header || in(header) ? header : c;
  }

  void close(char c) {
    if (depth_ == 0) return leave_to_the_parser();
    const char expected = in('{') ? '}' : ']';
    --depth_;
    if (c != expected) {
      refuse(at_, "this bracket does not close the one that was opened last",
             "close [ by ] and { by }");
    }
  }

  // Whether the innermost bracket is this one.
  bool in(char bracket) const { return depth_ > 0 && open_[depth_ - 1] == bracket; }

  // An error that the parser reports well, and past which it does not read.
  void leave_to_the_parser() { at_ = text_.size(); }

  // Whether a value stands here rather than a key.
  bool expects_value() const {
    return before_ == '=' || (in('[') && (before_ == '[' || before_ == ','));
  }

  void refuse_depth() {
    refuse(at_, "nested deeper than any file that rnnadvisor reads", "remove the brackets or dots");
  }

  void refuse_character(std::size_t offset) {
    refuse(offset, "a character that is not ASCII stands outside of strings and comments",
           "put it in quotes, or remove it");
  }

  // [key] or [[key]]
  void check_header() {
    std::size_t next = skip_blanks(at_ + 1);
    if (byte(next) == '[') next = skip_blanks(next + 1);
    if (next < text_.size() && !begins_key(text_[next])) {
      refuse(next, "a table header needs a key", "write [key] or [[key]]");
    }
  }

  // A number, date, time, true or false.
  void skip_word() {
    const std::size_t begin = at_;
    if (!find_end_of_word()) return;
    // A space may stand between a date and a time.
    if (byte(at_) == ' ' && is_digit(byte(at_ + 1)) && is_date(text_.substr(begin, at_ - begin))) {
      ++at_;
      if (!find_end_of_word()) return;
    }
    if (!is_value(text_.substr(begin, at_ - begin))) {
      refuse(begin, "this is no text in quotes, number, date, time, true or false",
             "put a text in quotes; write other values as TOML has them");
    }
  }

  // At the white space, bracket, comma or comment behind a word; false: it is refused.
  bool find_end_of_word() {
    for (; at_ < text_.size() && !ends_word(text_[at_]); ++at_) {
      if (!is_ascii(text_[at_])) {
        refuse_character(at_);
        return false;
      }
    }
    return true;
  }

  std::size_t skip_blanks(std::size_t i) const {
    while (is_blank(byte(i))) ++i;
    return i;
  }

  // From the opening quote to behind the string.
  void skip_string() {
    const char quote = text_[at_];
    const bool triple = byte(at_ + 1) == quote && byte(at_ + 2) == quote;
    for (std::size_t i = at_ + (triple ? 3 : 1); i < text_.size();) {
      if (quote == '"' && text_[i] == '\\') {
        i = triple ? skip_escape(i) : i + 2;
      } else if (!triple && (text_[i] == quote || text_[i] == '\n')) {
        if (text_[i] == '\n') return leave_to_the_parser();
        at_ = i + 1;
        return;
      } else if (triple && text_[i] == quote && byte(i + 1) == quote && byte(i + 2) == quote) {
        // Up to two quotes may stand directly before the closing three.
        at_ = i + 3;
        for (int more = 0; more < 2 && byte(at_) == quote; ++more) ++at_;
        return;
      } else {
        ++i;
      }
    }
    at_ = text_.size();
  }

  // In a string of several lines: from a backslash to behind what it stands for. One at the end
  // of a line takes the white space behind it, over any number of lines.
  std::size_t skip_escape(std::size_t backslash) {
    std::size_t i = backslash + 1;
    const bool ends_line = is_blank(byte(i)) || byte(i) == '\n' || byte(i) == '\r';
    if (ends_line) {
      while (is_blank(byte(i)) || byte(i) == '\n' || byte(i) == '\r') ++i;
    }
    if (i < text_.size() && !is_ascii(text_[i])) {
      refuse(i,
             ends_line ? "the first character after a backslash at the end of a line is not ASCII"
                       : "a backslash stands before a character that is not ASCII",
             "remove the backslash");
    }
    return ends_line ? i : i + 1;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  static constexpr char header = 'h';
  std::array<char, deepest_brackets> open_{};  // [, { or a header's, the outermost first
  std::size_t depth_ = 0;
  int dots_ = 0;             // of the key that began last
  char before_ = '\0';       // the last character that is no white space; of a string its quote
  bool line_begins_ = true;  // nothing but blanks since the line began
  std::optional<Obstacle> found_;
};

}  // namespace

std::optional<Obstacle> find_obstacle(std::string_view text) { return Scanner(text).find(); }

}  // namespace rnnadvisor::toml_text
