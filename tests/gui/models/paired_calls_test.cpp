// What stands beside each other on two timelines, over profiles that are drawn.
#include "gui/models/paired_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "gui/models/comparison.h"
#include "profiler/profile/builder.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

// Calls of two layers with their kernels, some of them left out; steps of the same calls again.
DocumentPointer drawn(std::mt19937& random) {
  ProfileBuilder builder;
  const int device = builder.add_device(find_device("h200").value());
  Process of;
  of.pid = 42;
  const int process = builder.add_process(of);
  for (const int size : {256, 512}) {
    Configuration configuration;
    configuration.config.hidden_size = configuration.config.input_size = size;
    configuration.config.id = std::to_string(size);
    configuration.device = device;
    configuration.origin = Origin::captured;
    builder.add_configuration(configuration);
  }
  const auto below = [&](int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random);
  };
  std::int64_t time = 1'000'000 * below(1000);
  const int calls = 20 + below(40);
  for (int i = 0; i < calls; ++i) {
    if (below(6) == 0) continue;
    RnnCall call;
    call.configuration = i % 2;
    call.process = process;
    call.phase = i % 4 < 2 ? Phase::forward_training : Phase::backward_data;
    call.host_start_ns = time;
    call.host_end_ns = time + 1000 + below(1000);
    const int made = builder.add_call(call);
    for (int kernel = below(4); kernel > 0; --kernel) {
      KernelRecord record;
      record.name = "gemm";
      record.start_ns = time + 500;
      record.end_ns = time + 600 + below(100'000);
      record.call = made;
      record.process = process;
      builder.add_kernel(record);
      time = record.end_ns;
    }
    time += 1500 + below(50'000);
  }
  return std::make_shared<const Document>(builder.finish(), test_rules(), QStringLiteral("drawn"));
}

TEST(PairedCalls, AreThoseOfTheComparison) {
  std::mt19937 random(19);
  int pairs_met = 0;
  for (int round = 0; round < 60; ++round) {
    const auto before = drawn(random), after = drawn(random);
    const auto c = compare_documents(before, after);
    const auto& pairs = *c.pairs;
    std::size_t expected = 0;
    for (std::size_t row = 0; row < c.calls.size(); ++row) {
      const auto& match = c.calls[row];
      const Pair* pair = pairs.of_row(static_cast<int>(row));
      const bool both = match.before >= 0 && match.after >= 0;
      ASSERT_EQ(pair != nullptr, both);
      if (match.before >= 0) {
        EXPECT_EQ(pairs.row_of(match.before, true), static_cast<int>(row));
      }
      if (match.after >= 0) {
        EXPECT_EQ(pairs.row_of(match.after, false), static_cast<int>(row));
      }
      if (!both) continue;
      ++expected;
      EXPECT_EQ(pair->row, static_cast<int>(row));
      const TimeRange gpu = before->gpu_range_of_call(match.before);
      EXPECT_EQ(pair->before, gpu.length() > 0 ? gpu : before->host_range_of_call(match.before));
    }
    EXPECT_EQ(pairs.calls().size(), expected);
    pairs_met += static_cast<int>(expected);
    EXPECT_TRUE(std::is_sorted(
        pairs.calls().begin(), pairs.calls().end(),
        [](const Pair& a, const Pair& b) { return a.before.begin_ns < b.before.begin_ns; }));
    // A search over all of them finds the same.
    const auto part = [&](const Document& document) {
      const TimeRange all = document.extent();
      std::uniform_int_distribution<std::int64_t> at(all.begin_ns, all.end_ns);
      const auto a = at(random), b = at(random);
      return TimeRange{std::min(a, b), std::max(a, b) + 1};
    };
    for (int query = 0; query < 10; ++query) {
      const TimeRange b = part(*before), a = part(*after);
      std::vector<std::size_t> found;
      for (std::size_t i = 0; i < pairs.calls().size(); ++i) {
        const auto& pair = pairs.calls()[i];
        if (pair.before.begin_ns < b.end_ns && pair.before.end_ns > b.begin_ns &&
            pair.after.begin_ns < a.end_ns && pair.after.end_ns > a.begin_ns)
          found.push_back(i);
      }
      EXPECT_EQ(pairs.in_sight(b, a, pairs.calls().size()), found);
      const std::size_t most = 3;
      found.resize(std::min(found.size(), most + 1));
      EXPECT_EQ(pairs.in_sight(b, a, most), found);
    }
  }
  EXPECT_GT(pairs_met, 500);
}

// Steps begin with calls that are each other's partners, and are those of the recordings.
TEST(PairedCalls, StepsAreThoseThatBeginWithMatchedCalls) {
  const auto before = sample("programs/pytorch-two-layers"),
             after = sample("programs/pytorch-two-layers-split");
  const auto c = compare_documents(before, after);
  const auto& steps = c.pairs->steps();
  EXPECT_EQ(steps.size(), std::min(before->recorded_steps().processes.front().steps.size(),
                                   after->recorded_steps().processes.front().steps.size()));
  ASSERT_GE(steps.size(), 6U);
  std::set<std::int64_t> seen;
  for (const auto& step : steps) {
    const Pair* call = c.pairs->of_row(step.row);
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(step.before.begin_ns, call->before.begin_ns);
    EXPECT_EQ(step.after.begin_ns, call->after.begin_ns);
    EXPECT_GE(step.before.end_ns, call->before.end_ns);
    EXPECT_TRUE(seen.insert(step.after.begin_ns).second);
  }
}

TEST(DifferenceText, SaysTimeAndFactor) {
  EXPECT_EQ(difference_text(3, 1.5), QStringLiteral("−1.50 ms, 2.00× faster"));
  EXPECT_EQ(difference_text(1.5, 3), QStringLiteral("+1.50 ms, 2.00× slower"));
  EXPECT_EQ(difference_text(2, 2), QStringLiteral("0"));
}

}  // namespace
}  // namespace rnnadvisor::gui
