#include "profiler/plugin/call_kinds.h"

#include <stdio.h>
#include <string.h>

#include <optional>

#include "core/model/small_h_results.h"
#include "profiler/plugin/call_site.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/equal_runs.h"
#include "profiler/plugin/plan.h"
#include "profiler/plugin/shared_choices.h"

namespace rnnadvisor::plugin {

using spool::ChoiceState;
using spool::Kept;
using spool::VariantState;

bool acceleration_is_on() { return settings().accelerate != Settings::Accelerate::off; }
bool is_forced() { return settings().accelerate == Settings::Accelerate::forced; }

namespace {

constexpr int most_kinds = 256;
Kind kinds[most_kinds];
std::atomic<int> kind_count{0};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

constexpr std::uint64_t calls_before_check = 512;
// Batches that change all the time would be measured all the time: from so many sizes on a new one
// takes the choice of one that differs by at most a quarter.
constexpr int most_measured_batches = 8;
constexpr std::int64_t nearest_batch = 4;
// Of a rank that follows another: between two looks, and before it measures itself.
constexpr std::uint64_t calls_between_looks = 16, most_followed_calls = 1024;
constexpr std::uint64_t most_measured_calls = 1000;  // of a kind whose times do not come

std::int64_t spent_ns = 0;
std::atomic<bool> said_why_not{false};

struct Misnamed {
  const void* reserve;
  int kind;
};
Misnamed misnamed[64];
std::atomic<std::size_t> misnamed_count{0};  // that there ever were

std::atomic<bool> replaced_any{false};
constexpr std::uint64_t calls_before_quiet = 1024;
std::atomic<std::uint64_t> calls_without_news{0};

bool is_over_budget() { return budget_left() < 0; }

bool has_candidate(const Kind& kind) {
  for (const auto& one : kind.record.variants)
    if (one.state == VariantState::candidate) return true;
  return false;
}

}  // namespace

Kind& kind_at(int index) { return kinds[index]; }
int number_of_kinds() { return kind_count.load(std::memory_order_acquire); }
pthread_mutex_t& kinds_mutex() { return mutex; }

void set_decided(Kind& kind, std::uint32_t chosen) {
  kind.record.state = ChoiceState::decided;
  kind.decided_at.store(kind.calls[0].load());
  kind.chosen.store(chosen);
  if (chosen != 0) replaced_any.store(true);
  kind.next_check.store(kind.decided_at.load() + calls_before_check);
  kind.decided.store(true, std::memory_order_release);
}

bool is_quiet() {
  return calls_without_news.load(std::memory_order_relaxed) >= calls_before_quiet &&
         !any_replaced() && settings().try_steps == 0 && !is_forced();
}
void looked_at(bool open) {
  if (open) {
    calls_without_news.store(0, std::memory_order_relaxed);
  } else {
    calls_without_news.fetch_add(1, std::memory_order_relaxed);
  }
}

bool any_replaced() { return replaced_any.load(std::memory_order_relaxed); }

void withdraw(Kind& kind, VariantState why) {
  const std::uint32_t chosen = kind.chosen.load();
  if (chosen == 0) return;
  variant_of(kind, chosen).state = why;
  // Backward calls may still come to forward calls before this one.
  kind.decided_at.store(kind.calls[0].load());
  kind.chosen.store(0);
}

void withdraw_all() {
  const Locked locked(mutex);
  for (int i = 0; i < number_of_kinds(); ++i) withdraw(kind_at(i), VariantState::slower);
}

spool::Acceleration record_of(Kind& kind) {
  spool::Acceleration out = kind.record;
  out.chosen = kind.chosen.load();
  for (std::size_t i = 0; i < spool::choice_phases; ++i) {
    out.calls[i] = kind.calls[i].load(std::memory_order_relaxed);
    out.substituted[i] = kind.substituted[i].load(std::memory_order_relaxed);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(Kept::count); ++i)
    out.kept[i] = kind.kept[i].load(std::memory_order_relaxed);
  // The comparison of the change with the program's own layer makes a few calls, too.
  out.with_change = 2 * kind.with_change.load(std::memory_order_relaxed) > out.calls[0] ? 1 : 0;
  return out;
}

void fill_times(Kind& kind) {
  for (std::uint32_t v = 0; v < spool::most_variants; ++v) {
    auto& one = variant_of(kind, v);
    for (std::size_t phase = 0; phase < spool::choice_phases; ++phase) {
      const Samples& samples = kind.choice.samples(v, phase);
      const auto interval = samples.interval();
      const auto steps = static_cast<float>(kind.record.steps);
      one.samples[phase] = samples.count();
      one.low_ns[phase] = static_cast<std::int64_t>(interval.low * steps);
      one.median_ns[phase] = static_cast<std::int64_t>(interval.median * steps);
      one.high_ns[phase] = static_cast<std::int64_t>(interval.high * steps);
    }
  }
}

namespace {

std::int32_t length_class(std::int32_t steps) {
  std::int32_t bits = 0;
  while (bits < 31 && (1 << bits) < steps) ++bits;
  return bits;
}

// The same in every process and on every device.
std::uint64_t key_of(const spool::Configuration& configuration) {
  spool::Configuration c = configuration;
  c.header = {};
  c.id = 0;
  c.algo = 0;
  c.dropout_seed = 0;
  c.max_seq_length = length_class(c.max_seq_length);
  c.lengths = c.lengths > 0 ? 1 : 0;
  return spool::hash_bytes(&c, sizeof c);
}

// One kind for each library and device.
std::uint64_t key_here(const CudnnLibrary& library, const spool::Configuration& c,
                       std::int32_t device) {
  const std::uint64_t parts[] = {key_of(c), library.index, static_cast<std::uint64_t>(device)};
  return spool::hash_bytes(parts, sizeof parts);
}

// The index of a kind, -1: there is none.
int find(std::uint64_t key) {
  const int count = kind_count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i)
    if (kind_at(i).key == key) return i;
  return -1;
}

// What can never gain, by what is known of cuDNN without asking it.
bool is_candidate(const spool::Configuration& c, Variant variant) {
  const std::int32_t algo = variant.algo;
  if (algo == c.algo && !variant.converts) return false;
  // FMA_MATH is the program's refusal of any rounding to fewer digits.
  if (variant.converts && (c.data_type != CUDNN_DATA_FLOAT || c.math_type != CUDNN_DEFAULT_MATH))
    return false;
  const bool right_types = (c.data_type == CUDNN_DATA_HALF || c.data_type == CUDNN_DATA_FLOAT) &&
                           c.math_precision == CUDNN_DATA_FLOAT && c.x_data_type == c.data_type;
  const bool plain = c.input_mode == CUDNN_LINEAR_INPUT && c.bias == CUDNN_RNN_DOUBLE_BIAS &&
                     (c.projection_size == 0 || c.projection_size == c.hidden_size);
  if (!right_types || !plain || c.lengths > 0) return false;
  if (algo == CUDNN_RNN_ALGO_PERSIST_DYNAMIC) return false;  // its plan would be built in each call
  if (algo != CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H) return true;
  model::SmallHLayer layer;
  layer.gated = c.cell == CUDNN_LSTM || c.cell == CUDNN_GRU;
  layer.gru = c.cell == CUDNN_GRU;
  layer.half = c.data_type == CUDNN_DATA_HALF;
  const bool converts = variant.converts || c.math_type == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
  layer.multiplies_in_half = converts || (layer.half && c.math_type == CUDNN_TENSOR_OP_MATH);
  layer.bidirectional = c.direction == CUDNN_BIDIRECTIONAL;
  layer.backward = c.training != 0;
  layer.hidden_size = c.hidden_size;
  layer.batch_size = c.batch;
  return model::small_h_wrong_results(layer) == model::WrongResults::none;
}

// With the lock held. -1: no room.
int make_kind(const CudnnLibrary& library, std::uint64_t key, const spool::Configuration& c,
              std::int32_t device) {
  const int index_of_kind = kind_count.load();
  if (index_of_kind >= most_kinds) return -1;
  Kind& kind = kind_at(index_of_kind);
  memset(static_cast<void*>(&kind), 0, sizeof kind);
  kind.key = key;
  auto& record = kind.record;
  record.id = static_cast<std::uint32_t>(index_of_kind) + 1;
  record.key = key_of(c);
  spool::Configuration any_batch = c;
  any_batch.batch = 0;
  kind.family = key_here(library, any_batch, device);
  kind.batch = c.batch;
  record.device = device;
  record.steps = c.max_seq_length;
  for (auto& one : record.variants) one.algo = -1;
  record.variants[0].algo = c.algo;
  record.variants[0].state = VariantState::original;
  record.variants[0].error = -1;
  kind.choice.admit(0);
  std::uint32_t index = 1;
  for (const Variant variant : {Variant{CUDNN_RNN_ALGO_PERSIST_STATIC, true},
                                {CUDNN_RNN_ALGO_PERSIST_STATIC, false},
                                {CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H, false},
                                {CUDNN_RNN_ALGO_STANDARD, true},
                                {CUDNN_RNN_ALGO_STANDARD, false},
                                {CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H, true}}) {
    const bool wanted = is_forced() ? variant.algo == settings().forced_algo &&
                                          variant.converts == settings().forced_converts
                                    : settings().accelerate_numerics || !variant.converts;
    if (settings().accelerate == Settings::Accelerate::steps || !wanted ||
        index == spool::most_variants || !is_candidate(c, variant))
      continue;
    auto& one = record.variants[index++];
    one.algo = variant.algo;
    one.converts = variant.converts ? 1 : 0;
    one.state = VariantState::candidate;
    one.error = -1;
  }
  if (index == 1) set_decided(kind, 0);
  kind_count.store(index_of_kind + 1, std::memory_order_release);
  return index_of_kind;
}

// A choice that was made elsewhere, by whom forces an algorithm or by a plan: cuDNN's answer and
// the layout of the weights alone can refuse it.
void decide_unmeasured(CudnnLibrary& library, const Arguments& arguments,
                       const spool::Configuration& c, int index, std::uint32_t variant) {
  auto& one = variant_of(kind_at(index), variant);
  VariantDescriptor own(library, arguments.handle, arguments.rnn, {c.algo, false},
                        VariantDescriptor::Dropout::as_in_the_program);
  VariantDescriptor other(library, arguments.handle, arguments.rnn, with(one),
                          VariantDescriptor::Dropout::as_in_the_program);
  VariantDescriptor::Sizes sizes[2];
  VariantState state = VariantState::measured;
  if (other.get() == nullptr || !other.sizes(arguments.x, c.training != 0, sizes[1])) {
    state = VariantState::refused;
  } else if (own.get() == nullptr || !own.sizes(arguments.x, c.training != 0, sizes[0]) ||
             (sizes[0].reserve != sizes[1].reserve && one.converts == 0) ||
             !same_weights(library, arguments.handle, own.get(), other.get(), c)) {
    state = VariantState::layout;
  }
  const Locked locked(kinds_mutex());
  one.state = state;
  one.status = other.status();
  set_decided(kind_at(index), state == VariantState::measured ? variant : 0);
}

// The largest power of two in a batch, up to 8: on an H200 persist_static in half is fast where it
// is 8, and slower than standard elsewhere (tests/gpu/accelerate/results/batches.txt).
std::int32_t multiple_of(std::int32_t batch) { return batch % 8 == 0 ? 8 : batch & -batch; }

// With the lock held: a new kind takes what was measured for about the same batch, where many
// batches were measured already.
void adopt(int index) {
  Kind& kind = kind_at(index);
  int measured = 0;
  std::int64_t nearest = 0;
  const Kind* like = nullptr;
  for (int i = 0; i < index; ++i) {
    const Kind& other = kind_at(i);
    if (other.family != kind.family || !other.decided.load() ||
        other.record.origin != spool::ChoiceOrigin::measured)
      continue;
    ++measured;
    if (multiple_of(other.batch) != multiple_of(kind.batch)) continue;
    const std::int64_t apart =
        other.batch > kind.batch ? other.batch - kind.batch : kind.batch - other.batch;
    if (apart * nearest_batch > kind.batch || (like != nullptr && apart >= nearest)) continue;
    nearest = apart;
    like = &other;
  }
  if (measured < most_measured_batches || like == nullptr) return;
  kind.record.origin = spool::ChoiceOrigin::neighbour;
  kind.follows.store(false);
  const std::uint32_t chosen = like->chosen.load();
  const int code = chosen == 0 ? -1 : with(like->record.variants[chosen]).code();
  for (std::uint32_t v = 1; v < spool::most_variants; ++v) {
    auto& one = variant_of(kind, v);
    if (one.state != VariantState::candidate) continue;
    if (code >= 0 && with(one).code() == code) {
      kind.adopted = v;
    } else {
      one.state = VariantState::unseen;
    }
  }
  if (kind.adopted == 0) set_decided(kind, 0);
}

// Whether choices by timing are allowed. What forbids them may be set at any time before a layer's
// first call.
bool may_measure() {
  if (settings().plan_only) return false;
  if (settings().accelerate != Settings::Accelerate::measured) return true;
  const char* const asking = asks_for_equal_runs();
  if (asking == nullptr) return true;
  if (settings().plan[0] == 0 && !said_why_not.exchange(true)) {
    char text[256];
    snprintf(text, sizeof text,
             "%s asks for results that are equal in every run, and a choice by timing can differ",
             asking);
    note(spool::acceleration_off, text);
  }
  return false;
}

// With the lock held: the variant that the plan has for a new kind, 0: the program's own; empty: it
// is to be measured.
std::optional<std::uint32_t> planned_variant(const std::optional<Variant>& plan, int index,
                                             bool measured) {
  Kind& kind = kind_at(index);
  if (plan) {
    kind.record.origin = spool::ChoiceOrigin::planned;
    for (std::uint32_t v = 1; v < spool::most_variants; ++v)
      if (with(variant_of(kind, v)).code() == plan->code()) return v;
    return 0;
  }
  if (measured) return std::nullopt;
  kind.record.origin = spool::ChoiceOrigin::unplanned;
  return 0;
}

}  // namespace

