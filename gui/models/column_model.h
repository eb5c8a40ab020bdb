// A table of which each column is described once: title, what a row shows there, what it is sorted
// by.
#pragma once

#include <QAbstractTableModel>
#include <functional>
#include <vector>

namespace rnnadvisor::gui {

struct TableColumn {
  using Of = std::function<QVariant(int row)>;
  QString title;
  Of shown;
  bool number = false;  // aligned to the right
  Of sorted = {};       // by what; empty: by what is shown
  Of tooltip = {};      // empty: that of the row
};

class ColumnModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  int rowCount(const QModelIndex& parent = {}) const final;
  int columnCount(const QModelIndex& parent = {}) const final;
  QVariant data(const QModelIndex& index, int role) const final;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const final;

 protected:
  explicit ColumnModel(QObject* parent) : QAbstractTableModel(parent) {}
  void set_columns(std::vector<TableColumn> columns) { columns_ = std::move(columns); }
  virtual int rows() const = 0;
  // For the roles that are no column's: Role, and a tooltip of the whole row.
  virtual QVariant of_row(int row, int role) const = 0;

 private:
  std::vector<TableColumn> columns_;
};

}  // namespace rnnadvisor::gui
