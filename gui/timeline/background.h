// One piece of work on a thread of its own: a newer piece ends the older one, results come back on
// the thread of the owner, and nothing comes back once the owner is gone.
#pragma once

#include <QMetaObject>
#include <QObject>
#include <memory>
#include <stop_token>
#include <thread>

namespace rnnadvisor::gui::timeline {

class Background {
 public:
  // `work(stop_token)` runs on the thread, `done(its result)` on the thread of `owner`, which must
  // be the object that holds this.
  template <class Work, class Done>
  void start(QObject* owner, Work work, Done done) {
    const auto number = ++number_;
    busy_ = true;
    // The thread that ran before is asked to stop and waited for: work looks often.
    thread_ = std::jthread([this, owner, number, work = std::move(work),
                            done = std::move(done)](const std::stop_token& stop) mutable {
      auto result = work(stop);
      if (stop.stop_requested()) return;
      QMetaObject::invokeMethod(
          owner,
          [this, number, result = std::move(result), done = std::move(done)]() mutable {
            if (number != number_) return;
            busy_ = false;
            done(std::move(result));
          },
          Qt::QueuedConnection);
    });
  }
  void cancel() {
    ++number_;
    busy_ = false;
    thread_ = {};
  }
  bool busy() const { return busy_; }

 private:
  std::uint64_t number_ = 0;  // of the owner's thread only
  bool busy_ = false;
  std::jthread thread_;
};

}  // namespace rnnadvisor::gui::timeline
