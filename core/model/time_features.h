// What the time of a cuDNN RNN call depends on, as numbers. Private to the time model.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"
#include "core/model/cost.h"
#include "core/model/eligibility.h"

namespace rnnadvisor::model {

// Which kernels of an implementation run, where it has several kinds; a call can run one kind
// forward and another backward. What decides was read off kernel names and times of an H200 with
// cuDNN 9.19 (tests/data/h200/kernels.jsonl, the calibration itself, and
// samples/recorded/deepbench.rnnprof for batches of 1, 2 and 4): half LSTMs have persistent kernels
// of their own where the hidden size is a multiple of 8 and the batch small or a multiple of 8; the
// others' persistent kernels use Tensor Cores where the hidden size is a multiple of 32 and the
// batch one of 8, and none of them does with half data and the default math type (10 times slower
// than those in the median of 18 LSTMs drawn at random, docs/models.md; the card
// persistence/tensor-core-math). Where a batch above 8 is no multiple of 8, an LSTM is taken to run
// these too: no such LSTM with a hidden size that is a multiple of 32 is in the calibration.
//
// Read off the calibration of 2026-11-27, times per step: forward, batches above 96 must be
// multiples of 16 (a plain RNN of 256 units with 200 sequences took 139 us, with 256 ones 10 us);
// backward, the hidden size of a GRU of more than 64 units must be a multiple of 128 (8 sequences,
// 320 units: 13 us, 384 units: 4 us), and the batch of 8 alone. Above some 5 million weights in a
// layer and 16 sequences, kernels take up to a hundred times as long (a GRU with 64 sequences
// forward: 1280 units 19 us, 1344 units 844 us): `large`.
enum class Kernels { one, lstm, tensor_cores, no_tensor_cores, large };

// Calls whose times are learned from each other: kernels of one family, products on one kind of
// unit. The 16-bit types and float that is converted to half share their kernels but for names.
struct TimeGroup {
  Implementation implementation = Implementation::none;
  Kernels kernels = Kernels::one;
  Pipe pipe = Pipe::fp32;  // of the products outside the recurrence; bf16_tensor is fp16_tensor

  auto operator<=>(const TimeGroup&) const = default;
};
std::string to_string(const TimeGroup& group);

// Nothing where no kernel would run, or where a feature that is not calibrated decides the time: a
// projection, no input product, unequal lengths, double.
std::optional<TimeGroup> time_group(const RnnConfig& config, const DeviceSpec& device, Phase phase);

// Work of a call of one phase, each entry 0 or more: a time is at first order a sum of these with
// factors of 0 or more (launches, steps, FLOPs, bytes), which are what a device and an
// implementation are fast or slow at.
inline constexpr std::size_t work_terms = 11;
inline constexpr std::size_t overhead_terms = 2;  // the first ones: a call, its layers
inline constexpr std::size_t latency_terms = 4;   // and after these steps and their chains
std::array<double, work_terms> work(const RnnConfig& config, Phase phase);

// Place of a call among others of its group: calls that are near each other miss the first order by
// similar factors. Sizes are octaves (log2).
inline constexpr std::size_t place_size = 14;
using Place = std::array<double, place_size>;
Place place(const RnnConfig& config);

// True where the sizes or options of a call leave what a calibration measures: cell, layout, bias,
// dropout, clipping at other values than RnnConfig's defaults.
bool uncalibrated_options(const RnnConfig& config);

}  // namespace rnnadvisor::model
