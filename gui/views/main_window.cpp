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

#include "advisor/report/words.h"
#include "advisor/whatif/transform.h"
#include "gui/views/compare_view.h"
#include "gui/views/explorer_view.h"
#include "gui/views/findings_view.h"
#include "gui/views/overview_view.h"
#include "gui/views/page_view.h"
#include "gui/views/parts.h"
#include "gui/views/rules_view.h"
#include "gui/views/run_dialog.h"
#include "gui/views/start_view.h"
#include "gui/views/style.h"
#include "gui/views/trace_view.h"

namespace rnnadvisor::gui {
namespace {

constexpr int most_recent = 12;
constexpr int outline_after_ms = 150;

// The names of a deep link; "recurrence" is a dock of the timeline.
constexpr const char *start_name = "start", *overview_name = "overview",
                     *timeline_name = "timeline", *recurrence_name = "recurrence",
                     *findings_name = "findings", *explorer_name = "explorer",
                     *compare_name = "compare", *rules_name = "rules",
                     *configuration_name = "configuration";

}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), theme_(light_theme()) {
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
  trace_ = new TraceView(&state_);
  findings_ = new FindingsView(&state_);
  explorer_ = new ExplorerView;
  compare_ = new CompareView;
  rules_view_ = new RulesView;
  configuration_ = new PageView(&state_);
  add_view(start_name, tr("Start"), Symbol::start, start_);
  add_view(overview_name, tr("Overview"), Symbol::overview, overview_);
  add_view(timeline_name, tr("Timeline"), Symbol::timeline, trace_);
  add_view(findings_name, tr("Findings"), Symbol::findings, findings_);
  add_view(explorer_name, tr("Explorer"), Symbol::explorer, explorer_);
  add_view(compare_name, tr("Compare"), Symbol::compare, compare_);
  add_view(rules_name, tr("Rules"), Symbol::rules, rules_view_);
  rail->addStretch();
  stack_->addWidget(configuration_);
  connect(configuration_, &View::link_activated, this, &MainWindow::follow);

  explorer_->set_rules(rules_);
  compare_->set_rules(rules_);
  rules_view_->set_rules(rules_, {});
  connect(start_, &StartView::open_requested, this, &MainWindow::choose_file);
  connect(start_, &StartView::run_requested, this, [this] { new_run(true); });
  connect(start_, &StartView::path_chosen, this, [this](const QString& path) { open(path); });
  connect(explorer_, &ExplorerView::run_requested, this, [this] { new_run(); });
  connect(compare_, &CompareView::choose_requested, this, &MainWindow::choose_before);
  connect(rules_view_, &RulesView::folder_requested, this, &MainWindow::choose_rules);
  connect(rules_view_, &RulesView::folder_changed, this, &MainWindow::read_rules);

  connect(&loader_, &Loader::started, this, [this](const QString& path) {
    progress_->setRange(0, 0);
    progress_->show();
    cancel_->show();
    subtitle_->setText(tr("Opening %1…").arg(QFileInfo(path).fileName()));
  });
  connect(&loader_, &Loader::progress, this, [this](double share) {
    progress_->setRange(0, 1000);
    progress_->setValue(static_cast<int>(share * 1000));
  });
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
    show_notice(tr("Opening %1 was cancelled.").arg(QFileInfo(path).fileName()));
  });
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, [this](const QString& path) {
    if (!document_ || document_->path() != path) return;
    show_notice(tr("%1 has changed on disk.").arg(document_->name()), tr("Open it again"),
                [this, path] { open(path, place()); });
  });
  connect(&state_, &ViewState::history_changed, this, [this] {
    back_->setEnabled(state_.can_go_back());
    forward_->setEnabled(state_.can_go_forward());
  });
  make_actions();
  restore_session();
  apply_theme();
  go(QString::fromLatin1(start_name));
}

MainWindow::~MainWindow() = default;

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
  connect(cancel_, &QPushButton::clicked, this, [this] { loader_.cancel(); });
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

void MainWindow::add_view(const char* name, const QString& title, Symbol symbol, View* view) {
  auto* button = new QToolButton;
  button->setObjectName(QStringLiteral("rail_button"));
  button->setText(title);
  button->setAccessibleName(title);
  button->setCheckable(true);
  button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
  button->setIconSize({22, 22});
  button->setFixedWidth(76);
  button->setFocusPolicy(Qt::StrongFocus);
  rail_->layout()->addWidget(button);
  stack_->addWidget(view);
  const QString word = QString::fromLatin1(name);
  entries_.push_back({word, view, button, symbol});
  connect(button, &QToolButton::clicked, this, [this, word] { go(word); });
  connect(view, &View::link_activated, this, &MainWindow::follow);
}

