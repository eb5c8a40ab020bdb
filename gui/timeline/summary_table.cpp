#include "gui/timeline/summary_table.h"

#include <fmt/format.h>

#include <QAbstractProxyModel>
#include <QPainter>
#include <algorithm>

#include "advisor/report/csv_field.h"
#include "advisor/report/words.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "gui/models/item_models.h"
#include "gui/texts.h"
#include "gui/timeline/details.h"

namespace rnnadvisor::gui::timeline {
namespace {

double share_of(const SummaryRow& row, const Summary& summary) {
  return summary.total_ns > 0
             ? static_cast<double>(row.total_ns) / static_cast<double>(summary.total_ns)
             : 0;
}

QString time_text(std::int64_t ns) { return to_qt(duration_text(ns)); }

}  // namespace

SummaryModel::SummaryModel(QObject* parent) : ColumnModel(parent) {
  const auto time = [](const QString& title, std::int64_t SummaryRow::* member,
                       const QString& meaning) {
    return Column{
        title, [member](const SummaryRow& row) -> QVariant { return time_text(row.*member); }, true,
        [member](const SummaryRow& row) { return QVariant(qlonglong{row.*member}); },
        [meaning](const SummaryRow&) { return QVariant(meaning); }};
  };
  const auto full_name = [this](const SummaryRow& row) -> QVariant { return name_of(row); };
  const QString rounded = tr("In a range of more than a million, of rows of many: ±0.4 %");
  describe({{tr("Name"),
             [this](const SummaryRow& row) -> QVariant {
               return to_qt(advisor::words::shorten(name_of(row).toStdString(), 80));
             }},
            {tr("Count"),
             [](const SummaryRow& row) -> QVariant { return to_qt(format_count(row.count)); }, true,
             [](const SummaryRow& row) { return QVariant(qlonglong{row.count}); },
             [](const SummaryRow&) { return QVariant(tr("Those at least partly in the range")); }},
            time(tr("Total"), &SummaryRow::total_ns, tr("Their time in the range")),
            {tr("%"),
             [this](const SummaryRow& row) -> QVariant {
               return QString::number(100 * share_of(row, summary_), 'f', 1);
             },
             true, [](const SummaryRow& row) { return QVariant(qlonglong{row.total_ns}); },
             [](const SummaryRow&) { return QVariant(tr("Of the total of all rows")); }},
            time(tr("Min"), &SummaryRow::least_ns, tr("The shortest, in all its length")),
            time(tr("Median"), &SummaryRow::median_ns, rounded),
            time(tr("p99"), &SummaryRow::p99_ns, tr("99 of 100 are not longer. %1").arg(rounded)),
            time(tr("Max"), &SummaryRow::longest_ns, tr("The longest, in all its length")),
            {tr("Histogram"),
             [](const SummaryRow& row) -> QVariant {
               QStringList counts;
               for (const auto n : row.histogram) counts << QString::number(n);
               return counts.join(QLatin1Char(' '));
             },
             false, [](const SummaryRow& row) { return QVariant(qlonglong{row.median_ns}); },
             [this](const SummaryRow& row) -> QVariant { return histogram_words(row); }}},
           {{Qt::ToolTipRole, full_name}});
}

QString SummaryModel::name_of(const SummaryRow& row) const {
  return summary_.by == SummaryBy::role ? role_name(row.role)
                                        : to_qt(advisor::words::clean(row.name));
}

QString SummaryModel::histogram_words(const SummaryRow& row) const {
  const auto most = std::max_element(row.histogram.begin(), row.histogram.end());
  return tr("How many are how long, from %1 at the left to %2 at the right, in steps of equal "
            "ratio; at most %3 in one step")
      .arg(time_text(summary_.shortest_ns), time_text(summary_.longest_ns),
           to_qt(format_count(*most)));
}

void SummaryModel::show(Summary summary) {
  reset([&](auto& rows) {
    rows = std::move(summary.rows);
    summary_ = std::move(summary);
  });
}

int SummaryModel::row_of(const std::string& name) const {
  const auto found = std::find_if(rows().begin(), rows().end(),
                                  [&](const SummaryRow& row) { return row.name == name; });
  return found == rows().end() ? -1 : static_cast<int>(found - rows().begin());
}

void HistogramDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
  QStyleOptionViewItem empty = option;
  initStyleOption(&empty, index);
  empty.text.clear();
  const auto* style = empty.widget != nullptr ? empty.widget->style() : nullptr;
  if (style != nullptr) style->drawControl(QStyle::CE_ItemViewItem, &empty, painter, empty.widget);
  const auto* sorted = qobject_cast<const QAbstractProxyModel*>(index.model());
  const int at = sorted != nullptr ? sorted->mapToSource(index).row() : index.row();
  if (at < 0 || at >= model_->rowCount()) return;
  const auto& row = model_->rows()[static_cast<std::size_t>(at)];
  const auto most = *std::max_element(row.histogram.begin(), row.histogram.end());
  if (most == 0) return;
  const bool has_role = row.kind == ItemKind::kernel;
  const QColor color = has_role ? theme_.color_of(row.role) : theme_.accent;
  const QRectF area = QRectF(option.rect).adjusted(6, 4, -6, -4);
  const double width = area.width() / static_cast<double>(histogram_columns);
  painter->save();
  painter->setPen(theme_.grid);
  painter->drawLine(area.bottomLeft(), area.bottomRight());
  for (std::size_t i = 0; i < histogram_columns; ++i) {
    if (row.histogram[i] == 0) continue;
    // One of many is still seen.
    const double tall = std::max(1.5, area.height() * row.histogram[i] / most);
    painter->fillRect(QRectF(area.left() + width * static_cast<double>(i), area.bottom() - tall,
                             std::max(1.0, width - 1), tall),
                      color);
  }
  painter->restore();
}

std::string summary_csv(const Summary& summary, const std::vector<SummaryRow>& rows) {
  std::string text = "name,count,total_ns,percent,min_ns,median_ns,p99_ns,max_ns\n";
  for (const auto& row : rows)
    text += fmt::format("{},{},{},{:.3f},{},{},{},{}\n", advisor::csv_field(row.name), row.count,
                        row.total_ns, 100 * share_of(row, summary), row.least_ns, row.median_ns,
                        row.p99_ns, row.longest_ns);
  return text;
}

Result<void> write_summary(const Document& document, const SummaryModel& model,
                           const QString& path) {
  if (auto good = document.check_output(path); !good) return good;
  return write_file(path.toStdString(), summary_csv(model.summary(), model.rows()));
}

}  // namespace rnnadvisor::gui::timeline
