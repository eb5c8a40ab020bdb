// validate(): every documented constraint that a configuration breaks, all at once, each with its
// citation. This is what documents say; what a given cuDNN version really does on a given GPU is
// eligibility (core/model/eligibility.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/rnn_config.h"

namespace rnnadvisor {

// Where a statement comes from. `tag` is how it is known: S stated by a document, C read in public
// source code, O observed by calling cuDNN 9.19 without a GPU, M measured on one H200, I inferred.
struct Citation {
  std::string source;   // title, as a reader would look it up
  std::string section;  // may be empty
  std::string version;  // of the document or library
  std::string url;      // may be empty
  std::string quote;    // at most 25 words; may be empty
  char tag = 'S';
};

// What cuDNN 9.19 was seen to do with such a configuration.
enum class Enforcement {
  rejected_by_set_descriptor,  // cudnnSetRNNDescriptor_v8, cudnnRNNSetClip_v9 or
                               // cudnnSetRNNDataDescriptor returns an error
  rejected_by_temp_space,      // cudnnGetRNNTempSpaceSizes returns CUDNN_STATUS_NOT_SUPPORTED
  not_caught,                  // accepted; results or speed are then not as documented
  unknown,                     // not observed
};

struct Violation {
  std::string id;                 // "seq-length-max", stable
  std::vector<std::string> keys;  // the fields involved: {"seq_length"}
  std::string message;            // "seq_length 65536 is above 65535"
  std::string remedy;             // "split the sequence and carry h and c"
  Enforcement enforcement = Enforcement::unknown;
  std::string status;  // cuDNN's status when rejected: "CUDNN_STATUS_NOT_SUPPORTED"
  Citation citation;
};

// Pure. Empty: no documented constraint is broken.
std::vector<Violation> validate(const RnnConfig& config);

// True when validate() would report a violation that is rejected_by_set_descriptor. Allocates
// nothing: for batches and sliders.
bool rejected_by_set_descriptor(const RnnConfig& config);

// What validate() checks, for documentation and tests.
struct ConstraintInfo {
  std::string_view id;     // as in Violation
  std::string_view title;  // what must hold: "seq_length is at most 65535"
  Citation citation;
};
std::span<const ConstraintInfo> documented_constraints();

}  // namespace rnnadvisor
