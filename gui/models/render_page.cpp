#include "gui/models/render_page.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "advisor/report/words.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

namespace content = advisor::document;
namespace words = advisor::words;

QString between() { return QStringLiteral(" · "); }

QColor color_of(const Theme& theme, content::Mark mark) {
  const auto type = content::sign(mark).type;
  return type == "error"         ? theme.error
         : type == "warning"     ? theme.warning
         : type == "opportunity" ? theme.opportunity
         : type == "info"        ? theme.info
         : type == "fine"        ? theme.good
                                 : theme.dim_text;
}

// What a link of a document leads to in the window.
std::optional<Link> target_of(const std::string& link) {
  const QString text = to_qt(link);
  const auto item = [&](ItemKind kind, qsizetype from) -> std::optional<Link> {
    bool good = false;
    const int index = text.mid(from).toInt(&good);
    return good ? std::optional(Link::to({kind, index})) : std::nullopt;
  };
  if (text.startsWith(QLatin1String("#c"))) return item(ItemKind::configuration, 2);
  if (text.startsWith(QLatin1String("finding:"))) return item(ItemKind::finding, 8);
  if (text.startsWith(QLatin1String("site:"))) return parse_link(text);
  if (text.startsWith(QLatin1String("rule:"))) return Link::to_rule(text.mid(5));
  if (words::is_web_address(link)) return Link::to_address(text);
  return std::nullopt;
}

class OnPage {
 public:
  OnPage(Page& page, const PageOptions& options) : page_(page), options_(options) {}

  void all(const content::Blocks& blocks) {
    for (const auto& block : blocks) std::visit([this](const auto& each) { one(each); }, block.is);
  }

 private:
  QString toned(const content::Run& run) const {
    QString text = Page::escape(run.text);
    switch (run.tone) {
      case content::Tone::plain:
        break;
      case content::Tone::strong:
        return page_.strong(text);
      case content::Tone::dim:
        return page_.dim(text);
      case content::Tone::code:
        return QStringLiteral("<code>%1</code>").arg(text);
      case content::Tone::name:
        return QStringLiteral("<code>%1</code>").arg(Page::breakable(run.text));
      case content::Tone::quote:
        return page_.dim(QStringLiteral("<i>“%1”</i>").arg(text));
      case content::Tone::tag:
        return QStringLiteral("<span style=\"background-color:%1; color:%2\">&nbsp;%3&nbsp;</span>")
            .arg(page_.theme().raised.name(), page_.theme().dim_text.name(), text);
      case content::Tone::good:
        return page_.colored(page_.strong(text), page_.theme().good);
      case content::Tone::bad:
        return page_.colored(page_.strong(text), page_.theme().error);
    }
    return text;
  }

  QString html(const content::Text& text) const {
    QString out;
    for (const auto& run : text.runs) {
      const auto* rule = run.tone == content::Tone::code && options_.rules != nullptr
                             ? options_.rules->find(run.text)
                             : nullptr;
      const auto target = target_of(run.link);
      if (rule != nullptr)
        out += QStringLiteral("“%1”").arg(
            page_.link(Link::to_rule(to_qt(rule->id)), Page::prose(rule->title)));
      else
        out += target ? page_.link(*target, toned(run)) : toned(run);
    }
    return out;
  }

  QString line(const content::Paragraph& p) const {
    QString text = html(p.text);
    if (p.look == content::Look::strong) text = page_.strong(text);
    if (p.look == content::Look::note || p.look == content::Look::empty) text = page_.dim(text);
    const QString label = p.label.empty() ? QString() : Page::escape(p.label + ": ");
    if (p.mark == content::Mark::none) return page_.dim(label) + text;
    QString word = label.isEmpty() ? sign(page_, p.mark) : label;
    if (!label.isEmpty() || !p.word.empty())
      word = page_.colored(page_.strong(label + Page::escape(p.word)),
                           color_of(page_.theme(), p.mark));
    return text.isEmpty() ? word : word + between() + text;
  }

  void one(const content::Paragraph& p) {
    if (p.look == content::Look::note || p.look == content::Look::lead)
      page_.small(line(p));
    else
      page_.paragraph(line(p));
  }

  void one(const content::List& list) {
    for (auto item : list.items) {
      const content::Mark mark = std::exchange(item.mark, content::Mark::none);
      page_.item(line(item), mark == content::Mark::none ? QStringLiteral("•") : sign(page_, mark));
    }
  }

  void one(const content::Code& code) { page_.code(to_qt(words::clean_lines(code.text))); }

  QString cell(const content::Cell& cell) const {
    return cell.mark == content::Mark::none ? html(cell.text) : sign(page_, cell.mark);
  }

