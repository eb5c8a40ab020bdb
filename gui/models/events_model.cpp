#include "gui/models/events_model.h"

#include <algorithm>

#include "advisor/report/words.h"
#include "gui/models/item_models.h"
#include "gui/models/link.h"

namespace rnnadvisor::gui {
namespace {

// The column of name indices of a kind; nullptr where the kind has none.
const std::vector<int>* names_of(const Profile& p, ItemKind kind) {
  switch (kind) {
    case ItemKind::kernel:
      return &p.kernels.name;
    case ItemKind::api:
      return &p.api.name;
    case ItemKind::nvtx:
      return &p.nvtx.name;
    default:
      return nullptr;
  }
}

std::size_t size_of(const Profile& p, ItemKind kind) {
  switch (kind) {
    case ItemKind::call:
      return p.calls.size();
    case ItemKind::transfer:
      return p.transfers.size();
    default: {
      const auto* names = names_of(p, kind);
      return names != nullptr ? names->size() : 0;
    }
  }
}

}  // namespace

void EventsModel::show_like(const DocumentPointer& document, Item item) {
  beginResetModel();
  document_ = document;
  kind_ = ItemKind::none;
  rows_.clear();
  found_ = 0;
  title_.clear();
  if (document_ && document_->holds(item)) {
    const Profile& p = document_->profile();
    const auto* names = names_of(p, item.kind);
    const int wanted = names != nullptr ? (*names)[static_cast<std::size_t>(item.index)] : -1;
    const std::size_t size = size_of(p, item.kind);
    if (size > 0) kind_ = item.kind;
    for (std::size_t i = 0; i < size; ++i) {
      if (names != nullptr && (*names)[i] != wanted) continue;
      // The one that was asked for is never left out.
      const bool room = rows_.size() < most_rows;
      if (room || static_cast<int>(i) == item.index) rows_.push_back(static_cast<int>(i));
      ++found_;
    }
    title_ = item.kind == ItemKind::call       ? tr("All RNN calls")
             : item.kind == ItemKind::transfer ? tr("All copies and sets")
             : wanted >= 0
                 ? to_qt(advisor::words::shorten(advisor::words::clean(p.text(wanted)), 80))
                 : QString();
  }
  endResetModel();
}

Item EventsModel::item(int row) const {
  if (row < 0 || static_cast<std::size_t>(row) >= rows_.size()) return {};
  return {kind_, rows_[static_cast<std::size_t>(row)]};
}

int EventsModel::row_of(Item item) const {
  if (item.kind != kind_) return -1;
  const auto found = std::lower_bound(rows_.begin(), rows_.end(), item.index);
  return found != rows_.end() && *found == item.index ? static_cast<int>(found - rows_.begin())
                                                      : -1;
}

int EventsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int EventsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section <= duration)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case start:
      return tr("Begins at");
    case duration:
      return tr("Duration");
    case name:
      return tr("Name");
    case call:
      return tr("RNN call");
    default:
      return {};
  }
}

int EventsModel::call_of(int row) const {
  const Profile& p = document_->profile();
  const auto i = static_cast<std::size_t>(rows_[static_cast<std::size_t>(row)]);
  switch (kind_) {
    case ItemKind::kernel:
      return p.kernels.call[i];
    case ItemKind::api:
      return p.api.call[i];
    case ItemKind::transfer:
      return p.transfers.call[i];
    default:
      return -1;
  }
}

QVariant EventsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Item of = item(index.row());
  const TimeRange range = document_->range_of(of);
  const Profile& p = document_->profile();
  const auto i = static_cast<std::size_t>(of.index);
  if (role == Qt::TextAlignmentRole && index.column() <= duration)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == SortRole && index.column() == start) return qlonglong{range.begin_ns};
  if (role == SortRole && index.column() == duration) return qlonglong{range.length()};
  if (role == SortRole && index.column() == call) return call_of(index.row());
  if (role != Qt::DisplayRole && role != SortRole && role != Qt::ToolTipRole) return {};
  switch (index.column()) {
    case start:
      return format_ns(range.begin_ns - document_->extent().begin_ns);
    case duration:
      return format_ns(range.length());
    case name: {
      if (kind_ == ItemKind::call) {
        const int of_call = p.calls[i].configuration;
        return of_call < 0
                   ? QString()
                   : to_qt(document_->report()
                               .configurations[static_cast<std::size_t>(of_call)]
                               .name) +
                         QStringLiteral(", ") + to_qt(advisor::words::phase(p.calls[i].phase));
      }
      const auto* names = names_of(p, kind_);
      return names == nullptr ? to_qt(to_string(p.transfers.operation[i]))
                              : to_qt(advisor::words::clean(p.text((*names)[i])));
    }
    case call: {
      const int number = kind_ == ItemKind::call ? of.index : call_of(index.row());
      return number < 0 ? QString() : QString::number(number);
    }
    default:
      return {};
  }
}

}  // namespace rnnadvisor::gui
