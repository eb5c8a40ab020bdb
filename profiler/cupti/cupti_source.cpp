#include "profiler/cupti/cupti_source.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <mutex>

#include "profiler/cupti/activity_buffers.h"
#include "profiler/cupti/cupti_api.h"

namespace rnnadvisor {
namespace {

constexpr std::array kinds = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_MARKER, CUPTI_ACTIVITY_KIND_MARKER_DATA,
    CUPTI_ACTIVITY_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
    // Without these two, external ids reach no kernel (CUPTI 13.0.1).
    CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};

// The buffers of the one source that is alive. CUPTI's callbacks carry no user pointer and may come
// while the source ends, so each keeps what it works on alive.
class Active {
 public:
  std::shared_ptr<ActivityBuffers> get() {
    const std::lock_guard lock(mutex_);
    return buffers_;
  }
  // False when there is one already.
  bool claim(std::shared_ptr<ActivityBuffers> buffers) {
    const std::lock_guard lock(mutex_);
    if (buffers_) return false;
    buffers_ = std::move(buffers);
    return true;
  }
  void release() {
    std::shared_ptr<ActivityBuffers> last;  // ends its thread, which must not happen under the lock
    const std::lock_guard lock(mutex_);
    last.swap(buffers_);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<ActivityBuffers> buffers_;
};

Active& active() {
  static auto& one = *new Active;  // for ever: CUPTI's thread may outlive static objects
  return one;
}

void CUPTIAPI requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *max_records = 0;
  *size = 0;
  const auto buffers = active().get();
  *buffer = buffers ? buffers->lend() : nullptr;
  if (*buffer != nullptr) *size = buffers->buffer_bytes();
}

void CUPTIAPI completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                        std::size_t valid) {
  const auto buffers = active().get();
  if (!buffers || buffer == nullptr) return;
  std::size_t dropped = 0;
  buffers->api().cuptiActivityGetNumDroppedRecords(context, stream, &dropped);
  buffers->complete(buffer, valid, dropped);
}

void CUPTIAPI ignore_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

class CuptiSource final : public ActivitySource {
 public:
  // `buffers` have been claimed.
  CuptiSource(const CuptiApi& api, std::shared_ptr<ActivityBuffers> buffers)
      : api_(api), buffers_(std::move(buffers)) {}

  ~CuptiSource() override {
    if (recording_) (void)stop();
    active().release();
  }

  Result<void> start() override {
    conflict_.clear();
    if (auto subscribed = subscribe(); !subscribed) return subscribed;
    // Only now: it would change the thread ids of another tool, too.
    system_thread_ids_ =
        api_.cuptiSetThreadIdType != nullptr &&
        api_.cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) == CUPTI_SUCCESS;
    if (auto enabled = enable(); !enabled) {
      disable();
      unsubscribe();
      return enabled;
    }
    recording_ = true;
    return {};
  }

  Result<ActivityBatch> stop() override {
    recording_ = false;
    disable();
    const auto status = api_.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    ActivityBatch batch = buffers_->take(now_ns());
    unsubscribe();
    if (status != CUPTI_SUCCESS) return fail(cupti_error(api_, status, "cuptiActivityFlushAll"));
    return batch;
  }

  void push(std::uint64_t id) override {
    api_.cuptiActivityPushExternalCorrelationId(own_correlation_kind, id);
  }
  void pop() override {
    std::uint64_t last = 0;
    api_.cuptiActivityPopExternalCorrelationId(own_correlation_kind, &last);
  }
  std::int64_t now_ns() override {
    std::uint64_t time = 0;
    api_.cuptiGetTimestamp(&time);
    return static_cast<std::int64_t>(time);
  }
  std::int64_t thread_id() override {
    if (system_thread_ids_) return syscall(SYS_gettid);
    return static_cast<std::uint32_t>(pthread_self());
  }
  std::string conflict() const override { return conflict_; }

 private:
  // CUPTI lets two tools record at once without a word and mixes their buffers up, unless each
  // subscribes first, as its documentation asks; torch.profiler does, and so do NVIDIA's tools.
  Result<void> subscribe() {
    std::array<char, CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN> other{};
    CUptiResult status = CUPTI_SUCCESS;
    if (api_.cuptiSubscribe_v2 != nullptr) {
      CUpti_SubscriberParams params{};
      params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
      params.subscriberName = "rnnadvisor";
      params.oldSubscriberName = other.data();
      params.oldSubscriberSize = other.size();
      status = api_.cuptiSubscribe_v2(&subscriber_, &ignore_callback, nullptr, &params);
    } else {
      status = api_.cuptiSubscribe(&subscriber_, &ignore_callback, nullptr);
    }
    if (status == CUPTI_SUCCESS) return {};
    subscriber_ = nullptr;
    if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
      conflict_ = other[0] != '\0' ? other.data() : "another tool";
    Error error = cupti_error(api_, status, "cuptiSubscribe");
    if (other[0] != '\0') error.message += fmt::format(": '{}' traces already", other.data());
    return fail(std::move(error));
  }

  void unsubscribe() {
    if (subscriber_ != nullptr) api_.cuptiUnsubscribe(subscriber_);
    subscriber_ = nullptr;
  }

  Result<void> enable() {
    if (const auto status = api_.cuptiActivityRegisterCallbacks(&requested, &completed);
        status != CUPTI_SUCCESS) {
      return fail(cupti_error(api_, status, "cuptiActivityRegisterCallbacks"));
    }
    for (const auto kind : kinds) {
      if (const auto status = api_.cuptiActivityEnable(kind); status != CUPTI_SUCCESS)
        return fail(cupti_error(api_, status, "cuptiActivityEnable"));
    }
    return {};
  }

  void disable() {
    for (const auto kind : kinds) api_.cuptiActivityDisable(kind);
  }

  const CuptiApi& api_;
  std::shared_ptr<ActivityBuffers> buffers_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::string conflict_;
  bool system_thread_ids_ = false;
  bool recording_ = false;
};

}  // namespace

Result<std::unique_ptr<ActivitySource>> make_cupti_source(const CuptiOptions& options) {
  const auto api = CuptiApi::load();
  if (!api) return fail(api.error());
  auto buffers =
      std::make_shared<ActivityBuffers>(**api, options.buffer_bytes, options.limit_bytes);
  if (!active().claim(buffers)) {
    return fail(ErrorCode::cupti, "a CUPTI source is alive already in this process",
                "end it before making another");
  }
  return std::make_unique<CuptiSource>(**api, std::move(buffers));
}

}  // namespace rnnadvisor
