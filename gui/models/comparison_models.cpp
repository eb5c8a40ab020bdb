// A comparison as tables: phase by phase, and call by call.
#include <algorithm>
#include <cmath>

#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/comparison.h"
#include "gui/models/item_models.h"
#include "gui/models/link.h"

namespace rnnadvisor::gui {

namespace words = advisor::words;

QString calls_word(const ConfigurationPair& sets) {
  const int before = ConfigurationPair::calls(sets.before),
            after = ConfigurationPair::calls(sets.after);
  return sets.split() ? ComparisonModel::tr("%1 → %2 calls").arg(before).arg(after) : QString();
}

namespace {
QString name_of(const Match& match) {
  const QString calls = calls_word(match.sets);
  return calls.isEmpty() ? to_qt(match.name)
                         : QStringLiteral("%1 (%2)").arg(to_qt(match.name), calls);
}
}  // namespace

void ComparisonModel::set_comparison(Comparison comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  largest_ms_ = 0;
  for (const auto& match : comparison_.matches)
    largest_ms_ = std::max({largest_ms_, match.before_ms.count > 0 ? match.before_ms.median : 0,
                            match.after_ms.count > 0 ? match.after_ms.median : 0});
  endResetModel();
}
int ComparisonModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(comparison_.matches.size());
}
int ComparisonModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section >= before && section <= ratio)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case name:
      return tr("Configuration");
    case phase:
      return tr("Phase");
    case before:
      return tr("Before");
    case after:
      return tr("After");
    case ratio:
      return tr("Speed-up");
    case verdict:
      return tr("Change");
    default:
      return {};
  }
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& match = comparison_.matches[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  const auto time = [this](const MedianInterval& ms) {
    return ms.count > 0 ? format_ms_among(ms.median, largest_ms_) : QStringLiteral("–");
  };
  switch (role) {
    case Qt::DisplayRole:
      switch (column) {
        case name:
          return name_of(match);
        case phase:
          return to_qt(words::phase(match.phase));
        case before:
          return time(match.before_ms);
        case after:
          return time(match.after_ms);
        case ratio:
          return match.ratio() > 0 ? to_qt(words::times(match.ratio())) : QStringLiteral("–");
        case verdict:
          return change_word(match.change);
        default:
          return {};
      }
    case Qt::ToolTipRole:
      if (column == before) return to_qt(words::interval(match.before_ms));
      if (column == after) return to_qt(words::interval(match.after_ms));
      return name_of(match);
    case Qt::TextAlignmentRole:
      return column >= before && column <= ratio ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter))
                                                 : QVariant();
    case SortRole:
      return column == before  ? QVariant(match.before_ms.median)
             : column == after ? QVariant(match.after_ms.median)
             : column == ratio ? QVariant(match.ratio())
                               : data(index, Qt::DisplayRole);
    case ItemIndexRole:
      return index.row();
    case SeverityRole:
      return static_cast<int>(match.change);
    case MatchRole:
      return to_qt(match.name);
    default:
      return {};
  }
}

void CallMatchesModel::set_comparison(const Comparison* comparison) {
  beginResetModel();
  comparison_ = comparison;
  largest_ms_ = 0;
  if (comparison != nullptr)
    for (const auto& call : comparison->calls)
      largest_ms_ = std::max({largest_ms_, call.before_ms, call.after_ms});
  endResetModel();
}
int CallMatchesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || comparison_ == nullptr ? 0
                                                    : static_cast<int>(comparison_->calls.size());
}
int CallMatchesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

QVariant CallMatchesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section >= before && section <= difference)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case number:
      return tr("Call");
    case name:
      return tr("Configuration");
    case phase:
      return tr("Phase");
    case before:
      return tr("Before");
    case after:
      return tr("After");
    case difference:
      return tr("Difference");
    default:
      return {};
  }
}

QVariant CallMatchesModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& call = comparison_->calls[static_cast<std::size_t>(index.row())];
  const auto& document = call.after >= 0 ? *comparison_->after : *comparison_->before;
  const auto& of = document.profile()
                       .calls[static_cast<std::size_t>(call.after >= 0 ? call.after : call.before)];
  const bool both = call.before_ms >= 0 && call.after_ms >= 0;
  const int column = index.column();
  const auto time = [this](int which, double ms, const QString& missing) {
    if (which < 0) return missing;
    return ms < 0 ? tr("no kernels") : format_ms_among(ms, largest_ms_);
  };
  if (role == ItemIndexRole) return index.row();
  if (role == Qt::TextAlignmentRole && column >= before && column <= difference)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == SortRole) {
    if (column == number) return index.row();
    if (column == before) return call.before_ms;
    if (column == after) return call.after_ms;
    // What has no partner comes last in both directions of interest.
    if (column == difference) return both ? call.after_ms - call.before_ms : 0.0;
  }
  if (role != Qt::DisplayRole && role != SortRole) return {};
  switch (column) {
    case number: {
      const auto one = [](int which) {
        return which < 0 ? QStringLiteral("–") : QString::number(which);
      };
      return call.before == call.after ? one(call.before)
                                       : one(call.before) + QStringLiteral(" → ") + one(call.after);
    }
    case name:
      return of.configuration < 0
                 ? QString()
                 : to_qt(document.report()
                             .configurations[static_cast<std::size_t>(of.configuration)]
                             .name);
    case phase:
      return to_qt(words::phase(of.phase));
    case before:
      return time(call.before, call.before_ms, tr("not there"));
    case after:
      return time(call.after, call.after_ms, tr("not there"));
    case difference: {
      if (!both) return QStringLiteral("–");
      const double ms = call.after_ms - call.before_ms;
      if (std::abs(ms) < 5e-7) return QStringLiteral("0");  // below the clock of a profile
      return (ms < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
             format_ms_among(std::abs(ms), largest_ms_);
    }
    default:
      return {};
  }
}

}  // namespace rnnadvisor::gui
