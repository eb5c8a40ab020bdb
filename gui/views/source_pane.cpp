#include "gui/views/source_pane.h"

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QTextBlock>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "gui/texts.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {
namespace {

constexpr int margin_room = 10;

class SourceMargin : public QWidget {
 public:
  explicit SourceMargin(SourceText* text) : QWidget(text), text_(text) {}

 protected:
  void paintEvent(QPaintEvent* event) override { text_->paint_margin(event); }

 private:
  SourceText* text_;
};

}  // namespace

SourceText::SourceText(QWidget* parent) : QPlainTextEdit(parent), margin_(new SourceMargin(this)) {
  setReadOnly(true);
  setFrameShape(QFrame::NoFrame);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setLayoutDirection(Qt::LeftToRight);  // programs are written so
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setAccessibleName(tr("Source"));
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int scrolled) {
    if (scrolled != 0)
      margin_->scroll(0, scrolled);
    else
      margin_->update(0, area.y(), margin_->width(), area.height());
  });
}

void SourceText::set_theme(const Theme& theme) {
  theme_ = theme;
  go_to(line_);
  margin_->update();
}

void SourceText::show_lines(const QStringList& lines, std::map<int, LineTime> times) {
  times_ = std::move(times);
  setPlainText(lines.join(QLatin1Char('\n')));
  lay_out();
}

void SourceText::go_to(int line) {
  line_ = line;
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  QList<QTextEdit::ExtraSelection> marks;
  if (line > 0 && block.isValid()) {
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(block);
    mark.format.setBackground(theme_.selection);
    mark.format.setForeground(theme_.text_on_selection);
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    marks << mark;
    setTextCursor(mark.cursor);
    centerCursor();
  }
  setExtraSelections(marks);
}

QString SourceText::beside(int line) const {
  const auto found = times_.find(line);
  if (found == times_.end()) return {};
  const QString calls = tr("%n call(s)", nullptr, many(found->second.calls));
  return found->second.gpu_ms < 0 ? calls
                                  : format_ms(found->second.gpu_ms) + QStringLiteral("  ") + calls;
}

int SourceText::margin_width() const {
  const QFontMetrics metrics(font());
  int beside_width = 0;
  for (const auto& [line, time] : times_)
    beside_width = std::max(beside_width, metrics.horizontalAdvance(beside(line)));
  return 3 * margin_room + beside_width +
         metrics.horizontalAdvance(QString::number(std::max(1000, blockCount())));
}

void SourceText::lay_out() {
  const int width = margin_width();
  setViewportMargins(width, 0, 0, 0);
  const QRect all = contentsRect();
  margin_->setGeometry(all.left(), all.top(), width, all.height());
  margin_->update();
}

void SourceText::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  lay_out();
}

void SourceText::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::FontChange) lay_out();
}

void SourceText::paint_margin(QPaintEvent* event) {
  QPainter painter(margin_);
  painter.fillRect(event->rect(), theme_.window);
  painter.setFont(font());
  double most = 0;
  for (const auto& [line, time] : times_) most = std::max(most, time.gpu_ms);
  const QFontMetrics metrics(font());
  const int numbers = metrics.horizontalAdvance(QString::number(std::max(1000, blockCount())));
  const int right = margin_->width() - margin_room;
  QTextBlock block = firstVisibleBlock();
  double top = blockBoundingGeometry(block).translated(contentOffset()).top();
  for (; block.isValid() && top <= event->rect().bottom(); block = block.next()) {
    const double height = blockBoundingRect(block).height();
    const int line = block.blockNumber() + 1;
    const QRectF row(0, top, right - numbers - margin_room, height);
    if (const auto found = times_.find(line); found != times_.end()) {
      // A bar as long as its share of the slowest line.
      if (most > 0 && found->second.gpu_ms > 0)
        painter.fillRect(QRectF(0, top + 1, row.width() * found->second.gpu_ms / most, height - 2),
                         mix(theme_.window, theme_.accent, 0.25));
      painter.setPen(theme_.text);
      painter.drawText(row.adjusted(margin_room, 0, 0, 0), Qt::AlignVCenter | Qt::AlignRight,
                       beside(line));
    }
    painter.setPen(line == line_ ? theme_.text : theme_.dim_text);
    painter.drawText(QRectF(right - numbers, top, numbers, height),
                     Qt::AlignVCenter | Qt::AlignRight, QString::number(line));
    top += height;
  }
}

SourcePane::SourcePane(QWidget* parent)
    : QWidget(parent),
      title_(make_label({}, "heading")),
      path_(make_label({}, "small")),
      problem_(make_label({}, "dim")),
      text_(new SourceText),
      stack_(new QStackedWidget),
      choose_(new QPushButton(tr("Choose the file…"))) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(12, 6, 12, 6);
  row->setSpacing(10);
  path_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  path_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  row->addWidget(title_);
  row->addWidget(path_, 1);
  layout->addLayout(row);
  text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  auto* missing = new QWidget;
  auto* column = new QVBoxLayout(missing);
  column->setContentsMargins(12, 6, 12, 12);
  problem_->setWordWrap(true);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(problem_);
  column->addWidget(choose_, 0, Qt::AlignLeft);
  column->addStretch();
  stack_->addWidget(text_);
  stack_->addWidget(missing);
  layout->addWidget(stack_, 1);
  connect(choose_, &QPushButton::clicked, this, [this] { emit file_requested(line_); });
}

void SourcePane::set_theme(const Theme& theme) { text_->set_theme(theme); }

void SourcePane::clear() {
  line_ = {};
  title_->clear();
  path_->clear();
  text_->show_lines({}, {});
}

void SourcePane::show_source(const DocumentPointer& document, const SourceLine& line,
                             const QString& path) {
  line_ = line;
  title_->setText(to_string(line));
  path_->setText(path.isEmpty() ? line.file : path);
  auto lines = path.isEmpty() ? fail(ErrorCode::not_found,
                                     tr("%1 is not on this machine, or not where it was recorded.")
                                         .arg(line.file)
                                         .toStdString())
                              : read_source(path);
  stack_->setCurrentIndex(lines ? 0 : 1);
  if (!lines) {
    problem_->setText(to_qt(lines.error().message));
    return;
  }
  text_->show_lines(*lines, line_times(*document, line.file));
  text_->go_to(line.line);
  // A file that was changed since does not have the line that was recorded.
  if (line.line > lines->size())
    path_->setText(tr("%1 · it has no line %2: it is not the file that was recorded")
                       .arg(path)
                       .arg(line.line));
}

}  // namespace rnnadvisor::gui
