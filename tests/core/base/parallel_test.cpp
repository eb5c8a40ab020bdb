#include "core/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <vector>

namespace rnnadvisor {
namespace {

TEST(ForPieces, TouchesEveryElementOnce) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 1000U, 1001U}) {
    std::vector<int> touched(count, 0);
    for_pieces(count, 8, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++touched[i];
    });
    EXPECT_EQ(touched, std::vector<int>(count, 1)) << count;
  }
}

TEST(ForPieces, PiecesDoNotDependOnThreads) {
  std::atomic<int> whole = 0, shorter = 0;
  for_pieces(100, 30, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin % 30, 0U);
    (end - begin == 30 ? whole : shorter) += 1;
  });
  EXPECT_EQ(whole, 3);
  EXPECT_EQ(shorter, 1);
}

// By whatever thread: a thread that ended by it would end the process.
TEST(ForPieces, WhatIsThrownComesOut) {
  for (const std::size_t bad : {0U, 5U, 99U}) {
    std::atomic<int> done = 0;
    EXPECT_THROW(for_pieces(100, 1,
                            [&](std::size_t begin, std::size_t) {
                              if (begin == bad) throw std::bad_alloc();
                              ++done;
                            }),
                 std::bad_alloc);
    EXPECT_LT(done, 100);
  }
  EXPECT_THROW(for_pieces(1000, 1, [](std::size_t, std::size_t) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

}  // namespace
}  // namespace rnnadvisor
