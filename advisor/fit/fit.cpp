#include "advisor/fit/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/judge/asked_configuration.h"
#include "core/base/text.h"
#include "core/base/wide.h"
#include "core/model/eligibility.h"
#include "core/model/largest.h"
#include "profiler/classify/memory_use.h"

namespace rnnadvisor::advisor {
namespace {

model::TorchStepOptions torch_options(const FitQuestion& question, const RnnConfig& call) {
  const ProgramContext& program = question.input.program;
  model::TorchStepOptions options;
  options.forward_algo = call.algo_of(Phase::forward_training);
  options.backward_algo = call.algo_of(Phase::backward_data);
  options.optimizer = question.optimizer;
  options.sm_count = question.device.sm_count;
  options.batch_first = program.batch_first.value_or(false);
  options.flat_weights = program.flat_weights.value_or(true);
  options.autocast = program.autocast.value_or(Autocast::off) != Autocast::off;
  return options;
}

void add_part(FitNeed& need, const char* name, std::int64_t bytes) {
  if (bytes > 0) need.parts.emplace_back(name, bytes);
}

FitNeed torch_need(const FitQuestion& question, const RnnConfig& config) {
  const auto options = torch_options(question, config);
  auto step = model::torch_step_need(config, config.mode, options, question.room.bytes);
  FitNeed need;
  need.fits = step.fits;
  // How far it would have gone.
  if (!need.fits) step = model::torch_step_need(config, config.mode, options);
  need.total = step.reserved;
  need.exactness = step.exactness;
  add_part(need, "parameters", step.parameters);
  add_part(need, "optimizer_state", step.optimizer_state);
  add_part(need, "gradients", step.gradients);
  add_part(need, "weight_copies", step.weight_copies);
  add_part(need, "activations", step.activations);
  add_part(need, "gradients_of_activations", step.gradient_io);
  add_part(need, "layout_copies", step.layout_copies);
  add_part(need, "reserve", step.reserve);
  add_part(need, "workspace", step.workspace);
  add_part(need, "dropout_states", step.dropout_states);
  // Rounding, cut segments and what is kept from other moments of the step.
  add_part(need, "allocator", step.reserved - step.tensors);
  return need;
}

FitNeed call_need(const FitQuestion& question, const RnnConfig& config) {
  const auto call = model::memory_need(config, config.mode);
  FitNeed need;
  need.total = call.total;
  need.fits = call.total <= question.room.bytes;
  need.exactness = call.exactness;
  add_part(need, "weights", call.weights);
  add_part(need, "weight_gradients", call.weight_gradients);
  add_part(need, "x_y", saturate(Wide{call.x} + call.y));
  add_part(need, "dx_dy", saturate(Wide{call.dx} + call.dy));
  add_part(need, "states", call.states);
  add_part(need, "reserve", call.reserve);
  add_part(need, "workspace", call.workspace);
  add_part(need, "dropout_states", call.dropout_states);
  return need;
}

// PyTorch asks for another algorithm, with another workspace, at some batches up to this one.
constexpr int last_irregular_batch = 128;
// Its allocator takes memory in segments of 2 and 20 MiB: a larger size may need a little less.
constexpr int looked_at_above = 64;

int largest_in_torch(const FitQuestion& question) {
  const auto fits = [&](int size) {
    const RnnConfig config = call_of(question, size).config;
    return model::torch_step_need(config, config.mode, torch_options(question, config),
                                  question.room.bytes)
        .fits;
  };
  // largest_in_pieces() compares with 0.
  const auto need = [&](int size) -> std::int64_t { return fits(size) ? 0 : 1; };
  const int most = question.most();
  int found = 0;
  if (question.largest == Largest::batch) {
    const std::array<int, 1> piece = {1};
    const auto above = [&](int size) { return need(size + last_irregular_batch); };
    found = model::largest_in_pieces(above, 0, piece, most - last_irregular_batch);
    if (found > 0) found += last_irregular_batch;
    for (int size = last_irregular_batch; found == 0 && size > 0; --size) {
      if (fits(size)) found = size;
    }
  } else {
    static constexpr std::array<int, 5> pieces = {1, 10, 20, 40, 128};
    found = model::largest_in_pieces(need, 0, pieces, most);
  }
  for (int above = std::min(looked_at_above, most - found); above > 0; --above) {
    if (fits(found + above)) return found + above;
  }
  return found;
}

std::vector<Finding> findings_of(const FitQuestion& question, int size, const RuleSet& rules,
                                 JudgeOptions options) {
  const ConfigInput input = sized(question, size);
  options.keep_verdicts = false;
  return judge(static_profile({&input, 1}, question.device), rules, options).findings;
}

bool has_rule(const std::vector<Finding>& findings, const std::string& rule) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const auto& finding) { return finding.rule_id == rule; });
}

// Findings about memory follow from the question itself.
bool about_memory(const Finding& finding) { return finding.rule_id.starts_with("memory/"); }

