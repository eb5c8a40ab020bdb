// Programs that ask for one algorithm forward and another backward, as PyTorch does for LSTM and
// GRU layers of 129 to 192 units: recorded they are one configuration, and nothing that ran is an
// error.
#include <algorithm>
#include <map>
#include <random>

#include "advisor/judge/judge.h"
#include "advisor/rules/rule.h"
#include "advisor/whatif/candidates.h"
#include "core/model/time_for_device.h"
#include "tests/profiler/launch/collect_fixture.h"

namespace rnnadvisor::launch {
namespace {

constexpr int standard = 0, persist_static = 1, small_h = 3;

// nn.LSTM(units, units) in half, batch 32, T 128.
spool::Configuration layer(std::uint32_t id, int algo, int units = 192) {
  auto c = sample_configuration(id);
  c.algo = algo;
  c.layers = 1;
  c.input_size = c.hidden_size = c.projection_size = c.vector_size = units;
  c.batch = 32;
  c.max_seq_length = 128;
  return c;
}

class Program {
 public:
  Program() {
    writer.header.mode = writer.header.asked_mode = spool::Mode::calls;
    writer.header.entries[static_cast<std::size_t>(spool::Entry::forward)] = 1;
    writer.add(sample_device(0, 7));
    spool::Library torch{};
    torch.kind = spool::LibraryKind::framework;
    torch.path = writer.text("/opt/site-packages/torch/lib/libtorch_cuda.so");
    writer.add(torch);
    spool::Library cudnn{};
    cudnn.kind = spool::LibraryKind::cudnn;
    cudnn.index = 1;
    cudnn.version = 91900;
    cudnn.path = writer.text("/opt/lib/libcudnn.so.9");
    writer.add(cudnn);
  }
  void call(spool::Entry entry, std::uint32_t configuration, std::uint64_t reserve,
            std::int64_t device_ns = -1) {
    ++calls_;
    const auto start = 10'000 * static_cast<std::int64_t>(calls_);
    auto made = sample_call(calls_, entry, start, start + 5'000);
    made.configuration = configuration;
    made.reserve_address = reserve;
    writer.add(made);
    if (device_ns < 0) return;
    spool::CallTime time{};
    time.call = made.id;
    time.device_ns = device_ns;
    writer.add(time);
  }
  void step(std::uint32_t forward, std::uint32_t backward, std::uint64_t reserve) {
    call(spool::Entry::forward, forward, reserve, 900'000);
    call(spool::Entry::backward_data, backward, reserve, 2'700'000);
    call(spool::Entry::backward_weights, backward, reserve, 100'000);
  }
  SpoolWriter writer;

 private:
  std::uint64_t calls_ = 0;
};

using MixedAlgorithms = Collect;

TEST_F(MixedAlgorithms, ForwardAndBackwardOfALayerAreOneConfiguration) {
  Program program;
  program.writer.add_configuration(layer(1, small_h));
  program.writer.add_configuration(layer(2, standard));
  for (int step = 0; step < 4; ++step) program.step(1, 2, 0x7000'0000);
  program.call(spool::Entry::forward, 1, 0x7100'0000, 900'000);  // the recording ended here
  const Profile profile = profile_of(program.writer);
  ASSERT_THAT(profile.configurations, SizeIs(1));
  const auto& own = profile.configurations.front();
  EXPECT_EQ(own.config.algo, Algo::persist_static_small_h);
  EXPECT_EQ(own.config.backward_algo, Algo::standard);
  EXPECT_EQ(own.outcome, Outcome::completed);
  EXPECT_EQ(own.program.mixed_algos, true);
  EXPECT_EQ(own.program.needs_backward, true);
  EXPECT_DOUBLE_EQ(own.timing(Phase::forward_training)->ms.median, 0.9);
  EXPECT_DOUBLE_EQ(own.timing(Phase::backward_data)->ms.median, 2.7);
  EXPECT_DOUBLE_EQ(own.timing(Phase::backward_weights)->ms.median, 0.1);

  advisor::JudgeOptions options;
  options.predict_for = model::predict_time_for;
  const auto judgement = advisor::judge(profile, advisor::builtin_rules(), options);
  const advisor::Finding* padding = nullptr;
  for (const auto& finding : judgement.findings) {
    EXPECT_LT(finding.severity, advisor::Severity::error) << finding.rule_id;
    EXPECT_NE(finding.rule_id, "memory/inference-keeps-reserve");
    if (finding.rule_id == "pytorch/hidden-multiple-of-128") padding = &finding;
  }
  // 256 units make it persistent in both passes, which is worth a try.
  ASSERT_NE(padding, nullptr);
  ASSERT_TRUE(padding->predicted_speedup);
  EXPECT_GT(*padding->predicted_speedup, 1.5);
  const auto proposal = advisor::propose(profile, 0, judgement.findings, profile.devices[0], {});
  const auto padded =
      std::find_if(proposal.candidates.begin(), proposal.candidates.end(),
                   [](const auto& one) { return one.variant.calls.front().hidden_size == 256; });
  ASSERT_NE(padded, proposal.candidates.end());
  EXPECT_EQ(padded->variant.calls.front().algo, Algo::persist_static);
  EXPECT_FALSE(padded->variant.calls.front().mixed_algos());
}

TEST_F(MixedAlgorithms, TwoLayersOfOneShapeStayApartByHowTheyGoBackward) {
  Program program;
  program.writer.add_configuration(layer(1, persist_static));
  program.writer.add_configuration(layer(2, standard));
  program.step(1, 1, 0x1000);
  program.step(1, 2, 0x2000);
  program.step(1, 1, 0x1000);
  program.step(2, 2, 0x3000);
  const Profile profile = profile_of(program.writer);
  ASSERT_THAT(profile.configurations, SizeIs(3));
  std::vector<std::string> asked;
  for (const auto& call : profile.calls) {
    const auto& config =
        profile.configurations[static_cast<std::size_t>(call.configuration)].config;
    asked.push_back(std::string(to_string(config.algo)) + "/" +
                    std::string(to_string(config.algo_of(Phase::backward_data))));
  }
  const std::string pure = "persist_static/persist_static", mixed = "persist_static/standard",
                    plain = "standard/standard";
  EXPECT_THAT(asked, ElementsAre(pure, pure, pure, mixed, mixed, mixed, pure, pure, pure, plain,
                                 plain, plain));
}

// Whatever programs ask for: every call is of a configuration that has the algorithm it was made
// with, and a layer that ran is never told that it cannot.
TEST_F(MixedAlgorithms, WhatRanIsNeverCalledImpossible) {
  std::mt19937 random(15);
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  int judged = 0;
  for (int round = 0; round < 400; ++round) {
    Program program;
    std::map<std::uint32_t, int> algo;
    const int units = draw(1, 12) * 32, shapes = draw(1, 3);
    const int data_type = draw(0, 1) == 0 ? 0 : 2;  // float or half
    for (int i = 0; i < shapes; ++i) {
      const int cell = draw(0, 3) == 0 ? 3 : 2;
      for (int which = 0; which < 4; ++which) {
        const auto id = static_cast<std::uint32_t>(4 * i + which + 1);
        auto c = layer(id, which, units + 32 * i);
        c.data_type = c.x_data_type = data_type;
        c.cell = cell;
        c.math_type = 1;
        program.writer.add_configuration(c);
        algo[id] = which;
      }
    }
    std::vector<std::uint32_t> called;
    const int steps = draw(1, 8);
    for (int step = 0; step < steps; ++step) {
      const auto shape = static_cast<std::uint32_t>(draw(0, shapes - 1));
      const std::uint32_t forward = 4 * shape + static_cast<std::uint32_t>(draw(1, 4));
      const std::uint32_t backward = 4 * shape + static_cast<std::uint32_t>(draw(1, 4));
      const auto reserve = static_cast<std::uint64_t>(0x1000 * (step + 1));
      if (draw(0, 5) == 0) {
        program.call(spool::Entry::forward, forward, reserve);
        called.push_back(forward);
        continue;
      }
      program.step(forward, backward, reserve);
      called.insert(called.end(), {forward, backward, backward});
    }
    const Profile profile = profile_of(program.writer);
    for (const auto& file : fs::directory_iterator(folder_)) fs::remove(file.path());
    ASSERT_EQ(profile.calls.size(), called.size());
    for (std::size_t i = 0; i < called.size(); ++i) {
      const auto& call = profile.calls[i];
      const auto& config =
          profile.configurations[static_cast<std::size_t>(call.configuration)].config;
      EXPECT_EQ(static_cast<int>(config.algo_of(call.phase)), algo[called[i]]) << "round " << round;
    }
    for (const auto& finding : advisor::judge(profile, advisor::builtin_rules()).findings) {
      const auto* rule = advisor::builtin_rules().find(finding.rule_id);
      // A backward pass that was not recorded is not known to run.
      const bool seen =
          std::any_of(profile.calls.begin(), profile.calls.end(), [&](const RnnCall& call) {
            return call.configuration == finding.configuration &&
                   (!rule->fails_backward || call.phase == Phase::backward_data);
          });
      if (!seen) continue;
      EXPECT_FALSE(finding.severity == advisor::Severity::error && rule->consequence == "error")
          << finding.rule_id << ": " << finding.message;
    }
    judged += static_cast<int>(profile.configurations.size());
  }
  EXPECT_GT(judged, 1000);
}

}  // namespace
}  // namespace rnnadvisor::launch
