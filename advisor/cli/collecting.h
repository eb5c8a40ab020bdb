// From the spools of a folder to a profile on disk and a summary: the common end of `profile`,
// `accelerate` and `collect`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "advisor/cli/accelerate_report.h"
#include "advisor/cli/context.h"
#include "advisor/cli/judging.h"
#include "profiler/profile/process.h"

namespace rnnadvisor::cli {

struct CollectRequest {
  std::string folder;
  std::string output;
  bool force = false;
  bool remove_folder = false;      // when everything is in the profile
  std::optional<Process> program;  // the one that was started here
  bool no_command_line = false;    // of no process, and not ours
  bool needs_recording = false;    // a folder without one is an error, and no profile is made of it
  // A file that the choices of `accelerate` are added to; empty: none. And what its run allowed;
  // empty: as the recording has it.
  std::string plan = {};
  std::optional<bool> numerics = {};
  std::optional<std::int64_t> since_ns = {};  // leaves out what began before
  // Adds to the profile once it is written; it is then written again. Empty: nothing does.
  std::function<void(Profile&)> verify = {};
};

// The recordings of a folder, once the processes that are about to end have; what cannot be read is
// said in notes.
Result<launch::Collected> read_folder(const Context& context, const CollectRequest& request);

// Writes the profile, prints the summary and where the profile is, both on standard error. The exit
// status is that of the findings, or of what went wrong; the folder is then still there, and a
// message says how to go on.
int collect_and_report(const Context& context, const Judging& judging,
                       const CollectRequest& request);

// Of `accelerate`: what it did, on standard error or in the file `report`. `output` may be empty:
// no profile is written then, and the folder is removed.
struct AccelerationRequest {
  CollectRequest recording;
  std::string report;
  std::string command;        // that keeps the gain: "rnnadvisor accelerate -- python3 train.py"
  bool switched_off = false;  // by RNNADVISOR_ACCELERATE=0
  bool tried = false;         // of `try`
  std::string step = {};      // the range that a step is, as --step names it; empty: none
  const std::vector<ChangedLayer>* changes = nullptr;  // of layers, by `try`
  bool algorithms = true;                              // else those changes alone
  std::string code_folder = {};                        // where their modules are
  const LossReport* losses = nullptr;                  // of `try --losses`
};
// `ended`, where it is given: whether the plugin interrupted the program, as `try` asked it to.
int collect_acceleration(const Context& context, const AccelerationRequest& request,
                         bool* ended = nullptr);

}  // namespace rnnadvisor::cli
