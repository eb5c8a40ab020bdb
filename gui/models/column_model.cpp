#include "gui/models/column_model.h"

#include "gui/models/item_models.h"

namespace rnnadvisor::gui {
namespace {

QVariant alignment(const TableColumn& column) {
  return column.number ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter)) : QVariant();
}

}  // namespace

int ColumnModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows(); }

int ColumnModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant ColumnModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& column = columns_[static_cast<std::size_t>(index.column())];
  const int row = index.row();
  switch (role) {
    case Qt::DisplayRole:
      return column.shown(row);
    case SortRole:
      return column.sorted ? column.sorted(row) : column.shown(row);
    case Qt::TextAlignmentRole:
      return alignment(column);
    case Qt::ToolTipRole:
      return column.tooltip ? column.tooltip(row) : of_row(row, role);
    default:
      return of_row(row, role);
  }
}

QVariant ColumnModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 ||
      static_cast<std::size_t>(section) >= columns_.size())
    return {};
  const auto& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::TextAlignmentRole) return alignment(column);
  return role == Qt::DisplayRole ? QVariant(column.title) : QVariant();
}

}  // namespace rnnadvisor::gui