QStringList MainWindow::view_names() {
  QStringList names;
  for (const char* name : {start_name, overview_name, timeline_name, recurrence_name, findings_name,
                           explorer_name, compare_name, rules_name})
    names << QString::fromLatin1(name);
  return names;
}

bool MainWindow::go(const QString& view) {
  const bool recurrence = view == QLatin1String(recurrence_name);
  const QString wanted = recurrence ? QString::fromLatin1(timeline_name) : view;
  if (wanted == QLatin1String(configuration_name)) {
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
  return QString::fromLatin1(configuration_name);
}

void MainWindow::open(const QString& path, const std::optional<Place>& at) {
  notice_->hide();
  start_->set_error(nullptr, {});
  const QString absolute =
      path.startsWith(QLatin1String("sample:")) ? path : QFileInfo(path).absoluteFilePath();
  loader_.open(absolute, rules_);
  pending_place_ = at;  // after open(), which cancels what was under way
}

void MainWindow::show_document(const DocumentPointer& document) {
  // Where somebody has begun to look around in the outline, they stay where they are.
  const bool continues = document_ && document_->outline() && document_->path() == document->path();
  const Place here = place();
  if (document_ && !watcher_.files().isEmpty()) watcher_.removePaths(watcher_.files());
  document_ = document;
  state_.reset(document->extent());
  for (const auto& entry : entries_) entry.view->set_document(document);
  configuration_->set_document(document);
  show_title();
  for (auto* action : need_document_) action->setEnabled(true);
  remember_recent(document->path());
  if (QFileInfo(document->path()).isFile()) watcher_.addPath(document->path());
  if (document->outline()) {
    go(pending_place_ && !pending_place_->view.isEmpty() ? pending_place_->view
                                                         : QString::fromLatin1(overview_name));
    return;
  }
  if (pending_place_) {
    go_to(*pending_place_);
    pending_place_.reset();
  } else if (continues) {
    go_to(here);
  } else {
    go(QString::fromLatin1(overview_name));
  }
  emit opened();
}

void MainWindow::show_title() {
  if (!document_) {
    setWindowTitle(QStringLiteral("rnnadvisor"));
    title_->setText(tr("No profile is open"));
    subtitle_->setText({});
    return;
  }
  setWindowTitle(document_->name() + QStringLiteral(" – rnnadvisor"));
  title_->setText(document_->name());
  QStringList about;
  if (document_->outline())
    about << (loader_.busy() ? tr("kernels are still being read") : tr("without its kernels"));
  if (!document_->profile().devices.empty())
    about << to_qt(advisor::words::clean(document_->profile().devices.front().name));
  const auto& environment = document_->profile().environment;
  if (!environment.cudnn_version.empty())
    about << QStringLiteral("cuDNN ") + to_qt(environment.cudnn_version);
  if (!environment.created.empty()) about << to_qt(advisor::words::clean(environment.created));
  subtitle_->setText(about.join(QStringLiteral(" · ")));
}

void MainWindow::show_failure(const Error& error, const QString& path) {
  pending_place_.reset();
  if (document_ && document_->outline()) {
    // What was shown of it is not to be believed.
    document_.reset();
    for (const auto& entry : entries_) entry.view->set_document(nullptr);
    configuration_->set_document(nullptr);
    state_.reset({});
    for (auto* action : need_document_) action->setEnabled(false);
  }
  show_title();
  if (document_) {
    show_notice(to_qt(to_text(error)));
  } else {
    start_->set_error(&error, path);
    go(QString::fromLatin1(start_name));
  }
  emit open_failed(error);
}

void MainWindow::show_notice(const QString& text, const QString& action,
                             std::function<void()> run) {
  notice_text_->setText(text);
  notice_button_->setVisible(!action.isEmpty());
  notice_button_->setText(action);
  notice_action_ = std::move(run);
  notice_->setAccessibleName(text);
  notice_->show();
}

void MainWindow::show_item(Item item) {
  if (!document_ || !document_->holds(item)) return;
  if (item.kind == ItemKind::finding) {
    state_.highlight({});
    // On the timeline its details dock shows the finding beside the evidence.
    if (current_view() != QLatin1String(timeline_name)) go(QString::fromLatin1(findings_name));
    state_.select(item);
    return;
  }
  if (item.kind == ItemKind::configuration) {
    state_.select(item);
    go(QString::fromLatin1(configuration_name));
    return;
  }
  state_.select(item);
  bring_into_view(item);
  go(QString::fromLatin1(timeline_name));
}

void MainWindow::bring_into_view(Item item) {
  const TimeRange range = document_->range_of(item);
  if (range.begin_ns == 0) return;
  const TimeRange seen = state_.visible();
  const bool inside = range.begin_ns >= seen.begin_ns && range.end_ns <= seen.end_ns;
  const bool can_be_seen = range.length() * 400 > seen.length();
  if (inside && can_be_seen) return;
  const auto margin = std::max<std::int64_t>(range.length() * 2, 1000);
  state_.set_visible({range.begin_ns - margin, range.end_ns + margin});
}

void MainWindow::show_evidence(int finding) {
  if (!document_ || !document_->holds({ItemKind::finding, finding})) return;
  const auto& f = document_->judgement().findings[static_cast<std::size_t>(finding)];
  std::vector<Item> items;
  TimeRange range{0, 0};
  const auto add = [&](Item item) {
    if (!document_->holds(item)) return;
    items.push_back(item);
    const auto own = document_->range_of(item);
    if (range.length() <= 0) range = own;
    range.begin_ns = std::min(range.begin_ns, own.begin_ns);
    range.end_ns = std::max(range.end_ns, own.end_ns);
  };
  for (const int call : f.calls) add({ItemKind::call, call});
  for (const int kernel : f.kernels) add({ItemKind::kernel, kernel});
  go(QString::fromLatin1(timeline_name));
  state_.select({ItemKind::finding, finding});
  state_.highlight(items);
  if (range.length() > 0) {
    const auto margin = range.length() / 20 + 1;
    state_.set_visible({range.begin_ns - margin, range.end_ns + margin});
  }
}

void MainWindow::explore(const Link& link) {
  if (!document_ || !document_->holds({ItemKind::configuration, link.configuration})) return;
  const auto& profile = document_->profile();
  const auto& configuration = profile.configurations[static_cast<std::size_t>(link.configuration)];
  const auto& device = profile.devices[static_cast<std::size_t>(configuration.device)];
  std::optional<RnnConfig> changed;
  if (document_->holds({ItemKind::finding, link.finding})) {
    const auto& finding = document_->judgement().findings[static_cast<std::size_t>(link.finding)];
    const auto n = static_cast<std::size_t>(link.suggestion);
    if (link.suggestion >= 0 && n < finding.suggestions.size() &&
        finding.suggestions[n].transform) {
      const auto after = advisor::expand(*finding.suggestions[n].transform, configuration.config);
      if (after && !after->empty()) {
        changed = after->front();
        if (after->size() > 1)
          show_notice(tr("The change makes %1 calls of this one: “Now” is the first of them, with "
                         "its own time and memory.")
                          .arg(after->size()));
      } else {
        show_notice(after ? tr("The change leaves nothing to show.")
                          : to_qt(to_text(after.error())));
      }
    }
  }
  explorer_->show_configuration({configuration.config, configuration.program, {}}, device, changed);
  go(QString::fromLatin1(explorer_name));
}

void MainWindow::follow(const Link& link) {
  switch (link.kind) {
    case LinkKind::item:
      show_item(link.item);
      break;
    case LinkKind::evidence:
      show_evidence(link.finding);
      break;
    case LinkKind::rule:
      go(QString::fromLatin1(rules_name));
      rules_view_->show_rule(link.text);
      break;
    case LinkKind::explore:
      explore(link);
      break;
    case LinkKind::copy: {
      if (!document_ || !document_->holds({ItemKind::finding, link.finding})) break;
      const auto& f = document_->judgement().findings[static_cast<std::size_t>(link.finding)];
      const auto n = static_cast<std::size_t>(link.suggestion);
      if (n < f.suggestions.size())
        QApplication::clipboard()->setText(to_qt(f.suggestions[n].code));
      break;
    }
    case LinkKind::view:
      go(link.text);
      break;
    case LinkKind::external:
      break;
  }
}

Place MainWindow::place() const {
  Place place;
  place.view = current_view();
  if (document_ && document_->has_times() && state_.visible() != document_->extent()) {
    const auto origin = document_->extent().begin_ns;
    place.visible = TimeRange{state_.visible().begin_ns - origin, state_.visible().end_ns - origin};
  }
  place.selection = state_.selection();
  return place;
}

void MainWindow::go_to(const Place& place) {
  if (document_ && place.visible && document_->has_times()) {
    const auto origin = document_->extent().begin_ns;
    state_.set_visible({place.visible->begin_ns + origin, place.visible->end_ns + origin});
  }
  if (document_ && document_->holds(place.selection)) {
    state_.select(place.selection);
    if (!place.visible) bring_into_view(place.selection);
  }
  // The explorer at a configuration, or at what a finding makes of one.
  if (place.view == QLatin1String(explorer_name) && document_ &&
      document_->holds(place.selection)) {
    Link link;
    link.kind = LinkKind::explore;
    if (place.selection.kind == ItemKind::configuration) link.configuration = place.selection.index;
    if (place.selection.kind == ItemKind::finding) {
      const auto& finding =
          document_->judgement().findings[static_cast<std::size_t>(place.selection.index)];
      link.configuration = finding.configuration;
      link.finding = place.selection.index;
      for (std::size_t i = finding.suggestions.size(); i-- > 0;) {
        if (finding.suggestions[i].transform) link.suggestion = static_cast<int>(i);
      }
    }
    explore(link);
  }
  if (place.view.isEmpty() || !go(place.view)) {
    go(QString::fromLatin1(place.selection.kind == ItemKind::finding   ? findings_name
                           : place.visible || !place.selection.empty() ? timeline_name
                                                                       : overview_name));
  }
}

void MainWindow::set_theme_choice(ThemeChoice choice) {
  theme_choice_ = choice;
  apply_theme();
}

void MainWindow::apply_theme() {
  const bool dark = theme_choice_ == ThemeChoice::dark ||
                    (theme_choice_ == ThemeChoice::system && system_is_dark());
  theme_ = dark ? dark_theme() : light_theme();
  QApplication::setPalette(palette_of(theme_));
  setStyleSheet(style_sheet_of(theme_));
  for (const auto& entry : entries_) {
    entry.button->setIcon(make_icon(entry.symbol, theme_));
    entry.view->set_theme(theme_);
  }
  configuration_->set_theme(theme_);
  for (const auto& [button, symbol] : tools_) button->setIcon(make_icon(symbol, theme_));
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
  if (current_view() == QLatin1String(compare_name) && document_) {
    compare_->compare_with(urls.front().toLocalFile());
  } else {
    open(urls.front().toLocalFile());
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  save_session();
  QMainWindow::closeEvent(event);
}

void MainWindow::remember_recent(const QString& path) {
  if (path.startsWith(QLatin1String("sample:"))) return;
  QSettings settings;
  QStringList recent = settings.value(QStringLiteral("recent")).toStringList();
  recent.removeAll(path);
  recent.prepend(path);
  while (recent.size() > most_recent) recent.removeLast();
  settings.setValue(QStringLiteral("recent"), recent);
  start_->set_recent(recent);
}

void MainWindow::save_session() {
  QSettings settings;
  settings.setValue(QStringLiteral("geometry"), saveGeometry());
  settings.setValue(QStringLiteral("docks"), trace_->save_layout());
  settings.setValue(QStringLiteral("theme"), static_cast<int>(theme_choice_));
  settings.setValue(QStringLiteral("rules"), rules_folder_);
}

void MainWindow::restore_session() {
  const QSettings settings;
  restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
  const auto docks = settings.value(QStringLiteral("docks")).toByteArray();
  if (!docks.isEmpty()) trace_->restore_layout(docks);
  theme_choice_ =
      static_cast<ThemeChoice>(std::clamp(settings.value(QStringLiteral("theme")).toInt(), 0, 2));
  start_->set_recent(settings.value(QStringLiteral("recent")).toStringList());
  rules_folder_ = settings.value(QStringLiteral("rules")).toString();
  if (!rules_folder_.isEmpty()) read_rules();
}

void MainWindow::choose_file() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a profile"), QString(),
                                                    tr("Profiles (*.rnnprof);;All files (*)"));
  if (!path.isEmpty()) open(path);
}

void MainWindow::choose_before() {
  const QString path = QFileDialog::getOpenFileName(this, tr("The profile from before"), QString(),
                                                    tr("Profiles (*.rnnprof);;All files (*)"));
  if (!path.isEmpty()) compare_->compare_with(path);
}

void MainWindow::choose_rules() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Your rule cards"));
  if (folder.isEmpty()) return;
  rules_folder_ = folder;
  read_rules();
}

void MainWindow::read_rules() {
  auto read = load_rules(rules_folder_);
  if (!read) {
    rules_view_->set_errors(read.error());
    return;
  }
  rules_ = *read;
  explorer_->set_rules(rules_);
  compare_->set_rules(rules_);
  rules_view_->set_rules(rules_, rules_folder_);
  // What is open is judged anew.
  if (document_) open(document_->path(), place());
}

}  // namespace rnnadvisor::gui
