// A comparison as tables: phase by phase, and call by call.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "advisor/compare/comparison_words.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/comparison.h"
#include "gui/models/item_models.h"
#include "gui/models/link.h"
#include "gui/models/overview_charts.h"

namespace rnnadvisor::gui {

namespace words = advisor::words;
using compare::CallMatch;
using compare::Change;
using compare::ConfigurationPair;
using compare::Match;

Comparison compare_documents(DocumentPointer before, DocumentPointer after) {
  auto found = compare::compare(before->report(), after->report());
  auto pairs = std::make_shared<const PairedCalls>(found, *before, *after);
  return {std::move(found), std::move(before), std::move(after), std::move(pairs)};
}

QString difference_text(double before_ms, double after_ms) {
  const double change = after_ms - before_ms;
  if (std::abs(change) < 5e-7) return QStringLiteral("0");  // below the clock of a profile
  QString time =
      (change < 0 ? QStringLiteral("−") : QStringLiteral("+")) + format_ms(std::abs(change));
  if (before_ms <= 0 || after_ms <= 0) return time;
  const double ratio = before_ms / after_ms;
  return time + QStringLiteral(", ") +
         to_qt(compare::change_in_words(ratio >= 1 ? Change::faster : Change::slower, ratio));
}

const compare::Prediction* prediction_for(const compare::Comparison& comparison, int match) {
  for (const auto& each : comparison.predictions) {
    if (match < 0
            ? each.of_step()
            : std::find(each.matches.begin(), each.matches.end(), match) != each.matches.end())
      return &each;
  }
  return nullptr;
}

QString part_word(const compare::TimePart& part) {
  return part.role ? role_word(*part.role) : ComparisonModel::tr("GPU idle");
}

QString change_word(Change change) {
  switch (change) {
    case Change::faster:
      return ComparisonModel::tr("faster");
    case Change::slower:
      return ComparisonModel::tr("slower");
    case Change::no_difference:
      return ComparisonModel::tr("within noise");
    case Change::unclear:
      return ComparisonModel::tr("too few samples");
    case Change::only_before:
      return ComparisonModel::tr("only before");
    case Change::only_after:
      return ComparisonModel::tr("only after");
  }
  return {};
}

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

ComparisonModel::ComparisonModel(QObject* parent) : ColumnModel(parent) {
  using Row = const Match*;
  const auto time = [this](const QString& title, MedianInterval Match::* which) {
    return ColumnModel::Column{
        title,
        [this, which](Row match) -> QVariant {
          const auto& ms = match->*which;
          return ms.count > 0 ? format_ms_among(ms.median, largest_ms_) : QStringLiteral("–");
        },
        true, [which](Row match) { return QVariant((match->*which).median); },
        [which](Row match) -> QVariant { return to_qt(words::interval(match->*which)); }};
  };
  const auto name_of_row = [](Row match) -> QVariant { return name_of(*match); };
  describe({{tr("Configuration"), name_of_row},
            {tr("Phase"), [](Row match) -> QVariant { return to_qt(words::phase(match->phase)); }},
            time(tr("Before"), &Match::before_ms),
            time(tr("After"), &Match::after_ms),
            {tr("Speed-up"),
             [](Row match) -> QVariant {
               const double times = match->ratio();
               return times > 0 ? to_qt(words::times(times)) : QStringLiteral("–");
             },
             true, [](Row match) { return QVariant(match->ratio()); }},
            {tr("Change"), [](Row match) -> QVariant { return change_word(match->change); }}},
           {{Qt::ToolTipRole, name_of_row},
            {ItemIndexRole,
             [this](Row match) -> QVariant {
               return static_cast<int>(match - comparison_.matches.data());
             }},
            {SeverityRole, [](Row match) -> QVariant { return static_cast<int>(match->change); }},
            {MatchRole, [](Row match) -> QVariant { return to_qt(match->name); }}});
}

void ComparisonModel::set_comparison(Comparison comparison) {
  reset([&](auto& rows) {
    comparison_ = std::move(comparison);
    largest_ms_ = 0;
    for (const auto& match : comparison_.matches) {
      rows.push_back(&match);
      for (const auto& ms : {match.before_ms, match.after_ms})
        if (ms.count > 0) largest_ms_ = std::max(largest_ms_, ms.median);
    }
  });
}

CallMatchesModel::CallMatchesModel(QObject* parent) : ColumnModel(parent) {
  using Row = const CallMatch*;
  // The later call, where both are there.
  const auto later = [this](Row match) -> std::pair<const Document&, const RnnCall&> {
    const auto& document = match->after >= 0 ? *comparison_->after : *comparison_->before;
    const auto index = static_cast<std::size_t>(match->after >= 0 ? match->after : match->before);
    return {document, document.profile().calls[index]};
  };
  const auto time = [this](const QString& title, int CallMatch::* which, double CallMatch::* ms) {
    return ColumnModel::Column{title,
                               [this, which, ms](Row match) -> QVariant {
                                 if (match->*which < 0) return tr("not there");
                                 return match->*ms < 0 ? tr("no kernels")
                                                       : format_ms_among(match->*ms, largest_ms_);
                               },
                               true, [ms](Row match) { return QVariant(match->*ms); }};
  };
  const auto slower_by = [](Row match) -> std::optional<double> {
    if (match->before_ms < 0 || match->after_ms < 0) return std::nullopt;
    return match->after_ms - match->before_ms;
  };
  const auto row_of = [this](Row match) -> QVariant {
    return static_cast<int>(match - comparison_->calls.data());
  };
  describe(
      {{tr("Call"),
        [](Row match) -> QVariant {
          const auto one = [](int which) {
            return which < 0 ? QStringLiteral("–") : QString::number(which);
          };
          return match->before == match->after
                     ? one(match->before)
                     : one(match->before) + QStringLiteral(" → ") + one(match->after);
        },
        false, row_of},
       {tr("Configuration"),
        [later](Row match) -> QVariant {
          const auto [document, call] = later(match);
          const auto configuration = static_cast<std::size_t>(call.configuration);
          return call.configuration < 0
                     ? QString()
                     : to_qt(document.report().configurations[configuration].name);
        }},
       {tr("Phase"),
        [later](Row match) -> QVariant { return to_qt(words::phase(later(match).second.phase)); }},
       time(tr("Before"), &CallMatch::before, &CallMatch::before_ms),
       time(tr("After"), &CallMatch::after, &CallMatch::after_ms),
       {tr("Difference"),
        [this, slower_by](Row match) -> QVariant {
          const auto ms = slower_by(match);
          if (!ms) return QStringLiteral("–");
          if (std::abs(*ms) < 5e-7) return QStringLiteral("0");  // below the clock of a profile
          return (*ms < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
                 format_ms_among(std::abs(*ms), largest_ms_);
        },
        // What has no partner comes last in both directions of interest.
        true, [slower_by](Row match) { return QVariant(slower_by(match).value_or(0)); }}},
      {{ItemIndexRole, row_of}});
}

void CallMatchesModel::set_comparison(const Comparison* comparison) {
  reset([&](auto& rows) {
    comparison_ = comparison;
    largest_ms_ = 0;
    if (comparison_ == nullptr) return;
    for (const auto& call : comparison_->calls) {
      rows.push_back(&call);
      largest_ms_ = std::max({largest_ms_, call.before_ms, call.after_ms});
    }
  });
}

}  // namespace rnnadvisor::gui
