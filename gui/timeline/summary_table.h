// A summary as a table, and as a file.
#pragma once

#include <QStyledItemDelegate>

#include "core/base/result.h"
#include "gui/models/column_model.h"
#include "gui/models/document.h"
#include "gui/theme.h"
#include "gui/timeline/summary.h"

namespace rnnadvisor::gui::timeline {

class SummaryModel : public ColumnModel<SummaryRow> {
  Q_OBJECT
 public:
  enum Columns {
    of_name,
    of_count,
    of_total,
    of_share,
    of_least,
    of_median,
    of_p99,
    of_longest,
    of_histogram,
    columns_of_summary
  };
  explicit SummaryModel(QObject* parent = nullptr);
  void show(Summary summary);
  const Summary& summary() const { return summary_; }
  // The row with this name; -1: none.
  int row_of(const std::string& name) const;

 private:
  QString name_of(const SummaryRow& row) const;
  QString histogram_words(const SummaryRow& row) const;

  Summary summary_;  // without its rows, which are those of the model
};

// The histograms of the rows, one above the other on one axis.
class HistogramDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  explicit HistogramDelegate(const SummaryModel* model, QObject* parent = nullptr)
      : QStyledItemDelegate(parent), model_(model) {}
  void set_theme(const Theme& theme) { theme_ = theme; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  const SummaryModel* model_;
  Theme theme_ = light_theme();
};

// One line a row in the order of the summary, times in nanoseconds.
std::string summary_csv(const Summary& summary, const std::vector<SummaryRow>& rows);
// An error where the file would replace the profile.
Result<void> write_summary(const Document& document, const SummaryModel& model,
                           const QString& path);

}  // namespace rnnadvisor::gui::timeline
