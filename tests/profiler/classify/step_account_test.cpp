#include "profiler/classify/step_account.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

double of(const StepAccount& account, StepPart part) {
  return account.share[static_cast<std::size_t>(part)];
}

double sum(const StepAccount& account) {
  return std::accumulate(account.share.begin(), account.share.end(), account.idle());
}

// A program on one device whose clock is in µs.
class DrawnProgram {
 public:
  DrawnProgram() {
    builder_.add_device(*find_device("h200"));
    builder_.profile().environment.tracing = true;
    Process process;
    process.pid = 1;
    process.host = "here";
    process.start_ns = 0;
    builder_.add_process(process);
  }
  // A negative duration: a traced call.
  int call(Phase phase, bool begins_step = false, std::int64_t untraced_us = -1) {
    CallRecord record;
    record.call.phase = phase;
    record.call.process = 0;
    record.call.host_start_ns = record.call.host_end_ns = 1000 * now;
    record.call.begins_step = begins_step;
    record.call.untraced = untraced_us >= 0;
    record.call.step_duration_ns = untraced_us >= 0 ? 1000 * untraced_us : -1;
    return builder_.add_call(record);
  }
  void kernel(const char* name, std::int64_t start, std::int64_t end, int call = -1,
              int stream = 7) {
    KernelRecord record;
    record.name = name;
    record.call = call;
    record.process = 0;
    record.stream = stream;
    record.start_ns = 1000 * start;
    record.end_ns = 1000 * end;
    builder_.add_kernel(record);
  }
  void copy(std::int64_t start, std::int64_t end) {
    TransferRecord record;
    record.process = 0;
    record.start_ns = 1000 * start;
    record.end_ns = 1000 * end;
    builder_.add_transfer(record);
  }
  StepAccount account() {
    const Profile profile = builder_.finish();
    const auto recurrences = native_recurrences(profile);
    const auto busy = gpu_busy(profile, 0, recurrences);
    EXPECT_TRUE(busy);
    const auto steps = program_steps(profile, 0, recurrences);
    return busy ? step_account(0, *busy, steps ? &*steps : nullptr) : StepAccount{};
  }
  std::int64_t now = 0;

 private:
  ProfileBuilder builder_;
};

TEST(StepAccount, NamesWhatRanAndWhereTheDeviceWaited) {
  DrawnProgram program;
  for (int step = 0; step < 80; ++step) {
    const int forward = program.call(Phase::forward_training, true);
    const int backward = program.call(Phase::backward_data);
    auto& t = program.now;
    program.kernel("lstm", t, t + 10, forward);
    program.kernel("lstm", t + 30, t + 40, forward);  // 20 µs of waiting within the call
    program.kernel("loss", t + 50, t + 60);           // 10 elsewhere
    program.kernel("lstm_backward", t + 60, t + 80, backward);
    program.copy(t + 80, t + 85);
    t += 100;  // 15 until the next step
  }
  for (int step = 0; step < 10; ++step, program.now += 80)
    program.call(Phase::forward_training, true, 80);
  const auto account = program.account();
  EXPECT_EQ(account.untraced, 10);
  EXPECT_DOUBLE_EQ(account.step_ns, 80'000);
  EXPECT_TRUE(account.trains);
  EXPECT_DOUBLE_EQ(of(account, StepPart::rnn_forward), 20.0 / 80);
  EXPECT_DOUBLE_EQ(of(account, StepPart::rnn_backward), 20.0 / 80);
  EXPECT_DOUBLE_EQ(of(account, StepPart::other_kernels), 10.0 / 80);
  EXPECT_DOUBLE_EQ(of(account, StepPart::transfers), 5.0 / 80);
  EXPECT_DOUBLE_EQ(of(account, StepPart::native_cells), 0);
  // Without tracing 25 of the 45 µs are left, in the same proportion.
  EXPECT_DOUBLE_EQ(account.idle(), 25.0 / 80);
  EXPECT_NEAR(account.idle_in_rnn, 25.0 / 80 * 20 / 45, 1e-9);
}

// Half of each step passes before the next batch is there.
TEST(StepAccount, AWaitForNoLaunchIsTheHosts) {
  DrawnProgram program;
  for (int step = 0; step < 60; ++step) {
    const int forward = program.call(Phase::forward_training, true);
    program.call(Phase::backward_data);
    auto& t = program.now;
    for (int k = 0; k < 4; ++k) program.kernel("lstm", t + 500 * k, t + 500 * (k + 1), forward);
    program.kernel("loss", t + 2500, t + 3000);  // 500 µs: launches
    t += 6000;
  }
  for (int step = 0; step < 10; ++step, program.now += 6000)
    program.call(Phase::forward_training, true, 6000);
  const auto account = program.account();
  EXPECT_NEAR(account.idle_for_host, 0.5, 1e-9);
  EXPECT_NEAR(account.idle_elsewhere, 500.0 / 6000, 1e-9);
  EXPECT_NEAR(sum(account), 1, 1e-9);
}

TEST(StepAccount, CellsWithoutCudnnAreRecurrentLayersToo) {
  DrawnProgram program;
  for (int step = 0; step < 20; ++step) {
    for (int cell = 0; cell < 30; ++cell, program.now += 20) {
      program.kernel("ampere_sgemm_32x32_sliced1x4_tn", program.now, program.now + 2);
      program.kernel("void at::native::(anonymous namespace)::kernel::lstm_cell_forward<float>",
                     program.now + 6, program.now + 8);
    }
    program.kernel("loss", program.now, program.now + 5);
    program.now += 20;
  }
  const auto account = program.account();
  EXPECT_EQ(account.untraced, 0);
  EXPECT_GT(of(account, StepPart::native_cells), 0.15);
  EXPECT_LT(of(account, StepPart::other_kernels), 0.05);
  EXPECT_GT(account.idle_in_rnn, 0.6);
  EXPECT_NEAR(sum(account), 1, 1e-9);
}

// Whatever ran beside whatever else: the parts are those of the busy time and make up the step.
TEST(StepAccount, PartsOfAnyProgramAddUpToTheStep) {
  std::mt19937 random(20261127);
  const auto draw = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for (int n = 0; n < 300; ++n) {
    DrawnProgram program;
    const bool timed = draw(2) == 0;
    for (int step = 0; step < 20 + draw(20); ++step) {
      const int calls[] = {program.call(Phase::forward_training, true),
                           program.call(Phase::backward_weights), -1};
      program.kernel("first", program.now, program.now + 1, calls[0]);
      for (int k = 0; k < 20; ++k) {
        const int start = draw(300);
        const int end = start + draw(60);
        if (draw(5) == 0)
          program.copy(program.now + start, program.now + end);
        else
          program.kernel("work", program.now + start, program.now + end, calls[draw(3)], draw(3));
      }
      program.now += 300 + draw(100);
    }
    if (timed)
      for (int step = 0; step < 5; ++step, program.now += 400)
        program.call(Phase::forward_training, true, 50 + draw(400));
    const auto account = program.account();
    EXPECT_NEAR(sum(account), 1, 1e-9) << n;
    for (const double share : account.share) EXPECT_GE(share, 0) << n;
    EXPECT_GE(account.idle_in_rnn, 0) << n;
    EXPECT_GE(account.idle_for_host, 0) << n;
    EXPECT_GE(account.idle_elsewhere, 0) << n;
    EXPECT_EQ(account.untraced > 0, timed) << n;
  }
}

}  // namespace
}  // namespace rnnadvisor
