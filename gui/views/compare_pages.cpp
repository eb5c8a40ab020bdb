// The page of a row of the comparison: of a phase, and of a call.
#include <algorithm>
#include <cmath>

#include "advisor/compare/comparison_words.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/link.h"
#include "gui/models/pages.h"
#include "gui/texts.h"
#include "gui/views/compare_view.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;
using compare::CallMatch;
using compare::Change;
using compare::ConfigurationPair;
using compare::Match;

QString milliseconds(double ms) {
  return ms < 0 ? QStringLiteral("–") : Page::escape(format_ms(ms));
}

QString signed_ms(double ms) {
  if (std::abs(ms) < 5e-7) return QStringLiteral("0");  // below the clock of a profile
  return (ms < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
         Page::escape(format_ms(std::abs(ms)));
}

// Of a unit of calls: "12, 13".
QString numbers(int first, const std::vector<int>& more) {
  QStringList list{QString::number(first)};
  for (const int call : more) list << QString::number(call);
  return list.join(QStringLiteral(", "));
}

}  // namespace

QString CompareView::match_page(const Match& m) const {
  const auto& c = model_.comparison();
  Page page(theme_);
  const QColor color = m.change == Change::faster   ? theme_.good
                       : m.change == Change::slower ? theme_.error
                                                    : theme_.dim_text;
  page.small(page.colored(page.strong(change_word(m.change)), color));
  page.title(Page::escape(m.name));
  page.paragraph(Page::escape(words::phase(m.phase)));
  const int at = static_cast<int>(&m - c.matches.data());
  for (const int which : {at, -1}) {
    const auto* prediction = prediction_for(c, which);
    if (prediction == nullptr) continue;
    page.paragraph(page.strong(Page::escape(compare::prediction_in_words(*prediction))));
    page.small(tr("%1. From the advice on the profile before: %2")
                   .arg(Page::escape(compare::predicted_for(*prediction)),
                        page.link(Link::to_rule(to_qt(prediction->rule)),
                                  Page::prose(prediction->title))));
  }
  if (m.sets.split()) {
    const int before = ConfigurationPair::calls(m.sets.before),
              after = ConfigurationPair::calls(m.sets.after);
    page.paragraph(
        before < after
            ? tr("A call of %1 layers before is %2 calls of one layer after: their times "
                 "are summed.")
                  .arg(after)
                  .arg(after)
            : tr("%1 calls of one layer before are a call of %2 layers after: their "
                 "times are summed.")
                  .arg(before)
                  .arg(before));
  }
  const bool paired = m.paired();
  if (m.change == Change::no_difference)
    page.small(paired ? tr("The interval of the differences between calls and their partners holds "
                           "zero: no difference that can be told from noise.")
                      : tr("The intervals of the medians overlap: no difference that can be told "
                           "from noise."));
  std::vector<std::vector<Page::Cell>> rows;
  const auto median = [](const MedianInterval& ms) {
    return ms.count > 0 ? Page::escape(format_ms(ms.median)) : QStringLiteral("–");
  };
  rows.push_back(
      {{page.dim(tr("median"))}, {median(m.before_ms), true}, {median(m.after_ms), true}});
  rows.push_back({{page.dim(tr("interval"))},
                  {Page::escape(words::interval(m.before_ms)), true},
                  {Page::escape(words::interval(m.after_ms)), true}});
  rows.push_back({{page.dim(tr("samples"))},
                  {QString::number(m.before_ms.count), true},
                  {QString::number(m.after_ms.count), true}});
  page.table({QString(), tr("Before"), tr("After")}, rows);
  if (paired)
    page.small(tr("Call against its partner: %1 in the median (%n call(s), %2).", nullptr,
                  many(m.paired_ms.count))
                   .arg(signed_ms(m.paired_ms.median))
                   .arg(tr("between %1 and %2")
                            .arg(signed_ms(m.paired_ms.low), signed_ms(m.paired_ms.high))));
  if (m.from_kernels)
    page.small(
        tr("Times of traced calls, first kernel to last: tracing slows calls of many kernels."));
  const auto parts = time_parts(c.before->report(), c.after->report(), m);
  if (!parts.empty()) {
    page.heading(tr("Where the time went"));
    rows.clear();
    double largest = 0;
    for (const auto& part : parts) largest = std::max({largest, part.before_ms, part.after_ms});
    for (const auto& part : parts) {
      const double change = part.after_ms - part.before_ms;
      const QString sign = change < 0 ? QStringLiteral("−") : QStringLiteral("+");
      rows.push_back({{Page::escape(part_word(part))},
                      {format_ms_among(part.before_ms, largest), true, 0, true},
                      {format_ms_among(part.after_ms, largest), true, 0, true},
                      {part.before_ms < 0 || part.after_ms < 0 ? QStringLiteral("–")
                       : std::abs(change) < 5e-7  // below the clock of a profile
                           ? QStringLiteral("0")
                           : sign + format_ms_among(std::abs(change), largest),
                       true, 0, true}});
    }
    page.table({m.sets.split() ? tr("Of one stack") : tr("Of one call"), tr("Before"), tr("After"),
                tr("Change")},
               rows);
  }
  int only_before = 0, only_after = 0;
  for (const auto& [b, a] : m.calls) {
    only_before += a < 0 ? 1 : 0;
    only_after += b < 0 ? 1 : 0;
  }
  if (!m.calls.empty()) {
    page.heading(tr("Calls"));
    const auto both = static_cast<int>(m.calls.size()) - only_before - only_after;
    page.paragraph(tr("%1 in both, %2 only before, %3 only after.")
                       .arg(both)
                       .arg(only_before)
                       .arg(only_after));
    page.small(
        tr("They are matched in their order, so that a call that only one of the two has "
           "moves no other; “Call by call” lists them."));
  }
  return page.take();
}

