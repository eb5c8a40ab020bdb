// Before and after as two timelines, one above the other, with one zoom: time zero of both is where
// a matched call or step begins. What is matched and in sight is joined by bands between them.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "gui/access.h"
#include "gui/models/comparison.h"
#include "gui/models/view_state.h"
#include "gui/theme.h"

class QLabel;
class QPainter;
class QSpinBox;

namespace rnnadvisor::gui {

class TimelineWidget;

// A band between a call of one timeline and its partner of the other, in pixels of this widget.
struct Joint {
  int row = -1;  // into Comparison::calls
  double before_left = 0, before_right = 0, after_left = 0, after_right = 0;
  bool operator==(const Joint&) const = default;
};

class CompareTimelines : public QWidget, public Described {
  Q_OBJECT
 public:
  // More bands than that cannot be told apart.
  static constexpr std::size_t most_joints = 60;

  explicit CompareTimelines(QWidget* parent = nullptr);
  // nullptr: none. It must stay as it is until another is set.
  void set_comparison(const Comparison* comparison);
  void set_theme(const Theme& theme);
  // Whether there is anything to be set side by side.
  bool has_pairs() const;
  // Both begin at this pair, and show all of it: a row of the comparison's calls, or a step.
  void show_call(int row);
  void show_step(int step);
  int shown_call() const { return row_; }   // -1: none
  int shown_step() const { return step_; }  // -1: a call, or none
  bool ready() const;
  TimelineWidget* before() { return before_; }
  TimelineWidget* after() { return after_; }
  QSpinBox* chooser() { return chooser_; }
  // The bands that are drawn; `too_many`: none but the chosen one, as there are too many.
  std::vector<Joint> joints(bool* too_many = nullptr) const;
  // "step 3: 12.8 ms → 2.88 ms, −9.92 ms, 4.44× faster"
  QString pair_text() const;
  QString prediction_text() const;  // empty: nothing was predicted of it

  QAccessible::Role described_role() const override { return QAccessible::Grouping; }
  QString described_content() const override;
  QString described_selection() const override { return pair_text(); }

 signals:
  void call_chosen(int row);  // on one of the timelines

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Overlay;
  // One of the two, with what is seen and selected on it.
  struct Side {
    TimelineWidget* timeline = nullptr;
    ViewState state;
    std::int64_t zero_ns = 0;
    bool arranged = false;  // its tracks are those that are compared
  };
  void begin();
  void follow(bool from_before);
  void take_selection(bool of_before);
  void align(const Pair& pair, bool framed, bool keep_before);
  void select_row(int row, bool reveal);
  void arrange(Side& side);
  void show_texts();
  const Pair* shown_pair() const;
  const compare::Prediction* prediction() const;  // of the shown pair; null: none
  TimeRange limits_of(const Side& side) const;
  Joint joint_of(const Pair& pair) const;
  void paint_joints(QPainter& painter);
  void paint_band(QPainter& painter, const Joint& joint, bool chosen);
  void place_overlay();
  void scroll_up();

  const Comparison* comparison_ = nullptr;
  std::shared_ptr<const PairedCalls> pairs_;
  bool begun_ = false;     // the timelines have their documents
  bool shown_ = false;     // they stand at a pair
  bool moving_ = false;    // one follows the other
  bool choosing_ = false;  // a selection that is set here
  int row_ = -1, step_ = -1;
  Theme theme_ = light_theme();
  Side before_side_, after_side_;
  TimelineWidget *before_ = nullptr, *after_ = nullptr;
  QWidget *area_ = nullptr, *between_ = nullptr, *bar_ = nullptr;
  Overlay* overlay_ = nullptr;
  QSpinBox* chooser_ = nullptr;
  QLabel *text_ = nullptr, *predicted_ = nullptr;
};

}  // namespace rnnadvisor::gui
