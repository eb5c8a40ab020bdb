#include "gui/models/item_models.h"

#include <QLocale>
#include <QTextDocument>
#include <algorithm>

#include "advisor/report/inline_code.h"
#include "advisor/report/verdict.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/link.h"
#include "gui/models/notes.h"
#include "gui/models/pages.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

// What a rule card says, where code cannot have a look of its own.
QString plain(std::string_view text) {
  return to_qt(advisor::without_code_marks(words::clean(text)));
}

// Qt takes a tooltip with something like a tag in it for HTML: that one is written as HTML, so that
// it shows the tag.
QString tooltip(std::string_view text) {
  const QString shown = plain(text);
  return Qt::mightBeRichText(shown) ? shown.toHtmlEscaped() : shown;
}

QString none() { return QStringLiteral("–"); }

}  // namespace

QString saved_in_short(const advisor::FindingGroup& group) {
  const auto& first = group.first();
  const auto& saving = group.findings.size() > 1 ? first.rule_saving : first.saving;
  if (!saving || saving->share <= 0) return {};
  if (saving->step_ms <= 0 || saving->outside != Outside::no)
    return to_qt(words::part_saved(*saving));
  return Texts::tr("%1 a step, %2")
      .arg(format_ms(saving->share * saving->step_ms), to_qt(words::percent(saving->share)));
}

FindingsModel::FindingsModel(QObject* parent) : ColumnModel(parent) {
  const auto of_first = [](auto of) {
    return [of](const advisor::FindingGroup* group) { return QVariant(of(group->first())); };
  };
  using advisor::Finding;
  describe(
      {{{}, of_first([](const Finding& first) { return plain(first.title); })}},
      {{Qt::ToolTipRole, of_first([](const Finding& first) { return tooltip(first.message); })},
       {Qt::AccessibleTextRole,
        [](const advisor::FindingGroup* group) {
          const Finding& first = group->first();
          return QVariant(QStringLiteral("%1: %2. %3")
                              .arg(severity_word(group->severity()), plain(first.title),
                                   to_qt(words::gain(first.gain))));
        }},
       {SubtitleRole, [this](const advisor::FindingGroup* group) { return subtitle(*group); }},
       {ItemIndexRole, of_first([this](const Finding& first) {
          return static_cast<int>(&first - document_->judgement().findings.data());
        })},
       {SectionRole, of_first([](const Finding& first) {
          return advisor::is_remark(first) ? tr("Remarks: no action needed") : QString();
        })},
       {SeverityRole,
        [](const advisor::FindingGroup* group) {
          return QVariant(static_cast<int>(group->severity()));
        }},
       {GainRole, of_first([](const Finding& first) {
          if (!first.gain && first.possible) return to_qt(words::times(first.possible->speedup));
          // A gain of another model is labelled so beside it.
          if (first.gain && first.gain->another_model && first.gain->speedup > 1)
            return to_qt(words::times(first.gain->speedup));
          return to_qt(words::gain(advisor::gain_in_program(first)));
        })},
       {BasisRole, of_first([](const Finding& first) {
          if (!first.gain && first.possible) return tr("possible");
          if (first.gain && first.gain->another_model) return tr("another model");
          return first.gain ? to_qt(advisor::in_words(first.gain->basis)) : QString();
        })},
       {AnotherModelRole,
        of_first([](const Finding& first) { return first.gain && first.gain->another_model; })},
       {CountRole,
        [](const advisor::FindingGroup* group) {
          return QVariant(static_cast<int>(group->findings.size()));
        }},
       {RuleRole, of_first([](const Finding& first) { return to_qt(first.rule_id); })},
       {MatchRole, of_first([](const Finding& first) {
          return plain(first.title + ' ' + first.rule_id + ' ' + first.message);
        })}});
}

void FindingsModel::set_document(DocumentPointer document) {
  reset([&](auto& rows) {
    document_ = std::move(document);
    several_ = false;
    if (!document_) return;
    const auto& report = document_->report();
    several_ = report.shown() > 1;
    for (const auto& group : report.actions) rows.push_back(&group);
    for (const auto& group : report.remarks) rows.push_back(&group);
  });
}

void FindingsModel::set_notes(const Notes* notes) {
  notes_ = notes;
  connect(notes_, &Notes::changed, this, [this] {
    if (rowCount() > 0) emit dataChanged(index(0), index(rowCount() - 1));
  });
}

int FindingsModel::row_of(int finding) const {
  if (!document_ || !document_->holds({ItemKind::finding, finding})) return -1;
  const auto& report = document_->report();
  const auto place =
      report.place_of(document_->judgement().findings[static_cast<std::size_t>(finding)]);
  if (place.number == 0) return -1;
  return static_cast<int>((place.remark ? report.actions.size() : 0) + place.number) - 1;
}

