// The largest batch or length of a configuration that fits into memory, by the models, with what
// the rules say of that size. Pure; memory is in bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advisor/facts/framework_call.h"
#include "advisor/fit/question.h"
#include "advisor/judge/judge.h"
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"
#include "core/model/memory.h"

namespace rnnadvisor::advisor {

// What a size needs.
struct FitNeed {
  int size = 0;
  std::int64_t total = 0;
  bool fits = false;                                        // into the room of the question
  std::vector<std::pair<std::string, std::int64_t>> parts;  // only those that are not 0
  model::Exactness exactness = model::Exactness::unknown;
};

struct FitAnswer {
  int most = 0;                 // no larger size is possible, whatever the memory
  FitNeed need;                 // of the largest size that fits; size 0: not even 1
  std::optional<FitNeed> next;  // the smallest larger one that does not fit; none at `most`
  // The stage at which cuDNN would refuse the configuration, as it was given or at the largest
  // size; "framework": its framework stops with an error. Empty: neither.
  std::string refused;
  std::string refused_because;    // the condition; empty where it is not refused
  bool full_lengths = false;      // given unequal lengths were replaced by full ones
  std::vector<Finding> findings;  // of the largest size
  // A size a little smaller that has fewer findings, none of them new.
  struct Better {
    FitNeed need;
    std::vector<Finding> gone;  // findings of the largest size that it has not
  };
  std::optional<Better> better;
};

// The configuration of the question with this size and full sequences: as it was written, and as
// cuDNN is asked for it.
ConfigInput sized(const FitQuestion& question, int size);
FrameworkCall call_of(const FitQuestion& question, int size);
// As cuDNN is asked for it at the size that was given; a recorded call is what it was.
FrameworkCall given_call(const FitQuestion& question);
FitNeed need_of(const FitQuestion& question, int size);
// Gives the question the memory of its device as room: without fit_margin, and without what the
// rest of the recorded program held beside the call at its `peak` (-1: not known). An error where
// the memory of the device is not known. Pure otherwise.
Result<void> take_room_of_device(FitQuestion& question, std::int64_t peak);
// The same from what was free when a recorded program failed: what the call had at its size, as the
// models have it, and what was free, without `little_memory` for cuDNN. Pure.
void take_room_of_failure(FitQuestion& question, std::int64_t free);
// Why the configuration does not run as it was given, as `check` says it, or at this size. A
// recorded call ran.
std::optional<DoesNotRun> why_it_does_not_run(const FitQuestion& question, int size);
// 0 when not even 1 fits.
int largest_that_fits(const FitQuestion& question);
FitAnswer find_fit(const FitQuestion& question, const RuleSet& rules,
                   const JudgeOptions& options = {});

// The layer of the question, as cuDNN is asked for it: "encoder: LSTM 2x1000 half/tensor_op …".
std::string name_of(const FitQuestion& question);

}  // namespace rnnadvisor::advisor
