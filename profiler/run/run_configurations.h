// Runs configurations on the GPUs of this machine, each GPU with a worker process of its own, so
// that a configuration which kills its CUDA context (or its process) ends alone. The worker is this
// same program (`rnnadvisor worker`).
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/read_config.h"
#include "core/cudnn/machine.h"
#include "core/cudnn/run_options.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

struct RunProgress {
  int finished = 0;
  int total = 0;
  const Profile* newest =
      nullptr;  // the profile of the configuration that has just ended; valid during the call
};

struct RunRequest {
  std::vector<ConfigInput> configurations;
  RunOptions options;
  std::vector<int> devices = {0};  // CUDA ordinals; work is dealt out as workers become free
  std::string program;             // path of rnnadvisor; empty: /proc/self/exe
  std::string command_line;        // for the environment of the profile
  std::function<void(const RunProgress&)> on_progress;  // called from the calling thread
  const std::atomic<bool>* stop =
      nullptr;  // set by a signal handler: unfinished configurations become `interrupted`
};

// One profile with every configuration in the order given, whatever happened to each. An error only
// when nothing could be run at all (no GPU, no cuDNN): environment problems, exit status 3. In a
// build without CUDA this returns ErrorCode::unsupported.
Result<Profile> run_configurations(const RunRequest& request);

// What runs configurations: run_configurations(), or what a test puts in its place.
using RunConfigurations = std::function<Result<Profile>(const RunRequest&)>;

// The same with any program that speaks the worker's side of the protocol (protocol.h), and with
// the GPUs given instead of looked for. `request.devices` are indices into `gpus`.
Result<Profile> run_in_workers(const RunRequest& request, const std::string& program,
                               const std::vector<GpuState>& gpus);

// Tries what a run would need (a CUDA context, CUPTI, counters) and writes the permissions into the
// report of inspect_machine().
void complete_machine_report(MachineReport& report);

// False in a build without CUDA.
bool worker_available();

// `rnnadvisor worker --device N --directory D`: reads one JSON object {"index", "options",
// "configuration"} a line from standard input, writes D/<index>.rnnprof and answers "done <index>"
// on standard output. Returns the exit status.
int worker_main(int device, const std::string& directory);

}  // namespace rnnadvisor
