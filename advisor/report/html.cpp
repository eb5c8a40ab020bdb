// The HTML report: one self-contained page without requests. Parts in html_*.cpp, style and script
// in assets/.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "advisor/report/html_parts.h"
#include "advisor/report/inline_code.h"
#include "advisor/report/sha256.h"
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
std::string prose(std::string_view text) {
  const std::string clean = words::clean(text);
  std::string markup;
  for (const auto& run : inline_code(clean)) {
    const std::string escaped = words::escape_markup(run.text);
    markup += run.code ? "<code>" + escaped + "</code>" : escaped;
  }
  return markup;
}

std::string link(std::string_view url, std::string_view text) {
  const bool web = (url.starts_with("https://") || url.starts_with("http://")) &&
                   url.find_first_of(" \t\r\n<>\"'\\") == std::string_view::npos;
  if (!web) return esc(text);
  return fmt::format("<a href=\"{}\" rel=\"noreferrer noopener\">{}</a>", esc(url), esc(text));
}

std::string_view class_of(Severity severity) { return to_string(severity); }
std::string_view class_of(Standing standing) { return to_string(standing); }

std::string chip(Standing standing) {
  static constexpr std::array<std::string_view, 6> icons = {"?", "✕", "✓", "◆", "▲", "✕"};
  return fmt::format("<span class=\"chip {}\"><span aria-hidden=\"true\">{}</span> {}</span>",
                     class_of(standing), icons[static_cast<std::size_t>(standing)],
                     words::standing(standing));
}

std::string chip(Severity severity) {
  static constexpr std::array<std::string_view, 4> icons = {"i", "◆", "▲", "✕"};
  return fmt::format("<span class=\"chip {}\"><span aria-hidden=\"true\">{}</span> {}</span>",
                     class_of(severity), icons[static_cast<std::size_t>(severity)],
                     severity == Severity::info ? "remark" : to_string(severity));
}

std::string gain(const std::optional<Gain>& gain) {
  if (words::gain(gain).empty()) return {};
  std::string text = fmt::format("<p class=\"gain\"><strong>{}</strong>", esc(words::gain(gain)));
  if (gain->speedup > 1.0005 && !gain->another_model) text += " faster";
  if (!gain->change.empty())
    text += (gain->another_model ? " (" : " with ") + esc(gain->change) +
            (gain->another_model ? ")" : "");
  if (!gain->scope.empty()) text += fmt::format(", {}", esc(gain->scope));
  if (gain->speedup > 1.0005 && gain->high > 0)
    text +=
        fmt::format(" (interval {} to {})", words::number(gain->low), words::number(gain->high));
  text += fmt::format(" <span class=\"basis {}\">{}</span>", to_string(gain->basis),
                      words::basis(gain->basis));
  if (!gain->source.empty()) {
    const bool fact = gain->source.find(' ') == std::string::npos;  // its name, not a sentence
    text +=
        fmt::format(" <{0} class=\"muted\">{1}</{0}>", fact ? "code" : "span", esc(gain->source));
  }
  return text + "</p>";
}

void summary(Page& page, const Report& report) {
  const Standing worst = report.worst();
  page.put("<section id=\"summary\" class=\"hero {}\" aria-labelledby=\"headline\">",
           class_of(worst));
  if (!report.configurations.empty()) page.put("<p class=\"eyebrow\">{}</p>", chip(worst));
  page.put("<h1 id=\"headline\">{}</h1>", esc(report.headline));
  if (!report.assumption.empty()) page.put("<p class=\"muted\">{}</p>", esc(report.assumption));
  if (!report.configurations.empty()) {
    page.raw("<ul class=\"counts\">");
    const auto count = [&](int number, Severity severity) {
      page.put("<li class=\"{}{}\"><strong>{}</strong> {}</li>", class_of(severity),
               number == 0 ? " none" : "", number, words::severity_plural(severity, number));
    };
    count(report.errors, Severity::error);
    count(report.warnings, Severity::warning);
    count(report.opportunities, Severity::opportunity);
    count(report.infos, Severity::info);
    page.raw("</ul>");
  } else {
    page.raw(
        "<p>Run or check at least one configuration and its report appears here: <code>rnnadvisor "
        "check --cell lstm --hidden-size 1024</code>.</p>");
  }
  page.raw("<dl class=\"facts\">");
  for (const auto& device : words::devices(*report.profile, true))
    page.put("<div><dt>Device</dt><dd>{}</dd></div>", esc(device));
  if (report.profile->devices.empty() && !report.configurations.empty()) {
    page.raw("<div><dt>Device</dt><dd>none named: no bounds, no eligibility</dd></div>");
  }
  const Environment& environment = report.profile->environment;
  const auto fact = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) page.put("<div><dt>{}</dt><dd>{}</dd></div>", label, esc(value));
  };
  fact("cuDNN", environment.cudnn_version);
  fact("Driver", environment.driver_version);
  fact("Framework", environment.framework.empty()
                        ? std::string()
                        : environment.framework + " " + environment.framework_version);
  fact("Created", environment.created);
  fact("rnnadvisor", environment.rnnadvisor_version);
  page.raw("</dl></section>");
}

