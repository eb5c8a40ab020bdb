#include "core/model/autocast.h"

namespace rnnadvisor::model {

double autocast_ms(const RnnConfig& config) {
  const double stacks = static_cast<double>(config.num_layers) * config.directions();
  return config.mode == Mode::training ? 0.3 + 0.6 * stacks : 0.45 * stacks;
}

}  // namespace rnnadvisor::model
