// Item models over a document: findings, verdicts of rules, configurations, rule cards.
#pragma once

#include <QSortFilterProxyModel>
#include <array>
#include <set>
#include <vector>

#include "gui/models/column_model.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {

class Notes;

// One row for each rule that fired, with its first finding, in the order of the findings: what to
// do, then the remarks.
// What following the findings of a rule saves: "9.3 ms a step, 73 %", or "73 % of a step" where no
// step was timed without tracing; empty where it is not known.
QString saved_in_short(const advisor::FindingGroup& group);

class FindingsModel : public ColumnModel<const advisor::FindingGroup*> {
  Q_OBJECT
 public:
  explicit FindingsModel(QObject* parent = nullptr);
  void set_document(DocumentPointer document);
  // The checklist, of which the second line shows the state.
  void set_notes(const Notes* notes);
  // The row that stands for a finding, also for one that is not its rule's first; -1: none.
  int row_of(int finding) const;

 private:
  QVariant subtitle(const advisor::FindingGroup& group) const;

  DocumentPointer document_;
  const Notes* notes_ = nullptr;
  bool several_ = false;  // configurations were asked for, besides what trying changes added
};

// A rule with how often it fired, passed, was covered by another finding, did not apply or could
// not be decided.
struct VerdictsOfRule {
  static constexpr std::size_t kinds = static_cast<std::size_t>(advisor::VerdictKind::error) + 1;
  std::string id;
  const advisor::Rule* rule = nullptr;
  std::array<int, kinds> count{};  // by VerdictKind
  std::set<std::string> missing;   // facts, and errors
};

class VerdictsModel : public ColumnModel<VerdictsOfRule> {
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
  static constexpr std::size_t kinds = VerdictsOfRule::kinds;
  explicit VerdictsModel(QObject* parent = nullptr);
  // `configuration`: of one only; -1: of all.
  void set_document(DocumentPointer document, int configuration = -1);
  std::array<int, kinds> totals() const;  // by VerdictKind
  bool any_missing() const;               // whether any fact is

 private:
  DocumentPointer document_;
};

class ConfigurationsModel : public ColumnModel<const advisor::ConfigurationReport*> {
  Q_OBJECT
 public:
  enum Column { standing, name, step, tflops, ran, gain, columns };
  explicit ConfigurationsModel(QObject* parent = nullptr);
  void set_document(DocumentPointer document);

 private:
  DocumentPointer document_;
};

class RulesModel : public ColumnModel<const advisor::Rule*> {
  Q_OBJECT
 public:
  explicit RulesModel(QObject* parent = nullptr);
  void set_rules(std::shared_ptr<const advisor::RuleSet> rules);
  const advisor::RuleSet* rule_set() const { return rules_.get(); }
  int row_of(const QString& id) const;

 private:
  std::shared_ptr<const advisor::RuleSet> rules_;
};

// Rows of which MatchRole holds every word that was typed, in any order.
class WordsFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit WordsFilter(QObject* parent = nullptr);
  void set_words(const QString& text);
  void set_kind(int verdict_kind);  // of a VerdictsModel: rows with such; -1: all

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList words_;
  int kind_ = -1;
};

}  // namespace rnnadvisor::gui
