#include "core/cudnn/experiment_run.h"

#include <fmt/format.h>

#include <new>

#include "core/base/out_of_memory.h"
#include "core/base/text.h"
#include "core/cudnn/correctness.h"
#include "core/cudnn/cuda_error.h"
#include "core/cudnn/experiment_attempt.h"

namespace rnnadvisor::experiment {
namespace {

RnnConfig without_dropout(RnnConfig config) {
  config.dropout = 0;
  return config;
}

ExperimentVariant without_dropout(ExperimentVariant variant) {
  for (auto& call : variant.calls) call.dropout = 0;
  return variant;
}

void add_sentence(std::string& message, std::string_view sentence) {
  if (sentence.empty()) return;
  if (!message.empty()) message += "; ";
  message += sentence;
}

std::vector<ExperimentScope> scopes_of(const ExperimentRequest& request) {
  if (request.before.mode == Mode::inference) return {ExperimentScope::inference};
  if (!request.scopes.empty()) return request.scopes;
  return {ExperimentScope::forward_training, ExperimentScope::training_step};
}

std::string bytes(std::int64_t count) { return format_bytes(static_cast<double>(count)); }

// What would not even fit a description is known before it is made.
Attempt<void> describable(const RnnConfig& config) {
  const auto ok = can_be_laid_out(config);
  if (ok) return {};
  return failed(ok.error().code == ErrorCode::out_of_memory ? Outcome::out_of_memory_predicted
                                                            : Outcome::failed,
                ok.error().message);
}

}  // namespace

ExperimentRun::ExperimentRun(const DeviceSession& session, const ExperimentRequest& request,
                             const OnProgress& on_progress, const ReadClocks& read_clocks)
    : session_(session),
      request_(request),
      on_progress_(on_progress),
      read_clocks_(read_clocks),
      begin_(std::chrono::steady_clock::now()),
      scopes_(scopes_of(request)),
      variants_(request.variants.size()),
      looked_at_(request.compare && input_elements(request.before) <= most_elements),
      dropout_(dropout_acts(request.before)) {
  original_.calls = {request.before};
  result_.variants.resize(request.variants.size());
  for (const auto& variant : request.variants) {
    for (const auto& call : variant.calls) dropout_ = dropout_ || dropout_acts(call);
  }
}

ExperimentResult ExperimentRun::run() {
  try {
    measure_and_time();
  } catch (const std::bad_alloc&) {
    missing_memory_is_dealt_with();
    lose(-1,
         {Outcome::out_of_memory, "the memory of the host is too small for its results", false});
  }
  result_.seconds = seconds();
  return std::move(result_);
}

double ExperimentRun::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void ExperimentRun::tell(ExperimentProgress::Kind kind, int variant, int round) const {
  if (on_progress_) on_progress_({kind, variant, round});
}

bool ExperimentRun::lose(int index, const Failure& failure) {
  result_.context_lost = result_.context_lost || failure.context_lost;
  if (index < 0) {
    result_.outcome = failure.outcome;
    result_.message = failure.message;
    return false;
  }
  VariantResult& lost = result(index);
  lost.outcome = failure.outcome;
  lost.message = failure.message;
  lost.timings.clear();
  lost.shifts.clear();
  variant(index).program.reset();
  return !failure.context_lost;
}

ExperimentRun::Device ExperimentRun::device(Program program, const RnnConfig& dropout) const {
  return std::make_unique<DeviceProgram>(session_.api(), session_.handle(), session_.stream(),
                                         std::move(program), dropout);
}

Attempt<ExperimentRun::Device> ExperimentRun::measured_original() const {
  RNNADVISOR_ATTEMPT(describable(request_.before));
  auto program = make_program(request_.before, original_, looked_at_);
  if (!program) return tl::unexpected(failure_of(program.error()));
  Device made = device(std::move(*program), request_.before);
  RNNADVISOR_ATTEMPT(made->measure());
  return made;
}

Attempt<void> ExperimentRun::measure_variant(int index) {
  Variant& it = variant(index);
  const ExperimentVariant& of = wanted(index);
  for (const auto& call : of.calls) RNNADVISOR_ATTEMPT(describable(call));
  auto program = make_program(request_.before, of, looked_at_);
  it.related = program.has_value();
  if (!program && (of.composition != Composition::single || of.calls.size() != 1)) {
    return failed(Outcome::failed,
                  "these calls do not make up the original: " + program.error().message);
  }
  if (!program) {
    it.remark = fmt::format(
        "results were not compared: it computes something else ({}), on data of its own",
        program.error().message);
    program = make_unrelated_program(of.calls.front());
  } else if (!looked_at_) {
    it.remark = fmt::format(
        "results were not compared: {}; data are random",
        request_.compare ? "their sizes would fill the host's memory" : "that was not asked for");
  }
  if (request_.before.mode == Mode::inference && program->training)
    return failed(Outcome::failed, "it trains where the original only infers");
  it.infers = request_.before.mode == Mode::training && !program->training;
  if (own_scopes(it).empty())
    return failed(Outcome::failed, "it infers, and nothing that it could stand for is timed");
  if (it.infers) add_sentence(it.remark, "it infers where the original runs forward for training");
  add_sentence(it.remark, program->remark);
  it.program = device(std::move(*program), request_.before);
  RNNADVISOR_ATTEMPT(it.program->measure());
  result(index).memory_bytes = it.program->memory_bytes();
  return {};
}

void ExperimentRun::measure_and_time() {
  trying(-1);
  auto original = measured_original();
  if (!original) lose(-1, original.error());
  if (result_.context_lost) return;
  if (original) result_.memory_bytes = (*original)->memory_bytes();
  for (int i = 0; i < variant_count(); ++i) {
    trying(i);
    const auto measured = measure_variant(i);
    if (!measured && !lose(i, measured.error())) return;
  }
  if (!know_memory()) return;
  if (!original || !fits(**original)) {
    run_alone();
    return;
  }
  std::vector<std::vector<int>> groups = make_groups(**original);
  original->reset();
  make_data();
  if (data_ && dropout_ && !compare_without_dropout()) return;
  // The original runs also where no variant can.
  if (groups.empty()) groups.emplace_back();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const bool ran = result_.outcome == Outcome::completed;
    if (time_group(groups[g], groups.size() - g)) continue;
    if (!ran && result_.outcome != Outcome::completed && !result_.context_lost) run_alone();
    return;
  }
}

