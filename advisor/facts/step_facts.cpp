// program.gpu_busy and its kin: the whole step of a recorded program, of which the RNN is a part.
#include <algorithm>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;

const GpuBusy* busy_of(const Subject& s, const Index& i) {
  return s.get().from_program() ? i.gpu_busy(s.configuration) : nullptr;
}

// Time in kernels of a configuration's calls; of one without cuDNN, of the recurrences it stands
// for.
std::int64_t kernel_ns(const Index& i, int configuration) {
  const auto& profile = i.profile();
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  std::int64_t sum = 0;
  const auto calls = i.calls(configuration);
  for (const int call : calls) {
    for (const int kernel : i.kernels(call)) {
      const auto at = static_cast<std::size_t>(kernel);
      sum += profile.kernels.end_ns[at] - profile.kernels.start_ns[at];
    }
  }
  if (calls.empty() && !own.described()) {
    for (const auto& recurrence : i.native_recurrences())
      if (recurrence.device == own.device) sum += recurrence.kernel_ns;
  }
  return sum;
}

// The one configuration of a device that findings about the whole program are told with.
bool is_main(const Subject& s, const Index& i) {
  if (!s.get().from_program()) return false;
  const auto& all = i.profile().configurations;
  int main = -1;
  std::int64_t most = -1;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const int configuration = static_cast<int>(c);
    if (!all[c].from_program() || all[c].device != s.get().device || i.tried(configuration))
      continue;
    const auto ns = kernel_ns(i, configuration);
    if (ns <= most) continue;
    most = ns;
    main = configuration;
  }
  return main == s.configuration;
}

bool lengths_vary(const Profile& profile, const RnnCall& call) {
  const auto& config = profile.configurations[static_cast<std::size_t>(call.configuration)].config;
  return config.has_varying_lengths() ||
         (call.arguments >= 0 &&
          !profile.call_arguments[static_cast<std::size_t>(call.arguments)].seq_lengths.empty());
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
  if (shapes_vary(s, i)) return false;
  const auto& profile = i.profile();
  return std::none_of(profile.calls.begin(), profile.calls.end(), [&](const RnnCall& call) {
    if (call.device != s.get().device || call.configuration < 0) return false;
    if (call.graph == GraphState::captured || call.graph == GraphState::replayed) return true;
    const auto process = static_cast<std::size_t>(call.process);
    if (process < profile.processes.size() && profile.processes[process].world_size > 1)
      return true;
    return lengths_vary(profile, call);
  });
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
  define(catalogue, "program.graph_speedup", "1", Provenance::modelled,
         "100 % over program.gpu_busy: what the program would gain if launches cost nothing and "
         "every kernel stayed as it is",
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
  define(catalogue, "program.main_configuration", "", Provenance::measured,
         "of the configurations recorded on its device this one has the most time in kernels",
         is_main);
}

}  // namespace rnnadvisor::advisor
