#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "advisor/report/render.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::document {
namespace {

constexpr int inside = 5;   // a card
constexpr int beside = 14;  // the labels of a card
constexpr int below = 6;    // an item of a list

Style style_of(Mark mark) {
  const auto type = sign(mark).type;
  return type == "error"         ? Style::red
         : type == "warning"     ? Style::yellow
         : type == "opportunity" ? Style::cyan
         : type == "info"        ? Style::blue
         : type == "fine"        ? Style::green
                                 : Style::dim;
}

Style style_of(const Text& text) {
  switch (text.empty() ? Tone::plain : text.runs.front().tone) {
    case Tone::strong:
      return Style::bold;
    case Tone::dim:
      return Style::dim;
    case Tone::good:
      return Style::green;
    case Tone::bad:
      return Style::red;
    default:
      return Style::plain;
  }
}

std::string lower(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

class OnTerminal {
 public:
  explicit OnTerminal(Terminal& terminal)
      : terminal_(terminal), dot_(terminal.symbol(" · ", " | ")) {}

  void all(const Blocks& blocks) {
    for (const auto& block : blocks) std::visit([this](const auto& each) { one(each); }, block.is);
  }

 private:
  std::string symbol(Mark mark) const {
    return std::string(terminal_.symbol(sign(mark).unicode, sign(mark).ascii));
  }

  void one(const Paragraph& p) {
    std::string text = plain(p.text);
    if (in_card_) {
      const bool note = p.label.empty() || p.look == Look::note;
      if (p.mark != Mark::none)
        text = fmt::format("{} {}{}{}", symbol(p.mark), p.word, text.empty() ? "" : ", ", text);
      terminal_.paragraph(text, beside_, p.label.empty() ? "" : "     " + lower(p.label),
                          p.mark == Mark::none ? Style::dim : style_of(p.mark),
                          note ? Style::dim : Style::plain);
    } else if (!p.label.empty()) {
      terminal_.paragraph(text, p.label.size() < 8 ? 8 : beside, p.label, Style::bold,
                          p.look == Look::note ? Style::dim : Style::plain);
    } else if (p.mark != Mark::none) {
      terminal_.paragraph(text, 2, symbol(p.mark), style_of(p.mark),
                          p.look == Look::strong ? Style::bold : Style::plain);
    } else {
      const bool note = p.look == Look::note;
      const Style style = p.look == Look::strong ? Style::bold
                          : note                 ? Style::dim
                                                 : style_of(p.text);
      terminal_.paragraph(text, note ? 0 : 2, {}, style, style);
    }
  }

  void one(const List& list) {
    for (const auto& item : list.items) {
      if (in_card_) {
        terminal_.paragraph(plain(item.text), beside_, {}, Style::dim, Style::dim);
      } else if (item.mark != Mark::none) {
        terminal_.paragraph(plain(item.text), 4, "  " + symbol(item.mark), style_of(item.mark));
      } else {
        const Style style = item.look == Look::note ? Style::dim : style_of(item.text);
        terminal_.paragraph(plain(item.text), 4, "  -", Style::dim, style);
      }
    }
  }

  void one(const Code& code) {
    const std::string lines = words::clean_lines(code.text);
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      terminal_.line(
          std::string(static_cast<std::size_t>(beside_), ' ') + lines.substr(at, end - at),
          Style::dim);
      at = end + 1;
    }
  }

  void one(const Table& given) {
    const Table table = visible(given);
    if (!table.title.empty())
      terminal_.heading(table.title + (table.aside.empty() ? "" : " (" + table.aside + ")"));
    std::vector<Column> columns = table.columns;
    std::vector<advisor::Column> drawn;
    for (const auto& c : columns)
      drawn.push_back({words::clean(c.title), c.number,
                       c.narrow == Narrow::clip   ? Fit::clip
                       : c.narrow == Narrow::wrap ? Fit::wrap
                                                  : Fit::fixed,
                       c.least, c.drop});
    std::vector<std::vector<advisor::Cell>> rows;
    const std::string none(terminal_.symbol("–", "-"));
    for (const auto& row : table.rows) {
      auto& line = rows.emplace_back();
      for (const auto& cell : row.cells) {
        if (cell.mark != Mark::none)
          line.push_back({symbol(cell.mark), style_of(cell.mark)});
        else
          line.push_back({cell.text.empty() ? none : plain(cell.text), style_of(cell.text)});
      }
    }
    // A column of signs explains itself.
    for (std::size_t c = 0; c < drawn.size() && !table.rows.empty(); ++c)
      if (table.rows.front().cells[c].mark != Mark::none) drawn[c].title.clear();
    terminal_.table(std::move(drawn), std::move(rows));
  }

  void one(const Pairs& list) {
    std::string line;
    for (const auto& [name, value] : list.pairs)
      line += (line.empty() ? "" : dot_) + words::clean(name) + " " + plain(value);
    terminal_.paragraph(line, 2, {}, Style::dim, Style::dim);
  }

  void one(const Details& details) {
    terminal_.heading(words::clean(details.title) +
                      (details.aside.empty() ? "" : " (" + words::clean(details.aside) + ")"));
    all(details.blocks);
  }

  void one(const Drawing& drawing) { all(drawing.instead); }

  void one(const Entries& list) {
    for (const auto& entry : list.all) {
      terminal_.paragraph(plain(entry.text), 4, "  -", Style::dim, style_of(entry.text));
      in_card_ = true;
      beside_ = below;
      all(entry.more);
      beside_ = beside;
      in_card_ = false;
    }
  }
  void one(const Explanation& explanation) { all(explanation.blocks); }

  void one(const Card& card) {
    std::string title = plain(card.title);
    if (!card.gain.size.empty())
      title += fmt::format(" {} {}{} ({})", terminal_.symbol("→", "->"), card.gain.size,
                           card.gain.rest, card.gain.basis);
    const std::string number = card.remark ? std::string() : fmt::format("{}", card.number);
    terminal_.paragraph(title, inside, fmt::format("{:>2} {}", number, symbol(card.mark)),
                        style_of(card.mark), Style::bold);
    in_card_ = true;
    if (!card.message.empty()) terminal_.paragraph(plain(card.message), inside);
    for (std::size_t i = 0; i < card.entries.size(); ++i) {
      const Entry& entry = card.entries[i];
      std::string text = plain(entry.text);
      while (entry.joined && i + 1 < card.entries.size() &&
             card.entries[i + 1].label == entry.label && card.entries[i + 1].joined)
        text += "; " + plain(card.entries[++i].text);
      one(Paragraph{Text(text), Look::normal, entry.label, entry.mark, entry.word});
      all(entry.more);
    }
    if (!card.rule.empty()) one(Paragraph{card.rule, Look::note, "rule"});
    in_card_ = false;
  }

  void one(const Summary& summary) {
    std::string line;
    for (const auto& [name, value] : summary.facts)
      line += (line.empty() ? "" : dot_) + (name.empty() ? "" : name + " ") + plain(value);
    terminal_.paragraph(line, 0, {}, Style::dim, Style::dim);
    terminal_.line();
    one(Paragraph{Text(summary.headline), Look::strong, {}, summary.mark, {}});
    if (!summary.assumption.empty()) one(Paragraph{Text(summary.assumption, Tone::dim)});
  }

  void one(const Section& section) {
    const std::string before = section.mark == Mark::none ? "" : symbol(section.mark) + "  ";
    terminal_.heading(words::shorten(before + words::clean(section.title),
                                     static_cast<std::size_t>(terminal_.width()) - 4));
    all(section.blocks);
  }

  Terminal& terminal_;
  std::string dot_;
  bool in_card_ = false;
  int beside_ = beside;  // where what belongs to an entry begins
};

}  // namespace

std::string plain(const Text& text) {
  std::string line;
  for (const auto& run : text.runs) {
    const std::string clean = words::clean(run.text);
    line += run.tone == Tone::code    ? "`" + clean + "`"
            : run.tone == Tone::quote ? "\"" + clean + "\""
            : run.tone == Tone::tag   ? "[" + clean + "]"
                                      : clean;
  }
  return line;
}

void draw(Terminal& terminal, const Blocks& blocks) { OnTerminal(terminal).all(blocks); }

}  // namespace rnnadvisor::advisor::document