void environment(Page& page, const Report& report) {
  const Profile& profile = *report.profile;
  const auto rows = words::environment(profile.environment);
  page.raw(
      "<section id=\"environment\" aria-labelledby=\"environment-h\"><h2 "
      "id=\"environment-h\">Environment</h2><div class=\"panel\">");
  if (!profile.notes.empty()) {
    page.raw("<h3>Notes on this profile</h3><ul class=\"notes\">");
    for (const auto& note : profile.notes) {
      const Severity severity = note.severity == NoteSeverity::error     ? Severity::error
                                : note.severity == NoteSeverity::warning ? Severity::warning
                                                                         : Severity::info;
      page.put("<li>{} {}", chip(severity), esc(note.text));
      if (note.count > 1)
        page.put(" <span class=\"muted\">({})</span>", words::plural(note.count, "time"));
      page.raw("</li>");
    }
    page.raw("</ul>");
  }
  if (rows.empty()) {
    page.raw("<p class=\"muted\">This profile does not say where it comes from.</p>");
  } else {
    page.raw("<dl class=\"rows\">");
    for (const auto& [label, value] : rows)
      page.put("<div><dt>{}</dt><dd>{}</dd></div>", esc(label), esc(value));
    page.put(
        "<div><dt>Kernels traced</dt><dd>{}</dd></div><div><dt>Hardware "
        "counters</dt><dd>{}</dd></div>",
        profile.environment.tracing ? "yes" : "no", profile.environment.counters ? "yes" : "no");
    page.raw("</dl>");
  }
  if (!profile.environment.clocks.empty()) {
    page.raw(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
        "aria-label=\"Clocks\"><table><caption>Clocks while running</caption><thead><tr><th "
        "scope=\"col\">When</th>"
        "<th scope=\"col\" class=\"num\">Device</th><th scope=\"col\" class=\"num\">SM, "
        "MHz</th><th scope=\"col\" class=\"num\">Memory, MHz</th>"
        "<th scope=\"col\" class=\"num\">Temperature, °C</th><th scope=\"col\" "
        "class=\"num\">Power, W</th></tr></thead><tbody>");
    for (const auto& c : profile.environment.clocks) {
      page.put(
          "<tr><th scope=\"row\">{}</th><td class=\"num\">{}</td><td class=\"num\">{}</td><td "
          "class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td></tr>",
          esc(c.when), c.device, c.sm_mhz, c.memory_mhz, c.temperature_c,
          words::number(c.power_mw / 1000.0));
    }
    page.raw("</tbody></table></div>");
  }
  page.raw("</div></section>");
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
  if (!report.figures.empty()) entry("figures", "Figures", report.figures.size());
  if (!report.actions.empty()) entry("actions", "What to do first", report.actions.size());
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
      sha256_base64(style), sha256_base64(script));
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
  html::Page navigation;
  html::navigation(navigation, report);
  html::Page page;
  html::summary(page, report);
  // A sweep was made for its figures: the comparison comes before what follows from it.
  html::figures(page, report);
  html::actions(page, report);
  html::configurations(page, report, predict_for);
  html::remarks(page, report);
  html::rules(page, report);
  html::environment(page, report);
  return html::whole_page(report.headline, navigation.take(), page.take(),
                          "Made by rnnadvisor from one profile. Numbers are measured unless they "
                          "are labelled as estimates. This page asks nothing of the network.");
}

}  // namespace rnnadvisor::advisor
