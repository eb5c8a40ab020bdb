#include "advisor/whatif/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cudnn/tolerance.h"

namespace rnnadvisor::advisor {
namespace {

bool usable(double value) { return std::isfinite(value) && value > 0; }

}  // namespace

ExperimentVerdict verdict_of(const ExperimentTiming& t) {
  if (!usable(t.speedup) || !usable(t.speedup_low) || !usable(t.speedup_high) ||
      !usable(t.control_low) || !usable(t.control_high) || t.speedup_low > t.speedup_high ||
      t.control_low > t.control_high)
    return ExperimentVerdict::inconclusive;
  if (t.speedup_low > std::max(1.0, t.control_high)) return ExperimentVerdict::confirmed;
  if (t.speedup_high < std::min(1.0, t.control_low)) return ExperimentVerdict::refuted;
  return ExperimentVerdict::inconclusive;
}

const ExperimentTiming* deciding_timing(const std::vector<ExperimentTiming>& timings, Mode mode) {
  const auto of = [&](ExperimentScope scope) -> const ExperimentTiming* {
    const auto found = std::find_if(timings.begin(), timings.end(),
                                    [&](const auto& t) { return t.scope == scope; });
    return found == timings.end() ? nullptr : &*found;
  };
  const auto wanted =
      mode == Mode::training ? ExperimentScope::training_step : ExperimentScope::inference;
  for (const auto scope : {wanted, ExperimentScope::forward_training, ExperimentScope::inference,
                           ExperimentScope::training_step}) {
    if (const auto* timing = of(scope)) return timing;
  }
  return nullptr;
}

double shift_tolerance(Meaning meaning, const RnnConfig& before, const RnnConfig& after,
                       std::string_view tensor) {
  const double own = correctness_tolerance(before, tensor);
  switch (meaning) {
    case Meaning::exact:
    case Meaning::padded:
      return 2 * own;
    case Meaning::numerics:
      return own + correctness_tolerance(after, tensor);
    case Meaning::model:
      return std::numeric_limits<double>::infinity();
  }
  return 2 * own;
}

std::optional<std::string> moved_too_far(const std::vector<TensorShift>& shifts, Meaning meaning,
                                         const RnnConfig& before, const RnnConfig& after) {
  for (const auto& shift : shifts) {
    if (shift.from_before < 0) continue;
    const double most = shift_tolerance(meaning, before, after, shift.tensor);
    if (shift.from_before <= most || std::isinf(most)) continue;
    const bool right = shift.before_error >= 0 && shift.after_error >= 0 &&
                       shift.after_error <= correctness_tolerance(after, shift.tensor);
    if (right) continue;
    return fmt::format("{} moved by {:.2g}, and a change that is called {} may move it by {:.2g}",
                       shift.tensor, shift.from_before, to_string(meaning), most);
  }
  return std::nullopt;
}

const TensorShift* largest_shift(const std::vector<TensorShift>& shifts) {
  const TensorShift* largest = nullptr;
  for (const auto& shift : shifts) {
    if (std::isnan(shift.from_before)) return &shift;
    if (shift.from_before < 0) continue;
    if (largest == nullptr || shift.from_before > largest->from_before) largest = &shift;
  }
  return largest;
}

}  // namespace rnnadvisor::advisor
