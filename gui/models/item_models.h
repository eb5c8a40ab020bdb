// Item models over a document: findings, verdicts of rules, configurations, rule cards.
#pragma once

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <array>
#include <set>
#include <vector>

#include "gui/models/column_model.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {

// Roles beyond the usual ones; DisplayRole is a title.
enum Role {
  ItemIndexRole = Qt::UserRole,  // of a finding into Judgement::findings, of a rule into its set, …
  SubtitleRole,
  SeverityRole,      // int of advisor::Severity
  GainRole,          // "1.50×", may be empty
  BasisRole,         // "measured elsewhere"
  AnotherModelRole,  // whether the gain is one that only another model has
  SpeedupRole,       // double
  CountRole,         // configurations it is about
  RuleRole,          // its id
  SortRole,
  SectionRole,  // heading above the first row that has it; empty: none
  MatchRole     // everything that a search looks at
};

// One row for each rule that fired, with its first finding, in the order of the findings: what to
// do, then the remarks.
class FindingsModel : public QAbstractListModel {
  Q_OBJECT
 public:
  using QAbstractListModel::QAbstractListModel;
  void set_document(DocumentPointer document);
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  // The row that stands for a finding, also for one that is not its rule's first; -1: none.
  int row_of(int finding) const;

 private:
  const advisor::FindingGroup& group(int row) const;

  DocumentPointer document_;
  bool several_ = false;  // configurations were asked for, besides what trying changes added
};

// Every rule with how often it fired, passed, was covered by another finding, did not apply or
// could not be decided.
class VerdictsModel : public ColumnModel {
  Q_OBJECT
 public:
  // `verdict` says in a word what the five before it count: enough where there is one
  // configuration.
  enum Column {
    rule,
    fired,
    passed,
    told_by_another,
    not_applicable,
    unknown,
    verdict,
    missing,
    columns
  };
  static constexpr std::size_t kinds = static_cast<std::size_t>(advisor::VerdictKind::error) + 1;
  explicit VerdictsModel(QObject* parent = nullptr);
  // `configuration`: of one only; -1: of all.
  void set_document(DocumentPointer document, int configuration = -1);
  std::array<int, kinds> totals() const;  // by VerdictKind
  bool any_missing() const;               // whether any fact is

 protected:
  int rows() const override;
  QVariant of_row(int row, int role) const override;

 private:
  struct Row {
    std::string id;
    const advisor::Rule* rule = nullptr;
    std::array<int, kinds> count{};  // by VerdictKind
    std::set<std::string> missing;
  };
  DocumentPointer document_;
  std::vector<Row> rows_;
};

class ConfigurationsModel : public ColumnModel {
  Q_OBJECT
 public:
  enum Column { standing, name, step, tflops, ran, gain, columns };
  explicit ConfigurationsModel(QObject* parent = nullptr);
  void set_document(DocumentPointer document);

 protected:
  int rows() const override;
  QVariant of_row(int row, int role) const override;

 private:
  DocumentPointer document_;
};

class RulesModel : public QAbstractListModel {
  Q_OBJECT
 public:
  using QAbstractListModel::QAbstractListModel;
  void set_rules(std::shared_ptr<const advisor::RuleSet> rules);
  const advisor::RuleSet* rules() const { return rules_.get(); }
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  int row_of(const QString& id) const;

 private:
  std::shared_ptr<const advisor::RuleSet> rules_;
};

// Rows of which MatchRole holds every word that was typed, in any order; and of the severities that
// are wanted.
class WordsFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit WordsFilter(QObject* parent = nullptr);
  void set_words(const QString& text);
  void set_severities(std::set<int> wanted);  // empty: all
  void set_kind(int verdict_kind);            // of a VerdictsModel: rows with such; -1: all

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList words_;
  std::set<int> severities_;
  int kind_ = -1;
};

}  // namespace rnnadvisor::gui
