// What cuDNN does with a configuration on a device, without running it: which stage refuses, which
// implementation runs, and every clause of "why not persistent" with its observed value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/rnn_config.h"
#include "core/config/validate.h"
#include "core/device/device_spec.h"
#include "core/model/small_h_results.h"

namespace rnnadvisor::model {

// The family of kernels that computes the recurrence.
// A byte: profiles have columns of it.
enum class Implementation : std::uint8_t {
  none,
  standard,
  persistent,
  persistent_dynamic,
  persistent_small_h
};
std::string_view to_string(Implementation value);
// What an algorithm stands for: what runs where cuDNN does as it was asked.
Implementation implementation_of(Algo algo);

enum class Stage {
  set_descriptor,
  temp_space,
  forward_inference,
  forward_training,
  backward_data,
  backward_weights
};
inline constexpr std::array<Stage, 6> all_stages = {
    Stage::set_descriptor,   Stage::temp_space,    Stage::forward_inference,
    Stage::forward_training, Stage::backward_data, Stage::backward_weights};
std::string_view to_string(Stage value);

// The first condition that cuDNN does not accept; what it means for people is refusal()'s.
enum class RefusalCause : std::uint8_t {
  none,
  size_below_one,
  projection_above_hidden,
  projection_of_another_cell,
  projection_with_persistent,
  type_pair,
  clip_bounds,
  bias_mode,
  half_arithmetic,
  double_with_persistent,
  sequence_too_long,
  lengths_count,
  length_out_of_range,
  packed_zero_length,
  packed_not_sorted,
  packed_longest,
  compute_capability,
  hidden_limit,
  skip_input_size,
  unequal_lengths,
  padded_io,
  small_h_conversion,
  hidden_backward_limit
};

struct Eligibility {
  std::array<bool, 6> accepted{};  // by Stage; the backward stages with RnnConfig::backward_algo
  RefusalCause cause = RefusalCause::none;               // none: every stage accepts
  Implementation implementation = Implementation::none;  // of the forward pass
  bool measured_basis = false;  // the limits used were measured on this device with cuDNN 9.19
  bool at(Stage stage) const { return accepted[static_cast<std::size_t>(stage)]; }
};

// Pure and quick (no allocation): it stands behind sliders and sweeps.
Eligibility eligibility(const RnnConfig& config, const DeviceSpec& device);

// The first stage that refuses among those that a mode asks for; nothing where all accept.
std::optional<Stage> first_refused(const Eligibility& eligibility, Mode mode);

// Why cuDNN is expected to refuse a configuration.
struct Refusal {
  Stage stage = Stage::set_descriptor;
  RefusalCause cause = RefusalCause::none;
  std::string_view rule_id;  // the card in rules/ that is about the same condition; may be empty
  std::string reason;        // "hidden_size 1088 is above 1024, the most that persist_static takes"
  std::string remedy;        // "use algo standard"
  std::vector<std::string> keys = {};  // that it is about: {"hidden_size", "algo"}
};
// Nothing where every stage that config.mode asks for accepts.
std::optional<Refusal> refusal(const RnnConfig& config, const DeviceSpec& device);

// small_h_wrong_results() (core/model/small_h_results.h) of a configuration. `config.algo` is not
// asked: the answer is for the layer as persist_static_small_h would compute it.
std::string_view to_string(WrongResults wrong);
WrongResults small_h_wrong_results(const RnnConfig& config);

// One condition of an algorithm.
enum class Holds { yes, no, unknown };
struct Clause {
  std::string_view id;       // "hidden-multiple-of-32", stable
  std::string_view rule_id;  // the card in rules/ that explains it,
                             // "persistence/hidden-multiple-of-32"; may be empty
  std::string_view title;    // "hidden size is a multiple of 32"
  bool required =
      false;  // cuDNN refuses or replaces the algorithm when broken; otherwise it is only slow
  Holds holds = Holds::unknown;
  std::string observed;       // "1000"
  std::string documented_by;  // short source with its tag
};

struct WhyNot {
  Algo algo = Algo::persist_static;
  std::vector<Clause> clauses;  // in the order in which cuDNN or the framework meets them
  bool eligible = false;        // no required clause is broken; what is unknown is in `clauses`
  bool fast = false;            // no clause is broken
  RnnConfig
      nearest;  // the nearest configuration that breaks none; apart from `algo` the input when fast
  std::vector<std::string> changes;  // what `nearest` changes: "hidden_size 1000 -> 1024"
  bool has_nearest = false;          // false: no change of this configuration alone can reach it
  std::string refused;  // why cuDNN refuses what satisfies all clauses; empty: it does not
};

// Half with tensor_op, or float with tensor_op_allow_conversion: PERSIST_STATIC's kernels use
// Tensor Cores.
bool tensor_core_math(const RnnConfig& config);

// Every clause id that why_not() can use; each is explained by the card "persistence/<id>".
std::span<const std::string_view> clause_ids();

// Sizes that are padded to already, for another reason.
struct PaddedSizes {
  std::optional<int> hidden, input, batch;
};

// The truth table of one persistent algorithm for one configuration. For Algo::standard it has no
// clauses. `nearest` pads to the sizes of `padded` where these suit the algorithm.
WhyNot why_not(const RnnConfig& config, const DeviceSpec& device, Algo algo,
               const PaddedSizes& padded = {});

}  // namespace rnnadvisor::model
