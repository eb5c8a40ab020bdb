// `profile --verify`: the recorded program runs a second time, as under `try`, and what faster
// algorithms and changed layers gain in its whole steps becomes part of its profile.
#pragma once

#include <string>
#include <vector>

#include "advisor/cli/context.h"
#include "advisor/cli/judging.h"
#include "advisor/cli/program_changes.h"
#include "profiler/profile/process.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

struct VerifyProgram {
  Judging judging;
  ProgramChanges::Options changes;
  bool numerics = false;               // --allow numerics
  std::vector<std::string> variables;  // NAME=VALUE, for the program
};

// `first`: how the recorded run ended. Adds experiments and a note; where nothing can be tried the
// note says why, and the profile is as good as before. The second run prints nothing, and its exit
// status does not count.
void verify_in_program(Context& context, const VerifyProgram& wanted, const Process& first,
                       Profile& profile);

}  // namespace rnnadvisor::cli
