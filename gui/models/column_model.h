// A list or a table of which each column is described once (title, what a row shows there, what it
// is sorted by), and each role that is of the whole row.
#pragma once

#include <QAbstractTableModel>
#include <functional>
#include <map>
#include <vector>

namespace rnnadvisor::gui {

// Roles beyond the usual ones; DisplayRole is a title.
enum Role {
  ItemIndexRole = Qt::UserRole,  // of a finding into Judgement::findings, of a rule into its set, …
  SubtitleRole,
  SeverityRole,      // int of advisor::Severity
  GainRole,          // "1.50×", in a recorded program of its whole step; may be empty
  BasisRole,         // "measured elsewhere"
  AnotherModelRole,  // whether the gain is one that only another model has
  CountRole,         // configurations it is about
  RuleRole,          // its id
  SortRole,
  SectionRole,  // heading above the first row that has it; empty: none
  MatchRole     // everything that a search looks at
};

template <class Row>
class ColumnModel : public QAbstractTableModel {
 public:
  using Of = std::function<QVariant(const Row&)>;
  struct Column {
    // Sorted by what is shown where `sorted` is empty; an empty tooltip: that of the row.
    Column(QString its_title, Of its_text, bool is_number = false, Of its_order = nullptr,
           Of its_tooltip = nullptr)
        : title(std::move(its_title)),
          shown(std::move(its_text)),
          number(is_number),
          sorted(std::move(its_order)),
          tooltip(std::move(its_tooltip)) {}
    QString title;
    Of shown;
    bool number;  // aligned to the right
    Of sorted, tooltip;
  };

  const std::vector<Row>& rows() const { return rows_; }
  QModelIndex index(int row, int column = 0, const QModelIndex& parent = {}) const final {
    return QAbstractTableModel::index(row, column, parent);
  }
  int rowCount(const QModelIndex& parent = {}) const final {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const final {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
  }
  QVariant data(const QModelIndex& index, int role) const final {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto& column = columns_[static_cast<std::size_t>(index.column())];
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole) return column.shown(row);
    if (role == Qt::TextAlignmentRole) return alignment(column);
    if (role == SortRole) return column.sorted ? column.sorted(row) : column.shown(row);
    if (role == Qt::ToolTipRole && column.tooltip) return column.tooltip(row);
    const auto of_row = roles_.find(role);
    return of_row == roles_.end() ? QVariant() : of_row->second(row);
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const final {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const auto& column = columns_[static_cast<std::size_t>(section)];
    if (role == Qt::TextAlignmentRole) return alignment(column);
    return role == Qt::DisplayRole ? QVariant(column.title) : QVariant();
  }

 protected:
  explicit ColumnModel(QObject* parent) : QAbstractTableModel(parent) {}
  // `roles` are of the whole row, for all columns.
  void describe(std::vector<Column> columns, std::map<int, Of> roles) {
    columns_ = std::move(columns);
    roles_ = std::move(roles);
  }
  // `fill` gets the rows, empty, and may change what they are of.
  template <class Fill>
  void reset(const Fill& fill) {
    beginResetModel();
    rows_.clear();
    fill(rows_);
    endResetModel();
  }

 private:
  static QVariant alignment(const Column& column) {
    return column.number ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter)) : QVariant();
  }

  std::vector<Column> columns_;
  std::map<int, Of> roles_;
  std::vector<Row> rows_;
};

}  // namespace rnnadvisor::gui
