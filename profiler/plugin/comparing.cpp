#include "profiler/plugin/comparing.h"

#include "profiler/plugin/call_kinds.h"
#include "profiler/plugin/comparison.h"

namespace rnnadvisor::plugin {
namespace {

using spool::ChoiceState;
using spool::VariantState;

constexpr std::uint32_t calls_before_tuning = 2;      // the first ones load kernels
constexpr std::uint32_t calls_without_backward = 16;  // then gradients are computed without one
// Calls between two checks of a chosen algorithm that converts to half, whose range is smaller:
// values may leave it as training goes on. A check costs about what ten calls do.
constexpr std::uint64_t calls_between_range_checks = 2048;

// The comparison that is going on.
enum class Stage { none, forward, data, running };
Comparison comparison;
Stage stage = Stage::none;
int compared_kind = -1;
std::uint32_t compared_variant = 0;
bool comparison_busy = false;  // a thread is in it, without the lock
bool is_check = false;         // of an algorithm that is in use
bool is_probe = false;         // of the first steps alone, to predict what a comparison takes
float probe_scale = 0;         // from its time to that prediction

// Whether this thread may go on with the comparison, with a backward call of a kind and sequence
// length if these are given: no other thread does until release().
bool claim(Stage wanted, int kind = -1, std::int32_t length = 0) {
  const Locked locked(kinds_mutex());
  if (comparison_busy || stage != wanted) return false;
  if (kind >= 0 && (compared_kind != kind || comparison.length() != length)) return false;
  comparison_busy = true;
  return true;
}

void release(Stage next) {
  const Locked locked(kinds_mutex());
  stage = next;
  comparison_busy = false;
}

// With the lock held: the end of a check. What could not be compared this time says nothing.
void conclude_check(Kind& kind, VariantState state) {
  if (state == VariantState::different) withdraw(kind, VariantState::drifted);
  const std::uint64_t calls = kind.calls[0].load();
  const bool converts = variant_of(kind, compared_variant).converts != 0;
  kind.next_check.store(converts ? calls + calls_between_range_checks : 2 * calls);
  kind.checking.store(false);
  kind.waited = 0;
}

// The candidate is out, or is tried again at a later call.
void conclude(VariantState state, std::int32_t status) {
  const Locked locked(kinds_mutex());
  Kind& kind = kind_at(compared_kind);
  if (is_check) {
    is_check = false;
    conclude_check(kind, state);
    stage = Stage::none;
    comparison_busy = false;
    return;
  }
  auto& one = variant_of(kind, compared_variant);
  one.state = state;
  one.status = status;
  kind.waited = 0;
  end_comparing(kind);
  stage = Stage::none;
  comparison_busy = false;
}

// No backward call came, so nothing is known of the gradients: the next comparison computes them
// without one.
void put_off() {
  comparison.give_up();
  {
    const Locked locked(kinds_mutex());
    kind_at(compared_kind).own_gradients = true;
  }
  conclude(VariantState::candidate, 0);
}

// A probe takes an eighth of a comparison, so of a short call it is not worth it.
constexpr std::int32_t least_steps = 32, probed_share = 8;
// A training call against its forward pass: 63 of 4081 configurations took longer on an H200, at
// most 7.7 times (core/device/devices/nvidia-h200.times.jsonl).
constexpr float passes_of_training = 4;

// With the lock held: the candidate to look at next, and whether by a probe; 0: none. The one whose
// comparison takes least comes first; what takes more than is left of the budget is out.
std::uint32_t next_candidate(Kind& kind, const spool::Configuration& c, bool& probe) {
  const auto is_candidate = [&](std::uint32_t v) {
    return variant_of(kind, v).state == VariantState::candidate;
  };
  probe = c.max_seq_length >= least_steps;
  for (std::uint32_t v = 1; v < spool::most_variants && probe; ++v)
    if (is_candidate(v) && kind.predicted_ns[v] == 0) return v;
  probe = false;
  while (true) {
    std::uint32_t first = 0;
    for (std::uint32_t v = 1; v < spool::most_variants; ++v)
      if (is_candidate(v) && (first == 0 || kind.predicted_ns[v] < kind.predicted_ns[first]))
        first = v;
    if (first == 0 || kind.predicted_ns[first] <= static_cast<float>(budget_left())) return first;
    variant_of(kind, first).state = VariantState::costly;
  }
}

// With the comparison claimed.
void run_probe(CudnnLibrary& library, const Arguments& arguments, const spool::Configuration& c,
               int index, CUstream stream) {
  const std::int32_t steps = c.max_seq_length / probed_share;
  probe_scale = static_cast<float>(c.max_seq_length) / static_cast<float>(steps) *
                (c.training != 0 ? passes_of_training : 1);
  if (comparison.probe(library, arguments, c, with(variant_of(kind_at(index), compared_variant)),
                       stream, settings().accelerate_bytes, steps) == Comparison::Started::yes) {
    release(Stage::running);
    return;
  }
  // The comparison will say why, if it fails as well.
  comparison.give_up();
  {
    const Locked locked(kinds_mutex());
    kind_at(index).predicted_ns[compared_variant] = -1;
  }
  is_probe = false;
  release(Stage::none);
}

// With the lock held: the end of a probe.
void take_prediction(const Compared& result) {
  Kind& kind = kind_at(compared_kind);
  const std::int64_t both_runs = 2 * result.device_ns;
  kind.predicted_ns[compared_variant] =
      result.device_ns > 0 ? static_cast<float>(result.device_ns) * probe_scale : -1;
  kind.record.tuning_ns += both_runs;
  if (comparison.bytes() > kind.record.tuning_bytes) kind.record.tuning_bytes = comparison.bytes();
  spend(both_runs);
  is_probe = comparison_busy = false;
  stage = Stage::none;
}

// The whole backward pass of both, right after their forward pass.
bool run_backward(const Arguments& arguments, CUstream stream) {
  return comparison.backward_data(comparison.backward_of(arguments), stream) &&
         comparison.backward_weights(arguments, stream) && comparison.finish();
}

// With the comparison claimed for compared_kind and compared_variant.
void run_forward(CudnnLibrary& library, const Arguments& arguments, const spool::Configuration& c,
                 int index, CUstream stream) {
  const auto started =
      comparison.start(library, arguments, c, with(variant_of(kind_at(index), compared_variant)),
                       stream, settings().accelerate_bytes);
  switch (started) {
    case Comparison::Started::yes:
      if (c.training != 0 && !kind_at(index).own_gradients) {
        release(Stage::forward);
      } else if (c.training != 0 ? run_backward(arguments, stream) : comparison.finish()) {
        release(Stage::running);
      } else {
        comparison.give_up();
        conclude(VariantState::unseen, 0);
      }
      return;
    case Comparison::Started::refused:
      conclude(VariantState::refused, comparison.status());
      return;
    case Comparison::Started::layout:
      conclude(VariantState::layout, 0);
      return;
    case Comparison::Started::memory:
      conclude(VariantState::memory, 0);
      return;
    case Comparison::Started::failed:
      conclude(VariantState::unseen, comparison.status());
      return;
  }
}

void start_comparison(CudnnLibrary& library, const Arguments& arguments,
                      const spool::Configuration& c, int index, CUstream stream) {
  bool give_up = false;
  {
    const Locked locked(kinds_mutex());
    Kind& kind = kind_at(index);
    // Only calls that suit come here.
    if (kind.record.state == ChoiceState::waiting && kind.calls[0].load() > calls_before_tuning)
      kind.record.state = ChoiceState::comparing;
    if (kind.record.state != ChoiceState::comparing || comparison_busy) return;
    if (stage != Stage::none) {
      // Another kind's waits for a backward call that may never come.
      if (compared_kind == index || stage == Stage::running ||
          ++kind_at(compared_kind).waited < 4 * calls_without_backward)
        return;
      give_up = true;
      comparison_busy = true;
    }
  }
  if (give_up) {
    put_off();
    return;
  }
  {
    const Locked locked(kinds_mutex());
    Kind& kind = kind_at(index);
    if (stage != Stage::none || comparison_busy) return;
    end_comparing(kind);
    if (kind.record.state != ChoiceState::comparing) return;
    compared_variant = next_candidate(kind, c, is_probe);
    if (compared_variant == 0) {
      end_comparing(kind);
      return;
    }
    compared_kind = index;
    kind.waited = 0;
    comparison_busy = true;
  }
  if (is_probe) {
    run_probe(library, arguments, c, index, stream);
  } else {
    run_forward(library, arguments, c, index, stream);
  }
}

// Training calls whose backward pass does not come. Where it came for the data alone, the program
// wants no gradients of the weights, and what there is is compared.
void wait_for_backward(int index) {
  bool data = false;
  {
    const Locked locked(kinds_mutex());
    if (comparison_busy || compared_kind != index ||
        (stage != Stage::forward && stage != Stage::data) ||
        ++kind_at(index).waited < calls_without_backward)
      return;
    comparison_busy = true;
    data = stage == Stage::data;
  }
  if (!data) {
    put_off();
  } else if (comparison.finish()) {
    release(Stage::running);
  } else {
    comparison.give_up();
    conclude(VariantState::unseen, 0);
  }
}

}  // namespace

void compare_forward(CudnnLibrary& library, const Arguments& arguments,
                     const spool::Configuration& c, int kind, CUstream stream) {
  wait_for_backward(kind);
  start_comparison(library, arguments, c, kind, stream);
}

void check_forward(CudnnLibrary& library, const Arguments& arguments, const spool::Configuration& c,
                   int index, CUstream stream) {
  wait_for_backward(index);
  {
    const Locked locked(kinds_mutex());
    Kind& kind = kind_at(index);
    const std::uint32_t chosen = kind.chosen.load();
    if (stage != Stage::none || comparison_busy || chosen == 0 ||
        kind.calls[0].load() < kind.next_check.load())
      return;
    compared_kind = index;
    compared_variant = chosen;
    comparison_busy = is_check = true;
    is_probe = false;
    kind.checking.store(true);
  }
  run_forward(library, arguments, c, index, stream);
}

void compare_backward(const Arguments& arguments, const spool::Configuration& c, int index,
                      std::size_t phase, CUstream stream) {
  if (phase == 1 && claim(Stage::forward, index, c.max_seq_length)) {
    if (comparison.backward_data(arguments, stream)) {
      release(Stage::data);
      return;
    }
  } else if (phase == 2 && claim(Stage::data, index, c.max_seq_length)) {
    if (comparison.backward_weights(arguments, stream) && comparison.finish()) {
      release(Stage::running);
      return;
    }
  } else {
    return;
  }
  comparison.give_up();
  conclude(
      comparison.status() == CUDNN_STATUS_SUCCESS ? VariantState::unseen : VariantState::refused,
      comparison.status());
}

bool poll_comparison() {
  if (!claim(Stage::running)) return false;
  Compared result;
  if (!comparison.poll(result)) {
    release(Stage::running);
    return false;
  }
  if (is_probe) {
    const Locked locked(kinds_mutex());
    take_prediction(result);
    return false;
  }
  std::uint32_t tensor = writer().intern(result.tensor);
  VariantState state = result.same ? VariantState::measured : VariantState::different;
  {
    const Locked locked(kinds_mutex());
    Kind& kind = kind_at(compared_kind);
    auto& one = variant_of(kind, compared_variant);
    if (!is_check || result.error > one.error) {
      one.error = result.error;
      one.limit = result.limit;
      one.tensor = tensor;
    }
    if (is_check) ++kind.record.checks;
    kind.record.tuning_ns += result.device_ns;
    if (comparison.bytes() > kind.record.tuning_bytes)
      kind.record.tuning_bytes = comparison.bytes();
    spend(result.device_ns);
    // Where the program's gradients say nothing, those of the comparison's own are compared, too.
    if (result.same && result.blank) {
      state = kind.own_gradients ? VariantState::unseen : VariantState::candidate;
      kind.own_gradients = true;
    }
    if (!is_check && state == VariantState::measured) kind.choice.admit(compared_variant);
  }
  const bool check = is_check;
  conclude(state, 0);
  return check;
}

void comparing_in_child() {
  stage = Stage::none;
  comparison_busy = is_check = is_probe = false;
  compared_kind = -1;
  comparison.forget();
}

}  // namespace rnnadvisor::plugin
