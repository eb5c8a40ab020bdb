#include "profiler/cupti/activity_buffers.h"

#include <cstdlib>
#include <utility>

namespace rnnadvisor {
namespace {

// Buffers that CUPTI did not give back before their owner ended: it may do so later, to another.
class Orphans {
 public:
  void add(const std::unordered_set<std::uint8_t*>& buffers) {
    const std::lock_guard lock(mutex_);
    buffers_.insert(buffers.begin(), buffers.end());
  }
  bool take(std::uint8_t* buffer) {
    const std::lock_guard lock(mutex_);
    return buffers_.erase(buffer) > 0;
  }

 private:
  std::mutex mutex_;
  std::unordered_set<std::uint8_t*> buffers_;
};

Orphans& orphans() {
  static auto& all = *new Orphans;  // for ever: CUPTI's thread may outlive static objects
  return all;
}

}  // namespace

ActivityBuffers::ActivityBuffers(const CuptiApi& api, std::size_t buffer_bytes,
                                 std::size_t limit_bytes)
    : api_(api),
      buffer_bytes_(buffer_bytes),
      limit_bytes_(limit_bytes),
      reader_(api),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

ActivityBuffers::~ActivityBuffers() {
  thread_.request_stop();
  thread_.join();
  orphans().add(lent_);
  for (auto* buffer : free_) std::free(buffer);
}

std::uint8_t* ActivityBuffers::lend() {
  const std::lock_guard lock(mutex_);
  std::uint8_t* buffer = nullptr;
  if (!free_.empty()) {
    buffer = free_.back();
    free_.pop_back();
  } else if (allocated_ + buffer_bytes_ <= limit_bytes_) {
    buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes_));
    if (buffer != nullptr) allocated_ += buffer_bytes_;
  }
  if (buffer != nullptr) lent_.insert(buffer);
  return buffer;
}

void ActivityBuffers::complete(std::uint8_t* buffer, std::size_t valid, std::size_t dropped) {
  {
    const std::lock_guard lock(mutex_);
    dropped_ += dropped;
    if (lent_.erase(buffer) == 0) {
      if (orphans().take(buffer)) {
        std::free(buffer);
      } else {
        ++foreign_;
      }
      return;
    }
    queue_.push_back({buffer, valid});
  }
  changed_.notify_all();
}

ActivityBatch ActivityBuffers::take(std::int64_t now_ns) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queue_.empty() && !reading_; });
  reader_.add_dropped(dropped_);
  dropped_ = 0;
  ActivityBatch batch = reader_.take(now_ns);
  batch.foreign_buffers = std::exchange(foreign_, 0);
  return batch;
}

void ActivityBuffers::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  // Waiting with the token: a stop between looking and sleeping is not lost.
  while (changed_.wait(lock, stop, [&] { return !queue_.empty(); })) {
    const Completed next = queue_.front();
    queue_.pop_front();
    reading_ = true;
    lock.unlock();
    reader_.read(next.buffer, next.valid);
    lock.lock();
    reading_ = false;
    free_.push_back(next.buffer);
    changed_.notify_all();
  }
}

}  // namespace rnnadvisor
