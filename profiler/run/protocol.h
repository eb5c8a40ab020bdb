// What parent and worker say to each other, one line each. Parent to worker: a JSON object with
// "index", "options" and "configuration". Worker to parent: "ready", "done <index>", "done <index>
// last" when it has lost its CUDA context and ends, or "error <JSON of an Error>" when it cannot
// serve at all.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/config/read_config.h"
#include "core/cudnn/run_options.h"

namespace rnnadvisor {

struct Job {
  int index = 0;
  RunOptions options;
  ConfigInput input;
};

std::string write_job(const Job& job);
Result<Job> read_job(std::string_view line);

std::string write_error(const Error& error);
Error read_error(std::string_view text);

// The worker's exit status after a sticky CUDA error: its last answer is good, the process is not.
inline constexpr int exit_context_lost = 10;

// D/<index>.rnnprof
std::string result_path(const std::string& directory, int index);

}  // namespace rnnadvisor
