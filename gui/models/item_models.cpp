#include "gui/models/item_models.h"

#include <QLocale>
#include <QTextDocument>
#include <algorithm>

#include "advisor/report/inline_code.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/link.h"
#include "gui/models/pages.h"

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

void FindingsModel::set_document(DocumentPointer document) {
  beginResetModel();
  document_ = std::move(document);
  several_ = false;
  if (document_) {
    const auto& all = document_->report().configurations;
    several_ =
        std::count_if(all.begin(), all.end(), [](const auto& each) { return !each.tried; }) > 1;
  }
  endResetModel();
}

int FindingsModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() || !document_) return 0;
  const auto& report = document_->report();
  return static_cast<int>(report.actions.size() + report.remarks.size());
}

const advisor::FindingGroup& FindingsModel::group(int row) const {
  const auto& report = document_->report();
  const auto at = static_cast<std::size_t>(row);
  return at < report.actions.size() ? report.actions[at]
                                    : report.remarks[at - report.actions.size()];
}

int FindingsModel::row_of(int finding) const {
  if (!document_ || !document_->holds({ItemKind::finding, finding})) return -1;
  const auto& report = document_->report();
  const auto place =
      report.place_of(document_->judgement().findings[static_cast<std::size_t>(finding)]);
  if (place.number == 0) return -1;
  return static_cast<int>((place.remark ? report.actions.size() : 0) + place.number) - 1;
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !document_) return {};
  const auto& of_row = group(index.row());
  const auto& finding = of_row.first();
  const int count = static_cast<int>(of_row.findings.size());
  switch (role) {
    case Qt::DisplayRole:
      return plain(finding.title);
    case Qt::ToolTipRole:
      return tooltip(finding.message);
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1: %2. %3")
          .arg(severity_word(finding.severity), plain(finding.title),
               to_qt(words::gain(finding.gain)));
    case SubtitleRole: {
      // How severe it is, its sign says; a word for it would leave no room for how many.
      QStringList parts;
      if (several_)
        parts << tr("%n configuration(s)", nullptr, count);
      else
        parts << severity_word(finding.severity);
      if (advisor::refuted(finding)) parts << tr("refuted here");
      return parts.join(QStringLiteral(" · "));
    }
    case ItemIndexRole:
      return static_cast<int>(of_row.findings.front() - document_->judgement().findings.data());
    case SectionRole:
      return advisor::is_remark(finding) ? tr("Remarks: no action needed") : QString();
    case SeverityRole:
      return static_cast<int>(finding.severity);
    case GainRole:
      // That it takes another model is said beside it.
      return finding.gain && finding.gain->another_model && finding.gain->speedup > 1
                 ? to_qt(words::times(finding.gain->speedup))
                 : to_qt(words::gain(finding.gain));
    case BasisRole:
      if (finding.gain && finding.gain->another_model) return tr("another model");
      return finding.gain ? to_qt(words::basis(finding.gain->basis)) : QString();
    case AnotherModelRole:
      return finding.gain && finding.gain->another_model;
    case SpeedupRole:
      return finding.gain && !finding.gain->another_model ? finding.gain->speedup : 1.0;
    case CountRole:
      return count;
    case RuleRole:
      return to_qt(finding.rule_id);
    case MatchRole:
      return plain(finding.title + ' ' + finding.rule_id + ' ' + finding.message);
    default:
      return {};
  }
}

