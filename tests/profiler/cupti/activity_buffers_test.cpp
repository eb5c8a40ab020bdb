// The buffers between CUPTI's callbacks and the reading thread, with CUPTI played by the test.
#include "profiler/cupti/activity_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>

#include "tests/profiler/cupti/hand_built_buffer.h"

namespace rnnadvisor {
namespace {

using ::testing::SizeIs;

constexpr std::size_t buffer_bytes = 4096;
constexpr std::int64_t now = 9000;

// Writes one kernel, as CUPTI does into a buffer it was lent; returns the valid bytes.
std::size_t write_kernel(std::uint8_t* buffer, std::uint64_t start) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.start = start;
  record.end = start + 5;
  HandBuiltBuffer built;
  built.add(record);
  std::memcpy(buffer, built.data(), built.size());
  return built.size();
}

class ActivityBuffersTest : public testing::Test {
 protected:
  const CuptiApi api_ = fake_cupti();
};

TEST_F(ActivityBuffersTest, WhatIsCompleteIsReadAndTheBufferIsLentAgain) {
  ActivityBuffers buffers(api_, buffer_bytes, 2 * buffer_bytes);
  std::uint8_t* first = buffers.lend();
  ASSERT_NE(first, nullptr);
  buffers.complete(first, write_kernel(first, 100), 3);
  const ActivityBatch batch = buffers.take(now);
  ASSERT_THAT(batch.kernels, SizeIs(1));
  EXPECT_EQ(batch.kernels[0].start_ns, 100);
  EXPECT_EQ(batch.dropped, 3);
  EXPECT_EQ(batch.foreign_buffers, 0);
  std::uint8_t* again = buffers.lend();
  EXPECT_EQ(again, first);
  buffers.complete(again, 0, 0);
  const ActivityBatch next = buffers.take(now);
  EXPECT_THAT(next.kernels, SizeIs(0));
  EXPECT_EQ(next.dropped, 0);
}

TEST_F(ActivityBuffersTest, NoMoreThanTheLimitIsTaken) {
  ActivityBuffers buffers(api_, buffer_bytes, 2 * buffer_bytes + 1);
  std::uint8_t* one = buffers.lend();
  std::uint8_t* two = buffers.lend();
  EXPECT_NE(one, nullptr);
  EXPECT_NE(two, nullptr);
  EXPECT_EQ(buffers.lend(), nullptr);
  buffers.complete(one, 0, 0);
  buffers.complete(two, 0, 0);
}

TEST_F(ActivityBuffersTest, AnotherToolsBufferIsCountedAndNotTouched) {
  ActivityBuffers buffers(api_, buffer_bytes, buffer_bytes);
  alignas(8) std::array<std::uint8_t, 512> foreign{};
  buffers.complete(foreign.data(), write_kernel(foreign.data(), 100), 0);
  const ActivityBatch batch = buffers.take(now);
  EXPECT_THAT(batch.kernels, SizeIs(0));
  EXPECT_EQ(batch.foreign_buffers, 1);
  EXPECT_EQ(buffers.take(now).foreign_buffers, 0);
}

// CUPTI may keep a buffer beyond the life of its owner and give it back to the next.
TEST_F(ActivityBuffersTest, ABufferOfAnEarlierOwnerIsNoForeignOne) {
  std::uint8_t* kept = nullptr;
  {
    ActivityBuffers earlier(api_, buffer_bytes, buffer_bytes);
    kept = earlier.lend();
  }
  ActivityBuffers buffers(api_, buffer_bytes, buffer_bytes);
  buffers.complete(kept, write_kernel(kept, 100), 0);  // frees it: the address sanitizer looks
  const ActivityBatch batch = buffers.take(now);
  EXPECT_EQ(batch.foreign_buffers, 0);
  EXPECT_THAT(batch.kernels, SizeIs(0));
}

// A stop that falls between the thread's looking and its sleeping must not be lost.
TEST_F(ActivityBuffersTest, EndsAtOnceHoweverSoon) {
  for (int i = 0; i < 2000; ++i) {
    ActivityBuffers buffers(api_, buffer_bytes, buffer_bytes);
    if (i % 2 == 0) continue;
    std::uint8_t* buffer = buffers.lend();
    buffers.complete(buffer, write_kernel(buffer, 100), 0);
  }
}

TEST_F(ActivityBuffersTest, ManyThreadsLendAndComplete) {
  ActivityBuffers buffers(api_, buffer_bytes, 8 * buffer_bytes);
  constexpr int threads = 4, rounds = 500;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        std::uint8_t* buffer = buffers.lend();
        if (buffer == nullptr) {
          std::this_thread::yield();
          --i;
          continue;
        }
        buffers.complete(buffer, write_kernel(buffer, 100), 1);
      }
    });
  }
  for (auto& thread : running) thread.join();
  const ActivityBatch batch = buffers.take(now);
  EXPECT_THAT(batch.kernels, SizeIs(threads * rounds));
  EXPECT_EQ(batch.dropped, threads * rounds);
}

}  // namespace
}  // namespace rnnadvisor
