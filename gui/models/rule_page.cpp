#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/change/transform.h"
#include "advisor/facts/experiments.h"
#include "advisor/report/words.h"
#include "advisor/rules/describe.h"
#include "advisor/rules/validation_records.h"
#include "gui/models/pages.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

// "when call.cell is lstm", below what holds only then.
QString when(const Page& page, const advisor::ConditionSet& set) {
  QString text;
  for (const auto& line : describe(set))
    text += QStringLiteral("<br>") + page.dim(Texts::tr("when %1").arg(Page::escape(line)));
  return text;
}

void add_conditions(Page& page, const QString& title, const advisor::ConditionSet& set) {
  if (set.empty()) return;
  page.heading(title);
  for (const auto& line : describe(set)) page.item(Page::escape(line));
}

// The explanations of cards are Markdown with `code` spans and blank lines between paragraphs.
void add_explanation(Page& page, const std::string& text) {
  const auto paragraphs = to_qt(words::clean_lines(text)).split(QStringLiteral("\n\n"));
  for (const auto& paragraph : paragraphs) {
    if (paragraph.trimmed().isEmpty()) continue;
    page.paragraph(Page::prose(paragraph.trimmed().toStdString()));
  }
}

}  // namespace

void add_trials(Page& page, std::span<const advisor::ValidityRecord> records,
                std::span<const Citation> citations, std::span<const DeviceSpec> devices) {
  const auto tried_on = [&](const DeviceSpec& device) {
    return std::any_of(records.begin(), records.end(),
                       [&](const auto& record) { return record.device == device.id; });
  };
  page.heading(Texts::tr("Tried on hardware"));
  for (const auto& record : records) {
    const bool here = std::any_of(devices.begin(), devices.end(), [&](const DeviceSpec& device) {
      return device.id == record.device;
    });
    QString text = Page::escape(words::validity(record));
    if (advisor::refuted(record))
      text += page.strong(QStringLiteral(" · ") + Texts::tr("refuted there"));
    if (here) text += page.strong(QStringLiteral(" · ") + Texts::tr("this device"));
    if (!record.evidence.empty())
      text += QStringLiteral("<br>") + page.dim(Page::escape(words::clean(record.evidence)));
    page.item(text);
  }
  QStringList untried;
  for (const auto& device : devices) {
    const QString name = to_qt(words::clean(device.name.empty() ? device.id : device.name));
    if (!tried_on(device) && !untried.contains(name)) untried << name;
  }
  QString text;
  if (!untried.isEmpty()) {
    text = Texts::tr("No trial on %1 is recorded with the card.")
               .arg(untried.join(QStringLiteral(", ")));
  } else if (records.empty()) {
    text = Texts::tr("No trial is recorded with the card.");
  }
  if (text.isEmpty()) return;
  const bool measured = std::any_of(citations.begin(), citations.end(),
                                    [](const auto& citation) { return citation.tag == 'M'; });
  if (measured)
    text += QLatin1Char(' ') + Texts::tr("The measurements it cites are under its sources.");
  page.paragraph(page.dim(text.toHtmlEscaped()));
}

