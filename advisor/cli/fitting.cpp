#include "advisor/cli/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "advisor/cli/configurations.h"
#include "advisor/judge/judge.h"
#include "core/base/text.h"
#include "core/base/wide.h"
#include "core/model/eligibility.h"
#include "core/model/largest.h"

namespace rnnadvisor::cli {
namespace {

bool in_pytorch(const FitQuestion& question) {
  return question.input.program.name == Framework::pytorch;
}

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

int most_of(const FitQuestion& question) {
  return question.largest == Largest::length ? longest_sequence : largest_tried_batch;
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
  const int most = most_of(question);
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

std::vector<advisor::Finding> findings_of(const FitQuestion& question, int size,
                                          const Judging& judging, const std::string& command_line) {
  const Profile profile = static_profile({sized(question, size)}, question.device, command_line);
  advisor::JudgeOptions options = judging.options;
  options.keep_verdicts = false;
  return advisor::judge(profile, judging.rules, options).findings;
}

bool has_rule(const std::vector<advisor::Finding>& findings, const std::string& rule) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const auto& finding) { return finding.rule_id == rule; });
}

// Findings about memory follow from the question itself.
bool about_memory(const advisor::Finding& finding) {
  return finding.rule_id.starts_with("memory/");
}

std::optional<Fit::Better> better_below(const FitQuestion& question, const Fit& fit,
                                        const Judging& judging, const std::string& command_line) {
  const int size = fit.need.size;
  std::optional<Fit::Better> best;
  std::size_t most_gone = 0;
  int last = 0;
  for (const int multiple : {2, 4, 8, 16, 32, 64, 128}) {
    const int candidate = size / multiple * multiple;
    // A quarter less is no longer "just below".
    if (candidate == size || candidate == last || candidate < size - size / 4) continue;
    last = candidate;
    const auto findings = findings_of(question, candidate, judging, command_line);
    const bool new_ones = std::any_of(findings.begin(), findings.end(), [&](const auto& finding) {
      return !about_memory(finding) && !has_rule(fit.findings, finding.rule_id);
    });
    FitNeed need = need_of(question, candidate);
    if (new_ones || !need.fits) continue;
    Fit::Better better{std::move(need), {}};
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

advisor::FrameworkCall call_of(const FitQuestion& question, int size) {
  const ConfigInput input = sized(question, size);
  return advisor::framework_call(input.config, input.program, &question.device);
}

std::string name_of(const FitQuestion& question) {
  const auto& written = question.input.config;
  const RnnConfig call =
      question.recorded
          ? written
          : advisor::framework_call(written, question.input.program, &question.device).config;
  return call.id.empty() ? summary(call) : fmt::format("{}: {}", call.id, summary(call));
}

std::optional<advisor::DoesNotRun> why_it_does_not_run(const FitQuestion& question, int size) {
  const auto& config = question.input.config;
  const auto& program = question.input.program;
  if (!question.recorded) {
    const auto given = advisor::framework_call(config, program, &question.device);
    if (auto why = advisor::does_not_run(given, question.device, program.name)) return why;
  }
  return advisor::does_not_run(call_of(question, size), question.device, program.name);
}

FitNeed need_of(const FitQuestion& question, int size) {
  const RnnConfig call = call_of(question, size).config;
  FitNeed need = in_pytorch(question) ? torch_need(question, call) : call_need(question, call);
  need.size = size;
  return need;
}

int largest_that_fits(const FitQuestion& question) {
  if (in_pytorch(question)) return largest_in_torch(question);
  const std::int64_t bytes = question.room.bytes;
  const RnnConfig config = call_of(question, 1).config;
  return question.largest == Largest::length
             ? model::largest_seq_length(config, config.mode, bytes)
             : std::min(model::largest_batch(config, config.mode, bytes), most_of(question));
}

Fit find_fit(const FitQuestion& question, const Judging& judging, const std::string& command_line) {
  Fit fit;
  fit.most = most_of(question);
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
  fit.findings = findings_of(question, size, judging, command_line);
  fit.better = better_below(question, fit, judging, command_line);
  return fit;
}

Result<std::int64_t> parse_bytes(std::string_view text) {
  const auto wrong = [&] {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is no amount of memory", to_valid_utf8(text)),
                "write 40GiB, 80GB, 512MiB or a number of bytes");
  };
  std::size_t digits = 0;
  while (digits < text.size() &&
         (text[digits] == '.' || (text[digits] >= '0' && text[digits] <= '9')))
    ++digits;
  // strtod would take signs, hexadecimal digits and "inf".
  const std::string number(text.substr(0, digits));
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (digits == 0 || end != number.c_str() + number.size()) return wrong();
  std::string_view unit = text.substr(digits);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  struct Unit {
    std::string_view word;
    double bytes;
  };
  static constexpr std::array<Unit, 10> units = {{{"", 1},
                                                  {"B", 1},
                                                  {"KiB", 1024.0},
                                                  {"MiB", 1048576.0},
                                                  {"GiB", 1073741824.0},
                                                  {"TiB", 1099511627776.0},
                                                  {"kB", 1e3},
                                                  {"MB", 1e6},
                                                  {"GB", 1e9},
                                                  {"TB", 1e12}}};
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& each) { return each.word == unit; });
  if (found == units.end()) return wrong();
  const double bytes = value * found->bytes;
  if (!(bytes >= 1 && bytes < 9e18)) return wrong();
  return static_cast<std::int64_t>(bytes);
}

}  // namespace rnnadvisor::cli
