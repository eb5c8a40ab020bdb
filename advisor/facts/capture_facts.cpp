// program.step_replayable and its kin: whether a CUDA graph could hold the step of a recorded
// program, and what keeps it from that.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;

const CaptureObstacles* obstacles_of(const Subject& s, const Index& i) {
  if (!s.get().from_program()) return nullptr;
  const auto& step = i.program_step(s.configuration);
  return step.busy ? &step.obstacles : nullptr;
}

// With a graph already, or a step of several processes, there is no advice on capturing.
bool is_forbidden(const CaptureObstacles& found) {
  return found.forbidden() && !found.has_graphs && !found.several_ranks;
}

std::string in_words(const CaptureObstacles& found) {
  std::vector<std::string> words;
  const auto times = [](double count) {
    return count < 1.5 ? std::string("once") : fmt::format("{} times", std::llround(count));
  };
  if (found.reads >= 1)
    words.push_back(fmt::format(
        "it reads {} back from the GPU {}{}", format_bytes(found.read_bytes), times(found.reads),
        found.reads_only_before_update ? ", between the backward pass and the optimizer's step"
                                       : ""));
  if (found.sends >= 1)
    words.push_back(fmt::format("it waits for a copy to the GPU {}", times(found.sends)));
  if (found.waits >= 1)
    words.push_back(fmt::format("it synchronizes with the GPU {}", times(found.waits)));
  if (found.shapes_vary)
    words.push_back(fmt::format("its RNN calls had {} combinations of shapes", found.shapes));
  if (found.lengths_vary)
    words.push_back("packed sequences have lengths of their own in each batch");
  return fmt::format("{}", fmt::join(words, "; "));
}

template <class Get>
auto seen(Get get) {
  return
      [get](const Subject& s, const Index& i) -> std::optional<decltype(get(CaptureObstacles{}))> {
        const auto* found = obstacles_of(s, i);
        if (found == nullptr) return std::nullopt;
        return get(*found);
      };
}

}  // namespace

void add_capture_facts(Catalogue& catalogue) {
  const auto add = [&](const char* name, const char* unit, const char* description, auto get) {
    define(catalogue, name, unit, Provenance::captured, description, seen(get));
  };
  add("program.step_replayable", "",
      "a captured step of the recorded program could stand for all: nothing forbids capture "
      "(program.capture_forbidden), one process, no CUDA graph already",
      [](const CaptureObstacles& o) { return o.replayable(); });
  add("program.capture_forbidden", "",
      "the recorded step cannot be captured in a CUDA graph as it is written, or one captured step "
      "cannot stand for the others; false for a program with CUDA graphs or of several processes",
      [](const CaptureObstacles& o) { return is_forbidden(o); });
  define(catalogue, "program.capture_obstacles", "", Provenance::captured,
         "what forbids capture, and how often in a step, in words",
         [](const Subject& s, const Index& i) -> std::optional<std::string> {
           const auto* found = obstacles_of(s, i);
           if (found == nullptr || !is_forbidden(*found)) return std::nullopt;
           return in_words(*found);
         });
  add("program.capture_reads", "",
      "copies to the host that the program waits for, in a step from its first recurrent layer to "
      "the "
      "end of the last one or of the optimizer's kernels; median",
      [](const CaptureObstacles& o) { return o.reads; });
  add("program.capture_reads_before_update", "",
      "all of program.capture_reads lie between the backward pass and the optimizer's kernels",
      [](const CaptureObstacles& o) { return o.reads_only_before_update; });
  add("program.capture_sends", "",
      "copies to the GPU that the program waits for, within a step as program.capture_reads",
      [](const CaptureObstacles& o) { return o.sends; });
  add("program.capture_waits", "",
      "other calls that wait for the GPU, within a step as program.capture_reads",
      [](const CaptureObstacles& o) { return o.waits; });
  add("program.reads_between_steps", "",
      "copies to the host that the program waits for between the end of a step and the first RNN "
      "call of the next one; median. They can stay outside of a CUDA graph",
      [](const CaptureObstacles& o) { return o.reads_between_steps; });
  add("program.gradient_scaler", "", "kernels of PyTorch's GradScaler were recorded",
      [](const CaptureObstacles& o) { return o.gradient_scaler; });
  add("program.shapes_vary", "",
      "the RNN calls of recorded steps had three or more combinations of shapes, of which no two "
      "make nine tenths of the steps",
      [](const CaptureObstacles& o) { return o.shapes_vary; });
  add("program.packed_lengths", "", "an RNN call was given sequences of several lengths",
      [](const CaptureObstacles& o) { return o.lengths_vary; });
  add("program.packed_one_direction", "",
      "an RNN call of one direction was given sequences of several lengths",
      [](const CaptureObstacles& o) { return o.one_direction_lengths_vary; });
}

}  // namespace rnnadvisor::advisor