int kind_of(CudnnLibrary& library, const Arguments& arguments, const spool::Configuration& c,
            bool make) {
  const std::int32_t device = current_device();
  const std::uint64_t key = key_here(library, c, device);
  int index = find(key);
  if (index >= 0 || !make) return index;
  const auto plan = planned(library, device, key_of(c));
  const bool measured = may_measure();
  std::optional<std::uint32_t> chosen;
  {
    const Locked locked(kinds_mutex());
    index = find(key);
    if (index >= 0) return index;
    index = make_kind(library, key, c, device);
    if (index >= 0 && !kind_at(index).decided.load()) {
      if (is_forced()) kind_at(index).record.origin = spool::ChoiceOrigin::forced;
      chosen = is_forced() ? 1 : planned_variant(plan, index, measured);
      if (chosen == 0U) set_decided(kind_at(index), 0);
      kind_at(index).follows.store(!chosen && follows_a_rank());
      if (!chosen) adopt(index);
    }
  }
  if (index < 0) return -1;
  const std::uint32_t configuration = configuration_of(library, arguments);
  const std::uint32_t site = call_site(configuration);
  {
    const Locked locked(kinds_mutex());
    kind_at(index).record.configuration = configuration;
    kind_at(index).record.call_site = site;
  }
  if (chosen.value_or(0) != 0) decide_unmeasured(library, arguments, c, index, *chosen);
  return index;
}

