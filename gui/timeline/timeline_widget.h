// TimelineWidget: the tracks of a profile, painted into one image the size of the viewport. What is
// visible, selected, hovered, highlighted and measured lives in the ViewState; what is folded,
// pinned and searched for lives here.
#pragma once

#include <QAbstractScrollArea>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "gui/access.h"
#include "gui/models/document.h"
#include "gui/models/link.h"
#include "gui/models/marks.h"
#include "gui/models/view_state.h"
#include "gui/theme.h"
#include "gui/timeline/background.h"
#include "gui/timeline/details.h"
#include "gui/timeline/kept_tracks.h"
#include "gui/timeline/scene.h"

class QKeyEvent;
class QLineEdit;
class QMenu;

namespace rnnadvisor::gui {

namespace timeline {
class SearchBar;
}

class TimelineWidget : public QAbstractScrollArea, public Described {
  Q_OBJECT
 public:
  explicit TimelineWidget(QWidget* parent = nullptr);
  ~TimelineWidget() override;

  // Large profiles are laid out on a worker thread; ready() says when. Either may be null.
  void set_document(DocumentPointer document, ViewState* state);
  void set_theme(const Theme& theme);
  // Beside another timeline, until another document is set: without the overview, the ruler counts
  // from `zero_ns`, and what is visible stays within `limits`, which may reach beyond the
  // recording.
  void set_beside(std::int64_t zero_ns, TimeRange limits);
  // What a wheel without Ctrl and Shift does: zoom, as in Tracy, or scroll through the tracks.
  void set_wheel_zooms(bool zooms) { wheel_zooms_ = zooms; }

  QAccessible::Role described_role() const override { return QAccessible::Canvas; }
  QString described_content() const override;
  QString described_selection() const override;

  bool ready() const { return scene_.timeline != nullptr; }
  const timeline::Scene& scene() const { return scene_; }

  // What keys do, for menus and the command palette. Factors below 1 zoom in.
  void zoom(double factor);
  void zoom_at(double x, double factor);  // x in pixels of the viewport
  void pan(double pixels);
  void show_all();
  void focus_on_selection();
  void look_at(TimeRange range);
  void step(int by);        // along the track
  void step_track(int by);  // to the track above or below
  void step_flow(int by);   // to cause or effect
  void measure_selection();
  void copy_selection();  // or the measured range, as text
  // The details of the measured range, a line each with tabs between; empty: none is measured.
  QString measured_text() const;
  void show_search(bool filter = false);
  const QString& filter() const { return pattern_; }  // empty: none
  void search_for(const QString& pattern, bool is_expression);
  // Of a kind of items that another panel names: its hits stand out, and next_hit() goes through
  // them; the filter leaves nothing else. `name` is what both are called; filter_by({}, false) and
  // search_for({}, false) end them.
  void search_like(const timeline::Wanted& wanted);
  void filter_like(const timeline::Wanted& wanted, const QString& name);
  bool filtered() const { return !pattern_.isEmpty(); }
  // What is measured, else what is visible; nothing while there are no tracks.
  std::optional<TimeRange> range_in_question() const;
  void next_hit(int by);
  // Everything but what is painted in a colour steps back, as around hits of a search; nothing:
  // none does.
  void show_only(std::optional<timeline::ColorId> color);
  std::optional<timeline::ColorId> shown_color() const { return color_; }
  // Shows only what matches, or all but that; an empty pattern shows everything again.
  void filter_by(const QString& pattern, bool is_expression, bool exclude = false);
  void set_folded(int track, bool folded);
  void set_pinned(int track, bool pinned);
  void pin_device(int device);  // the track that says when it works
  void set_hidden(int track, bool hidden);
  void step_in_call(int by);  // to the next or previous kernel of the same call
  // Tracks, in timeline_tracks.cpp.
  void move_track(int track, int by);  // up or down among its siblings, or among pinned ones
  void set_hide_empty(bool hide);      // tracks that have nothing in the visible range
  bool hides_empty() const { return hide_empty_; }
  void set_height_factor(double factor);
  void make_taller(int by);  // all tracks, by a fifth of their height; below 0 lower
  double height_factor() const { return scene_.height_factor; }
  // What each track is called, for finding one: "Kernels, stream 7 – python3.12 2164".
  std::vector<std::pair<int, QString>> track_names() const;
  // What the person has made of the tracks of this document, and the same for a document that was
  // just set: it is done once its tracks stand.
  timeline::KeptTracks kept_tracks() const;
  void restore_tracks(timeline::KeptTracks kept);
  void show_track(int track);  // brings it into view and makes it the one that keys move
  // Marks, in timeline_marks.cpp. nullptr: none can be made.
  void set_marks(Marks* marks);
  void add_mark();  // of the measured range, else where the pointer or the selection is
  void edit_mark(int mark);
  void show_mark(int mark);
  void step_mark(int by);  // to the next or previous one
  QLineEdit* mark_editor() { return mark_editor_; }
  void reveal(Item item);                  // scrolls and moves so that it can be seen
  void select(Item item, bool reveal_it);  // without, what is seen stays where it is
  QString track_of(Item item) const;       // as in track_names(); empty where it is not shown
  QString hits_text() const { return hits_text_; }
  bool searching() const { return search_work_.busy(); }