VerdictsModel::VerdictsModel(QObject* parent) : ColumnModel(parent) {
  using advisor::VerdictKind;
  const auto at = [this](int i) -> const Row& { return rows_[static_cast<std::size_t>(i)]; };
  const auto title_of = [at](int i) -> QVariant {
    const Row& row = at(i);
    return row.rule != nullptr ? plain(row.rule->title) : to_qt(row.id);
  };
  const auto facts = [at](int i) -> QVariant {
    QStringList names;
    for (const auto& name : at(i).missing) names << to_qt(words::clean(name));
    return names.join(QStringLiteral(", "));
  };
  // In the order of the columns.
  const std::vector<std::pair<VerdictKind, QString>> counted = {
      {VerdictKind::fired, tr("Fired")},
      {VerdictKind::passed, tr("Passed")},
      {VerdictKind::told_by_another, tr("Covered by another")},
      {VerdictKind::not_applicable, tr("Did not apply")},
      {VerdictKind::unknown, tr("Not decided")}};
  const auto count_of = [](const Row& row, VerdictKind kind) {
    return row.count[static_cast<std::size_t>(kind)];
  };
  std::vector<TableColumn> all = {{tr("Rule"), title_of}};
  for (const auto& [kind, title] : counted) {
    const auto count = [at, count_of, of = kind](int i) { return count_of(at(i), of); };
    all.push_back({title,
                   [count](int i) { return count(i) > 0 ? QVariant(count(i)) : QVariant(none()); },
                   true, [count](int i) { return QVariant(count(i)); }});
  }
  all.push_back({tr("Verdict"),
                 [at, count_of, counted](int i) -> QVariant {
                   QStringList said;
                   for (const auto& [kind, title] : counted)
                     if (count_of(at(i), kind) > 0) said << title;
                   return said.isEmpty() ? tr("Error") : said.join(QStringLiteral(", "));
                 },
                 false,
                 [at, count_of, counted](int i) -> QVariant {
                   const auto first = std::find_if(
                       counted.begin(), counted.end(),
                       [&](const auto& one) { return count_of(at(i), one.first) > 0; });
                   return fired + static_cast<int>(first - counted.begin());
                 }});
  all.push_back({tr("Facts that are missing"), facts, false, {}, facts});
  set_columns(std::move(all));
}

void VerdictsModel::set_document(DocumentPointer document, int configuration) {
  beginResetModel();
  document_ = std::move(document);
  rows_.clear();
  if (document_) {
    std::map<std::string_view, std::size_t> place;
    for (const auto& each : document_->judgement().verdicts) {
      if (configuration >= 0 && each.configuration != configuration) continue;
      const auto [found, fresh] = place.try_emplace(each.rule_id, rows_.size());
      if (fresh) {
        rows_.emplace_back();
        rows_.back().id = each.rule_id;
        rows_.back().rule = document_->rules().find(each.rule_id);
      }
      auto& row = rows_[found->second];
      ++row.count[static_cast<std::size_t>(each.kind)];
      if (each.kind == advisor::VerdictKind::unknown)
        row.missing.insert(each.missing.begin(), each.missing.end());
      if (each.kind == advisor::VerdictKind::error) row.missing.insert(each.message);
    }
  }
  endResetModel();
}

int VerdictsModel::rows() const { return static_cast<int>(rows_.size()); }

std::array<int, VerdictsModel::kinds> VerdictsModel::totals() const {
  std::array<int, kinds> sum{};
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += row.count[i];
  }
  return sum;
}

bool VerdictsModel::any_missing() const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [](const Row& row) { return !row.missing.empty(); });
}

QVariant VerdictsModel::of_row(int row, int role) const {
  const Row& of = rows_[static_cast<std::size_t>(row)];
  switch (role) {
    case Qt::ToolTipRole:
    case RuleRole:
      return to_qt(of.id);
    case SeverityRole:
      return of.rule != nullptr ? static_cast<int>(of.rule->severity) : 0;
    case MatchRole:
      return plain(of.id + ' ' + (of.rule != nullptr ? of.rule->title : std::string()));
    case CountRole: {  // a bit for each kind of verdict that there is
      int bits = 0;
      for (std::size_t i = 0; i < of.count.size(); ++i)
        bits |= of.count[i] > 0 ? 1 << static_cast<int>(i) : 0;
      return bits;
    }
    default:
      return {};
  }
}

