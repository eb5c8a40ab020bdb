// What a report says, before it has a format: headings, cards, tables, lists, code and links. It is
// built once (content.h), and each format draws it (render.h). All text is plain and may come from
// others: renderers clean and escape it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor::document {

enum class Tone {
  plain,
  strong,
  dim,
  code,   // what a card wrote between backticks
  name,   // of a fact, a kernel, a rule: set like code, without backticks
  quote,  // renderers put the quotation marks
  tag,    // a framework
  good,
  bad
};

// A stretch of text. `link`: a web address, a place in the report ("#f1", "#c0"), a rule
// ("rule:topic/name"), a finding of the judgement by its index ("finding:3") or a line of the
// program by its number in Profile::call_sites ("site:3"); formats without such places show the
// text alone.
struct Run {
  std::string text;
  Tone tone = Tone::plain;
  std::string link;
};

struct Text {
  Text() = default;
  Text(std::string plain);  // NOLINT(google-explicit-constructor): a text is mostly one
  Text(std::string_view plain) : Text(std::string(plain)) {}  // NOLINT(google-explicit-constructor)
  Text(const char* plain) : Text(std::string(plain)) {}       // NOLINT(google-explicit-constructor)
  Text(std::string text, Tone tone, std::string link = {});
  bool empty() const { return runs.empty(); }
  Text& operator+=(const Text& more);
  std::vector<Run> runs;
};
Text operator+(Text a, const Text& b);
inline Text dim(std::string text) { return {std::move(text), Tone::dim}; }
inline Text as_name(std::string text) { return {std::move(text), Tone::name}; }
// What a card says: with what stands between backticks as code, all else in `tone`.
Text prose(std::string_view text, Tone tone = Tone::plain, const std::string& link = {});

// Signs that can be told apart without colour.
enum class Mark {
  none,
  error,
  warning,
  opportunity,
  info,
  fine,
  refused,
  unjudged,
  inconclusive,
  yes,  // a condition that holds
  no,   // one that does not, and has to
  no_for_speed,
  unknown
};
struct Sign {
  std::string_view unicode, ascii, emoji;
  std::string_view type;  // the class of style sheets: "error"
};
const Sign& sign(Mark mark);
Mark mark_of(Severity severity);
Mark mark_of(Standing standing);
Mark mark_of(ExperimentVerdict verdict);

enum class Look { normal, strong, note, lead, empty };

// With a mark, `word` says what that means, where it is not shown as a sign alone.
struct Paragraph {
  Text text;
  Look look = Look::normal;
  std::string label = {};
  Mark mark = Mark::none;
  std::string word = {};
};
struct List {
  std::vector<Paragraph> items;
};
struct Code {
  std::string text;
};

// What a column does where a terminal is too narrow for all (terminal.h).
enum class Narrow { keep, clip, wrap };
struct Column {
  std::string title;
  bool number = false;
  bool shown = true;
  Narrow narrow = Narrow::keep;
  int least = 8, drop = 0;
  bool head = false;  // names the row
};
struct Cell {
  Text text;
  Mark mark = Mark::none;
  std::string sort = {};  // by which a table is sorted in place of the text
};
struct Row {
  std::vector<Cell> cells;
  std::string id = {};
};
struct Table {
  std::string title;
  std::string aside = {};
  std::vector<Column> columns;
  std::vector<Row> rows;
  bool sortable = false;
};

// Names and values: the parameters of a configuration, what a report is of.
struct Pairs {
  std::vector<std::pair<std::string, Text>> pairs;
  bool parameters = false;
};

struct Block;
using Blocks = std::vector<Block>;

// Can be unfolded where the format can.
struct Details {
  std::string title;
  std::string aside;
  long count = -1;
  bool open = false;
  Blocks blocks;
};

// Drawn by HTML; `instead` elsewhere. `html` gives markup.
struct Drawing {
  std::function<std::string()> html;
  Blocks instead;
};

// One thing about a finding: "Do", "Because", "Source". Entries with the same label follow one
// another.
struct Entry {
  // What of the finding a format that can do something with it may offer: to copy and to try the
  // suggestion with this number, to show the evidence.
  enum class Subject { none, suggestion, evidence };
  Entry(std::string label, Text text, Mark mark = Mark::none, std::string word = {});
  std::string label;
  Text text;
  Mark mark = Mark::none;
  std::string word;
  Blocks more;
  bool joined = false;  // with others of its label in one line, where lines are few
  Look look = Look::normal;
  Subject subject = Subject::none;
  int number = -1;
};

// A list in which more can stand below each item.
struct Entries {
  std::vector<Entry> all;
};

// What a rule's author wrote in Markdown, and the same for formats that are not.
struct Explanation {
  std::string markdown;
  Blocks blocks;
};

struct GainText {
  std::string size, rest;  // "1.44×", " (1.40 to 1.48) with …, training step"
  std::string_view basis;
  std::string_view type;  // "measured_here"
  std::string source;
  bool another_model = false;
};

struct Card {
  Mark mark = Mark::none;
  std::string word;        // "warning"
  std::size_t number = 0;  // among its kind
  bool remark = false;     // shown without its number
  std::string id;          // of its place in a page; empty: by kind and number
  Text title;
  GainText gain;  // empty: there is none
  Text message;
  std::vector<Entry> entries;
  Text rule;  // which one says so
};

// How a report begins.
struct Summary {
  Mark mark = Mark::none;
  std::string word;
  std::string headline, assumption;
  std::size_t title = 0;  // so much of the headline is enough for a title; 0: all of it
  std::vector<std::pair<int, Severity>> counts;
  std::vector<std::pair<std::string, Text>> facts;
};

struct Section {
  enum class Form { section, panel, card, folded_card };
  Section(std::string id, std::string title, Form form = Form::section);
  std::string id, title;
  Form form = Form::section;
  Mark mark = Mark::none;
  std::string word, aside;
  bool open = true;
  Blocks blocks;
};

struct Block {
  using Any = std::variant<Paragraph, List, Code, Table, Pairs, Details, Drawing, Entries,
                           Explanation, Card, Summary, Section>;
  template <class T>
    requires std::is_constructible_v<Any, T>
  Block(T block) : is(std::move(block)) {}  // NOLINT(google-explicit-constructor)
  Any is;
};

// Without the columns that are not shown.
Table visible(Table table);

}  // namespace rnnadvisor::advisor::document
