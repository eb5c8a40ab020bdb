#include "advisor/report/document.h"

#include <array>
#include <iterator>

#include "advisor/report/inline_code.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::document {

Text::Text(std::string plain) : Text(std::move(plain), Tone::plain) {}

Text::Text(std::string text, Tone tone, std::string link) {
  if (!text.empty()) runs.push_back({std::move(text), tone, std::move(link)});
}

Text& Text::operator+=(const Text& more) {
  runs.insert(runs.end(), more.runs.begin(), more.runs.end());
  return *this;
}

Text operator+(Text a, const Text& b) { return a += b; }

Text prose(std::string_view text, Tone tone, const std::string& link) {
  const std::string clean = words::clean(text);
  Text made;
  for (const auto& run : inline_code(clean))
    made.runs.push_back({std::string(run.text), run.code ? Tone::code : tone, link});
  return made;
}

Entry::Entry(std::string its_label, Text its_text, Mark its_mark, std::string its_word)
    : label(std::move(its_label)),
      text(std::move(its_text)),
      mark(its_mark),
      word(std::move(its_word)) {}

Section::Section(std::string its_id, std::string its_title, Form its_form)
    : id(std::move(its_id)), title(std::move(its_title)), form(its_form) {}

const Sign& sign(Mark mark) {
  static constexpr std::array<Sign, 13> signs = {{{"", "", "", ""},
                                                  {"✖", "X", "❌", "error"},
                                                  {"▲", "!", "⚠️", "warning"},
                                                  {"◆", "+", "🔷", "opportunity"},
                                                  {"●", "i", "", "info"},
                                                  {"✔", "=", "✅", "fine"},
                                                  {"–", "-", "➖", "refused"},
                                                  {"?", "?", "❔", "unjudged"},
                                                  {"~", "~", "", "warning"},
                                                  {"✔", "=", "", "fine"},
                                                  {"✖", "X", "", "error"},
                                                  {"▲", "!", "", "warning"},
                                                  {"?", "?", "", "unjudged"}}};
  return signs.at(static_cast<std::size_t>(mark));
}

Mark mark_of(Severity severity) {
  static constexpr std::array marks = {Mark::info, Mark::opportunity, Mark::warning, Mark::error};
  return marks.at(static_cast<std::size_t>(severity));
}

Mark mark_of(Standing standing) {
  static constexpr std::array marks = {Mark::unjudged,    Mark::refused, Mark::fine,
                                       Mark::opportunity, Mark::warning, Mark::error};
  return marks.at(static_cast<std::size_t>(standing));
}

Mark mark_of(ExperimentVerdict verdict) {
  switch (verdict) {
    case ExperimentVerdict::confirmed:
      return Mark::fine;
    case ExperimentVerdict::refuted:
      return Mark::error;
    case ExperimentVerdict::inconclusive:
      return Mark::inconclusive;
    case ExperimentVerdict::not_run:
      break;
  }
  return Mark::refused;
}

Table visible(Table table) {
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    if (table.columns[c].shown) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& row : table.rows)
      row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(c));
  }
  return table;
}

}  // namespace rnnadvisor::advisor::document
