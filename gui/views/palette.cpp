#include "gui/views/palette.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QScreen>
#include <QScrollArea>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/views/parts.h"

namespace rnnadvisor::gui {
namespace {

// Arrows as the timeline's own sheet writes them, whatever Qt calls their keys.
QString keys_of(const QAction* action) {
  QString keys = action->shortcut().toString(QKeySequence::NativeText);
  for (const auto& [word, arrow] :
       {std::pair("Left", "←"), {"Right", "→"}, {"Up", "↑"}, {"Down", "↓"}}) {
    const QString last = QLatin1Char('+') + QLatin1String(word);
    if (keys.endsWith(last))
      keys.replace(keys.size() - last.size() + 1, last.size(), QString::fromUtf8(arrow));
  }
  return keys;
}

QString plain(const QAction* action) { return action->text().remove(QLatin1Char('&')); }

constexpr int keys_role = Qt::UserRole + 1;

// The command on the left, its keys on the right.
class CommandDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    const auto& palette = option.palette;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (selected) {
      painter->setPen(Qt::NoPen);
      painter->setBrush(palette.color(QPalette::Highlight));
      painter->drawRoundedRect(option.rect, 6, 6);
    }
    const QRect inner = option.rect.adjusted(12, 0, -12, 0);
    painter->setFont(option.font);
    painter->setPen(palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
    painter->drawText(inner, Qt::AlignVCenter | Qt::AlignLeft, index.data().toString());
    if (!selected) painter->setPen(palette.color(QPalette::PlaceholderText));
    painter->drawText(inner, Qt::AlignVCenter | Qt::AlignRight, index.data(keys_role).toString());
    painter->restore();
  }
};

}  // namespace

// Over the upper middle of `parent`, and whole on the screen that most of it is on: unlike a
// dialog, a popup is left where it is put.
QPoint CommandPalette::place_over(const QWidget& parent) const {
  const QPoint wanted = parent.mapToGlobal(QPoint((parent.width() - width()) / 2, 80));
  const QRect screen = parent.screen()->availableGeometry();
  // The left and upper edge last: where it does not fit, its beginning is seen.
  return {std::max(screen.left(), std::min(wanted.x(), screen.right() + 1 - width())),
          std::max(screen.top(), std::min(wanted.y(), screen.bottom() + 1 - height()))};
}

int match_score(const QString& typed, const QString& text) {
  if (typed.isEmpty()) return 1;
  int score = 1;
  qsizetype at = 0;
  qsizetype previous = -2;
  for (const QChar c : typed) {
    if (c.isSpace()) continue;
    const auto found = text.indexOf(c, at, Qt::CaseInsensitive);
    if (found < 0) return 0;
    if (found == previous + 1) score += 3;
    if (found == 0 || !text[found - 1].isLetterOrNumber()) score += 5;
    previous = found;
    at = found + 1;
  }
  return score;
}

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup), actions_(actions), line_(new QLineEdit), list_(new QListWidget) {
  setWindowTitle(tr("Commands"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(10, 10, 10, 10);
  layout->setSpacing(8);
  line_->setPlaceholderText(tr("Type a command"));
  line_->setAccessibleName(tr("Command"));
  list_->setAccessibleName(tr("Commands"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setItemDelegate(new CommandDelegate(list_));
  setObjectName(QStringLiteral("palette"));
  layout->addWidget(line_);
  layout->addWidget(list_);
  resize(560, 368);  // a whole number of rows
  if (parent != nullptr) move(place_over(*parent));
  line_->installEventFilter(this);
  connect(line_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(line_, &QLineEdit::returnPressed, this, &CommandPalette::run_current);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run_current);
  fill({});
  line_->setFocus();
}

void CommandPalette::set_actions(const QList<QAction*>& actions, const QString& placeholder) {
  actions_ = actions;
  setWindowTitle(placeholder);
  line_->setPlaceholderText(placeholder);
  line_->setAccessibleName(placeholder);
  list_->setAccessibleName(placeholder);
  fill(line_->text());
}

void CommandPalette::fill(const QString& typed) {
  std::vector<std::pair<int, qsizetype>> order;
  for (qsizetype i = 0; i < actions_.size(); ++i) {
    if (!actions_[i]->isEnabled() || plain(actions_[i]).isEmpty()) continue;
    if (const int score = match_score(typed, plain(actions_[i])); score > 0)
      order.emplace_back(-score, i);
  }
  std::sort(order.begin(), order.end());
  list_->clear();
  for (const auto& [score, i] : order) {
    const auto keys = keys_of(actions_[i]);
    auto* item = new QListWidgetItem(plain(actions_[i]), list_);
    item->setData(keys_role, keys);
    item->setData(Qt::UserRole, QVariant::fromValue(i));
    item->setSizeHint({0, fontMetrics().height() + 12});
  }
  list_->setCurrentRow(0);
}

void CommandPalette::run_current() {
  const auto* item = list_->currentItem();
  if (item == nullptr) return;
  QAction* action = actions_[item->data(Qt::UserRole).value<qsizetype>()];
  accept();
  action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    if (step != 0 && list_->count() > 0) {
      list_->setCurrentRow((list_->currentRow() + step + list_->count()) % list_->count());
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

ShortcutSheet::ShortcutSheet(const QList<QAction*>& actions, const std::vector<KeyHelp>& more,
                             QWidget* parent)
    : QDialog(parent) {
  setWindowTitle(tr("Keyboard and mouse"));
  std::vector<KeyHelp> all;
  for (const auto* action : actions) {
    if (!action->shortcut().isEmpty())
      all.push_back({tr("Window"), keys_of(action), plain(action)});
  }
  all.insert(all.end(), more.begin(), more.end());
  auto* page = new QWidget;
  auto* grid = new QGridLayout(page);
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(6);
  grid->setContentsMargins(24, 18, 24, 18);
  // Two columns of groups: the window's own on the left, the timeline's on the right.
  QString group;
  int row = 0, column = 0;
  for (const auto& help : all) {
    if (help.group != group) {
      if (!group.isEmpty() && column == 0) {
        column = 3;
        row = 0;
      }
      group = help.group;
      grid->addWidget(make_label(group, "heading"), row++, column, 1, 2);
    }
    grid->addWidget(make_label(help.keys, ""), row, column, Qt::AlignTop);
    auto* what = make_label(help.what, "dim");
    what->setWordWrap(true);
    grid->addWidget(what, row, column + 1, Qt::AlignTop);
    ++row;
  }
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(4, 1);
  grid->setRowStretch(99, 1);
  auto* scroll = new QScrollArea;
  scroll->setWidget(page);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(scroll);
  resize(860, 560);
}

}  // namespace rnnadvisor::gui
