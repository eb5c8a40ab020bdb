// What the chosen algorithms do for whole steps of the program, optimizer and data loader included.
// Once the choices of a step's calls have fallen, blocks of steps as the program is and with them
// alternate; each step is timed by CUDA events on the stream of its first call. Afterwards
// `accelerate` uses what was chosen, unless whole steps are slower with it; `try`
// (RNNADVISOR_TRY_STEPS) leaves the program as it is.
// With RNNADVISOR_CHANGES `try` does the same with a change of the program's layers: code of ours
// in the program asks rnnadvisor_change_wanted() at each call of a layer. Where algorithms are
// chosen as well, they are chosen for the changed layers, too, and steps are timed with either
// and with both: every other block is as the program is, those between take turns.
// Where a step begins: spool::StepSource. Threads: any.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace rnnadvisor::plugin {

struct StepCall {
  CUstream stream;
  std::size_t phase;  // of spool::choice_phases
  bool training;
  int kind, device;
  bool settled;   // its choice has fallen
  bool replaced;  // on another algorithm than the program's
};
// Right before a call runs that no CUDA graph captures.
void steps_see(const StepCall& call);

bool steps_want_own();      // calls are to have the algorithm that they ask for now
bool steps_have_change();   // layers are to be called with the change now
bool steps_are_compared();  // blocks alternate at present

// Exported from the library, for code of ours in the program:
//   void rnnadvisor_change_ready(int ready): above 0: the change can be used from now on; 0: never;
//     below 0: one of both will follow
//   int rnnadvisor_change_wanted(): 1: layers are to be called with the change now

void steps_finish();    // writes what is not written yet; at the end of the process
void steps_in_child();  // after fork()

}  // namespace rnnadvisor::plugin
