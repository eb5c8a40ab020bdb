// The window's actions: menus, tools, exports, the palette.
#include <QActionGroup>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPainter>
#include <QSettings>
#include <QStackedWidget>
#include <QSvgGenerator>
#include <QToolButton>

#include "core/base/output_file.h"
#include "gui/models/exporter.h"
#include "gui/models/session.h"
#include "gui/timeline/details.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/compare_view.h"
#include "gui/views/explorer_view.h"
#include "gui/views/findings_view.h"
#include "gui/views/main_window.h"
#include "gui/views/motion.h"
#include "gui/views/note_bar.h"
#include "gui/views/palette.h"
#include "gui/views/parts.h"
#include "gui/views/run_dialog.h"
#include "gui/views/screenshot.h"
#include "gui/views/trace_view.h"
#include "gui/views/view.h"

namespace rnnadvisor::gui {
namespace {

// The timeline says itself what its keys do.
std::vector<KeyHelp> timeline_keys() {
  std::vector<KeyHelp> keys;
  for (const auto& [name, what] : timeline::shortcut_sheet().lines)
    keys.push_back({MainWindow::tr("Timeline"), name, what});
  return keys;
}

}  // namespace

QAction* MainWindow::add_action(QMenu* menu, const QString& text, const QKeySequence& keys,
                                std::function<void()> run) {
  auto* action = menu->addAction(text);
  action->setShortcut(keys);
  connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
  commands_ << action;
  return action;
}

void MainWindow::make_actions() {
  const auto need = [this](QAction* action) {
    action->setEnabled(false);
    need_document_.push_back(action);
    return action;
  };
  auto* file = menuBar()->addMenu(tr("&File"));
  auto* open_action =
      add_action(file, tr("&Open a profile…"), QKeySequence::Open, [this] { choose_file(); });
  make_file_menus(file);
  add_action(file, tr("New &window"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N), [] {
    auto* window = new MainWindow;
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->fit_to_screen();
    window->show();
  });
  auto* run_action = add_action(file, tr("&New run: a configuration…"),
                                QKeySequence(Qt::CTRL | Qt::Key_N), [this] { new_run(); });
  add_action(file, tr("New run: a &program…"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_N),
             [this] { new_run(true); });
  need(add_action(file, tr("Open it &again"), QKeySequence::Refresh,
                  [this] { open(document_->path(), place()); }));
  add_action(file, tr("Com&pare with…"), {}, [this] {
    go(QStringLiteral("compare"));
    compare_->show_chooser();
  });
  file->addSeparator();
  auto* report = file->addMenu(tr("&Export"));
  struct Format {
    QString title;
    ExportFormat format;
    QString ending;
  };
  const std::vector<Format> formats = {
      {tr("Report as a web page (HTML)…"), ExportFormat::html, QStringLiteral("html")},
      {tr("Report as Markdown…"), ExportFormat::markdown, QStringLiteral("md")},
      {tr("Report as text…"), ExportFormat::text, QStringLiteral("txt")},
      {tr("Report as JSON…"), ExportFormat::json, QStringLiteral("json")},
      {tr("Report as SARIF…"), ExportFormat::sarif, QStringLiteral("sarif")},
      {tr("Report as JUnit…"), ExportFormat::junit, QStringLiteral("xml")},
      {tr("Report as CSV…"), ExportFormat::csv, QStringLiteral("csv")},
      {tr("Timeline for Perfetto…"), ExportFormat::perfetto, QStringLiteral("json")},
      {tr("Kernels as CSV…"), ExportFormat::kernels, QStringLiteral("csv")},
      {tr("RNN calls as CSV…"), ExportFormat::calls, QStringLiteral("csv")}};
  for (const auto& [title, format, ending] : formats)
    need(add_action(report, title, {},
                    [this, wanted = format, suffix = ending] { export_report(wanted, suffix); }));
  add_action(file, tr("Save a p&icture of the view…"), {}, [this] {
    const QString kinds = tr("PNG (*.png);;SVG (*.svg)");
    QString kind;
    const QString chosen = QFileDialog::getSaveFileName(
        this, tr("Save a picture"), current_view() + QStringLiteral(".png"), kinds, &kind);
    if (chosen.isEmpty()) return;
    const QString path = picture_path(chosen, kind);
    // The dialog has asked about the name that was chosen only.
    if (path != chosen && QFileInfo::exists(path) &&
        QMessageBox::question(this, tr("Save a picture"), tr("Replace %1?").arg(path)) !=
            QMessageBox::Yes)
      return;
    if (const auto saved = save_picture(path); !saved) show_notice(to_qt(to_text(saved.error())));
  });
  add_action(file, tr("Copy the view as a &table"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
             [this] {
               const auto* view = qobject_cast<const View*>(stack_->currentWidget());
               const QString text = view != nullptr ? view->table_text() : QString();
               if (text.isEmpty()) {
                 show_notice(tr("There is no table in this view."));
               } else {
                 QApplication::clipboard()->setText(text);
               }
             });
  need(add_action(file, tr("Copy a &link to this place"),
                  QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L), [this] {
                    QApplication::clipboard()->setText(command());
                    show_notice(tr("Copied: a command that opens this profile at this place."));
                  }));
  file->addSeparator();
  auto* start = file->addMenu(tr("When it &starts"));
  auto* choices = new QActionGroup(this);
  const std::vector<std::pair<QString, Reopen>> starts = {
      {tr("At the start: offer the last file"), Reopen::offer},
      {tr("At the start: open the last file where it was left"), Reopen::always},
      {tr("At the start: forget the last file"), Reopen::never}};
  for (const auto& [title, choice] : starts) {
    auto* action = add_action(start, title, {}, [this, choice] {
      set_reopen_choice(choice);
      show_seen_files();
    });
    action->setCheckable(true);
    action->setChecked(reopen_choice() == choice);
    choices->addAction(action);
  }
  add_action(file, tr("&Close the window"), QKeySequence(Qt::CTRL | Qt::Key_W),
             [this] { close(); });
  add_action(file, tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q),
             [] { QApplication::closeAllWindows(); });

