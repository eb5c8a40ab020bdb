// The words for what eligibility() refuses. Conditions that documents state are worded by
// validate(); those that depend on the device are worded here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/model/eligibility.h"
#include "core/model/limits.h"

namespace rnnadvisor::model {
namespace {

using Cause = RefusalCause;

struct KnownCause {
  std::string_view rule_id;     // the card about this condition
  std::string_view constraint;  // of validate(); empty: worded here
};

KnownCause known_cause(Cause cause, const RnnConfig& c) {
  switch (cause) {
    case Cause::none:
      break;
    case Cause::size_below_one:
      return {"", ""};
    case Cause::projection_above_hidden:
      return {"descriptor/projection-size", "proj-size-max"};
    case Cause::projection_of_another_cell:
      return {"descriptor/projection-lstm-only", "proj-lstm-only"};
    case Cause::projection_with_persistent:
      return {"persistence/no-projection", "persist-no-projection"};
    case Cause::type_pair:
      return {"math/type-pair", "math-precision"};
    case Cause::clip_bounds:
      return {"descriptor/clip-bounds",
              std::isnan(c.clip_left) || std::isnan(c.clip_right) ? "clip-nan" : "clip-order"};
    case Cause::bias_mode:
      return {"persistence/double-bias", "persist-double-bias"};
    case Cause::half_arithmetic:
      return {"persistence/math-precision-float", "persist-half-math"};
    case Cause::double_with_persistent:
      return {"persistence/data-type-not-double", "persist-double"};
    case Cause::sequence_too_long:
      return {"lengths/seq-length-65535", "seq-length-max"};
    case Cause::lengths_count:
      return {"", "seq-lengths-count"};
    case Cause::length_out_of_range:
      return {"", "seq-lengths-range"};
    case Cause::packed_zero_length:
      return {"lengths/packed-no-zero", "packed-no-zero-length"};
    case Cause::packed_not_sorted:
      return {"lengths/packed-sorted", "packed-sorted"};
    case Cause::packed_longest:
      return {"lengths/packed-longest", "packed-longest"};
    case Cause::compute_capability:
      return {"persistence/compute-capability-6", ""};
    case Cause::hidden_limit:
      return {c.algo == Algo::persist_static_small_h ? "persistence/small-h-hidden-limit"
                                                     : "persistence/hidden-limit",
              ""};
    case Cause::skip_input_size:
      return {"descriptor/skip-input-size", "skip-input-size"};
    case Cause::unequal_lengths:
      return {"persistence/equal-lengths", "persist-equal-lengths"};
    case Cause::padded_io:
      return {"lengths/padded-io-flag", "unpacked-padded-io"};
    case Cause::small_h_conversion:
      return {"", ""};
    case Cause::hidden_backward_limit:
      return {c.algo != Algo::persist_static_small_h ? ""
              : c.cell == Cell::lstm || c.cell == Cell::gru
                  ? "persistence/small-h-backward-limit"
                  : "persistence/small-h-backward-limit-rnn",
              ""};
  }
  return {};
}

std::string_view limit_basis(const SizeLimit& limit) {
  return limit.measured ? "measured on this kind of GPU"
                        : "documented; not measured on this kind of GPU";
}

void word_device_refusal(Refusal& refusal, const RnnConfig& c, const DeviceSpec& device) {
  const auto algo = to_string(c.algo);
  const auto limit = [&](bool backward) { return hidden_limit(device, c.algo, c.cell, backward); };
  switch (refusal.cause) {
    case Cause::compute_capability:
      refusal.reason = fmt::format("algo {} needs compute capability 6.0, and {} has {}.{}", algo,
                                   device.name, device.compute_major, device.compute_minor);
      refusal.remedy = "use algo standard";
      refusal.keys = {"algo"};
      break;
    case Cause::hidden_limit:
      refusal.reason =
          fmt::format("hidden_size {} is above {}, the most that algo {} takes ({})", c.hidden_size,
                      limit(false).hidden, algo, limit_basis(limit(false)));
      refusal.remedy =
          fmt::format("use algo standard, or at most {} units per layer", limit(false).hidden);
      refusal.keys = {"hidden_size", "algo"};
      break;
    case Cause::hidden_backward_limit:
      refusal.reason = fmt::format(
          "hidden_size {} is above {}, the most with which algo {} runs a backward pass ({})",
          c.hidden_size, limit(true).hidden, algo, limit_basis(limit(true)));
      refusal.remedy =
          fmt::format("use algo standard, or at most {} units per layer", limit(true).hidden);
      refusal.keys = {"hidden_size", "algo"};
      break;
    case Cause::small_h_conversion:
      refusal.reason = fmt::format(
          "an LSTM of {} units with algo {}, float data and math_type tensor_op_allow_conversion "
          "fails to launch: above 128 units none was seen to run (measured on one H200)",
          c.hidden_size, algo);
      refusal.remedy = "use math_type default, or algo standard";
      refusal.keys = {"math_type", "algo", "hidden_size"};
      break;
    default:
      refusal.reason = "a size is below 1";
      refusal.remedy = "give positive sizes";
      break;
  }
}

}  // namespace

std::optional<Refusal> refusal(const RnnConfig& config, const DeviceSpec& device) {
  const Eligibility answer = eligibility(config, device);
  const auto stage = first_refused(answer, config.mode);
  if (!stage) return std::nullopt;
  const bool backward = *stage == Stage::backward_data || *stage == Stage::backward_weights;
  RnnConfig call = config;
  if (backward) call.set_algo(config.algo_of(Phase::backward_data));
  const KnownCause known = known_cause(answer.cause, call);
  Refusal refusal{*stage, answer.cause, known.rule_id, {}, {}, {}};
  if (!known.constraint.empty()) {
    const auto violations = validate(call);
    const auto found = std::find_if(violations.begin(), violations.end(),
                                    [&](const Violation& v) { return v.id == known.constraint; });
    if (found != violations.end()) {
      refusal.reason = found->message;
      refusal.remedy = found->remedy;
      refusal.keys = found->keys;
    }
  }
  if (refusal.reason.empty()) word_device_refusal(refusal, call, device);
  return refusal;
}

}  // namespace rnnadvisor::model
