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
  const auto range = [this](Item of) { return document_->range_of(of); };
  const auto name_of_row = [this](Item of) -> QVariant { return name_of(of); };
  describe(
      {{tr("Begins at"),
        [this, range](Item of) -> QVariant {
          return exact_text(range(of).begin_ns - document_->extent().begin_ns);
        },
        true, [range](Item of) { return QVariant(qlonglong{range(of).begin_ns}); }},
       {tr("Duration"), [range](Item of) -> QVariant { return exact_text(range(of).length()); },
        true, [range](Item of) { return QVariant(qlonglong{range(of).length()}); }},
       {tr("Name"), name_of_row},
       {tr("RNN call"),
        [this](Item of) -> QVariant {
          return call_of(of) < 0 ? QString() : QString::number(call_of(of));
        },
        false, [this](Item of) { return QVariant(call_of(of)); }},
       {tr("Track"),
        [this](Item of) -> QVariant { return track_of_ ? track_of_(of) : QString(); }}},
      {{Qt::ToolTipRole, name_of_row}});
}

void EventsModel::show_like(const DocumentPointer& document, Item item) {
  reset([&](auto& rows) {
    document_ = document;
    found_ = 0;
    title_.clear();
    if (!document_ || !document_->holds(item)) return;
    const Profile& p = document_->profile();
    const auto* names = names_of(p, item.kind);
    const int wanted = names != nullptr ? (*names)[static_cast<std::size_t>(item.index)] : -1;
    const std::size_t size = size_of(p, item.kind);
    for (std::size_t i = 0; i < size; ++i) {
      if (names != nullptr && (*names)[i] != wanted) continue;
      // The one that was asked for is never left out.
      const bool room = rows.size() < most_rows;
      if (room || static_cast<int>(i) == item.index)
        rows.push_back({item.kind, static_cast<int>(i)});
      ++found_;
    }
    title_ = item.kind == ItemKind::call       ? tr("All RNN calls")
             : item.kind == ItemKind::transfer ? tr("All copies and sets")
             : wanted >= 0
                 ? to_qt(advisor::words::shorten(advisor::words::clean(p.text(wanted)), 80))
                 : QString();
  });
}

void EventsModel::show_found(const DocumentPointer& document, const std::vector<Item>& items,
                             std::int64_t found, const QString& title) {
  reset([&](auto& rows) {
    document_ = document;
    rows = items;
    found_ = found;
    title_ = title;
  });
}

Item EventsModel::item(int row) const {
  return row < 0 || row >= rowCount() ? Item{} : rows()[static_cast<std::size_t>(row)];
}

int EventsModel::row_of(Item item) const {
  const auto found = std::find(rows().begin(), rows().end(), item);
  return found != rows().end() ? static_cast<int>(found - rows().begin()) : -1;
}

int EventsModel::call_of(Item item) const {
  const Profile& p = document_->profile();
  const auto i = static_cast<std::size_t>(item.index);
  switch (item.kind) {
    case ItemKind::call:
      return item.index;
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

QString EventsModel::name_of(Item item) const {
  const Profile& p = document_->profile();
  const auto i = static_cast<std::size_t>(item.index);
  if (item.kind == ItemKind::call) {
    const auto& rnn = p.calls[i];
    if (rnn.configuration < 0) return {};
    const auto& all = document_->report().configurations;
    return to_qt(all[static_cast<std::size_t>(rnn.configuration)].name) + QStringLiteral(", ") +
           to_qt(advisor::words::phase(rnn.phase));
  }
  const auto* names = names_of(p, item.kind);
  return names == nullptr ? to_qt(to_string(p.transfers.operation[i]))
                          : to_qt(advisor::words::clean(p.text((*names)[i])));
}

}  // namespace rnnadvisor::gui
