// program.gpu_busy and its kin: the whole step of a recorded program, of which the RNN is a part.
#include <algorithm>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;

const GpuBusy* busy_of(const Subject& s, const Index& i) {
  if (!s.get().from_program()) return nullptr;
  const auto& busy = i.program_step(s.configuration).busy;
  return busy ? &*busy : nullptr;
}

// Two more of the same but for their length or batch: shapes change from step to step. One more is
// a last, smaller batch, or the other half of an encoder and decoder.
bool shapes_vary(const Subject& s, const Index& i) {
  const auto siblings = i.siblings(s.configuration);
  return std::count_if(siblings.begin(), siblings.end(), [](const Sibling& sibling) {
           return sibling.field == "seq_length" || sibling.field == "batch_size";
         }) >= 2;
}

// Whether one captured step could stand for all: a graph keeps the shapes and lengths that it was
// captured with, a step of several processes waits for the others, and what is replayed already
// needs none.
bool replayable(const Subject& s, const Index& i) {
  return !shapes_vary(s, i) && i.program_step(s.configuration).replayable;
}

}  // namespace

void add_step_facts(Catalogue& catalogue) {
  define(catalogue, "program.step_traced", "", Provenance::measured,
         "a recording tells how busy the whole program kept the GPU: program.gpu_busy is known",
         [](const Subject& s, const Index& i) { return busy_of(s, i) != nullptr; });
  define(catalogue, "program.gpu_busy", "%", Provenance::measured,
         "share of the time in which at least one kernel or transfer ran on the device, over the "
         "second half of the recorded program's kernels, pauses above 10 ms left out; tracing "
         "slows launches, so that without it the share is larger",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto* busy = busy_of(s, i);
           if (busy == nullptr) return std::nullopt;
           return 100 * busy->share();
         });
  define_gain(catalogue, "cuda_graph", "program.graph_speedup", "1", Provenance::modelled,
              "100 % over program.gpu_busy: what the program would gain if launches cost nothing "
              "and every kernel stayed as it is",
              [](const Subject& s, const Index& i) -> std::optional<double> {
                const auto* busy = busy_of(s, i);
                if (busy == nullptr) return std::nullopt;
                return 1 / busy->share();
              });
  define(catalogue, "program.step_replayable", "", Provenance::captured,
         "a captured step of the recorded program could stand for all: one process, shapes and "
         "lengths that stay, no CUDA graph already",
         [](const Subject& s, const Index& i) -> std::optional<bool> {
           if (busy_of(s, i) == nullptr) return std::nullopt;
           return replayable(s, i);
         });
  define(catalogue, "program.world_size", "", Provenance::captured,
         "processes of the distributed job that the recorded program is part of",
         [](const Subject& s, const Index& i) -> std::optional<std::int64_t> {
           if (busy_of(s, i) == nullptr) return std::nullopt;
           const int size = i.program_step(s.configuration).world_size;
           return size > 0 ? std::optional<std::int64_t>(size) : std::nullopt;
         });
  define(catalogue, "program.collective_share", "%", Provenance::measured,
         "share of the time of program.gpu_busy in which kernels of NCCL ran, in which they also "
         "wait for the other GPUs",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           if (busy_of(s, i) == nullptr) return std::nullopt;
           return 100 * i.program_step(s.configuration).collectives.value_or(0);
         });
  define(catalogue, "program.main_configuration", "", Provenance::measured,
         "of the configurations recorded on its device this one has the most time in kernels",
         [](const Subject& s, const Index& i) {
           return s.get().from_program() &&
                  i.program_step(s.configuration).main_configuration == s.configuration;
         });
}

}  // namespace rnnadvisor::advisor
