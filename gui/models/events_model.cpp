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

EventsModel::EventsModel(QObject* parent) : ColumnModel(parent) {
  const auto range = [this](int row) { return document_->range_of(item(row)); };
  const auto number = [this](int row) {
    return kind_ == ItemKind::call ? item(row).index : call_of(row);
  };
  set_columns(
      {{tr("Begins at"),
        [this, range](int row) -> QVariant {
          return format_ns(range(row).begin_ns - document_->extent().begin_ns);
        },
        true, [range](int row) { return QVariant(qlonglong{range(row).begin_ns}); }},
       {tr("Duration"), [range](int row) -> QVariant { return format_ns(range(row).length()); },
        true, [range](int row) { return QVariant(qlonglong{range(row).length()}); }},
       {tr("Name"), [this](int row) -> QVariant { return name_of(row); }},
       {tr("RNN call"),
        [number](int row) -> QVariant {
          return number(row) < 0 ? QString() : QString::number(number(row));
        },
        false, [number](int row) { return QVariant(number(row)); }}});
}

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

int EventsModel::rows() const { return static_cast<int>(rows_.size()); }

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

QString EventsModel::name_of(int row) const {
  const Profile& p = document_->profile();
  const auto i = static_cast<std::size_t>(rows_[static_cast<std::size_t>(row)]);
  if (kind_ == ItemKind::call) {
    const auto& rnn = p.calls[i];
    if (rnn.configuration < 0) return {};
    const auto& all = document_->report().configurations;
    return to_qt(all[static_cast<std::size_t>(rnn.configuration)].name) + QStringLiteral(", ") +
           to_qt(advisor::words::phase(rnn.phase));
  }
  const auto* names = names_of(p, kind_);
  return names == nullptr ? to_qt(to_string(p.transfers.operation[i]))
                          : to_qt(advisor::words::clean(p.text((*names)[i])));
}

QVariant EventsModel::of_row(int row, int role) const {
  return role == Qt::ToolTipRole ? QVariant(name_of(row)) : QVariant();
}

}  // namespace rnnadvisor::gui
