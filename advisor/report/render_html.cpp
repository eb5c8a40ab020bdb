#include <fmt/format.h>

#include <string_view>

#include "advisor/report/render.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::document {
namespace {

using html::esc;

std::string chip(Mark mark, std::string_view word) {
  return fmt::format("<span class=\"chip {}\"><span aria-hidden=\"true\">{}</span> {}</span>",
                     sign(mark).type, sign(mark).unicode, word);
}

std::string element(std::string_view tag, std::string_view type, const std::string& text) {
  return fmt::format("<{0}{1}{2}{3}>{4}</{0}>", tag, type.empty() ? "" : " class=\"", type,
                     type.empty() ? "" : "\"", text);
}

std::string marked_up(const Text& text) {
  std::string out;
  for (const auto& run : text.runs) {
    std::string part = esc(run.text);
    switch (run.tone) {
      case Tone::plain:
        break;
      case Tone::strong:
        part = element("strong", "", part);
        break;
      case Tone::dim:
        part = element("span", "muted", part);
        break;
      case Tone::code:
      case Tone::name:
        part = element("code", "", part);
        break;
      case Tone::quote:
        part = element("em", "muted", fmt::format("“{}”", part));
        break;
      case Tone::tag:
        part = element("span", "tag", part);
        break;
      case Tone::good:
        part = element("strong", "", part);
        break;
      case Tone::bad:
        part = element("span", "wrong", part);
        break;
    }
    if (run.link.starts_with('#'))
      part = fmt::format("<a href=\"{}\">{}</a>", esc(run.link), part);
    else if (words::is_web_address(run.link))
      part = fmt::format("<a href=\"{}\" rel=\"noreferrer noopener\">{}</a>", esc(run.link), part);
    out += part;
  }
  return out;
}

class AsHtml {
 public:
  explicit AsHtml(html::Page& page) : page_(page) {}

  void all(const Blocks& blocks) {
    for (const auto& block : blocks) std::visit([this](const auto& each) { one(each); }, block.is);
  }

 private:
  static std::string line(const Paragraph& p) {
    std::string text = marked_up(p.text);
    if (p.mark != Mark::none) text = chip(p.mark, p.word) + " " + text;
    return p.label.empty() || p.mark != Mark::none ? text : fmt::format("{}: {}", p.label, text);
  }

  void one(const Paragraph& p) {
    std::string_view type = in_card_ ? "muted" : "";
    if (p.mark != Mark::none) type = "tried";
    if (p.look == Look::note && !in_card_) type = "muted small";
    if (p.look == Look::lead) type = "lead";
    if (p.look == Look::empty) type = "empty";
    const std::string text = line(p) + (p.label.empty() || in_card_ ? "" : ".");
    page_.raw(element("p", type, p.look == Look::strong ? element("strong", "", text) : text));
  }

  void one(const List& list) {
    if (list.items.empty()) return;
    page_.raw("<ul class=\"plain\">");
    for (const auto& item : list.items)
      page_.raw(element("li", item.look == Look::note ? "muted small" : "", line(item)));
    page_.raw("</ul>");
  }

  void one(const Code& code) {
    page_.put("<pre tabindex=\"0\"><code>{}</code></pre>", html::esc_lines(code.text));
  }

