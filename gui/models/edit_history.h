// EditHistory: states that a person can go back to and forward again. One step holds what is done
// in one go: a drag, or what follows on the same thing within a moment.
#pragma once

#include <QElapsedTimer>
#include <QString>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace rnnadvisor::gui {

template <class State>
class EditHistory {
 public:
  static constexpr std::size_t most_steps = 200;
  static constexpr qint64 one_go_ms = 1000;

  // Before `what` is changed: `now` is what undo comes back to. Empty: always a step of its own.
  void before_change(const QString& what, const State& now) {
    const bool same = !what.isEmpty() && what == last_ && redo_.empty() &&
                      (dragging_ || (clock_.isValid() && clock_.elapsed() < one_go_ms));
    last_ = what;
    clock_.start();
    if (same && !undo_.empty()) return;
    undo_.push_back(now);
    if (undo_.size() > most_steps) undo_.erase(undo_.begin());
    redo_.clear();
  }
  // While a slider is held all of its changes are one step.
  void set_dragging(bool dragging) {
    dragging_ = dragging;
    last_.clear();
  }
  std::optional<State> undo(const State& now) { return move(undo_, redo_, now); }
  std::optional<State> redo(const State& now) { return move(redo_, undo_, now); }
  bool can_undo() const { return !undo_.empty(); }
  bool can_redo() const { return !redo_.empty(); }
  void clear() {
    undo_.clear();
    redo_.clear();
    last_.clear();
  }

 private:
  std::optional<State> move(std::vector<State>& from, std::vector<State>& to, const State& now) {
    if (from.empty()) return std::nullopt;
    to.push_back(now);
    State state = std::move(from.back());
    from.pop_back();
    last_.clear();
    return state;
  }
  std::vector<State> undo_, redo_;
  QString last_;
  QElapsedTimer clock_;
  bool dragging_ = false;
};

}  // namespace rnnadvisor::gui
