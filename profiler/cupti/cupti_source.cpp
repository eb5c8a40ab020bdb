#include "profiler/cupti/cupti_source.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "profiler/cupti/cupti_api.h"
#include "profiler/cupti/records.h"

namespace rnnadvisor {
namespace {

constexpr std::array kinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                              CUPTI_ACTIVITY_KIND_MEMCPY,
                              CUPTI_ACTIVITY_KIND_MEMSET,
                              CUPTI_ACTIVITY_KIND_MEMORY2,
                              CUPTI_ACTIVITY_KIND_MARKER,
                              CUPTI_ACTIVITY_KIND_OVERHEAD,
                              CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};
constexpr std::array api_kinds = {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};

class CuptiSource;
// CUPTI's callbacks carry no user pointer.
std::atomic<CuptiSource*> active{nullptr};

// Buffers are read on a thread of their own, so that neither the program's launches nor CUPTI's
// worker wait for us.
class CuptiSource final : public ActivitySource {
 public:
  CuptiSource(const CuptiApi& api, const CuptiOptions& options)
      : api_(api),
        options_(options),
        reader_(api),
        worker_([this](const std::stop_token& stop) { work(stop); }) {}

  ~CuptiSource() override {
    if (recording_) (void)stop();
    worker_.request_stop();
    changed_.notify_all();
    worker_.join();
    active.store(nullptr);
    for (auto* buffer : free_) std::free(buffer);
  }

  Result<void> start() override {
    const auto enable = [&](CUpti_ActivityKind kind) { return api_.cuptiActivityEnable(kind); };
    if (!registered_) {
      if (const auto status = api_.cuptiActivityRegisterCallbacks(&requested, &completed);
          status != CUPTI_SUCCESS) {
        return fail(cupti_error(api_, status, "cuptiActivityRegisterCallbacks"));
      }
      registered_ = true;
    }
    for (const auto kind : kinds) {
      if (const auto status = enable(kind); status != CUPTI_SUCCESS) {
        return fail(cupti_error(api_, status, "cuptiActivityEnable"));
      }
    }
    if (options_.api_calls) {
      for (const auto kind : api_kinds) {
        if (const auto status = enable(kind); status != CUPTI_SUCCESS) {
          return fail(cupti_error(api_, status, "cuptiActivityEnable"));
        }
      }
    }
    recording_ = true;
    return {};
  }

  Result<ActivityBatch> stop() override {
    recording_ = false;
    if (options_.api_calls) {
      for (const auto kind : api_kinds) api_.cuptiActivityDisable(kind);
    }
    for (const auto kind : kinds) api_.cuptiActivityDisable(kind);
    const auto status = api_.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty() && !reading_; });
    if (status != CUPTI_SUCCESS) return fail(cupti_error(api_, status, "cuptiActivityFlushAll"));
    return reader_.take(now_ns());
  }

  void push(std::uint64_t id) override {
    api_.cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id);
  }
  void pop() override {
    std::uint64_t last = 0;
    api_.cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
  }
  std::int64_t now_ns() override {
    std::uint64_t time = 0;
    api_.cuptiGetTimestamp(&time);
    return static_cast<std::int64_t>(time);
  }

 private:
  struct Completed {
    std::uint8_t* buffer;
    std::size_t valid;
  };

  static void CUPTIAPI requested(std::uint8_t** buffer, std::size_t* size,
                                 std::size_t* max_records) {
    *max_records = 0;
    *buffer = nullptr;
    *size = 0;
    auto* self = active.load();
    if (self == nullptr) return;
    const std::lock_guard lock(self->mutex_);
    if (!self->free_.empty()) {
      *buffer = self->free_.back();
      self->free_.pop_back();
    } else if (self->allocated_ + self->options_.buffer_bytes <= self->options_.limit_bytes) {
      *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, self->options_.buffer_bytes));
      if (*buffer != nullptr) self->allocated_ += self->options_.buffer_bytes;
    }
    if (*buffer != nullptr) *size = self->options_.buffer_bytes;
  }

  static void CUPTIAPI completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t, std::size_t valid) {
    auto* self = active.load();
    if (self == nullptr || buffer == nullptr) return;
    // Asked before our lock is taken: CUPTI may call back into us from here.
    std::size_t dropped = 0;
    self->api_.cuptiActivityGetNumDroppedRecords(context, stream, &dropped);
    {
      const std::lock_guard lock(self->mutex_);
      self->queue_.push_back({buffer, valid});
      self->dropped_ += dropped;
    }
    self->changed_.notify_all();
  }

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stop.stop_requested() || !queue_.empty(); });
      if (queue_.empty()) return;
      const Completed next = queue_.front();
      queue_.pop_front();
      reader_.add_dropped(dropped_);
      dropped_ = 0;
      reading_ = true;
      lock.unlock();
      reader_.read(next.buffer, next.valid);
      lock.lock();
      reading_ = false;
      free_.push_back(next.buffer);
      changed_.notify_all();
    }
  }

  const CuptiApi& api_;
  CuptiOptions options_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Completed> queue_;
  std::vector<std::uint8_t*> free_;
  std::size_t allocated_ = 0;
  std::size_t dropped_ = 0;
  bool reading_ = false;
  bool registered_ = false;
  bool recording_ = false;
  RecordReader reader_;  // the worker's while reading_, stop()'s otherwise
  std::jthread worker_;  // last: starts when all else is built
};

}  // namespace

Result<std::unique_ptr<ActivitySource>> make_cupti_source(const CuptiOptions& options) {
  const auto api = CuptiApi::load();
  if (!api) return fail(api.error());
  if (active.load() != nullptr) {
    return fail(ErrorCode::cupti, "a CUPTI source is alive already in this process",
                "end it before making another");
  }
  auto source = std::make_unique<CuptiSource>(**api, options);
  active.store(source.get());
  return std::unique_ptr<ActivitySource>(std::move(source));
}

}  // namespace rnnadvisor
