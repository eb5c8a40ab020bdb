#include "advisor/report/terminal.h"

#include <algorithm>
#include <array>

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
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> spellings = {
      {{"…", "..."},
       {"–", "-"},
       {"—", "-"},
       {"×", "x"},
       {"µ", "u"},
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
  out_ += '\n' + styled(text, Style::bold) + ' ' +
          styled(repeat(symbol("─", "-"), rest), Style::dim) + '\n';
}

void Terminal::paragraph(std::string_view text, int indent, std::string_view label,
                         Style label_style, Style style) {
  const int room = std::max(16, width_ - indent);
  std::string current;
  bool first = true;
  const auto flush = [&] {
    if (first && !label.empty()) {
      out_ += styled(label, label_style) +
              std::string(static_cast<std::size_t>(std::max(0, indent - columns_of(label))), ' ');
    } else {
      out_ += std::string(static_cast<std::size_t>(indent), ' ');
    }
    out_ += styled(current, style) + '\n';
    first = false;
    current.clear();
  };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word(text.substr(at, end - at));
    at = end + 1;
    if (word.empty()) continue;
    if (!current.empty() && columns_of(current) + 1 + columns_of(word) > room) flush();
    // A word that no line can hold is broken, so that nothing leaves the screen.
    while (columns_of(word) > room) {
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
  if (!current.empty() || first) flush();
}

void Terminal::table(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows,
                     int indent) {
  constexpr int gap = 2;
  constexpr int least = 8;
  std::vector<int> widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    int width = columns_of(columns[c].title);
    for (const auto& row : rows) width = std::max(width, columns_of(row[c].text));
    widths.push_back(width);
  }
  int total = indent + gap * static_cast<int>(columns.size() - 1);
  for (const int width : widths) total += width;
  // The widest flexible column gives way first.
  while (total > width_) {
    std::size_t widest = columns.size();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].flexible && widths[c] > least &&
          (widest == columns.size() || widths[c] > widths[widest]))
        widest = c;
    }
    if (widest == columns.size()) break;
    --widths[widest];
    --total;
  }
  const auto put = [&](const Cell& cell, std::size_t c, bool last) {
    const std::string text =
        words::shorten(cell.text, static_cast<std::size_t>(widths[c]), symbol("…", "~"));
    const std::string fill(static_cast<std::size_t>(std::max(0, widths[c] - columns_of(text))),
                           ' ');
    if (columns[c].right) out_ += fill;
    out_ += styled(text, cell.style);
    if (!columns[c].right && !last) out_ += fill;
    if (!last) out_ += std::string(gap, ' ');
  };
  const auto trim = [&] {
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_ += '\n';
  };
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const bool titled =
      std::any_of(columns.begin(), columns.end(), [](const Column& c) { return !c.title.empty(); });
  if (titled) {
    out_ += margin;
    for (std::size_t c = 0; c < columns.size(); ++c)
      put({columns[c].title, Style::dim}, c, c + 1 == columns.size());
    trim();
  }
  for (const auto& row : rows) {
    out_ += margin;
    for (std::size_t c = 0; c < columns.size(); ++c) put(row[c], c, c + 1 == columns.size());
    trim();
  }
}

std::string Terminal::bar(double share, int columns) const {
  const double bounded = std::clamp(share, 0.0, 1.0);
  int filled = static_cast<int>(bounded * columns + 0.5);
  if (share > 0 && filled == 0) filled = 1;
  return "[" + repeat(symbol("█", "#"), filled) + repeat(symbol("░", "."), columns - filled) + "]";
}

std::string Terminal::take() {
  return options_.ascii ? to_ascii(std::exchange(out_, {})) : std::exchange(out_, {});
}

}  // namespace rnnadvisor::advisor
