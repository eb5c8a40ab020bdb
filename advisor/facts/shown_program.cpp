#include "advisor/facts/shown_program.h"

#include "profiler/classify/call_signs.h"

namespace rnnadvisor::advisor {

ProgramContext shown_program(const Profile& profile, int configuration) {
  const auto at = static_cast<std::size_t>(configuration);
  const auto& own = profile.configurations[at];
  ProgramContext program = own.program;
  if (!own.from_program()) return program;
  const auto signs = call_signs(profile)[at];
  if (!program.flat_weights && signs.weights_copied) program.flat_weights = !*signs.weights_copied;
  if (!program.batch_first) program.batch_first = signs.input_reordered;
  if (!program.needs_backward) program.needs_backward = signs.backward_follows;
  if (!program.per_step_calls) program.per_step_calls = signs.per_step_calls;
  return program;
}

std::optional<bool> backward_follows(const Profile& profile, int configuration) {
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  return own.program.needs_backward ? own.program.needs_backward
                                    : shown_program(profile, configuration).needs_backward;
}

}  // namespace rnnadvisor::advisor
