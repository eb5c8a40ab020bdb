// memory.program_*: what the recorded program held on the device, and what that leaves.
#include <algorithm>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;

const MemoryUse* use_of(const Subject& s, const Index& i) {
  return s.get().from_program() ? &i.memory_use(s.configuration) : nullptr;
}

std::optional<std::int64_t> peak(const Subject& s, const Index& i) {
  const auto* use = use_of(s, i);
  return use == nullptr || use->peak <= 0 ? std::nullopt : std::optional(use->peak);
}

std::optional<std::int64_t> reserve_held(const Subject& s, const Index& i) {
  const auto* use = use_of(s, i);
  return use == nullptr || use->reserve_held < 0 ? std::nullopt : std::optional(use->reserve_held);
}

// What the rest of the program leaves for one call of this layer: the device without what was held
// beside such a call at the peak.
std::optional<std::int64_t> room(const Subject& s, const Index& i) {
  const auto held = peak(s, i);
  const auto device = device_bytes(s);
  if (!held || !device) return std::nullopt;
  const auto own = i.model(s.configuration).memory(s.get().config.mode).total;
  return *device - std::max<std::int64_t>(0, *held - own);
}

}  // namespace

void add_program_memory_facts(Catalogue& catalogue) {
  define(catalogue, "trace.allocations", "", Provenance::measured,
         "the device memory that a program took was recorded (mode full)",
         [](const Subject& s, const Index& i) { return peak(s, i).has_value(); });
  define(catalogue, "memory.program_peak", "B", Provenance::measured,
         "most device memory that the recorded process had allocated at once", peak);
  define(catalogue, "memory.program_share", "%", Provenance::measured,
         "memory.program_peak as a share of the device's memory",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto held = peak(s, i);
           const auto device = device_bytes(s);
           if (!held || !device) return std::nullopt;
           return 100.0 * static_cast<double>(*held) / static_cast<double>(*device);
         });
  define(catalogue, "memory.reserve_held", "B", Provenance::measured,
         "most reserve space that the recorded process held for backward passes at once",
         reserve_held);
  define(catalogue, "memory.reserve_held_share", "%", Provenance::measured,
         "memory.reserve_held as a share of memory.program_peak",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto held = peak(s, i);
           const auto reserve = reserve_held(s, i);
           if (!held || !reserve) return std::nullopt;
           return 100.0 * static_cast<double>(*reserve) / static_cast<double>(*held);
         });
  define(catalogue, "memory.program_largest_batch", "", Provenance::modelled,
         "batch_size above which this layer alone no longer fits beside what the recorded program "
         "holds",
         [](const Subject& s, const Index& i) -> std::optional<int> {
           const auto bytes = room(s, i);
           if (!bytes) return std::nullopt;
           return model::largest_batch(s.get().config, s.get().config.mode, *bytes);
         });
  define(catalogue, "memory.program_largest_seq_length", "", Provenance::modelled,
         "seq_length above which this layer alone no longer fits beside what the recorded program "
         "holds",
         [](const Subject& s, const Index& i) -> std::optional<int> {
           const auto bytes = room(s, i);
           if (!bytes) return std::nullopt;
           return model::largest_seq_length(s.get().config, s.get().config.mode, *bytes);
         });
}

}  // namespace rnnadvisor::advisor