QString rule_page(const advisor::Rule& rule, const Theme& theme,
                  std::span<const DeviceSpec> devices) {
  Page page(theme);
  page.small(page.colored(
                 page.strong(mark(rule.severity) + QLatin1Char(' ') + severity_word(rule.severity)),
                 theme.color_of(rule.severity)) +
             QStringLiteral(" · ") + Page::escape(to_string(rule.confidence)) +
             QStringLiteral(" · ") + Page::escape(rule.id) +
             (rule.builtin ? QString() : QStringLiteral(" · ") + Texts::tr("your rule")));
  page.title(Page::prose(rule.title));
  QStringList about;
  if (!rule.criterion.empty()) about << Texts::tr("Criterion %1").arg(Page::escape(rule.criterion));
  if (!rule.consequence.empty())
    about << Texts::tr("Consequence: %1").arg(Page::escape(rule.consequence));
  if (!about.isEmpty()) page.small(page.dim(about.join(QStringLiteral(" · "))));
  if (!rule.title_passed.empty())
    page.paragraph(page.dim(Texts::tr("When all is well: ") + Page::prose(rule.title_passed)));
  add_explanation(page, rule.explanation);
  add_conditions(page, Texts::tr("It applies when"), rule.applies_when);
  add_conditions(page, Texts::tr("It fires when"), rule.when);
  if (!rule.message.empty()) {
    page.heading(Texts::tr("What it then says"));
    page.paragraph(Page::prose(rule.message));
  }
  if (!rule.suggestions.empty()) page.heading(Texts::tr("What it suggests"));
  for (const auto& each : rule.suggestions) {
    QString text = Page::prose(each.text);
    if (!each.framework.empty())
      text += page.dim(QStringLiteral(" · ") + Page::escape(each.framework));
    text += when(page, each.applies_when);
    if (each.transform) {
      QString change = Page::escape(advisor::change_in_words(advisor::to_json(changes_of(each))));
      for (const auto& [parameter, fact] : each.transform_facts)
        change +=
            QStringLiteral(", ") +
            Texts::tr("%1 from %2")
                .arg(Page::escape(parameter), Page::escape(advisor::fact_definition(fact).name));
      text += QStringLiteral("<br>") +
              page.dim(change + QStringLiteral(" · ") +
                       Page::escape(words::meaning(widest_meaning(changes_of(each)))));
    }
    page.item(text);
    if (!each.code.empty()) page.code(to_qt(words::clean_lines(each.code)));
  }
  if (!rule.gains.empty()) page.heading(Texts::tr("What it gains"));
  for (const auto& gain : rule.gains)
    page.item(Page::escape(words::with_times_sign(describe(gain))) + when(page, gain.applies_when));
  page.heading(Texts::tr("Source"));
  for (const auto& citation : rule.citations) {
    QString text = Page::escape(words::citation(citation));
    if (!citation.url.empty()) {
      const auto link = Link::to_address(to_qt(citation.url));
      text += QStringLiteral(" ") + page.link(link, Texts::tr("Open"));
    }
    page.item(text + QStringLiteral("<br>") +
              page.dim(Page::escape(words::citation_tag(citation.tag))));
    if (!citation.quote.empty())
      page.quote(QStringLiteral("“") + Page::escape(citation.quote) + QStringLiteral("”"));
  }
  page.heading(Texts::tr("Where it is valid"));
  auto limits = rule;
  limits.validity.clear();  // these are trials, not limits
  const auto lines = describe_validity(limits);
  for (const auto& line : lines) page.item(Page::escape(line));
  if (lines.empty()) page.paragraph(page.dim(Texts::tr("For every device and version of cuDNN.")));
  add_trials(page, rule.validity, rule.citations, devices);
  if (rule.builtin) {
    page.small(Texts::tr("In the source tree: card rules/%1.toml, cases tests/rules/%1.toml")
                   .arg(Page::escape(rule.id)));
  } else {
    page.small(Texts::tr("Read from ") + Page::escape(rule.file));
  }
  return page.take();
}

QString configuration_page(const Document& document, int configuration, const Theme& theme) {
  if (!document.holds({ItemKind::configuration, configuration})) return {};
  const auto& report = document.report().configurations[static_cast<std::size_t>(configuration)];
  Page page(theme);
  page.small(page.colored(page.strong(mark(report.standing) + QLatin1Char(' ') +
                                      Page::escape(words::standing(report.standing))),
                          theme.color_of(report.standing)));
  page.title(Page::escape(report.name));
  if (!report.summary_in_name()) page.paragraph(page.dim(Page::escape(report.summary)));
  page.paragraph(Page::escape(report.verdict));
  Link explore;
  explore.kind = LinkKind::explore;
  explore.configuration = configuration;
  if (report.configuration->described())
    page.small(page.link(explore, Texts::tr("Open in the explorer")));
  if (!report.findings.empty()) {
    page.heading(Texts::tr("Findings"));
    for (const auto* finding : report.findings) {
      const auto link = Link::to(
          {ItemKind::finding, static_cast<int>(finding - document.judgement().findings.data())});
      QString text = page.colored(mark(finding->severity), theme.color_of(finding->severity)) +
                     QLatin1Char(' ') + page.link(link, Page::prose(finding->title));
      if (const auto gain = words::gain_of_change(finding->gain); !gain.empty())
        text += QStringLiteral(" · ") + page.strong(Page::escape(gain));
      page.item(text);
    }
  }
  if (report.configuration->described()) {
    page.heading(Texts::tr("Parameters"));
    std::vector<std::vector<Page::Cell>> rows;
    for (const auto& [key, value] : words::parameters(report.configuration->config))
      rows.push_back({{page.dim(Page::escape(key))}, {Page::escape(value)}});
    for (const auto& [key, value] : words::program(report.configuration->program))
      rows.push_back({{page.dim(Page::escape(key))}, {Page::escape(value)}});
    page.table({}, rows);
  }
  for (const auto& table : report.why_not) add_why_not(page, report, table);
  return page.take();
}

}  // namespace rnnadvisor::gui
