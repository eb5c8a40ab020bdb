// JsonCursor: a strict JSON reader (RFC 8259) that walks a text once, in place, and always knows
// where it is. It exists beside the JSON library because a configuration's errors need the position
// of every value and every repeated key, and because batches are read at well over 50,000 lines a
// second. A fuzz target holds it against the library.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/config/fields/value.h"

namespace rnnadvisor::json {

// Every function returns false at the first error of syntax and from then on; failure() tells what
// and where.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text, std::size_t start = 0);

  // The next character that is not white space, or '\0' at the end (which no value begins with).
  char peek();
  bool at_end();
  std::size_t offset() const {
    return at_;
  }  // of the next unread byte; after peek(): of the value there

  bool expect(char punctuation);            // '{', ':', … or an error
  bool accept(char punctuation);            // true and past it when it is next; never an error
  bool read_string(std::string_view& out);  // `out` is valid until the next read
  bool read_value(fields::Value& out);      // lists one level deep; deeper ones are read over
  bool skip_value();                        // checks its syntax all the same

  // on_key(key, offset of the key) must read the value, or return false.
  template <class OnKey>
  bool read_object(OnKey&& on_key) {
    if (!expect('{')) return false;
    if (accept('}')) return true;
    do {
      std::string_view key;
      peek();
      const std::size_t key_offset = at_;
      if (at_ < text_.size() && text_[at_] == '}') return fail("a comma must not stand before }");
      if (!read_string(key) || !expect(':') || !on_key(key, key_offset)) return false;
    } while (accept(','));
    return expect('}');
  }

  struct Failure {
    std::string message;  // empty: none
    std::size_t offset = 0;
  };
  const Failure& failure() const { return failure_; }
  bool failed() const { return !failure_.message.empty(); }

  static constexpr int deepest = 100;  // nesting of a value that is read over

 private:
  bool fail(std::string message);
  bool fail_unexpected(std::string_view wanted);
  bool read_escaped_string(std::size_t begin, std::string_view& out);
  bool read_escape();
  bool read_hex4(unsigned& out);
  bool read_scalar(fields::Value& out);
  bool read_word(std::string_view word);
  bool skip_nested(int depth);

  std::string_view text_;
  std::size_t at_ = 0;
  std::string unescaped_;  // of the last string with escapes
  Failure failure_;
};

// Byte offsets as line and column (in characters, from 1). Offsets that only grow cost one pass
// over the text.
class PositionTracker {
 public:
  PositionTracker(std::string_view text, std::string_view file, int first_line = 1)
      : text_(text), file_(file), first_line_(first_line), line_(first_line) {}
  SourcePosition at(std::size_t offset);

 private:
  std::string_view text_;
  std::string_view file_;
  int first_line_;
  int line_;
  std::size_t line_start_ = 0;
  std::size_t seen_ = 0;
};

}  // namespace rnnadvisor::json
