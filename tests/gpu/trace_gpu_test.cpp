#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <set>

#include "profiler/cupti/cupti_api.h"
#include "profiler/kernels/classify.h"
#include "profiler/run/traced_run.h"

namespace rnnadvisor {
namespace {

TracedRunner* shared_traced_runner(std::string& why_not) {
  static const auto made = TracedRunner::create(0);
  if (!made) why_not = to_text(made.error());
  return made ? made->get() : nullptr;
}
#define RNNADVISOR_NEED_TRACED_GPU(runner)               \
  std::string why_not_;                                  \
  TracedRunner* runner = shared_traced_runner(why_not_); \
  if (runner == nullptr) GTEST_SKIP() << "NEEDS A GPU, NOT RUN: " << why_not_

ConfigInput lstm(DataType type, Algo algo) {
  ConfigInput input;
  input.config.id = "traced";
  input.config.algo = algo;
  input.config.data_type = type;
  input.config.math_type = MathType::tensor_op;
  input.config.input_size = input.config.hidden_size = input.config.proj_size = 1024;
  input.config.seq_length = 32;
  input.config.batch_size = 32;
  return input;
}

std::set<model::Implementation> families(const Profile& profile, Phase phase) {
  std::set<model::Implementation> found;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const int call = profile.kernels.call[i];
    if (call >= 0 && profile.calls[static_cast<std::size_t>(call)].phase == phase)
      found.insert(profile.kernels.family[i]);
  }
  return found;
}

TEST(TraceOnGpu, EveryKernelOfAStandardRunBelongsToItsCall) {
  RNNADVISOR_NEED_TRACED_GPU(runner);
  const Profile profile = runner->run(lstm(DataType::half, Algo::standard), {});
  ASSERT_EQ(profile.configurations.size(), 1U);
  ASSERT_EQ(profile.configurations[0].outcome, Outcome::completed)
      << profile.configurations[0].message;
  ASSERT_EQ(profile.calls.size(), 4U);
  std::array<int, 4> cells{};
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    EXPECT_GE(profile.kernels.call[i], 0) << profile.text(profile.kernels.name[i]);
    EXPECT_GT(profile.kernels.end_ns[i], profile.kernels.start_ns[i]);
    const auto& name = profile.text(profile.kernels.name[i]);
    if (name.find("elemWiseRNNcell") != std::string::npos)
      ++cells[static_cast<std::size_t>(profile.kernels.call[i])];
  }
  // One pointwise kernel per time step in both forward phases.
  EXPECT_EQ(cells[0], 32);
  EXPECT_EQ(cells[1], 32);
  for (const auto& note : profile.notes) EXPECT_NE(note.code, "records-dropped") << note.text;
  ASSERT_EQ(profile.nvtx.size(), 5U) << "the ranges of the configuration and of four phases";
  EXPECT_EQ(profile.text(profile.nvtx.name[0]), "traced");
  EXPECT_EQ(profile.nvtx.color[0], 0);
  for (std::size_t i = 1; i < profile.nvtx.size(); ++i)
    EXPECT_NE(profile.nvtx.color[i], 0) << "every phase has a colour";
}

TEST(TraceOnGpu, RecordsCarryThisProcessAndThread) {
  RNNADVISOR_NEED_TRACED_GPU(runner);
  const Profile profile = runner->run(lstm(DataType::half, Algo::standard), {});
  ASSERT_EQ(profile.processes.size(), 1U);
  const Process& self = profile.processes[0];
  EXPECT_EQ(self.pid, getpid());
  EXPECT_EQ(self.mode, "run");
  EXPECT_EQ(self.end, ProcessEnd::running);
  ASSERT_EQ(profile.calls.size(), 4U);
  for (const auto& call : profile.calls) {
    EXPECT_EQ(call.process, 0);
    EXPECT_EQ(call.thread, syscall(SYS_gettid));
    EXPECT_GE(call.host_start_ns, self.start_ns) << "one clock for both";
    EXPECT_LE(call.host_end_ns, self.end_ns);
    EXPECT_EQ(profile.text(call.nvtx_path), "traced/" + std::string(to_string(call.phase)));
    EXPECT_GT(call.weights_bytes, 0);
  }
  for (const auto thread : profile.nvtx.thread) EXPECT_EQ(thread, profile.calls[0].thread);
  ASSERT_GT(profile.api.size(), 0U);
  for (const auto thread : profile.api.thread) EXPECT_EQ(thread, profile.calls[0].thread);
}

