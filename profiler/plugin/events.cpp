#include "profiler/plugin/events.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "profiler/plugin/driver.h"
#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

// Pairs in flight; a program that keeps more calls than this in its queue gets some without a time.
constexpr int pairs = 512;
enum class Use : unsigned char { empty, idle, begun, ended };
struct Pair {
  CUevent begin, end;
  std::uint64_t context;
  CUstream stream;
  TakeTime take;  // null: the spool's
  std::uint64_t call, other;
  Use use;
};
Pair pool[pairs];
// Those that the device has to finish, the oldest first.
int queue[pairs];
int head = 0, waiting = 0;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// The current context's own number, 0: there is none. An address is used again when a program
// resets its device, and the events of before are gone then.
std::uint64_t current_context(const Driver& d) {
  CUcontext context = nullptr;
  if (d.cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr) return 0;
  unsigned long long id = 0;
  if (d.cuCtxGetId != nullptr && d.cuCtxGetId(context, &id) == CUDA_SUCCESS && id != 0) return id;
  return reinterpret_cast<std::uintptr_t>(context);
}

// Whether the device is through with a pair; then it can be used again.
bool report(const Driver& d, Pair& pair) {
  const CUresult status = d.cuEventQuery(pair.end);
  if (status == CUDA_ERROR_NOT_READY) return false;
  pair.use = Use::idle;
  float ms = 0;
  if (status == CUDA_SUCCESS && d.cuEventElapsedTime(&ms, pair.begin, pair.end) == CUDA_SUCCESS) {
    const double ns = static_cast<double>(ms) * 1e6;
    if (pair.take != nullptr) {
      pair.take(pair.call, pair.other, ns);
    } else {
      writer().add(spool::CallTime{{}, pair.call, static_cast<std::int64_t>(ns)},
                   spool::Loss::calls);
    }
  }
  return true;
}

int take_pair(const Driver& d, std::uint64_t context, CUstream stream) {
  const Locked locked(mutex);
  for (int i = 0; i < pairs; ++i) {
    auto& pair = pool[i];
    if (pair.use == Use::empty) {
      if (d.cuEventCreate(&pair.begin, CU_EVENT_DEFAULT) != CUDA_SUCCESS) break;
      if (d.cuEventCreate(&pair.end, CU_EVENT_DEFAULT) != CUDA_SUCCESS) break;
      pair.context = context;
      pair.use = Use::idle;
    }
    if (pair.use == Use::idle && pair.context == context) {
      pair.use = Use::begun;
      pair.stream = stream;
      return i;
    }
  }
  return -1;
}

void end(int token, TakeTime take, std::uint64_t one, std::uint64_t other, bool wanted) {
  if (token < 0) return;
  const Driver* d = driver();
  auto& pair = pool[token];
  pair.take = take;
  pair.call = one;
  pair.other = other;
  const Relaxed relaxed(*d);
  // Between the two the program may have reset its device: the events of before are gone then.
  const bool ok = wanted && current_context(*d) == pair.context &&
                  d->cuEventRecord(pair.end, pair.stream) == CUDA_SUCCESS;
  const Locked locked(mutex);
  pair.use = ok ? Use::ended : Use::idle;
  if (ok) queue[(head + waiting++) % pairs] = token;
}

}  // namespace

int events_begin(CUstream stream) {
  const Driver* d = driver();
  if (d == nullptr) return -1;
  CUstreamCaptureStatus capturing{};
  const std::uint64_t context = current_context(*d);
  if (context == 0) return -1;
  if (d->cuStreamIsCapturing(stream, &capturing) != CUDA_SUCCESS ||
      capturing != CU_STREAM_CAPTURE_STATUS_NONE)
    return -1;
  const Relaxed relaxed(*d);
  const int token = take_pair(*d, context, stream);
  if (token >= 0 && d->cuEventRecord(pool[token].begin, stream) != CUDA_SUCCESS) {
    events_end(token, 0);
    return -1;
  }
  return token;
}

void events_end(int token, std::uint64_t call) { end(token, nullptr, call, 0, call != 0); }

void events_end(int token, TakeTime take, std::uint64_t one, std::uint64_t other) {
  end(token, take, one, other, take != nullptr);
}

namespace {

enum class Wanted { some, finished, all };

void collect_times(Wanted wanted) {
  const Driver* d = driver();
  if (d == nullptr) return;
  const std::uint64_t context = current_context(*d);
  if (context == 0) return;
  const Relaxed relaxed(*d);
  // At the end of a program that a kernel which never ends would not keep from ending.
  constexpr int patience_ms = 2000;
  int waited_ms = 0;
  const Locked locked(mutex);
  // A few per call keep up with the program; the first that is not finished ends the search,
  // because the others are as a rule younger.
  for (int left = waiting, looked = 0; left > 0 && (wanted != Wanted::some || looked < 8);) {
    const int token = queue[head];
    auto& pair = pool[token];
    if (pair.context == context) {
      ++looked;
      if (!report(*d, pair)) {
        if (wanted != Wanted::all || waited_ms >= patience_ms) break;
        const timespec step = {0, 1'000'000};
        nanosleep(&step, nullptr);
        ++waited_ms;
        continue;
      }
      --waiting;
    } else {
      queue[(head + waiting) % pairs] = token;  // another context's goes to the end
    }
    head = (head + 1) % pairs;
    --left;
  }
}

}  // namespace

void events_collect(bool all) { collect_times(all ? Wanted::all : Wanted::some); }

void events_collect_finished() { collect_times(Wanted::finished); }

void events_in_child() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof fresh);
  memset(static_cast<void*>(pool), 0, sizeof pool);
  head = waiting = 0;
}

}  // namespace rnnadvisor::plugin
