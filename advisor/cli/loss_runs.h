// `rnnadvisor try --losses`: runs of the program as it is, whose losses those of a changed run are
// compared with.
#pragma once

#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "advisor/cli/context.h"
#include "advisor/cli/losses.h"
#include "advisor/cli/running_program.h"
#include "profiler/run/scratch_folder.h"

namespace rnnadvisor::cli {

struct LossReport {
  int originals = 0;
  bool marks = false;                        // of NVTX marks, not printed
  std::optional<LossComparison> comparison;  // empty: the changed run had none
  bool as_close() const { return comparison && comparison->as_close(); }
};

class LossRuns {
 public:
  // `perturbed`: how many runs with perturbed weights follow that of the program as it is.
  // Errors: that of the pattern, and of the folder for what the runs print.
  static Result<LossRuns> prepare(int perturbed, const std::string& pattern);

  // Runs the program as it is. `like`: its variables. What fails is reported; the exit status then.
  std::optional<int> run_originals(Context& context, const ProgramRun& like);

  // Where the changed run is to print.
  void redirect(ProgramRun& changed) const;
  // At its end; `folder` is that of its recording. The folder stays as it is.
  LossReport compare(const std::string& folder) const;
  // What it printed last, for a run that failed.
  std::string last_lines() const;

 private:
  struct Run {
    PrintedLosses losses;
    std::optional<int> failed;
  };
  LossRuns(int perturbed, std::regex pattern);
  std::string file(const char* name) const;
  Run run_original(Context& context, const ProgramRun& like, int number);
  PrintedLosses read(const std::string& folder, bool marks) const;

  std::unique_ptr<ScratchFolder> folder_;
  std::regex pattern_;
  int perturbed_;
  bool marks_ = false;
  std::vector<PrintedLosses> originals_;
};

}  // namespace rnnadvisor::cli