 signals:
  void ready_changed();
  void search_changed();
  void tracks_changed();  // kept_tracks() says something else
  void bar_changed();     // what is filtered, shown alone or hidden
  // Something that another panel shows.
  void link_activated(const rnnadvisor::gui::Link& link);
  void table_requested(rnnadvisor::gui::Item item);
  void hit_list_requested();
  void hits_changed();  // scene().hits are those of another search, or none

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  enum class Drag { none, click, measure, edge, pan, overview, track };

  void build(const timeline::BuildOptions& options);
  void show_hits_of(const timeline::Wanted& wanted);
  void end_search(bool wrong);
  void take(std::shared_ptr<const timeline::Timeline> built);
  void take_state();
  void relayout();
  void fit_depths(bool settled);
  void update_scene_size();
  void selection_changed();
  void highlighted_changed();
  void measured_changed();
  TimeRange limits() const;
  void set_visible(TimeRange range);
  void describe_selection();
  void hover(QPointF position);
  void forget_hover();
  void begin_drag(const timeline::Under& at, Qt::KeyboardModifiers modifiers, bool right);
  void drag_to(QPointF position);
  void menu_at(QPoint position);
  void menu_of_item(QMenu& menu, Item item);
  void menu_of_track(QMenu& menu, int track);
  void menu_of_mark(QMenu& menu, int mark);
  timeline::FirstState first_state() const;
  void find_first_states();
  void arrange();
  void tracks_moved();
  void drag_track_to(QPointF position);
  void take_marks();
  void forget_hits();
  void commit_mark();
  bool key_of_tracks(const QKeyEvent& event);
  double zoom_anchor() const;
  int current_track() const;
  QString track_name(int index) const;
  bool escape();
  QString empty_text() const;
  void paint_empty(QPainter& painter);
  void paint_cards(QPainter& painter);
  timeline::TrackState& state_of(int track);
  std::optional<int> edge_at(QPointF position) const;

  DocumentPointer document_;
  ViewState* state_ = nullptr;
  timeline::Scene scene_;
  std::unique_ptr<timeline::ScenePainter> painter_;
  timeline::SearchBar* search_bar_ = nullptr;
  bool wheel_zooms_ = false;
  bool from_here_ = false;  // a change of selection that must not move what is seen
  std::optional<TimeRange> beside_;
  QString hits_text_, pattern_;
  Marks* marks_ = nullptr;
  QLineEdit* mark_editor_ = nullptr;
  int edited_mark_ = -1;
  timeline::KeptTracks kept_;
  std::set<timeline::TrackName> folded_at_first_;

  QPointF pointer_{-1, -1};
  QPointF pressed_;
  TimeRange pressed_visible_;
  std::int64_t pressed_time_ = 0;
  timeline::Under pressed_under_;
  int pressed_track_ = -1;
  Drag drag_ = Drag::none;
  timeline::Details hover_details_;
  timeline::Details measured_details_;
  std::vector<int> depths_;  // lanes that tracks have room for
  QTimer settled_;
  std::optional<timeline::ColorId> color_;  // that is shown alone
  bool hide_empty_ = false;
  bool without_memory_ = false;  // for the tracks of this document

  // Last, so that they are gone first.
  timeline::Background build_work_, search_work_, statistics_work_;
};

}  // namespace rnnadvisor::gui
