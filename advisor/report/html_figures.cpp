// The figures of a sweep: charts, what the document says that the figure repeats, and the values.
#include "advisor/report/charts.h"
#include "advisor/report/figure_claims.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/html_svg.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::html {
namespace {

void charts(Page& page, const FigureReport& figure, const std::string& id) {
  const auto all = chart::figure_charts(figure);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string drawn =
        svg_of(all[i].lines, figure_width, fmt::format("{}-{}", id, i), figure.figure->title);
    if (all[i].caption.empty())
      page.raw(drawn);
    else
      page.put("<figure><figcaption>{}</figcaption>{}</figure>", esc(all[i].caption), drawn);
  }
}

void values(Page& page, const FigureReport& figure) {
  page.put(
      "<details><summary>Values</summary><div class=\"scroll\" tabindex=\"0\" "
      "role=\"group\" aria-label=\"Values\"><table><caption>{} by {}</caption><thead><tr><th "
      "scope=\"col\">Series</th><th scope=\"col\" class=\"num\">{}</th><th scope=\"col\" "
      "class=\"num\">{}</th><th scope=\"col\">Interval</th></tr></thead><tbody>",
      esc(figure.y_label), esc(figure.x_label), esc(figure.x_label), esc(figure.y_label));
  for (const auto& series : figure.series) {
    for (const auto& p : series.points) {
      page.put(
          "<tr><th scope=\"row\">{}</th><td class=\"num\">{}</td><td "
          "class=\"num\">{}</td><td>{}</td></tr>",
          esc(series.name), chart::tick_label(p.x), words::number(p.y),
          p.high > p.low ? fmt::format("{} to {}", words::number(p.low), words::number(p.high))
                         : "<span class=\"muted\">–</span>");
    }
    for (const auto& missing : series.missing)
      page.put("<tr><th scope=\"row\">{}</th><td colspan=\"3\" class=\"muted\">{}</td></tr>",
               esc(series.name), esc(missing));
  }
  page.raw("</tbody></table></div></details>");
}

std::string claim(const FigureReport& figure, const std::vector<FigureReport>& all) {
  const std::string here = claim_words(figure, all);
  return here.empty() ? std::string() : "<p><strong>" + esc(here) + "</strong></p>";
}

}  // namespace

void figures(Page& page, const Report& report) {
  if (report.figures.empty()) return;
  page.raw(
      "<section id=\"figures\" aria-labelledby=\"figures-h\"><h2 id=\"figures-h\">Figures</h2>");
  for (std::size_t i = 0; i < report.figures.size(); ++i) {
    const FigureReport& f = report.figures[i];
    page.put("<article class=\"panel figure\"><h3>{}</h3><div class=\"beside\"><div>",
             esc(f.figure->title));
    charts(page, f, fmt::format("fig{}", i));
    page.raw("</div>");
    if (!f.figure->statement.empty())
      page.put(
          "<aside><h4>What the document says</h4><p>{}</p><p class=\"muted "
          "small\">{}</p>{}</aside>",
          esc(f.figure->statement), esc(f.figure->source), claim(f, report.figures));
    page.raw("</div>");
    values(page, f);
    page.raw("</article>");
  }
  page.raw("</section>");
}

}  // namespace rnnadvisor::advisor::html
