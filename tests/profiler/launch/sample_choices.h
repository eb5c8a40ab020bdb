// What the plugin writes of its choices, with round numbers: persist_static is four times as fast
// forward and backward, persist_dynamic was refused.
#pragma once

#include "tests/profiler/spool/sample_spools.h"

namespace rnnadvisor::spool {

inline ChoiceVariant sample_variant(std::int32_t algo, VariantState state) {
  ChoiceVariant v{};
  v.algo = algo;
  v.state = state;
  v.error = -1;
  return v;
}

// All three phases alike, in microseconds.
inline void time_variant(ChoiceVariant& v, std::int64_t low_us, std::int64_t median_us,
                         std::int64_t high_us) {
  for (std::size_t i = 0; i < choice_phases; ++i) {
    v.samples[i] = 12;
    v.low_ns[i] = low_us * 1000;
    v.median_ns[i] = median_us * 1000;
    v.high_ns[i] = high_us * 1000;
  }
}

inline Acceleration sample_acceleration(std::uint32_t id, std::uint32_t configuration) {
  Acceleration a{};
  a.id = id;
  a.configuration = configuration;
  a.call_site = 1;
  a.key = 0x1000 + id;
  a.steps = 4;
  a.state = ChoiceState::decided;
  a.chosen = 1;
  for (std::size_t i = 0; i < choice_phases; ++i) {
    a.calls[i] = 1000;
    a.substituted[i] = 970;
  }
  a.kept[static_cast<std::size_t>(Kept::tuning)] = 24;
  a.kept[static_cast<std::size_t>(Kept::unequal_lengths)] = 66;
  a.tuning_ns = 120'000'000;
  a.tuning_bytes = 80 << 20;
  for (auto& variant : a.variants) variant = sample_variant(-1, VariantState::absent);
  a.variants[0] = sample_variant(0, VariantState::original);
  time_variant(a.variants[0], 1900, 2000, 2100);
  a.variants[0].workspace_bytes = 1 << 20;
  a.variants[1] = sample_variant(1, VariantState::measured);
  time_variant(a.variants[1], 490, 500, 510);
  a.variants[1].error = 1e-3F;
  a.variants[1].limit = 2e-3F;
  a.variants[1].workspace_bytes = 9 << 20;
  a.variants[2] = sample_variant(2, VariantState::refused);
  a.variants[2].status = 3000;  // CUDNN_STATUS_NOT_SUPPORTED
  return a;
}

// Nine blocks of ten steps for one arm, and eight more for each other: 10 ms as the program is, and
// as long as `ms` has it with an arm, a little more from block to block.
inline void add_step_blocks(SpoolWriter& writer, const std::vector<std::pair<StepArm, int>>& ms = {
                                                     {StepArm::algorithms, 4}}) {
  const auto count = static_cast<std::uint32_t>(8 * ms.size() + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& [arm, arm_ms] = ms[i / 2 % ms.size()];
    StepBlock block{};
    block.block = i;
    block.source = StepSource::training;
    block.arm = i % 2 == 0 ? StepArm::own : arm;
    block.steps = 10;
    block.median_ns = (i % 2 == 0 ? 10 : arm_ms) * 1'000'000 + 10'000 * std::int64_t{i};
    writer.add(block);
  }
}

// As a process leaves it that was told to record its choices alone.
inline SpoolWriter choices_spool(const Acceleration& acceleration) {
  SpoolWriter w;
  w.header.calls = 3000;
  w.add(sample_device(0, 7));
  Library torch{};
  torch.kind = LibraryKind::framework;
  torch.path = w.text("/opt/site-packages/torch/lib/libtorch_cuda.so");
  w.add(torch);
  Library cudnn{};
  cudnn.kind = LibraryKind::cudnn;
  cudnn.index = 1;
  cudnn.version = 91900;
  cudnn.path = w.text("/opt/site-packages/nvidia/cudnn/lib/libcudnn.so.9");
  w.add(cudnn);
  auto configuration = sample_configuration(1);
  configuration.batch = 32;
  w.add_configuration(configuration);
  CallSite site{};
  site.id = 1;
  site.file = w.text("/home/me/train.py");
  site.function = w.text("step");
  site.line = 31;
  w.add(site);
  auto written = acceleration;
  for (auto& variant : written.variants)
    if (variant.error >= 0) variant.tensor = w.text("dw");
  w.add(written);
  return w;
}

}  // namespace rnnadvisor::spool