std::optional<FitAnswer::Better> better_below(const FitQuestion& question, const FitAnswer& fit,
                                              const RuleSet& rules, const JudgeOptions& options) {
  const int size = fit.need.size;
  std::optional<FitAnswer::Better> best;
  std::size_t most_gone = 0;
  const auto can_go = static_cast<std::size_t>(
      std::count_if(fit.findings.begin(), fit.findings.end(),
                    [](const auto& finding) { return !about_memory(finding); }));
  int last = 0;
  for (const int multiple : {2, 4, 8, 16, 32, 64, 128}) {
    const int candidate = size / multiple * multiple;
    // A quarter less is no longer "just below".
    if (candidate == size || candidate == last || candidate < size - size / 4) continue;
    if (most_gone == can_go) break;  // none can be better
    last = candidate;
    FitNeed need = need_of(question, candidate);
    if (!need.fits) continue;
    const auto findings = findings_of(question, candidate, rules, options);
    const bool new_ones = std::any_of(findings.begin(), findings.end(), [&](const auto& finding) {
      return !about_memory(finding) && !has_rule(fit.findings, finding.rule_id);
    });
    if (new_ones) continue;
    FitAnswer::Better better{std::move(need), {}};
    for (const auto& finding : fit.findings) {
      if (!about_memory(finding) && !has_rule(findings, finding.rule_id))
        better.gone.push_back(finding);
    }
    // The first of equals is the largest.
    if (better.gone.size() > most_gone) {
      most_gone = better.gone.size();
      best = std::move(better);
    }
  }
  return best;
}

}  // namespace

ConfigInput sized(const FitQuestion& question, int size) {
  ConfigInput input = question.input;
  input.config.seq_lengths.clear();
  (question.largest == Largest::batch ? input.config.batch_size : input.config.seq_length) = size;
  return input;
}

FrameworkCall call_of(const FitQuestion& question, int size) {
  const ConfigInput input = sized(question, size);
  return framework_call(input.config, input.program, &question.device);
}

FrameworkCall given_call(const FitQuestion& question) {
  return given_call(question.input, question.recorded, question.device);
}

std::string name_of(const FitQuestion& question) {
  const RnnConfig call = given_call(question).config;
  return call.id.empty() ? summary(call) : fmt::format("{}: {}", call.id, summary(call));
}

std::optional<DoesNotRun> why_it_does_not_run(const FitQuestion& question, int size) {
  if (auto why = why_it_does_not_run(question.input, question.recorded, question.device))
    return why;
  return does_not_run(call_of(question, size), question.device, question.input.program.name);
}

FitNeed need_of(const FitQuestion& question, int size) {
  const RnnConfig call = call_of(question, size).config;
  FitNeed need = question.in_pytorch() ? torch_need(question, call) : call_need(question, call);
  need.size = size;
  return need;
}

Result<void> take_room_of_device(FitQuestion& question, std::int64_t peak) {
  const DeviceSpec& device = question.device;
  if (device.memory_bytes <= fit_margin) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the memory of {} is not known", device.name), "give --memory");
  }
  question.room = {device.memory_bytes - fit_margin,
                   fmt::format("{} with {}, without {} for the CUDA context and cuDNN itself",
                               device.name, format_bytes(static_cast<double>(device.memory_bytes)),
                               format_bytes(static_cast<double>(fit_margin)))};
  if (peak <= 0) return {};
  const auto own = need_of(question, question.given_size());
  question.beside = std::max<std::int64_t>(0, peak - own.total);
  question.room.bytes = std::max<std::int64_t>(0, question.room.bytes - question.beside);
  return {};
}

void take_room_of_failure(FitQuestion& question, std::int64_t free) {
  const auto size = [](std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  const std::int64_t own = need_of(question, question.given_size()).total;
  question.room = {
      std::max<std::int64_t>(0, saturate(Wide{own} + free - little_memory)),
      fmt::format("{} of the layer and {} that were free when the recorded program failed, less {} "
                  "for cuDNN itself; --memory sets another",
                  size(own), size(free), size(little_memory))};
}

int largest_that_fits(const FitQuestion& question) {
  if (question.in_pytorch()) return largest_in_torch(question);
  const std::int64_t bytes = question.room.bytes;
  const RnnConfig config = call_of(question, 1).config;
  return question.largest == Largest::length
             ? model::largest_seq_length(config, config.mode, bytes)
             : std::min(model::largest_batch(config, config.mode, bytes), question.most());
}

FitAnswer find_fit(const FitQuestion& question, const RuleSet& rules, const JudgeOptions& options) {
  FitAnswer fit;
  fit.most = question.most();
  fit.full_lengths = question.input.config.has_varying_lengths();
  const int size = largest_that_fits(question);
  if (size < fit.most) {
    fit.next = need_of(question, size + 1);
    // Where need falls a little, the sizes in between fit less than the found one: they count too.
    while (fit.next->fits && fit.next->size < fit.most)
      fit.next = need_of(question, fit.next->size + 1);
  }
  if (auto why = why_it_does_not_run(question, std::max(size, 1))) {
    fit.refused = std::move(why->stage);
    fit.refused_because = std::move(why->because);
  }
  if (size == 0) return fit;
  fit.need = need_of(question, size);
  if (!fit.refused.empty()) return fit;
  fit.findings = findings_of(question, size, rules, options);
  fit.better = better_below(question, fit, rules, options);
  return fit;
}

}  // namespace rnnadvisor::advisor