bool ExperimentRun::know_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  if (auto ok = RNNADVISOR_CUDA(cudaMemGetInfo(&free, &total)); !ok) {
    // Why the original does not run is already told.
    if (result_.outcome == Outcome::not_run) lose(-1, failure_of(ok.error()));
    return false;
  }
  free_ = static_cast<std::int64_t>(free);
  total_ = static_cast<std::int64_t>(total);
  available_ = free_ - RnnProblem::memory_margin;
  return true;
}

bool ExperimentRun::fits(const DeviceProgram& original) {
  const MemoryShare need = original.need();
  if (need.own <= available_ - need.workspace) return true;
  return lose(-1, {Outcome::out_of_memory_predicted,
                   fmt::format("needs {} of device memory and {} of {} is free ({} is left for "
                               "cuDNN itself); nothing was allocated",
                               bytes(need.own + need.workspace), bytes(free_), bytes(total_),
                               bytes(RnnProblem::memory_margin)),
                   false});
}

std::vector<std::vector<int>> ExperimentRun::make_groups(const DeviceProgram& original) {
  std::vector<int> members;
  std::vector<MemoryShare> needs;
  for (int i = 0; i < variant_count(); ++i) {
    if (!variant(i).program) continue;
    const MemoryShare need = variant(i).program->need();
    if (group_by_memory(original.need(), {need}, available_).empty()) {
      lose(i, {Outcome::out_of_memory_predicted,
               fmt::format("needs {} of device memory beside the original's {}, and {} can be "
                           "taken; nothing was allocated",
                           bytes(need.own + need.workspace), bytes(original.need().own),
                           bytes(available_)),
               false});
      continue;
    }
    members.push_back(i);
    needs.push_back(need);
  }
  auto groups = group_by_memory(original.need(), needs, available_);
  for (auto& group : groups) {
    for (int& member : group) member = members[static_cast<std::size_t>(member)];
  }
  return groups;
}

void ExperimentRun::make_data() {
  if (!looked_at_) return;
  const DataType type = request_.before.data_type;
  data_ = random_data(request_.before, request_.seed,
                      [type](std::vector<double>& values) { round_to_type(values, type); });
  const RnnConfig before = without_dropout(request_.before);
  std::string why_not;
  if (!request_.reference || !comparable_with_reference(before, why_not)) return;
  // What cuDNN's backward pass does at the bounds of the clip is not established.
  reference_ = reference_outputs(
      before, *data_, before.mode == Mode::training && before.clip_mode == ClipMode::none);
}

Attempt<Outputs> ExperimentRun::outputs_without_dropout(const ExperimentVariant& of,
                                                        ExperimentScope scope) const {
  const RnnConfig before = without_dropout(request_.before);
  auto program = make_program(before, without_dropout(of));
  if (!program) return tl::unexpected(failure_of(program.error()));
  const Device quiet = device(std::move(*program), before);
  RNNADVISOR_ATTEMPT(quiet->measure());
  const auto workspace = DeviceBuffer::allocate(quiet->need().workspace);
  if (!workspace) return tl::unexpected(failure_of(workspace.error()));
  return set_up(*quiet, workspace->data(), before, true, of.cuda_graph, {scope});
}

// Dropout masks differ from one implementation to the next, so numbers are compared without:
// everybody alone, with descriptors of their own.
bool ExperimentRun::compare_without_dropout() {
  const auto whole = request_.before.mode == Mode::training ? ExperimentScope::training_step
                                                            : ExperimentScope::inference;
  trying(-1);
  auto outputs = outputs_without_dropout(original_, whole);
  if (!outputs) return lose(-1, outputs.error());
  before_outputs_ = std::move(*outputs);
  for (int i = 0; i < variant_count(); ++i) {
    Variant& it = variant(i);
    if (!it.program || !it.related) continue;
    trying(i);
    const auto own =
        outputs_without_dropout(wanted(i), it.infers ? ExperimentScope::inference : whole);
    if (!own) {
      if (!lose(i, own.error())) return false;
      continue;
    }
    compare(i, *own);
    add_sentence(it.remark,
                 "results were compared with dropout switched off, because masks differ between "
                 "implementations; it was timed with it");
  }
  return true;
}

void ExperimentRun::compare(int index, const Outputs& outputs) {
  if (!variant(index).related || !data_ || !before_outputs_) return;
  result(index).shifts =
      compare_outputs(*before_outputs_, outputs, reference_ ? &*reference_ : nullptr);
}

}  // namespace rnnadvisor::experiment
