#include "profiler/classify/gpu_busy.h"

#include <gtest/gtest.h>

#include "profiler/classify/program_steps.h"
#include "profiler/classify/step_account.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

// What ran on the devices, in µs.
class Work {
 public:
  Work() {
    builder_.add_device(*find_device("h200"));
    builder_.add_device(*find_device("nvidia-t4"));
    builder_.profile().environment.tracing = true;
  }
  void kernel(std::int64_t start, std::int64_t end, int device = 0, int stream = 7) {
    KernelRecord record;
    record.name = "kernel";
    record.start_ns = start * 1000;
    record.end_ns = end * 1000;
    record.device = device;
    record.stream = stream;
    builder_.add_kernel(record);
  }
  void transfer(std::int64_t start, std::int64_t end) {
    TransferRecord record;
    record.operation = MemoryOperation::copy;
    record.start_ns = start * 1000;
    record.end_ns = end * 1000;
    builder_.add_transfer(record);
  }
  // `count` kernels that run for `busy` of every `each` µs.
  std::int64_t steps(std::int64_t from, int count, std::int64_t each, std::int64_t busy,
                     int device = 0) {
    for (int i = 0; i < count; ++i, from += each) kernel(from, from + busy, device);
    return from;
  }
  void untraced_call(std::int64_t start, std::int64_t end) {
    CallRecord record;
    record.call.host_start_ns = start * 1000;
    record.call.host_end_ns = end * 1000;
    record.call.untraced = true;
    builder_.add_call(record);
  }
  void note(const char* code) { builder_.add_note({NoteSeverity::info, code, "", 1}); }
  void untraced() { builder_.profile().environment.tracing = false; }
  std::optional<GpuBusy> busy(int device = 0) {
    return gpu_busy(profile_ ? *profile_ : profile_.emplace(builder_.finish()), device);
  }

 private:
  ProfileBuilder builder_;
  std::optional<Profile> profile_;
};

TEST(GpuBusy, ATimeWithoutTracingIsNoWait) {
  Work work;
  auto now = work.steps(0, 200, 10, 4);
  now = work.steps(now, 100, 10, 4);
  work.untraced_call(now, now + 5000);
  work.steps(now + 5000, 100, 10, 4);
  const auto busy = work.busy();
  ASSERT_TRUE(busy);
  EXPECT_NEAR(busy->share(), 0.4, 0.01);
  EXPECT_NEAR(static_cast<double>(busy->pause_ns), 5e6, 1e5);
}

TEST(GpuBusy, IsTheShareOfTheSecondHalf) {
  Work work;
  const auto middle = work.steps(0, 200, 1000, 1);  // setting up: one part in a thousand
  work.steps(middle, 200, 10, 4);
  const auto busy = work.busy();
  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->kernels, 200);
  EXPECT_EQ(busy->busy_ns, 200 * 4000);
  EXPECT_EQ(busy->span_ns, 199 * 10000 + 4000);  // up to the end of the last
  EXPECT_EQ(busy->pause_ns, 0);
  EXPECT_NEAR(busy->share(), 0.4, 0.002);
}

TEST(GpuBusy, OverlappingStreamsCountOnce) {
  Work work;
  for (int i = 0; i < 400; ++i) {
    work.kernel(10 * i, 10 * i + 4, 0, 7);
    work.kernel(10 * i + 2, 10 * i + 6, 0, 8);
  }
  EXPECT_NEAR(work.busy().value().share(), 0.6, 0.002);
}

TEST(GpuBusy, TransfersAreWork) {
  Work work;
  for (int i = 0; i < 400; ++i) {
    work.kernel(10 * i, 10 * i + 4);
    work.transfer(10 * i + 4, 10 * i + 9);
  }
  EXPECT_NEAR(work.busy().value().share(), 0.9, 0.002);
}