  void one(const Table& given) {
    const Table table = visible(given);
    const std::string title = table.title.empty() ? within_ : table.title;
    page_.put(
        "<div class=\"scroll{}\" tabindex=\"0\" role=\"group\" "
        "aria-label=\"{}\"><table{}><caption{}"
        ">{}{}</caption><thead><tr>",
        table.sortable ? " tall" : "", esc(title), table.sortable ? " class=\"sortable\"" : "",
        table.title.empty() || table.sortable ? " class=\"hidden\"" : "", esc(title),
        table.aside.empty() ? "" : fmt::format(" <span class=\"muted\">({})</span>", table.aside));
    for (const auto& c : table.columns) {
      // A heading without text would be none.
      if (c.title.empty())
        page_.raw("<td></td>");
      else
        page_.put("<th scope=\"col\"{}>{}</th>", c.number ? " class=\"num\"" : "", esc(c.title));
    }
    page_.raw("</tr></thead><tbody>");
    for (const auto& row : table.rows) {
      page_.raw(row.id.empty() ? "<tr>" : fmt::format("<tr id=\"{}\">", row.id));
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const Cell& cell = row.cells[i];
        const Column& c = table.columns[i];
        const std::string text = cell.mark != Mark::none ? chip(cell.mark, plain(cell.text))
                                 : cell.text.empty()     ? "<span class=\"muted\">–</span>"
                                                         : marked_up(cell.text);
        const std::string sort = table.sortable && (c.number || !cell.sort.empty())
                                     ? fmt::format(" data-v=\"{}\"", esc(cell.sort))
                                     : std::string();
        page_.put("<{0}{1}{2}{3}>{4}</{0}>", c.head ? "th" : "td", c.head ? " scope=\"row\"" : "",
                  c.number ? " class=\"num\"" : "", sort, text);
      }
      page_.raw("</tr>");
    }
    page_.raw("</tbody></table></div>");
  }

  void pairs(const std::vector<std::pair<std::string, Text>>& list, std::string_view type) {
    page_.put("<dl class=\"{}\">", type);
    for (const auto& [name, value] : list)
      page_.put("<div><dt>{}</dt><dd>{}</dd></div>", esc(name), marked_up(value));
    page_.raw("</dl>");
  }
  void one(const Pairs& list) { pairs(list.pairs, list.parameters ? "parameters" : "rows"); }

  void one(const Details& details) {
    page_.put("<details{}><summary>{}", details.open ? " open" : "", esc(details.title));
    if (details.count >= 0) page_.put(" <span class=\"count\">{}</span>", details.count);
    if (!details.aside.empty()) page_.put(" <span class=\"muted\">{}</span>", esc(details.aside));
    page_.raw("</summary>");
    const std::string before = std::exchange(within_, details.title);
    all(details.blocks);
    within_ = before;
    page_.raw("</details>");
  }

  void one(const Drawing& drawing) {
    if (drawing.html)
      page_.raw(drawing.html());
    else
      all(drawing.instead);
  }

  // Entries with one label stand below each other beside it.
  void entries(const std::vector<Entry>& all_entries) {
    for (std::size_t i = 0; i < all_entries.size();) {
      std::size_t end = i + 1;
      while (end < all_entries.size() && all_entries[end].label == all_entries[i].label) ++end;
      const bool several = end - i > 1;
      page_.put("<div{}><dt>{}</dt><dd>{}", all_entries[i].label == "Do" ? " class=\"do\"" : "",
                all_entries[i].label, several ? "<ul class=\"plain\">" : "");
      for (; i < end; ++i) {
        const Entry& entry = all_entries[i];
        if (several) page_.raw("<li>");
        const std::string text = entry.mark == Mark::none
                                     ? marked_up(entry.text)
                                     : chip(entry.mark, entry.word) + " " + marked_up(entry.text);
        page_.raw(element("p", entry.mark == Mark::none ? "" : "tried", text));
        all(entry.more);
        if (several) page_.raw("</li>");
      }
      page_.put("{}</dd></div>", several ? "</ul>" : "");
    }
  }

  void one(const Entries& list) { entries(list.all); }
  void one(const Explanation& explanation) { all(explanation.blocks); }

