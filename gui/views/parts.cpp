#include "gui/views/parts.h"

#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QApplication>
#include <QDesktopServices>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTextLayout>
#include <QUrl>
#include <algorithm>
#include <cmath>

#include "gui/models/item_models.h"
#include "gui/models/pages.h"
#include "gui/views/text_size.h"

namespace rnnadvisor::gui {

Card::Card(const QString& heading, QWidget* parent)
    : QFrame(parent), heading_(make_label(heading, "heading", this)), body_(new QVBoxLayout) {
  setObjectName(QStringLiteral("card"));
  setAccessibleName(heading);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(18, 14, 18, 16);
  layout->setSpacing(10);
  heading_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  layout->addWidget(heading_);
  heading_->setVisible(!heading.isEmpty());
  body_->setSpacing(8);
  layout->addLayout(body_);
}

EmptyState::EmptyState(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(40, 24, 40, 24);
  column->setSpacing(8);
  column->addStretch();
  title_ = make_label({}, "title");
  text_ = make_label({}, "dim");
  command_ = make_label({}, "code");
  command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  for (auto* label : {title_, text_, command_}) {
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(label);
  }
  auto* row = new QHBoxLayout;
  button_ = new QPushButton;
  set_look(button_, "primary");
  row->addStretch();
  row->addWidget(button_);
  row->addStretch();
  column->addSpacing(8);
  column->addLayout(row);
  column->addStretch();
  connect(button_, &QPushButton::clicked, this, &EmptyState::chosen);
}

void EmptyState::set_state(const QString& title, const QString& text, const QString& command,
                           const QString& action) {
  title_->setText(title);
  text_->setText(text);
  command_->setText(command);
  command_->setVisible(!command.isEmpty());
  button_->setText(action);
  button_->setVisible(!action.isEmpty());
  setAccessibleName(title);
  setAccessibleDescription(text);
}

void EmptyState::set_no_profile(const QString& text) {
  set_state(tr("No profile is open"), text, {}, tr("Open a profile or a sample"));
}

void set_look(QWidget* widget, const char* look) {
  widget->setProperty("look", QString::fromUtf8(look));
}

namespace {

// Plain text of a label goes by its own letters; where the window is mirrored so must be the text.
class SidedLabel : public QLabel {
 public:
  SidedLabel(const QString& text, QWidget* parent) : QLabel(text, parent) { take_side(); }

 protected:
  void changeEvent(QEvent* event) override {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::LayoutDirectionChange) take_side();
  }

 private:
  void take_side() {
    const auto now = alignment();
    const bool own = (now & Qt::AlignAbsolute) != 0;
    if ((now & Qt::AlignHCenter) != 0 || ((now & Qt::AlignRight) != 0 && !own)) return;
    setAlignment((now & Qt::AlignVertical_Mask) | Qt::AlignAbsolute |
                 (layoutDirection() == Qt::RightToLeft ? Qt::AlignRight : Qt::AlignLeft));
  }
};

}  // namespace

QLabel* make_label(const QString& text, const char* look, QWidget* parent) {
  auto* label = new SidedLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  set_look(label, look);
  return label;
}

namespace {

// Text cannot hold what is looked for here: its quotes and brackets are escaped.
QString mirrored_page(QString html) {
  static const QString row_begin = QStringLiteral("<tr>"), row_end = QStringLiteral("</tr>"),
                       cell_begin = QStringLiteral("<td"), cell_end = QStringLiteral("</td>"),
                       left = QStringLiteral(" align=\"left\""),
                       right = QStringLiteral(" align=\"right\"");
  html.replace(right, left);
  QString result;
  qsizetype from = 0;
  for (qsizetype at = html.indexOf(row_begin); at >= 0; at = html.indexOf(row_begin, from)) {
    const qsizetype begin = at + row_begin.size(), end = html.indexOf(row_end, begin);
    if (end < 0) break;
    result += html.mid(from, begin - from);
    QStringList cells = html.mid(begin, end - begin).split(cell_end, Qt::SkipEmptyParts);
    std::reverse(cells.begin(), cells.end());
    for (auto& cell : cells) {
      if (!cell.contains(left)) cell.replace(cell_begin, cell_begin + right);
      result += cell + cell_end;
    }
    from = end;
  }
  return result + html.mid(from);
}

}  // namespace

PageBrowser::PageBrowser(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  setFrameShape(QFrame::NoFrame);
  // Names of facts and kernels are long: they break where they must rather than scroll sideways.
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  document()->setDocumentMargin(18);
  setTextInteractionFlags(Qt::TextBrowserInteraction | Qt::TextSelectableByKeyboard);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    const auto link = parse_link(url.toString(QUrl::FullyDecoded));
    if (!link) return;
    if (link->kind == LinkKind::external) {
      QDesktopServices::openUrl(url);
    } else {
      emit link_activated(*link);
    }
  });
}

void PageBrowser::show_page(const QString& html, bool same) {
  const int scrolled = verticalScrollBar()->value();
  html_ = html;
  set_page();
  verticalScrollBar()->setValue(same ? scrolled : 0);
  fit();
}

