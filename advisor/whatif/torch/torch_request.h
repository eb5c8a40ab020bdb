// What the program of this folder is asked, and what it answers, line by line (README.md has the
// protocol). Nothing here trusts an answer: it comes from an interpreter that the user named.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/whatif/torch/torch_candidates.h"
#include "core/base/result.h"
#include "core/config/read_config.h"
#include "profiler/profile/experiment.h"

namespace rnnadvisor::advisor {

// A place in the user's program where the layer is called.
struct TorchCallSite {
  std::string file;
  int line = 0;
  std::string root;  // names in the difference are relative to it; empty: absolute ones
};

struct TorchRequest {
  ConfigInput call;
  std::vector<TorchCandidate> candidates;
  std::vector<std::string> phases;  // "training", "inference"
  double budget_seconds = 60;       // importing PyTorch is part of it
  int device = 0;                   // CUDA ordinal; -1: the CPU
  unsigned long long seed = 1;
  bool measure = true;  // false: only the code and what does not apply; needs no PyTorch
  std::optional<TorchCallSite> site;
};

// The request of some of its candidates, with their numbers as ids, and less time.
std::string write_torch_request(const TorchRequest& request, std::span<const int> candidates,
                                double budget_seconds);

// The request of one configuration, without candidates and budget: as the profile knows its
// program, and with the phases that were captured.
TorchRequest torch_request(const Profile& profile, int configuration);

// Of the places that called a configuration the one that did so most often; nothing where none has
// a file and a line. `root` is left empty.
std::optional<TorchCallSite> torch_call_site(const Profile& profile, int configuration);

struct TorchEnvironment {
  std::string executable, python, torch, cuda, cudnn;  // cudnn: "91900"; empty: not known
  std::string device;                                  // "NVIDIA H200"; empty on the CPU
  int compute_major = 0, compute_minor = 0, multiprocessors = 0;
  std::int64_t memory_bytes = 0;
};

struct TorchResult {
  enum class Status {
    none,  // no answer, or no time for it
    measured,
    emitted,         // the code alone was asked for
    not_applicable,  // PyTorch cannot express it, or it changes nothing
    out_of_memory,
    failed,
    crashed,   // the process died at it
    timed_out  // the process was ended at it
  };
  Status status = Status::none;
  std::string message;  // why not measured, or what must be known of it
  std::vector<ExperimentTiming> timings;
  std::vector<std::string> beside;  // of each timing: time on the GPU and of the host, for people
  std::vector<TensorShift> shifts;
  std::optional<bool> agrees;  // about as near to float64 as the original; nothing: not compared
  std::string disagreement;    // how far, where it does not
  std::int64_t memory_before = -1, memory_after = -1;  // what is kept and one step's peak, bytes
  std::string memory_note;                             // what is counted, where that is not usual
  GpuClocks clocks_before, clocks_after;
  std::vector<ExperimentCode> code;  // module, lines around it, difference
  std::string no_diff;               // why there is no difference
  double seconds = 0;
};

struct TorchLine {
  enum class Kind { environment, progress, candidate, done, error, none };
  Kind kind = Kind::none;  // none: no line of the protocol
  int candidate = -1;      // its number, of progress and candidate
  TorchEnvironment environment;
  TorchResult result;
  Error error;  // of kind error
  int status = 0;
};

// One line of an answer. Never fails: what is not as it must be becomes Kind::none, or a result of
// status `failed` that says so. Intervals and medians are computed here, from the samples.
TorchLine read_torch_line(std::string_view line);

// What a profile keeps of a candidate that was measured or failed, `experiment.device` aside.
// Confirmed and refuted as for cuDNN's calls (verdict_of()), of the wall time; results that do not
// agree with float64 or moved further than the meaning allows are refuted whatever the time, and
// what was compared with nothing, or not timed in the phase that was captured, is inconclusive at
// best.
Experiment torch_experiment(const TorchCandidate& candidate, const TorchResult& result,
                            const Profile& profile, int configuration);

}  // namespace rnnadvisor::advisor
