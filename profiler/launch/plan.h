// Plans: which cuDNN algorithm `accelerate` chose for which calls, kept in a TOML file so that a
// later run begins with the choice made, and makes the same one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/rnn_config.h"
#include "profiler/launch/collect.h"

namespace rnnadvisor::launch {

struct PlannedChoice {
  std::string calls;      // for people: "LSTM 2x512 half B32 T128, training"
  std::uint64_t key = 0;  // of the kind of calls, as the plugin has it
  Algo algo = Algo::standard;
  bool converts = false;                  // float32 is multiplied in half precision
  double original_ms = 0, chosen_ms = 0;  // what was measured; 0: not

  bool operator==(const PlannedChoice&) const = default;
};

struct Plan {
  std::string gpu;        // "NVIDIA H200"
  std::string cudnn;      // "9.19.0"
  bool numerics = false;  // its run allowed conversion to half
  std::vector<PlannedChoice> choices;

  bool operator==(const Plan&) const = default;
};

// Errors: parse, with the place; invalid_argument (more choices than the plugin takes);
// newer_version.
Result<Plan> read_plan(std::string_view text, std::string_view file);
// read_plan() of it gives an equal plan.
std::string write_plan(const Plan& plan);

// // `before` and, behind its choices, those that a run measured to the end for other calls on its
// first GPU. What is in `before` stays, and all of it where it is of another GPU or cuDNN.
// `numerics`: whether the run allowed them; counts where `before` is empty.
Plan plan_of(const Collected& collected, const Plan& before, bool numerics);

// The form that the plugin reads (profiler/spool/plan.h).
std::string plan_bytes(const Plan& plan);

}  // namespace rnnadvisor::launch
