// Work on the elements of large arrays by all cores of this process.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace rnnadvisor {

// Calls work(begin, end) for pieces of [0, count) of `piece` elements, the last one shorter, from
// several threads; returns when all are done. `work` must not touch what another piece touches.
// Pieces are the same whatever the number of threads, so that sums by piece are too. One piece, or
// a machine that gives no thread: everything in the caller's thread. What `work` throws comes out
// here; the pieces that no thread has begun are left then.
template <class Work>
void for_pieces(std::size_t count, std::size_t piece, const Work& work) {
  // Beyond that, memory is the limit of what this is used for.
  constexpr std::size_t most_threads = 16;
  const std::size_t pieces = (count + piece - 1) / piece;
  const std::size_t threads =
      std::min({pieces, most_threads, std::size_t{std::thread::hardware_concurrency()}});
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto share = [&] {
    try {
      for (std::size_t i = next++; i < pieces; i = next++)
        work(i * piece, std::min(count, (i + 1) * piece));
    } catch (...) {
      next = pieces;
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;  // joined at the end of this block
    try {
      for (std::size_t i = 1; i < threads; ++i) others.emplace_back(share);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    share();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace rnnadvisor
