// ViewState: the only thing that panels share. Which view is shown, what is visible, selected,
// hovered, highlighted and measured, with a history to go back through. Setters emit only on
// change.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/models/item.h"

namespace rnnadvisor::gui {

class ViewState : public QObject {
  Q_OBJECT
 public:
  explicit ViewState(QObject* parent = nullptr) : QObject(parent) {}

  // The name of the view that is in front (views/view_name.h).
  const QString& view() const { return now_.view; }
  void show_view(const QString& view);
  TimeRange visible() const { return now_.visible; }
  void set_visible(TimeRange range);
  Item selection() const { return now_.selection; }
  void select(Item item);
  Item hovered() const { return hovered_; }
  void hover(Item item);
  // The evidence of a finding: what panels make stand out.
  const std::vector<Item>& highlighted() const { return highlighted_; }
  void highlight(std::vector<Item> items);
  std::optional<TimeRange> measured() const { return measured_; }
  void measure(std::optional<TimeRange> range);

  // Through the places that were looked at. A drag or a wheel passes many ranges: those that follow
  // each other within half a second are one place.
  // Views, ranges and selections that are set while a Jump lives are one place, too.
  class Jump {
   public:
    explicit Jump(ViewState& state) : state_(state) { ++state_.jumps_; }
    ~Jump() {
      if (--state_.jumps_ == 0) state_.jump_remembered_ = false;
    }
    Jump(const Jump&) = delete;
    Jump& operator=(const Jump&) = delete;

   private:
    ViewState& state_;
  };
  bool can_go_back() const { return !past_.empty(); }
  bool can_go_forward() const { return !future_.empty(); }
  void back();
  void forward();
  // Another document: everything empty but the view, the history too. `all` becomes visible.
  void reset(TimeRange all);
  // What is shown now is where going back ends.
  void forget_history();

 signals:
  // Only where going back or forward has changed it: who calls show_view() shows it.
  void view_restored(const QString& view);
  void visible_changed();
  void selection_changed();
  void hovered_changed();
  void highlighted_changed();
  void measured_changed();
  void history_changed();

 private:
  struct Place {
    TimeRange visible;
    Item selection;
    QString view;
    bool operator==(const Place&) const = default;
  };
  void remember(bool of_range);
  void go(Place place);

  Place now_;
  Item hovered_;
  std::vector<Item> highlighted_;
  std::optional<TimeRange> measured_;
  std::vector<Place> past_, future_;
  std::int64_t last_range_change_ms_ = -1;
  int jumps_ = 0;
  bool jump_remembered_ = false;  // the place from before the jump is in the past
};

}  // namespace rnnadvisor::gui
