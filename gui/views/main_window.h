// The window: a rail of views, what is opened, and the actions on it. It alone knows all views;
// they meet in the ViewState.
#pragma once

#include <QFileSystemWatcher>
#include <QMainWindow>
#include <QMap>
#include <functional>

#include "core/model/time_prediction.h"
#include "gui/models/document.h"
#include "gui/models/exporter.h"
#include "gui/models/file_follower.h"
#include "gui/models/link.h"
#include "gui/models/loader.h"
#include "gui/models/marks.h"
#include "gui/models/notes.h"
#include "gui/models/runner.h"
#include "gui/models/session.h"
#include "gui/models/trial_run.h"
#include "gui/models/view_state.h"
#include "gui/theme.h"

class QDockWidget;
class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;
class QFrame;

namespace rnnadvisor::gui {

class CompareView;
class ExplorerView;
class FindingsView;
class OverviewView;
class PageView;
class RulesView;
class RunDialog;
class SourcePane;
class StartView;
class TraceView;
class View;
enum class Symbol;

enum class ThemeChoice { system, light, dark };

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  // Files, or "sample:NAME". `at` is shown once it is open. With `before`, a profile from before
  // the change, the two are compared, in the view for that unless `at` names another.
  void open(const QString& path, const std::optional<Place>& at = std::nullopt,
            const QString& before = {});
  // Without a file: opens the last one, where the user wants it so.
  void begin();
  // Before it is shown: no larger than the screen that it will be on, and not outside of every
  // screen.
  void fit_to_screen();
  const DocumentPointer& document() const { return document_; }
  ViewState* state() { return &state_; }
  Marks* marks() { return &marks_; }
  Notes* notes() { return &notes_; }
  bool loading() const { return loader_.busy(); }
  void cancel_opening() { loader_.cancel(); }

  // By name: start, overview, timeline, recurrence, findings, explorer, compare, rules. False for
  // another word.
  bool go(const QString& view);
  QString current_view() const;
  static QStringList view_names();
  // As parse_place(), and the view is one that there is.
  static Result<Place> read_place(const QString& text);
  // What opens the open profile at this place, for a shell.
  QString command() const;
  void follow(const Link& link);
  Place place() const;
  void go_to(const Place& place);
  Exporter* exporter() { return &exporter_; }
  FileFollower* follower() { return &follower_; }
  void set_theme_choice(ThemeChoice choice);
  // What predicts the times of a device (core/model/time_for_device.h); without one none is shown.
  void set_predict_for(std::function<model::PredictTime(const DeviceSpec&)> predict_for);
  const Theme& theme() const { return theme_; }
  // PNG or SVG, as its ending says.
  Result<void> save_picture(const QString& file);
  QList<QAction*> commands() const { return commands_; }

  void open_palette();
  void search();
  void open_shortcuts();
  void new_run(bool program = false);
  // A dialog that runs the recorded program again as this suggestion says.
  void accelerate(int finding, int suggestion);
  // A line of the program: in the editor that is set, else in the pane below.
  void open_source(int site);
  // Of all windows: in percent of what the desktop gives.
  void change_text_size(int percent);
  void open_documentation();
  QString about_text() const;
  SourcePane* source_pane() { return source_; }
  // Tries it on a GPU in the background; what comes of it is opened in the place of this profile.
  void try_suggestion(int finding, int suggestion, bool torch = false);
  TrialRun* trial() { return &trial_; }

 signals:
  void opened();
  void open_failed(const rnnadvisor::Error& error);

 protected:
  bool event(QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  // A profile with what was tried, until it is open.
  struct Tried {
    QString path, message;
    QString from, from_name;  // the profile in whose place it comes
    Place from_place;
    FindingKey finding;
    std::vector<advisor::Transform> changes;
    std::optional<FindingKey> selected;
  };
  struct Entry {
    QString name;
    View* view = nullptr;
    QToolButton* button = nullptr;
    Symbol symbol;
  };
  bool show_view(const QString& view);  // as go(), without a place in the history
  void add_view(QLatin1String name, const QString& title, Symbol symbol, View* view);
  void make_header();
  void make_actions();
  QAction* add_action(QMenu* menu, const QString& text, const QKeySequence& keys,
                      std::function<void()> run);
  void show_document(const DocumentPointer& document);
  void show_title();
  void tell_reading(const QString& text);
  void show_failure(const Error& error, const QString& path);
  void follow_growth();
  void follow_exports();
  void collect(const QString& folder);
  void follow_trials();
  void show_tried(const TrialSubject& subject, const QString& path, const QString& message);
  void place_tried();
  void tell_tried();
  void copy_trial_command();
  void show_notice(const QString& text, const QString& action = {},
                   std::function<void()> run = nullptr);
  void show_evidence(int finding);
  void show_step(int device, int call);  // in window_steps.cpp
  void show_item(Item item);
  void bring_into_view(Item item);
  void explore(const Link& link);
  void choose_file();
  void choose_before();
  void choose_rules();
  void read_rules();
  RunDialog* make_run();  // null, with a notice, where nothing can run now
  void make_file_menus(QMenu* file);
  void show_recent(const QList<SeenFile>& files);
  void make_text_size_actions(QMenu* view);
  void make_help_actions(QMenu* help);
  void open_about();
  void make_source_pane();
  void make_source_actions(QMenu* menu);
  void export_report(ExportFormat format, const QString& ending);
  void apply_theme();
  void remember_place();
  void show_seen_files();
  void save_session();
  void restore_session();

  ViewState state_;
  Marks marks_;
  Notes notes_;
  Loader loader_;
  bool judging_ = false;  // what it has read
  DocumentPointer document_;
  std::shared_ptr<const advisor::RuleSet> rules_;
  QString rules_folder_;
  std::optional<Place> pending_place_;
  QString pending_before_;
  QFileSystemWatcher watcher_;
  FileFollower follower_;
  Runner collector_;
  TrialRun trial_;
  std::optional<Tried> pending_tried_;
  QMap<QString, QString> tried_from_;  // path to the name of the profile that was tried
  Exporter exporter_;
  ThemeChoice theme_choice_ = ThemeChoice::system;
  Theme theme_;

  std::vector<Entry> entries_;
  QStackedWidget* stack_ = nullptr;
  QFrame *rail_ = nullptr, *header_ = nullptr, *notice_ = nullptr;
  QLabel *title_ = nullptr, *subtitle_ = nullptr, *notice_text_ = nullptr;
  QPushButton *notice_button_ = nullptr, *cancel_ = nullptr;
  QProgressBar* progress_ = nullptr;
  std::vector<std::pair<QToolButton*, Symbol>> tools_;
  std::function<void()> notice_action_;
  QList<QAction*> commands_;
  QAction *back_ = nullptr, *forward_ = nullptr;
  std::vector<QAction*> need_document_;

  StartView* start_ = nullptr;
  OverviewView* overview_ = nullptr;
  TraceView* trace_ = nullptr;
  FindingsView* findings_ = nullptr;
  ExplorerView* explorer_ = nullptr;
  CompareView* compare_ = nullptr;
  RulesView* rules_view_ = nullptr;
  PageView* configuration_ = nullptr;
  SourcePane* source_ = nullptr;
  QDockWidget* source_dock_ = nullptr;
  QMenu* recent_menu_ = nullptr;
};

}  // namespace rnnadvisor::gui