// Pages are written from left to right. In the other direction paragraphs and columns begin at the
// right, and numbers end at the left; sentences go by their own letters, and code stays as it is.
// Qt mirrors no columns, so that the cells of each row are turned round here.
void PageBrowser::set_page() {
  const bool mirrored = layoutDirection() == Qt::RightToLeft;
  QTextOption option = document()->defaultTextOption();
  option.setAlignment(Qt::AlignAbsolute | (mirrored ? Qt::AlignRight : Qt::AlignLeft));
  document()->setDefaultTextOption(option);
  setHtml(mirrored ? mirrored_page(html_) : html_);
}

void PageBrowser::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::FontChange) fit();
  if (event->type() != QEvent::LayoutDirectionChange) return;
  keep_narrow();
  if (html_.isEmpty()) return;
  set_page();
  fit();
}

void PageBrowser::grow_with_text() {
  grows_ = true;
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumWidth(200);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  fit();
}

void PageBrowser::fit() {
  if (!grows_) return;
  document()->setTextWidth(viewport()->width());
  setFixedHeight(static_cast<int>(std::ceil(document()->size().height())) + 2);
}

void PageBrowser::keep_narrow() {
  const int room = std::max(0, width() - widest_text);
  const bool mirrored = layoutDirection() == Qt::RightToLeft;
  const QMargins margins(mirrored ? room : 0, 0, mirrored ? 0 : room, 0);
  if (viewportMargins() != margins) setViewportMargins(margins);
  // Qt lays the text out for the width without these margins where the page was set while hidden.
  document()->setTextWidth(viewport()->width());
}

void PageBrowser::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  keep_narrow();
  fit();
}

// Pages have no pictures, and what profiles say must not make the window read files.
QVariant PageBrowser::loadResource(int, const QUrl&) { return {}; }

int TitleDelegate::text_width(const QStyleOptionViewItem& option) {
  constexpr int around = 12 + 36 + 12 + 1;  // the box, the mark before the text, the room after it
  int width = option.rect.width();
  if (const auto* view = qobject_cast<const QAbstractItemView*>(option.widget))
    width = view->width() - 2 * view->frameWidth() -
            view->style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, view);
  return std::max(60, width - around);
}

QString TitleDelegate::heading(const QModelIndex& index) {
  const QString own = index.data(SectionRole).toString();
  const QModelIndex above = index.siblingAtRow(index.row() - 1);
  return above.isValid() && above.data(SectionRole).toString() == own ? QString() : own;
}

int TitleDelegate::heading_height(const QStyleOptionViewItem& option, const QModelIndex& index) {
  return heading(index).isEmpty() ? 0 : QFontMetrics(option.font).height() + 14;
}

void TitleDelegate::paint(QPainter* painter, const QStyleOptionViewItem& full,
                          const QModelIndex& index) const {
  painter->save();
  QStyleOptionViewItem option = full;
  if (const int above = heading_height(full, index); above > 0) {
    QFont font = full.font;
    font.setBold(true);
    painter->setFont(font);
    painter->setPen(theme_.dim_text);
    painter->drawText(QRect(full.rect.left() + 12, full.rect.top(), full.rect.width() - 24, above),
                      Qt::AlignVCenter | Qt::AlignLeading, heading(index));
    option.rect.setTop(full.rect.top() + above);
  }
  painter->setRenderHint(QPainter::Antialiasing);
  const bool selected = (option.state & QStyle::State_Selected) != 0;
  const bool hovered = (option.state & QStyle::State_MouseOver) != 0;
  const QRect box = option.rect.adjusted(6, 2, -6, -2);
  // Places are given from left to right, and turned round where the window is.
  const auto placed = [&](const QRect& place) {
    return QStyle::visualRect(option.direction, box, place);
  };
  if (selected || hovered) {
    painter->setPen(Qt::NoPen);
    painter->setBrush(selected ? theme_.selection : theme_.raised);
    painter->drawRoundedRect(box, 8, 8);
  }
  if ((option.state & QStyle::State_HasFocus) != 0 && selected) {
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(theme_.accent, 1.5));
    painter->drawRoundedRect(QRectF(box).adjusted(1, 1, -1, -1), 8, 8);
  }
  const auto severity = static_cast<advisor::Severity>(index.data(SeverityRole).toInt());
  const QFontMetrics metrics(option.font);
  const int line = metrics.height();
  const QColor text = selected ? theme_.text_on_selection : theme_.text;
  const QColor dim = selected ? theme_.text_on_selection : theme_.dim_text;
  painter->setPen(theme_.color_of(severity));
  painter->setFont(option.font);
  if (index.data(SeverityRole).isValid())
    painter->drawText(placed(QRect(box.left() + 10, box.top() + 8, 18, line)), Qt::AlignCenter,
                      mark(severity));
  const int left = box.left() + 36, width = text_width(option);

  painter->setPen(text);
  QTextLayout layout(index.data(Qt::DisplayRole).toString(), option.font);
  layout.beginLayout();
  int y = box.top() + 8;
  for (int n = 0; n < 2; ++n) {
    QTextLine piece = layout.createLine();
    if (!piece.isValid()) break;
    piece.setLineWidth(width);
    const bool last = n == 1 && piece.textStart() + piece.textLength() < layout.text().size();
    if (last) {
      painter->drawText(
          placed(QRect(left, y, width, line)), Qt::AlignLeft,
          metrics.elidedText(layout.text().mid(piece.textStart()), Qt::ElideRight, width));
    } else {
      painter->drawText(placed(QRect(left, y, width, line)), Qt::AlignLeft,
                        layout.text().mid(piece.textStart(), piece.textLength()));
    }
    y += line;
  }
  layout.endLayout();

  QFont small = option.font;
  small.setPointSizeF(option.font.pointSizeF() * 0.9);
  QFont bold = option.font;
  bold.setBold(true);
  const QString gain = index.data(GainRole).toString();
  const int gain_width = gain.isEmpty() ? 0 : QFontMetrics(bold).horizontalAdvance(gain);
  painter->setFont(small);
  painter->setPen(dim);
  const QString subtitle = index.data(SubtitleRole).toString();
  const QString basis = gain.isEmpty() ? QString() : index.data(BasisRole).toString();
  // Whether a gain was measured here or elsewhere is half of what it says: the rest gives way.
  const QFontMetrics small_metrics(small);
  const int basis_width = basis.isEmpty() ? 0 : small_metrics.horizontalAdvance(basis) + 8;
  const int rest = width - gain_width - 8 - basis_width;
  painter->drawText(placed(QRect(left, y + 3, rest, line)), Qt::AlignLeft | Qt::AlignVCenter,
                    small_metrics.elidedText(subtitle, Qt::ElideRight, rest));
  painter->drawText(placed(QRect(left + rest, y + 3, basis_width, line)),
                    Qt::AlignRight | Qt::AlignVCenter, basis);
  painter->setFont(bold);
  painter->setPen(index.data(AnotherModelRole).toBool() ? dim : theme_.good);
  painter->drawText(placed(QRect(left, y + 3, width, line)), Qt::AlignRight | Qt::AlignVCenter,
                    gain);
  painter->restore();
}

