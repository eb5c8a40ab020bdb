#include "gui/views/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "advisor/change/transform.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/views/compare_view.h"
#include "gui/views/explorer_view.h"
#include "gui/views/findings_view.h"
#include "gui/views/motion.h"
#include "gui/views/overview_view.h"
#include "gui/views/page_view.h"
#include "gui/views/parts.h"
#include "gui/views/rules_view.h"
#include "gui/views/run_dialog.h"
#include "gui/views/source_pane.h"
#include "gui/views/start_view.h"
#include "gui/views/style.h"
#include "gui/views/text_size.h"
#include "gui/views/trace_view.h"
#include "gui/views/view_name.h"

namespace rnnadvisor::gui {
namespace {

constexpr int outline_after_ms = 150;

}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), theme_(light_theme()) {
  apply_text_size();
  setWindowTitle(QStringLiteral("rnnadvisor"));
  setAcceptDrops(true);
  resize(1360, 860);
  // What ships with the program is right; tests see to it.
  rules_ = load_rules().value();

  auto* page = new QWidget;
  auto* row = new QHBoxLayout(page);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  rail_ = new QFrame;
  rail_->setObjectName(QStringLiteral("rail"));
  auto* rail = new QVBoxLayout(rail_);
  rail->setContentsMargins(6, 10, 6, 10);
  rail->setSpacing(4);
  row->addWidget(rail_);
  auto* column = new QVBoxLayout;
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  row->addLayout(column, 1);
  setCentralWidget(page);
  make_header();
  column->addWidget(header_);
  column->addWidget(progress_);
  column->addWidget(notice_);
  stack_ = new QStackedWidget;
  column->addWidget(stack_, 1);

  start_ = new StartView;
  overview_ = new OverviewView(&state_);
  trace_ = new TraceView(&state_, &marks_);
  findings_ = new FindingsView(&state_);
  explorer_ = new ExplorerView;
  compare_ = new CompareView;
  rules_view_ = new RulesView;
  configuration_ = new PageView(&state_);
  add_view(view_name::start, tr("Start"), Symbol::start, start_);
  add_view(view_name::overview, tr("Overview"), Symbol::overview, overview_);
  add_view(view_name::timeline, tr("Timeline"), Symbol::timeline, trace_);
  add_view(view_name::findings, tr("Findings"), Symbol::findings, findings_);
  add_view(view_name::explorer, tr("Explorer"), Symbol::explorer, explorer_);
  add_view(view_name::compare, tr("Compare"), Symbol::compare, compare_);
  add_view(view_name::rules, tr("Rules"), Symbol::rules, rules_view_);
  rail->addStretch();
  connect(configuration_, &View::link_activated, this, &MainWindow::follow);
  make_source_pane();

  explorer_->set_rules(rules_);
  compare_->set_rules(rules_);
  rules_view_->set_rules(rules_, {});
  connect(start_, &StartView::open_requested, this, &MainWindow::choose_file);
  connect(start_, &StartView::run_requested, this, [this] { new_run(true); });
  connect(start_, &StartView::path_chosen, this, [this](const QString& path, const Place& at) {
    open(path, at == Place{} ? std::nullopt : std::optional(at));
  });
  connect(explorer_, &ExplorerView::run_requested, this, [this] { new_run(); });
  connect(compare_, &CompareView::choose_requested, this, &MainWindow::choose_before);
  connect(rules_view_, &RulesView::folder_requested, this, &MainWindow::choose_rules);
  connect(rules_view_, &RulesView::folder_changed, this, &MainWindow::read_rules);

  connect(&loader_, &Loader::started, this, [this](const QString& path) {
    show_busy(progress_);
    progress_->show();
    cancel_->show();
    judging_ = false;
    subtitle_->setText(tr("Opening %1…").arg(QFileInfo(path).fileName()));
  });
  connect(&loader_, &Loader::progress, this, [this](double share) {
    progress_->setRange(0, 1000);
    progress_->setValue(static_cast<int>(share * 1000));
    tell_reading(judging_ ? tr("Judging … %1 %").arg(static_cast<int>(share * 100))
                          : tr("Reading kernels … %1 %").arg(static_cast<int>(share * 100)));
  });
  connect(&loader_, &Loader::judging, this, [this] { judging_ = true; });
  const auto idle = [this] {
    progress_->hide();
    cancel_->hide();
  };
  connect(&loader_, &Loader::loaded, this, [this, idle](const DocumentPointer& document) {
    idle();
    show_document(document);
  });
  // The outline is shown where the whole takes long enough to be waited for.
  connect(&loader_, &Loader::outlined, this, [this](const DocumentPointer& outline) {
    QTimer::singleShot(outline_after_ms, this, [this, outline] {
      if (loader_.busy() && loader_.path() == outline->path()) show_document(outline);
    });
  });
  connect(&loader_, &Loader::failed, this, [this, idle](const Error& error, const QString& path) {
    idle();
    show_failure(error, path);
  });
  connect(&loader_, &Loader::cancelled, this, [this, idle](const QString& path) {
    idle();
    pending_place_.reset();
    show_title();
    overview_->tell_reading(tr("Opening was cancelled: nothing is judged without its kernels."));
    show_notice(tr("Opening %1 was cancelled.").arg(QFileInfo(path).fileName()));
  });
  findings_->set_notes(&notes_);
  connect(&notes_, &Notes::problem, this, [this](const QString& text) { show_notice(text); });
  connect(&marks_, &Marks::problem, this, [this](const QString& text) { show_notice(text); });
  connect(trace_, &TraceView::problem, this, [this](const QString& text) { show_notice(text); });
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, [this](const QString& path) {
    if (!document_ || document_->path() != path) return;
    show_notice(tr("%1 has changed on disk.").arg(document_->name()), tr("Open it again"),
                [this, path] { open(path, place()); });
  });
  connect(&state_, &ViewState::history_changed, this, [this] {
    back_->setEnabled(state_.can_go_back());
    forward_->setEnabled(state_.can_go_forward());
  });
  connect(&state_, &ViewState::view_restored, this, &MainWindow::show_view);
  follow_growth();
  follow_exports();
  follow_trials();
  make_actions();
  // After the rail and the tools, so that the Tab key goes through the window as the eye does.
  for (const auto& entry : entries_) stack_->addWidget(entry.view);
  stack_->addWidget(configuration_);
  restore_session();
  apply_theme();
  go(view_name::start);
}

