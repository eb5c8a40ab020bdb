// Several changes of a configuration together: their order, the cuDNN calls that they make of it,
// and the forms in which people and files write them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/change/transform.h"
#include "core/cudnn/experiment_data.h"

namespace rnnadvisor::advisor {

// The same changes in the order in which they are applied: those of one call first, then what makes
// several calls of it. Of equal standing the order stays.
std::vector<Transform> in_order(std::span<const Transform> transforms);

// Those that change something of this configuration by themselves: sizes may be multiples already.
// What cannot be said of one call alone, such as a graph, stays.
std::vector<Transform> effective(std::vector<Transform> transforms, const RnnConfig& config);

// The calls that transforms make of a configuration. Errors are those of expand(), and unsupported
// for two that would each make several calls of one.
Result<ExperimentVariant> compose(std::span<const Transform> transforms, const RnnConfig& config);

// What all of them together do to the function that is computed. A sequence in chunks is exact
// where nothing is differentiated and there is one direction; inference instead of training is
// another function where training drops values between layers.
Meaning meaning_of(std::span<const Transform> transforms, const RnnConfig& config);

// Whether they make another batch size of it: the calls then do other work, and times are compared
// per sequence.
bool compared_per_sequence(std::span<const Transform> transforms);

// Sequences of the batch that the calls compute together; 0 without calls.
int batch_of(const ExperimentVariant& variant);

// "split_layers, then pad_batch (multiple 8)", for people.
std::string describe(std::span<const Transform> transforms);

// From what people write and reports show: "pad_batch 64, then algo persist_static". A value needs
// no name, because no kind has more than one; "multiple 64", "(multiple 64)" and "value=64" are
// understood too, and so is the JSON of to_json(). Unknown kinds and values are errors that name
// the nearest valid word.
Result<std::vector<Transform>> parse_change_words(std::string_view text);

// As Experiment::transforms keeps them: [{"kind": …, "parameters": {…}}].
std::string to_json(std::span<const Transform> transforms);
// The way back; unknown kinds and parameters are errors.
Result<std::vector<Transform>> parse_transforms(std::string_view json);

}  // namespace rnnadvisor::advisor
