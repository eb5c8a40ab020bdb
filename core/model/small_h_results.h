// What persist_static_small_h computes wrongly where it runs on cuDNN 9.19 (H200). Without the C++
// library, for the plugin.
#pragma once

#include <cstdint>

namespace rnnadvisor::model {

enum class WrongResults : std::uint8_t { none, gradients, outputs };

// A layer as that algorithm would compute it.
struct SmallHLayer {
  bool gated = false;  // LSTM or GRU; else a plain RNN
  bool gru = false;
  bool half = false;                // the type of the data
  bool multiplies_in_half = false;  // on Tensor Cores, converted or not
  bool bidirectional = false;
  bool backward = false;  // training, and the backward pass has this algorithm, too
  int hidden_size = 0, batch_size = 0;
};

// outputs: the outputs, and with them all gradients, are off by 6 to 70 %. LSTM and GRU that are
//   multiplied in half on Tensor Cores (half, or float with allow_conversion), a batch that is a
//   multiple of 8, and more than 32 units that are a multiple of 8 and not of 32; GRU with 48 and
//   72 units were right (samples/evidence/small-h-results.json).
// gradients: the outputs are right, the gradients of inputs and weights are off by 9 % and more.
//   Plain RNN cells in half, two directions, a batch that is a multiple of 8, where the backward
//   pass has this algorithm too (samples/evidence/small-h-gradients.json).
constexpr WrongResults small_h_wrong_results(const SmallHLayer& layer) {
  if (layer.batch_size % 8 != 0) return WrongResults::none;
  if (layer.gated) {
    const int units = layer.hidden_size;
    const bool right_all_the_same = layer.gru && (units == 48 || units == 72);
    const bool wrong = layer.multiplies_in_half && units > 32 && units % 8 == 0 &&
                       units % 32 != 0 && !right_all_the_same;
    return wrong ? WrongResults::outputs : WrongResults::none;
  }
  return layer.backward && layer.half && layer.bidirectional ? WrongResults::gradients
                                                             : WrongResults::none;
}

}  // namespace rnnadvisor::model
