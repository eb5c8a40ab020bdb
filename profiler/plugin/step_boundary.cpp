#include "profiler/plugin/step_boundary.h"

#include "profiler/plugin/capture_range.h"
#include "profiler/plugin/settings.h"

namespace rnnadvisor::plugin {
namespace {

constexpr std::uint32_t calls_without_first_layer = 64;
// So many calls in training mode are inference: a model that was not switched to evaluation. Fewer
// may be the time steps of the first training step.
constexpr std::uint32_t calls_without_backward = 256;

}  // namespace

bool StepBoundary::begins(bool forward, bool training, std::uint64_t layer) {
  using spool::StepSource;
  if (!any_call_) {
    any_call_ = true;
    first_layer_ = layer;
    ranges_ = ranges_begun();
  }
  if (settings().capture != Settings::Capture::always) {
    source_ = StepSource::range;
    const std::uint64_t now = ranges_begun();
    const bool begun = now != ranges_;
    ranges_ = now;
    return begun;
  }
  if (!forward) {
    backward_seen_ = trains_ = true;
    return false;
  }
  // Frameworks make training calls where a model is not switched to evaluation, too.
  if (training && trains_) {
    const bool begun = backward_seen_;
    backward_seen_ = false;
    source_ = StepSource::training;
    return begun;
  }
  if (trains_) return false;  // an evaluation in between
  if (training && without_backward_ < calls_without_backward) {
    ++without_backward_;
    return false;
  }
  source_ = StepSource::inference;
  if (layer == first_layer_) {
    other_layers_ = 0;
    return true;
  }
  if (++other_layers_ >= calls_without_first_layer) {
    first_layer_ = layer;
    other_layers_ = 0;
  }
  return false;
}

}  // namespace rnnadvisor::plugin