QSize TitleDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QFontMetrics metrics(option.font);
  const int width = text_width(option);
  QTextLayout layout(index.data(Qt::DisplayRole).toString(), option.font);
  layout.beginLayout();
  int lines = 0;
  while (lines < 2) {
    QTextLine piece = layout.createLine();
    if (!piece.isValid()) break;
    piece.setLineWidth(width);
    ++lines;
  }
  layout.endLayout();
  return {120, heading_height(option, index) + 4 + 8 + (lines + 1) * metrics.height() + 3 + 10};
}

void make_plain_table(QTableView* table) {
  table->setShowGrid(false);
  table->setAlternatingRowColors(false);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setWordWrap(false);
  table->setSortingEnabled(true);
  table->setTabKeyNavigation(false);
  table->setFrameShape(QFrame::NoFrame);
  table->verticalHeader()->hide();
  with_font_of(table, [table] {
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 12);
  });
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
}

QString table_text_of(const QAbstractItemView* view) {
  const auto* model = view->model();
  if (model == nullptr) return {};
  const auto cell = [](const QVariant& value) {
    QString text = value.toString();
    return text.replace(QLatin1Char('\t'), QLatin1Char(' '))
        .replace(QLatin1Char('\n'), QLatin1Char(' '));
  };
  const auto* table = qobject_cast<const QTableView*>(view);
  std::vector<int> columns;
  for (int c = 0; c < model->columnCount(); ++c) {
    if (table == nullptr || !table->isColumnHidden(c)) columns.push_back(c);
  }
  QStringList lines, cells;
  for (const int c : columns) cells << cell(model->headerData(c, Qt::Horizontal, Qt::DisplayRole));
  if (model->columnCount() > 1) lines << cells.join(QLatin1Char('\t'));
  for (int r = 0; r < model->rowCount(); ++r) {
    cells.clear();
    for (const int c : columns) cells << cell(model->index(r, c).data());
    lines << cells.join(QLatin1Char('\t'));
  }
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

BesideOrBelow::BesideOrBelow(QList<int> sizes_beside, QWidget* parent)
    : QSplitter(parent), sizes_beside_(std::move(sizes_beside)) {
  setChildrenCollapsible(false);
}

void BesideOrBelow::set_needed(int width) {
  needed_ = width;
  turn();
}

void BesideOrBelow::resizeEvent(QResizeEvent* event) {
  QSplitter::resizeEvent(event);
  turn();
}

void BesideOrBelow::turn() {
  const auto wanted = width() >= needed_ ? Qt::Horizontal : Qt::Vertical;
  if (orientation() == wanted) return;
  setOrientation(wanted);
  setSizes(beside() ? sizes_beside_ : QList<int>{height() / 2, height() / 2});
  emit turned();
}

}  // namespace rnnadvisor::gui
