#include "advisor/compare/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "advisor/facts/profile_index.h"
#include "advisor/judge/judge.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/file.h"
#include "tests/advisor/compare/judged.h"

namespace rnnadvisor::compare {
namespace {

using JudgedPointer = std::shared_ptr<const Judged>;

JudgedPointer judged(Profile profile) { return std::make_shared<const Judged>(std::move(profile)); }

JudgedPointer sample(const std::string& name) {
  return judged(
      read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/" + name + ".rnnprof").value());
}

Comparison compare(const JudgedPointer& before, const JudgedPointer& after) {
  return compare::compare(before->report, after->report);
}

// One timed configuration; the samples of forward inference in ms.
JudgedPointer timed(std::vector<double> samples, Algo algo = Algo::standard) {
  ProfileBuilder builder;
  const int device = builder.add_device(find_device("h200").value());
  Configuration configuration;
  configuration.config.id = "layer";
  configuration.config.algo = algo;
  configuration.config.mode = Mode::inference;
  configuration.device = device;
  configuration.origin = Origin::run;
  configuration.outcome = Outcome::completed;
  PhaseTiming timing;
  timing.phase = Phase::forward_inference;
  timing.ms = median_interval(samples);
  timing.samples_ms = std::move(samples);
  configuration.timings.push_back(timing);
  builder.add_configuration(std::move(configuration));
  return judged(builder.finish());
}

TEST(Comparison, TellsAChangeFromNoise) {
  const auto slow = timed({2.0, 2.01, 2.02, 2.03, 2.04, 2.05, 2.06, 2.07});
  const auto fast = timed({1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07}, Algo::persist_static);
  const auto noisy = timed({1.0, 1.2, 1.5, 1.9, 2.05, 2.3, 2.6, 3.0});
  const auto few = timed({1.0});
  EXPECT_EQ(compare(slow, fast).matches.at(0).change, Change::faster);
  EXPECT_EQ(compare(fast, slow).matches.at(0).change, Change::slower);
  EXPECT_EQ(compare(slow, noisy).matches.at(0).change, Change::no_difference);
  EXPECT_EQ(compare(slow, few).matches.at(0).change, Change::unclear);
  const auto both = compare(slow, fast);
  EXPECT_NEAR(both.matches.at(0).ratio(), 2.035 / 1.035, 1e-9);
  EXPECT_NEAR(both.before_ms, 2.035, 1e-9);
}

TEST(Comparison, AProfileIsEqualToItself) {
  for (const char* name : {"guide-figure-10", "programs/pytorch-two-layers"}) {
    const auto document = sample(name);
    const auto c = compare(document, document);
    ASSERT_FALSE(c.matches.empty());
    for (const auto& m : c.matches) {
      EXPECT_EQ(m.before, m.after);
      EXPECT_TRUE(m.change == Change::no_difference || m.change == Change::unclear);
      EXPECT_DOUBLE_EQ(m.ratio(), 1);
      for (const auto& [b, a] : m.calls) EXPECT_EQ(b, a);
    }
    EXPECT_TRUE(c.environment.empty() && c.fixed.empty() && c.appeared.empty());
  }
}

// A traced program of one layer: `steps` gives the kernel time of each forward call in us; a
// negative one is an evaluation (forward inference) of that time.
JudgedPointer traced(const std::vector<int>& steps) {
  ProfileBuilder builder;
  const int device = builder.add_device(find_device("h200").value());
  Configuration configuration;
  configuration.config.id = "layer";
  configuration.origin = Origin::captured;
  configuration.device = device;
  const int index = builder.add_configuration(configuration);
  Process process;
  process.pid = 1;
  process.host = "here";
  process.start_ns = 0;
  const int of = builder.add_process(process);
  std::int64_t time = 1'000'000;
  for (const int us : steps) {
    RnnCall call;
    call.configuration = index;
    call.process = of;
    call.device = device;
    call.phase = us < 0 ? Phase::forward_inference : Phase::forward_training;
    call.host_start_ns = time;
    call.host_end_ns = time + 1000;
    KernelRecord kernel;
    kernel.call = builder.add_call(call);
    kernel.name = "elemWiseRNNcell";
    kernel.start_ns = time + 2000;
    kernel.end_ns = kernel.start_ns + std::abs(us) * 1000;
    kernel.process = of;
    kernel.device = device;
    builder.add_kernel(kernel);
    time += 10'000'000;
  }
  return judged(builder.finish());
}

// A call that only one of them has moves no other, and the difference of partners tells a change
// that the spread of the calls would hide.
TEST(Comparison, MatchesCallsInTheirOrder) {
  const auto before = traced({900, 100, 500, 300, 700, 200, 800, 400});
  // The same with 10 us less each, an evaluation in between, and one call missing.
  const auto after = traced({890, 90, 490, -50, 690, 190, 790, 390});
  const auto c = compare(before, after);
  const auto phase = std::find_if(c.matches.begin(), c.matches.end(), [](const Match& m) {
    return m.phase == Phase::forward_training;
  });
  ASSERT_NE(phase, c.matches.end());
  EXPECT_EQ(phase->calls.size(), 8U);
  int pairs = 0;
  for (const auto& call : c.calls) {
    if (call.before < 0 || call.after < 0) continue;
    ++pairs;
    // All are of one kind, so that one of the eight must be without a partner; those before the
    // evaluation keep theirs.
    if (call.before < 3) {
      EXPECT_EQ(call.before, call.after);
    }
  }
  EXPECT_EQ(pairs, 7);
  const auto evaluation = std::count_if(c.calls.begin(), c.calls.end(), [](const CallMatch& call) {
    return call.before < 0 && call.after == 3;
  });
  EXPECT_EQ(evaluation, 1);
}

TEST(Comparison, PartnersTellWhatTheSpreadHides) {
  std::vector<int> slow, fast;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(100 + i * 50);
    fast.push_back(90 + i * 50 + i % 3);
  }
  const auto before = traced(slow), after = traced(fast);
  const auto c = compare(before, after);
  ASSERT_EQ(c.matches.size(), 1U);
  const auto& match = c.matches[0];
  // The intervals of the medians overlap; those of the differences do not reach zero.
  EXPECT_LT(match.before_ms.low, match.after_ms.high);
  EXPECT_LT(match.paired_ms.high, 0);
  EXPECT_NEAR(match.paired_ms.median, -0.009, 1e-9);
  EXPECT_EQ(match.change, Change::faster);
  EXPECT_EQ(compare(traced(fast), traced(slow)).matches[0].change, Change::slower);
  // Every kernel is pointwise: that is where the time went.
  const auto parts = time_parts(before->report, after->report, match);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts[0].role, KernelRole::pointwise);
  EXPECT_NEAR(parts[0].after_ms - parts[0].before_ms, -0.009, 2e-4);
}

TEST(Comparison, WhatHasNoPartnerIsNamed) {
  const auto c = compare(sample("guide-figure-10"), sample("programs/pytorch-gru"));
  bool before = false, after = false;
  for (const auto& m : c.matches) {
    before = before || m.change == Change::only_before;
    after = after || m.change == Change::only_after;
  }
  EXPECT_TRUE(before && after);
}

// The recorded program of two layers (docs/window.md, step 5) after its stack was split into calls
// of one layer, as PyTorch makes them: the layers forward, then backwards each with its weights.
// Every call takes `share` of what the recorded one took, and so does a step. `inputs`: of the
// first layer. `marked`: the ranges of the steps are in it.
JudgedPointer split(const Judged& recorded, double share, int inputs, bool marked = true) {
  const Profile& was = recorded.profile;
  ProfileBuilder builder;
  const int device = builder.add_device(was.devices.at(0));
  Configuration layer = was.configurations.at(0);
  layer.config.num_layers = 1;
  layer.config.algo = Algo::persist_static;
  layer.config.input_size = layer.config.hidden_size;
  const int other = builder.add_configuration(layer);
  layer.config.input_size = inputs;
  const int first = inputs == layer.config.hidden_size ? other : builder.add_configuration(layer);
  Process process;
  process.pid = 1;
  process.host = "here";
  process.start_ns = 0;
  const int of = builder.add_process(process);
  const auto origin = std::min(was.calls.at(0).host_start_ns, was.nvtx.start_ns.at(0));
  const auto at = [&](std::int64_t ns) {
    return 1'000'000 + static_cast<std::int64_t>(static_cast<double>(ns - origin) * share);
  };
  if (marked) {
    for (std::size_t i = 0; i < was.nvtx.size(); ++i) {
      NvtxRecord range;
      range.name = was.text(was.nvtx.name[i]);
      range.start_ns = at(was.nvtx.start_ns[i]);
      range.end_ns = at(was.nvtx.end_ns[i]);
      range.process = of;
      builder.add_nvtx(range);
    }
  }
  const advisor::ProfileIndex index(was);
  const auto add = [&](int of_call, int configuration, std::int64_t start) {
    const RnnCall& old = was.calls[static_cast<std::size_t>(of_call)];
    const auto kernels = index.kernels(of_call);
    std::int64_t begin = was.kernels.start_ns[static_cast<std::size_t>(kernels.front())], end = 0;
    for (const int k : kernels)
      end = std::max(end, was.kernels.end_ns[static_cast<std::size_t>(k)]);
    RnnCall call;
    call.configuration = configuration;
    call.process = of;
    call.device = device;
    call.phase = old.phase;
    call.host_start_ns = start;
    call.host_end_ns = start + 100;
    KernelRecord kernel;
    kernel.call = builder.add_call(call);
    kernel.name = "RNN_blockPersist_fp_LSTM";
    kernel.start_ns = start + 200;
    kernel.end_ns =
        kernel.start_ns + static_cast<std::int64_t>(static_cast<double>(end - begin) * share);
    kernel.process = of;
    kernel.device = device;
    builder.add_kernel(kernel);
  };
  for (std::size_t i = 0; i + 2 < was.calls.size(); i += 3) {
    const int step = static_cast<int>(i);
    const auto start = at(was.calls[i].host_start_ns);
    add(step, first, start);
    add(step, other, start + 1000);
    add(step + 1, other, start + 2000);
    add(step + 2, other, start + 3000);
    add(step + 1, first, start + 4000);
    add(step + 2, first, start + 5000);
  }
  return judged(builder.finish());
}

const Match* match_of(const Comparison& c, Phase phase) {
  const auto found = std::find_if(c.matches.begin(), c.matches.end(),
                                  [&](const Match& m) { return m.phase == phase; });
  return found == c.matches.end() ? nullptr : &*found;
}

TEST(Comparison, AStackIsMatchedWithTheLayersItWasSplitInto) {
  const auto before = sample("programs/pytorch-two-layers");
  for (const int inputs : {512, 256}) {
    // The width of the input changes nothing in whose layers these are.
    Profile was = before->profile;
    was.configurations.at(0).config.input_size = inputs;
    const auto old = judged(std::move(was));
    const auto after = split(*old, 0.25, inputs);
    const advisor::ProfileIndex of_after(after->profile);
    const auto c = compare(old, after);
    ASSERT_EQ(c.matches.size(), 3U) << inputs;
    for (const Phase phase :
         {Phase::forward_training, Phase::backward_data, Phase::backward_weights}) {
      const auto* match = match_of(c, phase);
      ASSERT_NE(match, nullptr);
      EXPECT_EQ(ConfigurationPair::calls(match->sets.before), 1);
      EXPECT_EQ(ConfigurationPair::calls(match->sets.after), 2);
      // Two calls of a quarter each.
      EXPECT_NEAR(match->ratio(), 2.0, 0.01);
      EXPECT_EQ(match->change, Change::faster);
      const auto parts = time_parts(old->report, after->report, *match);
      // The parts are of both calls: together the mean of what they took, but for the first call of
      // each configuration, which warms up.
      double parts_ms = 0, expected_ms = 0;
      for (const auto& part : parts) parts_ms += part.after_ms;
      std::map<int, std::vector<double>> took;
      for (std::size_t i = 0; i < after->profile.calls.size(); ++i) {
        const auto& call = after->profile.calls[i];
        const auto kernels = of_after.kernels(static_cast<int>(i));
        ASSERT_EQ(kernels.size(), 1U);
        const auto kernel = static_cast<std::size_t>(kernels.front());
        const auto ns =
            after->profile.kernels.end_ns[kernel] - after->profile.kernels.start_ns[kernel];
        if (call.phase == phase) took[call.configuration].push_back(static_cast<double>(ns) / 1e6);
      }
      for (const auto& [configuration, calls] : match->sets.after) {
        const auto& all = took[configuration];
        ASSERT_GT(all.size(), 3U);
        expected_ms += calls * std::accumulate(all.begin() + 1, all.end(), 0.0) /
                       static_cast<double>(all.size() - 1);
      }
      EXPECT_NEAR(parts_ms, expected_ms, 1e-3);
    }
    // Every call of the recording has its two.
    ASSERT_EQ(c.calls.size(), old->profile.calls.size());
    for (const auto& call : c.calls) {
      ASSERT_TRUE(call.before >= 0 && call.after >= 0);
      ASSERT_EQ(call.more_after.size(), 1U);
      const auto& calls = after->profile.calls;
      EXPECT_EQ(calls[static_cast<std::size_t>(call.after)].phase,
                calls[static_cast<std::size_t>(call.more_after[0])].phase);
      EXPECT_EQ(call.after / 6, call.before / 3);
      EXPECT_EQ(call.more_after[0] / 6, call.before / 3);
    }
    // And the other way round, as "Swap" shows it.
    const auto back = compare(after, old);
    ASSERT_EQ(back.matches.size(), 3U);
    for (const auto& m : back.matches) {
      EXPECT_NEAR(m.ratio(), 0.5, 0.01);
      EXPECT_EQ(m.change, Change::slower);
    }
  }
}

TEST(Comparison, WholeStepsAreComparedWhereBothMarkThem) {
  const auto before = sample("programs/pytorch-two-layers");
  const auto c = compare(before, split(*before, 0.25, 512));
  ASSERT_TRUE(c.step);
  EXPECT_EQ(c.step->name, "step");
  EXPECT_NEAR(c.step->ratio(), 4.0, 0.01);
  EXPECT_EQ(c.step->change, Change::faster);
  // From start to start: 12.5 ms in the table nvtx_ranges of the recording.
  EXPECT_NEAR(c.step->before_ms.median, 12.5, 1.0);
  // Without ranges on one side there are no steps, and calls are matched all the same.
  const auto unmarked = compare(before, split(*before, 0.25, 512, false));
  EXPECT_FALSE(unmarked.step);
  ASSERT_EQ(unmarked.matches.size(), 3U);
  for (const auto& m : unmarked.matches) EXPECT_NEAR(m.ratio(), 2.0, 0.01);
}

// Steps timed without tracing come before ranges; their parts add up to them.
TEST(Comparison, StepsTimedWithoutTracingComeFirst) {
  const auto slow = sample("programs/pytorch-slow-loader");
  const auto copies = sample("programs/pytorch-input-copies");
  for (const auto& [before, after] : {std::pair{slow, copies}, {copies, slow}, {slow, slow}}) {
    const auto c = compare(before, after);
    ASSERT_TRUE(c.step);
    EXPECT_EQ(c.step->name, "");
    EXPECT_EQ(c.step->before_ms.median, before->judgement.steps.front().step_ns / 1e6);
    EXPECT_EQ(c.step->change, before == after  ? Change::no_difference
                              : before == slow ? Change::faster
                                               : Change::slower);
    double before_ms = 0, after_ms = 0;
    for (const auto& part : c.parts) {
      before_ms += part.before_ms;
      after_ms += part.after_ms;
    }
    EXPECT_NEAR(before_ms, c.step->before_ms.median, 1e-6 * before_ms);
    EXPECT_NEAR(after_ms, c.step->after_ms.median, 1e-6 * after_ms);
  }
}

TEST(Comparison, OtherLayersAreNoSplitStack) {
  const auto before = sample("programs/pytorch-two-layers");
  const auto after = split(*before, 0.25, 512);
  for (const auto change :
       {+[](RnnConfig& c) { c.cell = Cell::gru; }, +[](RnnConfig& c) { c.batch_size = 64; },
        +[](RnnConfig& c) { c.seq_length = 64; },
        +[](RnnConfig& c) { c.hidden_size = c.proj_size = 1024; },
        +[](RnnConfig& c) { c.data_type = DataType::float32; }}) {
    Profile other = after->profile;
    change(other.configurations.at(0).config);
    const auto c = compare(before, judged(std::move(other)));
    for (const auto& m : c.matches) EXPECT_DOUBLE_EQ(m.ratio(), 0);
  }
}

TEST(Comparison, WhatLacksACallIsNoUnit) {
  CallUnits units;
  Profile profile;
  profile.configurations.resize(1);
  for (int i = 0; i < 5; ++i) {
    RnnCall call;
    call.configuration = 0;
    call.process = 0;
    call.host_start_ns = i;
    profile.calls.push_back(call);
  }
  // Two steps: the first has three calls, so that one is left of two and two.
  units = units_of(profile, {2}, {0}, {0, 0, 0, 1, 1});
  EXPECT_EQ(units.calls[0], (std::vector<int>{0, 1}));
  EXPECT_EQ(units.calls[2], (std::vector<int>{2}));
  EXPECT_EQ(units.calls[3], (std::vector<int>{3, 4}));
  EXPECT_TRUE(units.calls[1].empty() && units.calls[4].empty());
  EXPECT_TRUE(units.whole[0] != 0 && units.whole[2] == 0 && units.whole[3] != 0);
}

}  // namespace
}  // namespace rnnadvisor::compare
