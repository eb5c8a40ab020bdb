#include "profiler/plugin/acceleration.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <atomic>

#include "core/model/small_h_results.h"
#include "profiler/plugin/call_site.h"
#include "profiler/plugin/choice.h"
#include "profiler/plugin/comparison.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/events.h"
#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

using spool::ChoiceState;
using spool::Kept;
using spool::Pointer;
using spool::VariantState;

constexpr int most_kinds = 256;
constexpr std::uint32_t calls_before_tuning = 2;      // the first ones load kernels
constexpr std::uint32_t calls_without_backward = 16;  // then the comparison is put off
constexpr std::uint32_t most_tries = 8;               // of a comparison that said nothing
constexpr std::uint64_t most_unsuited_calls = 64;
constexpr std::uint64_t calls_after_choice = 256;   // for which backward calls may be late
constexpr std::uint64_t most_measured_calls = 400;  // of a kind whose times do not come

// One kind of calls. Once its choice has fallen, calls of it take no lock: `key` and the algorithms
// of its variants stay as they were made, and what changes is atomic.
struct Kind {
  std::uint64_t key;
  std::atomic<bool> decided;
  std::atomic<std::uint32_t> chosen;  // index into the variants
  std::atomic<std::uint64_t> calls[spool::choice_phases], substituted[spool::choice_phases],
      kept[static_cast<std::size_t>(Kept::count)];
  // A forward call could not have the algorithm that its reserve names; no more reserves name one.
  std::atomic<bool> withdrawn;
  std::atomic<std::uint64_t> decided_at;  // forward calls until then
  // The rest with the lock held.
  spool::Acceleration record;
  Choice choice;
  std::uint32_t tries, waited;
  std::uint64_t next_try;  // forward calls before the next comparison
  std::uint64_t measured_calls;
};
Kind kinds[most_kinds];
std::atomic<int> kind_count{0};

// The comparison that is going on.
enum class Stage { none, forward, data, running };
Comparison comparison;
Stage stage = Stage::none;
int compared_kind = -1;
std::uint32_t compared_variant = 0;
bool comparison_busy = false;  // a thread is in it, without the lock
std::int64_t spent_ns = 0;

// Reserves that name another algorithm than ran: those of calls that did not suit it, until their
// backward pass is over. Of their kind there are no more afterwards, so the few latest are enough.
// A clone of one is not known as such; cuDNN 9.19 computes the right gradients then, too
// (samples/evidence/substitution-facts.jsonl).
struct Misnamed {
  const void* reserve;
  int kind;
};
Misnamed misnamed[64];
std::atomic<std::size_t> misnamed_count{0};  // that there ever were

// In front of all above. Neither CUDA nor cuDNN is called while it is held.
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

bool is_on() { return settings().accelerate != Settings::Accelerate::off; }
bool is_forced() { return settings().accelerate == Settings::Accelerate::forced; }

// The algorithm in the size of a reserve: natural sizes are even.
constexpr std::size_t size_unit = 4096;
std::size_t size_naming(std::size_t natural, std::int32_t algo) {
  return (natural + size_unit - 1) / size_unit * size_unit + 2 * static_cast<std::size_t>(algo) + 1;
}
std::int32_t algo_named_by(std::size_t bytes) {
  const std::size_t rest = bytes % size_unit;
  return rest % 2 == 1 && rest <= 7 ? static_cast<std::int32_t>(rest / 2) : -1;
}

std::int32_t length_class(std::int32_t steps) {
  std::int32_t bits = 0;
  while (bits < 31 && (1 << bits) < steps) ++bits;
  return bits;
}

std::uint64_t key_of(const CudnnLibrary& library, const spool::Configuration& configuration,
                     std::int32_t device) {
  spool::Configuration c = configuration;
  c.id = 0;
  c.algo = 0;
  c.dropout_seed = 0;
  c.max_seq_length = length_class(c.max_seq_length);
  c.lengths = c.lengths > 0 ? 1 : 0;
  const std::uint64_t rest[] = {spool::hash_bytes(&c, sizeof c), library.index,
                                static_cast<std::uint64_t>(device)};
  return spool::hash_bytes(rest, sizeof rest);
}

