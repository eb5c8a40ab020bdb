// Findings as cards, and the rules that did not fire.
#include <algorithm>
#include <map>

#include "advisor/report/html_parts.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::html {
namespace {

const ConfigurationReport& where(const Report& report, const Finding& finding) {
  return report.configurations[static_cast<std::size_t>(finding.configuration)];
}

void because(Page& page, const Report& report, const Finding& f) {
  if (f.comparisons.empty() && f.calls.empty() && f.kernels.empty()) return;
  page.raw("<div><dt>Because</dt><dd><ul class=\"plain\">");
  for (const auto& c : f.comparisons) {
    if (!c.holds) continue;
    page.put("<li><code>{}</code> <span class=\"muted\">{}</span></li>", esc(words::comparison(c)),
             to_string(c.provenance));
  }
  if (!f.kernels.empty()) {
    // The evidence by name: which kernels, how often, how long.
    std::map<int, std::pair<int, std::int64_t>> names;
    const auto& table = report.profile->kernels;
    for (const int kernel : f.kernels) {
      const auto k = static_cast<std::size_t>(kernel);
      if (kernel < 0 || k >= table.size()) continue;
      auto& sum = names[table.name[k]];
      ++sum.first;
      sum.second += table.end_ns[k] - table.start_ns[k];
    }
    page.put("<li><details><summary>{}</summary><ul class=\"plain\">", esc(words::evidence(f)));
    for (const auto& [name, sum] : names) {
      page.put("<li><code>{}</code> <span class=\"muted\">{}×, {}</span></li>",
               esc(words::shorten(words::clean(report.profile->text(name)), 90)), sum.first,
               format_milliseconds(static_cast<double>(sum.second) / 1e6));
    }
    page.raw("</ul></details></li>");
  } else if (!f.calls.empty()) {
    page.put("<li>{}</li>", esc(words::evidence(f)));
  }
  page.raw("</ul></dd></div>");
}

void suggestions(Page& page, const Finding& f) {
  const auto offered = std::count_if(f.suggestions.begin(), f.suggestions.end(),
                                     [&](const Suggestion& s) { return !withdrawn(f, s); });
  if (offered == 0) return;
  page.put("<div class=\"do\"><dt>{}</dt><dd>{}", is_remark(f) ? "Option" : "Do",
           offered > 1 ? "<ul class=\"plain\">" : "");
  for (const auto& s : f.suggestions) {
    if (withdrawn(f, s)) continue;
    page.put("<{}><p>{}", offered > 1 ? "li" : "div", prose(s.text));
    if (!s.framework.empty()) page.put(" <span class=\"tag\">{}</span>", esc(s.framework));
    page.raw("</p>");
    if (s.transform)
      page.put("<p class=\"muted\">{}</p>", words::meaning(widest_meaning(changes_of(s))));
    if (!s.cannot.empty()) page.put("<p class=\"muted\">{}</p>", prose(s.cannot));
    if (s.trial) outcome(page, *s.trial);
    if (!s.code.empty()) page.put("<pre tabindex=\"0\"><code>{}</code></pre>", esc_lines(s.code));
    page.put("</{}>", offered > 1 ? "li" : "div");
  }
  page.put("{}</dd></div>", offered > 1 ? "</ul>" : "");
}

// What measuring refuted: that it did, and what was tried, without a change to take.
void refutation(Page& page, const Finding& f) {
  const std::string why = words::refuted(f);
  if (why.empty()) return;
  page.put("<div><dt>Refuted</dt><dd><p>{}</p>", esc(why));
  for (const auto& s : f.suggestions) {
    if (!withdrawn(f, s) || !s.trial) continue;
    page.put("<p class=\"muted\">{}</p>", prose(s.text));
    outcome(page, *s.trial);
  }
  page.raw("</dd></div>");
}

void sources(Page& page, const Finding& f) {
  if (!f.citations.empty()) {
    page.raw("<div><dt>Source</dt><dd>");
    for (const auto& c : f.citations) {
      page.put("<p>{} <span class=\"muted\">{}</span></p>", link(c.url, words::citation(c)),
               words::citation_tag(c.tag));
      if (!c.quote.empty()) page.put("<blockquote>{}</blockquote>", esc(c.quote));
    }
    page.raw("</dd></div>");
  }
  if (!f.validity.empty()) {
    page.raw("<div><dt>Validity</dt><dd>");
    for (const auto& record : f.validity) page.put("<p>{}</p>", esc(words::validity(record)));
    page.raw("</dd></div>");
  }
}

void elsewhere(Page& page, const Report& report, const FindingGroup& group) {
  constexpr std::size_t most = 50;
  if (report.shown() < 2) return;
  const auto& first = where(report, group.first());
  page.put("<div><dt>Where</dt><dd><a href=\"#c{}\">{}</a>", first.index,
           esc(words::shorten(first.name, 80)));
  if (group.findings.size() > 1) {
    page.put(
        "<details><summary>and {}</summary><ul class=\"where\">",
        words::plural(static_cast<long long>(group.findings.size() - 1), "other configuration"));
    for (std::size_t i = 1; i < std::min(most, group.findings.size()); ++i) {
      const auto& other = where(report, *group.findings[i]);
      const std::string gain = words::gain_of_change(group.findings[i]->gain);
      page.put("<li><a href=\"#c{}\">{}</a>{}</li>", other.index,
               esc(words::shorten(other.name, 60)), gain.empty() ? std::string() : " " + esc(gain));
    }
    if (group.findings.size() > most)
      page.put("<li>and {} more</li>", group.findings.size() - most);
    page.raw("</ul></details>");
  }
  page.raw("</dd></div>");
}

void finding(Page& page, const Report& report, const FindingGroup& group) {
  const Finding& f = group.first();
  const auto place = report.place_of(f);
  const std::string id = anchor(place);
  const std::string rank =
      place.remark ? std::string() : fmt::format("<span class=\"rank\">{}</span>", place.number);
  page.put(
      "<li><article class=\"finding {0}\" id=\"{1}\" aria-labelledby=\"{1}-h\"><header><h3 "
      "id=\"{1}-h\">{2}{3}</h3>{4}"
      "<a class=\"anchor\" href=\"#{1}\" aria-label=\"Link to {5} {6}\">#</a></header>",
      class_of(f.severity), id, rank, prose(f.title), chip(f.severity),
      place.remark ? "remark" : "finding", place.number);
  page.raw(gain(f.gain));
  page.put("<p class=\"message\">{}</p><dl class=\"rows\">", prose(f.message));
  refutation(page, f);
  suggestions(page, f);
  const bool shown = std::any_of(f.suggestions.begin(), f.suggestions.end(),
                                 [](const Suggestion& s) { return s.trial.has_value(); });
  if (f.trial && !shown) {
    page.raw("<div><dt>Tried</dt><dd>");
    outcome(page, *f.trial);
    page.raw("</dd></div>");
  }
  because(page, report, f);
  elsewhere(page, report, group);
  sources(page, f);
  page.put("</dl><p class=\"rule\"><code>{}</code> {} rule", esc(f.rule_id),
           to_string(f.confidence));
  if (!f.criterion.empty()) page.put(", criterion <code>{}</code>", esc(f.criterion));
  page.raw("</p></article></li>");
}

struct Tally {
  int fired = 0, passed = 0, told_by_another = 0, not_applicable = 0, unknown = 0, broken = 0;
  std::vector<std::string> missing;
  std::string message;
};

void tally(Tally& sum, const Verdict& verdict) {
  switch (verdict.kind) {
    case VerdictKind::fired:
      ++sum.fired;
      break;
    case VerdictKind::passed:
      ++sum.passed;
      break;
    case VerdictKind::told_by_another:
      ++sum.told_by_another;
      sum.message = verdict.message;
      break;
    case VerdictKind::not_applicable:
      ++sum.not_applicable;
      break;
    case VerdictKind::unknown:
      ++sum.unknown;
      break;
    case VerdictKind::error:
      ++sum.broken;
      sum.message = verdict.message;
      break;
  }
  for (const auto& fact : verdict.missing) {
    if (std::find(sum.missing.begin(), sum.missing.end(), fact) == sum.missing.end())
      sum.missing.push_back(fact);
  }
}

// It fired nowhere.
bool silent(const Tally& sum) {
  return sum.broken == 0 && sum.fired == 0 && sum.told_by_another == 0;
}

void rule_table(Page& page, const Report& report, const std::map<std::string_view, Tally>& tallies,
                std::string_view title, bool open, bool (*belongs)(const Tally&)) {
  const auto count = std::count_if(tallies.begin(), tallies.end(),
                                   [&](const auto& t) { return belongs(t.second); });
  if (count == 0) return;
  const bool many = report.shown() > 1;
  page.put(
      "<details{}><summary>{} <span class=\"count\">{}</span></summary><div class=\"scroll\" "
      "tabindex=\"0\" role=\"group\" aria-label=\"{}\"><table><caption "
      "class=\"hidden\">{}</caption>"
      "<thead><tr><th scope=\"col\">Rule</th><th scope=\"col\">What it says</th>",
      open ? " open" : "", title, count, title, title);
  if (many)
    page.raw(
        "<th scope=\"col\" class=\"num\">Passed</th><th scope=\"col\" class=\"num\">Fired</th><th "
        "scope=\"col\" class=\"num\">Covered</th><th scope=\"col\" class=\"num\">Not "
        "applicable</th><th scope=\"col\" "
        "class=\"num\">Unknown</th>");
  page.raw("<th scope=\"col\">Not known</th></tr></thead><tbody>");
  for (const auto& [id, sum] : tallies) {
    if (!belongs(sum)) continue;
    const Rule* rule = report.rules->find(id);
    std::string text = rule == nullptr ? std::string() : rule->title;
    if (rule != nullptr && sum.passed > 0 && silent(sum) && !rule->title_passed.empty())
      text = rule->title_passed;
    page.put("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td>", esc(id), prose(text));
    if (many)
      page.put(
          "<td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td "
          "class=\"num\">{}</td><td class=\"num\">{}</td>",
          sum.passed, sum.fired, sum.told_by_another, sum.not_applicable, sum.unknown);
    page.raw("<td>");
    for (std::size_t i = 0; i < sum.missing.size(); ++i)
      page.put("{}<code>{}</code>", i > 0 ? ", " : "", esc(sum.missing[i]));
    if (!sum.message.empty()) page.put("{}{}", sum.missing.empty() ? "" : "; ", esc(sum.message));
    page.raw("</td></tr>");
  }
  page.raw("</tbody></table></div></details>");
}

}  // namespace

