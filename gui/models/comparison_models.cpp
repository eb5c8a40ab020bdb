// A comparison as tables: phase by phase, and call by call.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

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
ComparisonModel::ComparisonModel(QObject* parent) : ColumnModel(parent) {
  const auto at = [this](int row) -> const Match& {
    return comparison_.matches[static_cast<std::size_t>(row)];
  };
  const auto time = [this, at](const QString& title, MedianInterval Match::* which) {
    return TableColumn{
        title,
        [this, at, which](int row) -> QVariant {
          const auto& ms = at(row).*which;
          return ms.count > 0 ? format_ms_among(ms.median, largest_ms_) : QStringLiteral("–");
        },
        true, [at, which](int row) { return QVariant((at(row).*which).median); },
        [at, which](int row) -> QVariant { return to_qt(words::interval(at(row).*which)); }};
  };
  set_columns(
      {{tr("Configuration"), [at](int row) -> QVariant { return name_of(at(row)); }},
       {tr("Phase"), [at](int row) -> QVariant { return to_qt(words::phase(at(row).phase)); }},
       time(tr("Before"), &Match::before_ms),
       time(tr("After"), &Match::after_ms),
       {tr("Speed-up"),
        [at](int row) -> QVariant {
          const double times = at(row).ratio();
          return times > 0 ? to_qt(words::times(times)) : QStringLiteral("–");
        },
        true, [at](int row) { return QVariant(at(row).ratio()); }},
       {tr("Change"), [at](int row) -> QVariant { return change_word(at(row).change); }}});
}

int ComparisonModel::rows() const { return static_cast<int>(comparison_.matches.size()); }

QVariant ComparisonModel::of_row(int row, int role) const {
  const auto& match = comparison_.matches[static_cast<std::size_t>(row)];
  switch (role) {
    case Qt::ToolTipRole:
      return name_of(match);
    case ItemIndexRole:
      return row;
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
CallMatchesModel::CallMatchesModel(QObject* parent) : ColumnModel(parent) {
  const auto at = [this](int row) -> const CallMatch& {
    return comparison_->calls[static_cast<std::size_t>(row)];
  };
  // The later call, where both are there.
  const auto later = [this, at](int row) -> std::pair<const Document&, const RnnCall&> {
    const auto& match = at(row);
    const auto& document = match.after >= 0 ? *comparison_->after : *comparison_->before;
    const auto index = static_cast<std::size_t>(match.after >= 0 ? match.after : match.before);
    return {document, document.profile().calls[index]};
  };
  const auto time = [this, at](const QString& title, int CallMatch::* which,
                               double CallMatch::* ms) {
    return TableColumn{title,
                       [this, at, which, ms](int row) -> QVariant {
                         if (at(row).*which < 0) return tr("not there");
                         return at(row).*ms < 0 ? tr("no kernels")
                                                : format_ms_among(at(row).*ms, largest_ms_);
                       },
                       true, [at, ms](int row) { return QVariant(at(row).*ms); }};
  };
  const auto slower_by = [at](int row) -> std::optional<double> {
    const auto& match = at(row);
    if (match.before_ms < 0 || match.after_ms < 0) return std::nullopt;
    return match.after_ms - match.before_ms;
  };
  set_columns(
      {{tr("Call"),
        [at](int row) -> QVariant {
          const auto one = [](int which) {
            return which < 0 ? QStringLiteral("–") : QString::number(which);
          };
          const auto& match = at(row);
          return match.before == match.after
                     ? one(match.before)
                     : one(match.before) + QStringLiteral(" → ") + one(match.after);
        },
        false, [](int row) { return QVariant(row); }},
       {tr("Configuration"),
        [later](int row) -> QVariant {
          const auto [document, call] = later(row);
          const auto configuration = static_cast<std::size_t>(call.configuration);
          return call.configuration < 0
                     ? QString()
                     : to_qt(document.report().configurations[configuration].name);
        }},
       {tr("Phase"),
        [later](int row) -> QVariant { return to_qt(words::phase(later(row).second.phase)); }},
       time(tr("Before"), &CallMatch::before, &CallMatch::before_ms),
       time(tr("After"), &CallMatch::after, &CallMatch::after_ms),
       {tr("Difference"),
        [this, slower_by](int row) -> QVariant {
          const auto ms = slower_by(row);
          if (!ms) return QStringLiteral("–");
          if (std::abs(*ms) < 5e-7) return QStringLiteral("0");  // below the clock of a profile
          return (*ms < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
                 format_ms_among(std::abs(*ms), largest_ms_);
        },
        // What has no partner comes last in both directions of interest.
        true, [slower_by](int row) { return QVariant(slower_by(row).value_or(0)); }}});
}

int CallMatchesModel::rows() const {
  return comparison_ != nullptr ? static_cast<int>(comparison_->calls.size()) : 0;
}

QVariant CallMatchesModel::of_row(int row, int role) const {
  return role == ItemIndexRole ? QVariant(row) : QVariant();
}

}  // namespace rnnadvisor::gui
