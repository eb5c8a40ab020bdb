// ViewState: the only thing that panels share. What is visible, selected, hovered, highlighted and
// measured, with a history to go back through. Setters emit only on change.
#pragma once

#include <QObject>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/models/item.h"

namespace rnnadvisor::gui {

class ViewState : public QObject {
  Q_OBJECT
 public:
  explicit ViewState(QObject* parent = nullptr) : QObject(parent) {}

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
  bool can_go_back() const { return !past_.empty(); }
  bool can_go_forward() const { return !future_.empty(); }
  void back();
  void forward();
  // Another document: everything empty, the history too. `all` becomes visible.
  void reset(TimeRange all);

 signals:
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
};

}  // namespace rnnadvisor::gui
