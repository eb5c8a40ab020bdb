// Runs the user's program under the plugin: the common part of `profile` and `accelerate`.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advisor/cli/context.h"
#include "advisor/cli/output_name.h"
#include "profiler/launch/attachment.h"
#include "profiler/launch/launcher.h"
#include "profiler/profile/process.h"
#include "profiler/run/remove_folder.h"

namespace rnnadvisor::cli {

// The name of the profile to be written, and the claim on it unless it replaces a file.
struct ProgramOutput {
  std::string path;
  std::optional<ClaimedName> claim;
};
// Chooses the name and makes the folder beside it. `pattern`: expand_output_name(); empty: the
// default name.
Result<std::string> make_output_folder(const Context& context, const std::string& pattern,
                                       bool force, std::optional<ProgramOutput>& output);

// A folder for a program that records nothing that is kept.
Result<std::string> make_temporary_folder();

struct ProgramRun {
  launch::RecordingOptions recording;
  std::vector<std::string> variables;   // NAME=VALUE, for the program
  std::string output = {}, error = {};  // files for its standard output and error; empty: ours
  // The folder that the program records into; called when the options are known to be right.
  std::function<Result<std::string>()> make_folder;
  // The environment of the program, before it starts; may be empty.
  std::function<void(const launch::Lookup&)> about_environment = {};
  // More variables for the program, NAME=VALUE, once the folder is there; may be empty.
  std::function<Result<std::vector<std::string>>(const std::string& folder,
                                                 const launch::Lookup& environment)>
      more_variables = {};
  // When it has ended; the exit status of what was made of the folder, which it removes or keeps.
  std::function<int(const std::string& folder, const Process& program)> collect;
  // After `collect`: whether the program was interrupted because that was asked for. Its exit
  // status then says nothing; may be empty.
  std::function<bool()> was_interrupted = {};
};

// A folder that is removed unless it is handed on.
class RecordingFolder {
 public:
  explicit RecordingFolder(std::string path) : path_(std::move(path)) {}
  RecordingFolder(const RecordingFolder&) = delete;
  RecordingFolder& operator=(const RecordingFolder&) = delete;
  ~RecordingFolder() {
    if (!kept_) remove_folder(path_);
  }
  const std::string& path() const { return path_; }
  const std::string& keep() {
    kept_ = true;
    return path_;
  }

 private:
  std::string path_;
  bool kept_ = false;
};

struct RanProgram {
  launch::ProgramEnd end;
  std::string folder;  // that it recorded into, and that is the caller's now
};
// Runs the program, and makes nothing of its end: `collect` is not called. Where it could not be
// started, that has been reported, and the value is the exit status.
tl::expected<RanProgram, int> start_program(Context& context, const ProgramRun& run);

// The exit status is the program's; that of `collect` where the program's is 0; 127 and 126 where
// it could not be started. Ends by the signal that ended the program.
int run_program(Context& context, const ProgramRun& run);

// Ends this process by the signal that ended the program; returns the exit status where it cannot.
int end_as(Context& context, int signal);

// PROGRAM ARGUMENTS; the words are in Context::program. `program` must outlive the parsing.
void add_program_argument(CLI::App& command, std::string& program, Context& context);
// --env
void add_program_variables(CLI::App& command, std::vector<std::string>& variables);

}  // namespace rnnadvisor::cli
