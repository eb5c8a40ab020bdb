#include "advisor/report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "advisor/report/words.h"

namespace rnnadvisor::advisor {
namespace {

std::string_view code(Style style) {
  switch (style) {
    case Style::plain:
      return "";
    case Style::bold:
      return "\x1b[1m";
    case Style::dim:
      return "\x1b[2m";
    case Style::red:
      return "\x1b[1;31m";
    case Style::yellow:
      return "\x1b[33m";
    case Style::green:
      return "\x1b[32m";
    case Style::cyan:
      return "\x1b[36m";
    case Style::blue:
      return "\x1b[34m";
  }
  return "";
}

std::string repeat(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

int columns_of(std::string_view text) { return static_cast<int>(words::display_width(text)); }

std::string to_ascii(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> spellings = {
      {{"…", "..."},
       {"–", "-"},
       {"—", "-"},
       {"×", "x"},
       {"\u202F", " "},
       {"µ", "u"},
       {"→", "->"},
       {"·", "|"},
       {"✖", "X"},
       {"▲", "!"},
       {"◆", "+"},
       {"●", "i"},
       {"✔", "="},
       {"“", "\""},
       {"”", "\""},
       {"’", "'"}}};
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      out += text[i++];
      continue;
    }
    const auto found = std::find_if(spellings.begin(), spellings.end(), [&](const auto& s) {
      return text.substr(i, s.first.size()) == s.first;
    });
    out += found == spellings.end() ? "?" : found->second;
    ++i;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) ++i;
  }
  return out;
}

std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(std::max(0, count)), ' ');
}

// `text` in lines of at most `room` columns, broken at blanks; a word that no line can hold is
// broken too, so that nothing leaves the screen. At least one line. `whole_addresses`: web
// addresses stay whole, so that they can be opened and copied; the terminal goes on in the next
// line itself.
std::vector<std::string> wrapped(std::string_view text, int room, bool whole_addresses = false) {
  std::vector<std::string> lines;
  std::string current;
  const auto flush = [&] { lines.push_back(std::exchange(current, {})); };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word(text.substr(at, end - at));
    at = end + 1;
    if (word.empty()) continue;
    if (!current.empty() && columns_of(current) + 1 + columns_of(word) > room) flush();
    const bool whole = whole_addresses && word.find("://") != std::string::npos;
    while (!whole && columns_of(word) > room) {
      std::size_t cut = 0;
      int used = 0;
      while (cut < word.size() && used < room) {
        ++cut;
        while (cut < word.size() && (static_cast<unsigned char>(word[cut]) & 0xC0U) == 0x80U) ++cut;
        used = columns_of(std::string_view(word).substr(0, cut));
      }
      current = word.substr(0, cut);
      word.erase(0, cut);
      flush();
    }
    current += (current.empty() ? "" : " ") + word;
  }
  if (!current.empty() || lines.empty()) flush();
  return lines;
}

constexpr int gap = 2;        // between two columns of a table
constexpr int narrowest = 8;  // of a column that gives way

void remove_column(std::vector<Column>& columns, std::vector<std::vector<Cell>>& rows,
                   std::size_t column, std::vector<std::string>& left_out) {
  left_out.push_back(std::move(columns[column].title));
  columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(column));
  for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
}

// Widths with which the table has at most `room` columns, as far as its columns give way; those
// that have to go are taken out of `columns` and `rows`.
std::vector<int> fit_columns(std::vector<Column>& columns, std::vector<std::vector<Cell>>& rows,
                             int room, std::vector<std::string>& left_out) {
  while (true) {
    std::vector<int> widths;
    int total = -gap;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      int width = columns_of(columns[c].title);
      for (const auto& row : rows) width = std::max(width, columns_of(row[c].text));
      widths.push_back(width);
      total += width + gap;
    }
    // The widest column that gives way does so first.
    const auto shrink = [&](bool below_least) {
      while (total > room) {
        std::size_t widest = columns.size();
        for (std::size_t c = 0; c < columns.size(); ++c) {
          const int least = below_least ? narrowest : std::max(narrowest, columns[c].least);
          if (columns[c].fit == Fit::fixed || widths[c] <= least) continue;
          if (widest == columns.size() || widths[c] > widths[widest]) widest = c;
        }
        if (widest == columns.size()) return;
        --widths[widest];
        --total;
      }
    };
    shrink(false);
    if (total <= room) return widths;
    std::size_t gone = columns.size();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].drop > 0 && (gone == columns.size() || columns[c].drop < columns[gone].drop))
        gone = c;
    }
    if (gone == columns.size()) {
      shrink(true);
      return widths;
    }
    remove_column(columns, rows, gone, left_out);
  }
}

}  // namespace

