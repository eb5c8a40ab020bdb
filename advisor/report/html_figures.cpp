// The figures of a sweep: charts, what the document says that the figure repeats, and the values.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "advisor/report/chart.h"
#include "advisor/report/figure_claims.h"
#include "advisor/report/figures.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/html_svg.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::html {
namespace {

using chart::Axis;

struct Chart {
  std::vector<std::size_t> series;  // those that are drawn
  bool logarithmic = false;         // the y axis
};

struct Range {
  double least = 0, most = 0;  // of the values, intervals included at the upper end
  std::vector<double> xs;
};

Range range_of(const FigureReport& figure, const std::vector<std::size_t>& drawn) {
  Range range;
  for (const std::size_t i : drawn) {
    for (const auto& p : figure.series[i].points) {
      range.xs.push_back(p.x);
      range.most = std::max({range.most, p.y, p.high});
      range.least = range.least == 0 ? p.y : std::min(range.least, p.y);
    }
  }
  return range;
}

void draw_series(Svg& svg, const FigureReport& figure, std::size_t i, const Axis& x,
                 const Axis& y) {
  const auto& series = figure.series[i];
  std::vector<std::pair<double, double>> line;
  for (const auto& p : series.points) line.emplace_back(x.scale(p.x), y.scale(p.y));
  svg.polyline(line, fmt::format("series s{}", i % 6));
  for (const auto& p : series.points) {
    if (p.high > p.low)
      svg.line(x.scale(p.x), y.scale(p.low), x.scale(p.x), y.scale(p.high),
               fmt::format("interval s{}", i % 6));
    svg.marker(i, x.scale(p.x), y.scale(p.y),
               fmt::format("{}, {} {}: {} ({})", series.name, figure.x_label,
                           chart::tick_label(p.x), words::number(p.y), figure.y_label));
  }
}

std::string draw(const FigureReport& figure, const Chart& chart, const std::string& id) {
  const Range range = range_of(figure, chart.series);
  if (range.xs.empty()) return {};
  constexpr double width = 760;
  constexpr double height = 380;
  constexpr std::size_t name_length = 24;
  double label_room = 60;
  for (const std::size_t i : chart.series) {
    const auto name = words::shorten(figure.series[i].name, name_length);
    label_room = std::max(label_room, 26 + text_width(name));
  }
  const Frame f = {62, 14, width - label_room, height - 50};
  const bool log_x = chart::doubles(range.xs);
  const Axis x = chart::value_axis(log_x ? chart::ScaleKind::log2 : chart::ScaleKind::linear,
                                   range.xs, f.left + 14, f.right - 10, 34);
  // Nothing on the edge of the plot.
  const Axis y = chart.logarithmic
                     ? chart::log10_axis(range.least * 0.9, range.most * 1.1, f.bottom, f.top)
                     : chart::linear_axis(range.most, 6, f.bottom, f.top);
  Svg svg(width, height, id, figure.figure->title,
          fmt::format("{} over {}; the values are in the table below.", figure.y_label,
                      figure.x_label));
  draw_axes(svg, f, x, y, figure.x_label + (log_x ? " (logarithmic)" : ""),
            figure.y_label + (chart.logarithmic ? " (logarithmic)" : ""));
  std::vector<double> wanted;
  for (const std::size_t i : chart.series)
    wanted.push_back(y.scale(figure.series[i].points.back().y) + 4);
  const auto placed = chart::spread(wanted, 17, f.top + 8, f.bottom);
  for (std::size_t n = 0; n < chart.series.size(); ++n) {
    const std::size_t i = chart.series[n];
    draw_series(svg, figure, i, x, y);
    const auto& last = figure.series[i].points.back();
    if (x.scale(last.x) + 16 < f.right - 10 || std::fabs(placed[n] - wanted[n]) > 4)
      svg.line(x.scale(last.x) + 6, y.scale(last.y), f.right + 2, placed[n] - 4, "leader");
    svg.text(f.right + 8, placed[n], words::shorten(figure.series[i].name, name_length),
             fmt::format("direct s{}", i % 6));
  }
  return svg.take();
}

// All series, and where some dwarf the others these once more for themselves.
void charts(Page& page, const FigureReport& figure, const std::string& id) {
  Chart whole;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    if (!figure.series[i].points.empty()) whole.series.push_back(i);
  }
  const Range range = range_of(figure, whole.series);
  const Chart part = {dwarfed_series(figure), false};
  whole.logarithmic = range.least > 0 && (range.most / range.least > 20 || !part.series.empty());
  if (part.series.empty()) {
    page.raw(draw(figure, whole, id));
    return;
  }
  std::string without;
  for (const std::size_t i : whole.series) {
    if (std::find(part.series.begin(), part.series.end(), i) != part.series.end()) continue;
    without += (without.empty() ? "" : ", ") + figure.series[i].name;
  }
  page.put("<figure><figcaption>All, logarithmic axis</figcaption>{}</figure>",
           draw(figure, whole, id));
  page.put("<figure><figcaption>Without {}, linear axis</figcaption>{}</figure>", esc(without),
           draw(figure, part, id + "-part"));
}

void legend(Page& page, const FigureReport& figure) {
  page.raw("<ul class=\"legend\">");
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const bool empty = figure.series[i].points.empty();
    page.raw("<li>");
    if (!empty) {
      page.put(
          "<svg class=\"line-key\" viewBox=\"0 0 34 12\" aria-hidden=\"true\"><line x1=\"0\" "
          "y1=\"6\" x2=\"34\" y2=\"6\" class=\"series s{0}\"/><path d=\"{1}\" class=\"mark "
          "s{0}\"/></svg>",
          i % 6, marker_path(i, 17, 6));
    }
    page.put("{}{}</li>", esc(words::shorten(figure.series[i].name, 60)),
             empty ? " (no values)" : "");
  }
  page.raw("</ul>");
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
    legend(page, f);
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