// How severe it is, its sign says; a word for it would leave no room for how many and how much.
QVariant FindingsModel::subtitle(const advisor::FindingGroup& group) const {
  QStringList parts;
  if (notes_ != nullptr) {
    if (const QString noted = notes_->summary(group); !noted.isEmpty()) parts << noted;
  }
  if (several_) parts << tr("%n configuration(s)", nullptr, many(group.findings.size()));
  if (const QString saved = saved_in_short(group); !saved.isEmpty())
    parts << saved;
  else if (!several_)
    parts << severity_word(group.severity());
  if (advisor::refuted(group.first())) parts << tr("refuted here");
  return parts.join(QStringLiteral(" · "));
}

VerdictsModel::VerdictsModel(QObject* parent) : ColumnModel(parent) {
  using advisor::VerdictKind;
  using Rule = VerdictsOfRule;
  // In the order of the columns.
  const std::vector<std::pair<VerdictKind, QString>> counted = {
      {VerdictKind::fired, tr("Fired")},
      {VerdictKind::passed, tr("Passed")},
      {VerdictKind::told_by_another, tr("Covered by another")},
      {VerdictKind::not_applicable, tr("Did not apply")},
      {VerdictKind::unknown, tr("Not decided")}};
  const auto count_of = [](const Rule& of, VerdictKind kind) {
    return of.count[static_cast<std::size_t>(kind)];
  };
  std::vector<ColumnModel::Column> all = {
      {tr("Rule"), [count_of](const Rule& of) -> QVariant {
         if (of.rule == nullptr) return to_qt(of.id);
         // "The run ended for lack of memory" beside "Passed" would say the opposite.
         const bool all_passed = count_of(of, VerdictKind::passed) > 0 &&
                                 count_of(of, VerdictKind::fired) == 0 &&
                                 count_of(of, VerdictKind::told_by_another) == 0;
         return plain(all_passed && !of.rule->title_passed.empty() ? of.rule->title_passed
                                                                   : of.rule->title);
       }}};
  for (const auto& [kind, title] : counted) {
    const auto count = [count_of, which = kind](const Rule& of) { return count_of(of, which); };
    all.push_back(
        {title,
         [count](const Rule& of) { return count(of) > 0 ? QVariant(count(of)) : QVariant(none()); },
         true, count});
  }
  all.push_back({tr("Verdict"),
                 [count_of, counted](const Rule& of) -> QVariant {
                   QStringList said;
                   for (const auto& [kind, title] : counted)
                     if (count_of(of, kind) > 0) said << title;
                   return said.isEmpty() ? tr("Error") : said.join(QStringLiteral(", "));
                 },
                 false,
                 [count_of, counted](const Rule& of) -> QVariant {
                   const auto first =
                       std::find_if(counted.begin(), counted.end(),
                                    [&](const auto& one) { return count_of(of, one.first) > 0; });
                   return fired + static_cast<int>(first - counted.begin());
                 }});
  const auto facts = [](const Rule& of) -> QVariant {
    QStringList names;
    for (const auto& fact : of.missing) names << to_qt(words::clean(fact));
    return names.join(QStringLiteral(", "));
  };
  all.push_back({tr("Facts that are missing"), facts, false, {}, facts});
  const auto id = [](const Rule& of) -> QVariant { return to_qt(of.id); };
  describe(std::move(all),
           {{Qt::ToolTipRole, id},
            {RuleRole, id},
            {SeverityRole,
             [](const Rule& of) -> QVariant {
               return of.rule != nullptr ? static_cast<int>(of.rule->severity) : 0;
             }},
            {MatchRole,
             [](const Rule& of) -> QVariant {
               return plain(of.id + ' ' + (of.rule != nullptr ? of.rule->title : std::string()));
             }},
            {CountRole, [](const Rule& of) -> QVariant {  // a bit for each kind that there is
               int bits = 0;
               for (std::size_t i = 0; i < of.count.size(); ++i)
                 bits |= of.count[i] > 0 ? 1 << static_cast<int>(i) : 0;
               return bits;
             }}});
}

void VerdictsModel::set_document(DocumentPointer document, int configuration) {
  reset([&](auto& rows) {
    document_ = std::move(document);
    if (!document_) return;
    std::map<std::string_view, std::size_t> place;
    for (const auto& each : document_->judgement().verdicts) {
      if (configuration >= 0 && each.configuration != configuration) continue;
      const auto [found, fresh] = place.try_emplace(each.rule_id, rows.size());
      if (fresh) rows.push_back({each.rule_id, document_->rules().find(each.rule_id), {}, {}});
      auto& row = rows[found->second];
      ++row.count[static_cast<std::size_t>(each.kind)];
      if (each.kind == advisor::VerdictKind::unknown)
        row.missing.insert(each.missing.begin(), each.missing.end());
      if (each.kind == advisor::VerdictKind::error) row.missing.insert(each.message);
    }
  });
}

std::array<int, VerdictsModel::kinds> VerdictsModel::totals() const {
  std::array<int, kinds> sum{};
  for (const auto& row : rows())
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += row.count[i];
  return sum;
}