Terminal::Terminal(const TextOptions& options)
    : options_(options), width_(std::clamp(options.width, 40, 400)) {}

std::string Terminal::styled(std::string_view text, Style style) const {
  if (!options_.color || style == Style::plain || text.empty()) return std::string(text);
  return std::string(code(style)) + std::string(text) + "\x1b[0m";
}

void Terminal::line(std::string_view text, Style style) {
  out_ += styled(text, style);
  out_ += '\n';
}

void Terminal::heading(std::string_view text) {
  const int rest = std::max(0, width_ - columns_of(text) - 1);
  out_ += '\n' + styled(text, Style::bold) + (rest > 0 ? " " : "") +
          styled(repeat(symbol("─", "-"), rest), Style::dim) + '\n';
}

void Terminal::paragraph(std::string_view text, int indent, std::string_view label,
                         Style label_style, Style style) {
  bool first = true;
  if (!label.empty()) indent = std::max(indent, columns_of(label) + 1);
  for (const auto& text_line : wrapped(text, std::max(16, width_ - indent), true)) {
    if (first && !label.empty()) {
      out_ += styled(label, label_style) + blanks(indent - columns_of(label));
    } else {
      out_ += blanks(indent);
    }
    out_ += styled(text_line, style) + '\n';
    first = false;
  }
}

void Terminal::table(std::vector<Column> columns, std::vector<std::vector<Cell>> rows, int indent) {
  std::vector<std::string> left_out;
  for (std::size_t c = columns.size(); c-- > 0;)
    if (columns[c].drop > 0 && unwanted_.contains(columns[c].title))
      remove_column(columns, rows, c, left_out);
  const auto widths = fit_columns(columns, rows, width_ - indent, left_out);
  const auto put_line = [&](const std::vector<std::string>& texts, const auto& style_of) {
    std::string line = blanks(indent);
    int pending = 0;  // blanks are put before the next text only, so that no line ends with them
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const int rest = widths[c] - columns_of(texts[c]);
      const int before = columns[c].right ? rest : 0;
      if (!texts[c].empty()) {
        line += blanks(pending + before) + styled(texts[c], style_of(c));
        pending = rest - before;
      } else {
        pending += widths[c];
      }
      pending += gap;
    }
    out_ += line.find_first_not_of(' ') == std::string::npos ? "\n" : line + '\n';
  };
  std::vector<std::string> texts(columns.size());
  if (std::any_of(columns.begin(), columns.end(),
                  [](const Column& c) { return !c.title.empty(); })) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      texts[c] =
          words::shorten(columns[c].title, static_cast<std::size_t>(widths[c]), symbol("…", "~"));
    }
    put_line(texts, [](std::size_t) { return Style::dim; });
  }
  for (const auto& row : rows) {
    std::vector<std::vector<std::string>> cells;
    std::size_t lines = 1;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].fit == Fit::wrap) {
        cells.push_back(wrapped(row[c].text, widths[c]));
      } else {
        cells.push_back(
            {words::shorten(row[c].text, static_cast<std::size_t>(widths[c]), symbol("…", "~"))});
      }
      lines = std::max(lines, cells.back().size());
    }
    for (std::size_t n = 0; n < lines; ++n) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        texts[c] = n < cells[c].size() ? cells[c][n] : std::string();
      put_line(texts, [&](std::size_t c) { return row[c].style; });
    }
  }
  for (auto& title : left_out)
    if (!title.empty()) left_out_.insert(std::move(title));
}

bool Terminal::again() {
  if (left_out_.empty()) return false;
  out_.clear();
  unwanted_ = std::exchange(left_out_, {});
  return true;
}

std::string Terminal::take() {
  if (!left_out_.empty()) {
    std::string names;
    for (const auto& title : std::exchange(left_out_, {}))
      names += (names.empty() ? "" : ", ") + title;
    paragraph(fmt::format("Columns left out, because the terminal is narrow: {}. In a pipe, "
                          "COLUMNS=160 shows them.",
                          names),
              0, {}, Style::dim, Style::dim);
  }
  return options_.ascii ? to_ascii(std::exchange(out_, {})) : std::exchange(out_, {});
}

}  // namespace rnnadvisor::advisor
