// Jobs on all cores of this process, with their results in the order in which the jobs were given.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rnnadvisor::cli {

// add() and finish() are for one thread, which works, too, and to which the results are given: on
// one core, or where only one job is given at a time, no other thread is started. What a job throws
// comes out of add() or finish(), in its place among the results.
template <class Answer>
class InOrder {
 public:
  using Job = std::function<Answer()>;

  InOrder(std::function<void(Answer)> take, std::size_t threads)
      : take_(std::move(take)), threads_(std::clamp<std::size_t>(threads, 1, most_threads)) {}

  // Jobs that were not begun are dropped.
  ~InOrder() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    work_.notify_all();
  }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;

  // Works on jobs itself while too many are waiting.
  void add(Job job) {
    std::unique_lock lock(mutex_);
    slots_.push_back({std::move(job), std::nullopt, nullptr});
    // This thread takes one itself.
    if (slots_.size() - begun_ > 1) {
      if (others_.empty()) start();
      work_.notify_one();
    }
    give(lock);
    while (slots_.size() >= most_waiting * threads_) advance(lock);
  }

  void finish() {
    std::unique_lock lock(mutex_);
    while (!slots_.empty()) advance(lock);
  }

 private:
  // As for_pieces(); and results that wait for an earlier one are memory.
  static constexpr std::size_t most_threads = 16, most_waiting = 8;

  struct Slot {
    Job job;
    std::optional<Answer> result;
    std::exception_ptr thrown;

    bool done() const { return result || thrown; }
  };

  void start() {
    try {
      while (others_.size() + 1 < threads_) others_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      threads_ = others_.size() + 1;  // those that there are
    } catch (const std::bad_alloc&) {
      threads_ = others_.size() + 1;
    }
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      work_.wait(lock, [this] { return stopped_ || begun_ < slots_.size(); });
      if (stopped_) return;
      run_next(lock);
    }
  }

  void run_next(std::unique_lock<std::mutex>& lock) {
    Slot& slot = slots_[begun_++];  // which stays where it is in a deque
    lock.unlock();
    std::optional<Answer> result;
    std::exception_ptr thrown;
    try {
      result = slot.job();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    slot.result = std::move(result);
    slot.thrown = std::move(thrown);
    if (&slot == &slots_.front()) done_.notify_one();
  }

  // One step nearer to having given the result of the first job.
  void advance(std::unique_lock<std::mutex>& lock) {
    if (!slots_.front().done()) {
      if (begun_ < slots_.size())
        run_next(lock);
      else
        done_.wait(lock, [this] { return slots_.front().done(); });
    }
    give(lock);
  }

  void give(std::unique_lock<std::mutex>& lock) {
    while (!slots_.empty() && slots_.front().done()) {
      Slot slot = std::move(slots_.front());
      slots_.pop_front();
      --begun_;
      lock.unlock();
      if (slot.thrown) std::rethrow_exception(slot.thrown);
      take_(std::move(*slot.result));
      lock.lock();
    }
  }

  std::function<void(Answer)> take_;
  std::size_t threads_;
  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::deque<Slot> slots_;  // of which the first `begun_` were begun
  std::size_t begun_ = 0;
  bool stopped_ = false;
  std::vector<std::jthread> others_;  // the last member: joined before the others are gone
};

}  // namespace rnnadvisor::cli