void follow(CudnnLibrary& library, const Arguments& arguments, const spool::Configuration& c,
            int index) {
  Kind& kind = kind_at(index);
  const std::uint64_t calls = kind.calls[0].load(std::memory_order_relaxed);
  if (calls % calls_between_looks != 1) return;
  std::uint32_t variant = 0;
  {
    const Locked locked(mutex);
    if (!kind.follows.load() || kind.decided.load()) return;
    const auto code = shared_choice(library, kind.record.device, kind.record.key);
    if (!code) {
      if (calls >= most_followed_calls) kind.follows.store(false);
      return;
    }
    kind.follows.store(false);
    kind.record.origin = spool::ChoiceOrigin::shared;
    for (std::uint32_t v = 1; v < spool::most_variants && *code >= 0; ++v)
      if (with(variant_of(kind, v)).code() == *code) variant = v;
    if (variant == 0) set_decided(kind, 0);
  }
  if (variant != 0) decide_unmeasured(library, arguments, c, index, variant);
}

std::int64_t budget_left() {
  const std::int64_t since = now_ns() - writer().header().start_ns;
  constexpr std::int64_t first = 60'000'000'000;
  const std::int64_t later = since > first ? (since - first) / 100 : 0;
  return settings().accelerate_budget_ns + later - spent_ns;
}

