// Work on the elements of large arrays by all cores of this process.
#pragma once

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace rnnadvisor {

// Calls work(begin, end) for pieces of [0, count) of `piece` elements, the last one shorter, from
// several threads; returns when all are done. `work` must not throw and must not touch what another
// piece touches. Pieces are the same whatever the number of threads, so that sums by piece are too.
// One piece, or a machine that gives no thread: everything in the caller's thread.
template <class Work>
void for_pieces(std::size_t count, std::size_t piece, const Work& work) {
  // Beyond that, memory is the limit of what this is used for.
  constexpr std::size_t most_threads = 16;
  const std::size_t pieces = (count + piece - 1) / piece;
  const std::size_t threads =
      std::min({pieces, most_threads, std::size_t{std::thread::hardware_concurrency()}});
  const auto share = [&](std::size_t first, std::size_t step) {
    for (std::size_t i = first; i < pieces; i += step)
      work(i * piece, std::min(count, (i + 1) * piece));
  };
  if (threads < 2) {
    share(0, 1);
    return;
  }
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  std::size_t started = 1;
  try {
    for (; started < threads; ++started) others.emplace_back(share, started, threads);
  } catch (const std::system_error&) {
    for (std::size_t missing = started; missing < threads; ++missing) share(missing, threads);
  }
  share(0, threads);
  for (std::thread& other : others) other.join();
}

}  // namespace rnnadvisor
