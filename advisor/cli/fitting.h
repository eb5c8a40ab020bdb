// The largest batch or length of a configuration that fits into memory: by the models, with what
// the rules say of that size, and tried on a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advisor/cli/context.h"
#include "advisor/cli/judging.h"
#include "advisor/facts/framework_call.h"
#include "advisor/rules/finding.h"
#include "core/config/read_config.h"
#include "core/device/device_spec.h"
#include "core/model/memory.h"
#include "core/model/torch_memory.h"

namespace rnnadvisor::cli {

enum class Largest { batch, length };

// The room there is. `bytes` are for the tensors and buffers of the call alone.
struct FitRoom {
  std::int64_t bytes = 0;
  std::string origin;  // "--memory", "NVIDIA H200 (141 GiB) without 512 MiB for …", for people
};

// Left free of a device's memory by every forecast, as a run leaves it: the CUDA context, cuDNN and
// the modules that are loaded lazily.
inline constexpr std::int64_t fit_margin = std::int64_t{512} << 20;

// No GPU holds a larger one, and the lengths of such a batch fill the memory of the host.
inline constexpr int largest_tried_batch = 1 << 28;

struct FitQuestion {
  ConfigInput input;      // `program` decides whose tensors count: PyTorch's when that is its name
  bool recorded = false;  // `input` is a call that was recorded
  DeviceSpec device;      // decides acceptance, PyTorch's choice of algorithm and findings
  FitRoom room;
  Largest largest = Largest::batch;
  model::Optimizer optimizer = model::Optimizer::adam;  // PyTorch, training
  std::int64_t beside = 0;  // held by the rest of the program at its peak, as recorded
};

// What a size needs.
struct FitNeed {
  int size = 0;
  std::int64_t total = 0;
  bool fits = false;                                        // into the room of the question
  std::vector<std::pair<std::string, std::int64_t>> parts;  // only those that are not 0
  model::Exactness exactness = model::Exactness::unknown;
};

struct FitTrial {
  Outcome outcome = Outcome::not_run;
  std::string message;          // of the run, why not completed
  int size = 0;                 // that was run; 0: none
  std::int64_t room = 0;        // of this machine, when it was asked
  std::int64_t need = -1;       // by cuDNN's answers
  std::int64_t next_need = -1;  // of the next size, by cuDNN's answers; it was not run
  std::int64_t used = -1;       // bytes by which free memory shrank
  int queries = 0;              // how often cuDNN was asked for sizes
  int predicted = 0;            // by the model, for the room that was found
};

struct Fit {
  int most = 0;                 // no larger size is possible, whatever the memory
  FitNeed need;                 // of the largest size that fits; size 0: not even 1
  std::optional<FitNeed> next;  // the smallest larger one that does not fit; none at `most`
  // The stage at which cuDNN would refuse the configuration, as it was given or at the largest
  // size; "framework": its framework stops with an error. Empty: neither.
  std::string refused;
  std::string refused_because;             // the condition; empty where it is not refused
  bool full_lengths = false;               // given unequal lengths were replaced by full ones
  std::vector<advisor::Finding> findings;  // of the largest size
  // A size a little smaller that has fewer findings, none of them new.
  struct Better {
    FitNeed need;
    std::vector<advisor::Finding> gone;  // findings of the largest size that it has not
  };
  std::optional<Better> better;
  std::optional<FitTrial> trial;
};

// The configuration of the question with this size and full sequences: as it was written, and as
// cuDNN is asked for it.
ConfigInput sized(const FitQuestion& question, int size);
advisor::FrameworkCall call_of(const FitQuestion& question, int size);
FitNeed need_of(const FitQuestion& question, int size);
// Why the configuration does not run as it was given, as `check` says it, or at this size. A
// recorded call ran.
std::optional<advisor::DoesNotRun> why_it_does_not_run(const FitQuestion& question, int size);
// 0 when not even 1 fits.
int largest_that_fits(const FitQuestion& question);
Fit find_fit(const FitQuestion& question, const Judging& judging, const std::string& command_line);

// Asks cuDNN on a GPU of this machine for the sizes around the model's answer, runs the largest
// that fits, and nothing larger: every need is compared with free memory before anything is
// allocated. The room is the smaller one of `limit` and what is free. An error when nothing can run
// here.
Result<FitTrial> try_fit(const Context& context, const FitQuestion& question,
                         std::optional<std::int64_t> limit, int gpu);

// The layer of the question, as cuDNN is asked for it: "encoder: LSTM 2x1000 half/tensor_op …".
std::string name_of(const FitQuestion& question);

// "40GiB", "80 GB", "1.5TiB", "1048576": bytes. Powers of two with an i, of ten without.
Result<std::int64_t> parse_bytes(std::string_view text);

std::string fit_text(const FitQuestion& question, const Fit& fit, int width);
std::string fit_json(const std::vector<FitQuestion>& questions, const std::vector<Fit>& fits);

}  // namespace rnnadvisor::cli