ConfigurationsModel::ConfigurationsModel(QObject* parent) : ColumnModel(parent) {
  using Report = advisor::ConfigurationReport;
  const auto at = [this](int row) -> const Report& {
    return document_->report().configurations[static_cast<std::size_t>(row)];
  };
  const auto text = [at](auto of) { return [at, of](int row) { return QVariant(of(at(row))); }; };
  const auto number = [at](const QString& title, auto of, auto shown) {
    return TableColumn{title,
                       [at, of, shown](int row) { return QVariant(shown(at(row), of(at(row)))); },
                       true, [at, of](int row) { return QVariant(of(at(row))); }};
  };
  set_columns({
      {tr("Standing"), text([](const Report& report) {
         return mark(report.standing) + QLatin1Char(' ') + to_qt(words::standing(report.standing));
       }),
       false, text([](const Report& report) { return static_cast<int>(report.standing); })},
      {tr("Configuration"), text([](const Report& report) { return to_qt(report.name); })},
      number(
          tr("Step"), [](const Report& report) { return report.step_ms(); },
          [](const Report&, double ms) { return ms > 0 ? format_ms(ms) : none(); }),
      number(
          tr("TFLOP/s"), [](const Report& report) { return report.step_tflops(); },
          [](const Report&, double value) {
            return value > 0 ? to_qt(words::number(value)) : none();
          }),
      {tr("Ran"), text([](const Report& report) {
         const Outcome outcome = report.configuration->outcome;
         if (outcome != Outcome::completed && outcome != Outcome::not_run)
           return to_qt(words::outcome(outcome));
         return report.ran ? to_qt(words::implementation(*report.ran)) : none();
       })},
      number(
          tr("Gain"), [](const Report& report) { return report.best_gain(); },
          [](const Report& report, double best) {
            if (best > 1.0005) return to_qt(words::times(best));
            return report.model_gain() > 1.0005
                       ? tr("%1× with another model").arg(to_qt(words::number(report.model_gain())))
                       : none();
          }),
  });
}

void ConfigurationsModel::set_document(DocumentPointer document) {
  beginResetModel();
  document_ = std::move(document);
  endResetModel();
}

int ConfigurationsModel::rows() const {
  return document_ ? static_cast<int>(document_->report().configurations.size()) : 0;
}

QVariant ConfigurationsModel::of_row(int row, int role) const {
  const auto& report = document_->report().configurations[static_cast<std::size_t>(row)];
  switch (role) {
    case Qt::ToolTipRole:
      return to_qt(words::clean(report.verdict));
    case ItemIndexRole:
      return row;
    case SeverityRole:
      return static_cast<int>(report.standing);
    case MatchRole:
      return to_qt(report.name + ' ' + report.summary);
    default:
      return {};
  }
}

void RulesModel::set_rules(std::shared_ptr<const advisor::RuleSet> rules) {
  beginResetModel();
  rules_ = std::move(rules);
  endResetModel();
}

int RulesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !rules_ ? 0 : static_cast<int>(rules_->rules.size());
}

int RulesModel::row_of(const QString& id) const {
  if (!rules_) return -1;
  const auto* rule = rules_->find(id.toStdString());
  return rule == nullptr ? -1 : static_cast<int>(rule - rules_->rules.data());
}

QVariant RulesModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !rules_) return {};
  const auto& rule = rules_->rules[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return plain(rule.title);
    case SubtitleRole:
    case RuleRole:
      return to_qt(rule.id);
    case ItemIndexRole:
      return index.row();
    case SeverityRole:
      return static_cast<int>(rule.severity);
    case Qt::AccessibleTextRole:
      return severity_word(rule.severity) + QStringLiteral(": ") + plain(rule.title);
    case MatchRole: {
      std::string text = rule.id + ' ' + rule.title + ' ' + rule.message + ' ' + rule.explanation +
                         ' ' + rule.criterion;
      for (const auto& citation : rule.citations) text += ' ' + citation.source;
      return plain(text);
    }
    default:
      return {};
  }
}

WordsFilter::WordsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(SortRole);
  setSortCaseSensitivity(Qt::CaseInsensitive);
}

void WordsFilter::set_words(const QString& text) {
  words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

void WordsFilter::set_severities(std::set<int> wanted) {
  severities_ = std::move(wanted);
  invalidateFilter();
}

void WordsFilter::set_kind(int verdict_kind) {
  kind_ = verdict_kind;
  invalidateFilter();
}

bool WordsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex index = sourceModel()->index(row, 0, parent);
  if (!severities_.empty() && severities_.count(index.data(SeverityRole).toInt()) == 0)
    return false;
  if (kind_ >= 0 && (index.data(CountRole).toInt() & (1 << kind_)) == 0) return false;
  if (words_.isEmpty()) return true;
  const QString text = index.data(MatchRole).toString();
  for (const auto& word : words_) {
    if (!text.contains(word, Qt::CaseInsensitive)) return false;
  }
  return true;
}

}  // namespace rnnadvisor::gui
