// The memory that CUPTI fills, and the thread that reads it: neither the program's launches nor
// CUPTI's own thread wait for our reading. Apart from the source so that it can be tested with
// buffers built by hand. Private to profiler/cupti.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include "profiler/cupti/records.h"

namespace rnnadvisor {

class ActivityBuffers {
 public:
  // No more than `limit_bytes` are taken for all buffers together.
  ActivityBuffers(const CuptiApi& api, std::size_t buffer_bytes, std::size_t limit_bytes);
  // Reads what is complete and ends the thread. Buffers that CUPTI still has stay its own.
  ~ActivityBuffers();
  ActivityBuffers(const ActivityBuffers&) = delete;
  ActivityBuffers& operator=(const ActivityBuffers&) = delete;

  const CuptiApi& api() const { return api_; }
  std::size_t buffer_bytes() const { return buffer_bytes_; }

  // For CUPTI's callbacks, from any thread. Null when the limit is reached.
  std::uint8_t* lend();
  // `buffer` comes back with `valid` bytes of records, and so many were dropped. One that was lent
  // by an earlier object is freed unread; one that was not lent is another tool's, is counted and
  // otherwise left alone.
  void complete(std::uint8_t* buffer, std::size_t valid, std::size_t dropped);

  // Waits until all that is complete has been read.
  ActivityBatch take(std::int64_t now_ns);

 private:
  struct Completed {
    std::uint8_t* buffer;
    std::size_t valid;
  };
  void work(const std::stop_token& stop);

  const CuptiApi& api_;
  const std::size_t buffer_bytes_, limit_bytes_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Completed> queue_;
  std::vector<std::uint8_t*> free_;
  std::unordered_set<std::uint8_t*> lent_;
  std::size_t allocated_ = 0;
  std::size_t dropped_ = 0;
  std::int64_t foreign_ = 0;
  bool reading_ = false;
  RecordReader reader_;  // the thread's while reading_, take()'s otherwise
  std::jthread thread_;  // last: starts when all else is built
};

}  // namespace rnnadvisor