// The index of a kind, -1: there is none.
int find(std::uint64_t key) {
  const int count = kind_count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i)
    if (kinds[i].key == key) return i;
  return -1;
}

spool::ChoiceVariant& variant_of(Kind& kind, std::uint32_t index) {
  return kind.record.variants[index];
}

// What can never gain, by what is known of cuDNN without asking it.
bool is_candidate(const spool::Configuration& c, std::int32_t algo) {
  if (algo == c.algo) return false;
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
  layer.multiplies_in_half = layer.half ? c.math_type != CUDNN_DEFAULT_MATH
                                        : c.math_type == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
  layer.bidirectional = c.direction == CUDNN_BIDIRECTIONAL;
  layer.backward = c.training != 0;
  layer.hidden_size = c.hidden_size;
  layer.batch_size = c.batch;
  return model::small_h_wrong_results(layer) == model::WrongResults::none;
}

// With the lock held.
void set_decided(Kind& kind, std::uint32_t chosen) {
  kind.record.state = ChoiceState::decided;
  kind.decided_at.store(kind.calls[0].load());
  kind.chosen.store(chosen);
  kind.decided.store(true, std::memory_order_release);
}

// With the lock held. -1: no room.
int make_kind(std::uint64_t key, const spool::Configuration& c, std::int32_t device) {
  const int index_of_kind = kind_count.load();
  if (index_of_kind >= most_kinds) return -1;
  Kind& kind = kinds[index_of_kind];
  memset(static_cast<void*>(&kind), 0, sizeof kind);
  kind.key = key;
  auto& record = kind.record;
  record.id = static_cast<std::uint32_t>(index_of_kind) + 1;
  record.device = device;
  record.steps = c.max_seq_length;
  for (auto& one : record.variants) one.algo = -1;
  record.variants[0].algo = c.algo;
  record.variants[0].state = VariantState::original;
  record.variants[0].error = -1;
  kind.choice.admit(0);
  std::uint32_t index = 1;
  for (const std::int32_t algo : {CUDNN_RNN_ALGO_PERSIST_STATIC,
                                  CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H, CUDNN_RNN_ALGO_STANDARD}) {
    const bool wanted = is_forced() ? algo == settings().forced_algo && algo != c.algo : true;
    if (!wanted || !is_candidate(c, algo)) continue;
    auto& one = record.variants[index++];
    one.algo = algo;
    one.state = VariantState::candidate;
    one.error = -1;
  }
  if (index == 1) set_decided(kind, 0);
  kind_count.store(index_of_kind + 1, std::memory_order_release);
  return index_of_kind;
}