  auto* view = menuBar()->addMenu(tr("&View"));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const QString name = entries_[i].name;
    auto* action = add_action(view, entries_[i].button->text(),
                              QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)),
                              [this, name] { go(name); });
    entries_[i].button->setToolTip(entries_[i].button->text() + QStringLiteral("  ") +
                                   action->shortcut().toString(QKeySequence::NativeText));
  }
  add_action(view, tr("Recurrence: the call unrolled"), QKeySequence(Qt::CTRL | Qt::Key_R),
             [this] { go(QStringLiteral("recurrence")); });
  auto* search_action = add_action(view, tr("Search"), QKeySequence::Find, [this] { search(); });
  view->addSeparator();
  for (auto* dock : trace_->docks()) {
    auto* action = dock->toggleViewAction();
    action->setText(tr("Timeline: %1").arg(dock->windowTitle()));
    view->addAction(action);
    commands_ << action;
  }
  auto* timeline = view->addMenu(tr("T&imeline"));
  add_action(timeline, tr("Find a track…"), QKeySequence(Qt::CTRL | Qt::Key_P), [this] {
    go(QStringLiteral("timeline"));
    trace_->find_track();
  });
  auto* wheel = add_action(timeline, tr("Timeline: the wheel zooms, as in Tracy"), {}, [] {});
  wheel->setCheckable(true);
  wheel->setChecked(QSettings().value(QStringLiteral("wheel_zooms")).toBool());
  trace_->timeline()->set_wheel_zooms(wheel->isChecked());
  connect(wheel, &QAction::toggled, this, [this](bool zooms) {
    trace_->timeline()->set_wheel_zooms(zooms);
    QSettings().setValue(QStringLiteral("wheel_zooms"), zooms);
  });
  for (auto& [title, run] : trace_->commands())
    add_action(timeline, title, {}, [this, run] {
      go(QStringLiteral("timeline"));
      run();
    });
  make_source_actions(view);
  view->addSeparator();
  auto* theme = view->addMenu(tr("&Theme"));
  const std::vector<std::pair<QString, ThemeChoice>> themes = {
      {tr("Theme: as the system"), ThemeChoice::system},
      {tr("Theme: light"), ThemeChoice::light},
      {tr("Theme: dark"), ThemeChoice::dark}};
  for (const auto& [title, choice] : themes)
    add_action(theme, title, {}, [this, choice] { set_theme_choice(choice); });
  auto* toggle = add_action(
      view, tr("Switch between light and &dark"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D),
      [this] { set_theme_choice(theme_.dark ? ThemeChoice::light : ThemeChoice::dark); });
  make_text_size_actions(view);
  auto* still = add_action(view, tr("Less motion"), {}, [] {});
  still->setCheckable(true);
  still->setChecked(less_motion());
  connect(still, &QAction::toggled, this, [](bool less) { set_less_motion(less); });
  view->addSeparator();
  add_action(view, tr("Full screen"), QKeySequence(Qt::Key_F11),
             [this] { isFullScreen() ? showNormal() : showFullScreen(); });

  auto* place_menu = menuBar()->addMenu(tr("&Go"));
  back_ = add_action(place_menu, tr("&Back"), QKeySequence(Qt::ALT | Qt::Key_Left),
                     [this] { state_.back(); });
  forward_ = add_action(place_menu, tr("&Forward"), QKeySequence(Qt::ALT | Qt::Key_Right),
                        [this] { state_.forward(); });
  back_->setObjectName(QStringLiteral("back"));
  forward_->setObjectName(QStringLiteral("forward"));
  back_->setEnabled(false);
  forward_->setEnabled(false);

  auto* help = menuBar()->addMenu(tr("&Help"));
  add_action(help, tr("&Commands…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
             [this] { open_palette(); });
  auto* keys = add_action(help, tr("&Keyboard and mouse…"), QKeySequence(Qt::Key_Question),
                          [this] { open_shortcuts(); });
  keys->setShortcuts({QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)});

  make_help_actions(help);

  const auto tool = [this](QAction* action, Symbol symbol, const QString& name) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("tool"));
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setIconSize({18, 18});
    button->setFocusPolicy(Qt::StrongFocus);
    button->setAccessibleName(name);
    const QString keys_text = action->shortcut().toString(QKeySequence::NativeText);
    button->setToolTip(keys_text.isEmpty() ? name : name + QStringLiteral("  ") + keys_text);
    action->setIcon(make_icon(symbol, theme_));
    action->setIconVisibleInMenu(false);
    header_->layout()->addWidget(button);
    tools_.emplace_back(button, symbol);
  };
  tool(back_, Symbol::back, tr("Back"));
  tool(forward_, Symbol::forward, tr("Forward"));
  tool(open_action, Symbol::open, tr("Open a profile"));
  tool(run_action, Symbol::run, tr("New run"));
  tool(search_action, Symbol::search, tr("Search"));
  tool(toggle, Symbol::theme, tr("Light or dark"));
}

