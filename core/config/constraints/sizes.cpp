// Sizes: what cudnnSetRNNDescriptor_v8 and cudnnSetRNNDataDescriptor take as a size at all.
#include <fmt/format.h>

#include <type_traits>

#include "core/config/constraints/constraint.h"
#include "core/config/fields.h"

namespace rnnadvisor::constraints {
namespace {

template <auto member>
bool below_one(const RnnConfig& config) {
  return config.*member < 1;
}

constexpr std::string_view key_of(int RnnConfig::* member) {
  std::string_view found;
  visit_config_fields([&](std::string_view key, auto candidate, std::string_view) {
    if constexpr (std::is_same_v<decltype(candidate), int RnnConfig::*>) {
      if (candidate == member) found = key;
    }
  });
  return found;
}

template <auto member>
Breach explain_below_one(const RnnConfig& config) {
  return {fmt::format("{} {} is below 1", key_of(member), config.*member), "give a positive size"};
}

template <auto member>
Constraint at_least_one(std::string_view id, std::string_view title, std::string_view function) {
  return {.id = id,
          .title = title,
          .keys = {key_of(member)},
          .enforcement = Enforcement::rejected_by_set_descriptor,
          .status = bad_param,
          .citation = observed(function),
          .broken = below_one<member>,
          .explain = explain_below_one<member>};
}

}  // namespace

std::vector<Constraint> size_constraints() {
  return {
      at_least_one<&RnnConfig::input_size>("input-size-min", "input_size is at least 1",
                                           descriptor),
      at_least_one<&RnnConfig::hidden_size>("hidden-size-min", "hidden_size is at least 1",
                                            descriptor),
      at_least_one<&RnnConfig::proj_size>("proj-size-min", "proj_size is at least 1", descriptor),
      at_least_one<&RnnConfig::num_layers>("num-layers-min", "num_layers is at least 1",
                                           descriptor),
      at_least_one<&RnnConfig::seq_length>("seq-length-min", "seq_length is at least 1",
                                           data_descriptor),
      at_least_one<&RnnConfig::batch_size>("batch-size-min", "batch_size is at least 1",
                                           data_descriptor),
      {.id = "seq-length-max",
       .title = "seq_length is at most 65535",
       .keys = {"seq_length"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = not_supported,
       .citation = observed(data_descriptor),
       .broken = [](const RnnConfig& c) { return c.seq_length > longest_sequence; },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("seq_length {} is above {}", c.seq_length, longest_sequence),
                           "split the sequence into parts and carry h and c from each to the next"};
           }},
  };
}

}  // namespace rnnadvisor::constraints
