// The HTML report: one self-contained page without requests. Parts in html_*.cpp, style and script
// in assets/.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "advisor/report/content.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/render.h"
#include "advisor/report/report_hashes.h"
#include "advisor/report/words.h"
#include "core/base/embedded.h"

namespace rnnadvisor::embedded {
std::span<const EmbeddedFile> report_assets();
}

namespace rnnadvisor::advisor {
namespace html {
std::string esc(std::string_view text) { return words::escape_markup(words::clean(text)); }
std::string esc_lines(std::string_view text) {
  return words::escape_markup(words::clean_lines(text));
}
std::string folding_tools() {
  return "<p class=\"muted small paper\">Details that were folded when this was printed are left "
         "out.</p><p class=\"tools\" hidden><button type=\"button\" id=\"unfold\">Unfold "
         "all</button> "
         "<button type=\"button\" id=\"fold\">Fold all</button></p>";
}

namespace {

std::string_view asset(std::string_view name) {
  for (const auto& file : embedded::report_assets()) {
    if (file.name == name) return file.text;
  }
  return {};
}

void navigation(Page& page, const Report& report) {
  page.raw(
      "<nav class=\"toc\" aria-label=\"Contents\"><ul><li><a href=\"#summary\">Summary</a></li>");
  const auto entry = [&](std::string_view id, std::string_view label, std::size_t count) {
    page.put("<li><a href=\"#{}\">{}", id, label);
    if (count > 0) page.put(" <span class=\"count\">{}</span>", count);
    page.raw("</a></li>");
  };
  if (report.end) entry("end", "How the program ended", 0);
  if (const auto steps = report.judgement->steps.size(); steps > 0)
    entry("step", "A step of the program", steps > 1 ? steps : 0);
  if (!report.figures.empty()) entry("figures", "Figures", report.figures.size());
  if (!report.actions.empty()) entry("actions", words::what_to_do(report), report.actions.size());
  if (!report.configurations.empty())
    entry("configurations", report.shown() == 1 ? "Configuration" : "Configurations",
          report.shown() == 1 ? 0 : report.shown());
  if (!report.remarks.empty()) entry("remarks", "Remarks", report.remarks.size());
  if (!report.configurations.empty()) entry("rules", "Rules", 0);
  entry("environment", "Environment", 0);
  page.raw("</ul></nav>");
}

}  // namespace

std::string whole_page(std::string_view title, std::string_view navigation, std::string_view body,
                       std::string_view footer) {
  const std::string_view style = asset("report.css");
  const std::string_view script = asset("report.js");
  Page page;
  page.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  page.put(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action "
      "'none'\">\n",
      report_css_sha256, report_js_sha256);
  page.raw(
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
      "name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n");
  page.put("<title>{} – rnnadvisor</title>\n", esc(words::shorten(title, 90)));
  page.raw("<style>");
  page.raw(style);
  page.raw(
      "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header "
      "class=\"top\"><p class=\"brand\"><strong>rnnadvisor</strong> report</p>"
      "<button type=\"button\" id=\"theme\" hidden>Dark theme</button></header>\n<div "
      "class=\"shell\">\n");
  page.raw(navigation);
  page.raw("\n<main id=\"main\" tabindex=\"-1\">\n");
  page.raw(body);
  page.put("\n</main>\n</div>\n<footer><p>{}</p></footer>\n<script>", esc(footer));
  page.raw(script);
  page.raw("</script>\n</body>\n</html>\n");
  return page.take();
}

}  // namespace html

std::string write_html(const Report& report) { return write_html(report, PredictFor()); }

std::string write_html(const Report& report, const PredictFor& predict_for) {
  html::Page navigation, page;
  html::navigation(navigation, report);
  document::draw(page,
                 document::report_of({report, document::html_page, html::full_cards, predict_for}));
  return html::whole_page(report.headline, navigation.take(), page.take(),
                          "Made by rnnadvisor from one profile. Numbers are measured unless they "
                          "are labelled as estimates. This page asks nothing of the network.");
}

std::string write_markdown(const Report& report) {
  return document::markdown(document::report_of({report, document::text_file}));
}

std::string write_text(const Report& report, const TextOptions& options) {
  Terminal terminal(options);
  const auto blocks =
      document::report_of({report, options.verbose ? document::verbose : document::brief,
                           static_cast<std::size_t>(std::max(0, options.max_configurations))});
  document::draw(terminal, blocks);
  if (terminal.again()) document::draw(terminal, blocks);
  std::string text = terminal.take();
  if (report.predicted != nullptr) text += predicted_text(*report.predicted, options);
  if (!options.verbose && report.shown() > 0) {
    terminal.line();
    terminal.paragraph(
        "--verbose: code, sources, remarks in full, the conditions of each algorithm and the "
        "verdict of "
        "every rule. --format html: all of it as a page.",
        0, {}, Style::dim, Style::dim);
    text += terminal.take();
  }
  return text;
}

}  // namespace rnnadvisor::advisor