  void one(const content::Table& given) {
    const content::Table table = visible(given);
    if (!table.title.empty()) page_.heading(Page::escape(table.title));
    if (options_.lines) return lines(table);
    QStringList header;
    std::vector<std::vector<Page::Cell>> rows;
    for (const auto& column : table.columns) header << Page::escape(column.title);
    for (const auto& row : table.rows) {
      auto& cells = rows.emplace_back();
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        // A column of signs explains itself.
        if (row.cells[i].mark != content::Mark::none) header[static_cast<qsizetype>(i)].clear();
        cells.push_back({cell(row.cells[i]), table.columns[i].number});
      }
    }
    if (!rows.empty() && !rows.front().empty()) page_.table(header, rows);
  }

  void lines(const content::Table& table) {
    for (const auto& row : table.rows) {
      QStringList texts;
      for (std::size_t i = 1; i < row.cells.size(); ++i) texts << cell(row.cells[i]);
      page_.line(cell(row.cells.front()), texts.join(between()));
    }
  }

  void one(const content::Pairs& list) {
    std::vector<std::vector<Page::Cell>> rows;
    for (const auto& [name, value] : list.pairs)
      rows.push_back({{page_.dim(Page::escape(name))}, {html(value)}});
    page_.table({}, rows);
  }

  void one(const content::Details& details) {
    QString title = Page::escape(details.title);
    if (details.count >= 0) title += QLatin1Char(' ') + QString::number(details.count);
    page_.heading(title);
    if (!details.aside.empty()) page_.small(Page::escape(details.aside));
    all(details.blocks);
  }

  void one(const content::Drawing& drawing) { all(drawing.instead); }
  void one(const content::Explanation& explanation) { all(explanation.blocks); }
  void one(const content::Entries& list) { entries(list.all); }

  // Each label once, as the heading of its entries.
  void entries(const std::vector<content::Entry>& all_entries) {
    for (std::size_t i = 0; i < all_entries.size();) {
      const auto& first = all_entries[i];
      const auto end = static_cast<std::size_t>(
          std::find_if(all_entries.begin() + static_cast<std::ptrdiff_t>(i), all_entries.end(),
                       [&](const content::Entry& each) { return each.label != first.label; }) -
          all_entries.begin());
      const bool in_line = first.look == content::Look::note || first.mark != content::Mark::none;
      if (!first.label.empty() && !in_line) page_.heading(Page::escape(first.label));
      const bool several = end - i > 1 || first.label.empty();
      for (; i < end; ++i) entry(all_entries[i], in_line, several);
    }
  }

  void entry(const content::Entry& entry, bool labelled, bool item) {
    QString text = line({entry.text, content::Look::normal, labelled ? entry.label : std::string(),
                         entry.mark, entry.word});
    auto more = entry.more.begin();
    for (; more != entry.more.end(); ++more) {
      const auto* p = std::get_if<content::Paragraph>(&more->is);
      if (p == nullptr) break;
      text += QStringLiteral("<br>") + line(*p);
    }
    if (entry.look == content::Look::note)
      page_.small(text);
    else if (item)
      page_.item(text);
    else
      page_.paragraph(text);
    all(content::Blocks(more, entry.more.end()));
    if (options_.act && entry.subject != content::Entry::Subject::none) options_.act(entry);
  }

  void one(const content::Card& card) {
    const QString word =
        page_.strong(sign(page_, card.mark) + QLatin1Char(' ') +
                     page_.colored(Page::escape(card.word), color_of(page_.theme(), card.mark)));
    page_.small(card.rule.empty() ? word : word + between() + html(card.rule));
    page_.title(html(card.title));
    if (!card.gain.size.empty()) gain(card.gain);
    page_.paragraph(html(card.message));
    entries(card.entries);
  }

  void gain(const content::GainText& gain) {
    const auto& theme = page_.theme();
    page_.paragraph(
        QStringLiteral("<span style=\"font-size:large; font-weight:600; color:%1\">%2</span>")
            .arg((gain.another_model ? theme.dim_text : theme.good).name(),
                 Page::escape(gain.size)) +
        Page::escape(gain.rest) +
        page_.dim(
            between() + Page::escape(gain.basis) +
            (gain.source.empty() ? QString() : QStringLiteral(": ") + Page::escape(gain.source))));
  }

  void one(const content::Summary& summary) { page_.paragraph(Page::escape(summary.headline)); }

  void one(const content::Section& section) {
    const QString title = Page::escape(section.title);
    if (section.form == content::Section::Form::section ||
        section.form == content::Section::Form::panel) {
      if (!title.isEmpty()) page_.heading(title);
    } else {
      page_.small(page_.strong(
          sign(page_, section.mark) + QLatin1Char(' ') +
          page_.colored(Page::escape(section.word), color_of(page_.theme(), section.mark))));
      page_.title(title);
    }
    all(section.blocks);
  }

  Page& page_;
  const PageOptions& options_;
};

}  // namespace

void draw(Page& page, const content::Blocks& blocks, const PageOptions& options) {
  OnPage(page, options).all(blocks);
}

QString sign(const Page& page, content::Mark mark) {
  return page.colored(to_qt(content::sign(mark).unicode), color_of(page.theme(), mark));
}

}  // namespace rnnadvisor::gui
