#include "gui/views/start_view.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "gui/views/parts.h"
#include "gui/views/problem_card.h"

namespace rnnadvisor::gui {
namespace {

constexpr int usual_width = 280;

// A button is as high as what is written on it.
class Tile : public QPushButton {
 public:
  // Labels that wrap ask for a narrow column; a page of such tiles would seem far too long.
  QSize sizeHint() const override {
    return {layout()->sizeHint().width(), layout()->heightForWidth(usual_width)};
  }
  QSize minimumSizeHint() const override { return {120, layout()->minimumSize().height()}; }
  bool hasHeightForWidth() const override { return layout()->hasHeightForWidth(); }
  int heightForWidth(int width) const override { return layout()->heightForWidth(width); }
};

QPushButton* make_tile(const QString& title, const QString& text) {
  auto* tile = new Tile;
  set_look(tile, "tile");
  tile->setAccessibleName(title + QStringLiteral(". ") + text);
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  tile->setSizePolicy(policy);
  auto* layout = new QVBoxLayout(tile);
  layout->setContentsMargins(14, 10, 14, 10);
  layout->setSpacing(2);
  auto* name = make_label(title, "heading");
  auto* line = make_label(text, "small");
  line->setWordWrap(true);
  line->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  line->setMinimumWidth(10);
  for (auto* label : {name, line}) label->setAttribute(Qt::WA_TransparentForMouseEvents);
  layout->addWidget(name);
  layout->addWidget(line, 1);
  return tile;
}

void clear(QLayout* layout) {
  while (auto* item = layout->takeAt(0)) {
    delete item->widget();
    delete item;
  }
}

}  // namespace

StartView::StartView(QWidget* parent) : View(parent) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  outer->addWidget(scroll);
  auto* page = new QWidget;
  scroll->setWidget(page);
  auto* centre = new QHBoxLayout(page);
  auto* column = new QWidget;
  column->setMaximumWidth(1080);
  centre->addStretch(1);
  centre->addWidget(column, 100);
  centre->addStretch(1);
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(32, 36, 32, 32);
  layout->setSpacing(18);

  problem_ = new ProblemCard;
  layout->addWidget(problem_);

  layout->addWidget(make_label(tr("Why is my recurrent network slow?"), "display"));
  auto* intro =
      make_label(tr("Open a profile to see which kernels cuDNN chose, why, and what to change. "
                    "Drop a .rnnprof file anywhere in this window."),
                 "dim");
  intro->setWordWrap(true);
  layout->addWidget(intro);

  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(10);
  auto* open = new QPushButton(tr("Open a profile…"));
  set_look(open, "primary");
  auto* run = new QPushButton(tr("New run…"));
  auto* explore = new QPushButton(tr("Explore a configuration"));
  for (auto* button : {open, run, explore}) buttons->addWidget(button);
  buttons->addStretch();
  open_ = open;
  connect(open, &QPushButton::clicked, this, &StartView::open_requested);
  connect(run, &QPushButton::clicked, this, &StartView::run_requested);
  connect(explore, &QPushButton::clicked, this,
          [this] { emit link_activated(Link::to_view(QStringLiteral("explorer"))); });
  layout->addLayout(buttons);
  last_ = new QVBoxLayout;
  layout->addLayout(last_);
  layout->addSpacing(6);

  auto* columns = new QHBoxLayout;
  columns->setSpacing(28);
  auto* left = new QVBoxLayout;
  left->setSpacing(8);
  left->addWidget(make_label(tr("Recent"), "heading"));
  recent_ = new QVBoxLayout;
  recent_->setSpacing(6);
  left->addLayout(recent_);
  left->addStretch();
  columns->addLayout(left, 2);

  auto* right = new QVBoxLayout;
  right->setSpacing(8);
  right->addWidget(make_label(tr("Try a sample, recorded on an H200"), "heading"));
  auto* grid = new QGridLayout;
  grid->setSpacing(6);
  int n = 0;
  for (const auto& sample : samples()) {
    if (sample.description.isEmpty()) continue;
    auto* tile = make_tile(sample.title, sample.description);
    const QString path = QStringLiteral("sample:") + sample.name;
    connect(tile, &QPushButton::clicked, this, [this, path] { emit path_chosen(path, {}); });
    grid->addWidget(tile, n / 2, n % 2);
    ++n;
  }
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);
  right->addLayout(grid);
  right->addStretch();
  columns->addLayout(right, 3);
  layout->addLayout(columns);
  layout->addStretch();
  set_recent({});
}

QWidget* StartView::first_focus() { return open_; }

void StartView::set_last(const std::optional<SeenFile>& last) {
  clear(last_);
  if (!last) return;
  const QString name = last->path.startsWith(QLatin1String("sample:"))
                           ? last->path.mid(7)
                           : QFileInfo(last->path).fileName();
  const QString where = place_text(last->place);
  auto* tile = make_tile(tr("Go on with %1").arg(name), where.isEmpty() ? last->path : where);
  tile->setToolTip(last->path);
  tile->setObjectName(QStringLiteral("last"));
  connect(tile, &QPushButton::clicked, this,
          [this, file = *last] { emit path_chosen(file.path, file.place); });
  last_->addWidget(tile);
}

void StartView::set_recent(const QList<SeenFile>& files) {
  clear(recent_);
  int shown = 0;
  for (const auto& seen : files) {
    const QFileInfo file(seen.path);
    if (!file.exists() || shown == 8) continue;
    const QString where = place_text(seen.place);
    auto* tile = make_tile(file.fileName(), where.isEmpty()
                                                ? file.absolutePath()
                                                : file.absolutePath() + QLatin1Char('\n') + where);
    tile->setToolTip(file.absoluteFilePath());
    connect(tile, &QPushButton::clicked, this,
            [this, seen] { emit path_chosen(seen.path, seen.place); });
    recent_->addWidget(tile);
    ++shown;
  }
  if (shown > 0) return;
  auto* empty = make_label(tr("Profiles that you open appear here.\n\nTo record one:\n"
                              "rnnadvisor profile -o out.rnnprof -- python train.py"),
                           "dim");
  empty->setWordWrap(true);
  empty->setTextInteractionFlags(Qt::TextSelectableByMouse);
  recent_->addWidget(empty);
}

}  // namespace rnnadvisor::gui