TEST(GpuBusy, OnlyPausesAboveTenMillisecondsAreLeftOut) {
  for (const std::int64_t pause : {10'000, 10'001}) {
    Work work;
    auto at = work.steps(0, 300, 10, 5);
    work.steps(at - 5 + pause, 100, 10, 5);  // the last kernel ended 5 µs before
    const auto busy = work.busy().value();
    EXPECT_EQ(busy.pause_ns, pause > 10'000 ? pause * 1000 : 0) << pause;
    EXPECT_EQ(busy.busy_ns, 200 * 5000);
    EXPECT_EQ(busy.span_ns + busy.pause_ns, (100 * 10 - 5 + pause + 100 * 10 - 5) * 1000) << pause;
  }
}

// 20 ms for the next batch in each step; once 200 ms for something else.
TEST(GpuBusy, PausesOfEveryStepAreWaitsForTheHost) {
  for (const bool marked : {true, false}) {
    ProfileBuilder builder;
    builder.add_device(*find_device("h200"));
    builder.profile().environment.tracing = true;
    const int configuration = builder.add_configuration({});
    std::int64_t now = 0;  // µs
    for (int step = 0; step < 20; ++step) {
      CallRecord record;
      record.call.configuration = configuration;
      record.call.phase = Phase::forward_training;
      record.call.begins_step = marked;
      record.call.host_start_ns = record.call.host_end_ns = now * 1000;
      if (marked) builder.add_call(record);
      for (int i = 0; i < 20; ++i, now += 10) {
        KernelRecord kernel;
        kernel.name = "kernel";
        kernel.start_ns = now * 1000;
        kernel.end_ns = (now + 10) * 1000;
        builder.add_kernel(kernel);
      }
      now += step == 15 ? 200'000 : 20'000;
    }
    const auto busy = gpu_busy(builder.finish(), 0);
    ASSERT_TRUE(busy);
    const std::int64_t waits = marked ? 8 * 20'000'000 : 0;  // between the last ten steps
    EXPECT_EQ(busy->host_wait_ns, waits);
    EXPECT_EQ(busy->span_ns, 10 * 20 * 10'000 + waits);
    EXPECT_EQ(busy->pause_ns, 200'000'000 + 8 * 20'000'000 - waits);
    const auto account = step_account(0, *busy, nullptr);
    EXPECT_NEAR(account.idle_for_host,
                static_cast<double>(waits) / static_cast<double>(busy->span_ns), 1e-9);
    EXPECT_NEAR(account.idle_elsewhere, 0, 1e-9);
    // No graph shortens them.
    EXPECT_NEAR(graph_estimate(*busy, nullptr).speedup, 1, 0.02);
  }
}

TEST(GpuBusy, NeedsAHundredKernels) {
  for (const int count : {198, 199, 200}) {
    Work work;
    work.steps(0, count, 10, 5);
    EXPECT_EQ(work.busy().has_value(), count >= 199) << count;  // the larger half
  }
}

TEST(GpuBusy, EachDeviceHasItsOwn) {
  Work work;
  work.steps(0, 400, 10, 5, 0);
  work.steps(0, 400, 10, 8, 1);
  EXPECT_NEAR(work.busy(0).value().share(), 0.5, 0.002);
  EXPECT_NEAR(work.busy(1).value().share(), 0.8, 0.002);
  EXPECT_FALSE(work.busy(2));
}

// Of the part that is looked at: where calls on streams of their own run side by side, the one that
// began first counts; a pause inside of one does not, and neither does what lies before the part.
TEST(GpuBusy, SharesOfCallsAreOfTheTimeThatItLooksAt) {
  ProfileBuilder builder;
  builder.add_device(*find_device("h200"));
  builder.profile().environment.tracing = true;
  const int configuration = builder.add_configuration({});
  const auto call = [&] {
    CallRecord record;
    record.call.configuration = configuration;
    return builder.add_call(record);
  };
  const auto kernel = [&](int of, std::int64_t start_us, std::int64_t end_us) {
    KernelRecord record;
    record.name = "kernel";
    record.call = of;
    record.start_ns = start_us * 1000;
    record.end_ns = end_us * 1000;
    builder.add_kernel(record);
  };
  const int before = call(), first = call(), beside = call();
  for (int i = 0; i < 200; ++i) kernel(before, i, i + 1);
  // 1000 µs: the first call from 0 to 100, another of 50 to 150 beside it.
  std::int64_t at = 1000;
  kernel(first, at, at + 10);
  kernel(beside, at + 50, at + 150);
  kernel(first, at + 90, at + 100);
  for (int i = 0; i < 196; ++i) kernel(-1, at + 200 + i * 4, at + 204 + i * 4);
  // After a pause of 20 ms the first call goes on for 10 µs.
  at += 200 + 196 * 4 + 20'000;
  kernel(first, at, at + 10);
  const auto profile = builder.finish();
  const auto busy = gpu_busy(profile, 0);
  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->from_ns, 1'000'000);
  EXPECT_EQ(busy->span_ns, (200 + 196 * 4 + 10) * 1000);
  const int all[] = {before, first, beside};
  EXPECT_EQ(busy->of_calls.of(std::span(all, 1)).work_ns, 0);
  // Work of another call in its midst is no wait of its own.
  const auto alone = busy->of_calls.of(std::span(all + 1, 1));
  EXPECT_EQ(alone.work_ns, 20'000);
  EXPECT_EQ(alone.wait_ns, 0);
  const auto time = busy->of_calls.of(all);
  EXPECT_EQ(time.work_ns, 120'000);
  EXPECT_EQ(time.wait_ns, static_cast<double>(busy->rnn_wait_ns));
}

TEST(GpuBusy, IsNotKnownWhereRecordsAreMissing) {
  for (const char* code : {"records-dropped", "kernels-without-time"}) {
    Work work;
    work.steps(0, 400, 10, 5);
    work.note(code);
    EXPECT_FALSE(work.busy()) << code;
  }
  Work calls_only;
  calls_only.steps(0, 400, 10, 5);
  calls_only.untraced();
  EXPECT_FALSE(calls_only.busy());
  EXPECT_FALSE(gpu_busy(Profile{}, 0));
}

}  // namespace
}  // namespace rnnadvisor