// In the view, else in the recording, else among the rules.
void MainWindow::search() {
  auto* view = qobject_cast<View*>(stack_->currentWidget());
  if (view != nullptr && view->search()) return;
  go(QStringLiteral("timeline"));
  if (trace_->search()) return;
  go(QStringLiteral("rules"));
}

void MainWindow::open_palette() {
  auto* palette = new CommandPalette(commands_, this);
  palette->setAttribute(Qt::WA_DeleteOnClose);
  palette->show();
}

void MainWindow::open_shortcuts() {
  auto* sheet = new ShortcutSheet(commands_, timeline_keys(), this);
  sheet->setAttribute(Qt::WA_DeleteOnClose);
  sheet->show();
}

RunDialog* MainWindow::make_run() {
  if (TrialRun::any_running()) {
    show_notice(
        tr("A suggestion is being tried on the GPU, and a run now would disturb its times: "
           "start it when that has ended."));
    return nullptr;
  }
  auto* dialog = new RunDialog(explorer_->input(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &RunDialog::recorded, this, [this](const QString& profile) { open(profile); });
  connect(dialog, &RunDialog::explore_requested, this, [this](const ConfigInput& input) {
    explorer_->show_configuration(input, explorer_->exploration().device());
    explorer_->by_hand_now();
    go(QStringLiteral("explorer"));
  });
  return dialog;
}

void MainWindow::new_run(bool program) {
  auto* dialog = make_run();
  if (dialog == nullptr) return;
  if (program) dialog->show_program();
  dialog->show();
}

void MainWindow::accelerate(int finding, int suggestion) {
  if (!document_ || !document_->holds({ItemKind::finding, finding})) return;
  const auto& all = document_->judgement().findings[static_cast<std::size_t>(finding)].suggestions;
  const auto n = static_cast<std::size_t>(suggestion);
  const auto command = n < all.size() ? accelerate_command(all[n]) : std::nullopt;
  auto* dialog = command ? make_run() : nullptr;
  if (dialog == nullptr) return;
  dialog->show_accelerate(*command);
  dialog->show();
}

void MainWindow::export_report(ExportFormat format, const QString& ending) {
  const QString base = QFileInfo(document_->name()).completeBaseName();
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Export"), base + QLatin1Char('.') + ending);
  if (path.isEmpty()) return;
  findings_->note_bar()->save();
  exporter_.start(document_, format, path, notes_.rows());
}

Result<void> MainWindow::save_picture(const QString& file) {
  if (document_) {
    if (auto good = document_->check_output(file); !good) return good;
  }
  if (!file.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive))
    return write_picture(stack_->grab(), file);
  QBuffer buffer;
  QSvgGenerator svg;
  svg.setOutputDevice(&buffer);
  svg.setResolution(stack_->logicalDpiX());  // else text is set for 72 dots per inch
  svg.setSize(stack_->size());
  svg.setViewBox(stack_->rect());
  svg.setTitle(windowTitle());
  QPainter painter;
  if (!painter.begin(&svg)) return fail(ErrorCode::internal, "the view cannot be drawn as SVG");
  stack_->currentWidget()->render(&painter);
  painter.end();
  return write_file(file.toStdString(), buffer.data().toStdString());
}

}  // namespace rnnadvisor::gui
