// The spools of a folder become one profile: N processes on one clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "profiler/launch/algorithm_choice.h"
#include "profiler/launch/whole_step.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::launch {

struct CollectOptions {
  // Who collects, when, where; what the spools tell of driver and libraries is added.
  Environment environment;
  // The program that was started, as far as its starter knows it: pid, host, command line, start,
  // end (and of one that exited the signal that had asked it to, which no profile keeps). It is in
  // the profile also when it recorded nothing.
  std::optional<Process> program;
  // What began before is left out; a note says how many RNN calls.
  std::optional<std::int64_t> since_ns;
  const std::atomic<bool>* stop =
      nullptr;  // may be set by a signal handler: ErrorCode::interrupted
};

// The code of the note that the program itself failed.
inline constexpr const char* program_failed = "program-failed";

struct Collected {
  Profile profile;
  // What `accelerate` did, by process and in the order of first calls; the profile has those that
  // were tried as experiments.
  std::vector<AlgorithmChoice> choices;
  std::vector<WholeStep> steps;         // one for each process whose steps were compared
  std::int64_t rnn_calls = 0;           // that the programs made, recorded or not
  int spools = 0;                       // that were read
  int running = 0;                      // processes that had not ended
  int waiting = 0;                      // of count_waiting()
  std::vector<std::string> unreadable;  // messages, one for each spool that was none
};

// Reads every *.rnnspool of `folder`, whatever state they are in; a file that is no spool is
// in `unreadable` and in a note. Nothing is removed. Errors: not_found, io (the folder),
// newer_version (written by a later rnnadvisor), interrupted.
Result<Collected> collect_spools(const std::string& folder, const CollectOptions& options);

// Processes that record into this folder and have not ended.
int count_running(const std::string& folder);

// Processes that were told to record into this folder, live, and have recorded nothing yet: they
// would with their first call of CUDA, cuDNN or NVTX.
int count_waiting(const std::string& folder);

// What has been recorded into this folder by now, from the headers alone: cheap enough to be asked
// several times a second. RNN calls are counted also where they are not recorded.
struct RecordingState {
  int processes = 0;
  std::int64_t calls = 0;
  std::int64_t bytes = 0;  // of the files
};
RecordingState recording_state(const std::string& folder);

}  // namespace rnnadvisor::launch
