// What the persistent algorithms demand of a configuration, whatever the GPU. Limits that depend on
// the device are eligibility's (core/model/eligibility.h).
#include <fmt/format.h>

#include "core/config/constraints/constraint.h"

namespace rnnadvisor::constraints {
namespace {

bool is_rnn(const RnnConfig& c) { return c.cell == Cell::rnn_relu || c.cell == Cell::rnn_tanh; }

bool asks_for(const RnnConfig& c, Algo algo) {
  return c.algo == algo || (c.mode == Mode::training && c.backward_algo == algo);
}

bool asks_for_persistent(const RnnConfig& c) {
  return c.persistent_algo() ||
         (c.mode == Mode::training && c.algo_of(Phase::backward_data) != Algo::standard);
}

// Hidden sizes that PyTorch gives to persist_static_small_h; its backward pass takes fewer.
int small_h_limit(const RnnConfig& c) {
  if (c.mode == Mode::training && c.algo_of(Phase::backward_data) == Algo::persist_static_small_h)
    return is_rnn(c) ? 256 : 128;
  return is_rnn(c) ? 384 : 192;
}

// The smallest hidden size that cudnnGetRNNTempSpaceSizes was seen to reject on an H200,
// cuDNN 9.19; sizes between the limit and this one were not all tried.
int small_h_rejected(const RnnConfig& c) {
  if (is_rnn(c)) return 397;
  return c.cell == Cell::lstm ? 247 : 256;
}

}  // namespace

std::vector<Constraint> algorithm_constraints() {
  return {
      {.id = "persist-double",
       .title = "double data runs with algo standard or persist_dynamic",
       .keys = {"algo", "data_type"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = not_supported,
       .citation = guide_7(),
       .broken =
           [](const RnnConfig& c) {
             return c.data_type == DataType::float64 && (asks_for(c, Algo::persist_static) ||
                                                         asks_for(c, Algo::persist_static_small_h));
           },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("algo {} with double data", to_string(c.algo)),
                           "use algo standard, or a narrower data_type"};
           }},
      {.id = "persist-half-math",
       .title = "math_precision half is used with algo standard",
       .keys = {"algo", "data_type", "math_precision"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = not_supported,
       .citation = observed(descriptor),
       .broken =
           [](const RnnConfig& c) {
             return asks_for_persistent(c) && c.data_type == DataType::half &&
                    c.math_precision == DataType::half;
           },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("algo {} with math_precision half", to_string(c.algo)),
                           "set math_precision to float, or use algo standard"};
           }},
      {.id = "persist-double-bias",
       .title = "the persistent algorithms are used with bias_mode double_bias",
       .keys = {"algo", "bias_mode"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = not_supported,
       .citation = observed(descriptor),
       .broken =
           [](const RnnConfig& c) {
             return asks_for_persistent(c) && c.bias_mode != BiasMode::double_bias;
           },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("algo {} with bias_mode {}", to_string(c.algo),
                                       to_string(c.bias_mode)),
                           "use double_bias and set the biases you do not want to zero, or use "
                           "algo standard"};
           }},
      {.id = "persist-no-projection",
       .title = "a recurrent projection is used with algo standard",
       .keys = {"algo", "proj_size", "hidden_size"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = not_supported,
       .citation = guide_7(),
       .broken = [](const RnnConfig& c) { return asks_for_persistent(c) && c.has_projection(); },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("algo {} with proj_size {} and hidden_size {}",
                                       to_string(c.algo), c.proj_size, c.hidden_size),
                           "drop the projection, or use algo standard"};
           }},
      {.id = "persist-equal-lengths",
       .title = "the persistent algorithms are used with sequences of one length",
       .keys = {"algo", "seq_lengths", "seq_length"},
       .enforcement = Enforcement::unknown,
       .status = not_supported,
       .citation = guide_7(),
       .broken =
           [](const RnnConfig& c) { return asks_for_persistent(c) && c.has_varying_lengths(); },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("algo {} with sequences that differ from seq_length {}",
                                       to_string(c.algo), c.seq_length),
                           "put sequences of one length into a batch, or use algo standard"};
           }},
      {.id = "small-h-hidden-size",
       .title = "persist_static_small_h is used up to hidden_size 192 (LSTM, GRU) or 384 (RNN), in "
                "training 128 or 256",
       .keys = {"algo", "cell", "hidden_size", "mode"},
       .enforcement = Enforcement::unknown,
       .status = not_supported,
       .citation = pytorch_rnn(),
       .broken =
           [](const RnnConfig& c) {
             return asks_for(c, Algo::persist_static_small_h) && c.hidden_size > small_h_limit(c);
           },
       .explain =
           [](const RnnConfig& c) {
             return Breach{
                 fmt::format(
                     "hidden_size {} with algo persist_static_small_h is above {} for {} in {}",
                     c.hidden_size, small_h_limit(c), to_string(c.cell), to_string(c.mode)),
                 "use algo persist_static or standard",
                 c.hidden_size >= small_h_rejected(c) ? Enforcement::rejected_by_temp_space
                                                      : Enforcement::unknown};
           }},
  };
}

}  // namespace rnnadvisor::constraints
