// One piece of work on a thread of its own: a newer piece ends the older one, results come back on
// the thread of the owner, and nothing comes back once the owner is gone. Ending never waits, but
// for the end of the owner.
#pragma once

#include <QObject>
#include <QPointer>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/out_of_memory.h"
#include "gui/models/background.h"

namespace rnnadvisor::gui::timeline {

class Background {
 public:
  // `work(stop_token)` runs on the thread, then on that of `owner`, which must be the object that
  // holds this, `done(its result)`, or `without_memory()` where an allocation of the work failed.
  template <class Work, class Done, class WithoutMemory>
  void start(QObject* owner, Work work, Done done, WithoutMemory without_memory) {
    cancel();
    const auto number = ++number_;
    busy_ = true;
    auto ended = std::make_shared<std::atomic<bool>>(false);
    std::jthread thread(
        [this, owner = QPointer<QObject>(owner), number, ended, work = std::move(work),
         done = std::move(done),
         without_memory = std::move(without_memory)](const std::stop_token& stop) mutable {
          std::optional<decltype(work(stop))> result;
          try {
            result.emplace(work(stop));
          } catch (const std::bad_alloc&) {
            missing_memory_is_dealt_with();
          }
          if (!stop.stop_requested()) {
            on_window_thread([this, owner = std::move(owner), number, result = std::move(result),
                              done = std::move(done),
                              without_memory = std::move(without_memory)]() mutable {
              if (owner.isNull() || number != number_) return;
              busy_ = false;
              if (result) {
                done(std::move(*result));
              } else {
                without_memory();
              }
            });
          }
          *ended = true;
        });
    threads_.push_back({std::move(ended), std::move(thread)});
  }
  void cancel() {
    ++number_;
    busy_ = false;
    for (auto& running : threads_) running.thread.request_stop();
    // Those that are through are joined at once.
    std::erase_if(threads_, [](const Running& running) { return running.ended->load(); });
  }
  bool busy() const { return busy_; }

 private:
  struct Running {
    std::shared_ptr<std::atomic<bool>> ended;
    std::jthread thread;  // stops and joins when it goes
  };
  std::uint64_t number_ = 0;  // of the owner's thread only
  bool busy_ = false;
  std::vector<Running> threads_;
};

}  // namespace rnnadvisor::gui::timeline