bool VerdictsModel::any_missing() const {
  return std::any_of(rows().begin(), rows().end(),
                     [](const auto& row) { return !row.missing.empty(); });
}

ConfigurationsModel::ConfigurationsModel(QObject* parent) : ColumnModel(parent) {
  using Report = const advisor::ConfigurationReport*;
  const auto number = [](const QString& title, auto of, auto shown) {
    return ColumnModel::Column{
        title, [of, shown](Report report) { return QVariant(shown(report, of(report))); }, true,
        [of](Report report) { return QVariant(of(report)); }};
  };
  const auto severity = [](Report report) -> QVariant {
    return static_cast<int>(report->standing);
  };
  describe(
      {{tr("Standing"),
        [](Report report) -> QVariant {
          return mark(report->standing) + QLatin1Char(' ') +
                 to_qt(words::standing(report->standing));
        },
        false, severity},
       {tr("Configuration"), [](Report report) -> QVariant { return to_qt(report->name); }},
       number(
           tr("Step"), [](Report report) { return report->step_ms(); },
           [](Report, double ms) { return ms > 0 ? format_ms(ms) : none(); }),
       number(
           tr("TFLOP/s"), [](Report report) { return report->step_tflops(); },
           [](Report, double value) { return value > 0 ? to_qt(words::number(value)) : none(); }),
       {tr("Ran"),
        [](Report report) -> QVariant {
          const Outcome outcome = report->configuration->outcome;
          if (outcome != Outcome::completed && outcome != Outcome::not_run)
            return to_qt(words::outcome(outcome));
          return report->ran ? to_qt(words::implementation(*report->ran)) : none();
        }},
       number(
           tr("Gain"), [](Report report) { return report->best_gain(); },
           [](Report report, double best) {
             if (best > 1.0005) return to_qt(words::times(best));
             const double other = report->model_gain();
             return other > 1.0005 ? tr("%1× with another model").arg(to_qt(words::number(other)))
                                   : none();
           })},
      {{Qt::ToolTipRole,
        [](Report report) -> QVariant { return to_qt(words::clean(report->verdict)); }},
       {ItemIndexRole, [](Report report) -> QVariant { return report->index; }},
       {SeverityRole, severity},
       {MatchRole,
        [](Report report) -> QVariant { return to_qt(report->name + ' ' + report->summary); }}});
}

void ConfigurationsModel::set_document(DocumentPointer document) {
  reset([&](auto& rows) {
    document_ = std::move(document);
    if (!document_) return;
    for (const auto& each : document_->report().configurations) rows.push_back(&each);
  });
}

RulesModel::RulesModel(QObject* parent) : ColumnModel(parent) {
  using Rule = const advisor::Rule*;
  const auto id = [](Rule rule) -> QVariant { return to_qt(rule->id); };
  describe(
      {{{}, [](Rule rule) -> QVariant { return plain(rule->title); }}},
      {{SubtitleRole, id},
       {RuleRole, id},
       {ItemIndexRole,
        [this](Rule rule) -> QVariant { return static_cast<int>(rule - rules_->rules.data()); }},
       {SeverityRole, [](Rule rule) -> QVariant { return static_cast<int>(rule->severity); }},
       {Qt::AccessibleTextRole,
        [](Rule rule) -> QVariant {
          return severity_word(rule->severity) + QStringLiteral(": ") + plain(rule->title);
        }},
       {MatchRole, [](Rule rule) -> QVariant {
          std::string text = rule->id + ' ' + rule->title + ' ' + rule->message + ' ' +
                             rule->explanation + ' ' + rule->criterion;
          for (const auto& citation : rule->citations) text += ' ' + citation.source;
          return plain(text);
        }}});
}

void RulesModel::set_rules(std::shared_ptr<const advisor::RuleSet> rules) {
  reset([&](auto& rows) {
    rules_ = std::move(rules);
    if (!rules_) return;
    for (const auto& rule : rules_->rules) rows.push_back(&rule);
  });
}

int RulesModel::row_of(const QString& id) const {
  if (!rules_) return -1;
  const auto* rule = rules_->find(id.toStdString());
  return rule == nullptr ? -1 : static_cast<int>(rule - rules_->rules.data());
}

WordsFilter::WordsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(SortRole);
  setSortCaseSensitivity(Qt::CaseInsensitive);
}

void WordsFilter::set_words(const QString& text) {
  words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

void WordsFilter::set_kind(int verdict_kind) {
  kind_ = verdict_kind;
  invalidateFilter();
}

bool WordsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex index = sourceModel()->index(row, 0, parent);
  if (kind_ >= 0 && (index.data(CountRole).toInt() & (1 << kind_)) == 0) return false;
  if (words_.isEmpty()) return true;
  const QString text = index.data(MatchRole).toString();
  for (const auto& word : words_) {
    if (!text.contains(word, Qt::CaseInsensitive)) return false;
  }
  return true;
}

}  // namespace rnnadvisor::gui
