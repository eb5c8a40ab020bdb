// A JSON text of any length, of which a window is in memory: whole values are read in it in place,
// and values that nobody wants are passed over. Numbers come as they are written.
#pragma once

#include <bitset>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rnnadvisor::import_trace {

// Functions that return bool return false at the first mistake, at the end of the text within a
// value, and from then on. Those marked W work within whole() only.
class JsonText {
 public:
  using Read = std::function<std::size_t(char* into, std::size_t bytes)>;  // 0: the end
  // `piece`: how many bytes are asked for at once.
  JsonText(const Read& read, std::size_t piece);

  // Why reading stopped: "it ends in the middle, at byte 4711"; empty: it has not.
  const std::string& problem() const { return problem_; }

  // The first character of what is next, after white space; '\0' at the end.
  char next();
  void advance() { ++at_; }  // past that character
  bool mistake(std::string_view what);

  // Calls `read`, which reads one value, until all of the value is in the window: it may be called
  // again from the beginning of the value.
  template <class ReadValue>
  bool whole(ReadValue&& read) {
    for (;;) {
      const std::size_t start = at_;
      if (read()) return true;
      if (!short_) return false;
      at_ = start;
      if (!more()) return false;
    }
  }
  // Past a value, of any length.
  bool pass_over();

  // W: `member(name)` and `element()` read the value that is next.
  template <class Member>
  bool object(Member&& member);
  template <class Element>
  bool array(Element&& element);
  // W: a text without its quotes, or a number as it is written (null, true and false as well);
  // valid until the next of them.
  bool text(std::string_view& out);
  bool number(std::string_view& out);
  bool skip();  // past any value
  // W: past the rest of the innermost object, from behind one of its values.
  bool skip_rest() { return walk(1); }
  // W: the first character of what is next.
  char token() {
    while (is_space(buffer_[at_])) ++at_;
    return buffer_[at_];
  }

  static constexpr std::size_t deepest = 100;                    // nesting of a value
  static constexpr std::size_t longest = std::size_t{1} << 26U;  // bytes of a value that is read

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  bool more();
  bool fill(std::size_t wanted);
  bool wrong(std::string_view what);
  bool keep_on();
  bool ends_early();
  bool ends_in_the_middle();
  bool escaped(std::size_t begin, std::string_view& out);
  bool unescape(std::string_view text, std::size_t& at);
  bool walk(std::size_t depth);
  bool string_end();
  std::size_t scalar();

  const Read& read_;
  const std::size_t piece_;
  static constexpr std::size_t behind = 9;  // a '\0' behind the end, and what is read with it
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0, before_ = 0;
  bool streaming_ = false;  // what lies behind is not needed again
  bool short_ = false;      // the window ends before the value does
  bool at_end_ = false;     // of the text
  std::string problem_, unescaped_;
};

template <class Member>
bool JsonText::object(Member&& member) {
  ++at_;
  if (token() == '}') return ++at_, true;
  for (;;) {
    std::string_view name;
    if (buffer_[at_] != '"') return wrong("the name of a value is missing");
    if (!text(name)) return false;
    if (token() != ':') return wrong("a colon is missing");
    ++at_;
    token();
    if (!member(name)) return false;
    const char after = token();
    if (after != ',' && after != '}') return wrong("a comma or } is missing");
    ++at_;
    if (after == '}') return true;
    token();
  }
}

template <class Element>
bool JsonText::array(Element&& element) {
  ++at_;
  if (token() == ']') return ++at_, true;
  for (;;) {
    if (!element()) return false;
    const char after = token();
    if (after != ',' && after != ']') return wrong("a comma or ] is missing");
    ++at_;
    if (after == ']') return true;
    token();
  }
}

}  // namespace rnnadvisor::import_trace
