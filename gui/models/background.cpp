#include "gui/models/background.h"

#include <QCoreApplication>
#include <QEvent>
#include <QObject>
#include <QThreadPool>
#include <deque>
#include <mutex>
#include <utility>

namespace rnnadvisor::gui {
namespace {

using Action = std::function<void()>;

class Queue {
 public:
  void push(Action action) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(action));
  }
  Action pop() {
    const std::lock_guard lock(mutex_);
    Action first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::deque<Action> waiting_;
};

// Its events are handled on the window's thread, whichever made it.
class Mailbox : public QObject {
 public:
  Mailbox() { moveToThread(QCoreApplication::instance()->thread()); }
  void push(Action action) {
    // Made before the queue's lock is taken, and used after: the thread sanitizer, which does not
    // see Qt's own locks, sees this one.
    auto* const posted = new QEvent(QEvent::User);
    actions_.push(std::move(action));
    QCoreApplication::postEvent(this, posted);
  }

 protected:
  void customEvent(QEvent* /*event*/) override { actions_.pop()(); }

 private:
  Queue actions_;
};

Mailbox& mailbox() {
  static Mailbox box;
  return box;
}

Queue& jobs() {
  static Queue queue;
  return queue;
}

void run_next() { jobs().pop()(); }

}  // namespace

void in_background(std::function<void()> work) {
  jobs().push(std::move(work));
  QThreadPool::globalInstance()->start(&run_next);
}

void on_window_thread(std::function<void()> action) { mailbox().push(std::move(action)); }

}  // namespace rnnadvisor::gui
