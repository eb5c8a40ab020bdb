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

QVariant right_aligned() { return QVariant::fromValue(int(Qt::AlignRight | Qt::AlignVCenter)); }

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

int VerdictsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int VerdictsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

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

QVariant VerdictsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section >= fired && section <= unknown)
    return right_aligned();
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case rule:
      return tr("Rule");
    case fired:
      return tr("Fired");
    case passed:
      return tr("Passed");
    case told_by_another:
      return tr("Covered by another");
    case not_applicable:
      return tr("Did not apply");
    case unknown:
      return tr("Not decided");
    case verdict:
      return tr("Verdict");
    case missing:
      return tr("Facts that are missing");
    default:
      return {};
  }
}

QVariant VerdictsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& row = rows_[static_cast<std::size_t>(index.row())];
  const auto kind_of = [](int column) {
    switch (column) {
      case fired:
        return advisor::VerdictKind::fired;
      case passed:
        return advisor::VerdictKind::passed;
      case told_by_another:
        return advisor::VerdictKind::told_by_another;
      case not_applicable:
        return advisor::VerdictKind::not_applicable;
      default:
        return advisor::VerdictKind::unknown;
    }
  };
  const int column = index.column();
  const bool number = column >= fired && column <= unknown;
  const int count = number ? row.count[static_cast<std::size_t>(kind_of(column))] : 0;
  switch (role) {
    case Qt::DisplayRole:
      if (column == rule) return row.rule != nullptr ? plain(row.rule->title) : to_qt(row.id);
      if (number) return count > 0 ? QVariant(count) : QVariant(none());
      if (column == verdict) {
        QStringList said;
        for (int kind = fired; kind <= unknown; ++kind) {
          if (row.count[static_cast<std::size_t>(kind_of(kind))] > 0)
            said << headerData(kind, Qt::Horizontal, Qt::DisplayRole).toString();
        }
        return said.isEmpty() ? tr("Error") : said.join(QStringLiteral(", "));
      }
      if (column == missing) {
        QStringList names;
        for (const auto& name : row.missing) names << to_qt(words::clean(name));
        return names.join(QStringLiteral(", "));
      }
      return {};
    case Qt::ToolTipRole:
      return column == missing ? data(index, Qt::DisplayRole) : QVariant(to_qt(row.id));
    case Qt::TextAlignmentRole:
      return number ? right_aligned() : QVariant();
    case SortRole:
      if (column == verdict) {  // in the order of the columns that it stands for
        int kind = fired;
        while (kind <= unknown && row.count[static_cast<std::size_t>(kind_of(kind))] == 0) ++kind;
        return kind;
      }
      return number ? QVariant(count) : data(index, Qt::DisplayRole);
    case RuleRole:
      return to_qt(row.id);
    case SeverityRole:
      return row.rule != nullptr ? static_cast<int>(row.rule->severity) : 0;
    case MatchRole:
      return plain(row.id + ' ' + (row.rule != nullptr ? row.rule->title : std::string()));
    case CountRole: {  // a bit for each kind of verdict that there is
      int bits = 0;
      for (std::size_t i = 0; i < row.count.size(); ++i)
        bits |= row.count[i] > 0 ? 1 << static_cast<int>(i) : 0;
      return bits;
    }
    default:
      return {};
  }
}

void ConfigurationsModel::set_document(DocumentPointer document) {
  beginResetModel();
  document_ = std::move(document);
  endResetModel();
}

int ConfigurationsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !document_
             ? 0
             : static_cast<int>(document_->report().configurations.size());
}
int ConfigurationsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

QVariant ConfigurationsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && (section == step || section == tflops || section == gain))
    return right_aligned();
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case standing:
      return tr("Standing");
    case name:
      return tr("Configuration");
    case step:
      return tr("Step");
    case tflops:
      return tr("TFLOP/s");
    case ran:
      return tr("Ran");
    case gain:
      return tr("Gain");
    default:
      return {};
  }
}

QVariant ConfigurationsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !document_) return {};
  const auto& report = document_->report().configurations[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  const bool number = column == step || column == tflops || column == gain;
  const double value = column == step     ? report.step_ms()
                       : column == tflops ? report.step_tflops()
                       : column == gain   ? report.best_gain()
                                          : 0;
  switch (role) {
    case Qt::DisplayRole:
      switch (column) {
        case standing:
          return mark(report.standing) + QLatin1Char(' ') + to_qt(words::standing(report.standing));
        case name:
          return to_qt(report.name);
        case step:
          return value > 0 ? format_ms(value) : none();
        case tflops:
          return value > 0 ? to_qt(words::number(value)) : none();
        case ran: {
          const Outcome outcome = report.configuration->outcome;
          if (outcome != Outcome::completed && outcome != Outcome::not_run)
            return to_qt(words::outcome(outcome));
          return report.ran ? to_qt(words::implementation(*report.ran)) : none();
        }
        case gain:
          if (value > 1.0005) return to_qt(words::times(value));
          return report.model_gain() > 1.0005
                     ? tr("%1× with another model").arg(to_qt(words::number(report.model_gain())))
                     : none();
        default:
          return {};
      }
    case Qt::ToolTipRole:
      return to_qt(words::clean(report.verdict));
    case Qt::TextAlignmentRole:
      return number ? right_aligned() : QVariant();
    case SortRole:
      return number               ? QVariant(value)
             : column == standing ? QVariant(static_cast<int>(report.standing))
                                  : data(index, Qt::DisplayRole);
    case ItemIndexRole:
      return index.row();
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
