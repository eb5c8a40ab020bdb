// Projection, skip input, clipping, dropout.
#include <fmt/format.h>

#include <cmath>

#include "core/config/constraints/constraint.h"

namespace rnnadvisor::constraints {
namespace {

constexpr std::string_view set_clip = "cudnnRNNSetClip_v9";

bool clips(const RnnConfig& c) { return c.clip_mode == ClipMode::minmax; }
bool clip_has_nan(const RnnConfig& c) {
  return std::isnan(c.clip_left) || std::isnan(c.clip_right);
}

}  // namespace

std::vector<Constraint> feature_constraints() {
  return {
      {.id = "proj-size-max",
       .title = "proj_size is at most hidden_size",
       .keys = {"proj_size", "hidden_size"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = not_supported,
       .citation = observed(descriptor),
       .broken = [](const RnnConfig& c) { return c.proj_size > c.hidden_size; },
       .explain =
           [](const RnnConfig& c) {
             return Breach{
                 fmt::format("proj_size {} is above hidden_size {}", c.proj_size, c.hidden_size),
                 "a projection narrows the output: make it smaller, or leave proj_size out"};
           }},
      {.id = "proj-lstm-only",
       .title = "only the LSTM has a recurrent projection",
       .keys = {"cell", "proj_size", "hidden_size"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = not_supported,
       .citation = reference_8(),
       .broken = [](const RnnConfig& c) { return c.has_projection() && c.cell != Cell::lstm; },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("proj_size {} with cell {} and hidden_size {}", c.proj_size,
                                       to_string(c.cell), c.hidden_size),
                           "leave proj_size out, or use cell lstm"};
           }},
      {.id = "skip-input-size",
       .title = "skip_input needs input_size equal to hidden_size",
       .keys = {"input_mode", "input_size", "hidden_size"},
       // cudnnSetRNNDescriptor_v8 takes it; what a run does then was not observed.
       .enforcement = Enforcement::unknown,
       .status = {},
       .citation = guide_7(),
       .broken =
           [](const RnnConfig& c) {
             return c.input_mode == InputMode::skip_input && c.input_size != c.hidden_size;
           },
       .explain =
           [](const RnnConfig& c) {
             return Breach{
                 fmt::format("input_mode skip_input with input_size {} and hidden_size {}",
                             c.input_size, c.hidden_size),
                 "use input_mode linear_input, or make both sizes equal"};
           }},
      {.id = "clip-lstm-only",
       .title = "only the LSTM's cell state can be clipped",
       .keys = {"cell", "clip_mode"},
       .enforcement = Enforcement::not_caught,
       .status = {},
       .citation = guide_7(),
       .broken = [](const RnnConfig& c) { return clips(c) && c.cell != Cell::lstm; },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("clip_mode minmax with cell {}, which has no cell state",
                                       to_string(c.cell)),
                           "set clip_mode to none"};
           }},
      {.id = "clip-order",
       .title = "clip_left is at most clip_right",
       .keys = {"clip_left", "clip_right"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = bad_param,
       .citation = observed(set_clip),
       .broken = [](const RnnConfig& c) { return clips(c) && c.clip_left > c.clip_right; },
       .explain =
           [](const RnnConfig& c) {
             return Breach{
                 fmt::format("clip_left {} is above clip_right {}", c.clip_left, c.clip_right),
                 "exchange the bounds"};
           }},
      {.id = "clip-nan",
       .title = "the clip bounds are numbers",
       .keys = {"clip_left", "clip_right"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = bad_param,
       .citation = observed(set_clip),
       .broken = [](const RnnConfig& c) { return clips(c) && clip_has_nan(c); },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("clip bounds {} and {} are not both numbers", c.clip_left,
                                       c.clip_right),
                           "give finite bounds"};
           }},
      {.id = "dropout-one-layer",
       .title = "dropout acts between layers, so it needs at least two",
       .keys = {"dropout", "num_layers"},
       .enforcement = Enforcement::not_caught,
       .status = {},
       .citation = reference_8(),
       .broken = [](const RnnConfig& c) { return c.dropout > 0 && c.num_layers == 1; },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("dropout {} with num_layers 1 has no effect", c.dropout),
                           "apply dropout to the input or output of the RNN, or set it to 0"};
           }},
  };
}

}  // namespace rnnadvisor::constraints
