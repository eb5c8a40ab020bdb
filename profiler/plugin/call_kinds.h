// The kinds of calls that acceleration.h chooses an algorithm for: a table that grows, never
// shrinks.
#pragma once

#include <pthread.h>

#include <atomic>

#include "profiler/plugin/capture.h"
#include "profiler/plugin/choice.h"
#include "profiler/plugin/cudnn_library.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/variant_descriptor.h"

namespace rnnadvisor::plugin {

// One kind of calls. Once its choice has fallen, calls of it take no lock: `key` and the algorithms
// of its variants stay as they were made, and what changes is atomic.
struct Kind {
  std::uint64_t key;
  std::atomic<bool> decided;
  std::atomic<std::uint32_t> chosen;  // index into the variants
  std::atomic<std::uint64_t> calls[spool::choice_phases], substituted[spool::choice_phases],
      kept[static_cast<std::size_t>(spool::Kept::count)];
  std::atomic<std::uint64_t> with_change;  // forward calls of a layer with our change (steps.h)
  // Forward calls before the results of the chosen algorithm are compared again.
  std::atomic<std::uint64_t> next_check;
  std::atomic<bool> checking;  // that comparison is under way
  // A forward call could not have the algorithm that its reserve names; no more reserves name one.
  std::atomic<bool> withdrawn;
  std::atomic<std::uint64_t> decided_at;  // forward calls until then
  std::atomic<bool> follows;              // waits for what the first rank chooses
  // The rest with the lock held.
  spool::Acceleration record;
  Choice choice;
  std::uint64_t family;  // the key without the batch
  std::int32_t batch;
  std::uint32_t adopted;  // a neighbour's variant, to be used once its results are right; 0: none
  std::uint32_t waited;
  // The program makes no backward pass, or its gradients are too small to compare: a comparison
  // makes a backward pass of its own.
  bool own_gradients;
  std::uint64_t measured_calls;
  // What the comparison with a variant would take; 0: not known yet; below 0: cannot be known.
  float predicted_ns[spool::most_variants];
};
Kind& kind_at(int index);  // below number_of_kinds(), which grows up to 256
int number_of_kinds();
// In front of all that is not atomic here and in comparing.cpp. CUDA and cuDNN are not called while
// it is held, but for the name of a device and a version (shared_choices.h).
pthread_mutex_t& kinds_mutex();

inline spool::ChoiceVariant& variant_of(Kind& kind, std::uint32_t index) {
  return kind.record.variants[index];
}
inline Variant with(const spool::ChoiceVariant& one) { return {one.algo, one.converts != 0}; }

// RNNADVISOR_ACCELERATE: whether algorithms are replaced at all, and whether one is forced.
bool acceleration_is_on();
bool is_forced();

// The kind of a call, made where it is new and `make` says so. -1: none, or no room.
int kind_of(CudnnLibrary& library, const Arguments& arguments, const spool::Configuration& c,
            bool make);

// Whether a call may pass unseen: for long enough nothing was new, nothing is open, and every kind
// has the program's own algorithm. Then one call in `quiet_share` is looked at and counts for all,
// so that programs in which nothing gains pay next to nothing. Needs no lock.
inline constexpr std::uint64_t quiet_share = 64;
bool is_quiet();
// A forward call was looked at; `open`: its kind is new or undecided.
void looked_at(bool open);

// Whether any choice ever fell on another algorithm than the program's. Needs no lock.
bool any_replaced();

// All of these with the lock held.
void set_decided(Kind& kind, std::uint32_t chosen);
// The chosen algorithm is used no longer: calls have the program's own from here on.
void withdraw(Kind& kind, spool::VariantState why);
// After a comparison, or in place of it: what is left is measured, or the choice has fallen.
void end_comparing(Kind& kind);
// Whether the choice has fallen; then the record is to be written.
bool decide(Kind& kind);
std::int64_t budget_left();   // in ns; below 0: it is spent
void spend(std::int64_t ns);  // GPU time that comparing and measuring took beyond the program's own
void fill_times(Kind& kind);
spool::Acceleration record_of(Kind& kind);

// Reserves that name another algorithm than ran: those of calls that did not suit it, until their
// backward pass is over. Of their kind there are no more afterwards, so the few latest are enough.
// A clone of one is not known as such; cuDNN 9.19 computes the right gradients then, too
// (samples/evidence/substitution-facts.jsonl). With the lock held, but for the first.
bool any_misnamed();  // there ever was one
bool is_misnamed(int kind, const void* reserve);
void forget_misnamed(const void* reserve);
// After a forward call whose reserve names an algorithm.
void name_holds(int kind, const void* reserve, bool holds);

// Before a forward call of a kind that follows: whether the first rank has chosen by now.
void follow(CudnnLibrary& library, const Arguments& arguments, const spool::Configuration& c,
            int index);

void withdraw_all();  // every choice, because whole steps are slower; without the lock

void kinds_in_child();  // after fork()

}  // namespace rnnadvisor::plugin