// With the lock held.
spool::Acceleration record_of(Kind& kind) {
  spool::Acceleration out = kind.record;
  out.chosen = kind.chosen.load();
  for (std::size_t i = 0; i < spool::choice_phases; ++i) {
    out.calls[i] = kind.calls[i].load(std::memory_order_relaxed);
    out.substituted[i] = kind.substituted[i].load(std::memory_order_relaxed);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(Kept::count); ++i)
    out.kept[i] = kind.kept[i].load(std::memory_order_relaxed);
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

void write(const spool::Acceleration& record) { writer().add(record, spool::Loss::other); }

bool is_over_budget() {
  const std::int64_t since = now_ns() - writer().header().start_ns;
  constexpr std::int64_t first = 60'000'000'000;
  const std::int64_t later = since > first ? (since - first) / 100 : 0;
  return spent_ns > settings().accelerate_budget_ns + later;
}

// With the lock held.
bool is_misnamed(int kind, const void* reserve) {
  for (const auto& one : misnamed)
    if (one.reserve == reserve && one.kind == kind && reserve != nullptr) return true;
  return false;
}

void forget_misnamed(const void* reserve) {
  for (auto& one : misnamed)
    if (one.reserve == reserve) one.reserve = nullptr;
}

// After a forward call whose reserve names an algorithm. With the lock held.
void name_holds(int kind, const void* reserve, bool holds) {
  forget_misnamed(reserve);
  if (holds) return;
  kinds[kind].withdrawn.store(true);
  misnamed[misnamed_count.fetch_add(1) % (sizeof misnamed / sizeof misnamed[0])] = {reserve, kind};
}

bool has_candidate(const Kind& kind) {
  for (const auto& one : kind.record.variants)
    if (one.state == VariantState::candidate) return true;
  return false;
}

// After a comparison, or in place of it. With the lock held.
void end_comparing(Kind& kind) {
  if (has_candidate(kind) && !is_over_budget()) return;
  bool any = false;
  for (std::uint32_t v = 1; v < spool::most_variants; ++v) {
    auto& one = variant_of(kind, v);
    if (one.state == VariantState::candidate) one.state = VariantState::unseen;
    any = any || one.state == VariantState::measured;
  }
  if (any) {
    kind.record.state = ChoiceState::measuring;
  } else {
    set_decided(kind, 0);
  }
}

// Whether the choice has fallen; then the record is to be written. With the lock held.
bool decide(Kind& kind) {
  if (kind.record.state != ChoiceState::measuring) return false;
  std::uint32_t chosen = 0;
  const bool now = is_over_budget() || kind.measured_calls > most_measured_calls;
  if (!kind.choice.decide(now, chosen)) return false;
  for (std::uint32_t v = 1; v < spool::most_variants; ++v) {
    auto& one = variant_of(kind, v);
    if (one.state == VariantState::measured && v != chosen) one.state = VariantState::slower;
  }
  set_decided(kind, chosen);
  fill_times(kind);
  return true;
}

// A time came, from events_collect().
void take_time(std::uint64_t which, std::uint64_t steps, double ns) {
  const Locked locked(mutex);
  const auto index = static_cast<int>(which & 0xffff);
  const auto variant = static_cast<std::uint32_t>(which >> 16 & 0xff);
  const auto phase = static_cast<std::size_t>(which >> 24 & 0xff);
  if (index >= kind_count.load()) return;
  Kind& kind = kinds[index];
  if (kind.record.state == ChoiceState::decided) return;
  const auto of_a_step = static_cast<float>(ns / static_cast<double>(steps));
  const float excess = kind.choice.excess_ns(variant, phase, of_a_step);
  spent_ns += static_cast<std::int64_t>(excess * static_cast<float>(steps));
  kind.choice.add(variant, phase, of_a_step);
}

std::uint64_t time_tag(int kind, std::uint32_t variant, std::size_t phase) {
  return static_cast<std::uint64_t>(kind) | std::uint64_t{variant} << 16 |
         static_cast<std::uint64_t>(phase) << 24;
}

CUstream stream_of(const CudnnLibrary& library, cudnnHandle_t handle) {
  cudaStream_t stream = nullptr;
  if (handle != nullptr) library.cudnnGetStream(handle, &stream);
  return stream;
}

bool is_capturing(CUstream stream) {
  const Driver* d = driver();
  CUstreamCaptureStatus status{};
  return d == nullptr || d->cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// persist_static ends half programs with a misaligned address below 16 bytes
// (samples/evidence/substitution-facts.jsonl).
bool is_suited(const CudnnLibrary& library, const Arguments& arguments) {
  constexpr std::uintptr_t least = 16;
  for (const void* pointer : arguments.pointers)
    if (reinterpret_cast<std::uintptr_t>(pointer) % least != 0) return false;
  return is_packed(library, arguments.h) && is_packed(library, arguments.c);
}

// What a call takes with an algorithm; asking cuDNN each time costs more than the rest of a call.
bool sizes_of(VariantDescriptor& descriptor, int kind, std::int32_t algo, std::int32_t steps,
              cudnnRNNDataDescriptor_t x, bool training, VariantDescriptor::Sizes& out) {
  struct Known {
    std::uint32_t generation;
    int kind;
    std::int32_t algo, steps;
    VariantDescriptor::Sizes sizes;
  };
  constexpr std::size_t slots = 64;
  static thread_local Known known[slots];
  auto& here = known[(static_cast<std::size_t>(kind) * 4 + static_cast<std::size_t>(algo) +
                      static_cast<std::size_t>(steps) * 17) %
                     slots];
  if (here.generation == generation() && here.kind == kind && here.algo == algo &&
      here.steps == steps) {
    out = here.sizes;
    return true;
  }
  if (!descriptor.sizes(x, training, out)) return false;
  here = {generation(), kind, algo, steps, out};
  return true;
}

// A kind that a forced algorithm was asked for is decided by cuDNN's answer alone.
void force(CudnnLibrary& library, const Arguments& arguments, const spool::Configuration& c,
           int index) {
  auto& one = kinds[index].record.variants[1];
  VariantDescriptor own(library, arguments.handle, arguments.rnn,
                        static_cast<cudnnRNNAlgo_t>(c.algo),
                        VariantDescriptor::Dropout::as_in_the_program);
  VariantDescriptor other(library, arguments.handle, arguments.rnn,
                          static_cast<cudnnRNNAlgo_t>(one.algo),
                          VariantDescriptor::Dropout::as_in_the_program);
  VariantDescriptor::Sizes sizes[2];
  VariantState state = VariantState::measured;
  if (other.get() == nullptr || !other.sizes(arguments.x, c.training != 0, sizes[1])) {
    state = VariantState::refused;
  } else if (own.get() == nullptr || !own.sizes(arguments.x, c.training != 0, sizes[0]) ||
             sizes[0].reserve != sizes[1].reserve ||
             !same_weights(library, arguments.handle, own.get(), other.get(), c)) {
    state = VariantState::layout;
  }
  const Locked locked(mutex);
  one.state = state;
  one.status = other.status();
  set_decided(kinds[index], state == VariantState::measured ? 1 : 0);
}

// The kind of a call, made where it is new. -1: none.
int kind_of(CudnnLibrary& library, const Arguments& arguments, const spool::Configuration& c,
            bool make) {
  const std::int32_t device = current_device();
  const std::uint64_t key = key_of(library, c, device);
  int index = find(key);
  if (index >= 0 || !make) return index;
  {
    const Locked locked(mutex);
    index = find(key);
    if (index >= 0) return index;
    index = make_kind(key, c, device);
  }
  if (index < 0) return -1;
  const std::uint32_t configuration = configuration_of(library, arguments);
  const std::uint32_t site = call_site(configuration);
  {
    const Locked locked(mutex);
    kinds[index].record.configuration = configuration;
    kinds[index].record.call_site = site;
  }
  if (is_forced() && !kinds[index].decided.load()) force(library, arguments, c, index);
  return index;
}

// ---- comparing

// Whether this thread may go on with the comparison: nobody else does until release().
bool claim(int kind, Stage wanted) {
  const Locked locked(mutex);
  if (comparison_busy || stage != wanted || (kind >= 0 && compared_kind != kind)) return false;
  comparison_busy = true;
  return true;
}

void release(Stage next) {
  const Locked locked(mutex);
  stage = next;
  comparison_busy = false;
}

// The candidate is out, or is tried again at a later call.
void conclude(VariantState state, std::int32_t status) {
  const Locked locked(mutex);
  Kind& kind = kinds[compared_kind];
  auto& one = variant_of(kind, compared_variant);
  one.state = state;
  one.status = status;
  kind.waited = 0;
  if (state != VariantState::candidate) kind.tries = 0;
  end_comparing(kind);
  stage = Stage::none;
  comparison_busy = false;
}

// No backward call came, so nothing is known of the gradients: it is compared again after as many
// calls as there were so far.
void put_off() {
  comparison.give_up();
  VariantState state = VariantState::candidate;
  {
    const Locked locked(mutex);
    Kind& kind = kinds[compared_kind];
    kind.next_try = 2 * kind.calls[0].load();
    if (++kind.tries >= most_tries) state = VariantState::unseen;
  }
  conclude(state, 0);
}

void start_comparison(CudnnLibrary& library, const Arguments& arguments,
                      const spool::Configuration& c, int index, CUstream stream) {
  bool give_up = false;
  cudnnRNNAlgo_t algo{};
  {
    const Locked locked(mutex);
    Kind& kind = kinds[index];
    // Only calls that suit come here.
    if (kind.record.state == ChoiceState::waiting && kind.calls[0].load() > calls_before_tuning)
      kind.record.state = ChoiceState::comparing;
    if (kind.record.state != ChoiceState::comparing || comparison_busy ||
        kind.calls[0].load() < kind.next_try)
      return;
    if (stage != Stage::none) {
      // Another kind's waits for a backward call that may never come.
      if (compared_kind == index || stage == Stage::running ||
          ++kinds[compared_kind].waited < 4 * calls_without_backward)
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
    const Locked locked(mutex);
    Kind& kind = kinds[index];
    if (stage != Stage::none || comparison_busy) return;
    end_comparing(kind);
    if (kind.record.state != ChoiceState::comparing) return;
    compared_variant = 0;
    for (std::uint32_t v = 1; v < spool::most_variants && compared_variant == 0; ++v)
      if (variant_of(kind, v).state == VariantState::candidate) compared_variant = v;
    compared_kind = index;
    kind.waited = 0;
    comparison_busy = true;
    algo = static_cast<cudnnRNNAlgo_t>(variant_of(kind, compared_variant).algo);
  }
  const auto started =
      comparison.start(library, arguments, c, algo, stream, settings().accelerate_bytes);
  switch (started) {
    case Comparison::Started::yes:
      if (c.training != 0) {
        release(Stage::forward);
      } else if (comparison.finish()) {
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

void go_on_comparing(const Arguments& arguments, int index, std::size_t phase, CUstream stream) {
  if (phase == 1 && claim(index, Stage::forward)) {
    if (comparison.backward_data(arguments, stream)) {
      release(Stage::data);
      return;
    }
  } else if (phase == 2 && claim(index, Stage::data)) {
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

// Training calls whose backward pass does not come. Where it came for the data alone, the program
// wants no gradients of the weights, and what there is is compared.
void wait_for_backward(int index) {
  bool data = false;
  {
    const Locked locked(mutex);
    if (comparison_busy || compared_kind != index ||
        (stage != Stage::forward && stage != Stage::data) ||
        ++kinds[index].waited < calls_without_backward)
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

void poll_comparison() {
  if (!claim(-1, Stage::running)) return;
  Compared result;
  if (!comparison.poll(result)) {
    release(Stage::running);
    return;
  }
  std::uint32_t tensor = writer().intern(result.tensor);
  VariantState state = result.same ? VariantState::measured : VariantState::different;
  {
    const Locked locked(mutex);
    Kind& kind = kinds[compared_kind];
    auto& one = variant_of(kind, compared_variant);
    one.error = result.error;
    one.limit = result.limit;
    one.tensor = tensor;
    kind.record.tuning_ns += result.device_ns;
    if (comparison.bytes() > kind.record.tuning_bytes)
      kind.record.tuning_bytes = comparison.bytes();
    spent_ns += result.device_ns;
    if (result.same && result.blank)
      state = ++kind.tries < most_tries ? VariantState::candidate : VariantState::unseen;
    if (state == VariantState::measured) kind.choice.admit(compared_variant);
  }
  conclude(state, 0);
}

}  // namespace

void accelerate_sizes(CudnnLibrary& library, const Arguments& arguments, std::size_t* workspace,
                      std::size_t* reserve) {
  if (!is_on() || arguments.handle == nullptr || arguments.x == nullptr || !can_vary(library))
    return;
  spool::Configuration c;
  if (!read_configuration(library, arguments, c) || c.lengths > 0) return;
  const int index = kind_of(library, arguments, c, is_forced());
  if (index < 0) return;
  const bool capturing = is_capturing(stream_of(library, arguments.handle));
  std::int32_t algos[spool::most_variants];
  std::uint32_t count = 0;
  std::int32_t next = -1;  // of the forward call that these sizes may be for
  Kind& kind = kinds[index];
  const std::uint64_t late = kind.decided_at.load() + calls_after_choice;
  const bool fresh = kind.calls[0].load(std::memory_order_relaxed) < late;
  if (kind.decided.load(std::memory_order_acquire) && !fresh) {
    const std::uint32_t chosen = kind.chosen.load();
    if (chosen != 0) algos[count++] = next = variant_of(kind, chosen).algo;
  } else {
    const Locked locked(mutex);
    if (kind.record.state == ChoiceState::measuring) {
      const std::uint32_t v = capturing ? 0 : kind.choice.next();
      if (v != 0) next = variant_of(kind, v).algo;
    } else if (kind.chosen.load() != 0) {
      next = variant_of(kind, kind.chosen.load()).algo;
    }
    // Backward calls may still come to forward calls that ran before the choice.
    for (std::uint32_t v = 1; v < spool::most_variants; ++v) {
      const auto state = variant_of(kind, v).state;
      if (state == VariantState::measured || state == VariantState::slower)
        algos[count++] = variant_of(kind, v).algo;
    }
  }
  if (kind.withdrawn.load()) next = -1;
  std::size_t most = workspace == nullptr ? 0 : *workspace;
  for (std::uint32_t i = 0; i < count; ++i) {
    VariantDescriptor descriptor(library, arguments.handle, arguments.rnn,
                                 static_cast<cudnnRNNAlgo_t>(algos[i]),
                                 VariantDescriptor::Dropout::as_in_the_program);
    VariantDescriptor::Sizes sizes{0, 0};
    const bool fits =
        descriptor.get() != nullptr &&
        sizes_of(descriptor, index, algos[i], c.max_seq_length, arguments.x, arguments.training,
                 sizes) &&
        (workspace == nullptr || sizes.workspace <= *workspace + settings().accelerate_bytes) &&
        (reserve == nullptr || sizes.reserve == *reserve);
    if (fits && sizes.workspace > most) most = sizes.workspace;
    if (!fits && algos[i] == next) next = -1;
  }
  if (workspace != nullptr) *workspace = most;
  if (arguments.training && reserve != nullptr && *reserve > 0 && next >= 0)
    *reserve = size_naming(*reserve, next);
}

AcceleratedCall::AcceleratedCall(CudnnLibrary& library, spool::Entry entry,
                                 const Arguments& arguments)
    : library_(library), arguments_(arguments) {
  if (!is_on() || arguments.handle == nullptr || arguments.rnn == nullptr || arguments.legacy ||
      !can_vary(library))
    return;
  phase_ = entry == spool::Entry::forward ? 0 : entry == spool::Entry::backward_data ? 1 : 2;
  spool::Configuration c;
  if (!read_configuration(library, arguments, c)) return;
  steps_ = c.max_seq_length > 0 ? c.max_seq_length : 1;
  stream_ = stream_of(library, arguments.handle);
  capturing_ = is_capturing(stream_);
  suited_ = is_suited(library, arguments);
  // A backward call of what no forward call was seen of is the program's own.
  kind_ = kind_of(library, arguments, c, phase_ == 0);
  if (kind_ >= 0) {
    Kind& kind = kinds[kind_];
    kind.calls[phase_].fetch_add(1, std::memory_order_relaxed);
    trial_ = !kind.decided.load();
    if (trial_) {
      const Locked locked(mutex);
      kind.choice.called(phase_);
    }
  }
  if (c.lengths > 0) {
    keep(Kept::unequal_lengths);
  } else if (phase_ == 0) {
    choose_forward(c);
  } else {
    choose_backward();
  }
}

void AcceleratedCall::keep(Kept why) {
  if (kind_ < 0) return;
  kinds[kind_].kept[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
}

void AcceleratedCall::keep_undecided() {
  keep(!suited_ ? Kept::alignment : capturing_ ? Kept::captured : Kept::tuning);
  if (kind_ < 0 || suited_) return;
  Kind& kind = kinds[kind_];
  const auto unsuited = kind.kept[static_cast<std::size_t>(Kept::alignment)].load();
  if (unsuited < most_unsuited_calls || unsuited < kind.calls[0].load()) return;
  // No call of this kind could ever be compared.
  const Locked locked(mutex);
  if (kind.record.state == ChoiceState::waiting) set_decided(kind, 0);
}

// Sets up the call with `algo`; false where it must run with the program's own.
bool AcceleratedCall::substitute(std::int32_t algo) {
  if (!suited_) {
    keep(Kept::alignment);
    return false;
  }
  ours_.emplace(library_, arguments_.handle, arguments_.rnn, static_cast<cudnnRNNAlgo_t>(algo),
                VariantDescriptor::Dropout::as_in_the_program);
  VariantDescriptor::Sizes sizes;
  const bool runs =
      ours_->get() != nullptr &&
      (kind_ < 0 ? ours_->sizes(arguments_.x, arguments_.training, sizes)
                 : sizes_of(*ours_, kind_, algo, steps_, arguments_.x, arguments_.training, sizes));
  if (runs && sizes.workspace <= arguments_.workspace_bytes &&
      sizes.reserve <= arguments_.reserve_bytes)
    return true;
  keep(runs ? Kept::small_workspace : Kept::refused);
  ours_.reset();
  return false;
}

// The variant that has an algorithm; 0: none of ours. Needs no lock.
static std::uint32_t variant_with(Kind& kind, std::int32_t algo) {
  for (std::uint32_t v = 1; v < spool::most_variants && algo >= 0; ++v)
    if (variant_of(kind, v).algo == algo) return v;
  return 0;
}

void AcceleratedCall::choose_forward(const spool::Configuration& c) {
  if (kind_ < 0) return;
  Kind& kind = kinds[kind_];
  const bool training = c.training != 0;
  const bool decided = kind.decided.load(std::memory_order_acquire);
  const std::int32_t named = training ? algo_named_by(arguments_.reserve_bytes) : -1;
  std::uint32_t variant = variant_with(kind, named);
  if (decided) {
    if (!training) variant = kind.chosen.load();
  } else {
    const Locked locked(mutex);
    const bool measuring = kind.record.state == ChoiceState::measuring && !capturing_;
    if (!training && measuring) variant = kind.choice.next();
    if (measuring) ++kind.measured_calls;
    measured_ = measuring && suited_;
  }
  if (variant != 0) {
    if (substitute(variant_of(kind, variant).algo)) variant_ = variant;
  } else if (!decided) {
    keep_undecided();
  } else if (training && kind.chosen.load() != 0) {
    keep(Kept::unknown_reserve);
  }
  if (named >= 0 && (!ours_ || misnamed_count.load() > 0)) {
    const Locked locked(mutex);
    name_holds(kind_, arguments_.at(Pointer::reserve), ours_.has_value());
  }
  if (measured_) {
    const Locked locked(mutex);
    kind.choice.started(variant_);
  }
}

void AcceleratedCall::choose_backward() {
  std::int32_t algo = algo_named_by(arguments_.reserve_bytes);
  if (algo >= 0 && misnamed_count.load() > 0) {
    const Locked locked(mutex);
    const void* reserve = arguments_.at(Pointer::reserve);
    if (is_misnamed(kind_, reserve)) algo = -1;
    if (phase_ == 2 && algo < 0) forget_misnamed(reserve);
  }
  bool decided = true, late = false;
  if (kind_ >= 0) {
    Kind& kind = kinds[kind_];
    decided = kind.decided.load(std::memory_order_acquire);
    // The first backward calls after the choice belong to forward calls before it.
    late = decided && kind.chosen.load() != 0 &&
           kind.calls[0].load(std::memory_order_relaxed) > kind.decided_at.load() + 1;
    variant_ = variant_with(kind, algo);
    if (!decided) {
      const Locked locked(mutex);
      measured_ = kind.record.state == ChoiceState::measuring && !capturing_ && suited_;
    }
  }
  if (algo >= 0) {
    if (!substitute(algo)) variant_ = 0;
  } else if (!decided) {
    keep_undecided();
  } else if (late) {
    keep(Kept::unknown_reserve);
  }
  // Times of a call whose algorithm is not one of the kind's tell nothing.
  if (ours_ && variant_ == 0) measured_ = false;
}

cudnnRNNDescriptor_t AcceleratedCall::descriptor() const {
  return ours_ ? ours_->get() : arguments_.rnn;
}

void AcceleratedCall::begin() {
  if (measured_) timing_ = events_begin(stream_);
}

bool AcceleratedCall::again(cudnnStatus_t status) {
  if (!ours_ || status == CUDNN_STATUS_SUCCESS) return false;
  // What began to run may have added to the gradients.
  const bool did_nothing = status / 1000 == 2 || status / 1000 == 3 || phase_ != 2;
  keep(Kept::refused);
  if (kind_ >= 0 && variant_ != 0) {
    const Locked locked(mutex);
    Kind& kind = kinds[kind_];
    auto& one = variant_of(kind, variant_);
    one.state = VariantState::refused;
    one.status = status;
    kind.choice.drop(variant_);
    if (kind.chosen.load() == variant_) kind.chosen.store(0);
  }
  if (phase_ == 0 && kind_ >= 0 && algo_named_by(arguments_.reserve_bytes) >= 0) {
    const Locked locked(mutex);
    name_holds(kind_, arguments_.at(Pointer::reserve), false);
  }
  events_end(timing_, 0);
  timing_ = -1;
  measured_ = false;
  ours_.reset();
  variant_ = 0;
  return did_nothing;
}

void AcceleratedCall::end(cudnnStatus_t status) {
  if (timing_ >= 0) {
    if (status == CUDNN_STATUS_SUCCESS) {
      events_end(timing_, &take_time, time_tag(kind_, variant_, phase_),
                 static_cast<std::uint64_t>(steps_));
    } else {
      events_end(timing_, 0);
    }
  }
  if (kind_ < 0) return;
  Kind& kind = kinds[kind_];
  // Calls before the choice count as such, whatever they ran.
  if (ours_ && !trial_) kind.substituted[phase_].fetch_add(1, std::memory_order_relaxed);
  if (ours_ && trial_) keep(Kept::tuning);
  const bool settled = kind.decided.load();
  // So that little is lost where the process is killed.
  const std::uint64_t calls = kind.calls[0].load(std::memory_order_relaxed);
  bool write_now = phase_ == 0 && calls >= 64 && (calls & (calls - 1)) == 0;
  if (!settled) {
    if (status == CUDNN_STATUS_SUCCESS && !capturing_ && suited_ && !ours_) {
      if (phase_ == 0) {
        wait_for_backward(kind_);
        spool::Configuration c;
        if (read_configuration(library_, arguments_, c) && c.lengths == 0)
          start_comparison(library_, arguments_, c, kind_, stream_);
      } else {
        go_on_comparing(arguments_, kind_, phase_, stream_);
      }
    }
    poll_comparison();
    events_collect(false);
    const Locked locked(mutex);
    if (decide(kind) || kind.decided.load()) write_now = true;
  }
  if (!write_now) return;
  spool::Acceleration record;
  {
    const Locked locked(mutex);
    record = record_of(kind);
  }
  write(record);
}

void acceleration_finish() {
  if (!is_on()) return;
  poll_comparison();
  const int count = kind_count.load();
  for (int i = 0; i < count; ++i) {
    spool::Acceleration record;
    {
      const Locked locked(mutex);
      fill_times(kinds[i]);
      for (auto& one : kinds[i].record.variants)
        if (one.state == VariantState::candidate) one.state = VariantState::unseen;
      record = record_of(kinds[i]);
    }
    write(record);
  }
}

void acceleration_in_child() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof fresh);
  kind_count.store(0);
  stage = Stage::none;
  comparison_busy = false;
  compared_kind = -1;
  memset(static_cast<void*>(misnamed), 0, sizeof misnamed);
  misnamed_count.store(0);
  spent_ns = 0;
  comparison.forget();
}

}  // namespace rnnadvisor::plugin