  void one(const Card& card) {
    const std::string id =
        card.id.empty() ? fmt::format("{}{}", card.remark ? 'r' : 'f', card.number) : card.id;
    page_.put(
        "<article class=\"finding {0}\" id=\"{1}\" aria-labelledby=\"{1}-h\"><header><h3 "
        "id=\"{1}-h\">{2}{3}</h3>{4}<a class=\"anchor\" href=\"#{1}\" aria-label=\"Link to {5} "
        "{6}\">#</a></header>",
        sign(card.mark).type, id,
        card.remark ? std::string() : fmt::format("<span class=\"rank\">{}</span>", card.number),
        marked_up(card.title), chip(card.mark, card.word),
        !card.id.empty() ? "error"
        : card.remark    ? "remark"
                         : "finding",
        card.number);
    if (const auto& gain = card.gain; !gain.size.empty()) {
      page_.put("<p class=\"gain\"><strong>{}</strong>{} <span class=\"basis {}\">{}</span>{}</p>",
                esc(gain.size), esc(gain.rest), gain.type, gain.basis,
                gain.source.empty() ? "" : " " + element("span", "muted", esc(gain.source)));
    }
    page_.put("<p class=\"message\">{}</p><dl class=\"rows\">", marked_up(card.message));
    in_card_ = true;
    entries(card.entries);
    in_card_ = false;
    page_.raw("</dl>");
    if (!card.rule.empty()) page_.raw(element("p", "rule", marked_up(card.rule)));
    page_.raw("</article>");
  }

  void one(const Summary& summary) {
    page_.put("<section id=\"summary\" class=\"hero {}\" aria-labelledby=\"headline\">",
              sign(summary.mark).type);
    if (!summary.counts.empty())
      page_.raw(element("p", "eyebrow", chip(summary.mark, summary.word)));
    const std::string_view headline = summary.headline;
    const auto end = summary.title > 0 ? summary.title : headline.size();
    page_.put("<h1 id=\"headline\">{}", esc(headline.substr(0, end)));
    if (end < headline.size()) page_.put("<small>{}</small>", esc(headline.substr(end)));
    page_.raw("</h1>");
    if (!summary.assumption.empty()) page_.raw(element("p", "muted", esc(summary.assumption)));
    if (!summary.counts.empty()) {
      page_.raw("<ul class=\"counts\">");
      for (const auto& [count, severity] : summary.counts)
        page_.put("<li class=\"{}{}\"><strong>{}</strong> {}</li>", to_string(severity),
                  count == 0 ? " none" : "", count, words::severity_plural(severity, count));
      page_.raw("</ul>");
    } else {
      page_.raw(
          "<p>Run or check at least one configuration and its report appears here: "
          "<code>rnnadvisor check --cell lstm --hidden-size 1024</code>.</p>");
    }
    auto facts = summary.facts;
    for (auto& [name, value] : facts)
      if (name.empty()) name = "Device";
    pairs(facts, "facts");
    page_.raw("</section>");
  }

  void one(const Section& section) {
    const auto& id = section.id;
    const std::string title = esc(words::shorten(words::clean(section.title), 160));
    switch (section.form) {
      case Section::Form::section:
      case Section::Form::panel:
        page_.put("<section id=\"{0}\" aria-labelledby=\"{0}-h\"><h2 id=\"{0}-h\">{1}</h2>{2}", id,
                  title, section.form == Section::Form::panel ? "<div class=\"panel\">" : "");
        all(section.blocks);
        page_.put("{}</section>", section.form == Section::Form::panel ? "</div>" : "");
        break;
      case Section::Form::card:
        page_.put("<article class=\"card\" id=\"{}\"><h3 class=\"name\">{}</h3>", id, title);
        all(section.blocks);
        page_.raw("</article>");
        break;
      case Section::Form::folded_card:
        page_.put(
            "<details class=\"card\" id=\"{}\"{}><summary><h3 class=\"name\">{}</h3>{}<span "
            "class=\"muted step\">{}</span></summary>",
            id, section.open ? " open" : "", title, chip(section.mark, section.word),
            section.aside);
        all(section.blocks);
        page_.raw("</details>");
        break;
    }
  }

  html::Page& page_;
  std::string within_;  // the title of the details around
  bool in_card_ = false;
};

}  // namespace

void draw(html::Page& page, const Blocks& blocks) { AsHtml(page).all(blocks); }

}  // namespace rnnadvisor::advisor::document