std::string anchor(const Report::Place& place) {
  return fmt::format("{}{}", place.remark ? 'r' : 'f', place.number);
}

namespace {

void finding_list(Page& page, const Report& report, const std::vector<FindingGroup>& groups) {
  page.raw("<ol class=\"findings\">");
  const std::size_t shown = std::min(shown_findings, groups.size());
  for (std::size_t i = 0; i < shown; ++i) finding(page, report, groups[i]);
  page.raw("</ol>");
  if (groups.size() > shown)
    page.put("<p class=\"muted\">{} more are in the JSON report.</p>", groups.size() - shown);
}

}  // namespace

void actions(Page& page, const Report& report) {
  if (report.configurations.empty()) return;
  page.raw(
      "<section id=\"actions\" aria-labelledby=\"actions-h\"><h2 id=\"actions-h\">What to do "
      "first</h2>");
  if (report.actions.empty()) {
    const bool judged = std::any_of(report.configurations.begin(), report.configurations.end(),
                                    [](const auto& c) { return c.passed > 0; });
    const int broken = report.standing_count(Standing::error);
    page.put("<p class=\"empty\">{}{}</p></section>",
             !report.remarks.empty() ? "Nothing: there are <a href=\"#remarks\">remarks</a> only."
             : judged                ? "No rule fired; what was looked at is listed under Rules."
                                     : "No rule could be decided, so there is no advice.",
             broken > 0
                 ? fmt::format(" {} not work; the reason is with each.",
                               words::plural(broken, "configuration does", "configurations do"))
                 : "");
    return;
  }
  page.put("<p class=\"lead\">{}</p>", words::findings_lead());
  finding_list(page, report, report.actions);
  page.raw("</section>");
}

