#include "profiler/plugin/acceleration.h"

#include <bit>

#include "profiler/plugin/call_kinds.h"
#include "profiler/plugin/comparing.h"
#include "profiler/plugin/device_memory.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/events.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/shared_choices.h"
#include "profiler/plugin/steps.h"

namespace rnnadvisor::plugin {
namespace {

using spool::ChoiceState;
using spool::Kept;
using spool::Pointer;
using spool::VariantState;

constexpr std::uint64_t most_unsuited_calls = 64;
constexpr std::uint64_t calls_after_choice = 256;  // for which backward calls may be late

// The code of a variant in the size of a reserve: natural sizes are even.
constexpr std::size_t size_unit = 4096;
std::size_t size_naming(std::size_t natural, int code) {
  return (natural + size_unit - 1) / size_unit * size_unit + 2 * static_cast<std::size_t>(code) + 1;
}
int code_named_by(std::size_t bytes) {
  const std::size_t rest = bytes % size_unit;
  return rest % 2 == 1 && rest / 2 < std::size_t{variant_codes} ? static_cast<int>(rest / 2) : -1;
}

void write(const spool::Acceleration& record) { writer().add(record, spool::Loss::other); }

// A time came, from events_collect().
void take_time(std::uint64_t which, std::uint64_t steps, double ns) {
  const Locked locked(kinds_mutex());
  const auto index = static_cast<int>(which & 0xffff);
  const auto variant = static_cast<std::uint32_t>(which >> 16 & 0xff);
  const auto phase = static_cast<std::size_t>(which >> 24 & 0xff);
  if (index >= number_of_kinds()) return;
  Kind& kind = kind_at(index);
  if (kind.record.state == ChoiceState::decided) return;
  const auto of_a_step = static_cast<float>(ns / static_cast<double>(steps));
  const float excess = kind.choice.excess_ns(variant, phase, of_a_step);
  spend(static_cast<std::int64_t>(excess * static_cast<float>(steps)));
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
bool sizes_of(VariantDescriptor& descriptor, int kind, int code, std::int32_t steps,
              cudnnRNNDataDescriptor_t x, bool training, VariantDescriptor::Sizes& out) {
  struct Known {
    std::uint32_t generation;
    int kind;
    int code;
    std::int32_t steps;
    VariantDescriptor::Sizes sizes;
  };
  constexpr std::size_t slots = 64;
  static thread_local Known known[slots];
  auto& here = known[(static_cast<std::size_t>(kind) * 4 + static_cast<std::size_t>(code) +
                      static_cast<std::size_t>(steps) * 17) %
                     slots];
  if (here.generation == generation() && here.kind == kind && here.code == code &&
      here.steps == steps) {
    out = here.sizes;
    return true;
  }
  if (!descriptor.sizes(x, training, out)) return false;
  here = {generation(), kind, code, steps, out};
  return true;
}

}  // namespace

// Of calls that may pass unseen, whether this one does. The pair of a call and its question for
// sizes need not agree: where nothing is replaced, both leave everything as it is.
static bool passes_unseen(std::size_t phase) {
  static thread_local std::uint64_t count[spool::choice_phases];
  return is_quiet() && ++count[phase] % quiet_share != 0;
}

void accelerate_sizes(CudnnLibrary& library, const Arguments& arguments, std::size_t* workspace,
                      std::size_t* reserve) {
  if (!acceleration_is_on() || arguments.handle == nullptr || arguments.x == nullptr ||
      is_quiet() || !can_vary(library))
    return;
  spool::Configuration c;
  if (!read_configuration(library, arguments, c) || c.lengths > 0) return;
  // A choice that is known before the first call holds for that call, too.
  const bool known = is_forced() || settings().plan[0] != 0;
  const int index = kind_of(library, arguments, c, known);
  if (index < 0) return;
  const bool capturing = is_capturing(stream_of(library, arguments.handle));
  int codes[spool::most_variants];
  std::uint32_t count = 0;
  int next = -1;  // of the forward call that these sizes may be for
  const auto code_at = [](Kind& kind, std::uint32_t v) { return with(variant_of(kind, v)).code(); };
  Kind& kind = kind_at(index);
  const std::uint64_t late = kind.decided_at.load() + calls_after_choice;
  const bool fresh = kind.calls[0].load(std::memory_order_relaxed) < late;
  if (kind.decided.load(std::memory_order_acquire) && !fresh) {
    const std::uint32_t chosen = kind.chosen.load();
    if (chosen != 0) codes[count++] = next = code_at(kind, chosen);
  } else {
    const Locked locked(kinds_mutex());
    if (kind.record.state == ChoiceState::measuring) {
      const std::uint32_t v = capturing ? 0 : kind.choice.next();
      if (v != 0) next = code_at(kind, v);
    } else if (kind.chosen.load() != 0) {
      next = code_at(kind, kind.chosen.load());
    }
    // Backward calls may still come to forward calls that ran before the choice.
    for (std::uint32_t v = 1; v < spool::most_variants; ++v) {
      const auto state = variant_of(kind, v).state;
      if (state == VariantState::measured || state == VariantState::slower ||
          state == VariantState::drifted)
        codes[count++] = code_at(kind, v);
    }
  }
  if (kind.withdrawn.load() || steps_want_own()) next = -1;
  std::size_t most = workspace == nullptr ? 0 : *workspace;
  std::size_t next_reserve = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    VariantDescriptor descriptor(library, arguments.handle, arguments.rnn,
                                 variant_of_code(codes[i]),
                                 VariantDescriptor::Dropout::as_in_the_program);
    VariantDescriptor::Sizes sizes{0, 0};
    const bool fits = descriptor.get() != nullptr &&
                      sizes_of(descriptor, index, codes[i], c.max_seq_length, arguments.x,
                               arguments.training, sizes) &&
                      (workspace == nullptr || may_take(sizes.workspace, *workspace)) &&
                      (reserve == nullptr || sizes.reserve == *reserve ||
                       (variant_of_code(codes[i]).converts && may_take(sizes.reserve, *reserve)));
    if (fits && sizes.workspace > most) most = sizes.workspace;
    if (codes[i] != next) continue;
    next_reserve = sizes.reserve;
    if (!fits) next = -1;
  }
  if (workspace != nullptr) *workspace = most;
  if (arguments.training && reserve != nullptr && *reserve > 0 && next >= 0)
    *reserve = size_naming(*reserve > next_reserve ? *reserve : next_reserve, next);
}

AcceleratedCall::AcceleratedCall(CudnnLibrary& library, spool::Entry entry,
                                 const Arguments& arguments)
    : library_(library), arguments_(arguments) {
  if (!acceleration_is_on() || arguments.handle == nullptr || arguments.rnn == nullptr ||
      arguments.legacy || !can_vary(library))
    return;
  phase_ = entry == spool::Entry::forward ? 0 : entry == spool::Entry::backward_data ? 1 : 2;
  // A reserve that names an algorithm is never passed over.
  if (code_named_by(arguments.reserve_bytes) < 0 && passes_unseen(phase_)) return;
  stands_for_ = is_quiet() ? quiet_share : 1;
  spool::Configuration c;
  if (!read_configuration(library, arguments, c)) return;
  steps_ = c.max_seq_length > 0 ? c.max_seq_length : 1;
  stream_ = stream_of(library, arguments.handle);
  capturing_ = is_capturing(stream_);
  suited_ = is_suited(library, arguments);
  // A backward call of what no forward call was seen of is the program's own.
  kind_ = kind_of(library, arguments, c, phase_ == 0);
  if (kind_ >= 0 && phase_ == 0 && c.lengths == 0 && kind_at(kind_).follows.load())
    follow(library, arguments, c, kind_);
  see_step(c.training != 0);
  if (phase_ == 0) looked_at(kind_ < 0 || !kind_at(kind_).decided.load());
  if (kind_ >= 0) {
    Kind& kind = kind_at(kind_);
    kind.calls[phase_].fetch_add(stands_for_, std::memory_order_relaxed);
    if (phase_ == 0 && steps_have_change())
      kind.with_change.fetch_add(stands_for_, std::memory_order_relaxed);
    trial_ = !kind.decided.load();
    if (trial_) {
      const Locked locked(kinds_mutex());
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

void AcceleratedCall::see_step(bool training) const {
  if (capturing_ || is_forced()) return;
  StepCall call{stream_, phase_, training, kind_, -1, true, false};
  if (kind_ >= 0) {
    Kind& kind = kind_at(kind_);
    call.device = kind.record.device;
    call.settled = kind.decided.load(std::memory_order_acquire);
    call.replaced = kind.chosen.load() != 0;
  } else {
    call.device = current_device();
  }
  steps_see(call);
}

void AcceleratedCall::keep(Kept why) {
  if (kind_ < 0) return;
  kind_at(kind_).kept[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
}

void AcceleratedCall::keep_undecided() {
  keep(!suited_ ? Kept::alignment : capturing_ ? Kept::captured : Kept::tuning);
  if (kind_ < 0 || suited_) return;
  Kind& kind = kind_at(kind_);
  const auto unsuited = kind.kept[static_cast<std::size_t>(Kept::alignment)].load();
  if (unsuited < most_unsuited_calls || unsuited < kind.calls[0].load()) return;
  // No call of this kind could ever be compared.
  const Locked locked(kinds_mutex());
  if (kind.record.state == ChoiceState::waiting) set_decided(kind, 0);
}

// Sets up the call with a variant; false where it must run with the program's own.
bool AcceleratedCall::substitute(int code) {
  // A conversion to half leaves in the reserve what no other algorithm can take. So wherever the
  // reserve names one, forward and backward run it, whatever else they are given: gradients can
  // then not be wrong. Its tensors are float, and right at 4 bytes, too
  // (samples/evidence/conversion-alignment.jsonl).
  bound_ = variant_of_code(code).converts && arguments_.training;
  if (!suited_ && !bound_) {
    keep(Kept::alignment);
    return false;
  }
  ours_.emplace(library_, arguments_.handle, arguments_.rnn, variant_of_code(code),
                VariantDescriptor::Dropout::as_in_the_program);
  VariantDescriptor::Sizes sizes{0, 0};
  const bool runs =
      ours_->get() != nullptr &&
      (kind_ < 0 ? ours_->sizes(arguments_.x, arguments_.training, sizes)
                 : sizes_of(*ours_, kind_, code, steps_, arguments_.x, arguments_.training, sizes));
  const bool has_workspace = sizes.workspace <= arguments_.workspace_bytes;
  if (bound_) {
    if (runs && !has_workspace) borrow_workspace(sizes.workspace);
    return ours_->get() != nullptr;
  }
  if (runs && has_workspace && sizes.reserve <= arguments_.reserve_bytes) return true;
  keep(runs ? Kept::small_workspace : Kept::refused);
  ours_.reset();
  return false;
}

void AcceleratedCall::borrow_workspace(std::size_t bytes) {
  const DeviceMemory* m = device_memory();
  if (m == nullptr || m->cuMemAllocAsync(&borrowed_, bytes, stream_) != CUDA_SUCCESS) {
    borrowed_ = 0;
    return;
  }
  borrowed_bytes_ = bytes;
}

// The variant that has a code; 0: none of ours. Needs no lock.
static std::uint32_t variant_with(Kind& kind, int code) {
  for (std::uint32_t v = 1; v < spool::most_variants && code >= 0; ++v)
    if (with(variant_of(kind, v)).code() == code) return v;
  return 0;
}

void AcceleratedCall::choose_forward(const spool::Configuration& c) {
  if (kind_ < 0) return;
  Kind& kind = kind_at(kind_);
  const bool training = c.training != 0;
  const bool decided = kind.decided.load(std::memory_order_acquire);
  const int named = training ? code_named_by(arguments_.reserve_bytes) : -1;
  std::uint32_t variant = variant_with(kind, named);
  if (decided) {
    if (!training && !steps_want_own()) variant = kind.chosen.load();
  } else {
    const Locked locked(kinds_mutex());
    const bool measuring = kind.record.state == ChoiceState::measuring && !capturing_;
    if (!training && measuring) variant = kind.choice.next();
    if (measuring) ++kind.measured_calls;
    measured_ = measuring && suited_;
  }
  // Also where this kind does not have the conversion that its reserve names.
  const bool bound = named >= 0 && variant_of_code(named).converts;
  if (variant != 0 || bound) {
    if (substitute(bound ? named : with(variant_of(kind, variant)).code())) variant_ = variant;
  } else if (!decided) {
    keep_undecided();
  } else if (kind.chosen.load() != 0) {
    if (steps_are_compared()) {
      keep(Kept::whole_step);
    } else if (steps_want_own()) {
      keep(Kept::only_tried);
    } else if (training) {
      keep(Kept::unknown_reserve);
    }
  }
  if (named >= 0 && (!ours_ || any_misnamed())) {
    const Locked locked(kinds_mutex());
    name_holds(kind_, arguments_.at(Pointer::reserve), ours_.has_value());
  }
  // Times of a call whose algorithm is not one of the kind's tell nothing.
  if (ours_ && variant_ == 0) measured_ = false;
  if (measured_) {
    const Locked locked(kinds_mutex());
    kind.choice.started(variant_);
  }
}

void AcceleratedCall::choose_backward() {
  int code = code_named_by(arguments_.reserve_bytes);
  if (code >= 0 && any_misnamed()) {
    const Locked locked(kinds_mutex());
    const void* reserve = arguments_.at(Pointer::reserve);
    if (is_misnamed(kind_, reserve)) code = -1;
    if (phase_ == 2 && code < 0) forget_misnamed(reserve);
  }
  bool decided = true, late = false;
  if (kind_ >= 0) {
    Kind& kind = kind_at(kind_);
    decided = kind.decided.load(std::memory_order_acquire);
    // The first backward calls after the choice belong to forward calls before it.
    late = decided && kind.chosen.load() != 0 &&
           kind.calls[0].load(std::memory_order_relaxed) > kind.decided_at.load() + 1;
    variant_ = variant_with(kind, code);
    if (!decided) {
      const Locked locked(kinds_mutex());
      measured_ = kind.record.state == ChoiceState::measuring && !capturing_ && suited_;
    }
  }
  if (code >= 0) {
    if (!substitute(code)) variant_ = 0;
  } else if (!decided) {
    keep_undecided();
  } else if (late) {
    keep(steps_are_compared() ? Kept::whole_step
         : steps_want_own()   ? Kept::only_tried
                              : Kept::unknown_reserve);
  }
  if (ours_ && variant_ == 0) measured_ = false;  // as in a forward call
}

RunWith as_asked(const Arguments& arguments) {
  // Arguments only look; what cuDNN gets is what the program gave.
  return {arguments.rnn, arguments.workspace_bytes,
          const_cast<void*>(arguments.at(Pointer::workspace))};
}

RunWith AcceleratedCall::runs_with() const {
  RunWith out = as_asked(arguments_);
  if (ours_) out.rnn = ours_->get();
  if (borrowed_ != 0) {
    out.workspace_bytes = borrowed_bytes_;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver gives memory as a number
    out.workspace = reinterpret_cast<void*>(borrowed_);
  }
  return out;
}

void AcceleratedCall::begin() {
  if (measured_) timing_ = events_begin(stream_);
}

bool AcceleratedCall::again(cudnnStatus_t status) {
  if (!ours_ || status == CUDNN_STATUS_SUCCESS) return false;
  // What began to run may have added to the gradients.
  const bool did_nothing = !bound_ && (status / 1000 == 2 || status / 1000 == 3 || phase_ != 2);
  keep(Kept::refused);
  if (kind_ >= 0 && variant_ != 0) {
    const Locked locked(kinds_mutex());
    Kind& kind = kind_at(kind_);
    auto& one = variant_of(kind, variant_);
    one.state = VariantState::refused;
    one.status = status;
    kind.choice.drop(variant_);
    if (kind.chosen.load() == variant_) kind.chosen.store(0);
  }
  if (phase_ == 0 && kind_ >= 0 && code_named_by(arguments_.reserve_bytes) >= 0) {
    const Locked locked(kinds_mutex());
    name_holds(kind_, arguments_.at(Pointer::reserve), false);
  }
  events_end(timing_, 0);
  timing_ = -1;
  measured_ = false;
  ours_.reset();
  variant_ = 0;
  return did_nothing;
}

void AcceleratedCall::compare(bool again) {
  spool::Configuration c;
  if (!read_configuration(library_, arguments_, c) || c.lengths > 0) return;
  if (phase_ != 0) {
    compare_backward(arguments_, c, kind_, phase_, stream_);
  } else if (again) {
    check_forward(library_, arguments_, c, kind_, stream_);
  } else {
    compare_forward(library_, arguments_, c, kind_, stream_);
  }
}

void AcceleratedCall::end(cudnnStatus_t status) {
  if (borrowed_ != 0) device_memory()->cuMemFreeAsync(borrowed_, stream_);
  if (timing_ >= 0) {
    if (status == CUDNN_STATUS_SUCCESS) {
      events_end(timing_, &take_time, time_tag(kind_, variant_, phase_),
                 static_cast<std::uint64_t>(steps_));
    } else {
      events_end(timing_, 0);
    }
  }
  if (kind_ < 0) return;
  Kind& kind = kind_at(kind_);
  // Calls before the choice count as such, whatever they ran.
  if (ours_ && !trial_) kind.substituted[phase_].fetch_add(1, std::memory_order_relaxed);
  if (ours_ && trial_) keep(Kept::tuning);
  const bool settled = kind.decided.load();
  // So that little is lost where the process is killed.
  const std::uint64_t calls = kind.calls[0].load(std::memory_order_relaxed);
  bool write_now =
      phase_ == 0 && calls >= 64 && std::bit_width(calls) != std::bit_width(calls - stands_for_);
  const bool comparable = status == CUDNN_STATUS_SUCCESS && !capturing_ && suited_;
  if (!settled) {
    if (comparable && !ours_ && !kind.follows.load()) compare(false);
    poll_comparison();
    events_collect(false);
    const Locked locked(kinds_mutex());
    if (decide(kind) || kind.decided.load()) {
      write_now = true;
      const std::uint32_t chosen = kind.chosen.load();
      if (kind.record.origin == spool::ChoiceOrigin::measured)
        share_choice(library_, kind.record.device, kind.record.key,
                     chosen == 0 ? -1 : with(variant_of(kind, chosen)).code());
    }
  } else if (kind.checking.load() ||
             (phase_ == 0 && kind.chosen.load() != 0 && calls >= kind.next_check.load())) {
    // Whether the results are still right: weights and data change.
    if (comparable) compare(true);
    if (poll_comparison()) write_now = true;
  }
  if (!write_now) return;
  spool::Acceleration record;
  {
    const Locked locked(kinds_mutex());
    record = record_of(kind);
  }
  write(record);
}

void acceleration_finish() {
  if (!acceleration_is_on()) return;
  steps_finish();
  poll_comparison();
  const int count = number_of_kinds();
  for (int i = 0; i < count; ++i) {
    spool::Acceleration record;
    {
      const Locked locked(kinds_mutex());
      fill_times(kind_at(i));
      for (auto& one : kind_at(i).record.variants)
        if (one.state == VariantState::candidate) one.state = VariantState::unseen;
      record = record_of(kind_at(i));
    }
    write(record);
  }
}

void acceleration_in_child() {
  kinds_in_child();
  comparing_in_child();
  steps_in_child();
}

}  // namespace rnnadvisor::plugin