MainWindow::~MainWindow() = default;

void MainWindow::tell_reading(const QString& text) {
  subtitle_->setText(text);
  overview_->tell_reading(text);
}

void MainWindow::make_header() {
  header_ = new QFrame;
  header_->setObjectName(QStringLiteral("header"));
  auto* row = new QHBoxLayout(header_);
  row->setContentsMargins(20, 7, 12, 7);
  row->setSpacing(6);
  title_ = make_label(tr("No profile is open"), "heading");
  subtitle_ = make_label({}, "dim");
  subtitle_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(title_);
  row->addSpacing(8);
  row->addWidget(subtitle_, 1);
  cancel_ = new QPushButton(tr("Cancel"));
  cancel_->hide();
  connect(cancel_, &QPushButton::clicked, this, [this] {
    loader_.cancel();
    if (exporter_.busy()) {
      exporter_.cancel();
      progress_->hide();
      cancel_->hide();
      show_title();
      show_notice(tr("Nothing was exported."));
    }
  });
  row->addWidget(cancel_);
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("Opening"));
  progress_->hide();
  notice_ = new QFrame;
  notice_->setObjectName(QStringLiteral("notice"));
  auto* notice = new QHBoxLayout(notice_);
  notice->setContentsMargins(16, 6, 8, 6);
  notice_text_ = make_label({}, "");
  notice_text_->setWordWrap(true);
  notice_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  notice_button_ = new QPushButton;
  auto* close = new QToolButton;
  close->setObjectName(QStringLiteral("tool"));
  close->setToolTip(tr("Dismiss"));
  close->setAccessibleName(tr("Dismiss"));
  tools_.emplace_back(close, Symbol::close);
  notice->addWidget(notice_text_, 1);
  notice->addWidget(notice_button_);
  notice->addWidget(close);
  notice_->hide();
  connect(close, &QToolButton::clicked, notice_, &QFrame::hide);
  connect(notice_button_, &QPushButton::clicked, this, [this] {
    notice_->hide();
    if (const auto run = notice_action_) run();
  });
}

void MainWindow::add_view(QLatin1String name, const QString& title, Symbol symbol, View* view) {
  auto* button = new QToolButton;
  button->setObjectName(QStringLiteral("rail_button"));
  button->setText(title);
  button->setAccessibleName(title);
  button->setCheckable(true);
  button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
  button->setIconSize({22, 22});
  with_font_of(button, [button] {
    button->setFixedWidth(
        std::max(76, button->fontMetrics().horizontalAdvance(button->text()) + 20));
  });
  button->setFocusPolicy(Qt::StrongFocus);
  rail_->layout()->addWidget(button);
  const QString word = name;
  entries_.push_back({word, view, button, symbol});
  connect(button, &QToolButton::clicked, this, [this, word] { go(word); });
  connect(view, &View::link_activated, this, &MainWindow::follow);
}

QStringList MainWindow::view_names() {
  QStringList names;
  for (const auto name :
       {view_name::start, view_name::overview, view_name::timeline, view_name::recurrence,
        view_name::findings, view_name::explorer, view_name::compare, view_name::rules})
    names << name;
  return names;
}