// Another tool in the process, as torch.profiler is one: it subscribes and we do not record.
TEST(TraceOnGpu, AnotherSubscriberIsAReportedConflict) {
  RNNADVISOR_NEED_TRACED_GPU(runner);
  const auto api = CuptiApi::load();
  ASSERT_TRUE(api) << to_text(api.error());
  const auto ignore = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  CUpti_SubscriberHandle other = nullptr;
  ASSERT_EQ((*api)->cuptiSubscribe(&other, +ignore, nullptr), CUPTI_SUCCESS);
  const Profile during = runner->run(lstm(DataType::half, Algo::standard), {});
  (*api)->cuptiUnsubscribe(other);
  EXPECT_EQ(during.kernels.size(), 0U);
  EXPECT_FALSE(during.environment.tracing);
  EXPECT_FALSE(during.configurations[0].timings.empty()) << "times are measured without a trace";
  int conflicts = 0;
  for (const auto& note : during.notes) conflicts += note.code == "tracing-conflict" ? 1 : 0;
  EXPECT_EQ(conflicts, 1);
  const Profile after = runner->run(lstm(DataType::half, Algo::standard), {});
  EXPECT_GT(after.kernels.size(), 0U);
  for (const auto& note : after.notes) EXPECT_NE(note.code, "tracing-conflict") << note.text;
}

TEST(TraceOnGpu, PersistentHalfRunsPersistentKernelsAndBfloat16DoesNot) {
  RNNADVISOR_NEED_TRACED_GPU(runner);
  const Profile half = runner->run(lstm(DataType::half, Algo::persist_static), {});
  EXPECT_TRUE(families(half, Phase::forward_training).contains(model::Implementation::persistent));
  const Profile bfloat16 = runner->run(lstm(DataType::bfloat16, Algo::persist_static), {});
  EXPECT_FALSE(
      families(bfloat16, Phase::forward_training).contains(model::Implementation::persistent));
  EXPECT_TRUE(
      families(bfloat16, Phase::forward_training).contains(model::Implementation::standard));
}

TEST(TraceOnGpu, CountersTellTensorCoresWherePermitted) {
  RNNADVISOR_NEED_TRACED_GPU(runner);
  const Profile tensor = runner->run(lstm(DataType::half, Algo::standard), {});
  if (!tensor.environment.counters)
    GTEST_SKIP() << "HARDWARE COUNTERS NOT PERMITTED, NOT RUN: " << tensor.notes.back().text;
  auto plain_input = lstm(DataType::float32, Algo::standard);
  plain_input.config.math_type = MathType::fma;
  const Profile plain = runner->run(plain_input, {});
  // A plain float32 run still has a few tensor instructions (0.1 % of all, in its first product),
  // so the share decides.
  const auto tensor_share = [](const Profile& profile) {
    double tensor_count = 0;
    double all = 0;
    for (const auto& counter : profile.configurations[0].counters) {
      if (counter.phase != Phase::forward_training) continue;
      (counter.metric.find("tensor") != std::string::npos ? tensor_count : all) += counter.value;
    }
    return all > 0 ? tensor_count / all : -1.0;
  };
  EXPECT_GT(tensor_share(tensor), 0.005);
  EXPECT_LT(tensor_share(plain), 0.005);
  EXPECT_GT(tensor_share(tensor), 5 * tensor_share(plain));
}

}  // namespace
}  // namespace rnnadvisor
