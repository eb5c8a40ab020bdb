#include <fmt/format.h>

#include <algorithm>

#include "advisor/report/html_parts.h"
#include "advisor/report/render.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::document {
namespace {

// Text of others: every character that Markdown or HTML would act on is escaped.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : words::clean(text)) {
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
      continue;
    }
    if (std::string_view("\\`*_{}[]()#|!~@").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  // A line that begins like a list, a numbered list or a rule would become one.
  if (!out.empty() && (out.front() == '-' || out.front() == '+' || out.front() == '='))
    out.insert(0, 1, '\\');
  return out;
}

// A fenced block that its content cannot close.
std::string fenced(std::string_view text) {
  const std::string lines = words::clean_lines(text);
  std::size_t longest = 0, run = 0;
  for (const char c : lines) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fence + "\n" + lines + (lines.empty() || lines.back() != '\n' ? "\n" : "") + fence + "\n";
}

// Inside a code span nothing can be escaped.
std::string code_span(const std::string& text) {
  return text.find_first_of("`|") == std::string::npos ? "`" + text + "`" : markdown_text(text);
}

std::string marked_down(const Text& text) {
  std::string out;
  for (const auto& run : text.runs) {
    std::string part;
    switch (run.tone) {
      case Tone::code:
      case Tone::name:
        part = code_span(words::clean(run.text));
        break;
      case Tone::quote:
        part = "“" + markdown_text(run.text) + "”";
        break;
      case Tone::tag:
        part = "\\[" + markdown_text(run.text) + "\\]";
        break;
      case Tone::strong:
        part = "**" + markdown_text(run.text) + "**";
        break;
      default:
        part = markdown_text(run.text);
        // The sign that begins a line is one; elsewhere it is text.
        if (!out.empty() && part.starts_with('\\') &&
            std::string_view("-+=").find(run.text.front()) != std::string_view::npos)
          part.erase(0, 1);
    }
    if (words::is_web_address(run.link))
      part = fmt::format("[{}]({})", part, words::clean(run.link));
    out += part;
  }
  return out;
}

class AsMarkdown {
 public:
  explicit AsMarkdown(int level) : level_(level) {}

  void all(const Blocks& blocks) {
    for (const auto& block : blocks) std::visit([this](const auto& each) { one(each); }, block.is);
  }
  std::string take() { return std::move(out_); }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void heading(const std::string& text) {
    put("{} {}\n\n", std::string(static_cast<std::size_t>(level_), '#'), text);
  }

  static std::string line(const Paragraph& p) {
    std::string text = marked_down(p.text);
    if (!p.word.empty()) text = p.word + (text.empty() ? "" : ", ") + text;
    if (!p.label.empty()) text = fmt::format("**{}:** {}", p.label, text);
    return text;
  }

  void one(const Paragraph& p) {
    if (in_card_)
      put("  - {}\n", line(p));
    else if (p.look == Look::strong)
      put("**{}**\n\n", line(p));
    else
      put("{}{}\n\n", line(p), p.label.empty() ? "" : ".");
  }

  void one(const List& list) {
    for (const auto& item : list.items) {
      const auto emoji = sign(item.mark).emoji;
      put("{}- {}{}{}\n", in_card_ ? "  " : "", emoji, emoji.empty() ? "" : " ", line(item));
    }
    if (!in_card_ && !list.items.empty()) put("\n");
  }

  void one(const Code& code) { put("{}{}\n", in_card_ ? "\n" : "", fenced(code.text)); }

  void one(const Table& given) {
    const Table table = visible(given);
    if (!table.title.empty()) {
      ++level_;
      heading(markdown_text(table.title) + (table.aside.empty() ? "" : " (" + table.aside + ")"));
      --level_;
    }
    for (const auto& c : table.columns) put("| {} ", markdown_text(c.title));
    put("|\n");
    for (const auto& c : table.columns) put("{}", c.number ? "|---:" : "|---");
    put("|\n");
    for (const auto& row : table.rows) {
      for (const auto& cell : row.cells) {
        const auto emoji = sign(cell.mark).emoji;
        put("| {}{}{} ", emoji, emoji.empty() || cell.text.empty() ? "" : " ",
            cell.text.empty() && emoji.empty() ? "–" : marked_down(cell.text));
      }
      put("|\n");
    }
    put("\n");
  }

  void one(const Pairs& list) {
    std::string text;
    for (const auto& [name, value] : list.pairs) {
      if (list.parameters)
        text += fmt::format("{}`{}` {}", text.empty() ? "" : " · ", name, marked_down(value));
      else
        text += fmt::format("- {}: {}\n", markdown_text(name), marked_down(value));
    }
    if (!text.empty()) put("{}{}\n", text, list.parameters ? "\n" : "");
  }

  void one(const Details& details) {
    // Markup, in which Markdown escapes nothing.
    put("<details><summary>{}</summary>\n\n", html::esc(details.title));
    all(details.blocks);
    put("</details>\n\n");
  }

  void one(const Drawing& drawing) { all(drawing.instead); }

  void entries(const std::vector<Entry>& all_entries) {
    in_card_ = true;
    for (const auto& entry : all_entries) {
      put("- {}\n", line({entry.text, Look::normal, entry.label, entry.mark, entry.word}));
      all(entry.more);
    }
    in_card_ = false;
  }
  void one(const Entries& list) {
    entries(list.all);
    put("\n");
  }
  void one(const Explanation& explanation) {
    put("{}{}\n", explanation.markdown, explanation.markdown.ends_with('\n') ? "" : "\n");
  }

  void one(const Card& card) {
    ++level_;
    heading((card.remark ? std::string() : fmt::format("{}. ", card.number)) +
            marked_down(card.title));
    --level_;
    put("*{}*", card.word);
    if (const auto& gain = card.gain; !gain.size.empty()) {
      put(", gain **{}{}** ({}{}{})", markdown_text(gain.size), markdown_text(gain.rest),
          gain.basis, gain.source.empty() ? "" : ": ", markdown_text(gain.source));
    }
    put("\n\n{}\n\n", marked_down(card.message));
    entries(card.entries);
    if (!card.rule.empty()) put("- **Rule:** {}\n", marked_down(card.rule));
    put("\n");
  }

  void one(const Summary& summary) {
    put("# RNN advisor report\n\n**{}**\n\n", markdown_text(summary.headline));
    if (!summary.assumption.empty()) put("{}\n\n", markdown_text(summary.assumption));
    std::string facts;
    for (const auto& [count, severity] : summary.counts)
      facts += fmt::format("{}{} {}", facts.empty() ? "" : ", ", count,
                           words::severity_plural(severity, count));
    for (const auto& [name, value] : summary.facts)
      facts += (facts.empty() ? "" : " · ") + (name.empty() ? "" : name + " ") + marked_down(value);
    if (!facts.empty()) put("{}\n\n", facts);
  }

  void one(const Section& section) {
    const auto emoji = sign(section.mark).emoji;
    if (!section.title.empty())
      heading(fmt::format("{}{}{}", emoji, emoji.empty() ? "" : " ",
                          markdown_text(words::shorten(words::clean(section.title), 120))));
    all(section.blocks);
  }

  std::string out_;
  int level_;
  bool in_card_ = false;
};

}  // namespace

std::string markdown(const Blocks& blocks, int level) {
  AsMarkdown writer(level);
  writer.all(blocks);
  return writer.take();
}

}  // namespace rnnadvisor::advisor::document
