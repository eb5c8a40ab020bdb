// Which part of the original each call of a variant computes: layers, direction, sequences, time
// steps. Private to core/cudnn; needs no CUDA.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cudnn/experiment_data.h"

namespace rnnadvisor::experiment {

struct Part {
  RnnConfig config;
  int first_layer = 0;    // of the original; config.num_layers of them
  int direction = -1;     // 0 forward, 1 backward; -1: all that the original has
  int first_step = 0;     // time step of the original at which the call begins
  std::vector<int> rows;  // per sequence of the call: its number in the original; -1: padding
};

// The parts of a variant that computes the same function as `before`, in the order of its calls.
// Sequences differ by nothing but their lengths, so where the variant does not say which
// sequence is where, each call gets any that are as long; sequences beyond those are padding.
// All configurations must be such that can_be_laid_out().
// invalid_argument, with a message that tells the difference, when the calls do not make up the
// original: another function (fewer units, another cell, a lost bias, …), or calls that do not fit
// together.
Result<std::vector<Part>> parts_of(const RnnConfig& before, const ExperimentVariant& variant);

// Whether a configuration can be laid out at all: one length for each sequence, none longer than
// seq_length, and sizes that neither overflow nor fill the host's memory with the description
// alone. out_of_memory or invalid_argument.
Result<void> can_be_laid_out(const RnnConfig& config);

// Whether calls can share one weight space, as those of `rows` and `steps` must, because their
// gradients add up in it: they differ in nothing but their sequences.
bool same_weights(const RnnConfig& a, const RnnConfig& b);

// True when dropout does something: several layers, in training.
bool dropout_acts(const RnnConfig& config);

}  // namespace rnnadvisor::experiment