QString CompareView::call_page(const CallMatch& call) const {
  const auto& c = model_.comparison();
  Page page(theme_);
  const auto& document = call.after >= 0 ? *c.after : *c.before;
  const auto& of = document.profile()
                       .calls[static_cast<std::size_t>(call.after >= 0 ? call.after : call.before)];
  page.small(page.dim(call.before < 0  ? tr("only after")
                      : call.after < 0 ? tr("only before")
                                       : tr("call %1, which was call %2")
                                             .arg(numbers(call.after, call.more_after),
                                                  numbers(call.before, call.more_before))));
  page.title(
      of.configuration < 0
          ? tr("A call of no configuration")
          : Page::escape(
                document.report().configurations[static_cast<std::size_t>(of.configuration)].name));
  page.paragraph(Page::escape(words::phase(of.phase)));
  const auto host = [](const DocumentPointer& d, int which, const std::vector<int>& more) {
    if (which < 0) return QStringLiteral("–");
    std::int64_t sum = 0;
    const auto add = [&](int each_call) {
      const auto& each = d->profile().calls[static_cast<std::size_t>(each_call)];
      if (each.host_end_ns <= 0) return false;
      sum += each.host_end_ns - each.host_start_ns;
      return true;
    };
    return add(which) && std::all_of(more.begin(), more.end(), add) ? format_ns(sum)
                                                                    : QStringLiteral("–");
  };
  const auto kernels = [](int which, int count) {
    return which < 0 ? QStringLiteral("–") : Page::escape(format_count(count));
  };
  std::vector<std::vector<Page::Cell>> rows;
  rows.push_back({{page.dim(tr("on the GPU"))},
                  {milliseconds(call.before_ms), true},
                  {milliseconds(call.after_ms), true}});
  rows.push_back({{page.dim(tr("on the host"))},
                  {host(c.before, call.before, call.more_before), true},
                  {host(c.after, call.after, call.more_after), true}});
  rows.push_back({{page.dim(tr("kernels"))},
                  {kernels(call.before, call.before_kernels), true},
                  {kernels(call.after, call.after_kernels), true}});
  page.table({QString(), tr("Before"), tr("After")}, rows);
  // Only the profile that is open can be gone to.
  const int here = swapped_ ? call.before : call.after;
  if (here >= 0)
    page.paragraph(page.link(Link::to({ItemKind::call, here}), tr("Show it on the timeline")));
  return page.take();
}

}  // namespace rnnadvisor::gui