Result<Place> MainWindow::read_place(const QString& text) {
  auto place = parse_place(text);
  if (!place) return place;
  if (*place == Place{})
    return fail(ErrorCode::invalid_argument, "'" + text.toStdString() + "' names no place",
                "a place is a view, a range and an item: timeline,12.5ms-40ms,call/3");
  QStringList views = view_names();
  views << QString(view_name::configuration);
  if (place->view.isEmpty() || views.contains(place->view)) return place;
  std::vector<std::string> words;
  for (const auto& view : views) words.push_back(view.toStdString());
  const std::vector<std::string_view> known(words.begin(), words.end());
  const std::string meant = did_you_mean(place->view.toStdString(), known);
  return fail(ErrorCode::invalid_argument, "there is no view '" + place->view.toStdString() + "'",
              meant.empty() ? "one of " + views.join(QStringLiteral(", ")).toStdString() : meant);
}

bool MainWindow::go(const QString& view) {
  if (!show_view(view)) return false;
  state_.show_view(current_view());
  return true;
}

bool MainWindow::show_view(const QString& view) {
  const bool recurrence = view == view_name::recurrence;
  const QString wanted = recurrence ? QString(view_name::timeline) : view;
  if (wanted == view_name::configuration) {
    stack_->setCurrentWidget(configuration_);
    return true;
  }
  for (const auto& entry : entries_) {
    if (entry.name != wanted) continue;
    for (const auto& each : entries_) each.button->setChecked(&each == &entry);
    const bool other = stack_->currentWidget() != entry.view;
    stack_->setCurrentWidget(entry.view);
    if (recurrence) trace_->show_recurrence();
    if (QWidget* focus = entry.view->first_focus(); focus != nullptr && other && !recurrence)
      focus->setFocus();
    return true;
  }
  return false;
}

QString MainWindow::current_view() const {
  for (const auto& entry : entries_) {
    if (entry.view == stack_->currentWidget()) return entry.name;
  }
  return view_name::configuration;
}

void MainWindow::set_theme_choice(ThemeChoice choice) {
  theme_choice_ = choice;
  apply_theme();
}

// Qt tells every window when the desktop has changed its colours.
bool MainWindow::event(QEvent* event) {
  if (event->type() == QEvent::ThemeChange && theme_choice_ == ThemeChoice::system) apply_theme();
  return QMainWindow::event(event);
}

void MainWindow::set_predict_for(std::function<model::PredictTime(const DeviceSpec&)> predict_for) {
  exporter_.set_predict_for(predict_for);
  loader_.set_predict_for(predict_for);
  compare_->set_predict_for(predict_for);
  explorer_->set_predict_for(std::move(predict_for));
}

void MainWindow::apply_theme() {
  const bool dark = theme_choice_ == ThemeChoice::dark ||
                    (theme_choice_ == ThemeChoice::system && system_is_dark());
  theme_ = dark ? dark_theme() : light_theme();
  QApplication::setPalette(palette_of(theme_));
  setStyleSheet(style_sheet_of(theme_, text_percent() / 100.0));
  for (const auto& entry : entries_) {
    entry.button->setIcon(make_icon(entry.symbol, theme_));
    entry.view->set_theme(theme_);
  }
  configuration_->set_theme(theme_);
  source_->set_theme(theme_);
  for (const auto& [button, symbol] : tools_) {
    // A button takes the icon of its action again each time that the action changes.
    if (auto* action = button->defaultAction()) action->setIcon(make_icon(symbol, theme_));
    button->setIcon(make_icon(symbol, theme_));
  }
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (auto* view = qobject_cast<View*>(stack_->currentWidget());
      view != nullptr && view->first_focus() != nullptr)
    view->first_focus()->setFocus();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (urls.isEmpty() || !urls.front().isLocalFile()) return;
  event->acceptProposedAction();
  if (current_view() == view_name::compare && document_) {
    compare_->compare_with(urls.front().toLocalFile());
  } else {
    open(urls.front().toLocalFile());
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  save_session();
  QMainWindow::closeEvent(event);
}

void MainWindow::choose_file() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Open a profile"), QString(),
                                   tr("Profiles and traces (*.rnnprof *.json *.json.gz *.xplane.pb "
                                      "*.xplane.pb.gz *.sqlite);;All files (*)"));
  if (!path.isEmpty()) open(path);
}

void MainWindow::choose_before() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("The profile to compare with"), QString(),
                                   tr("Profiles and traces (*.rnnprof *.json *.json.gz *.xplane.pb "
                                      "*.xplane.pb.gz *.sqlite);;All files (*)"));
  if (!path.isEmpty()) compare_->choose(path);
}

void MainWindow::choose_rules() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Your rule cards"));
  if (folder.isEmpty()) return;
  rules_folder_ = folder;
  read_rules();
}

}  // namespace rnnadvisor::gui