void spend(std::int64_t ns) { spent_ns += ns; }

bool any_misnamed() { return misnamed_count.load() > 0; }

bool is_misnamed(int kind, const void* reserve) {
  for (const auto& one : misnamed)
    if (one.reserve == reserve && one.kind == kind && reserve != nullptr) return true;
  return false;
}

void forget_misnamed(const void* reserve) {
  for (auto& one : misnamed)
    if (one.reserve == reserve) one.reserve = nullptr;
}

void name_holds(int kind, const void* reserve, bool holds) {
  forget_misnamed(reserve);
  if (holds) return;
  kind_at(kind).withdrawn.store(true);
  misnamed[misnamed_count.fetch_add(1) % (sizeof misnamed / sizeof misnamed[0])] = {reserve, kind};
}

void end_comparing(Kind& kind) {
  if (has_candidate(kind) && !is_over_budget()) return;
  if (has_candidate(kind)) kind.record.origin = spool::ChoiceOrigin::limited;
  bool any = false;
  for (std::uint32_t v = 1; v < spool::most_variants; ++v) {
    auto& one = variant_of(kind, v);
    if (one.state == VariantState::memory || one.state == VariantState::costly)
      kind.record.origin = spool::ChoiceOrigin::limited;
    if (one.state == VariantState::candidate) one.state = VariantState::unseen;
    any = any || one.state == VariantState::measured;
  }
  if (kind.adopted != 0) {
    set_decided(kind,
                variant_of(kind, kind.adopted).state == VariantState::measured ? kind.adopted : 0);
  } else if (any) {
    kind.record.state = ChoiceState::measuring;
  } else {
    set_decided(kind, 0);
  }
}

bool decide(Kind& kind) {
  if (kind.record.state != ChoiceState::measuring) return false;
  std::uint32_t chosen = 0;
  const bool now = is_over_budget() || kind.measured_calls > most_measured_calls;
  if (!kind.choice.decide(false, chosen)) {
    if (!now) return false;
    kind.record.origin = spool::ChoiceOrigin::limited;
    kind.choice.decide(true, chosen);
  }
  for (std::uint32_t v = 1; v < spool::most_variants; ++v) {
    auto& one = variant_of(kind, v);
    if (one.state == VariantState::measured && v != chosen) one.state = VariantState::slower;
  }
  set_decided(kind, chosen);
  fill_times(kind);
  return true;
}

void kinds_in_child() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof fresh);
  kind_count.store(0);
  memset(static_cast<void*>(misnamed), 0, sizeof misnamed);
  misnamed_count.store(0);
  replaced_any.store(false);
  calls_without_news.store(0);
  spent_ns = 0;
  said_why_not.store(false);
  plan_in_child();
}

}  // namespace rnnadvisor::plugin