void remarks(Page& page, const Report& report) {
  if (report.remarks.empty()) return;
  page.put(
      "<section id=\"remarks\" aria-labelledby=\"remarks-h\"><h2 "
      "id=\"remarks-h\">Remarks</h2><p class=\"lead\">{}</p>",
      words::remarks_lead());
  finding_list(page, report, report.remarks);
  page.raw("</section>");
}

void rules(Page& page, const Report& report) {
  if (report.configurations.empty()) return;
  std::map<std::string_view, Tally> tallies;
  for (const auto& verdict : report.judgement->verdicts) tally(tallies[verdict.rule_id], verdict);
  page.raw(
      "<section id=\"rules\" aria-labelledby=\"rules-h\"><h2 id=\"rules-h\">Rules that were "
      "applied</h2>");
  if (tallies.empty()) {
    page.raw("<p class=\"empty\">This judgement kept no verdicts.</p></section>");
    return;
  }
  page.raw(
      "<p class=\"lead\">Every rule gives a verdict for every configuration, so that nothing found "
      "is not mistaken for not looked.</p><div class=\"panel\">");
  rule_table(page, report, tallies, "Could not be evaluated", true,
             [](const Tally& t) { return t.broken > 0; });
  rule_table(page, report, tallies, "Passed", false,
             [](const Tally& t) { return silent(t) && t.passed > 0; });
  rule_table(page, report, tallies, "Unknown: a fact is missing", false,
             [](const Tally& t) { return silent(t) && t.passed == 0 && t.unknown > 0; });
  rule_table(page, report, tallies, "Fired", false,
             [](const Tally& t) { return t.broken == 0 && t.fired > 0; });
  rule_table(page, report, tallies, "Covered by another finding, which proposes the same", false,
             [](const Tally& t) { return t.broken == 0 && t.fired == 0 && t.told_by_another > 0; });
  rule_table(page, report, tallies, "Not applicable", false,
             [](const Tally& t) { return silent(t) && t.passed == 0 && t.unknown == 0; });
  if (!report.judgement->ignored.empty()) {
    page.raw("<p class=\"muted\">Left out on request:");
    for (const auto& rule : report.judgement->ignored) page.put(" <code>{}</code>", esc(rule));
    page.raw("</p>");
  }
  page.raw("</div></section>");
}

}  // namespace rnnadvisor::advisor::html
